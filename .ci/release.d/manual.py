"""Man pages and completions, as the program itself writes them: the same on every platform."""

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from common import run


@cache
def pages(binary):
    """Names below `man/` and `completions/`, with what they hold. A program for another machine does not run here: then one is
    built that does."""
    with TemporaryDirectory() as folder:
        try:
            run(str(binary), "manual", folder)
        except (OSError, subprocess.CalledProcessError):
            run("cargo", "run", "--quiet", "--locked", "--package", "mcp-errconf", "--", "manual", folder)
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}
