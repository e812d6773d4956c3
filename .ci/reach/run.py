#!/usr/bin/env python3
"""Which share of a server's error sites the harness reaches: runs it against each server under coverage.

Standard library only; what it measures with and on is installed, pinned, below the cache folder.
"""

import argparse
import ast
import io
import json
import os
import shutil
import subprocess
import sys
import time
import tokenize
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODES = {
    "run": ["run"],
    "run-off": ["run", "--confine", "off"],
    "run-on": ["run", "--confine", "on"],
    "fuzz": ["fuzz"],
}
OWN = ("notes", "tools")
# Not the harness, but calls that somebody wrote who had the server's source: what can be reached at all, more or less.
HAND = "hand"


def servers(cache):
    """Name -> language, command, environment, and the files whose sites count."""
    v1, v2, v3, node = cache / "v1", cache / "v2", cache / "v3", cache / "node"
    packages = node / "node_modules" / "@modelcontextprotocol"
    tasks = node / "node_modules" / "@kazuph" / "mcp-taskmanager" / "dist" / "index.js"

    def python(venv, package):
        (folder,) = venv.glob(f"lib/python3*/site-packages/{package}")
        return sorted(folder.rglob("*.py"))

    def javascript(name):
        return sorted((packages / name / "dist").rglob("*.js"))

    return {
        "notes": ("python", [v1 / "bin/python", HERE / "servers/notes.py"], {}, [HERE / "servers/notes.py"]),
        "tools": ("node", ["node", node / "tools.mjs", "{workspace}"], {"WEATHER_URL": "{upstream}"},
                  [node / "tools.mjs"]),
        "sqlite": ("python", [v1 / "bin/mcp-server-sqlite", "--db-path", "{workspace}/data.db"], {},
                   python(v1, "mcp_server_sqlite")),
        "git": ("python", [v2 / "bin/mcp-server-git"], {}, python(v2, "mcp_server_git")),
        "excel": ("python", [v2 / "bin/excel-mcp-server", "stdio", "--allow-dir", "{workspace}"], {},
                  python(v2, "excel_mcp")),
        "csv": ("python", [v3 / "bin/mcp-csv-database"], {}, python(v3, "mcp_csv_database")),
        "maths": ("python", [v2 / "bin/math-mcp-learning-server"], {}, python(v2, "math_mcp")),
        "fetch": ("python", [v3 / "bin/mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips"],
                  {"SERVICE": "{upstream}"}, python(v3, "mcp_server_fetch")),
        "tasks": ("node", ["node", tasks], {"TASK_MANAGER_FILE_PATH": "{workspace}/tasks.json"}, [tasks]),
        "filesystem": ("node", ["node", packages / "server-filesystem/dist/index.js", "{workspace}"], {},
                       javascript("server-filesystem")),
        "memory": ("node", ["node", packages / "server-memory/dist/index.js"],
                   {"MEMORY_FILE_PATH": "{workspace}/memory.json"}, javascript("server-memory")),
    }


def install(cache):
    for venv in ("v1", "v2", "v3"):
        requirements = f"requirements-{venv[1:]}.txt"
        stamp = cache / venv / "installed"
        wanted = (HERE / requirements).read_text()
        if not stamp.exists() or stamp.read_text() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", cache / venv], check=True)
            pip = [cache / venv / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, "--requirement", HERE / requirements], check=True)
            stamp.write_text(wanted)
        # Starts coverage in each process of the venv that is told to.
        (site,) = (cache / venv).glob("lib/python3*/site-packages")
        shutil.copy(HERE / "reach_hook.py", site / "reach_hook.py")
        start = "import os; os.environ.get('COVERAGE_PROCESS_START') and __import__('reach_hook')\n"
        (site / "reach.pth").write_text(start)
    node = cache / "node"
    node.mkdir(parents=True, exist_ok=True)
    stamp, wanted = node / "installed", (HERE / "package-lock.json").read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, node / name)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel", "error"], cwd=node, check=True)
        stamp.write_text(wanted)
    # A module finds its packages in the folders above it.
    shutil.copy(HERE / "servers/tools.mjs", node / "tools.mjs")


def python_sites(files):
    sites = []
    for file in files:
        source = file.read_text()
        lines = source.splitlines()
        found = {}

        def add(kind, node):
            simple = not hasattr(node, "body")
            span = range(node.lineno, (node.end_lineno if simple else node.lineno) + 1)
            found.setdefault(node.lineno, (kind, span))

        marks = {
            token.start[0] for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT and token.string.lstrip("# ").split(" ")[0] == "site"
        }
        marked = {}
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Raise):
                add("raise", node)
            if isinstance(node, ast.ExceptHandler):
                add("except", node.body[0])
            if isinstance(node, ast.stmt) and node.end_lineno in marks:
                if node.end_lineno not in marked or node.lineno >= marked[node.end_lineno].lineno:
                    marked[node.end_lineno] = node
        for node in marked.values():
            add("marked", node)
        for line, (kind, span) in sorted(found.items()):
            text = lines[line - 1].strip()
            sites.append({"file": str(file), "line": line, "kind": kind, "text": text, "span": span})
    return sites


