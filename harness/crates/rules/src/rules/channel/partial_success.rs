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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn found(object: &serde_json::Value, tool: &str) -> usize {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        let content = json!([{"type": "text", "text": object.to_string()}]);
        fixture.exchange.outcome = Outcome::Result(json!({"content": content}));
        fixture.exchange.call.tool = Some(tool.to_owned());
        super::check(&fixture.answered().context()).len()
    }

    #[test]
    fn a_success_of_which_a_part_failed_is_told() {
        for object in [
            json!({"success": true, "results": [{"ok": true}, {"ok": false}]}),
            json!({"status": "ok", "edits": [{"id": 1}, {"id": 2, "status": "failed", "error": "no match"}]}),
            json!({"ok": true, "applied": 1, "items": [{"success": false, "error": "x"}, {"success": true}]}),
        ] {
            assert_eq!(found(&object, "apply_edits"), 1, "{object}");
        }
    }

    #[test]
    fn an_item_that_is_left_out_without_a_word_is_told() {
        let found = |name: &str, items: &serde_json::Value, texts: [&str; 2]| {
            let reply = |text: &str| Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
            let mut fixture = Fixture::of(&super::RULE.page.bad);
            let control = fixture.control.as_mut().expect("the example has one");
            control.call.arguments = json!({ name: ["a1", "b2"] });
            control.outcome = reply(texts[0]);
            fixture.exchange.call.arguments = json!({ name: items });
            fixture.exchange.outcome = reply(texts[1]);
            super::check(&fixture.answered().context()).len()
        };
        let (more, two) = (json!(["a1", "b2", "x9"]), "Deleted 2 items");
        let list = r#"[{"id": "a1"}, {"id": "b2"}]"#;
        assert_eq!(found("ids", &more, [two, two]), 1);
        assert_eq!(found("note_ids", &more, [list, list]), 1);
        assert_eq!(found("labels", &more, [two, two]), 0, "two labels may lead to anything");
        assert_eq!(found("ids", &more, [two, "Deleted 2 items; x9 does not exist"]), 0);
        assert_eq!(found("ids", &more, ["Done", "Done"]), 0, "it counts nothing");
        assert_eq!(found("ids", &json!(["a1", "b2", "b2"]), [two, two]), 0);
        assert_eq!(found("ids", &json!(["a1", "x9"]), [two, two]), 0);
    }

    #[test]
    fn what_the_top_tells_and_what_was_asked_for_is_no_finding() {
        for object in [
            json!({"success": true, "failed": 1, "results": [{"ok": true}, {"ok": false}]}),
            json!({"success": true, "message": "1 of 2 edits applied", "results": [{"ok": true}, {"ok": false}]}),
            json!({"success": true, "partial": true, "results": [{"ok": true}, {"ok": false}]}),
            json!({"success": true, "results": [{"ok": true}, {"ok": true}]}),
            json!({"success": true, "results": [{"ok": false}, {"ok": false}]}),
            json!({"results": [{"ok": true}, {"ok": false}]}),
            json!({"success": true, "jobs": [{"id": 1}, {"id": 2, "status": "failed"}]}),
            json!({"success": true, "results": [{"ok": true}, "x"]}),
        ] {
            assert_eq!(found(&object, "apply_edits"), 0, "{object}");
        }
        assert_eq!(
            found(&json!({"success": true, "results": [{"ok": true}, {"ok": false}]}), "validate_all"),
            0
        );
    }
}
