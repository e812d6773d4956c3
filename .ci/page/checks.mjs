// What a report has to do in a browser.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const WIDTHS = [390, 1280];
const SCHEMES = ["light", "dark"];
// No column of text is narrower, in pixels, on a screen of 1280; and no page longer, beside its findings, as long as nothing
// but the first of these is open.
const NARROWEST = 120;
const LONGEST = 5_000;
const FINDING = 100;
// Sheets of paper for twenty findings, and characters in a line.
const SHEETS = 10;
const CHARACTERS = 90;
// How long 10,000 findings may take, in milliseconds, on a machine that is busy with other things.
const RENDERED = 10_000;
const FILTERED = 2_000;

export function check(holds, what) {
  if (!holds) throw new Error(what);
}

// Opens a page that fails the test where it asks for anything but itself, or complains.
async function open(browser, file, { fragment = "", ...settings } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
  const page = await context.newPage();
  const troubles = [];
  const url = pathToFileURL(file).href;
  page.on("request", (request) => request.url().split("#")[0] !== url && troubles.push(`asks for ${request.url()}`));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(String(error)));
  await page.goto(url + fragment);
  const close = async () => {
    check(troubles.length === 0, `${file}: ${troubles.join("\n")}`);
    await context.close();
  };
  return { page, close };
}

// Beside the page itself: links, width, accessibility, in both schemes; screenshots are kept.
export async function looks(browser, { name, file, axe, artefacts }) {
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      const viewport = { width, height: 900 };
      const { page, close } = await open(browser, file, { colorScheme, viewport, reducedMotion: "reduce" });
      check(!(await page.title()).startsWith("taken"), `${name}: a server's words ran`);
      const dangling = await page.evaluate(() =>
        [...document.querySelectorAll("a")]
          .map((link) => link.getAttribute("href"))
          .filter((href) => !href?.startsWith("#") || !document.getElementById(href.slice(1))),
      );
      check(dangling.length === 0, `${name}: links lead nowhere: ${dangling.slice(0, 5)}`);
      const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((element) => element.id));
      check(new Set(ids).size === ids.length, `${name}: an id stands twice`);
      await page.screenshot({ path: join(artefacts, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      const findings = await page.locator(".f").count();
      check(width < 1000 || height <= LONGEST + FINDING * findings, `${name}: ${height} px long though its cases are folded`);
      // Closed parts count too.
      await page.evaluate(() => document.querySelectorAll("details").forEach((closed) => (closed.open = true)));
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(over <= 0, `${name}: ${over} px too wide at ${width} px`);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll("body *")]
          .filter((element) => !element.closest(".scroll, .skip, .vh, svg"))
          .filter((element) => element.getClientRects().length > 0)
          .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
          .map((element) => element.outerHTML.slice(0, 120)),
      );
      check(cut.length === 0, `${name}: too wide at ${width} px: ${cut.slice(0, 3).join("\n")}`);
      if (width === WIDTHS[1]) await readable(page, name);
      else await orderly(page, name);
      if (width === WIDTHS[1] || name === "defects") await accessible(page, axe, `${name}, ${width} px, ${colorScheme}`);
      await close();
    }
  }
}