def python_hits(venv, data, sites):
    """Judges with the venv's own coverage which sites were executed."""
    code = (
        "import coverage, glob, json, os, sqlite3, sys\n"
        "lines = {}\n"
        "for name in glob.glob(sys.argv[1] + '/data*'):\n"
        "    one = coverage.CoverageData(name)\n"
        "    try:\n"
        "        one.read()\n"
        "        found = {os.path.realpath(file): one.lines(file) or [] for file in one.measured_files()}\n"
        # Cut off when its process was ended.
        "    except (coverage.CoverageException, sqlite3.Error):\n"
        "        continue\n"
        "    for file, seen in found.items():\n"
        "        lines.setdefault(file, set()).update(seen)\n"
        "print(json.dumps({file: sorted(seen) for file, seen in lines.items()}))\n"
    )
    out = subprocess.run([venv / "bin/python", "-c", code, data], check=True, capture_output=True, text=True).stdout
    lines = {file: set(seen) for file, seen in json.loads(out).items()}
    return [not lines.get(os.path.realpath(site["file"]), set()).isdisjoint(site["span"]) for site in sites]


def node_sites(cache, data, files):
    call = ["node", HERE / "sites.mjs", cache / "node", data, *files]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def accepts(harness, option):
    return option in subprocess.run([harness, "run", "--help"], capture_output=True, text=True).stdout


def measuring(language, data, mode, files):
    """The environment in which a server writes down what is executed."""
    if language == "python":
        rc = data.parent / f"{mode}.coveragerc"
        rc.write_text(
            f"[run]\nparallel = true\nsigterm = true\ndata_file = {data}/data\ndisable_warnings = no-data-collected\n"
            "include =\n" + "".join(f"    {os.path.realpath(file)}\n" for file in files)
        )
        return {"COVERAGE_PROCESS_START": str(rc)}
    hook = shutil.copy(HERE / "hook.mjs", data.parent)
    return {"NODE_V8_COVERAGE": str(data), "NODE_OPTIONS": f"--import={Path(hook).as_uri()}"}


