//! `wire/duplicate-reply`: a request is answered twice.

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// JSON-RPC 2.0, 5: a request has one response.
pub(crate) static RULE: Rule = Rule {
    id: "wire/duplicate-reply",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0"],
    summary: "a request is answered more than once",
    page: r#"Clients drop the second response, or end the session because of it; if the two differ, it is a matter of chance which
one counts.

**Counts:** every further response with the id of a request that has already been answered, whenever it comes.

**Does not count:** the only reply to a request, even if it comes after the timeout.

**How to fix it:** answer a call in only one place. Often an error handler answers a call that the tool has already
answered."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: r#"{"strays": [{"duplicate_reply": "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}"}]}"#,
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
        let help = "Answer a call in only one place; look for an error handler that answers calls which have \
            already been answered.";
        Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str()))
    };
    again.map(diagnostic).collect()
}
