"""The program, built for one target."""

import os
import re
import shutil
from pathlib import Path

from common import ROOT, run


class Impossible(Exception):
    """Why the program cannot be built for a target on this machine."""


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
        return folder / "release" / release.name
    if Path(run("rustc", "--print", "target-libdir", "--target", target)).is_dir():
        run(*cargo, "--target", target)
    elif target == "x86_64-unknown-linux-musl" and shutil.which("apt-get"):
        run(str(ROOT / ".ci/release.d/debian-musl"), *cargo[1:], "--target-dir", str(folder / "debian-musl"))
        folder /= "debian-musl"
    else:
        raise Impossible(f"its standard library is not installed (`rustup target add {target}`)")
    return folder / target / "release" / release.name
