"""The crates as `cargo publish` uploads them."""

import re
import shutil

from common import LICENCES, ROOT, run

MEMBERS = {"conformance-cases": "mcp-errconf-cases", "reference-server": "mcp-errconf-reference",
           "harness/crates/second-reader": "mcp-errconf-second-reader", "harness/crates/model": "mcp-errconf-model", "harness/crates/reading": "mcp-errconf-reading",
           "harness/crates/rules": "mcp-errconf-rules", "harness/crates/report": "mcp-errconf-report",
           "harness": "mcp-errconf"}


def sources(release, folder):
    """Lays the tracked files out in a folder, with a licence in each crate and, if it is known, the repository's
    address."""
    for name in filter(None, run("git", "ls-files", "-z").split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for member in MEMBERS:
        for licence in LICENCES:
            shutil.copy(ROOT / licence, folder / member / licence)
        manifest = folder / member / "Cargo.toml"
        text = manifest.read_text(encoding="utf-8")
        if release.repository:
            text = re.sub(r"^\[package\]\n", f'[package]\nrepository = "{release.repository}"\n', text)
        manifest.write_text(text, encoding="utf-8", newline="\n")


def make(release, folder, scratch):
    tree, target = scratch / "sources", scratch / "package"
    sources(release, tree)
    members = [word for package in MEMBERS.values() for word in ("--package", package)]
    # Not built once more: the binaries were built from the same sources, and the test of the packages installs them.
    run("cargo", "package", "--quiet", "--locked", "--no-verify", *members, "--target-dir", str(target), cwd=tree)
    made = []
    for package in MEMBERS.values():
        file = folder / f"{package}-{release.version}.crate"
        shutil.copy(target / "package" / file.name, file)
        made.append(file)
    return made
