//! Hints that mention a tool, a parameter, a name or a value that the server does not have.
//!
//! It only knows what `tools/list` says.

use std::cell::LazyCell;

use regex::Match;
use serde_json::Value;

use super::Wrong;
use crate::catalog::Tool;
use crate::finding::{Diagnostic, Level};
use crate::pattern;
use crate::pattern::Pattern;
use crate::rules::Context;
use crate::wording::{excerpt, listing, mention};

/// The first name behind these words that the server does not have and the caller did not send.
fn first_unknown<'t>(
    context: &Context<'_>,
    text: &'t str,
    words: &Pattern,
    is_known: impl Fn(&Match<'t>) -> bool,
) -> Option<Match<'t>> {
    // A recording without `tools/list` does not show which names exist.
    if context.head.catalog.tools.is_empty() {
        return None;
    }
    // Few messages get this far: only for these is the echo searched.
    let echo = LazyCell::new(|| context.echo().spans(text));
    words.captures_iter(text).find_map(|found| {
        let name = ["a", "b", "c", "name"].iter().find_map(|group| found.name(group))?;
        let is_sent = || echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        (!is_known(&name) && !is_sent()).then_some(name)
    })
}

/// The hint to use a tool that the server does not list.
pub(super) fn tool(context: &Context<'_>, text: &str) -> Option<Wrong> {
    // Most messages have no such word, and checking that is cheaper than the expression.
    if !text.as_bytes().windows("tool".len()).any(|word| word.eq_ignore_ascii_case(b"tool")) {
        return None;
    }
    let tools = &context.head.catalog.tools;
    let plain = |name: &Match<'_>| name.as_str().trim_matches(['`', '\'', '"']).to_owned();
    let found = first_unknown(context, text, pattern!("order/tool"), |name| {
        let plain = plain(name);
        tools.iter().any(|tool| tool.name == plain || tool.name.ends_with(&format!("_{plain}")))
    })?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).take(20).collect();
    let message =
        format!("the message says to use the tool `{}`, which this server does not list", plain(&found));
    let help = format!("Name a tool that `tools/list` lists: {}.", names.join(", "));
    Some(Wrong { diagnostic: Diagnostic::new(message, help), span: found.range() })
}

/// The hint to use a parameter that no tool has, at any depth of its schema.
pub(super) fn parameter(context: &Context<'_>, text: &str) -> Option<Wrong> {
    const NEEDED: [&str; 6] = ["true", "false", "parameter", "argument", "option", "flag"];
    if !NEEDED.iter().any(|word| text.contains(word)) {
        return None;
    }
    let tools = &context.head.catalog.tools;
    let found = first_unknown(context, text, pattern!("order/flag"), |name| {
        tools.iter().any(|tool| says(&tool.input_schema, &|word| word == name.as_str()))
    })?;
    let message = format!(
        "the message says to use `{}`, which is not a parameter of any tool of this server",
        found.as_str()
    );
    let help = format!("Name a parameter that `{}` has in its `inputSchema`.", context.called());
    Some(Wrong { diagnostic: Diagnostic::new(message, help), span: found.range() })
}

/// The hint to use a name, written like an identifier, that occurs nowhere in the server's list of tools.
pub(super) fn name(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let tools = &context.head.catalog.tools;
    let found = first_unknown(context, text, pattern!("order/name"), |found| {
        let name = found.as_str();
        let is_in = |tool: &Tool| {
            tool.name.ends_with(name)
                || mention::stands_in(&tool.description, name)
                || says(&tool.input_schema, &|word| mention::stands_in(word, name))
        };
        // As in "use `utf_8` encoding".
        let is_of_a_value = pattern!("name/of-a-value").is_match(&text[found.end()..]);
        is_of_a_value || name == "snake_case" || tools.iter().any(is_in)
    })?;
    let message = format!(
        "the message says to use `{}`, which is not a tool, parameter or value of this server",
        found.as_str()
    );
    let help = "Name a tool that `tools/list` lists, or a parameter or value of its `inputSchema`.";
    let diagnostic = Diagnostic::new(message, help).level(Level::Should);
    Some(Wrong { diagnostic, span: found.range() })
}

/// The hint to send a value that the schema of the wrong parameter does not list.
pub(super) fn value(context: &Context<'_>, text: &str) -> Option<Wrong> {
    let failure = context.refused_for()?;
    let named = || failure.value.as_ref().and_then(|value| value.parameters().first().copied());
    let name = failure.valid_values_of.as_deref().or_else(named)?;
    let valid = context.tool?.parameter(name)?.get("enum")?.as_array()?;
    let sent = context.arguments().get(name).filter(|sent| !valid.contains(sent))?.as_str()?;
    let valid: Vec<String> = valid.iter().map(|value| value.to_string().to_lowercase()).collect();
    // Of a value with a space or a slash only a part may be read.
    let is_valid = |word: &str| valid.iter().any(|value| value.contains(&word.to_lowercase()));
    let is_name = |word: &str| {
        context.parameters().any(|name| name == word) || context.head.catalog.tool(word).is_some()
    };
    let listed = listing::listed_values(text, sent);
    // What is not marked as a value may go on with the sentence: "use 'desc' or leave it out".
    let is_led = listed.first().is_some_and(|first| mention::is_marked(text, first));
    let ends = |behind: &str| behind.is_empty() || behind.starts_with([',', '.', ';', ')', ']', '|']);
    let is_item = |word: &str| text.rfind(word).is_some_and(|at| ends(&text[at + word.len()..]));
    let is_marked = |word: &str| mention::is_marked(text, word) || is_led && is_item(word);
    let is_wrong = |word: &&str| is_marked(word) && !is_valid(word) && !is_name(word);
    let wrong = listed.iter().map(String::as_str).filter(|_| listed.len() > 1).find(is_wrong)?;
    let message = format!(
        "the message offers `{}` for `{name}`, which the schema of `{}` does not allow",
        excerpt(wrong),
        context.called()
    );
    let help = "List the values that the `inputSchema` allows, from the place that checks them.";
    let start = text.find(wrong)?;
    let diagnostic = Diagnostic::new(message, help).level(Level::Should);
    Some(Wrong { diagnostic, span: start..start + wrong.len() })
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
}
