//! Which parameters could be executed, opened or sent.

use serde_json::json;

use super::*;
use crate::catalog::Catalog;

/// Checks what is recognised for the only parameter of a tool.
fn check(tool: &str, description: &str, parameter: &str, schema: &Value, expected: Option<ExecutableKind>) {
    let mut properties = serde_json::Map::new();
    properties.insert(parameter.to_owned(), schema.clone());
    let item = json!({"name": tool, "description": description, "inputSchema": {"type": "object", "properties": properties}});
    let mut catalog = Catalog::default();
    catalog.add_page(&json!({ "tools": [item] }));
    assert_eq!(recognise(&catalog.tools[0], parameter, schema), expected, "{tool}.{parameter} {schema}");
}

fn text() -> Value {
    json!({"type": "string"})
}

#[test]
fn a_command_is_recognised_by_name_by_text_and_by_what_the_tool_does() {
    check("run_command", "", "command", &text(), Some(ExecutableKind::Command));
    check(
        "open",
        "",
        "value",
        &json!({"type": "string", "description": "The shell command that is meant"}),
        Some(ExecutableKind::Command),
    );
    check("interact_with_process", "", "input", &text(), Some(ExecutableKind::Command));
    check("bash", "Runs it.", "what", &text(), Some(ExecutableKind::Command));
    check("job", "", "pre_command", &text(), Some(ExecutableKind::Command));
    check("lookup", "Finds commands in the manual.", "topic", &text(), None);
}

#[test]
fn a_command_as_an_array_is_a_program_with_arguments() {
    let array = json!({"type": "array", "items": {"type": "string"}});
    check("shell_execute", "", "command", &array, Some(ExecutableKind::Words));
    check("shell_execute", "", "commands", &array, Some(ExecutableKind::Command));
    check("start_process", "", "args", &array, Some(ExecutableKind::Flags));
    check("start_process", "", "shell", &text(), Some(ExecutableKind::Program));
}

#[test]
fn code_is_recognised_with_its_language() {
    check("run_python", "", "code", &text(), Some(ExecutableKind::Code(CodeLanguage::Python)));
    check(
        "browser_evaluate",
        "",
        "expression",
        &text(),
        Some(ExecutableKind::Code(CodeLanguage::JavaScript)),
    );
    check(
        "notebook",
        "Evaluates a cell.",
        "source",
        &text(),
        Some(ExecutableKind::Code(CodeLanguage::Other)),
    );
    check("calculate", "", "formula", &text(), Some(ExecutableKind::Code(CodeLanguage::Other)));
    check("shell", "Bash.", "script", &text(), Some(ExecutableKind::Command));
    check(
        "graph",
        "Runs a GraphQL query.",
        "query",
        &text(),
        Some(ExecutableKind::Code(CodeLanguage::GraphQl)),
    );
    check("graph", "Asks Neo4j.", "query", &text(), Some(ExecutableKind::Code(CodeLanguage::Cypher)));
}

#[test]
fn a_code_is_a_program_only_where_somebody_speaks_of_one() {
    let program = Some(ExecutableKind::Code(CodeLanguage::Other));
    let said = |description: &str| json!({"type": "string", "description": description});
    check("get_report", "Get a report by its code", "code", &text(), None);
    check("show_code", "Show: `fast` or `slow`", "code", &text(), program);
    check("redeem", "Redeems a voucher code.", "code", &text(), None);
    check("translate", "", "code", &said("The language code, such as `en`"), None);
    check("explain", "Tells what an error_code stands for.", "code", &text(), None);
    check("lint", "Tells the error codes of a source.", "code", &text(), program);
    check("run_check", "Checks a country code.", "code", &text(), program);
    check("submit", "", "code", &text(), program);
    check("apply", "Applies it.", "code", &said("What is applied"), program);
    check("get_result", "Evaluates it.", "code", &text(), program);
    check("get_tree", "", "code", &said("The source"), program);
    check("list_symbols", "Lists the functions of a text.", "code", &text(), program);
    check("read_metrics", "Analyses code.", "code", &text(), program);
    check("get_answer", "", "code", &said("A program"), program);
    let reading = |description: &str| {
        let item = json!({"name": "show_code", "description": description, "annotations": {"readOnlyHint": true},
            "inputSchema": {"type": "object", "properties": {"code": {"type": "string"}}}});
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({ "tools": [item] }));
        recognise(&catalog.tools[0], "code", &text())
    };
    assert_eq!(reading("Show: `fast` or `slow`"), None);
    assert_eq!(reading("Shows what it evaluates to"), program);
}

#[test]
fn a_number_that_is_looked_up_is_not_called() {
    check("get_by_phone", "Finds a person.", "phone", &text(), None);
    check("get_by_phone", "Finds a person and dials.", "phone", &text(), Some(ExecutableKind::Phone));
    check("create_person", "", "phone", &text(), Some(ExecutableKind::Phone));
}

#[test]
fn sql_is_recognised_and_a_search_is_not_taken_for_it() {
    check("query", "Asks the PostgreSQL database.", "query", &text(), Some(ExecutableKind::Sql));
    check("read_query", "", "sql", &text(), Some(ExecutableKind::Sql));
    check("search_files", "Searches files.", "query", &text(), None);
}

#[test]
fn addresses_and_computers_are_recognised() {
    check("fetch", "", "url", &text(), Some(ExecutableKind::Url));
    check("fetch", "", "target", &json!({"type": "string", "format": "uri"}), Some(ExecutableKind::Url));
    check(
        "get",
        "",
        "page",
        &json!({"type": "string", "description": "The URL of the page"}),
        Some(ExecutableKind::Url),
    );
    check("ping", "", "host", &text(), Some(ExecutableKind::Host));
    check("connect", "", "port", &json!({"type": "integer"}), Some(ExecutableKind::Port));
    check("read_file", "", "isUrl", &json!({"type": "boolean"}), None);
    check(
        "read_file",
        "",
        "path",
        &json!({"type": "string", "description": "A path or URL of a file"}),
        None,
    );
}

#[test]
fn whoever_is_written_to_is_recognised() {
    check("send_mail", "", "to", &text(), Some(ExecutableKind::Mail));
    check("invite", "", "who", &json!({"type": "string", "format": "email"}), Some(ExecutableKind::Mail));
    check("send_sms", "", "phone_number", &text(), Some(ExecutableKind::Phone));
    check("convert", "Converts between units.", "to", &text(), None);
}

#[test]
fn packages_and_templates_are_recognised() {
    check("install_package", "", "package", &text(), Some(ExecutableKind::Package));
    check("run_container", "", "image", &text(), Some(ExecutableKind::Package));
    check("render", "", "template", &text(), Some(ExecutableKind::Template));
}

#[test]
fn what_is_one_of_a_closed_set_or_no_text_is_left_to_the_schema() {
    check("run", "", "shell", &json!({"enum": ["sh", "bash"]}), None);
    check("run_command", "", "timeout", &json!({"type": "integer"}), None);
    check("run_command", "", "cwd", &text(), None);
    check("read_file", "", "path", &text(), None);
}
