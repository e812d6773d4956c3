"""What a service answered: a line of it, or all."""

import logging
import re
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

ANSWER = f"<html><body>{'<p>The gateway is sorry.</p>' * 900}</body></html>"
log = logging.getLogger(__name__)


def faulty(server):
    @server.tool()
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise ToolError(f"No note at '{path}'. The store answered: {ANSWER} List its folder.")
        return Path(path).read_text()


def fixed(server):
    # the fix:
    def in_short(text: str) -> str:
        plain = re.sub(r"<[^>]*>", " ", text)
        return " ".join("".join(c if c.isprintable() else " " for c in plain).split())[:120]

    @server.tool()
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            log.info("the store answered %s", ANSWER)  # whole, on standard error
            raise ToolError(f"No note at '{path}'. The store answered: \"{in_short(ANSWER)}\". List its folder.")
        return Path(path).read_text()
    # the end of the fix
