"use strict";
(() => {
  const form = document.querySelector("form.filter");
  const select = (selector, within = document) => Array.from(within.querySelectorAll(selector));

  // What can be filtered: each element with the values that it is filtered by.
  const findings = select(".f").map((element) => ({
    element,
    level: element.classList[1],
    rule: element.dataset.r,
    state: element.dataset.s,
    places: element.dataset.p.split(" ").map((place) => place.split(".")),
    text: null,
    isShown: true,
  }));
  const cases = select(".cases tbody tr").map((element) => ({
    element,
    tools: element.dataset.t.split(" "),
    condition: element.dataset.c,
    group: element.dataset.g,
    status: element.dataset.s,
    text: null,
    isShown: true,
  }));
  const matrices = select(".matrix");

  const CHIPS = ["level", "state", "group", "status"];
  const CHOICES = ["tool", "condition", "rule"];
  const chips = (name) => select(`[name=${name}]`, form);
  const checked = (name) => chips(name).filter((chip) => chip.checked);
  const textOf = (item) => (item.text ??= item.element.textContent.toLowerCase());
  const asked = () => {
    const by = { text: form.elements.text.value.trim().toLowerCase().split(/\s+/).filter(Boolean) };
    for (const name of CHOICES) by[name] = form.elements[name]?.value ?? "";
    for (const name of CHIPS) by[name] = new Set(checked(name).map((chip) => chip.value));
    return by;
  };
  // No chip of a kind, or no value of a field, means all.
  const among = (chosen, value) => chosen.size === 0 || chosen.has(value);
  const is = (chosen, value) => !chosen || chosen === value;
  const hasText = (item, words) => words.every((word) => textOf(item).includes(word));
  const isFinding = (finding, by) =>
    among(by.level, finding.level) &&
    among(by.state, finding.state) &&
    is(by.rule, finding.rule) &&
    finding.places.some(
      ([tool, condition, group]) => is(by.tool, tool) && is(by.condition, condition) && among(by.group, group),
    ) &&
    hasText(finding, by.text);
  const isCase = (item, by) =>
    (!by.tool || item.tools.includes(by.tool)) &&
    is(by.condition, item.condition) &&
    among(by.group, item.group) &&
    among(by.status, item.status) &&
    hasText(item, by.text);

  const show = (items, isWanted) => {
    let count = 0;
    for (const item of items) {
      const isShown = isWanted(item);
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
    const counts = [`${left} of ${findings.length} findings`];
    if (cases.length > 0) {
      counts.push(`${show(cases, (item) => isCase(item, by))} of ${cases.length} cases`);
    }
    form.querySelector("output").textContent = counts.join(", ");
    const none = document.querySelector(".none");
    if (none) none.hidden = left > 0;
    mark(by);
    keep();
    return left;
  };

  // The filter is kept in the address, by names: a link to it means the same in the next report.
  const KEPT = "#filter:";
  const nameOf = (chip) => (chip.name === "group" ? chip.nextElementSibling.textContent : chip.value);
  const keep = () => {
    const kept = new URLSearchParams();
    const text = form.elements.text.value;
    if (text) kept.set("text", text);
    for (const name of CHOICES) {
      const field = form.elements[name];
      if (field?.value) kept.set(name, field.selectedOptions[0].text);
    }
    for (const name of CHIPS) for (const chip of checked(name)) kept.append(name, nameOf(chip));
    const to = kept.size > 0 ? KEPT + kept : "";
    if (to || location.hash.startsWith(KEPT)) history.replaceState(null, "", to || location.pathname + location.search);
  };
  // Sets the fields as the address says; false if it has no filter.
  const recall = () => {
    if (!location.hash.startsWith(KEPT)) return false;
    const kept = new URLSearchParams(location.hash.slice(KEPT.length));
    form.elements.text.value = kept.get("text") ?? "";
    for (const name of CHOICES) {
      const field = form.elements[name];
      if (!field) continue;
      field.value = Array.from(field.options).find((option) => option.text === kept.get(name))?.value ?? "";
    }
    for (const name of CHIPS) for (const chip of chips(name)) chip.checked = kept.getAll(name).includes(nameOf(chip));
    return true;
  };

  // The matrix: a cell, a row and a column each stand for a filter.
  const meant = (link) => {
    const cell = link.parentElement;
    const table = cell.closest("table");
    const head = table.tHead.rows[0].cells[cell.cellIndex];
    return { tool: cell.parentElement.dataset.n ?? "", by: table.dataset.by, column: head.dataset.n ?? "" };
  };
  const mark = (by) => {
    select(".matrix [aria-current]").forEach((link) => link.removeAttribute("aria-current"));
    for (const table of matrices) {
      const name = table.dataset.by;
      const of = name === "group" ? (by.group.size === 1 ? [...by.group][0] : "") : by[name];
      if (!of && (!by.tool || name !== "group")) continue;
      const row = by.tool ? table.querySelector(`tbody tr[data-n="${by.tool}"]`) : table.tHead.rows[0];
      const head = of ? table.querySelector(`thead th[data-n="${of}"]`) : null;
      if (of && !head) continue;
      row?.cells[head ? head.cellIndex : 0]?.querySelector("a")?.setAttribute("aria-current", "true");
    }
  };
  const go = (heading) => {
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  };
  const choose = (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    const { tool, by, column } = meant(link);
    // The head of a group is a link to its conditions.
    if (by === "group" && !tool) return;
    event.preventDefault();
    form.reset();
    if (form.elements.tool) form.elements.tool.value = tool;
    if (by === "group") chips("group").forEach((chip) => (chip.checked = chip.value === column));
    else if (form.elements[by]) form.elements[by].value = column;
    const left = filter();
    const all = document.querySelector("details.all");
    if (left === 0 && all) {
      all.open = true;
      go(document.getElementById("cases"));
    } else {
      go(document.getElementById("findings"));
    }
  };
  // One stop of the Tab key for each table; the arrows lead on from there.
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const walk = (event) => {
    const link = event.target.closest("a");
    const step = steps[event.key];
    if (!link || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const table = link.closest("table");
    let [row, place] = [link.closest("tr").rowIndex, link.parentElement.cellIndex];
    let next = null;
    do {
      [row, place] = [row + step[0], place + step[1]];
      next = table.rows[row]?.cells[place];
    } while (next && !next.querySelector("a"));
    if (!next) return;
    link.tabIndex = -1;
    next.querySelector("a").tabIndex = 0;
    next.querySelector("a").focus();
  };
  // Says that a table has more columns than are in sight, and fades it at that edge.
  const edges = (region) => {
    const isWide = region.scrollWidth > region.clientWidth + 1;
    region.classList.toggle("cut", isWide && region.scrollLeft + region.clientWidth < region.scrollWidth - 1);
    region.previousElementSibling.hidden = !isWide;
  };

  const clear = () => {
    form.reset();
    filter();
  };
  // The target of a link may be folded, or left out by the filter.
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

  // A button beside each text that is worth copying, made when it is first in sight.
  const copyable = (within) => {
    for (const text of select("pre.copy", within)) {
      text.classList.remove("copy");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      const title = text.closest("dd")?.previousElementSibling?.textContent;
      button.setAttribute("aria-label", title ? `Copy: ${title}` : "Copy");
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(text.textContent);
          button.textContent = "Copied";
          setTimeout(() => (button.textContent = "Copy"), 1_500);
        } catch {
          // Where the browser forbids it, the text is selected at least.
          getSelection().selectAllChildren(text);
        }
      });
      const both = document.createElement("div");
      both.className = "copied";
      text.replaceWith(both);
      both.append(text, button);
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
    m: () => matrices[0]?.querySelector('a[tabindex="0"]')?.focus(),
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

  // On paper every finding that the filter leaves is open, also in browsers without `::details-content`.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = select(".f:not([open], [hidden])");
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

  select("details[open], section > .list").forEach(copyable);
  document.addEventListener("toggle", (event) => copyable(event.target), true);
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
  form.elements.open?.addEventListener("click", () => shown().forEach((finding) => (finding.open = true)));
  form.elements.close?.addEventListener("click", () => shown().forEach((finding) => (finding.open = false)));
  form.elements.theme.addEventListener("click", turn);
  select(".hint").forEach((hint) => (hint.hidden = false));
  for (const table of matrices) {
    select("a", table).forEach((link, index) => (link.tabIndex = index === 0 ? 0 : -1));
    table.addEventListener("click", choose);
    table.addEventListener("keydown", walk);
  }
  for (const region of select(".scroll")) {
    const cue = document.createElement("p");
    cue.className = "sideways";
    cue.textContent = "Scroll sideways for more columns →";
    region.before(cue);
    new ResizeObserver(() => edges(region)).observe(region);
    region.addEventListener("scroll", () => edges(region), { passive: true });
    edges(region);
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
