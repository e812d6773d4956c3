//! A small catalog of ordinary wordings: every kind is found, and what is none is not taken for one.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::catalog::Catalog;

/// A parameter: its place, its type, its description, and what it is taken for.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// Tools and their parameters.
const TOOLS: [(&str, &[Row]); 22] = [
    (
        "read_file",
        &[
            ("path", "string", "The file", "path to read"),
            ("encoding", "string", "Text encoding", "text"),
            ("head", "integer", "First lines only", "limit"),
        ],
    ),
    ("write_file", &[("path", "string", "", "path to write"), ("content", "string", "", "text")]),
    ("list_directory", &[("directory", "string", "", "folder"), ("exclude_patterns", "strings", "", "glob")]),
    (
        "move_file",
        &[("source", "string", "", "path to read"), ("destination", "string", "", "path to write")],
    ),
    ("export_table", &[("output_path", "string", "", "path to write"), ("table_name", "string", "", "id")]),
    (
        "search_text",
        &[
            ("regex", "string", "", "regular-expression"),
            ("file_pattern", "string", "Such as *.md", "glob"),
            ("max_results", "integer", "", "limit"),
        ],
    ),
    (
        "query_database",
        &[("sql", "string", "", "SQL"), ("page", "integer", "", "page"), ("limit", "integer", "", "limit")],
    ),
    ("open_page", &[("url", "string", "", "URL"), ("timeout_ms", "integer", "", "number with a unit")]),
    ("check_port", &[("hostname", "string", "", "host"), ("port", "integer", "", "port")]),
    (
        "create_event",
        &[
            ("title", "string", "", "new name"),
            ("starts", "string", "ISO 8601", "date-time"),
            ("day", "string", "YYYY-MM-DD", "date"),
            ("alarm_time", "string", "", "time"),
            ("reminder", "string", "Such as 15m or 1h", "duration"),
            ("timezone", "string", "", "time-zone"),
            ("date_format", "string", "A form, such as yyyy-mm-dd", "text"),
            ("days", "integer", "", "number with a unit"),
        ],
    ),
    (
        "update_task",
        &[
            ("task_id", "integer", "", "id"),
            ("name", "string", "", "new name"),
            ("blocked_by[].task_id", "string", "", "id"),
            ("due_date", "string", "", "date"),
            ("done", "boolean", "", "flag"),
        ],
    ),
    ("delete_note", &[("name", "string", "", "id")]),
    ("create_index", &[("index_name", "string", "", "new name"), ("column_name", "string", "", "id")]),
    (
        "search_notes",
        &[
            ("query", "string", "", "query text"),
            ("cursor", "string", "", "page"),
            ("offset", "integer", "", "page"),
        ],
    ),
    ("translate", &[("text", "string", "", "text"), ("language", "string", "", "language")]),
    (
        "format_code",
        &[("code", "string", "A program", "code"), ("language", "string", "", "programming language")],
    ),
    ("run_command", &[("command", "string", "", "command"), ("cwd", "string", "", "folder")]),
    ("parse_json", &[("json_text", "string", "", "json")]),
    ("evaluate_maths", &[("expression", "string", "", "expression"), ("decimals", "integer", "", "number")]),
    (
        "draw_box",
        &[
            ("fill_color", "string", "", "colour"),
            ("width_mm", "number", "", "number with a unit"),
            ("ratio", "number", "", "number"),
            ("graph", "string", "A graphml document", "graphml"),
            ("table_csv", "string", "", "csv"),
        ],
    ),
    ("set_value", &[("key", "string", "", "key"), ("data_base64", "string", "", "base64")]),
    (
        "git_log",
        &[
            ("branch", "string", "", "revision"),
            ("author_email", "string", "", "e-mail"),
            ("tag", "string", "", "revision"),
        ],
    ),
];

fn schema(kind: &str, description: &str) -> Value {
    match kind {
        "strings" => json!({"type": "array", "items": {"type": "string"}, "description": description}),
        kind => json!({"type": kind, "description": description}),
    }
}

/// A tool with these parameters, of which one may be a member of the objects of a list.
fn tool(name: &str, parameters: &[Row]) -> Tool {
    let mut properties = serde_json::Map::new();
    for (place, kind, description, _) in parameters {
        let own = schema(kind, description);
        match place.split_once("[].") {
            Some((list, member)) => {
                let items = json!({"type": "object", "properties": {member: own}});
                properties.insert(list.to_owned(), json!({"type": "array", "items": items}));
            }
            None => {
                properties.insert((*place).to_owned(), own);
            }
        }
    }
    let mut catalog = Catalog::default();
    catalog.add_page(
        &json!({"tools": [{"name": name, "inputSchema": {"type": "object", "properties": properties}}]}),
    );
    catalog.tools.remove(0)
}

#[test]
fn parameters_of_ordinary_names_are_taken_for_what_they_are() {
    let mut mistaken = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, parameters) in TOOLS {
        let tool = tool(name, parameters);
        for (place, .., expected) in parameters {
            let taken = recognised(&tool, place);
            seen.insert(*expected);
            if taken != Some(expected) {
                mistaken.push(format!("{name} {place}: {taken:?}, not {expected}"));
            }
        }
    }
    assert!(mistaken.is_empty(), "{mistaken:#?}");
    assert!(seen.len() > 30, "{seen:?}");
}

#[test]
fn what_has_listed_values_or_is_not_there_is_no_kind() {
    let listed = json!({"tools": [{"name": "list", "inputSchema": {"properties": {"date": {"enum": ["a", "b"]},
        "inner": {"properties": {"zone": {"type": "string"}}}, "many": {"type": "array", "items": {"type": "array"}}}}}]});
    let mut catalog = Catalog::default();
    catalog.add_page(&listed);
    let taken = |place: &str| recognised(&catalog.tools[0], place);
    assert_eq!(taken("date"), Some("member"));
    assert_eq!(taken("inner"), Some("object"));
    assert_eq!(taken("inner.zone"), Some("time-zone"));
    assert_eq!(taken("many"), Some("list"));
    assert_eq!((taken("absent"), taken("inner.absent"), taken("date[]")), (None, None, None));
}

/// What is drawn agrees with what is told: a kind with a right value of its own is drawn with it.
#[test]
fn what_a_parameter_is_taken_for_is_what_it_gets() {
    for (name, parameters) in TOOLS {
        let tool = tool(name, parameters);
        let files = ToolFiles::at("/w").of_tool(&tool);
        for (place, kind, description, expected) in parameters.iter().filter(|one| one.1 == "string") {
            let drawn =
                super::super::text::text(place, &schema(kind, description), &files, 0).expect("it is open");
            match *expected {
                "path to read" | "path to write" | "folder" => {
                    assert!(drawn.starts_with("/w"), "{name} {place}: {drawn}");
                }
                "date" => assert!(drawn.starts_with("20"), "{name} {place}: {drawn}"),
                "glob" => assert!(drawn.contains('*'), "{name} {place}: {drawn}"),
                "time-zone" | "colour" | "json" | "csv" | "base64" => {
                    assert_ne!(drawn, "alpha", "{name} {place}");
                }
                "id" | "new name" | "key" | "query text" => assert_eq!(drawn, "alpha", "{name} {place}"),
                _ => {}
            }
        }
    }
}
