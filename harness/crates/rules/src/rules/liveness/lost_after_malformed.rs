//! `liveness/lost-after-malformed`: after a malformed line, nothing is answered any more.

use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};

/// JSON-RPC 2.0, 5.1: a line that cannot be read is answered with -32700 or -32600; nothing says that the server ends.
pub(crate) static RULE: Rule =
    Rule::of_reply("liveness/lost-after-malformed", include_str!("lost_after_malformed.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let exchange = context.exchange;
    if !RULE.page().handling.steps.contain(exchange.place.step) {
        return Vec::new();
    }
    let what = match &exchange.outcome {
        Outcome::Ended(exit) => format!("the server ended ({exit})"),
        Outcome::NoReply { .. } | Outcome::Malformed(_) => {
            format!("the server did not answer an ordinary `{}` after it", exchange.call.method)
        }
        _ => return Vec::new(),
    };
    let message = format!("after a line that is not a valid message, {what}");
    let help = "Answer a line that cannot be read with the error -32700 and `\"id\": null`, and go on with the next.";
    let mut diagnostic = Diagnostic::new(message, help);
    let stderr = exchange.stderr.trim();
    diagnostic.evidence = (!stderr.is_empty()).then(|| Evidence::whole(stderr));
    vec![diagnostic]
}
