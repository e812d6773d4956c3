"""An argument that is missing: one sentence, or a validator's list."""

from pathlib import Path


def served(server):
    @server.tool
    def read_file(path: str) -> str:
        return Path(path).read_text()


def faulty(server):
    served(server)


def fixed(server):
    # the fix:
    from fastmcp.exceptions import ToolError, ValidationError
    from fastmcp.server.middleware import Middleware

    class OwnWords(Middleware):  # for every tool of the server
        async def on_call_tool(self, context, call_next):
            try:
                return await call_next(context)
            except ValidationError as error:
                faults = error.__cause__.errors()  # pydantic's
                told = [f"Parameter '{'.'.join(map(str, fault['loc']))}': {fault['msg']}." for fault in faults]
                advice = f"Read the schema of '{context.message.name}' again."
                raise ToolError(" ".join([*told, advice])) from error

    server.add_middleware(OwnWords())
    # the end of the fix
    served(server)
