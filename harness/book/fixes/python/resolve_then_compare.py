"""A path that leads out of the root: refused, or read."""

from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError


def faulty(server, root):
    @server.tool()
    def read_file(path: str) -> str:
        if not path.startswith(root):
            raise ToolError(f"'{path}' is outside '{root}'. Use a path in it.")
        return Path(path).read_text()


def fixed(server, root):
    # the fix:
    top = Path(root).resolve()

    @server.tool()
    def read_file(path: str) -> str:
        real = (top / path).resolve()
        if not real.is_relative_to(top):
            raise ToolError(f"'{path}' is outside '{root}'. Use a path in it.")
        return real.read_text()
    # the end of the fix
