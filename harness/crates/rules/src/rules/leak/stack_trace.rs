//! `leak/stack-trace`: frames of the server's own call stack come through.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// BC-20: no stack trace in a message.
pub(crate) static RULE: Rule = Rule::of_reply("leak/stack-trace", include_str!("stack_trace.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Answer with one sentence for the caller, and write the trace to the log, where only you can read \
         it.";
    super::judged(context, RULE.id, "the server's call stack", help)
}
