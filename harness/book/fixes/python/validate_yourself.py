"""An argument that is missing: one sentence, or a validator's list."""

from pathlib import Path

from mcp.server import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

class Arguments(BaseModel):
    path: str


async def listed(context, params):
    hints = ToolAnnotations(read_only_hint=True)
    tool = Tool(name="read_file", description="Reads a note", input_schema=Arguments.model_json_schema(), annotations=hints)
    return ListToolsResult(tools=[tool])


def result(text, is_error=False):
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


def faulty():
    async def called(context, params):
        try:
            arguments = Arguments.model_validate(params.arguments or {})
        except ValidationError as error:
            return result(str(error), is_error=True)
        return result(Path(arguments.path).read_text())

    return Server("notes", on_list_tools=listed, on_call_tool=called)


def fixed():
    # the fix:
    async def called(context, params):
        try:
            arguments = Arguments.model_validate(params.arguments or {})
        except ValidationError as error:
            told = [f"Parameter '{fault['loc'][0]}': {fault['msg']}." for fault in error.errors()]
            return result(f"{' '.join(told)} Send {{\"path\": \"the file's path\"}}.", is_error=True)
        return result(Path(arguments.path).read_text())

    return Server("notes", on_list_tools=listed, on_call_tool=called)
    # the end of the fix
