//! `leak/debug-format`: a message contains a value in the debug notation of the server's language.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// BC-20: no internal detail in a message; A6 counts a debug format wherever it stands.
pub(crate) static RULE: Rule = Rule::of_reply("leak/debug-format", include_str!("debug_format.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Print the value or the error's message, not its debug notation (`repr`, `{:?}`, `%+v`), and write \
        objects as JSON.";
    super::judged(context, RULE.id, "a value in the notation of the server's programming language", help)
}
