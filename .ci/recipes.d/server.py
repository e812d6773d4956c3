"""A server of one tool, whose error replies say nothing: what the recipes have to fail on. Standard library only."""

import json, sys
TOOL = {"name": "look_up", "description": "Looks a word up.", "annotations": {"readOnlyHint": True},
        "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method, result = asked.get("method"), {}
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bare", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [TOOL]}
    elif method == "tools/call":
        word = (asked["params"].get("arguments") or {}).get("word")
        known = isinstance(word, str) and word.isalpha()
        result = {"content": [{"type": "text", "text": word if known else "It failed."}], "isError": not known}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
