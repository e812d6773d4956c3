//! `effect/done-anyway`: a call was refused, and what it asked for was done.

use crate::contract::read;
use crate::exchange::Exchange;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence};
use crate::json::texts;
use crate::names::affinity::deletes;
use crate::pattern;
use crate::roles::Role;
use crate::rules::{Context, Control, Rule};

/// EE-12: a call that failed changes nothing.
pub(crate) static RULE: Rule = Rule::of_reply("effect/done-anyway", include_str!("done_anyway.toml"), check);

/// A shorter value could be in any text.
const TELLING: usize = 4;
const HELP: &str = "Undo what was done before the call is refused, or answer with a success that says what is left to do: \
    whoever reads that a call failed sends it again.";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    match context.exchange.place.expected {
        Expected::Undone => shown_later(context).or_else(|| exists_since(context)).into_iter().collect(),
        // The service failed, whatever status its answer began with.
        _ if context.is_failure_of_service() => Vec::new(),
        _ => status_of_success(context).into_iter().collect(),
    }
}

/// What a later call shows of one that was refused.
fn shown_later(context: &Context<'_>) -> Option<Diagnostic> {
    let refused = context.follows.filter(|refused| refused.tool() != context.exchange.tool())?;
    let (tool, first) = (refused.tool()?, read(context.contract, refused)?);
    if pattern!("state/was-done").is_match(&first.text) {
        return None;
    }
    let Control::Succeeded(before) = context.control else { return None };
    let lister = context.called();
    let changed = changed_since(refused, before, context.exchange)?;
    let message = format!("`{tool}` refused the call, but it was done: `{lister}` {changed} after it");
    Some(context.diagnostic(message, HELP))
}

/// The repeated call is refused because something that only this call names already exists.
fn exists_since(context: &Context<'_>) -> Option<Diagnostic> {
    let (refused, again) = (context.follows?, context.error?);
    let first = read(context.contract, refused).filter(|_| refused.tool() == context.exchange.tool())?;
    let Control::Succeeded(control) = context.control else { return None };
    let exists =
        |text: &str| pattern!("state/exists").is_match(text) || pattern!("state/taken").is_match(text);
    if exists(&first.text) || pattern!("state/was-done").is_match(&first.text) || !exists(&again.text) {
        return None;
    }
    let known: Vec<&str> = texts(&control.call.arguments).collect();
    let is_own = |name: &&str| name.len() >= TELLING && !known.contains(name);
    let names = texts(&refused.call.arguments).filter(is_own);
    let (name, at) = names.into_iter().find_map(|name| Some((name, again.text.find(name)?)))?;
    let message = format!(
        "`{}` refused the call, but it was done: the same call is refused now because '{name}' exists",
        context.called()
    );
    Some(Diagnostic::new(message, HELP).evidence(Evidence::marked(&again.text, at..at + name.len())))
}

/// That a text of the refused call is listed more often after it than before; for a tool that deletes, that one is listed no
/// more.
fn changed_since(refused: &Exchange, before: &Exchange, after: &Exchange) -> Option<String> {
    let (before, after) = (before.outcome.result()?.to_string(), after.outcome.result()?.to_string());
    let count = |listed: &str, name: &str| listed.matches(name).count();
    let is_deleted = refused.tool().is_some_and(deletes);
    texts(&refused.call.arguments).filter(|name| name.len() >= TELLING).find_map(|name| {
        let (was, is) = (count(&before, name), count(&after, name));
        match (is_deleted, was, is) {
            (true, 1.., 0) => Some(format!("no longer lists '{name}'")),
            (false, was, is) if is > was => Some(format!("lists '{name}' once more")),
            _ => None,
        }
    })
}

/// An error that gives the status with which a service says that it did what it was asked.
fn status_of_success(context: &Context<'_>) -> Option<Diagnostic> {
    let error = context.error.filter(|_| !context.plays(Role::Shell))?;
    let text = context.echo().blank(&error.text);
    let found = pattern!("state/status-of-success").find(&text)?;
    if pattern!("state/answer-unread").is_match(&text) {
        return None;
    }
    let message = format!(
        "`{}` answers with an error, although the service behind it said that it was done ({})",
        context.called(),
        found.as_str()
    );
    let evidence = match error.text.find(found.as_str()) {
        Some(start) => Evidence::marked(&error.text, start..start + found.len()),
        None => Evidence::whole(error.text.as_str()),
    };
    let help = "Take every status from 200 to 299 for a success.";
    Some(Diagnostic::new(message, help).evidence(evidence))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::exchange::{Exchange, Outcome, Step};
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;
    use crate::rules::{Context, Control};

    fn reply(text: &str, is_error: bool) -> Outcome {
        Outcome::Result(json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
    }

    /// Whether a call was done that was refused in these words, by what is listed before and after it.
    fn is_done(tool: &str, sent: &Value, words: &str, [before, after]: [&Value; 2]) -> bool {
        let refused = Exchange::alone(Some(tool), sent.clone(), reply(words, true));
        let listed = |list: &Value| Exchange::alone(Some("list"), json!({}), reply(&list.to_string(), false));
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Undone);
        fixture.exchange = listed(after);
        fixture.exchange.place.expected = Expected::Undone;
        fixture.exchange.place.step = Step::Again;
        let (fixture, before) = (fixture.answered(), listed(before));
        let context =
            Context { follows: Some(&refused), control: Control::Succeeded(&before), ..fixture.context() };
        !super::check(&context).is_empty()
    }

    #[test]
    fn what_is_listed_after_a_refused_call_was_done() {
        let later = "Could not be announced: try again later";
        for (words, before, after, expected) in [
            (later, json!([]), json!(["alpha-7"]), true),
            (later, json!(["alpha-7"]), json!(["alpha-7", "alpha-7"]), true),
            (later, json!(["alpha-7"]), json!(["alpha-7"]), false),
            (later, json!([]), json!(["beta"]), false),
            ("The note was saved, but not announced", json!([]), json!(["alpha-7"]), false),
        ] {
            let found = is_done("create", &json!({"title": "alpha-7"}), words, [&before, &after]);
            assert_eq!(found, expected, "{words}: {before} {after}");
        }
    }

    #[test]
    fn what_a_refused_call_deleted_is_no_longer_listed() {
        let (sent, both) = (json!({"ids": ["note-7", "absent"]}), json!(["note-7", "note-8"]));
        for (words, after, expected) in [
            ("'absent' does not exist", json!(["note-8"]), true),
            ("'absent' does not exist", both.clone(), false),
            ("note-7 was deleted, but 'absent' does not exist", json!(["note-8"]), false),
            ("Deleted 1 of 2: 'absent' does not exist", json!(["note-8"]), false),
        ] {
            let found = is_done("delete_notes", &sent, words, [&both, &after]);
            assert_eq!(found, expected, "{words}: {after}");
        }
    }
}
