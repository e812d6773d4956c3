#!/usr/bin/env python3
"""An MCP server on standard input and output that answers one request with a recorded reply: server.py REPLIES ID.

It has no SDK, so that a reply goes out as it was written down, byte for byte. The tool `play`, the resource `city://atlantis`
and the prompt `play` are answered with the reply; the tool `next` is answered as it should be.
"""

import json
import sys

ANSWERED = {"content": [{"type": "text", "text": "answered"}]}
PLAYED = {"tools/call": ("call", "cancelled"), "resources/read": ("resource",), "prompts/get": ("prompt",)}


def recorded(path, wanted):
    with open(path, encoding="ascii") as lines:
        return next(entry for entry in map(json.loads, lines) if entry["id"] == wanted)


def send(line, encoding="utf-8"):
    sys.stdout.buffer.write(line.encode(encoding, "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


def send_result(request, result):
    send(json.dumps({"jsonrpc": "2.0", "id": request, "result": result}))


def play(entry, request):
    """Sends the recorded reply to the request with this id."""
    if "lines" in entry:
        lines = [line.replace("{id}", str(request)) for line in entry["lines"]]
    else:
        kind = "error" if "error" in entry else "result"
        reply = json.dumps({"jsonrpc": "2.0", "id": request, kind: entry[kind]}, ensure_ascii=False)
        fill = json.dumps(entry.get("fill", "") * entry.get("times", 1))[1:-1]
        lines = [reply.replace("{fill}", fill)]
    for line in lines:
        send(line, entry.get("encoding", "utf-8"))


def tools(entry):
    schema = {"type": "object", "properties": {}}
    return [{"name": "play", "inputSchema": schema, **entry.get("tool", {})}, {"name": "next", "inputSchema": schema}]


def serve(entry):
    pending = None
    for line in sys.stdin:
        message = json.loads(line)
        method, request, params = message.get("method"), message.get("id"), message.get("params") or {}
        ask = entry.get("ask", "call")
        # Not every client tells that it gave up: then the next request does.
        if pending is not None:
            play(entry, pending)
            pending = None
        if method is None or request is None:
            continue
        if method == "initialize":
            offered = {"tools": {}, "resources": {}, "prompts": {}}
            send_result(request, {
                "protocolVersion": "2025-11-25",
                "capabilities": offered,
                "serverInfo": {"name": "recorded", "version": "1"},
            })
        elif method == "tools/list":
            send_result(request, {"tools": tools(entry)})
        elif method == "tools/call" and params.get("name") == "next":
            send_result(request, ANSWERED)
        elif ask in PLAYED.get(method, ()):
            if ask == "cancelled":
                pending = request
            else:
                play(entry, request)
        else:
            error = {"code": -32601, "message": f"Method not found: {method}"}
            send(json.dumps({"jsonrpc": "2.0", "id": request, "error": error}))


serve(recorded(*sys.argv[1:3]))
