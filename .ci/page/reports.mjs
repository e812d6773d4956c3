// The reports that are looked at: each kind of thing that the page shows, from real runs of the program.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// What a server may send to get out of the place where it is shown.
const HOSTILE = [
  "<script>document.title='taken'</script>",
  "<img src=x onerror=\"document.title='taken'\">",
  "</pre></details><style>*{display:none}</style>",
  "\" autofocus onfocus=\"document.title='taken'",
  "--><svg onload=\"document.title='taken'\">",
  "&lt;b&gt; \u202eturned \u001b[31m",
  "a".repeat(3000),
];

// Each report's file, by the name of what it is of; of few cases alone where that is to be quick.
export function reports(harness, scratch, artefacts, isQuick) {
  const page = (name) => join(artefacts, `${name}.html`);
  const work = join(scratch, "work");
  mkdirSync(work, { recursive: true });
  const run = (codes, ...words) => {
    const environment = { ...process.env, INSTA_UPDATE: "auto", CI: "" };
    const ran = spawnSync(harness, words, { cwd: work, env: environment, encoding: "utf8", timeout: 120_000 });
    if (!codes.includes(ran.status)) throw new Error(`${words.join(" ")}: exit ${ran.status}: ${ran.stderr}`);
  };
  const server = (...defects) => {
    const words = "serve --workdir {workspace} --allow-dir {workspace} --max-file-size 65536 --task-limit 10";
    return ["--", harness, ...words.split(" "), ...defects.flatMap((defect) => ["--defect", defect])];
  };

  const few = isQuick ? ["--filter", "{read,replace}/*"] : [];
  run([1], "run", "--quiet", ...few, "--report", `html=${page("defects")}`, ...server("message/hint-missing"));
  if (!isQuick) {
    run([0], "run", "--quiet", "--bundled", "--filter", "read/*", "--report", `html=${page("clean")}`);
    run([0, 1, 4], "fuzz", "--quiet", "--seed", "1", "--duration", "12s", "--report", `html=${page("campaign")}`,
      ...server("leak/stack-trace/rust"));
  }

  if (!isQuick) run([3], "run", "--quiet", "--report", `html=${page("failed")}`, "--", join(work, "no-such-server"));

  // An accepted text that differs from what the server says today.
  const texts = join(work, "texts");
  const snapshots = ["run", "--quiet", "--bundled", "--filter", "read/*", "--snapshots", texts];
  run([0, 1], ...snapshots);
  execFileSync(harness, ["snapshots", "accept", texts]);
  for (const name of readdirSync(texts).filter((name) => name.endsWith(".snap")).slice(0, 3)) {
    const file = join(texts, name);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, [...lines.slice(0, -1), lines.at(-1).replace(/\w+(?=\W*$)/, "otherwise"), ""].join("\n"));
  }
  run([1], ...snapshots, "--report", `html=${page("texts")}`);

  const pairs = HOSTILE.map((text, index) => ({
    case: `hostile/${index}${text.slice(0, 60)}`,
    request: { jsonrpc: "2.0", id: index, method: "tools/call", params: { name: text.slice(0, 80), arguments: { text } } },
    response: { jsonrpc: "2.0", id: index, result: { isError: true, content: [{ type: "text", text: `panic: ${text}` }] } },
  }));
  const recorded = join(work, "hostile.jsonl");
  writeFileSync(recorded, pairs.map((pair) => JSON.stringify(pair)).join("\n"));
  run([1], "judge", recorded, "--report", `html=${page("hostile")}`);
  copyFileSync(recorded, join(artefacts, "hostile.jsonl"));

  const names = ["defects", "texts", "hostile", ...(isQuick ? [] : ["clean", "campaign", "failed"])];
  return Object.fromEntries(names.map((name) => [name, page(name)]));
}
