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

fn repaired(schema: &Value, sent: &Value, text: &str) -> Option<Repair> {
    repaired_after(schema, sent, text, &[])
}

/// The repair after these tools were called first.
fn repaired_after(schema: &Value, sent: &Value, text: &str, followed: &[String]) -> Option<Repair> {
    repaired_of(Class::Read, schema, sent, text, followed)
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
    let reader = Reader::new(CalledTool {
        catalog: &catalog,
        bindings: &[],
        tool: &catalog.tools[0],
        class,
        tool_files: &tool_files,
        has_repository: true,
        workspace: "/w",
        meant: None,
    });
    reader.next(sent, &[text], followed)
}

/// Checks the arguments that are sent next; null if nothing says what to change.
fn check(schema: &Value, sent: &Value, text: &str, expected: &Value) {
    let found = repaired(schema, sent, text);
    let next = match &found {
        Some(Repair { next: NextCall::Arguments(next), .. }) => next.clone(),
        Some(Repair { next: NextCall::Before(tool), .. }) => json!(tool),
        None => Value::Null,
    };
    assert_eq!(next, *expected, "{text}: {found:?}");
    if let Some(repair) = found {
        assert!(!repair.words.is_empty(), "{text}");
    }
}

fn texts(names: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties, "required": [names[0]]})
}

#[test]
fn a_form_is_kept_by_the_example_of_the_message_or_by_one_of_ours() {
    let schema = texts(&["due"]);
    let sent = json!({"due": "alpha"});
    for (text, next) in [
        ("Invalid due date, e.g. 2024-01-31", "2024-01-31"),
        ("due: use HH:MM", "12:00"),
        ("due must look like 'owner/repo'", "owner/repo"),
        ("due: expected format: owner/repo", "owner/repo"),
        ("due is not valid JSON", r#"{"alpha": 1}"#),
        ("due must be a valid ISO 8601 timestamp", "2026-01-31T12:00:00Z"),
    ] {
        check(&schema, &sent, text, &json!({ "due": next }));
    }
}

#[test]
fn a_thing_that_there_is_may_be_called_like_a_parameter() {
    let schema = texts(&["vault", "note"]);
    let sent = json!({"vault": "alpha", "note": "beta"});
    for (text, vault) in [
        ("Unknown vault: alpha. Available vaults: vault", "vault"),
        ("Unknown vault: alpha. Available vaults: vault, note", "vault"),
        ("There is no vault 'alpha'. The vaults are: vault", "vault"),
    ] {
        check(&schema, &sent, text, &json!({"vault": vault, "note": "beta"}));
    }
    check(&schema, &sent, "vault: unknown key. Supported keys: note", &Value::Null);
}

#[test]
fn an_optional_member_that_is_named_by_its_path_gets_a_listed_value() {
    let node =
        json!({"type": "object", "properties": {"op": {"type": "string"}, "node": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"commands": {"type": "array", "items": node}}});
    let sent = json!({"commands": [{"op": "add"}]});
    for text in [
        "'commands[0].node' must be one of: Player, Camera",
        "'commands[0].node' is missing. Available nodes: Player, Camera",
    ] {
        check(&schema, &sent, text, &json!({"commands": [{"op": "add", "node": "Player"}]}));
    }
}

#[test]
fn a_member_that_no_schema_tells_gets_a_listed_value() {
    let items = json!({"type": "array", "items": {"type": "object"}});
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "operations": items}});
    let sent = json!({"path": "/w/c/notes.txt", "operations": [{}]});
    let text = "operation 1 (None): unknown op; use add, set, remove, title or constant";
    let next = json!({"path": "/w/c/notes.txt", "operations": [{"op": "add"}]});
    check(&schema, &sent, text, &next);
    check(&schema, &sent, "operation 1 (None): unknown op", &Value::Null);
}

#[test]
fn a_tool_that_comes_first_is_called_once() {
    let schema = texts(&["query"]);
    let text = "Error: No database loaded. Use load_folder tool first.";
    check(&schema, &json!({"query": "a"}), text, &json!("load_folder"));
    let again = repaired_after(&schema, &json!({"query": "a"}), text, &["load_folder".to_owned()]);
    assert_eq!(again, None);
}

#[test]
fn a_path_that_was_sent_says_nothing_of_its_own() {
    for folder in ["tmp.EgAnqs1", "tmp.bESTfP"] {
        let path = format!("/tmp/{folder}/notes/absent.txt");
        let text = format!("Cannot open '{path}'");
        check(&texts(&["path"]), &json!({ "path": path }), &text, &Value::Null);
    }
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
        let found = repaired(&schema, &sent, text).map(|repair| repair.basis);
        assert_eq!(found, Some(basis), "{text}");
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

#[test]
fn a_file_name_is_sent_without_its_folder_where_absolute_ones_are_not_taken() {
    let schema = texts(&["fileName"]);
    for text in [
        "fileName must not be an absolute path",
        "Absolute file names are not allowed: /w/c/notes.txt",
        "Expected a file name in the project, not an absolute path",
    ] {
        check(&schema, &json!({"fileName": "/w/c/notes.txt"}), text, &json!({"fileName": "c/notes.txt"}));
    }
}

#[test]
fn a_repository_outside_the_one_that_is_allowed_is_replaced_by_that() {
    let schema = texts(&["repo_path"]);
    let text = "Repository path '/w/c/repository' is outside the allowed repository '/w/repository'";
    check(&schema, &json!({"repo_path": "/w/c/repository"}), text, &json!({"repo_path": "/w/repository"}));
}
