//! `channel/false-error`: a call that must succeed is refused.

use crate::expectation::{Authority, Expected};
use crate::finding::{Diagnostic, Level};
use crate::rules::shell::exit_status::told_otherwise;
use crate::rules::{Context, Rule};
use crate::same_call::{self, is_excused, is_refused};
use crate::wording::statuses;

/// BC-07: one byte under the limit must succeed. BC-21: a command that exits non-zero is not an error.
pub(crate) static RULE: Rule = Rule::of_reply("channel/false-error", include_str!("false_error.toml"), check);

/// The requirement that `arguments` may be left out.
const NO_ARGUMENTS: &str = "MCP arguments";
/// The requirement on errors of tools: no sentence of MCP says that calls leave each other alone.
const BETWEEN_CALLS: &str = "MCP isError";

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Expected::Success { exit_status, why, task_limit: false, authority, .. } =
        &context.exchange.place.expected
    else {
        return Vec::new();
    };
    let is_other_calls_doing = same_call::difference(context.exchange).is_some();
    let is_refused = match is_other_calls_doing {
        true => {
            same_call::is_judged(context.exchange)
                && is_refused(context.exchange, context.contract)
                && !is_excused(context.exchange, context.contract)
        }
        false => context.error.is_some() && !context.is_follow(),
    };
    if !is_refused || exit_status.is_some_and(|status| ended_otherwise(context, status)) {
        return Vec::new();
    }
    let message = format!("`{}` refuses a call that must succeed: {why}", context.called());
    let (help, requirement) = match exit_status {
        Some(status) => (
            format!(
                "Answer without `isError`, with the command's output and its exit status ({status}): the \
                 tool did what it was asked to do."
            ),
            "BC-21",
        ),
        None if *authority == Authority::Protocol => {
            ("Take a missing `arguments` for an empty object, and accept both.".to_owned(), NO_ARGUMENTS)
        }
        None if is_other_calls_doing => (
            "Keep what belongs to one call out of what all calls share, and restore what they share on every way out \
             of a call: also where it is refused or cancelled."
                .to_owned(),
            BETWEEN_CALLS,
        ),
        None => ("Accept this call: it is within the server's own limit.".to_owned(), "BC-07"),
    };
    let diagnostic = context.diagnostic(message, help);
    let is_promised = context.contract.requirements.contains_key(requirement);
    vec![match (is_promised, exit_status) {
        _ if requirement == NO_ARGUMENTS => diagnostic.requirement(requirement),
        _ if requirement == BETWEEN_CALLS => diagnostic.requirement(requirement).level(Level::Should),
        (true, Some(_)) if !context.declared => diagnostic.requirement(requirement).level(Level::Should),
        (true, _) => diagnostic.requirement(requirement),
        // Without a promise it is a matter of taste whether an exit status is an error.
        (false, Some(_)) => diagnostic.level(Level::Note),
        (false, None) => diagnostic.level(Level::Should),
    }]
}

/// Whether the refusal gives another exit status than the command must end with: then something else happened than what the
/// case is about, such as where the shell has no `kill`.
fn ended_otherwise(context: &Context<'_>, status: i32) -> bool {
    /// A shell's statuses for a command that it cannot start (POSIX, Shell Command Language, 2.8.2).
    const NOT_STARTED: [i64; 2] = [126, 127];
    let said =
        context.texts().iter().flat_map(|text| statuses(&context.echo().blank(text))).collect::<Vec<_>>();
    said.iter().any(|status| NOT_STARTED.contains(status))
        && !told_otherwise(status, &said, &context.texts(), context.echo())
        && !said.contains(&i64::from(status))
}
