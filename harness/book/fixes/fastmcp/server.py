"""`server.py FIX faulty|fixed ROOT`: a server on FastMCP with the tools of one file, with the fault or with the lines that fix it.

Where no file of that name lies here, the Python SDK's lines are FastMCP's too: they are run with its decorators and its
`ToolError`, which is imported from another place.
"""

import importlib
import inspect
import sys
from pathlib import Path

import fastmcp.exceptions

_, fix, which, root = sys.argv
sys.path.append(str(Path(__file__).parents[1] / "python"))
sys.modules["mcp.server.mcpserver.exceptions"] = fastmcp.exceptions
made = getattr(importlib.import_module(fix), which)
server = fastmcp.FastMCP("notes")
made(*[{"server": server, "root": root}[name] for name in inspect.signature(made).parameters])
server.run()
