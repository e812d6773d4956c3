"""`server.py FIX faulty|fixed ROOT`: a server with the tools of one file, with the fault or with the lines that fix it."""

import importlib
import inspect
import sys

from mcp.server import MCPServer

_, fix, which, root = sys.argv
made = getattr(importlib.import_module(fix), which)
takes = inspect.signature(made).parameters
if takes:
    server = MCPServer("notes")
    made(*[{"server": server, "root": root}[name] for name in takes])
else:  # a fix of the server itself
    server = made()
server.run()
