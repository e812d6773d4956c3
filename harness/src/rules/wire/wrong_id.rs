//! `wire/wrong-id`: a response bears an id that no request had.

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

/// JSON-RPC 2.0, 5: the id of a response "MUST be the same as the value of the id member in the Request Object".
pub(crate) static RULE: Rule = Rule {
    id: "wire/wrong-id",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["JSON-RPC 2.0"],
    summary: "a response bears an id that no request had",
    page: r#"A client finds the call that a response answers by its id alone. A response with another id is thrown away, and the call
hangs until its time-out.

**Counts:** an id that was never sent; the id that was sent in another spelling: `"7"` or `7.0` for `7`.

**Does not count:** a reply that comes after its deadline: it is late. A response without an id (`wire/bad-message`).

**To mend it:** keep the request's id as the JSON value that it was, and send that back."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: r#"{"asides": [{"wrong_id": "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"content\":[]}}"}]}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let wrong = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::WrongId(line) => Some(line),
        _ => None,
    });
    let diagnostic = |line: &String| {
        let message = format!("a response came after `{}` with an id that no request had", context.called());
        let help =
            "Send the request's `id` back as it was: the same number as a number, the same text as a string.";
        Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str()))
    };
    wrong.map(diagnostic).collect()
}
