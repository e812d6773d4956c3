"""The program, built for one target."""

import os
import re
import shutil
from pathlib import Path

from common import ROOT, executable, run


class Impossible(Exception):
    """Why the program cannot be built for a target on this machine."""


# Builds with Debian's own compiler, where rustup has no standard library for a target.
DEBIAN = {"x86_64-unknown-linux-musl": "debian-musl", "x86_64-pc-windows-gnu": "debian-windows"}


def host():
    return re.search(r"^host: (\S+)$", run("rustc", "-vV"), re.MULTILINE).group(1)


def usual_targets():
    """This machine's own target; on Linux also the static one, which needs no particular libc."""
    own = host()
    static = own.removesuffix("-gnu") + "-musl"
    return [own, static] if own.endswith("-linux-gnu") else [own]


def binary(target, release):
    """Where the program is that was built for a target."""
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    cargo = ["cargo", "build", "--release", "--locked", "--package", release.name]
    if target == host():
        run(*cargo)
        return folder / "release" / executable(release, target)
    script = ROOT / ".ci/release.d" / DEBIAN.get(target, "")
    if Path(run("rustc", "--print", "target-libdir", "--target", target)).is_dir():
        run(*cargo, "--target", target)
    elif script.is_file() and shutil.which("apt-get"):
        folder /= script.name
        run(str(script), *cargo[1:], "--target-dir", str(folder))
    else:
        raise Impossible(f"its standard library is not installed (`rustup target add {target}`)")
    return folder / target / "release" / executable(release, target)
