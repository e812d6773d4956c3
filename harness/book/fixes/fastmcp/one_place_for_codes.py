"""A file that is not there: with its code, or without."""

from enum import StrEnum
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
    # `ToolError` is `fastmcp.exceptions.ToolError`.
    class Code(StrEnum):
        NOT_FOUND = "PATH_NOT_FOUND"
        INPUT = "INVALID_INPUT"

    class Refusal(ToolError):  # its text is sent as it is
        def __init__(self, code: Code, message: str):
            super().__init__(f"[{code}] {message}")

    @server.tool
    def read_file(path: str) -> str:
        if not Path(path).is_file():
            raise Refusal(Code.NOT_FOUND, f"There is no file '{path}'. List its folder.")
        return Path(path).read_text()
    # the end of the fix
