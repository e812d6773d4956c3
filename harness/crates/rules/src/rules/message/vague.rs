//! `message/vague`: a message says only that something failed.

use std::sync::LazyLock;

use serde_json::Value;

use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Level};
use crate::roles::Role;
use crate::rules::leak::Shown;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier, fix};
use crate::wording::echo::FILL;
use crate::wording::{hint, vague};

/// BC-19: every message states what happened.
pub(crate) static RULE: Rule = Rule {
    id: "message/vague",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling {
        silences: &[
            "message/value-missing",
            "message/valid-values-missing",
            "message/hint-missing",
            "message/hint-repeated",
            "message/wait-missing",
        ],
        ..super::HANDLING
    },
    requirements: &["BC-19", "PL-02"],
    page: LazyLock::new(|| RulePage::read(include_str!("vague.toml"))),
    check: RuleCheck::Exchange(check),
};

/// From this many bytes of a value on, a message counts as naming it: "Invalid parameter: x" says which one was
/// wrong.
const SHOWN: usize = 4;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error else { return Vec::new() };
    // A program that asks for a method reads the code.
    if context.condition() == Some("unknown-method") {
        return Vec::new();
    }
    // A parameter may have the name of the tool: then the name says which value is meant.
    let is_parameter = |name: &&str| context.tool.is_some_and(|tool| tool.parameter(name).is_some());
    let tool = context.exchange.tool().filter(|name| !is_parameter(name));
    let parameters = || context.tool.into_iter().flat_map(|tool| tool.parameters().map(|(name, _)| name));
    // What a command printed may be its input.
    let blank = |text: &str| context.echo().blank(text);
    let names_a_value =
        |text: &str| blank(text).as_bytes().windows(SHOWN).any(|part| part.iter().all(|byte| *byte == FILL));
    let is_vague = |text: &str| {
        vague::is_vague(text, tool) && !vague::names_a_parameter(text, parameters()) && !names_a_value(text)
    };
    let mut beside = error.more.iter().chain(&error.hints).chain(&error.values);
    if beside.any(|text| !vague::is_bare(text) && !is_vague(text)) {
        return Vec::new();
    }
    // "No command was given" has no word that counts, but says what to send.
    let gives_hint = || context.with_asked(|asked| !hint::signs(error.message(), asked).is_empty());
    let is_vague = is_vague(error.message()) && !gives_hint();
    let gives_back = !is_vague
        && vague::may_give_back(error.message())
        && !context.plays(Role::Shell)
        && vague::gives_back(&blank(error.message()), FILL, tool);
    // "Invalid time value" is reported as a leak.
    if !is_vague && !gives_back || context.leaks().iter().any(Shown::is_certain) {
        return Vec::new();
    }
    let message = match (gives_back, has_details(&context.exchange.outcome, error.message())) {
        (true, _) => "the message repeats a value from the call but does not say what is wrong with it",
        (false, true) => {
            "the message says only that the call failed: what happened is in a place that the model does not \
             read"
        }
        (false, false) => "the message says only that the call failed",
    };
    let help = format!("Say what is wrong with which value, and what to send instead.{}", sentence(context));
    let masked = is_masked(error.message()).then(|| fix::in_sdk(&RULE, "the Python SDK")).flatten();
    let help = masked.map_or(help.clone(), |advice| format!("{help} {advice}"));
    let mut diagnostic = Diagnostic::new(message, help);
    // Words alone fail a run only where the server promises what they lack.
    if !context.declared || context.contract.codes.is_empty() {
        diagnostic = diagnostic.level(Level::Should);
    }
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

/// Whether this is the text with which version 2 of the Python SDK replaces an unexpected exception.
fn is_masked(message: &str) -> bool {
    let tool = message.strip_prefix("Error executing tool ");
    tool.is_some_and(|tool| !tool.is_empty() && !tool.contains([' ', ':']))
}

/// Whether `error.data` or `structuredContent` says more than the message.
fn has_details(outcome: &Outcome, message: &str) -> bool {
    let details = match outcome {
        Outcome::Error(error) => error.data.as_ref(),
        Outcome::Result(result) => result.get("structuredContent"),
        _ => None,
    };
    fn says_more(details: &Value, message: &str) -> bool {
        match details {
            Value::Object(members) => members.values().any(|value| says_more(value, message)),
            Value::Array(items) => items.iter().any(|value| says_more(value, message)),
            Value::String(text) => {
                !text.trim().is_empty() && !text.contains(message) && !message.contains(text)
            }
            _ => false,
        }
    }
    details.is_some_and(|details| says_more(details, message))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn what_the_python_sdk_hides_is_told_by_its_own_exception() {
        for (text, is_hidden) in [
            ("Error executing tool view", true),
            ("Error executing tool view: error", false),
            ("Tool error", false),
        ] {
            let fixture = Fixture::refusal(text, &json!({}), Expected::Anything);
            let help = super::check(&fixture.context()).remove(0).help;
            assert_eq!(help.contains("`ToolError`"), is_hidden, "{text}");
        }
    }
}
