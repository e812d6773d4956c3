//! `effect/done-anyway`: a call was refused, and what it asked for was done.

use std::sync::LazyLock;

use crate::contract::read;
use crate::exchange::Exchange;
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::names::affinity::deletes;
use crate::pattern;
use crate::roles::Role;
use crate::rules::{Context, Control, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::same_call::texts;

/// EE-12: a call that failed changes nothing.
pub(crate) static RULE: Rule = Rule {
    id: "effect/done-anyway",
    tier: Tier::Ungated,
    level: Level::Should,
    handling: Handling { silences: &["channel/false-error"], ..super::HANDLING },
    requirements: &["EE-12", "MCP isError"],
    page: LazyLock::new(|| RulePage::read(include_str!("done_anyway.toml"))),
    check: RuleCheck::Exchange(check),
};

/// A shorter value could be in any text.
const TELLING: usize = 4;
const HELP: &str = "Undo what was done before the call is refused, or answer with a success that says what is left to do: \
    whoever reads that a call failed sends it again.";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    match context.exchange.place.expected {
        Expected::Undone => shown_later(context).into_iter().collect(),
        _ => status_of_success(context).into_iter().collect(),
    }
}

/// What a later call shows of one that was refused.
fn shown_later(context: &Context<'_>) -> Option<Diagnostic> {
    let refused = context.follows?;
    let (tool, first) = (refused.tool()?, read(context.contract, refused)?);
    if pattern!("state/was-done").is_match(&first.text) {
        return None;
    }
    let Control::Succeeded(before) = context.control else { return None };
    let lister = context.called();
    let message = match changed_since(refused, before, context.exchange)? {
        (name, ListedChange::Added) => {
            format!(
                "`{tool}` refused the call, but it was done: `{lister}` lists '{name}' once more after it"
            )
        }
        (name, ListedChange::Removed) => {
            format!(
                "`{tool}` refused the call, but it was done: `{lister}` no longer lists '{name}' after it"
            )
        }
    };
    let mut diagnostic = Diagnostic::new(message, HELP);
    diagnostic.evidence = context.reply();
    Some(diagnostic)
}

/// What became of a text in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListedChange {
    Added,
    Removed,
}

/// A text of the refused call that is listed more often after it than before; of a tool that deletes, one that is listed no
/// more.
fn changed_since<'e>(
    refused: &'e Exchange,
    before: &Exchange,
    after: &Exchange,
) -> Option<(&'e str, ListedChange)> {
    let (before, after) = (before.outcome.result()?.to_string(), after.outcome.result()?.to_string());
    let mut sent = Vec::new();
    texts(&refused.call.arguments, &mut sent);
    let count = |listed: &str, name: &str| listed.matches(name).count();
    let is_deleted = refused.tool().is_some_and(deletes);
    sent.into_iter().filter(|name| name.len() >= TELLING).find_map(|name| {
        let (was, is) = (count(&before, name), count(&after, name));
        match (is_deleted, was, is) {
            (true, 1.., 0) => Some((name, ListedChange::Removed)),
            (false, was, is) if is > was => Some((name, ListedChange::Added)),
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

    /// Whether a call with these words of refusal was done, as the reply to a later one shows.
    fn is_done(words: &str, later: (&str, Outcome), before: &Value) -> bool {
        is_done_by(("create", json!({"title": "alpha-7"})), words, later, before)
    }

    fn is_done_by(
        (refused, sent): (&str, Value),
        words: &str,
        (tool, later): (&str, Outcome),
        before: &Value,
    ) -> bool {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Undone);
        let refused = Exchange::alone(Some(refused), sent, reply(words, true));
        fixture.exchange = Exchange::alone(Some(tool), json!({}), later);
        fixture.exchange.place.expected = Expected::Undone;
        fixture.exchange.place.step = Step::Again;
        let fixture = fixture.answered();
        let before = Exchange::alone(Some(tool), json!({}), reply(&before.to_string(), false));
        let context =
            Context { follows: Some(&refused), control: Control::Succeeded(&before), ..fixture.context() };
        !super::check(&context).is_empty()
    }

    #[test]
    fn what_is_listed_after_a_refused_call_was_done() {
        let later = "Could not be announced: try again later";
        let listed = |list: Value| ("list", reply(&list.to_string(), false));
        assert!(is_done(later, listed(json!(["alpha-7"])), &json!([])));
        assert!(is_done(later, listed(json!(["alpha-7", "alpha-7"])), &json!(["alpha-7"])));
        assert!(!is_done(later, listed(json!(["alpha-7"])), &json!(["alpha-7"])));
        assert!(!is_done(later, listed(json!(["beta"])), &json!([])));
        assert!(!is_done("The note was saved, but not announced", listed(json!(["alpha-7"])), &json!([])));
    }

    #[test]
    fn what_a_refused_call_deleted_is_no_longer_listed() {
        let call = || ("delete_notes", json!({"ids": ["note-7", "absent"]}));
        let listed = |list: Value| ("list_notes", reply(&list.to_string(), false));
        let both = json!(["note-7", "note-8"]);
        assert!(is_done_by(call(), "'absent' does not exist", listed(json!(["note-8"])), &both));
        assert!(!is_done_by(call(), "'absent' does not exist", listed(both.clone()), &both));
        let told = "note-7 was deleted, but 'absent' does not exist";
        assert!(!is_done_by(call(), told, listed(json!(["note-8"])), &both));
        assert!(!is_done_by(
            call(),
            "Deleted 1 of 2: 'absent' does not exist",
            listed(json!(["note-8"])),
            &both
        ));
    }
}
