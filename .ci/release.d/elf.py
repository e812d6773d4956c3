"""What a Linux binary asks of the machine that it runs on."""

import re

from common import run


def least_glibc(binary):
    """The lowest (major, minor) of glibc that has each symbol, or None for a static binary, which needs none."""
    if "(NEEDED)" not in run("readelf", "--dynamic", "--wide", str(binary)):
        return None
    needed = run("readelf", "--version-info", "--wide", str(binary))
    return max((int(major), int(minor)) for major, minor in re.findall(r"\bGLIBC_(\d+)\.(\d+)", needed))
