//! `message/empty`: an error reply has no message.

use crate::finding::Diagnostic;
use crate::rules::should_read::sentence;
use crate::rules::{Context, Rule};

/// BC-01: ... followed by a non-empty message.
pub(crate) static RULE: Rule = Rule::of_reply("message/empty", include_str!("empty.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|error| error.message().trim().is_empty()) else {
        return Vec::new();
    };
    let message = match error.code() {
        Some(code) => {
            format!("the error reply of `{}` has a code (`{code}`) but no message", context.called())
        }
        None => format!("the error reply of `{}` has no text", context.called()),
    };
    let help = format!("Say what is wrong with which value, and what to send instead.{}", sentence(context));
    vec![context.diagnostic(message, help)]
}
