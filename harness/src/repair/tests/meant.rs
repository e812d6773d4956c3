//! The reader's steps if the caller's intended values are known, and how certain they are.

use super::*;

/// The repair for a caller who intended these values.
fn meant(schema: &Value, sent: &Value, text: &str, meant: &Value) -> Option<Value> {
    let catalog = catalog(schema);
    let tool_files = ToolFiles::at("/w/c");
    let reader = Reader::new(CalledTool {
        catalog: &catalog,
        bindings: &[],
        tool: &catalog.tools[0],
        class: Class::Read,
        tool_files: &tool_files,
        has_repository: true,
        workspace: "/w",
        meant: Some(meant),
    });
    match reader.next(sent, &[text], &[])?.next {
        NextCall::Arguments(next) => Some(next),
        NextCall::Before(tool) => Some(json!(tool)),
    }
}

#[test]
fn what_only_the_caller_knows_is_sent_where_the_message_says_what_to_do() {
    let schema = texts(&["path", "query"]);
    let control = json!({"path": "/w/c/a.txt", "query": "alpha"});
    let wrong = json!({"path": "/w/c/absent", "query": "alpha"});
    for (text, is_mended) in [
        ("No file exists at '/w/c/absent'. Call list to see which there are.", true),
        ("'/w/c/absent' is closed by a pattern. Use a path that the pattern does not match.", true),
        ("path: ENOENT: no such file or directory, open '/w/c/absent'", false),
        ("'/w/c/absent' was refused", false),
        ("Something went wrong", false),
    ] {
        let next = meant(&schema, &wrong, text, &control);
        assert_eq!(next.as_ref(), is_mended.then_some(&control), "{text}");
    }
    let text = "'scope' is required";
    let schema = texts(&["query", "scope"]);
    let next = meant(&schema, &json!({"query": "a"}), text, &json!({"query": "a", "scope": "mine"}));
    assert_eq!(next, Some(json!({"query": "a", "scope": "mine"})));
}

#[test]
fn what_nobody_has_to_send_is_left_out_where_that_is_offered() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["path"]});
    let (sent, control) = (json!({"path": "a", "limit": "x"}), json!({"path": "a"}));
    let text = "'limit' must be an integer, but 'x' was sent. Send 5, or leave it out.";
    assert_eq!(meant(&schema, &sent, text, &control), Some(control.clone()));
}

#[test]
fn a_call_that_the_message_shows_is_sent_with_what_it_has_in_the_wrong_parameter() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "integer"}}}, "required": ["path"]});
    let sent = json!({"path": "/w/c/notes.txt", "lines": []});
    let next = json!({"path": "/w/c/notes.txt", "lines": [1, 20]});
    let text = r#"Parameter 'lines' must be an array of two numbers. Call look with {"lines": [1, 20]}."#;
    check(&schema, &sent, text, &next);
    let other = r#"Parameter 'lines' is wrong. Call list with {"lines": [1, 20]}."#;
    check(&schema, &sent, other, &Value::Null);
    let schema = texts(&["path", "query"]);
    let text = r#"No file at '/w/c/x'. Call look with {"query": "**/x"} to find it."#;
    assert_eq!(
        meant(
            &schema,
            &json!({"path": "/w/c/x", "query": "a"}),
            text,
            &json!({"path": "/w/c/y", "query": "a"})
        ),
        Some(json!({"path": "/w/c/y", "query": "a"})),
        "what is shown for the sake of another thing stays out"
    );
}

#[test]
fn what_a_shown_call_has_besides_is_given_with_what_is_missing() {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
        "required": ["path", "text"]});
    let text =
        r#"Required parameter 'path' is missing. Call look with {"path": "<string>", "text": "<string>"}."#;
    let all = json!({"path": "/w/c/a", "text": "alpha"});
    assert_eq!(meant(&schema, &json!({}), text, &all), Some(all));
}

#[test]
fn a_number_is_brought_to_the_other_one_that_it_must_not_precede() {
    let schema =
        json!({"type": "object", "properties": {"start": {"type": "integer"}, "end": {"type": "integer"}}});
    check(
        &schema,
        &json!({"start": 9, "end": 4}),
        "'start' is 9 and 'end' is 4. Send an 'end' that is not before 'start'.",
        &json!({"start": 9, "end": 9}),
    );
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
fn what_a_document_says_in_several_members_is_read_together() {
    let schema = texts(&["query", "kind", "include"]);
    let text = r#"{"code":"INVALID_INPUT","message":"'x' is no type that 'kind' knows.","hints":["Use one of the names, such as c, cpp, css, or filter with \"include\": \"*.ext\"."]}"#;
    let (sent, next) = (json!({"query": "a", "kind": "x"}), json!({"query": "a", "kind": "c"}));
    check(&schema, &sent, text, &next);
}

#[test]
fn a_text_that_is_not_in_a_file_is_no_path() {
    let edits = json!({"type": "array", "items": {"type": "object", "properties": {"old_string": {"type": "string"}}}});
    let schema = json!({"type": "object", "properties": {"file_path": {"type": "string"}, "edits": edits}});
    let (sent, control) = (
        json!({"file_path": "/w/c/notes.txt", "edits": [{"old_string": "no-such"}]}),
        json!({"file_path": "/w/c/notes.txt", "edits": [{"old_string": "beta"}]}),
    );
    let text = "The text 'no-such' of edit 1 of 1 is not in '/w/c/notes.txt', and nothing was changed. Call list to see the file, and copy 'old_string' from it exactly.";
    assert_eq!(meant(&schema, &sent, text, &control), Some(control.clone()));
}

#[test]
fn a_name_within_a_value_or_an_ordinary_word_is_not_what_a_message_is_about() {
    let schema = texts(&["source_timezone", "time", "datetime"]);
    let sent = |zone: &str| json!({"source_timezone": zone, "time": "12:00", "datetime": "now"});
    for zone in ["no-such-value-datetime", "Mars/Olympus_Mons"] {
        let text = format!("Invalid timezone: 'No time zone found with key {zone}'");
        check(&schema, &sent(zone), &text, &sent("UTC"));
    }
}

#[test]
fn an_empty_value_is_known_by_its_quotation_marks() {
    let schema = texts(&["value", "from", "to"]);
    let (sent, next) =
        (json!({"value": "1", "from": "", "to": "km"}), json!({"value": "1", "from": "m", "to": "km"}));
    check(&schema, &sent, "Unknown unit '' in length. Supported units: m, km, cm", &next);
}

#[test]
fn a_path_of_the_wrong_kind_tells_which_is_wanted_without_further_words() {
    let schema = texts(&["path"]);
    let control = json!({"path": "/w/c/notes.txt"});
    for (text, is_mended) in [
        ("EISDIR: illegal operation on a directory, read", true),
        ("ENOENT: no such file or directory, open '/w/c/sub'", false),
    ] {
        let next = meant(&schema, &json!({"path": "/w/c/sub"}), text, &control);
        assert_eq!(next.as_ref(), is_mended.then_some(&control), "{text}");
    }
}
