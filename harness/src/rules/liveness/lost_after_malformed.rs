//! `liveness/lost-after-malformed`: after a line that no client may send, nothing is answered any more.

use crate::exchange::Outcome;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Steps;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// JSON-RPC 2.0, 5.1: a line that cannot be read is answered with -32700 or -32600; nothing says that the server ends.
pub(crate) static RULE: Rule = Rule {
    id: "liveness/lost-after-malformed",
    tier: Tier::Ungated,
    level: Level::Note,
    handling: Handling { steps: Steps::Malformed, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0"],
    summary: "after a line that no client may send, the server ends or stops answering (with `--robustness`)",
    page: r#"A client must not send such lines, so this is a Note. Still, one bad line, such as a client's log line that went astray,
should cause an error and not end the whole session.

**Counts:** a process that ends after such a line, or does not answer an ordinary `tools/list` after it.

**Does not count:** what the server answers to the line itself, if anything.

**How to fix it:** read line by line, and answer a line that cannot be read with -32700 and `"id": null`."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: "{}",
        reply: "",
        expected: r#""anything""#,
        beside: r#"{"outcome": {"ended": {"status": 1}}, "step": "malformed"}"#,
    },
    good: Example {
        call: "{}",
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
        expected: r#""anything""#,
        beside: r#"{"step": "malformed"}"#,
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let exchange = context.exchange;
    if !RULE.handling.steps.contain(exchange.place.step) {
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
