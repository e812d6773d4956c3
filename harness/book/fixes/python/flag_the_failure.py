"""A note that is not there: told as an error, or as if it were a note."""

from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError


def faulty(server):
    @server.tool()
    def read_file(path: str) -> str:
        try:
            return Path(path).read_text()
        except OSError:
            return f"Error: no note at '{path}'. List the folder."


def fixed(server):
    # the fix:
    @server.tool()
    def read_file(path: str) -> str:
        try:
            return Path(path).read_text()
        except OSError as error:
            # The SDK makes a result with `isError` of it, with this text.
            raise ToolError(f"No note at '{path}'. List the folder to see which there are.") from error
    # the end of the fix
