//! `wire/bad-message`: a reply is no valid JSON-RPC message.

use std::sync::LazyLock;

use serde_json::Value;

use crate::exchange::{Malformed, Outcome, ShapeError, StrayMessage};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::handling::Attribution;
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};
use crate::wire::NOT_UTF8;

/// The first protocol version in which `structuredContent` may be any JSON.
const FREE_STRUCTURE: &str = "2026-07-28";

/// JSON-RPC 2.0, 5: a response has `jsonrpc`, `id`, and either `result` or `error`.
pub(crate) static RULE: Rule = Rule {
    id: "wire/bad-message",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling { attribution: Attribution::Stray, ..super::HANDLING },
    requirements: &["JSON-RPC 2.0", "MCP tool result"],
    page: LazyLock::new(|| RulePage::read(include_str!("bad_message.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let reply = match &context.exchange.outcome {
        Outcome::Malformed(malformed) => Some((format!("the reply to `{}`", context.called()), malformed)),
        _ => None,
    };
    let strays = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::Malformed(malformed) => Some(("a line on standard output".to_owned(), malformed)),
        _ => None,
    });
    let diagnostic = |(what, malformed): (String, &Malformed)| {
        if names_no_request(&malformed.line) {
            return unaddressed(&what, &malformed.line);
        }
        let message = format!("{what} is not a valid JSON-RPC message: {}", malformed.how);
        let help = "Use a JSON library to write every message: one line of UTF-8 with `jsonrpc`, `id`, and \
            either `result` or `error`.";
        Diagnostic::new(message, help).evidence(broken_at(malformed))
    };
    let shape = context.exchange.tool().and_then(|_| context.exchange.outcome.misshapen());
    let is_free = context.head.protocol_version.as_str() >= FREE_STRUCTURE;
    let shape = shape.filter(|fault| *fault != ShapeError::StructuredNoObject || !is_free);
    let shape = shape.map(|fault| misshapen(context, fault));
    let repeated = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::Repeated { member, line } => Some(twice(context, member, line)),
        _ => None,
    });
    reply.into_iter().chain(strays).map(diagnostic).chain(shape).chain(repeated).collect()
}

/// The line, marked where a JSON parser or a decoder of UTF-8 stops: it may be long, and one letter of it wrong.
fn broken_at(Malformed { how, line }: &Malformed) -> Evidence {
    let stop = match serde_json::from_str::<Value>(line) {
        // Of one line the column is the number of bytes that were read.
        Err(error) if error.line() == 1 => error.column().checked_sub(1),
        _ => None,
    };
    let lossy = || line.find(char::REPLACEMENT_CHARACTER).filter(|_| how == NOT_UTF8);
    match stop.or_else(lossy) {
        Some(start) => Evidence::marked(line.as_str(), start..start + 1),
        None => Evidence::whole(line.as_str()),
    }
}

/// MCP, Server Features, Tools: the result of a call has `content`, an array of items that each name their type, and may
/// have `isError`, a boolean.
fn misshapen(context: &Context<'_>, fault: ShapeError) -> Diagnostic {
    let message = format!(
        "the reply to `{}` is not a valid result of a tool call: {}",
        context.called(),
        fault.in_words()
    );
    let help = "Answer with `content`, an array of items such as `{\"type\": \"text\", \"text\": ...}`, and \
        `isError: true` as a boolean if the call failed: clients reject anything else.";
    let mut diagnostic = Diagnostic::new(message, help).requirement("MCP tool result");
    diagnostic.evidence = context.exchange.outcome.result().map(|result| Evidence::whole(result.to_string()));
    if fault.is_clear() { diagnostic.level(Level::Should) } else { diagnostic }
}

