#!/usr/bin/env python3
"""Judges ten public servers with `mcp-errconf matrix`, and writes the page of the book that shows the table.

The servers are installed below the cache folder, as the lock files beside this one say. It fails where a server is not installed
or does not run, never because of what was found. Standard library only; cargo, npm and Python's `venv` install.
"""

import argparse
import collections
import datetime
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "harness/book/src/guides/ten-public-servers.md"
# One exit code that `matrix` has where every server was judged: 0, 1 (findings) and 4 (nothing to judge).
JUDGED = (0, 1, 4)
# Name in `matrix.toml` -> the package, where it is locked, what it does, upon what it is written.
SERVERS = {
    "filesystem": ("@modelcontextprotocol/server-filesystem", "npm", "files below a folder", "TypeScript SDK"),
    "memory": ("@modelcontextprotocol/server-memory", "npm", "a graph of knowledge, kept in a file", "TypeScript SDK"),
    "sequential-thinking": ("@modelcontextprotocol/server-sequential-thinking", "npm", "thoughts in a row", "TypeScript SDK"),
    "commands": ("mcp-server-commands", "npm", "runs commands", "TypeScript SDK"),
    "time": ("mcp-server-time", "python-2", "time zones", "Python SDK 2"),
    "fetch": ("mcp-server-fetch", "python-2", "pages by HTTP", "Python SDK 2"),
    "git": ("mcp-server-git", "python-2", "repositories", "Python SDK 2"),
    "sqlite": ("mcp-server-sqlite", "python-1", "a database", "Python SDK 1"),
    "excel": ("excel-mcp-server", "python-2", "workbooks", "Python SDK 2"),
    "rust-filesystem": ("rust-mcp-filesystem", "rust", "files below a folder", "rust-mcp-sdk"),
}
RUST = ("rust-mcp-filesystem", "0.4.5")


def installed(folder, wanted, install):
    """Installs anew where the folder has something else than what is wanted."""
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        install(folder)
        stamp.write_text(wanted)


def install(cache):
    def python(requirements):
        def into(folder):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            pip = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, "--requirement", requirements], check=True)
        return into

    for number in (1, 2):
        requirements = HERE / f"requirements-{number}.txt"
        installed(cache / f"python-{number}", requirements.read_text(), python(requirements))

    def node(folder):
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"], cwd=folder, check=True)

    def rust(folder):
        # Its own lock file comes with the package.
        subprocess.run(["cargo", "install", "--quiet", "--locked", "--root", folder, f"{RUST[0]}@{RUST[1]}"], check=True)

    installed(cache / "node", (HERE / "package-lock.json").read_text(), node)
    installed(cache / "rust", RUST[1], rust)
    shutil.copy(HERE / "matrix.toml", cache)


def version(name):
    """The version of a server's package, by its lock."""
    package, kind, *_ = SERVERS[name]
    if kind == "rust":
        return RUST[1]
    if kind == "npm":
        return json.loads((HERE / "package-lock.json").read_text())["packages"][f"node_modules/{package}"]["version"]
    lines = (HERE / f"requirements-{kind[-1]}.txt").read_text().splitlines()
    (locked,) = [line.partition("==")[2] for line in lines if line.startswith(f"{package}==")]
    return locked


def judged(harness, cache):
    """The table as Markdown, its rows, and each server's report."""
    reports = cache / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    call = [harness, "matrix", "matrix.toml", "--keep", "reports", "--report", "markdown=table.md", "--report", "json=table.json"]
    code = subprocess.run(call, cwd=cache, stdin=subprocess.DEVNULL).returncode
    rows = json.loads((cache / "table.json").read_text())["servers"]
    if wrong := [f"{row['name']}: {row['why']}" for row in rows if row["exit_code"] not in JUDGED]:
        sys.exit("FAILED: not judged: " + "; ".join(wrong))
    if code not in JUDGED or {row["name"] for row in rows} != set(SERVERS):
        sys.exit(f"FAILED: exit code {code}, servers {[row['name'] for row in rows]}")
    return (cache / "table.md").read_text(), rows, [json.loads((cache / row["report"]).read_text()) for row in rows]


def of_servers(rows, reports):
    lines = ["| server | package | what it does, written upon | tools | error replies |", "|---|---|---|---:|---:|"]
    for row, report in zip(rows, reports):
        package, _, does, upon = SERVERS[row["name"]]
        lines.append(f"| `{row['name']}` | {package} {version(row['name'])} | {does}; {upon} | {len(report['tools'])} | "
                     f"{report['summary']['error_replies']} |")
    return "\n".join(lines)


def of_rules(reports):
    """In how many servers each rule found something, the most frequent first; rules of one server alone are left out."""
    met = collections.defaultdict(set)
    for at, report in enumerate(reports):
        for finding in report["findings"]:
            met[finding["rule"], finding["level"]].add(at)
    counted = sorted(met.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    lines = ["| rule | level | servers |", "|---|---|---:|"]
    lines += [f"| [{rule}](../rules/{rule}.md) | {level.capitalize()} | {len(found)} |"
              for (rule, level), found in counted if len(found) > 1]
    return "\n".join(lines)


def page(harness, table, rows, reports):
    told = subprocess.run([harness, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    of = sum(row["mended"]["of"] for row in rows)
    held = sum(row["mended"]["one"] + row["mended"]["two"] for row in rows)
    confined = sum("driven" in (report["server"].get("second") or {}) for report in reports)
    confined = "All of them" if confined == len(rows) else f"{confined} of the {len(rows)}"
    fields = {
        "DATE": datetime.date.today().isoformat(),
        "VERSION": told,
        "SYSTEM": "Linux" if sys.platform == "linux" else sys.platform,
        "CONFINED": confined,
        "TABLE": table.strip(),
        "SERVERS": of_servers(rows, reports),
        "RULES": of_rules(reports),
        "FIXABLE": f"{held:,} of {of:,}",
        "REPLIES": f"{sum(report['summary']['error_replies'] for report in reports):,}",
    }
    text = (HERE / "page.md").read_text()
    for name, value in fields.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--harness", required=True, type=Path, help="the program")
    parser.add_argument("--page", type=Path, default=PAGE, help="where to write the page [default: where the book has it]")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--cache", type=Path, default=target / "scorecard", help="for what is installed, and the reports")
    given = parser.parse_args()
    harness, cache = given.harness.resolve(), given.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    install(cache)
    given.page.write_text(page(harness, *judged(harness, cache)))
    print(f"the scorecard: {given.page}; the reports: {cache / 'reports'}")


if __name__ == "__main__":
    main()
