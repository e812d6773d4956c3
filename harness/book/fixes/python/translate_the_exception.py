"""A file that cannot be read: told in words of one's own, or in those of Python."""

import logging
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

log = logging.getLogger(__name__)


def faulty(server):
    @server.tool()
    def read_file(path: str) -> str:
        try:
            return Path(path).read_text()
        except OSError as error:
            raise ToolError(str(error)) from error


def fixed(server):
    # the fix:
    @server.tool()
    def read_file(path: str) -> str:
        try:
            return Path(path).read_text()
        except FileNotFoundError as error:
            cause, raw = "does not exist", error
        except IsADirectoryError as error:
            cause, raw = "is a folder", error
        except OSError as error:
            log.exception("read_file %s", path)  # whole, on standard error
            cause, raw = "cannot be read", error
        raise ToolError(f"'{path}' {cause}. List its folder to see which files there are.") from raw
    # the end of the fix
