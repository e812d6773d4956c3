"""Notes in SQLite, as an MCP server on standard input and output."""

import csv
import io
import json
import os
import re
import sqlite3

from mcp.server.fastmcp import FastMCP

DB = os.environ.get("NOTES_DB", "notes.db")
ORDERS = {"created": "id", "title": "title COLLATE NOCASE", "updated": "updated DESC"}
MAX_TITLE = 200
MAX_LIMIT = 100

mcp = FastMCP("notes")


def connect() -> sqlite3.Connection:
    db = sqlite3.connect(DB)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA foreign_keys = ON")
    db.executescript(
        """
        CREATE TABLE IF NOT EXISTS notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL UNIQUE,
            body TEXT NOT NULL DEFAULT '',
            updated TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
        );
        CREATE TABLE IF NOT EXISTS tags (
            note_id INTEGER NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
            tag TEXT NOT NULL,
            PRIMARY KEY (note_id, tag)
        );
        CREATE VIRTUAL TABLE IF NOT EXISTS notes_fts USING fts5(title, body);
        """
    )
    return db


def as_dict(row: sqlite3.Row) -> dict:
    return {key: row[key] for key in row.keys()}


@mcp.tool()
def create_note(title: str, body: str = "") -> dict:
    """Create a note. Titles are unique."""
    if not title.strip():
        raise ValueError("title must not be empty")
    if len(title) > MAX_TITLE:
        raise ValueError(f"title is too long: {len(title)} characters, at most {MAX_TITLE} are allowed. Shorten it.")
    with connect() as db:
        try:
            cursor = db.execute("INSERT INTO notes (title, body) VALUES (?, ?)", (title, body))
        except sqlite3.IntegrityError as error:
            raise ValueError(str(error))
        db.execute("INSERT INTO notes_fts (rowid, title, body) VALUES (?, ?, ?)", (cursor.lastrowid, title, body))
    return {"id": cursor.lastrowid, "title": title}


@mcp.tool()
def get_note(note_id: int) -> dict:
    """Get a note with its tags."""
    with connect() as db:
        row = db.execute("SELECT * FROM notes WHERE id = ?", (note_id,)).fetchone()
        if row is None:
            raise KeyError(note_id)
        tags = [r["tag"] for r in db.execute("SELECT tag FROM tags WHERE note_id = ? ORDER BY tag", (note_id,))]
    return {**as_dict(row), "tags": tags}


@mcp.tool()
def list_notes(order: str = "created", limit: int = 20) -> list[dict]:
    """List notes, ordered by created, title or updated."""
    if order not in ORDERS:
        raise ValueError(f"bad order {order}")
    if limit < 1 or limit > MAX_LIMIT:
        raise ValueError(f"limit {limit} is out of range. Use a whole number from 1 to {MAX_LIMIT}.")
    with connect() as db:
        rows = db.execute(f"SELECT id, title, updated FROM notes ORDER BY {ORDERS[order]} LIMIT ?", (limit,))
        return [as_dict(row) for row in rows]


@mcp.tool()
def update_note(note_id: int, title: str | None = None, body: str | None = None) -> str:
    """Change the title or the body of a note, or both."""
    if title is None and body is None:
        raise ValueError("nothing to update: give title, body or both")
    if title is not None and not title.strip():
        raise ValueError("empty title")
    with connect() as db:
        row = db.execute("SELECT * FROM notes WHERE id = ?", (note_id,)).fetchone()
        if row is None:
            raise LookupError(f"There is no note with note_id {note_id}. Call list_notes to see which ones exist.")
        new_title = row["title"] if title is None else title
        new_body = row["body"] if body is None else body
        try:
            db.execute(
                "UPDATE notes SET title = ?, body = ?, updated = CURRENT_TIMESTAMP WHERE id = ?",
                (new_title, new_body, note_id),
            )
        except sqlite3.IntegrityError:
            return "duplicate"  # site
        db.execute("UPDATE notes_fts SET title = ?, body = ? WHERE rowid = ?", (new_title, new_body, note_id))
    return f"updated note {note_id}"


@mcp.tool()
def delete_note(note_id: int) -> str:
    """Delete a note."""
    with connect() as db:
        deleted = db.execute("DELETE FROM notes WHERE id = ?", (note_id,)).rowcount
        db.execute("DELETE FROM notes_fts WHERE rowid = ?", (note_id,))
    if not deleted:
        return f"Error: note {note_id} does not exist"  # site
    return f"deleted note {note_id}"


@mcp.tool()
def search_notes(query: str, limit: int = 10) -> list[dict]:
    """Search in titles and bodies. The query is one of SQLite's full text search."""
    if not query.strip():
        raise ValueError("query is empty. Give at least one word to search for.")
    with connect() as db:
        try:
            rows = db.execute(
                "SELECT rowid AS id, title, snippet(notes_fts, 1, '[', ']', '...', 8) AS text"
                " FROM notes_fts WHERE notes_fts MATCH ? ORDER BY rank LIMIT ?",
                (query, limit),
            ).fetchall()
        except sqlite3.OperationalError as error:
            raise ValueError(f"search failed: {error}")
    return [as_dict(row) for row in rows]


@mcp.tool()
def export_notes(format: str = "json", tag: str | None = None) -> str:
    """Export all notes, or those with a tag, as json, csv or md."""
    if format not in ("json", "csv", "md"):
        return "Error: unsupported format"  # site
    with connect() as db:
        if tag is None:
            rows = db.execute("SELECT id, title, body FROM notes ORDER BY id").fetchall()
        else:
            rows = db.execute(
                "SELECT id, title, body FROM notes JOIN tags ON tags.note_id = notes.id WHERE tag = ? ORDER BY id",
                (tag,),
            ).fetchall()
            if not rows:
                raise LookupError(f"no note has the tag '{tag}'")
    if format == "json":
        return json.dumps([as_dict(row) for row in rows], indent=2)
    if format == "md":
        return "\n\n".join(f"# {row['title']}\n\n{row['body']}" for row in rows)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "title", "body"])
    writer.writerows(tuple(row) for row in rows)
    return out.getvalue()


@mcp.tool()
def tag_note(note_id: int, tag: str) -> str:
    """Put a tag on a note. Tags are lower case words: letters, digits and hyphens."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", tag):
        raise ValueError(f"'{tag}' is not a valid tag: use lower case letters, digits and hyphens, for example 'to-do'")
    if len(tag) > 40:
        raise ValueError("tag too long")
    with connect() as db:
        count = db.execute("SELECT count(*) FROM tags WHERE note_id = ? AND tag = ?", (note_id, tag)).fetchone()[0]
        if count:
            return f"note {note_id} already has the tag '{tag}'"  # site
        try:
            db.execute("INSERT INTO tags (note_id, tag) VALUES (?, ?)", (note_id, tag))
        except sqlite3.IntegrityError as error:
            raise RuntimeError(f"could not tag note: {error}")
    return f"tagged note {note_id} with '{tag}'"


if __name__ == "__main__":
    mcp.run()
