//! `message/valid-values-missing`: a value outside a closed set was refused, and the set is not listed.

use crate::finding::{Diagnostic, Level};
use crate::json::as_text;
use crate::rules::{Context, Rule};
use crate::wording::{self, hint, listing, mention};

/// BC-16, BC-18: the message lists the valid values.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/valid-values-missing", include_str!("valid_values_missing.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(failure)) = (context.error, context.refused_for()) else { return Vec::new() };
    let Some(parameter) = &failure.valid_values_of else { return Vec::new() };
    let sent = context.arguments().get(parameter);
    // The only item of a list stands for it.
    let only = sent
        .and_then(serde_json::Value::as_array)
        .and_then(|items| items.first().filter(|_| items.len() == 1));
    let bad = only.or(sent).map(as_text).unwrap_or_default();
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
    let mut diagnostic = context.diagnostic(message, help);
    let requirement = context.answer().map(|answer| answer.requirement.as_str());
    diagnostic.requirement = requirement.map(str::to_owned);
    let is_promised = requirement.is_some_and(|requirement| RULE.rests_on(requirement));
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
    let listed = schema.and_then(|schema| schema.get("enum").or_else(|| schema.pointer("/items/enum")));
    let values = listed.and_then(serde_json::Value::as_array);
    values.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}
