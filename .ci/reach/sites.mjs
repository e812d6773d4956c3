// The error sites of JavaScript files, and which of them V8's coverage counts: `throw` statements, the first statement
// of each `catch` body, and lines marked with `// site`.
//   node sites.mjs MODULES COVERAGE_DIR FILE...      prints JSON: a list of {file, line, kind, text, hit}
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, coverage, ...files] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "node_modules/"));
const acorn = require("acorn");
const walk = require("acorn-walk");

function sitesOf(file) {
  const source = fs.readFileSync(file, "utf8");
  const marks = new Set();
  const tree = acorn.parse(source, {
    ecmaVersion: "latest", sourceType: "module", locations: true, allowHashBang: true,
    onComment: (block, text, start, end, from) => {
      if (!block && /^\s*site\b/.test(text)) marks.add(from.line);
    },
  });
  const sites = new Map();
  const add = (kind, node) => {
    if (sites.has(node.start)) return;
    const text = source.slice(node.start, node.end).split("\n")[0];
    sites.set(node.start, { file, line: node.loc.start.line, kind, at: node.start, text });
  };
  const marked = new Map();
  walk.full(tree, (node) => {
    if (node.type === "ThrowStatement") add("throw", node);
    if (node.type === "CatchClause" && node.body.body.length > 0) add("catch", node.body.body[0]);
    if (/Statement$/.test(node.type) && node.type !== "BlockStatement" && marks.has(node.loc.end.line)) {
      // The innermost statement that ends on the marked line.
      const other = marked.get(node.loc.end.line);
      if (!other || node.start > other.start) marked.set(node.loc.end.line, node);
    }
  });
  for (const line of marks) {
    if (!marked.has(line)) throw new Error(`${file}:${line}: a mark, but no statement`);
    add("marked", marked.get(line));
  }
  return [...sites.values()].sort((a, b) => a.at - b.at);
}

const byUrl = new Map(files.map((file) => [pathToFileURL(fs.realpathSync(file)).href, sitesOf(file)]));
for (const name of fs.existsSync(coverage) ? fs.readdirSync(coverage) : []) {
  let report;
  try {
    report = JSON.parse(fs.readFileSync(path.join(coverage, name), "utf8"));
  } catch {
    continue; // cut off when its process was ended
  }
  for (const script of report.result) {
    for (const site of byUrl.get(script.url) ?? []) {
      let inner;
      for (const range of script.functions.flatMap((f) => f.ranges)) {
        if (range.startOffset <= site.at && site.at < range.endOffset
          && (!inner || range.endOffset - range.startOffset <= inner.endOffset - inner.startOffset)) inner = range;
      }
      if (inner?.count > 0) site.hit = true;
    }
  }
}
console.log(JSON.stringify([...byUrl.values()].flat().map(({ at, ...site }) => ({ ...site, hit: site.hit ?? false }))));
