//! `wire/duplicate-reply`: a request is answered twice.

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// JSON-RPC 2.0, 5: a request has one response.
pub(crate) static RULE: Rule = Rule {
    id: "wire/duplicate-reply",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["JSON-RPC 2.0"],
    summary: "a request is answered more than once",
    page: r#"Clients drop the second response, or end the session over it; where the two differ, which one counts is chance.

**Counts:** every further response with the id of a request that was answered before, whenever it comes.

**Does not count:** the only reply to a request, though it comes after its deadline.

**To mend it:** let one place in the server answer a call. Often an error handler answers what the tool answered already."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: r#"{"asides": [{"duplicate_reply": "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}"}]}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let again = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::DuplicateReply(line) => Some(line),
        _ => None,
    });
    let diagnostic = |line: &String| {
        let message = format!("`{}` was answered, and then answered again", context.called());
        let help = "Answer a call in one place only; look for an error handler that answers what was answered already.";
        Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str()))
    };
    again.map(diagnostic).collect()
}
