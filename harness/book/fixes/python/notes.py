"""Six tools with parameters of many kinds, for the fix of what validation reports: what they publish must stay."""

from pathlib import Path
from typing import Annotated, Literal

from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

READS = ToolAnnotations(read_only_hint=True)
SAID = {"alpha": "The first note.", "beta": "The second note, about a garden."}


class Note(BaseModel):
    title: Annotated[str, Field(min_length=1, max_length=80)]
    tags: list[str] = []


def add_to(server):
    @server.tool(annotations=READS)
    def read_file(path: str) -> str:
        return Path(path).read_text()

    @server.tool(annotations=READS)
    def search_notes(query: str, limit: Annotated[int, Field(ge=1, le=50)] = 10, whole_words: bool = False) -> str:
        """Finds notes by a text."""
        found = [title for title, text in SAID.items() if query in (text.split() if whole_words else text)]
        return f"{len(found[:limit])} notes: {', '.join(found[:limit])}"

    @server.tool(annotations=READS)
    def sort_notes(order: Literal["title", "length"]) -> str:
        """Lists the titles of all notes in an order."""
        return ", ".join(sorted(SAID, key=None if order == "title" else lambda title: len(SAID[title])))

    @server.tool(annotations=READS)
    def average(numbers: Annotated[list[float], Field(min_length=1, max_length=100)]) -> str:
        """The mean of some numbers."""
        return f"The mean is {sum(numbers) / len(numbers):g}."

    @server.tool(annotations=READS)
    def draft_note(note: Note) -> str:
        """Shows how a note would look. Nothing is written."""
        return f"# {note.title}\nTags: {', '.join(note.tags) or 'none'}"

    @server.tool(annotations=READS)
    def repeat_text(text: str, times: Annotated[int, Field(ge=1, le=20)]) -> str:
        """Repeats a text."""
        return text * times
