//! `wire/oversized`: a line is longer than this program reads.

use crate::exchange::{Outcome, Oversized, StrayMessage};
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// No document limits the size of a message, but a reader must.
pub(crate) static RULE: Rule = Rule::of_reply("wire/oversized", include_str!("oversized.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let reply = match &context.exchange.outcome {
        Outcome::Oversized(oversized) => Some((format!("the reply to `{}`", context.called()), oversized)),
        _ => None,
    };
    let strays = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::Oversized(oversized) => Some(("a line on standard output".to_owned(), oversized)),
        _ => None,
    });
    let diagnostic = |(what, oversized): (String, &Oversized)| {
        let message = format!("{what} has {} bytes, which is more than this program reads", oversized.bytes);
        let help = "Limit what a tool returns, and say in the reply how to get the rest.";
        Diagnostic::new(message, help).evidence(Evidence::whole(oversized.line.as_str()))
    };
    reply.into_iter().chain(strays).map(diagnostic).collect()
}
