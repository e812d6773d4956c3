//! `wire/bad-message`: a reply is no valid JSON-RPC message.

use serde_json::Value;

use crate::exchange::{Aside, Malformed, Outcome};
use crate::finding::{Breach, Evidence, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

/// JSON-RPC 2.0, 5: a response has `jsonrpc`, `id`, and either `result` or `error`.
pub(crate) static RULE: Rule = Rule {
    id: "wire/bad-message",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["JSON-RPC 2.0"],
    summary: "a reply, or another line of JSON on standard output, is no valid JSON-RPC message",
    page: r#"A client's library throws such a line away, and the call hangs until its time-out.

**Counts:** a line that answers a request and breaks JSON or JSON-RPC: text that is no JSON, neither `result` nor `error`
or both of them, an error without a code or a message, an escape that no string may hold, a response without an id, a
message that is spread over several lines or stands in an array. A member that stands twice within the body is a Note,
an error whose id is null, which JSON-RPC keeps for requests whose id could not be read, a Should.

**Does not count:** lines that are no JSON-RPC at all, such as log lines (`wire/stdout-noise`).

**To mend it:** let one JSON library write every message, as one line of UTF-8."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: "",
        expected: r#""anything""#,
        beside: r#"{"outcome": {"malformed": {"how": "it has neither `result` nor `error`", "line": "{\"jsonrpc\":\"2.0\",\"id\":2}"}}}"#,
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"x"}]}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let reply = match &scene.exchange.outcome {
        Outcome::Malformed(malformed) => Some((format!("the reply to `{}`", scene.called()), malformed)),
        _ => None,
    };
    let asides = scene.exchange.asides.iter().filter_map(|aside| match aside {
        Aside::Malformed(malformed) => Some(("a line on standard output".to_owned(), malformed)),
        _ => None,
    });
    let breach = |(what, malformed): (String, &Malformed)| {
        if names_no_request(&malformed.line) {
            return unaddressed(&what, &malformed.line);
        }
        let message = format!("{what} is no valid JSON-RPC message: {}", malformed.how);
        let help = "Let one JSON library write every message: one line of UTF-8 with `jsonrpc`, `id`, and either `result` or `error`.";
        Breach::new(message, help).evidence(Evidence::whole(malformed.line.as_str()))
    };
    let repeated = scene.exchange.asides.iter().filter_map(|aside| match aside {
        Aside::Repeated { member, line } => Some(twice(scene, member, line)),
        _ => None,
    });
    reply.into_iter().chain(asides).map(breach).chain(repeated).collect()
}

/// RFC 8259, 4: names should be unique. Readers disagree on which of two members counts.
fn twice(scene: &Scene<'_>, member: &str, line: &str) -> Breach {
    let message = format!("an object in the reply to `{}` has the member `{member}` twice", scene.called());
    let help = "Write each member once: one reader takes the first of two, another the last.";
    Breach::new(message, help).evidence(Evidence::whole(line)).level(Level::Note)
}

/// Whether a line is an error whose id is null: JSON-RPC prescribes it where the id of a request could not be read.
fn names_no_request(line: &str) -> bool {
    let reply: Value = serde_json::from_str(line).unwrap_or_default();
    reply.get("id") == Some(&Value::Null)
        && reply.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
        && reply.get("result").is_none()
        && reply.get("error").and_then(|error| error.get("code")).is_some_and(Value::is_i64)
        && reply.get("error").and_then(|error| error.get("message")).is_some_and(Value::is_string)
}

/// A valid message that helps nobody: the request had an id that could be read.
fn unaddressed(what: &str, line: &str) -> Breach {
    let message = format!("{what} is an error that names no request: its `id` is null");
    let help = "The request's `id` could be read: send it back with the error, else the client cannot tell which call failed, and waits.";
    Breach::new(message, help).evidence(Evidence::whole(line)).level(Level::Should)
}

#[cfg(test)]
mod tests {
    use crate::finding::Level;
    use crate::rules::Example;
    use crate::rules::stage::Stage;

    #[test]
    fn an_error_without_an_id_is_told_apart_from_no_message() {
        let level = |beside: &'static str| {
            super::check(&Stage::of(&Example { beside, ..super::RULE.bad }).scene()).remove(0).level
        };
        let error = r#"{"asides": [{"malformed": {"how": "it has no `id`", "line": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}"}}], "outcome": {"no_reply": {"waited_ms": 1}}}"#;
        assert_eq!(level(error), Some(Level::Should));
        let result = r#"{"asides": [{"malformed": {"how": "it has no `id`", "line": "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}"}}], "outcome": {"no_reply": {"waited_ms": 1}}}"#;
        assert_eq!(level(result), None);
    }
}
