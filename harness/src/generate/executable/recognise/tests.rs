//! Which parameters could be executed, opened or sent.

use serde_json::json;

use super::*;

fn recognised(tool: &str, description: &str, parameter: &str, schema: &Value) -> Option<ExecutableKind> {
    let whole = json!({"type": "object", "properties": {parameter: schema}});
    let tool = Tool { description: description.to_owned(), ..Tool::named(tool, whole) };
    executable_kind(&tool, parameter, schema)
}

#[test]
fn every_parameter_of_the_list_is_recognised_for_what_it_is() {
    let lines = include_str!("cases.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut mistaken = Vec::new();
    for line in lines {
        let [tool, description, parameter, schema, expected] =
            line.split(" | ").collect::<Vec<_>>().try_into().expect("a line has five columns");
        let schema = if schema.is_empty() { r#"{"type": "string"}"# } else { schema };
        let schema = serde_json::from_str(schema).expect("the schema is JSON");
        let found = recognised(tool, description, parameter, &schema);
        let found = found.map_or_else(|| "-".to_owned(), |kind| format!("{kind:?}"));
        if found != expected {
            mistaken.push(format!("{line}: {found}"));
        }
    }
    assert!(mistaken.is_empty(), "{mistaken:#?}");
}

#[test]
fn what_only_reads_shows_no_program_unless_it_evaluates_one() {
    let schema = json!({"type": "object", "properties": {"code": {"type": "string"}}});
    let reading = |description: &str| {
        let tool = Tool { read_only: Some(true), ..Tool::named("show_code", schema.clone()) };
        let tool = Tool { description: description.to_owned(), ..tool };
        executable_kind(&tool, "code", &schema["properties"]["code"])
    };
    assert_eq!(reading("Show: `fast` or `slow`"), None);
    assert_eq!(reading("Shows what it evaluates to"), Some(ExecutableKind::Code(CodeLanguage::Other)));
}
