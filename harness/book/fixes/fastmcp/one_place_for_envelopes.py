"""A file that is not there: as the object that the contract wants, or as a text."""

import json
from pathlib import Path

from fastmcp.exceptions import ToolError


def faulty(server):
    @server.tool
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise ToolError(f"There is no file '{path}'. List its folder.")
        return Path(path).read_text()


def fixed(server):
    # the fix:
    from fastmcp.tools import ToolResult

    RETRYABLE = {"FILE_NOT_FOUND", "MATCH_NOT_FOUND"}  # where another input may work

    def refusal(code: str, message: str, file_path: str, hints: list[str]) -> ToolResult:
        error = dict(success=False, error_code=code, message=message, retryable=code in RETRYABLE,
                     recovery_hints=hints, file_path=file_path)
        return ToolResult(content=json.dumps(error), structured_content=error, is_error=True)

    @server.tool
    def read_file(path: str) -> ToolResult:
        if not Path(path).is_file():
            return refusal("FILE_NOT_FOUND", f"There is no file '{path}'.", path, ["List the folder of 'path' first."])
        return ToolResult(content=Path(path).read_text())
    # the end of the fix