// Columns wide enough, lines short enough, and no sign of another markup.
async function readable(page, name) {
  await page.evaluate(() => document.querySelectorAll(".f").forEach((it) => (it.style.contentVisibility = "visible")));
  const narrow = await page.evaluate(
    (least) =>
      [...document.querySelectorAll(".list th, .list td, .b dd, .b pre")]
        .filter((element) => element.getClientRects().length > 0 && element.getBoundingClientRect().width < least)
        .map((element) => `${Math.round(element.getBoundingClientRect().width)} px: ${element.outerHTML.slice(0, 100)}`),
    NARROWEST,
  );
  check(narrow.length === 0, `${name}: narrow columns: ${narrow.slice(0, 3).join("\n")}`);
  const long = await page.evaluate((most) => {
    const lineOf = (element) => {
      const lines = new Map();
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      while (texts.nextNode()) {
        for (let at = 0; at < texts.currentNode.length; at += 1) {
          range.setStart(texts.currentNode, at);
          range.setEnd(texts.currentNode, at + 1);
          const rect = range.getClientRects()[0];
          const line = Math.round(rect?.bottom / 8);
          if (rect) lines.set(line, (lines.get(line) ?? "") + texts.currentNode.data[at]);
        }
      }
      // Blanks at the end of a line hang beyond it.
      return Math.max(0, ...[...lines.values()].map((line) => line.trimEnd().length));
    };
    return [...document.querySelectorAll("p, h3, pre, section > ul > li")]
      .filter((element) => element.textContent.length > most && element.textContent.length < 2_000)
      .slice(0, 40)
      .map((element) => [lineOf(element), element.textContent.slice(0, 60)])
      .filter(([longest]) => longest > most);
  }, CHARACTERS);
  check(long.length === 0, `${name}: long lines: ${JSON.stringify(long.slice(0, 3))}`);
  if (name === "hostile") return;
  const raw = await page.evaluate(() =>
    [...document.querySelectorAll("p, h1, h3, dd, td, li, summary")].flatMap((element) =>
      [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE && /`|(?<!\\)\\n/.test(node.data))
        .map((node) => node.data.slice(0, 100)),
    ),
  );
  check(raw.length === 0, `${name}: raw marks in a text: ${JSON.stringify(raw.slice(0, 3))}`);
}

// On a small screen findings come first, then what filters them.
async function orderly(page, name) {
  const order = [".columns > div", ".columns > form", ".matrices"];
  const tops = await page.evaluate(
    (order) => order.map((part) => document.querySelector(part)?.getBoundingClientRect().top).filter((top) => top !== undefined),
    order,
  );
  check(tops.every((top, at) => at === 0 || top > tops[at - 1]), `${name}: ${order} stand at ${tops}`);
}

async function accessible(page, axe, name) {
  // The page's policy forbids a foreign script; the driver's own world may run one.
  await page.evaluate(axe);
  // What is out of sight is not laid out, and axe-core would take it for something that lies over another.
  await page.evaluate(() => document.querySelectorAll(".f").forEach((it) => (it.style.contentVisibility = "visible")));
  const violations = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.length}: ${nodes[0].html.slice(0, 200)}: ${nodes[0].failureSummary}`);
  });
  check(violations.length === 0, `${name}: axe-core: ${violations.join("\n")}`);
}

