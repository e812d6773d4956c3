//! `wire/wrong-id`: a response has an id that no request had.

use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

/// JSON-RPC 2.0, 5: the id of a response "MUST be the same as the value of the id member in the Request Object".
pub(crate) static RULE: Rule = Rule {
    id: "wire/wrong-id",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0"],
    summary: "a response has an id that no request had",
    page: r#"A client matches responses to calls only by id. A response with another id is discarded, and the call hangs until it
times out.

**Counts:** an id that was never sent; an id that was sent, but written differently: `"7"` or `7.0` for `7`.

**Does not count:** a reply that comes after the timeout, which is merely late; a response without an id
(`wire/bad-message`).

**How to fix it:** keep the request's id as the JSON value that it is, and send that back."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: r#"{"strays": [{"wrong_id": "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{\"content\":[]}}"}]}"#,
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
        let help = "Send the request's `id` back unchanged: a number as the same number, a string as the same \
             string.";
        Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str()))
    };
    wrong.map(diagnostic).collect()
}
