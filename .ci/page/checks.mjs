// What a report has to do in a browser.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const WIDTHS = [390, 1280];
const SCHEMES = ["light", "dark"];
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
      if (width === WIDTHS[1] || name === "defects") await accessible(page, axe, `${name}, ${width} px, ${colorScheme}`);
      await close();
    }
  }
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
export async function behaviour(browser, pages) {
  await filters(browser, pages.defects);
  await matrix(browser, pages.defects);
  await links(browser, pages.defects);
  await keyboard(browser, pages.defects);
  await paper(browser, pages.defects);
  for (const [name, parts] of [["campaign", ".course polyline"], ["texts", ".pair del"], ["texts", ".pair ins"]]) {
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
  const clear = async () => {
    await page.getByRole("button", { name: "Clear" }).click();
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
  const musts = await page.locator(".f.must").count();
  await page.getByLabel("Should").uncheck();
  await page.getByLabel("Note").uncheck();
  await settled(page);
  check((await visible(page)) === musts, "levels do not filter");
  await clear();
  await field("state").selectOption("known");
  await settled(page);
  check((await visible(page)) === 0 && (await page.locator(".none").isVisible()), "states do not filter");
  await clear();
  const words = (await page.locator(".f .m").last().textContent()).trim();
  await field("text").fill(words.toUpperCase());
  await settled(page);
  check((await visible(page)) >= 1, "a finding's own words do not find it");
  await field("text").fill("no such words are in it");
  await settled(page);
  check((await visible(page)) === 0, "words that nothing has find something");
  await page.keyboard.press("Escape");
  await settled(page);
  check((await visible(page)) === all, "Escape does not clear the filter");
  check((await page.evaluate(() => location.hash)) === "", "a filter that was cleared stays in the address");
  await page.getByLabel("Should").uncheck();
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
  check(!(await page.getByLabel("Should").isChecked()), `${link} forgets the levels`);
  check((await page.evaluate(() => location.hash)) === link, `${link} does not stay`);
  await close();
}

async function matrix(browser, file) {
  const { page, close } = await open(browser, file);
  const all = await page.locator(".f").count();
  const cell = page.locator(".matrix td.failed a, .matrix td.warned a").first();
  const count = Number.parseInt(await cell.textContent(), 10);
  await cell.click();
  check((await visible(page)) === count, `a cell of ${count} leaves ${await visible(page)} findings`);
  check((await cell.getAttribute("aria-current")) === "true", "the chosen cell is not marked");
  await page.locator(".matrix td.passed a").first().click();
  check((await visible(page)) === 0 && (await page.locator(".cases tbody tr:not([hidden])").count()) > 0, "no case");
  await page.locator(".matrix tbody th a").first().click();
  const tool = await page.locator(".matrix tbody th a").first().textContent();
  const chosen = await page.locator("[name=tool] option:checked").textContent();
  check(tool === chosen, `the row ${tool} chooses ${chosen}`);
  await page.locator(".matrix thead th a").first().click();
  check((await page.locator("[name=condition]").inputValue()) !== "", "a column chooses no condition");
  check((await visible(page)) <= all, "too many");
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
  const place = last.locator('.places a[href^="#c"]').first();
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

// On paper every finding stands open, and the filter is left out.
async function paper(browser, file) {
  for (const javaScriptEnabled of [true, false]) {
    const { page, close } = await open(browser, file, { javaScriptEnabled });
    await page.emulateMedia({ media: "print" });
    if (javaScriptEnabled) await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    check(await page.locator(".f").nth(1).locator("pre").first().isVisible(), "a finding is closed on paper");
    check((await page.locator("form.filter:visible").count()) === 0, "the filter is printed");
    const pdf = await page.pdf({ format: "A4" });
    check(pdf.length > 20_000, `${pdf.length} bytes of paper`);
    await close();
  }
}

// A report of 10,000 findings: the findings of a real one, again and again, each with a name of its own.
export async function many(browser, file, path) {
  const source = readFileSync(file, "utf8");
  const [start, end] = ['<div class="findings">\n', '</div>\n<p class="none"'];
  const [from, to] = [source.indexOf(start) + start.length, source.indexOf(end)];
  const findings = source.slice(from, to).replaceAll(" open>", ">").split(/(?=<details class="f )/);
  const copies = Array.from({ length: 10_000 }, (_, index) => {
    const copy = findings[index % findings.length].replace("</summary>", ` number${index}</summary>`);
    return index < findings.length ? copy : copy.replace(/id="f-/, `id="n${index}-`).replace(/"#f-/g, `"#n${index}-`);
  });
  writeFileSync(path, source.slice(0, from) + copies.join("") + source.slice(to));
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