// Without script all is there, nothing that needs one is shown, and a link opens what it leads to.
export async function withoutScript(browser, { name, file }) {
  const { page, close } = await open(browser, file, { javaScriptEnabled: false });
  check((await page.locator("form.filter:visible").count()) === 0, `${name}: a filter that does nothing is shown`);
  const findings = await page.locator(".f").count();
  check((await page.locator(".f > summary:visible").count()) === findings, `${name}: findings are hidden`);
  const told = readFileSync(file, "utf8").match(/<details class="f /g)?.length ?? 0;
  check(findings === told, `${name}: ${findings} findings of ${told}`);
  if (findings > 1) {
    const id = await page.locator(".b").nth(1).getAttribute("id");
    await page.goto(`${pathToFileURL(file).href}#${id}`);
    check(await page.locator(`#${id}`).isVisible(), `${name}: a link does not open its finding`);
  }
  await close();
}

// Once the timers of the page are through that wait until somebody has typed.
const settled = (page) => page.evaluate(() => new Promise((done) => setTimeout(done, 150)));
const visible = (page) => page.locator(".f:not([hidden])").count();
const told = (page) => page.locator("form.filter output").textContent();

// Filters, matrix, links, keys, paper.
export async function behaviour(browser, pages, artefacts) {
  await filters(browser, pages.defects);
  await matrix(browser, pages.defects);
  await links(browser, pages.defects);
  await copies(browser, pages.defects);
  await keyboard(browser, pages.defects);
  await paper(browser, pages.defects, artefacts);
  for (const [name, parts] of [["texts", ".pair del"], ["texts", ".pair ins"]]) {
    if (!pages[name]) continue;
    const { page, close } = await open(browser, pages[name]);
    check((await page.locator(parts).count()) > 0, `${name}: there is no ${parts}`);
    await close();
  }
}

async function filters(browser, file) {
  const { page, close } = await open(browser, file);
  const all = await page.locator(".f").count();
  check(all > 3, `${all} findings are too few to filter`);
  const field = (name) => page.locator(`form.filter [name=${name}]`);
  const chip = (name) => page.locator(".chip").filter({ hasText: name });
  const clear = async () => {
    await page.getByRole("button", { name: "Clear filter" }).click();
    await page.waitForFunction((all) => document.querySelectorAll(".f:not([hidden])").length === all, all);
  };
  for (const name of ["rule", "tool", "condition"]) {
    const values = await field(name).locator("option").evaluateAll((options) => options.map((option) => option.value));
    let left = 0;
    for (const value of values.slice(1)) {
      await field(name).selectOption(value);
      await settled(page);
      left = Math.max(left, await visible(page));
      check((await told(page)).startsWith(`${await visible(page)} of ${all} findings`), "the count is wrong");
    }
    check(left > 0 && left <= all, `${name}: ${left} of ${all}`);
    await clear();
  }
  // Each chip by itself, and two of one kind together.
  const sums = {};
  for (const one of await page.locator(".chip").all()) {
    const name = await one.locator("input").getAttribute("name");
    await one.click();
    await settled(page);
    const left = await visible(page);
    sums[name] = (sums[name] ?? 0) + left;
    if (name === "level") check(left === Number(await one.locator("b").textContent()), `a chip leaves ${left} findings`);
    await clear();
  }
  check(sums.level === all && sums.group > 0, `chips: ${JSON.stringify(sums)} of ${all}`);
  const [musts, shoulds] = [await page.locator(".f.must").count(), await page.locator(".f.should").count()];
  await chip("Should").click();
  await settled(page);
  check((await visible(page)) === shoulds, "a level's chip does not filter");
  if (musts > 0) {
    await chip("Must").click();
    await settled(page);
    check((await visible(page)) === musts + shoulds, "two chips do not leave both");
  }
  await clear();
  const words = (await page.locator(".f .m").last().textContent()).trim();
  await field("text").fill(words.toUpperCase());
  await settled(page);
  check((await visible(page)) >= 1, "a finding's own words do not find it");
  await field("text").fill("no such words are in it");
  await settled(page);
  check((await visible(page)) === 0 && (await page.locator(".none").isVisible()), "words that nothing has find something");
  await page.keyboard.press("Escape");
  await settled(page);
  check((await visible(page)) === all, "Escape does not clear the filter");
  check((await page.evaluate(() => location.hash)) === "", "a filter that was cleared stays in the address");
  await chip("Should").click();
  await field("tool").selectOption({ index: 1 });
  await settled(page);
  const [link, left] = [await page.evaluate(() => location.hash), await visible(page)];
  await close();
  await kept(browser, file, link, left);
}

// A filter is kept in the address, and a page that is opened with it shows the same.
async function kept(browser, file, link, left) {
  const { page, close } = await open(browser, file, { fragment: link });
  await settled(page);
  check(link.startsWith("#filter:"), `no filter in the address: ${link}`);
  check((await visible(page)) === left, `${link} shows ${await visible(page)} findings, not ${left}`);
  check(await page.locator("[name=level][value=should]").isChecked(), `${link} forgets the level`);
  check((await page.evaluate(() => location.hash)) === link, `${link} does not stay`);
  await close();
}

async function matrix(browser, file) {
  const { page, close } = await open(browser, file);
  const all = await page.locator(".f").count();
  const groups = page.locator(".matrix[data-by=group]");
  const cell = groups.locator("td.failed a, td.warned a").first();
  const count = Number.parseInt(await cell.textContent(), 10);
  await cell.click();
  check((await visible(page)) === count, `a cell of ${count} leaves ${await visible(page)} findings`);
  check((await cell.getAttribute("aria-current")) === "true", "the chosen cell is not marked");
  await groups.locator("td.passed a").first().click();
  check((await visible(page)) === 0 && (await page.locator(".cases tbody tr:not([hidden])").count()) > 0, "no case");
  await groups.locator("tbody th a").first().click();
  const tool = await groups.locator("tbody th a").first().textContent();
  const chosen = await page.locator("[name=tool] option:checked").textContent();
  check(tool === chosen, `the row ${tool} chooses ${chosen}`);
  const head = groups.locator("thead th a").first();
  await head.click();
  const group = page.locator(`details:has(> ${await head.getAttribute("href")})`);
  check((await group.getAttribute("open")) !== null, "the head of a group does not open it");
  await group.locator(".matrix thead th a").first().click();
  check((await page.locator("[name=condition]").inputValue()) !== "", "a column chooses no condition");
  check((await visible(page)) <= all, "too many");
  await close();
  const narrow = await open(browser, file, { viewport: { width: 390, height: 900 } });
  check(await narrow.page.locator(".sideways").first().isVisible(), "nothing says that the matrix goes on");
  check((await narrow.page.locator(".scroll.cut").count()) > 0, "the matrix does not fade where it goes on");
  await narrow.page.locator(".scroll").first().evaluate((it) => it.scrollTo(it.scrollWidth, 0));
  await narrow.page.waitForFunction(() => !document.querySelector(".scroll").classList.contains("cut"));
  await narrow.close();
}

// The texts of a finding go to the clipboard as they stand there.
async function copies(browser, file) {
  const { page, close } = await open(browser, file, { permissions: ["clipboard-read", "clipboard-write"] });
  const finding = page.locator(".f").last();
  await finding.evaluate((finding) => (finding.open = true));
  for (const name of ["Call", "Reply", "Fix"]) {
    check(await finding.locator("dt").filter({ hasText: new RegExp(`^${name}$`) }).isVisible(), `a finding has no ${name}`);
  }
  const button = finding.getByRole("button", { name: "Copy: Call" });
  await button.click();
  const text = await finding.locator("dd pre").first().textContent();
  check((await page.evaluate(() => navigator.clipboard.readText())) === text, "the call is not copied");
  await close();
}

// A link to a finding opens it, also where the filter has left it out.
async function links(browser, file) {
  const { page, close } = await open(browser, file);
  const last = page.locator(".f").last();
  const id = await last.locator(".b").getAttribute("id");
  await page.locator("[name=text]").fill("no such words are in it");
  await settled(page);
  await page.evaluate((id) => (location.hash = id), id);
  await settled(page);
  check(await last.locator(".b").isVisible(), "a link to a hidden finding does not show it");
  const rule = last.locator('a[href^="#r-"]');
  const target = await rule.getAttribute("href");
  await rule.click();
  check(await page.locator(target).isVisible(), "the link to the rule does not open its page");
  await last.evaluate((finding) => (finding.open = true));
  const place = last.locator('.plain a[href^="#c"]').first();
  const row = await place.getAttribute("href");
  await place.click();
  check(await page.locator(row).isVisible(), "the link to the case does not show it");
  await close();
  const opened = await open(browser, file);
  await opened.page.goto(`${pathToFileURL(file).href}#${id}`);
  await opened.page.reload();
  check(await opened.page.locator(`#${id}`).isVisible(), "an address with a finding does not open it");
  await opened.close();
}

async function keyboard(browser, file) {
  const { page, close } = await open(browser, file);
  const focused = (selector) => page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector);
  await page.keyboard.press("Tab");
  check(await focused(".skip a"), "the first stop is not the way to the findings");
  await page.keyboard.press("Enter");
  check(await focused("#findings"), "the way to the findings does not lead there");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  check(await page.locator(".f").nth(1).locator("summary").first().evaluate((it) => it === document.activeElement), "j");
  await page.keyboard.press("Enter");
  check(await page.locator(".f").nth(1).locator(".b").isVisible(), "Enter does not open a finding");
  await page.keyboard.press("k");
  check(await page.locator(".f").first().locator("summary").first().evaluate((it) => it === document.activeElement), "k");
  await page.keyboard.press("m");
  check(await focused(".matrix a"), "m does not lead to the matrix");
  await page.keyboard.press("ArrowDown");
  check(await focused(".matrix tbody a"), "the arrows do not move in the matrix");
  await page.keyboard.press("Tab");
  check(!(await focused(".matrix a")), "the matrix has more than one stop");
  await page.keyboard.press("/");
  check(await focused("[name=text]"), "/ does not lead to the text");
  await page.keyboard.type("jx/");
  check((await page.locator("[name=text]").inputValue()) === "jx/", "keys act while a text is typed");
  await page.keyboard.press("Escape");
  await page.locator(".filter details summary").click();
  await page.locator("[name=keys]").uncheck();
  await page.locator("#findings").focus();
  await page.keyboard.press("j");
  check(await focused("#findings"), "keys act though they are turned off");
  await close();
}

