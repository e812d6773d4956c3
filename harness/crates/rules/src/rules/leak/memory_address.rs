//! `leak/memory-address`: an address in the server's memory comes through.

use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

/// BC-20: no internal detail in a message.
pub(crate) static RULE: Rule =
    Rule::of_reply("leak/memory-address", include_str!("memory_address.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Print what the object stands for instead of the object: give its type a text representation, or \
         leave it out.";
    super::judged(context, RULE.id, "an address in memory", help)
}
