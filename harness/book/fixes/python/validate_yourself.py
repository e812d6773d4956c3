"""Arguments that do not fit: one sentence for each fault, or a validator's list."""

from mcp.server.mcpserver import MCPServer

import notes


def faulty():
    server = MCPServer("notes")
    notes.add_to(server)
    return server


def fixed():
    # the fix:
    import json

    from mcp.server.mcpserver import MCPServer  # `mcp.server.fastmcp.FastMCP` before version 2
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import ValidationError

    class Server(MCPServer):  # for every tool of the server, whose parameters keep their types
        async def call_tool(self, name, arguments, *context):
            try:
                return await super().call_tool(name, arguments, *context)
            except ToolError as error:
                if not isinstance(error.__cause__, ValidationError):
                    raise
                told = " ".join(sentence(fault) for fault in error.__cause__.errors())
                raise ToolError(f"[INVALID_INPUT] {told}") from error  # the code, if yours have one

    def sentence(fault):
        name = ".".join(map(str, fault["loc"]))
        if fault["type"] == "missing":
            return f"Parameter '{name}' is missing. Send it."
        sent = json.dumps(fault["input"], ensure_ascii=False, default=str)  # as the caller wrote it
        return f"Parameter '{name}': {fault['msg']}. You sent {sent:.80}: correct it."

    server = Server("notes")
    # the end of the fix
    notes.add_to(server)
    return server
