"""A .deb of the program, built by dpkg-deb from a tree. Only for the targets that Debian names as architectures."""

import os
import shutil
import time

import elf
from common import ROOT, gzipped, run
from manual import pages

ARCHITECTURES = {"x86_64-unknown-linux-gnu": "amd64", "aarch64-unknown-linux-gnu": "arm64"}

# Where shells look for the completions of packages; the others have no such folder on Debian.
COMPLETIONS = {
    "completions/{}.bash": "usr/share/bash-completion/completions/{}",
    "completions/_{}": "usr/share/zsh/vendor-completions/_{}",
    "completions/{}.fish": "usr/share/fish/vendor_completions.d/{}.fish",
}

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: {name}

Files: *
Copyright: (c) {authors}
License: Expat or Apache-2.0

License: Expat
{expat}

License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
"""


def of_target(release, target, binary, folder, scratch):
    architecture = ARCHITECTURES.get(target)
    if architecture is None or shutil.which("dpkg-deb") is None:
        return []
    tree = scratch / "deb"
    doc = tree / "usr/share/doc" / release.name
    put(tree / "usr/bin" / release.name, binary.read_bytes(), 0o755)
    put(doc / "copyright", copyright_of(release).encode())
    put(doc / "changelog.Debian.gz", gzipped(changelog(release).encode()))
    put(doc / "README.md.gz", gzipped((ROOT / "README.md").read_bytes()))
    put(doc / "NEWS.md.gz", gzipped((ROOT / "CHANGELOG.md").read_bytes()))
    manual = pages(binary)
    for file, content in manual.items():
        if file.startswith("man/"):
            put(tree / f"usr/share/man/man1/{file.removeprefix('man/')}.gz", gzipped(content))
    for file, place in COMPLETIONS.items():
        put(tree / place.format(release.name), manual[file.format(release.name)])
    put(tree / "DEBIAN/control", control(release, architecture, binary, tree).encode())
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (release.time, release.time))
    file = folder / f"{release.name}_{release.version}-1_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "--build", "-Zxz", str(tree), str(file),
        env={"SOURCE_DATE_EPOCH": str(release.time)})
    return [file]


def put(path, content, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def control(release, architecture, binary, tree):
    major, minor = elf.least_glibc(binary)
    size = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file()) // 1024 + 1
    homepage = f"Homepage: {release.repository}\n" if release.repository else ""
    return f"""Package: {release.name}
Version: {release.version}-1
Architecture: {architecture}
Maintainer: {release.authors}
Installed-Size: {size}
Depends: libc6 (>= {major}.{minor}), libgcc-s1
Recommends: git
Section: devel
Priority: optional
{homepage}Description: {release.description.removeprefix("A ")}
 It starts any MCP server that speaks over standard input and output, makes
 its tools fail on purpose, and checks whether each error reply is flagged,
 has a stable code, says which value was wrong and what to do, leaks nothing
 about the server, and whether the failed call changed anything.
"""


def copyright_of(release):
    text = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").split("\n\n", 2)[2]
    expat = "\n".join(f" {line}" if line else " ." for line in text.rstrip().splitlines())
    return COPYRIGHT.format(name=release.name, authors=release.authors, expat=expat)


def changelog(release):
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(release.time))
    return (f"{release.name} ({release.version}-1) stable; urgency=medium\n\n"
            f"  * The changes are in NEWS.md.gz.\n\n -- {release.authors} <>  {date}\n")
