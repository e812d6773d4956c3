"""`server.py FIX faulty|fixed ROOT`: a server with the tools of one file, with the fault or with the lines that fix it."""

import asyncio
import importlib
import inspect
import sys

from mcp.server import MCPServer
from mcp.server.stdio import stdio_server

_, fix, which, root = sys.argv
made = getattr(importlib.import_module(fix), which)
if "server" in inspect.signature(made).parameters:
    server = MCPServer("notes")
    made(*[{"server": server, "root": root}[name] for name in inspect.signature(made).parameters])
    server.run()
else:

    async def main():
        low_level = made()
        async with stdio_server() as streams:
            await low_level.run(*streams, low_level.create_initialization_options())

    asyncio.run(main())
