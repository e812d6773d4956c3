"""A file that is not there: with its code, or without."""

from enum import StrEnum
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent


def faulty(server):
    @server.tool()
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise ToolError(f"There is no file '{path}'. List its folder.")
        return Path(path).read_text()


def fixed(server):
    # the fix:
    class Code(StrEnum):
        NOT_FOUND = "PATH_NOT_FOUND"
        INPUT = "INVALID_INPUT"

    # Not a `ToolError`: the SDK writes words of its own before its text.
    def refusal(code: Code, message: str) -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text=f"[{code}] {message}")], is_error=True)

    @server.tool(structured_output=False)
    def read_file(path: str) -> str | CallToolResult:
        if not Path(path).is_file():
            return refusal(Code.NOT_FOUND, f"There is no file '{path}'. List its folder.")
        return Path(path).read_text()
    # the end of the fix