// On paper there are the summary and the findings, open and in short: twenty of them on few sheets.
async function paper(browser, file, artefacts) {
  const path = join(artefacts, "twenty.html");
  multiplied(file, path, 20);
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await open(browser, path, { javaScriptEnabled });
    await page.emulateMedia({ media: "print" });
    if (javaScriptEnabled) await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    check(await page.locator(".f").nth(1).locator("pre").first().isVisible(), "a finding is closed on paper");
    check((await page.locator("form.filter:visible, .matrices:visible, .cases:visible").count()) === 0, "too much is printed");
    const pdf = await page.pdf({ format: "A4", path: join(artefacts, "twenty.pdf") });
    const sheets = pdf.toString("latin1").match(/\/Type *\/Page\b/g)?.length ?? 0;
    check(sheets > 1 && sheets <= SHEETS, `${sheets} sheets of paper for 20 findings`);
    await close();
  }
}

// Writes a report of so many findings: those of a real one, again and again, each with a name of its own.
function multiplied(file, path, count) {
  const source = readFileSync(file, "utf8");
  const [start, end] = ['<div class="findings">', '</div><p class="none"'];
  const [from, to] = [source.indexOf(start) + start.length, source.indexOf(end)];
  check(from > start.length && to > from, "there are no findings to multiply");
  const findings = source.slice(from, to).replaceAll(" open>", ">").split(/(?=<details class="f )/);
  const copies = Array.from({ length: count }, (_, index) => {
    const copy = findings[index % findings.length].replace("</summary>", ` number${index}</summary>`);
    return index < findings.length ? copy : copy.replace(/id="f-/, `id="n${index}-`).replace(/"#f-/g, `"#n${index}-`);
  });
  writeFileSync(path, source.slice(0, from) + copies.join("") + source.slice(to));
}

// A report of 10,000 findings is quick.
export async function many(browser, file, path) {
  multiplied(file, path, 10_000);
  const { page, close } = await open(browser, path);
  const first = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  const whole = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  check((await page.locator(".f").count()) === 10_000, "not all findings are there");
  const timed = (act, argument) =>
    page.evaluate(
      async ([act, argument]) => {
        const form = document.querySelector("form.filter");
        const began = performance.now();
        if (act === "text") form.elements.text.value = argument;
        else form.elements[act].selectedIndex = argument;
        form.elements[act === "text" ? "rule" : act].dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((done) => setTimeout(done));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now() - began;
      },
      [act, argument],
    );
  const times = {
    "by rule": await timed("rule", 1),
    "back to all": await timed("rule", 0),
    "by a text, the first time": await timed("text", "number99"),
    "by a text, again": await timed("text", "number77"),
  };
  check((await visible(page)) === 111, `${await visible(page)} findings have that text`);
  const size = (statSync(path).size / 1e6).toFixed(1);
  const shown = Object.entries(times).map(([what, time]) => `${what} ${Math.round(time)} ms`);
  console.log(
    `10,000 findings (${size} MB): first paint ${Math.round(first)} ms, all of it ${Math.round(whole)} ms; ` +
      `filtered ${shown.join(", ")}`,
  );
  check(first < RENDERED && whole < RENDERED, "10,000 findings are slow to be shown");
  check(Object.values(times).every((time) => time < FILTERED), "10,000 findings are slow to be filtered");
  await close();
}
