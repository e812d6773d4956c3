"use strict";
(() => {
  const form = document.querySelector("form.filter");
  const select = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  // What may be filtered: each element with what is asked of it.
  const findings = select(".f").map((element) => ({
    element,
    level: element.classList[1],
    rule: element.dataset.r,
    state: element.dataset.s,
    pairs: element.dataset.p.split(" ").map((pair) => pair.split(".")),
    text: null,
    isShown: true,
  }));
  const cases = select(".cases tbody tr").map((element) => ({
    element,
    tools: element.dataset.t.split(" "),
    condition: element.dataset.c,
    status: element.dataset.s,
    text: null,
    isShown: true,
  }));
  const matrix = document.querySelector(".matrix");

  const textOf = (item) => (item.text ??= item.element.textContent.toLowerCase());
  const asked = () => {
    const value = (name) => form.elements[name]?.value ?? "";
    return {
      text: value("text").trim().toLowerCase().split(/\s+/).filter(Boolean),
      levels: new Set(select("[name=level]:checked", form).map((box) => box.value)),
      rule: value("rule"),
      tool: value("tool"),
      condition: value("condition"),
      state: value("state"),
      status: value("status"),
    };
  };
  const hasText = (item, words) => words.every((word) => textOf(item).includes(word));
  const isFinding = (finding, by) =>
    by.levels.has(finding.level) &&
    (!by.rule || finding.rule === by.rule) &&
    (!by.state || finding.state === by.state) &&
    ((!by.tool && !by.condition) ||
      finding.pairs.some(
        ([tool, condition]) => (!by.tool || tool === by.tool) && (!by.condition || condition === by.condition),
      )) &&
    hasText(finding, by.text);
  const isCase = (item, by) =>
    (!by.tool || item.tools.includes(by.tool)) &&
    (!by.condition || item.condition === by.condition) &&
    (!by.status || item.status === by.status) &&
    hasText(item, by.text);

  const show = (items, is) => {
    let count = 0;
    for (const item of items) {
      const isShown = is(item);
      if (isShown) count += 1;
      if (isShown !== item.isShown) {
        item.isShown = isShown;
        item.element.hidden = !isShown;
      }
    }
    return count;
  };
  const filter = () => {
    const by = asked();
    const left = show(findings, (finding) => isFinding(finding, by));
    const told = [`${left} of ${findings.length} findings`];
    if (cases.length > 0) {
      told.push(`${show(cases, (item) => isCase(item, by))} of ${cases.length} cases`);
    }
    form.querySelector("output").textContent = told.join(", ");
    const none = document.querySelector(".none");
    if (none) none.hidden = left > 0;
    mark(by);
    keep();
    return left;
  };

  // The filter stands in the address, by names: a link to what is filtered means the same in the next report.
  const KEPT = "#filter:";
  const names = ["rule", "tool", "condition"];
  const keep = () => {
    const kept = new URLSearchParams();
    for (const field of form.querySelectorAll("select, [type=search]")) {
      if (!field.value) continue;
      kept.set(field.name, names.includes(field.name) ? field.selectedOptions[0].text : field.value);
    }
    const levels = select("[name=level]", form).filter((box) => box.checked);
    if (levels.length < 3) kept.set("level", levels.map((box) => box.value).join(" "));
    const to = kept.size > 0 ? KEPT + kept : "";
    if (to || location.hash.startsWith(KEPT)) history.replaceState(null, "", to || location.pathname + location.search);
  };
  // Sets the fields as the address says; false where it says nothing of a filter.
  const recall = () => {
    if (!location.hash.startsWith(KEPT)) return false;
    const kept = new URLSearchParams(location.hash.slice(KEPT.length));
    for (const field of form.querySelectorAll("select, [type=search]")) {
      const value = kept.get(field.name) ?? "";
      const named = (option) => (names.includes(field.name) && value ? option.text : option.value) === value;
      field.value = field.options ? (Array.from(field.options).find(named)?.value ?? "") : value;
    }
    const levels = kept.get("level")?.split(" ");
    for (const box of select("[name=level]", form)) box.checked = !levels || levels.includes(box.value);
    return true;
  };

  // The matrix: a cell, a row and a column each stand for a filter.
  const column = () => (matrix.dataset.by === "rule" ? "rule" : "condition");
  const meant = (link) => {
    const cell = link.parentElement;
    const head = matrix.tHead.rows[0].cells[cell.cellIndex];
    return { tool: cell.parentElement.dataset.n ?? "", column: head.dataset.n ?? "" };
  };
  const mark = (by) => {
    if (!matrix) return;
    select("[aria-current]", matrix).forEach((link) => link.removeAttribute("aria-current"));
    const of = by[column()];
    if (!by.tool && !of) return;
    const row = by.tool ? matrix.querySelector(`tbody tr[data-n="${by.tool}"]`) : matrix.tHead.rows[0];
    const head = of ? matrix.querySelector(`thead th[data-n="${of}"]`) : null;
    row?.cells[head ? head.cellIndex : 0]?.querySelector("a")?.setAttribute("aria-current", "true");
  };
  const go = (heading) => {
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  const choose = (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    event.preventDefault();
    const { tool, column: of } = meant(link);
    form.reset();
    form.elements.tool.value = tool;
    form.elements[column()].value = of;
    const left = filter();
    const all = document.querySelector("details.all");
    if (left === 0 && all) {
      all.open = true;
      go(document.getElementById("cases"));
    } else {
      go(document.getElementById("findings"));
    }
  };
  // One stop of the Tab key; the arrows lead on from there.
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const walk = (event) => {
    const link = event.target.closest("a");
    const step = steps[event.key];
    if (!link || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    let [row, place] = [link.closest("tr").rowIndex, link.parentElement.cellIndex];
    let next = null;
    do {
      [row, place] = [row + step[0], place + step[1]];
      next = matrix.rows[row]?.cells[place];
    } while (next && !next.querySelector("a"));
    if (!next) return;
    link.tabIndex = -1;
    next.querySelector("a").tabIndex = 0;
    next.querySelector("a").focus();
  };

  const clear = () => {
    form.reset();
    filter();
  };
  // What a link leads to may lie in something closed, or be left out by the filter.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest(".f[hidden], tr[hidden]")) clear();
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
    const finding = target.closest(".f");
    if (finding) {
      finding.scrollIntoView();
      finding.firstElementChild.focus({ preventScroll: true });
    } else {
      target.scrollIntoView();
    }
  };

  const shown = () => findings.filter((finding) => finding.isShown).map((finding) => finding.element);
  const step = (by) => {
    const list = shown();
    const at = list.indexOf(document.activeElement?.closest?.(".f"));
    const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : at + by];
    if (!next) return;
    next.firstElementChild.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  const keys = {
    "/": () => form.elements.text.focus(),
    j: () => step(1),
    k: () => step(-1),
    m: () => matrix?.querySelector('a[tabindex="0"]')?.focus(),
    x: clear,
  };
  const press = (event) => {
    const isField = event.target.closest?.("input:not([type=checkbox]), select, textarea");
    if (event.key === "Escape" && event.target.closest?.("form.filter")) return clear();
    if (isField || event.altKey || event.ctrlKey || event.metaKey || !form.elements.keys.checked) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  // Paper opens nothing: all that is shown is printed whole, and closed again.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = select("details:not([open])").filter((closed) => !closed.closest("[hidden]"));
    opened.forEach((closed) => (closed.open = true));
  });
  addEventListener("afterprint", () => {
    opened.forEach((closed) => (closed.open = false));
    opened = [];
  });

  const turn = () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  };

  if (!form) return;
  form.hidden = false;
  let waiting = 0;
  form.addEventListener("input", (event) => {
    if (event.target.name === "keys") return;
    clearTimeout(waiting);
    waiting = setTimeout(filter, event.target.type === "search" ? 80 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  form.elements.open.addEventListener("click", () => shown().forEach((finding) => (finding.open = true)));
  form.elements.close.addEventListener("click", () => shown().forEach((finding) => (finding.open = false)));
  form.elements.theme.addEventListener("click", turn);
  if (matrix) {
    select(".hint").forEach((hint) => (hint.hidden = false));
    select("a", matrix).forEach((link, index) => (link.tabIndex = index === 0 ? 0 : -1));
    matrix.addEventListener("click", choose);
    matrix.addEventListener("keydown", walk);
  }
  addEventListener("keydown", press);
  const arrive = () => {
    if (recall()) filter();
    else reveal();
  };
  addEventListener("hashchange", arrive);
  recall();
  filter();
  reveal();
})();
