//! `shell/exit-status`: the exit status of a command is missing or wrong.

use crate::expectation::Expected;
use crate::finding::Diagnostic;
use crate::pattern;
use crate::pattern::Pattern;
use crate::rules::{Context, Rule};
use crate::wording::{Echo, says_started, statuses};

/// BC-21: the text includes the exit code and the output; A13 says where it may stand.
pub(crate) static RULE: Rule = Rule::of_reply("shell/exit-status", include_str!("exit_status.toml"), check);

/// The exit status of a command that timed out, and of one ended by signal 9.
const TIMED_OUT: i32 = 124;
const KILLED: i32 = 137;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Expected::Success { exit_status: Some(status), .. } = &context.exchange.place.expected else {
        return Vec::new();
    };
    let Some(result) = context.exchange.outcome.result().filter(|_| context.error.is_none()) else {
        return Vec::new();
    };
    let echo = context.echo();
    let mut reported = Vec::new();
    for text in context.texts() {
        reported.extend(statuses(&echo.blank(text)));
    }
    if let Some(structured) = result.get("structuredContent") {
        reported.extend(statuses(&structured.to_string()));
    }
    if reported.contains(&i64::from(*status)) || told_otherwise(*status, &reported, &context.texts(), echo) {
        return Vec::new();
    }
    let tool = context.called();
    let message = match reported.first() {
        Some(other) => {
            format!("`{tool}` gives the exit status {other} for a command that ended with {status}")
        }
        None => format!("`{tool}` does not give the exit status of a command that ended with {status}"),
    };
    vec![context.diagnostic(message, format!("Append the status to the output: `exit status {status}`."))]
}

/// Whether the end by a signal or by a time-out is reported in another way than by the shell's status for it:
/// by the signal's number or name, or in words (A12). If the reply says that the command was started, another
/// tool reports its end.
pub(in crate::rules) fn told_otherwise(status: i32, reported: &[i64], texts: &[&str], echo: &Echo) -> bool {
    let says = |words: &Pattern| texts.iter().any(|text| words.is_match(&echo.blank(text)));
    // A reply that gives a status anyway must give the right one.
    let was_started = || reported.is_empty() && texts.iter().any(|text| says_started(&echo.blank(text)));
    match status {
        // A command that is still running has no status yet.
        TIMED_OUT => {
            [137, 143, -9, -15, -1].iter().any(|other| reported.contains(other))
                || says(pattern!("state/too-slow"))
                || says(pattern!("state/running"))
                || was_started()
        }
        // A shell adds 128 to the number of the signal.
        KILLED => {
            let is_said = || !reported.contains(&0) && says(pattern!("state/killed"));
            reported.contains(&-9) || reported.contains(&9) || is_said() || was_started()
        }
        _ => was_started(),
    }
}
