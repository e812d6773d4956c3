//! Hints that mention a tool, a parameter or a name that the server does not have.
//!
//! It only knows what `tools/list` says.

use std::cell::LazyCell;

use serde_json::Value;

use super::Wrong;
use crate::finding::{Diagnostic, Level};
use crate::pattern;
use crate::rules::Context;
use crate::wording::mention;

/// The hint to use a tool that the server does not list.
pub(super) fn tool(context: &Context<'_>, text: &str) -> Option<Wrong> {
    // Most messages have no such word, and checking that is cheaper than the expression.
    if !text.as_bytes().windows("tool".len()).any(|word| word.eq_ignore_ascii_case(b"tool")) {
        return None;
    }
    let catalog = &context.head.catalog;
    // Few messages get this far: only for these is the echo searched.
    let echo = LazyCell::new(|| context.echo().spans(text));
    // A recording without `tools/list` does not show which tools exist.
    if catalog.tools.is_empty() {
        return None;
    }
    let found = pattern!("order/tool").captures_iter(text).find_map(|found| {
        let name = found.name("a").or_else(|| found.name("b"))?;
        let plain = name.as_str().trim_matches(['`', '\'', '"']);
        let sent = echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        let listed =
            catalog.tools.iter().any(|tool| tool.name == plain || tool.name.ends_with(&format!("_{plain}")));
        (!listed && !sent).then_some((plain, name.range()))
    });
    let (name, span) = found?;
    let names: Vec<&str> = catalog.tools.iter().map(|tool| tool.name.as_str()).take(20).collect();
    let message = format!("the message says to use the tool `{name}`, which this server does not list");
    let help = format!("Name a tool that `tools/list` lists: {}.", names.join(", "));
    Some(Wrong { diagnostic: Diagnostic::new(message, help), span })
}

/// The hint to set a parameter that no tool has, at any depth of its schema.
pub(super) fn parameter(context: &Context<'_>, text: &str) -> Option<Wrong> {
    if !(text.contains("true") || text.contains("false")) {
        return None;
    }
    let tools = &context.head.catalog.tools;
    // Few messages get this far: only for these is the echo searched.
    let echo = LazyCell::new(|| context.echo().spans(text));
    let (name, span) = pattern!("order/flag").captures_iter(text).find_map(|found| {
        let name = found.name("name")?;
        let sent = echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        let known = tools.iter().any(|tool| says(&tool.input_schema, &|word| word == name.as_str()));
        (!known && !sent && !tools.is_empty()).then(|| (name.as_str(), name.range()))
    })?;
    let message = format!(
        "the message says to set `{name}`, which is not a parameter of any tool of this \
        server"
    );
    let help = format!("Name a parameter that `{}` has in its `inputSchema`.", context.called());
    Some(Wrong { diagnostic: Diagnostic::new(message, help), span })
}

/// The hint to use a name, written like an identifier, that occurs nowhere in the server's list of tools.
pub(super) fn name(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let tools = &context.head.catalog.tools;
    // Few messages get this far: only for these is the echo searched.
    let echo = LazyCell::new(|| context.echo().spans(text));
    let (name, span) = pattern!("order/name").captures_iter(text).find_map(|found| {
        let name = found.name("a").or_else(|| found.name("b"))?;
        let sent = echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        let known = names_value(&text[name.end()..])
            || name.as_str() == "snake_case"
            || tools.iter().any(|tool| tool.name.ends_with(name.as_str()))
            || tools.iter().any(|tool| mention::stands_in(&tool.description, name.as_str()))
            || tools
                .iter()
                .any(|tool| says(&tool.input_schema, &|word| mention::stands_in(word, name.as_str())));
        (!known && !sent && !tools.is_empty()).then(|| (name.as_str(), name.range()))
    })?;
    let message =
        format!("the message says to use `{name}`, which is not a tool, parameter or value of this server");
    let help = "Name a tool that `tools/list` lists, or a parameter or value of its `inputSchema`.";
    Some(Wrong { diagnostic: Diagnostic::new(message, help).level(Level::Should), span })
}

/// Whether a key or a text of a schema satisfies `is_it`.
fn says(schema: &Value, is_it: &dyn Fn(&str) -> bool) -> bool {
    match schema {
        Value::String(text) => is_it(text),
        Value::Array(items) => items.iter().any(|item| says(item, is_it)),
        Value::Object(members) => members.iter().any(|(key, value)| is_it(key) || says(value, is_it)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the text after a name makes it the name of a value: "use `utf_8` encoding".
fn names_value(behind: &str) -> bool {
    pattern!("name/of-a-value").is_match(behind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn failure() -> Expected {
        serde_json::from_value(json!({"failure": {"condition": "path-not-found", "value": null, "hint": null, "valid_values_of": null}})).expect("an expectation")
    }

    #[test]
    fn a_name_in_a_tools_description_is_one_that_the_server_has() {
        let mut fixture = Fixture::refusal("No. Use list_files to look.", &json!({}), failure());
        assert_eq!(super::super::check(&fixture.context()).len(), 1);
        fixture.head.catalog.tools[1].description = "Set `list_files` in the settings.".into();
        assert!(super::super::check(&fixture.context()).is_empty());
    }

    #[test]
    fn a_parameter_of_another_tool_or_within_another_one_exists() {
        let mut fixture = Fixture::refusal("No. Set dry_run: true.", &json!({}), failure());
        assert_eq!(super::super::check(&fixture.context()).len(), 1);
        fixture.head.catalog.tools[4].input_schema = json!({"type": "object", "properties": {"options": {"type": "array", "items": {"type": "object", "properties": {"dry_run": {"type": "boolean"}}}}}});
        assert!(super::super::check(&fixture.context()).is_empty());
        fixture.head.catalog.tools.clear();
        assert!(super::super::check(&fixture.context()).is_empty());
    }
}
