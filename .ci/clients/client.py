#!/usr/bin/env python3
"""What the client of the Python SDK does with each recorded reply: client.py REPLIES COMMAND..., where the server is
started as COMMAND REPLIES ID. Writes one line of JSON for each reply to standard output.
"""

import json
import os
import sys
from datetime import timedelta
from importlib.metadata import version

import anyio
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

WAIT = 6
AT_ONCE = 8
FIRST = version("mcp").startswith("1.")


class Cancelled(Exception):
    """The caller gave up."""


def failure(error):
    """What an exception says; of a group the first one that is none."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, Cancelled):
        return {"did": "gives up"}
    told = getattr(error, "error", None)
    if isinstance(error, TimeoutError):
        return {"did": "waits"}
    if getattr(told, "code", None) in (408, -32001) and "imed out" in str(error):
        return {"did": "waits"}
    seen = {"did": "throws", "type": type(error).__name__, "words": str(error)}
    if told is not None:
        seen |= {"code": told.code, "data": told.data}
    return seen


async def ask(session, entry):
    seconds = entry.get("wait", WAIT)
    wait = timedelta(seconds=seconds) if FIRST else seconds
    match entry.get("ask", "call"):
        case "resource":
            return await session.read_resource("city://atlantis")
        case "prompt":
            return await session.get_prompt("play")
        case "cancelled":
            with anyio.move_on_after(0.3):
                return await session.call_tool("play", {})
            raise Cancelled
        case _:
            return await session.call_tool("play", {}, read_timeout_seconds=wait)


async def observe_within(session, entry, seen, told):
    try:
        await session.initialize()
        await session.list_tools()
    except Exception as error:
        seen |= failure(error) | {"did": "refuses the list"}
    else:
        try:
            with anyio.fail_after(entry.get("wait", WAIT) + 1):
                result = await ask(session, entry)
            result = result.model_dump(mode="json", by_alias=True, exclude_unset=True)
            seen |= {"did": "passes", "result": result}
        except Exception as error:
            seen |= failure(error)
    seen["told"] = list(told)
    try:
        with anyio.fail_after(WAIT):
            seen["next"] = (await session.call_tool("next", {})).content[0].text
    except Exception:
        seen["next"] = "fails"


async def observe(entry, replies, command):
    seen, told = {"id": entry["id"]}, []

    async def handle(message):
        if isinstance(message, Exception):
            told.append(str(message))

    parameters = StdioServerParameters(command=command[0], args=[*command[1:], replies, entry["id"]])
    try:
        with open(os.devnull, "w") as nowhere:
            async with stdio_client(parameters, errlog=nowhere) as (reader, writer):
                async with ClientSession(reader, writer, message_handler=handle) as session:
                    await observe_within(session, entry, seen, told)
    except Exception as error:
        # The connection itself broke: what was seen before counts.
        seen |= {key: value for key, value in failure(error).items() if key not in seen}
        seen["next"] = "fails"
    sys.stdout.write(json.dumps(seen) + "\n")
    sys.stdout.flush()


async def main(replies, *command):
    with open(replies, encoding="ascii") as lines:
        entries = iter([json.loads(line) for line in lines])

    async def work():
        for entry in entries:
            await observe(entry, replies, command)

    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(work)


anyio.run(main, *sys.argv[1:])
