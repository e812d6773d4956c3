//! `wire/oversized`: a line that is longer than what this program reads of one.

use crate::exchange::{Outcome, Oversized, StrayMessage};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// No document bounds a message; whoever reads one must.
pub(crate) static RULE: Rule = Rule {
    id: "wire/oversized",
    tier: Tier::Ungated,
    level: Level::Note,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["MCP stdio transport"],
    summary: "a line on standard output is longer than this program reads",
    page: r#"MCP sets no limit on message size, but clients and models do: a line of many megabytes is truncated or refused, or fills
the context with a single reply.

**Counts:** a line over this program's limit of 16 MiB. Such a reply is not read, so its case is not judged.

**How to fix it:** limit what a tool returns, and say in the reply what was left out and how to get the rest."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: "",
        expected: r#""anything""#,
        beside: r#"{"outcome": {"oversized": {"bytes": 20000000, "line": "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"}}}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

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
