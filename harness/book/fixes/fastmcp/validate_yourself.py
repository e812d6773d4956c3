"""Arguments that do not fit: one sentence for each fault, or a validator's list."""

import notes


def faulty(server):
    notes.add_to(server)


def fixed(server):
    # the fix:
    import json

    import pydantic
    from fastmcp.exceptions import ToolError, ValidationError
    from fastmcp.server.middleware import Middleware

    class OwnWords(Middleware):  # for every tool of the server, whose parameters keep their types
        async def on_call_tool(self, context, call_next):
            try:
                return await call_next(context)
            except (ValidationError, pydantic.ValidationError) as error:
                report = error if isinstance(error, pydantic.ValidationError) else error.__cause__
                if not isinstance(report, pydantic.ValidationError):
                    raise
                told = " ".join(sentence(fault) for fault in report.errors())
                raise ToolError(f"[INVALID_INPUT] {told}") from error  # the code, if yours have one

    def sentence(fault):
        name = ".".join(map(str, fault["loc"]))
        if fault["type"].startswith("missing"):
            return f"Parameter '{name}' is missing. Send it."
        sent = json.dumps(fault["input"], ensure_ascii=False, default=str)  # as the caller wrote it
        return f"Parameter '{name}': {fault['msg']}. You sent {sent:.80}: correct it."

    server.add_middleware(OwnWords())
    # the end of the fix
    notes.add_to(server)
