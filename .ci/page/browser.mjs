#!/usr/bin/env node
// The HTML report in a browser: reports of real runs are opened in headless Chromium, and each is held to what the page
// promises: filters and links work, nothing is fetched, axe-core finds nothing in light and in dark, columns are wide enough
// and lines short enough, nothing is wider than a telephone, twenty findings print on ten sheets, the keyboard suffices, and
// 10,000 findings stay quick.
//
// `browser.mjs --harness PROGRAM [--quick] [--artefacts DIR] [REPORT.html..]`. Chromium is installed where it is missing
// (Debian's, by root), what drives it is installed, pinned, below `target/`. `--quick` makes the reports of fewer cases, and
// no campaign. With `--artefacts` reports and screenshots are kept. Reports that are named are looked at as well.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { reports } from "./reports.mjs";
import { behaviour, looks, many, withoutScript } from "./checks.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const { values: options, positionals: named } = parseArgs({
  options: { harness: { type: "string" }, quick: { type: "boolean" }, artefacts: { type: "string" } },
  allowPositionals: true,
});
if (!options.harness) throw new Error("give the program with --harness");

function chromium() {
  const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const found = () => places.find((place) => existsSync(place));
  if (!found()) {
    const quiet = { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    execFileSync("apt-get", ["update", "-qq"], quiet);
    execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"], quiet);
  }
  return found();
}

// The packages, in a folder below `target/`, where they stay until the lock file changes.
function install() {
  const folder = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "page");
  const stamp = join(folder, "installed");
  const lock = readFileSync(join(here, "package-lock.json"), "utf8");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
    mkdirSync(folder, { recursive: true });
    for (const name of ["package.json", "package-lock.json"]) cpSync(join(here, name), join(folder, name));
    const npm = ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync("npm", npm, { stdio: ["ignore", "ignore", "inherit"] });
    writeFileSync(stamp, lock);
  }
  return createRequire(join(folder, "package.json"));
}

const began = Date.now();
const program = chromium();
const require = install();
const { chromium: driver } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const scratch = mkdtempSync(join(tmpdir(), "mcp-errconf-page-"));
const artefacts = options.artefacts ? resolve(options.artefacts) : scratch;
mkdirSync(artefacts, { recursive: true });
let browser;
try {
  const pages = reports(resolve(options.harness), scratch, artefacts, options.quick ?? false);
  for (const file of named) pages[file.replace(/^.*\/|\.html$/g, "")] = resolve(file);
  console.log(`reports written: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  // Root has no sandbox of the browser's to go into; what is opened was written here.
  browser = await driver.launch({ executablePath: program, args: ["--no-sandbox"] });
  for (const [name, file] of Object.entries(pages)) {
    const start = Date.now();
    await looks(browser, { name, file, axe, artefacts });
    await withoutScript(browser, { name, file });
    console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  }
  await behaviour(browser, pages, artefacts);
  await many(browser, pages.defects, join(artefacts, "many.html"));
  console.log(`the page holds: ${Object.keys(pages).length} reports, ${((Date.now() - began) / 1000).toFixed(1)} s`);
} finally {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
}
