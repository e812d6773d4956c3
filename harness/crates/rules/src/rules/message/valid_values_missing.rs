//! `message/valid-values-missing`: a value outside a closed set was refused, and the set is not listed.

use std::sync::LazyLock;

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::wording::{self, hint, listing, mention};

/// BC-16, BC-18: the message lists the valid values.
pub(crate) static RULE: Rule = Rule {
    id: "message/valid-values-missing",
    tier: Tier::Gated,
    level: Level::Must,
    handling: Handling { silences: &["message/hint-missing"], ..super::HANDLING },
    requirements: &["BC-16", "BC-18", "PL-02"],
    page: LazyLock::new(|| RulePage::read(include_str!("valid_values_missing.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(failure)) = (context.error, context.refused_for()) else { return Vec::new() };
    let Some(parameter) = &failure.valid_values_of else { return Vec::new() };
    let sent = context.arguments().get(parameter);
    let bad =
        sent.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).unwrap_or_default();
    if error.texts().any(|text| !listing::listed_values(text, &bad).is_empty()) {
        return Vec::new();
    }
    // A message that names all values has listed them, in whatever form.
    let valid = known(context, parameter);
    let names_all = |text: &str| {
        let lower = text.to_lowercase();
        valid.iter().all(|value| mention::stands_in(&lower, &value.to_lowercase()))
    };
    if valid.len() > 1 && error.texts().any(names_all) {
        return Vec::new();
    }
    // If the set is unknown, only grammar could tell what is listed.
    if valid.is_empty() && context.with_asked(|asked| hint::is_foreign(error.message(), asked)) {
        return Vec::new();
    }
    let message =
        format!("`{}` is refused for `{parameter}` without listing the valid values", wording::excerpt(&bad));
    let list = if valid.is_empty() { "...".to_owned() } else { valid.join(", ") };
    let help = format!("List them: \"valid values for {parameter}: {list}\".");
    let mut diagnostic = Diagnostic::new(message, help);
    diagnostic.evidence = context.reply();
    let requirement = context.answer().map(|answer| answer.requirement.as_str());
    diagnostic.requirement = requirement.map(str::to_owned);
    let is_promised = requirement.is_some_and(|requirement| RULE.requirements.contains(&requirement));
    // Words with neither the value nor the parameter's name may be about something else.
    let is_about_it = error.texts().any(|text| {
        let lower = text.to_lowercase();
        mention::stands_in(&lower, &bad.to_lowercase()) || mention::names_parameter(text, parameter)
    });
    if !is_promised || !is_about_it {
        diagnostic = diagnostic.level(Level::Should);
    }
    vec![diagnostic]
}

/// The values that the tool's own schema lists.
fn known<'a>(context: &Context<'a>, parameter: &str) -> Vec<&'a str> {
    let schema = context.tool.and_then(|tool| tool.parameter(parameter));
    let values = schema.and_then(|schema| schema.get("enum")).and_then(serde_json::Value::as_array);
    values.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::finding::{Diagnostic, Level};
    use crate::rules::Example;
    use crate::rules::fixture::Fixture;

    /// Judges the rule's own example with this text and this schema of the parameter.
    fn check(text: &str, schema: &Value, condition: &str) -> Vec<Diagnostic> {
        let reply = json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": text}], "isError": true}});
        let mut fixture = Fixture::of(&Example { reply: reply.to_string(), ..super::RULE.page.bad.clone() });
        let tools = &mut fixture.head.catalog.tools;
        let tool = tools.iter_mut().find(|tool| tool.name == "grep").expect("the tool is there");
        tool.input_schema["properties"]["output_mode"] = schema.clone();
        let expected = json!({"failure": {"condition": condition, "value": null, "hint": null, "valid_values_of": "output_mode"}});
        fixture.exchange.place.expected = serde_json::from_value(expected).expect("an expectation");
        super::check(&fixture.context())
    }

    #[test]
    fn the_help_lists_the_values_of_the_schema_where_it_has_any() {
        for (schema, list) in [
            (json!({"enum": ["content", "count"]}), "\"valid values for output_mode: content, count\""),
            (json!({"type": "string"}), "\"valid values for output_mode: ...\""),
        ] {
            let diagnostic = check("[X] lines is wrong.", &schema, "invalid-output-mode").remove(0);
            assert!(diagnostic.help.contains(list), "{}", diagnostic.help);
        }
    }

    #[test]
    fn a_missing_list_is_a_must_only_where_the_contract_demands_it() {
        for (condition, requirement, level) in [
            ("invalid-output-mode", Some("BC-16"), None),
            ("missing-argument", Some("BC-04"), Some(Level::Should)),
            ("invalid-enum-value", None, Some(Level::Should)),
        ] {
            let diagnostic = check("[X] lines is wrong.", &json!({}), condition).remove(0);
            assert_eq!(
                (diagnostic.requirement.as_deref(), diagnostic.level),
                (requirement, level),
                "{condition}"
            );
        }
    }
}
