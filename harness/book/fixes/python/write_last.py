"""A text to replace that is not there: the file as it was, or emptied."""

import os
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError


def faulty(server):
    @server.tool()
    def str_replace(path: str, old_str: str, new_str: str) -> str:
        text = Path(path).read_text()
        with open(path, "w") as file:
            if text.count(old_str) != 1:
                raise ToolError(f"'{old_str}' must occur once in '{path}'. Read it again.")
            file.write(text.replace(old_str, new_str))
        return "Replaced."


def fixed(server):
    # the fix:
    @server.tool()
    def str_replace(path: str, old_str: str, new_str: str) -> str:
        text = Path(path).read_text()
        if text.count(old_str) != 1:
            raise ToolError(f"'{old_str}' must occur once in '{path}'. Read it again.")
        Path(f"{path}.new").write_text(text.replace(old_str, new_str))
        os.replace(f"{path}.new", path)
        return "Replaced."
    # the end of the fix
