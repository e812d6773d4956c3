//! `channel/partial-success`: a reply reports success although one of its items failed.

use serde_json::{Map, Value};

use crate::exchange::Step;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::json::texts;
use crate::names::affinity::deletes;
use crate::names::name_words;
use crate::pattern;
use crate::rules::{Context, Rule};

/// A60: what a batch reports that was done only in part.
pub(crate) static RULE: Rule =
    Rule::of_reply("channel/partial-success", include_str!("partial_success.toml"), check);

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
        return vec![context.diagnostic(message, help)];
    }
    if let Some((name, item)) = counted_in(context) {
        let message = format!(
            "`{}` counts an item of `{name}` that does not exist ({item}) among those that it deleted",
            context.called()
        );
        let help =
            "Say which items were deleted and which were not found; better, delete all of them or nothing.";
        return vec![context.diagnostic(message, help).level(Level::Should)];
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
    let is_of_things =
        |name: &str| name_words(name).last().is_some_and(|word| THINGS.contains(&word.as_str()));
    let is_thing = match (item, known.last()?) {
        // It is the item before it, but for the member that says which thing it is about.
        (Value::Object(item), Value::Object(before)) => {
            let mut changed = item.iter().filter(|(name, value)| before.get(*name) != Some(*value));
            // A name may be one that the item gets.
            let is_other = |(name, _): (&String, &Value)| is_of_things(name) && !name.ends_with("name");
            changed.next().is_some_and(is_other) && changed.next().is_none()
        }
        _ => is_of_things(name),
    };
    if !is_one_more || !is_thing || known.contains(item) {
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

/// The parameter and the item that does not exist, which a call of a tool that deletes sends beyond what its control sends, where
/// the reply counts or names it as the control's counts or names what it deleted.
fn counted_in<'a>(context: &Context<'a>) -> Option<(&'a str, &'a Value)> {
    let control = context.succeeded_control().filter(|_| deletes(context.called()))?;
    let (sent, before) = (context.arguments().as_object()?, context.own(control).as_object()?);
    let longer = |(name, value): (&'a String, &'a Value)| {
        let (items, known) = (value.as_array()?, before.get(name)?.as_array()?);
        let (item, rest) = items.split_last()?;
        let is_absent = item.as_str().is_some_and(|item| pattern!("state/absent-item").is_match(item));
        (rest.len() == known.len() && !known.is_empty() && is_absent).then_some((name, item, known.len()))
    };
    let (name, item, count) = sent.iter().find_map(longer)?;
    let (reply, others) = (context.exchange.outcome.texts().join("\n"), control.outcome.texts().join("\n"));
    if pattern!("state/taken-up").is_match(&reply) {
        return None;
    }
    let (told, named) = without_items(&reply, sent.get(name)?, count + 1);
    let (told_before, named_before) = without_items(&others, before.get(name)?, count);
    // Wherever the control's names an item, this one must name each of its own.
    let names_all = named > 0 && named * count == named_before * (count + 1);
    // A command that is suggested names the items too.
    let names_all = names_all && pattern!("state/deleted").is_match(&reply);
    let is_counted = named == 0 && named_before == 0 && told.iter().any(|word| word == "#");
    ((names_all || is_counted) && told == told_before).then_some((name, item))
}

/// The words of a reply with one mark for items of the list in a row and one for their number, and how often items are
/// named: another call deletes other things.
fn without_items(text: &str, list: &Value, count: usize) -> (Vec<String>, usize) {
    const ITEM: &str = "\u{1}";
    let named = texts(list).filter(|item| !item.is_empty());
    let text = named.fold(text.to_owned(), |text, item| text.replace(item, " \u{1} "));
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '\u{1}');
    let mut words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let named = words.iter().filter(|word| *word == ITEM).count();
    words.dedup_by(|word, before| word == ITEM && before == ITEM);
    let number = count.to_string();
    words.iter_mut().filter(|word| **word == number).for_each(|word| "#".clone_into(word));
    (words, named)
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
    let holds_one = |text: &str| {
        let lower = text.to_lowercase();
        TOLD.iter().any(|word| lower.contains(word))
    };
    let says = |text: &str| holds_one(text) || text.to_lowercase().contains(" of ") || text.contains('/');
    let is_told = |(name, value): (&String, &Value)| {
        holds_one(name) && !matches!(value, Value::Null | Value::Bool(false))
            || value.as_str().is_some_and(says)
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
    let is_false = |name: &&str| item.get(*name) == Some(&Value::Bool(false));
    let has_error = item.get("error").and_then(Value::as_str).is_some_and(|error| !error.trim().is_empty());
    let status = item.get("status").and_then(Value::as_str).map(str::to_lowercase);
    let has_failed = status.is_some_and(|status| ["failed", "error", "failure"].contains(&status.as_str()));
    ["success", "ok", "succeeded"].iter().any(is_false) || has_failed && has_error
}

/// Whether a tool checks things: then a failed item is the requested result.
fn checks(tool: &str) -> bool {
    const CHECKS: [&str; 11] =
        ["valid", "check", "lint", "verif", "test", "audit", "scan", "status", "list", "log", "history"];
    let tool = tool.to_ascii_lowercase();
    CHECKS.iter().any(|word| tool.contains(word))
}
