//! `envelope/error-in-success`: the reply to a successful call has the members of an error.

use serde_json::Value;

use crate::contract::ReplyForm;
use crate::expectation::Expected;
use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

use super::object;

/// EE-14: a success has none of the error's members. PD-07: it has neither `error` nor `problem`.
pub(crate) static RULE: Rule =
    Rule::of_reply("envelope/error-in-success", include_str!("error_in_success.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let ReplyForm::Json(form) = &context.contract.form else { return Vec::new() };
    let must_succeed = matches!(context.exchange.place.expected, Expected::Success { .. });
    if !must_succeed || !context.answered_without_error() {
        return Vec::new();
    }
    let Some(object) = object::first(&context.exchange.outcome) else { return Vec::new() };
    let is_there = |place: &&String| object.pointer(place).is_some_and(|value| !matches!(value, Value::Null));
    let found: Vec<String> =
        form.error_only.iter().filter(is_there).map(|place| format!("`{place}`")).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "`{}` answers a successful call with members that only an error has: {}",
        context.called(),
        found.join(", ")
    );
    let mut diagnostic = Diagnostic::new(message, "Omit these members from every success.");
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}
