//! `message/hint-missing`: nothing in the message says how to fix the call.

use crate::condition;
use crate::contract::ErrorReply;
use crate::expectation::{ExpectedFailure, ExpectedValue};
use crate::finding::{Diagnostic, Level};
use crate::json::texts;
use crate::rules::message::value_missing::{is_of_another, is_of_state, names_zero_divisor};
use crate::rules::should_read::{sentence, suggested};
use crate::rules::{Context, Rule};
use crate::wording::echo::FILL;
use crate::wording::escape::readings;
use crate::wording::hint::{self, Advice};
use crate::wording::mention;

/// BC-19: when applicable, the message suggests how to fix the request. BC-14 names `replace_all`.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/hint-missing", include_str!("hint_missing.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let (Some(error), Some(failure)) = (context.error, asked_for(context)) else { return Vec::new() };
    // The hint must be about this fault, not about another argument, which may be right.
    let is_of_another = |value: &ExpectedValue| is_of_another(context, error, value);
    if context.succeeded_control().is_none() && failure.value.as_ref().is_some_and(is_of_another) {
        return Vec::new();
    }
    let is_of_an_argument = failure.value.as_ref().is_some_and(|value| !value.parameters().is_empty());
    if failure.hint.is_none() && is_of_an_argument && is_of_state(context, error) {
        return Vec::new();
    }
    let condition = failure.condition.0.replace('-', " ");
    let mut diagnostic = match &failure.hint {
        Some(hint) => {
            if error.advice().any(|text| mention::names_parameter(text, &hint.parameter)) {
                return Vec::new();
            }
            let way = format!("`{}: {}`", hint.parameter, hint.value);
            context
                .diagnostic(
                    format!("the message does not say that {way} fixes the call ({condition})"),
                    format!("Name the solution in the message: \"... or send {way}\".{}", sentence(context)),
                )
                .level(Level::Must)
        }
        None => {
            // Whoever reads "division by zero" knows that another number is wanted.
            let divides_by_zero = |value: &ExpectedValue| names_zero_divisor(context, error, value);
            if is_told_by_name(context, error, failure)
                || failure.value.as_ref().is_some_and(divides_by_zero)
                || advice(context, error) != Advice::Lacking
                || is_cut_within_a_value(context, error)
            {
                return Vec::new();
            }
            context.diagnostic(
                format!("nothing in the message says how to fix the call ({condition})"),
                match condition::next_step(&failure.condition.0) {
                    Some(step) => format!("End the message with the next step: {step}.{}", hint(context)),
                    None => format!("End the message with the next step.{}", hint(context)),
                },
            )
        }
    };
    diagnostic.requirement =
        context.answer().filter(|_| failure.hint.is_some()).map(|answer| answer.requirement.clone());
    vec![diagnostic]
}

/// Whether the message ends within a long value of the caller's: what stood behind it was cut, so that it is unknown.
fn is_cut_within_a_value(context: &Context<'_>, error: &ErrorReply) -> bool {
    /// A shorter value is rarely cut.
    const LONG: usize = 200;
    let blank = context.echo().blank(error.message());
    let blank = blank.trim_end_matches(['.', '\u{2026}']);
    let shown = blank.len() - blank.trim_end_matches(char::from(FILL)).len();
    let is_longer = |sent: &str| sent.len() > shown;
    shown >= LONG && texts(context.arguments()).any(is_longer)
}

/// The example sentence, if this rule would take it for a hint.
fn hint(context: &Context<'_>) -> String {
    let example = sentence(context);
    let is_hint = suggested(&example)
        .1
        .is_some_and(|text| context.with_asked(|asked| hint::advice(text, asked) == Advice::Given));
    if is_hint { example } else { String::new() }
}

/// Whether the message is in a language that is not analysed, so that the rule gives no verdict on it.
pub(in crate::rules) fn is_unread(context: &Context<'_>) -> bool {
    let (Some(error), Some(failure)) = (context.error, asked_for(context)) else { return false };
    let is_foreign = || context.with_asked(|asked| hint::is_foreign(error.message(), asked));
    failure.hint.is_none()
        && is_foreign()
        && !is_told_by_name(context, error, failure)
        && advice(context, error) == Advice::Unread
}

/// The expected failure, if the reply must say how to fix it.
fn asked_for<'a>(context: &'a Context<'_>) -> Option<&'a ExpectedFailure> {
    context.refused_for().filter(|_| context.is_repairable())
}

/// Whether a name alone is a sufficient hint: that of a missing argument, or of a surplus one that is called
/// unknown.
fn is_told_by_name(context: &Context<'_>, error: &ErrorReply, failure: &ExpectedFailure) -> bool {
    let names = |text: &str| {
        failure.value.as_ref().is_some_and(|value| {
            mention::mentions(text, value, &context.head.folders)
                || value.parameters().iter().any(|name| mention::stands_as_word(text, name))
        })
    };
    match failure.condition.0.as_str() {
        // A surplus argument is fixed by leaving it out, so naming it as unknown is enough.
        "unknown-argument" => {
            // The argument's own name may contain such words.
            let parameters = failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
            let unnamed =
                |text: &str| parameters.iter().fold(text.to_owned(), |text, name| text.replace(name, "''"));
            error
                .advice()
                .flat_map(readings)
                .any(|text| names(&text) && hint::calls_it_unknown(&unnamed(&text)))
        }
        // Naming what is missing says what to send; of several missing arguments one is enough. A message that
        // names what already exists need not say that another name would do.
        "missing-argument" | "missing-prompt-argument" | "already-exists" => error.advice().any(names),
        _ => false,
    }
}

/// Whether the reply says how to fix the call.
pub(super) fn gives_advice(context: &Context<'_>, error: &ErrorReply) -> bool {
    advice(context, error) == Advice::Given
}

/// What the reply says on how to fix the call, in its texts and structured data.
fn advice(context: &Context<'_>, error: &ErrorReply) -> Advice {
    if error.values.iter().any(|data| hint::lists_beside(data)) {
        return Advice::Given;
    }
    context.with_asked(|asked| {
        let mut read = Advice::Lacking;
        for text in error.advice() {
            match hint::advice(text, asked) {
                Advice::Given => return Advice::Given,
                Advice::Unread => read = Advice::Unread,
                Advice::Lacking => {}
            }
        }
        read
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::rules::fixture::Fixture;

    #[test]
    fn only_a_hint_that_the_contract_demands_has_its_requirement() {
        let check = |hint: serde_json::Value| {
            let expected = json!({"failure": {"condition": "ambiguous-match", "value": null, "hint": hint, "valid_values_of": null}});
            let expected = serde_json::from_value(expected).expect("an expectation");
            super::check(&Fixture::refusal("3 times", &json!({}), expected).context()).remove(0).requirement
        };
        assert_eq!(check(json!({"parameter": "replace_all", "value": true})).as_deref(), Some("BC-14"));
        assert_eq!(check(json!(null)), None);
    }
}
