"""A text to replace that is there three times: refused, or the first of them changed."""

from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError


def faulty(server):
    @server.tool()
    def str_replace(path: str, old_str: str, new_str: str) -> str:
        text = Path(path).read_text()
        Path(path).write_text(text.replace(old_str, new_str, 1))
        return "Replaced."


def fixed(server):
    # the fix:
    @server.tool()
    def str_replace(path: str, old_str: str, new_str: str) -> str:
        if not old_str:
            raise ToolError("'old_str' is empty. Send the text to replace.")
        text = Path(path).read_text()
        found = text.count(old_str)
        if found != 1:
            advice = "Send more of the lines around it." if found else "Read the file again."
            raise ToolError(f"'{old_str}' occurs {found} times in '{path}'; it must occur once. {advice}")
        Path(path).write_text(text.replace(old_str, new_str))
        return "Replaced."
    # the end of the fix