/// RFC 8259, 4: names should be unique. Readers disagree on which of two members counts.
fn twice(context: &Context<'_>, member: &str, line: &str) -> Diagnostic {
    let message = format!("an object in the reply to `{}` has the member `{member}` twice", context.called());
    let help = "Write each member once: given two, some readers take the first, others the last.";
    Diagnostic::new(message, help).evidence(Evidence::whole(line)).level(Level::Note)
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
fn unaddressed(what: &str, line: &str) -> Diagnostic {
    let message = format!("{what} is an error that belongs to no request: its `id` is null");
    let help = "The request's `id` was readable: send it back with the error, or else the client cannot tell \
        which call failed, and keeps waiting.";
    Diagnostic::new(message, help).evidence(Evidence::whole(line)).level(Level::Should)
}

#[cfg(test)]
mod tests {
    use crate::finding::Level;
    use serde_json::json;

    use crate::exchange::{Malformed, Outcome};
    use crate::expectation::Expected;
    use crate::rules::Example;
    use crate::rules::fixture::Fixture;
    use crate::wire::{Body, DecodedLine, decode};

    #[test]
    fn a_result_that_no_client_can_read_is_no_valid_message() {
        let levels = |result: serde_json::Value| {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.exchange.outcome = Outcome::Result(result);
            let fixture = fixture.answered();
            let diagnostics = super::check(&fixture.context());
            diagnostics.into_iter().map(|diagnostic| diagnostic.level).collect::<Vec<_>>()
        };
        assert_eq!(levels(json!({})), [None]);
        assert_eq!(levels(json!({"content": "no such file"})), [None]);
        assert_eq!(levels(json!({"content": [{"type": "text", "text": "no"}], "isError": "true"})), [None]);
        assert_eq!(levels(json!({"structuredContent": {"a": 1}})), [Some(Level::Should)]);
        assert_eq!(levels(json!({"content": [{"type": "error", "message": "no"}]})), [None]);
        assert_eq!(levels(json!({"content": [], "structuredContent": ["no"]})), [Some(Level::Should)]);
        assert!(levels(json!({"content": []})).is_empty());
    }

    #[test]
    fn structured_content_may_be_any_json_where_the_version_says_so() {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        fixture.head.protocol_version = super::FREE_STRUCTURE.to_owned();
        fixture.exchange.outcome = Outcome::Result(json!({"content": [], "structuredContent": ["no"]}));
        assert!(super::check(&fixture.answered().context()).is_empty());
    }

    #[test]
    fn what_breaks_a_long_line_is_shown() {
        let shown = |text: &[u8]| {
            let filler = [b'a'; 9_000];
            let line = [b"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[\"", &filler[..], text, &filler, b"\"]}"]
                .concat();
            let DecodedLine::Response { body: Body::Malformed(how), .. } = decode(&line) else {
                panic!("it is a reply that nobody can read")
            };
            let malformed = Malformed { how, line: String::from_utf8_lossy(&line).into_owned() };
            let evidence = super::broken_at(&malformed).bounded(400);
            let (start, end) = evidence.span.expect("the place is marked");
            (evidence.text[..end].to_owned(), evidence.text[start..].to_owned())
        };
        let (before, _) = shown(b"\\ud83d is half");
        assert!(before.ends_with("a\\ud83d "), "{before}");
        let (_, after) = shown(b"\xff here");
        assert!(after.starts_with("\u{fffd} here"), "{after}");
    }

    #[test]
    fn an_error_without_an_id_is_told_apart_from_no_message() {
        let level = |beside: &str| {
            let beside = beside.to_owned();
            super::check(&Fixture::of(&Example { beside, ..super::RULE.page.bad.clone() }).context())
                .remove(0)
                .level
        };
        let error = r#"{"strays": [{"malformed": {"how": "it has no `id`", "line": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}"}}], "outcome": {"no_reply": {"waited_ms": 1}}}"#;
        assert_eq!(level(error), Some(Level::Should));
        let result = r#"{"strays": [{"malformed": {"how": "it has no `id`", "line": "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}"}}], "outcome": {"no_reply": {"waited_ms": 1}}}"#;
        assert_eq!(level(result), None);
    }
}
