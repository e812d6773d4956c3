//! `channel/partial-success`: a reply reports success although one of its items failed.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::exchange::Step;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::names::name_words;
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

/// A60: what a batch reports that was done only in part.
pub(crate) static RULE: Rule = Rule {
    id: "channel/partial-success",
    tier: Tier::Ungated,
    level: Level::Note,
    handling: super::HANDLING,
    requirements: &["A60"],
    page: LazyLock::new(|| RulePage::read(include_str!("partial_success.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let is_asked = matches!(context.exchange.place.step, Step::Call | Step::Follow | Step::Again);
    if !is_asked || !context.answered_without_error() || checks(context.called()) {
        return Vec::new();
    }
    if let Some((name, item)) = left_out(context) {
        let message = format!(
            "`{}` says nothing of an item of `{name}` that it left out ({item}): the reply is the one to the call \
             without it",
            context.called()
        );
        let help = "Say for which items nothing was done or found, and why; better, do all of it or nothing.";
        let mut diagnostic = Diagnostic::new(message, help);
        diagnostic.evidence = context.reply();
        return vec![diagnostic];
    }
    let structured = context.exchange.outcome.result().and_then(|result| result.get("structuredContent"));
    let texts = context.exchange.outcome.texts();
    let read = |text: &&str| text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok())?;
    let objects = texts.iter().filter_map(|text| Some((read(text)?, (*text).to_owned())));
    let objects = objects.chain(structured.map(|value| (value.clone(), value.to_string())));
    for (value, text) in objects {
        let Some(list) = value.as_object().and_then(failed_in_part) else { continue };
        let message = format!(
            "`{}` reports success, although some items in its `{list}` report failure",
            context.called()
        );
        let help = "Say at the top how many items failed and which, or set `success: false`; better, do all of it \
            or nothing.";
        return vec![Diagnostic::new(message, help).evidence(Evidence::whole(text))];
    }
    Vec::new()
}

/// The parameter and the item that a call sends beyond what its control sends, where both get the same reply with as many
/// results as the control has items. Only where each item is one thing by its parameter's name: what a list of labels or of
/// columns leads to need not be as long.
fn left_out<'a>(context: &Context<'a>) -> Option<(&'a str, &'a Value)> {
    const THINGS: [&str; 16] = [
        "id", "ids", "uuid", "uuids", "key", "keys", "name", "names", "path", "paths", "file", "files",
        "uri", "uris", "url", "urls",
    ];
    let control = context.succeeded_control()?;
    let (sent, before) = (context.arguments().as_object()?, context.own(control).as_object()?);
    let mut differing = sent.iter().filter(|(name, value)| before.get(*name) != Some(*value));
    let (name, value) = differing.next().filter(|_| sent.len() == before.len())?;
    let (items, known) = (value.as_array()?, before.get(name)?.as_array()?);
    let (item, rest) = items.split_last()?;
    let is_one_more = differing.next().is_none() && rest == known.as_slice() && !known.is_empty();
    let is_of_things = name_words(name).last().is_some_and(|word| THINGS.contains(&word.as_str()));
    if !is_one_more || !is_of_things || known.contains(item) {
        return None;
    }
    let (texts, others) = (context.exchange.outcome.texts(), control.outcome.texts());
    let counts = |text: &&str| {
        let list = serde_json::from_str::<Value>(text).ok();
        let list = list.as_ref().and_then(|value| {
            value.as_array().or_else(|| value.as_object()?.values().find_map(Value::as_array))
        });
        let of_list = list.is_some_and(|list| list.len() == known.len());
        let count = known.len().to_string();
        of_list || text.split(|char: char| !char.is_alphanumeric()).any(|word| word == count)
    };
    (!texts.is_empty() && texts == others && texts.iter().any(counts)).then_some((name, item))
}

/// The list of an object that reports success, in which some items failed without a note at the object's top
/// level.
fn failed_in_part(object: &Map<String, Value>) -> Option<&str> {
    const TOLD: [&str; 14] = [
        "fail",
        "error",
        "partial",
        "warn",
        "skip",
        "reject",
        "issue",
        "problem",
        "invalid",
        "only",
        "except",
        "incomplete",
        "some",
        "not ",
    ];
    let says = |text: &str| {
        let lower = text.to_lowercase();
        TOLD.iter().any(|word| lower.contains(word)) || lower.contains(" of ") || lower.contains('/')
    };
    let is_told = |(name, value): (&String, &Value)| {
        let named = TOLD.iter().any(|word| name.to_lowercase().contains(word));
        named && !matches!(value, Value::Null | Value::Bool(false)) || value.as_str().is_some_and(says)
    };
    if !succeeds(object) || object.iter().any(is_told) {
        return None;
    }
    object.iter().find_map(|(name, value)| {
        let items: Vec<_> = value.as_array()?.iter().map(Value::as_object).collect::<Option<_>>()?;
        let failed = items.iter().filter(|item| fails(item)).count();
        (failed > 0 && failed < items.len()).then_some(name.as_str())
    })
}

fn succeeds(object: &Map<String, Value>) -> bool {
    let is_true = |name: &&str| object.get(*name) == Some(&Value::Bool(true));
    let status = object.get("status").and_then(Value::as_str).map(str::to_lowercase);
    ["success", "ok", "succeeded"].iter().any(is_true)
        || status.is_some_and(|status| ["success", "succeeded", "ok"].contains(&status.as_str()))
}

/// Whether an item reports that it failed.
fn fails(item: &Map<String, Value>) -> bool {
    let is_false = |name: &&str| object_is(item, name, false);
    let status = item.get("status").and_then(Value::as_str).map(str::to_lowercase);
    let has_error = item.get("error").and_then(Value::as_str).is_some_and(|error| !error.trim().is_empty());
    ["success", "ok", "succeeded"].iter().any(is_false)
        || status.is_some_and(|status| ["failed", "error", "failure"].contains(&status.as_str())) && has_error
}

fn object_is(object: &Map<String, Value>, name: &str, value: bool) -> bool {
    object.get(name) == Some(&Value::Bool(value))
}

/// Whether a tool checks things: then a failed item is the requested result.
fn checks(tool: &str) -> bool {
    const CHECKS: [&str; 11] =
        ["valid", "check", "lint", "verif", "test", "audit", "scan", "status", "list", "log", "history"];
    let tool = tool.to_ascii_lowercase();
    CHECKS.iter().any(|word| tool.contains(word))
}
