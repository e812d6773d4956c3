"""A file that is not there: which, and what now, or "Invalid request"."""

from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError


def faulty(server):
    @server.tool()
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise ToolError("Invalid request.")
        return Path(path).read_text()


def fixed(server):
    # the fix:
    @server.tool()
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise ToolError(f"No file has the 'path' '{path}'. Send a path that exists: list its folder to see which do.")
        return Path(path).read_text()
    # the end of the fix
