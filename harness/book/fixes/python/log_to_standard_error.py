"""A line for the log: on standard error, or between the messages of the protocol."""

import logging
import sys
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError


def faulty(server):
    print("The notes are loaded.", flush=True)

    @server.tool()
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise ToolError(f"No note at '{path}'. List its folder to see which there are.")
        return Path(path).read_text()


def fixed(server):
    # the fix:
    # `logging` writes to standard error; what is printed before the server runs goes to standard output.
    logging.basicConfig(stream=sys.stderr, level=logging.INFO)
    log = logging.getLogger("notes")
    log.info("The notes are loaded.")

    @server.tool()
    def read_file(path: str) -> str:
        log.info("reading %s", path)
        if not Path(path).is_file():
            raise ToolError(f"No note at '{path}'. List its folder to see which there are.")
        return Path(path).read_text()
    # the end of the fix
