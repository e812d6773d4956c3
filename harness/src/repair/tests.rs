//! Tests the call that a reader makes next from a refusal: each test is a schema, a call, a text and that call.

use serde_json::json;

use super::*;

/// A tool `look` among others, the first in the list.
fn catalog(schema: &Value) -> Catalog {
    let mut catalog = Catalog::default();
    let other = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let look = json!({"name": "look", "inputSchema": schema, "annotations": {"readOnlyHint": true}});
    catalog.add_page(&json!({"tools": [look, other("load_folder"), other("create_session"), other("list")]}));
    catalog
}

/// The repair of a call of a tool of this class.
fn repaired_of(
    class: Class,
    schema: &Value,
    sent: &Value,
    text: &str,
    followed: &[String],
) -> Option<Repair> {
    let catalog = catalog(schema);
    let tool_files = ToolFiles::at("/w/c").with_upstream("http://127.0.0.1:4000");
    reader(&catalog, &tool_files, class).next(sent, &[text], followed)
}

/// A reader of messages about the first tool.
fn reader<'a>(catalog: &'a Catalog, tool_files: &'a ToolFiles, class: Class) -> Reader<'a> {
    Reader::new(CalledTool {
        catalog,
        bindings: &[],
        tool: &catalog.tools[0],
        class,
        tool_files,
        has_repository: true,
        workspace: "/w",
        meant: None,
    })
}

#[test]
fn a_tool_that_comes_first_is_called_once() {
    let schema =
        json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    let text = "Error: No database loaded. Use load_folder tool first.";
    let followed = ["load_folder".to_owned()];
    assert_eq!(repaired_of(Class::Read, &schema, &json!({"query": "a"}), text, &followed), None);
}

#[test]
fn words_are_sure_where_they_name_the_parameter_and_say_what_would_do() {
    let schema =
        json!({"type": "object", "properties": {"mode": {"type": "string"}, "limit": {"type": "integer"}}});
    let sent = json!({"mode": "x", "limit": 99});
    for (text, basis) in [
        ("'mode' must be one of 'a', 'b'", Basis::Stated),
        ("'mode' must be one of a, b", Basis::Inferred),
        ("'mode' must be one of 'a', 'b' and others, e.g. 'c'", Basis::Inferred),
        ("Unknown value 'x'. Use 'a' or 'b'", Basis::Inferred),
        ("'limit' must be at most 20", Basis::Stated),
        ("'mode' must be an integer", Basis::Inferred),
    ] {
        let found = repaired_of(Class::Read, &schema, &sent, text, &[]).map(|repair| repair.basis);
        assert_eq!(found, Some(basis), "{text}");
    }
}

#[test]
fn a_description_says_which_values_a_parameter_takes() {
    for (description, expected) in [
        ("Output format: json, csv, xml", &["json", "csv", "xml"][..]),
        ("One of: celsius | fahrenheit | kelvin", &["celsius", "fahrenheit", "kelvin"]),
        ("Threshold: verbose/quiet/silent", &["verbose", "quiet", "silent"]),
        ("How urgent it is (idle|normal|rush)", &["idle", "normal", "rush"]),
        ("Aggregation period. Options: hourly, nightly, yearly", &["hourly", "nightly", "yearly"]),
        ("Kind of chart (bar, line, or pie)", &["bar", "line", "pie"]),
        ("The name of the chart", &[]),
        ("Text to draw, or nothing", &[]),
    ] {
        let of = json!({"type": "string", "description": description});
        let schema = json!({"type": "object", "properties": {"kind": of, "title": {"type": "string"}}});
        let sent = json!({"kind": "alpha", "title": "alpha"});
        let catalog = catalog(&schema);
        let tool_files = ToolFiles::at("/w/c");
        let found: Vec<Value> = reader(&catalog, &tool_files, Class::Read)
            .described(&sent)
            .into_iter()
            .filter_map(|repair| match repair.next {
                NextCall::Arguments(next) if repair.basis == Basis::Inferred => Some(next["kind"].clone()),
                _ => None,
            })
            .collect();
        assert_eq!(found, expected, "{description}");
    }
}

#[test]
fn a_statement_that_makes_a_table_is_sent_to_a_tool_that_writes_alone() {
    let schema = json!({"type": "object", "properties": {"query": {"type": "string", "description": "SQL statement"}}});
    let sent = json!({"query": "SELECT 1"});
    let text = "Error: Only CREATE TABLE statements are allowed";
    let makes_table = |class| {
        let found = repaired_of(class, &schema, &sent, text, &[]);
        matches!(found, Some(Repair { next: NextCall::Arguments(next), .. })
            if next["query"].as_str().is_some_and(|query| query.starts_with("CREATE TABLE")))
    };
    assert!(makes_table(Class::Write));
    assert!(!makes_table(Class::Read));
}