def drive(args, cache, name, mode, server, data, out):
    language, command, env, files = server
    work = out / "work"
    for folder in (data, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    measured = {**env, **measuring(language, data, mode, files)}
    config = out / "config.toml"
    pairs = ", ".join(f"{key} = {json.dumps(value)}" for key, value in measured.items())
    words = json.dumps([str(part) for part in command])
    config.write_text(f"[server]\ncommand = {words}\nenv = {{ {pairs} }}\n")
    call = [args.harness, *MODES[mode], "--config", config, "--seed", str(args.seed), "--contract", args.contract]
    if mode == "fuzz":
        call += ["--duration", args.duration]
    if mode != "run-off":
        for option, folder in (("--allow-write", data), ("--allow-read", data.parent)):
            if accepts(args.harness, option):
                call += [option, folder]
    call += ["--report", "human", "--report", f"json={out}/{mode}.json", "--quiet", "--color", "never"]
    start = time.monotonic()
    with open(out / f"{mode}.txt", "w") as text, open(out / f"{mode}.err", "w") as err:
        try:
            status = subprocess.run([str(part) for part in call], cwd=work, stdin=subprocess.DEVNULL,
                                    stdout=text, stderr=err, timeout=args.timeout).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    return status, time.monotonic() - start


def by_hand(name, server, data, out):
    """Sends the calls of hand/NAME.jsonl one after the other; answers the exit status of the server, and the seconds."""
    language, command, env, files = server
    work = out / "work"
    for folder in (data, work):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def put_in(text):
        return str(text).replace("{workspace}", str(work))

    surroundings = {**os.environ, **{key: put_in(value) for key, value in env.items()},
                    **measuring(language, data, HAND, files)}
    start = time.monotonic()
    server = subprocess.Popen([put_in(part) for part in command], cwd=work, env=surroundings, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(number, method, params):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        while number is not None:
            line = server.stdout.readline()
            if not line:
                raise SystemExit(f"{name}: the server ended at {method} {json.dumps(params)}")
            try:
                if json.loads(line).get("id") == number:
                    return
            except (ValueError, AttributeError):
                pass

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "hand", "version": "1"}}
    ask(0, "initialize", client)
    ask(None, "notifications/initialized", {})
    for number, line in enumerate((HERE / "hand" / f"{name}.jsonl").read_text().splitlines(), 1):
        call = json.loads(line.replace("{workspace}", str(work)))
        if "file" in call:
            (work / call["file"]).write_text(call["text"])
        elif "tool" in call:
            arguments = {key: call[key] for key in ("arguments",) if key in call}
            ask(number, "tools/call", {"name": call["tool"], **arguments})
        else:
            ask(number, call["method"], call["params"])
    server.stdin.close()
    server.stdout.close()
    return server.wait(timeout=30), time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--harness", required=True, type=Path, help="the binary to measure")
    parser.add_argument("--cache", type=Path, default=HERE / ".cache", help="for what is installed, and reports")
    parser.add_argument("--server", action="append", help="only this server; may be given several times")
    parser.add_argument("--modes", default="run,fuzz", help=f"comma separated, of {', '.join([*MODES, HAND])}; {HAND}: where there is a list of calls")
    parser.add_argument("--duration", default="20s", help="of a campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--contract", default="bracket-code")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run of the harness")
    parser.add_argument("--label", default="last", help="reports are kept in CACHE/out/LABEL/SERVER")
    parser.add_argument("--missed", action="store_true", help="list the sites that no mode reached")
    parser.add_argument("--json", type=Path, help="every site, and which modes reached it")
    args = parser.parse_args()
    args.harness, cache = args.harness.resolve(), args.cache.resolve()
    modes = args.modes.split(",")
    if unknown := [mode for mode in modes if mode not in MODES and mode != HAND]:
        parser.error(f"unknown mode {unknown[0]}")
    cache.mkdir(parents=True, exist_ok=True)
    install(cache)
    known = servers(cache)
    if unknown := [name for name in args.server or [] if name not in known]:
        parser.error(f"unknown server {unknown[0]}")

    result = []
    for name, server in known.items():
        if args.server and name not in args.server:
            continue
        language, command, _, files = server
        out = cache / "out" / args.label / name
        out.mkdir(parents=True, exist_ok=True)
        sites = python_sites(files) if language == "python" else node_sites(cache, "/nonexistent", files)
        runs = {}
        for mode in modes:
            data = out / "coverage" / mode
            if mode != HAND:
                status, seconds = drive(args, cache, name, mode, server, data, out)
            elif (HERE / "hand" / f"{name}.jsonl").exists():
                status, seconds = by_hand(name, server, data, out)
            else:
                continue
            if language == "python":
                hits = python_hits(Path(command[0]).parent.parent, data, sites)
            else:
                hits = [site["hit"] for site in node_sites(cache, data, files)]
            shutil.rmtree(data)
            for site, hit in zip(sites, hits):
                site.setdefault("reached", {})[mode] = hit
            runs[mode] = {"exit": status, "seconds": round(seconds, 1), "reached": sum(hits)}
            line = f"{name} {mode}: {sum(hits)} of {len(sites)}, exit {status}, {seconds:.0f} s"
            print(line, file=sys.stderr, flush=True)
        for site in sites:
            site.pop("span", None)
            site.pop("hit", None)
            site["file"] = os.path.relpath(site["file"], HERE if name == "notes" else cache)
        result.append({"server": name, "own": name in OWN, "sites": len(sites), "modes": runs, "list": sites})

    row = "{:<12} {:>5}" + " {:>9} {:>5}" * len(modes)
    print(row.format("server", "sites", *(cell for mode in modes for cell in (mode, "share"))))

    def tell(label, group):
        total = sum(server["sites"] for server in group)
        cells = []
        for mode in modes:
            measured = [server for server in group if mode in server["modes"]]
            if not measured:
                cells += ["-", "-"]
                continue
            reached = [server["modes"][mode]["reached"] for server in measured]
            # The mean over servers, as one of them may have more sites than all others together.
            share = sum(one / server["sites"] for one, server in zip(reached, measured)) / len(measured)
            cells += [sum(reached), f"{share:.2f}"]
        print(row.format(label, total, *cells))

    for server in result:
        tell(server["server"], [server])
    for label, own in (("own, mean", True), ("public, mean", False)):
        group = [server for server in result if server["own"] == own]
        if len(group) > 1:
            tell(label, group)
    if args.missed:
        for server in result:
            for site in server["list"]:
                if not any(site["reached"].values()):
                    print(f"missed: {server['server']} {site['file']}:{site['line']}: {site['text']}")
    if args.json:
        args.json.write_text(json.dumps({"schema_version": 1, "servers": result}, indent=1) + "\n")


if __name__ == "__main__":
    main()
