"""A store that does not answer: given up after a while, or waited for without end."""

import asyncio
from pathlib import Path

from mcp.server.mcpserver.exceptions import ToolError

async def fetched(path: str) -> str:
    """Stands for a store that answers when there is something, and else keeps the caller waiting."""
    while not Path(path).is_file():
        await asyncio.sleep(0.05)
    return Path(path).read_text()


def faulty(server):
    @server.tool()
    async def read_file(path: str) -> str:
        return await fetched(path)


def fixed(server):
    # the fix:
    @server.tool()
    async def read_file(path: str) -> str:
        try:
            async with asyncio.timeout(0.8):
                return await fetched(path)
        except TimeoutError as error:
            told = f"The store did not answer for '{path}' within 0.8 s. Check the path, or try again later."
            raise ToolError(told) from error
    # the end of the fix
