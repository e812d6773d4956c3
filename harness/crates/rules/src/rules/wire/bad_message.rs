//! `wire/bad-message`: a reply is not a valid JSON-RPC message.

use serde_json::Value;

use crate::exchange::{Malformed, Outcome, ShapeError, StrayMessage};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Rule};
use crate::wire::NOT_UTF8;

/// The first protocol version in which `structuredContent` may be any JSON.
const FREE_STRUCTURE: &str = "2026-07-28";

/// JSON-RPC 2.0, 5: a response has `jsonrpc`, `id`, and either `result` or `error`.
pub(crate) static RULE: Rule = Rule::of_reply("wire/bad-message", include_str!("bad_message.toml"), check);

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
            return unaddressed(context, &what, &malformed.line);
        }
        let message = format!("{what} is not a valid JSON-RPC message: {}", malformed.how);
        let help = "Use a JSON library to write every message: one line of UTF-8 with `jsonrpc`, `id`, and \
            either `result` or `error`.";
        Diagnostic::new(message, help).evidence(broken_at(malformed))
    };
    let is_call = context.exchange.call.method == "tools/call";
    let shape = is_call.then(|| context.exchange.outcome.misshapen()).flatten();
    let is_free = context.head.protocol_version.as_str() >= FREE_STRUCTURE;
    let shape = shape.filter(|fault| *fault != ShapeError::StructuredNoObject || !is_free);
    let shape = shape.map(|fault| misshapen(context, fault));
    let repeated = context.exchange.strays.iter().filter_map(|stray| match stray {
        StrayMessage::Repeated { member, line } => Some(twice(context, member, line)),
        StrayMessage::UnaskedProgress(line) => {
            let fault = "is reported with a token that no request has given";
            Some(progress(context, fault, line))
        }
        StrayMessage::LateProgress(line) => {
            Some(progress(context, "is reported although the call was answered before", line))
        }
        StrayMessage::BackwardProgress(line) => {
            Some(progress(context, "goes backwards: the previous notification reported more", line))
        }
        _ => None,
    });
    reply
        .into_iter()
        .chain(strays)
        .map(diagnostic)
        .chain(shape)
        .chain(repeated)
        .chain(unlisted(context))
        .collect()
}

/// MCP, Server Features, Tools: each tool is listed with an `inputSchema`, whose `type` is "object". Told once, of the session's
/// first process.
fn unlisted(context: &Context<'_>) -> Option<Diagnostic> {
    let exchange = context.exchange;
    if exchange.call.method != "tools/list" || exchange.process != 0 {
        return None;
    }
    let tools = exchange.outcome.result()?.get("tools")?.as_array()?;
    let told = |lacks: &dyn Fn(&Value) -> bool, what: &str| {
        let wanting: Vec<&Value> = tools.iter().filter(|tool| lacks(tool)).collect();
        let [first, rest @ ..] = wanting.as_slice() else { return None };
        let name = first.get("name").and_then(Value::as_str).unwrap_or_default();
        let all = match rest.len() {
            0 => format!("`{name}` is"),
            1 => format!("`{name}` and 1 more tool are"),
            more => format!("`{name}` and {more} more tools are"),
        };
        let help = "List each tool with `inputSchema`, a JSON Schema whose `type` is \"object\": a client that \
            checks the list refuses it as a whole, and then has no tools.";
        let message = format!("{all} listed {what}");
        Some(
            Diagnostic::new(message, help)
                .evidence(Evidence::whole(first.to_string()))
                .requirement("MCP tool"),
        )
    };
    let schema = |tool: &Value| tool.get("inputSchema").cloned().unwrap_or_default();
    told(&|tool| !schema(tool).is_object(), "without an `inputSchema`").or_else(|| {
        let is_typeless = |tool: &Value| schema(tool).get("type").and_then(Value::as_str) != Some("object");
        told(&is_typeless, "with an `inputSchema` whose `type` is not \"object\"")
            .map(|diagnostic| diagnostic.level(Level::Should))
    })
}

/// The line with a mark where a JSON parser or UTF-8 decoder stops: the line may be long, with a single wrong
/// character.
fn broken_at(Malformed { how, line }: &Malformed) -> Evidence {
    let stop = match serde_json::from_str::<Value>(line) {
        // Within one line the column is the number of bytes that were read.
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
    let message =
        format!("the reply to `{}` is not a valid result of a tool call: {fault}", context.called());
    let help = "Answer with `content`, an array of items such as `{\"type\": \"text\", \"text\": ...}`, and \
        `isError: true` as a boolean if the call failed: clients reject anything else.";
    let mut diagnostic = Diagnostic::new(message, help).requirement("MCP tool result");
    diagnostic.evidence = context.exchange.outcome.result().map(|result| Evidence::whole(result.to_string()));
    if fault.is_clear() { diagnostic.level(Level::Should) } else { diagnostic }
}

/// MCP, Base Protocol, Progress: notifications "MUST only reference tokens that were provided in an active request", their
/// progress "MUST increase", and they "MUST stop after completion". Clients throw away what has another token.
fn progress(context: &Context<'_>, fault: &str, line: &str) -> Diagnostic {
    let message = format!("progress of `{}` {fault}", context.called());
    let help = "Report progress only of a request with a `progressToken` in its `_meta`, with that token, each time with \
        more progress, and no more once it is answered.";
    Diagnostic::new(message, help)
        .evidence(Evidence::whole(line))
        .requirement("MCP progress")
        .level(Level::Should)
}

/// RFC 8259, 4: names should be unique. Readers disagree on which of two members counts.
fn twice(context: &Context<'_>, member: &str, line: &str) -> Diagnostic {
    let message = format!("an object in the reply to `{}` has the member `{member}` twice", context.called());
    let help = "Write each member once: given two, some readers take the first, others the last.";
    Diagnostic::new(message, help).evidence(Evidence::whole(line)).level(Level::Note)
}

/// Whether a line is an error whose id is null: JSON-RPC requires that if the id of a request could not be
/// read.
fn names_no_request(line: &str) -> bool {
    let reply: Value = serde_json::from_str(line).unwrap_or_default();
    reply.get("id") == Some(&Value::Null)
        && reply.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
        && reply.get("result").is_none()
        && reply.get("error").and_then(|error| error.get("code")).is_some_and(Value::is_i64)
        && reply.get("error").and_then(|error| error.get("message")).is_some_and(Value::is_string)
}

/// A valid message that helps nobody: the request had an id that could be read, or it was no request.
fn unaddressed(context: &Context<'_>, what: &str, line: &str) -> Diagnostic {
    let message = format!("{what} is an error that belongs to no request: its `id` is null");
    let is_answered = matches!(context.exchange.outcome, Outcome::Result(_) | Outcome::Error(_));
    let help = if is_answered {
        "The request got a reply of its own, so this one answers something else, such as a notification: never \
            answer a message without an `id`."
    } else {
        "The request's `id` was readable: send it back with the error, or else the client cannot tell which call \
            failed, and keeps waiting."
    };
    Diagnostic::new(message, help).evidence(Evidence::whole(line)).level(Level::Should)
}

#[cfg(test)]
mod tests {
    use crate::finding::Level;
    use serde_json::json;

    use crate::exchange::{LivenessCheck, Malformed, Outcome, StrayMessage};
    use crate::expectation::Expected;
    use crate::rules::Example;
    use crate::rules::fixture::Fixture;
    use crate::wire::{Body, DecodedLine, decode};

    #[test]
    fn an_error_without_an_id_beside_the_reply_answers_no_request() {
        let help = |outcome: Outcome| {
            let line = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no such method"}}"#;
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.exchange.outcome = outcome;
            let how = "its id is null".to_owned();
            fixture.exchange.strays = vec![StrayMessage::Malformed(Malformed { how, line: line.to_owned() })];
            let fixture = fixture.answered();
            let diagnostics = super::check(&fixture.context());
            diagnostics
                .into_iter()
                .find(|one| one.message.contains("belongs to no request"))
                .map(|one| one.help)
        };
        let beside = help(Outcome::Result(json!({"content": []}))).expect("it is told");
        assert!(beside.contains("notification"), "{beside}");
        let alone =
            help(Outcome::NoReply { waited_ms: 1, liveness: LivenessCheck::Answers }).expect("it is told");
        assert!(alone.contains("was readable"), "{alone}");
    }

    #[test]
    fn progress_without_a_token_of_a_request_is_told_beside_any_reply() {
        let line = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#;
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        fixture.exchange.outcome = Outcome::Result(json!({"content": []}));
        fixture.exchange.strays = vec![StrayMessage::UnaskedProgress(line.to_owned())];
        let found = super::check(&fixture.context());
        let [progress] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(
            (progress.level, progress.requirement.as_deref()),
            (Some(Level::Should), Some("MCP progress"))
        );
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
            super::check(&Fixture::of(&Example { beside, ..super::RULE.page().bad.clone() }).context())
                .remove(0)
                .level
        };
        let error = r#"{"strays": [{"malformed": {"how": "it has no `id`", "line": "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}"}}], "outcome": {"no_reply": {"waited_ms": 1}}}"#;
        assert_eq!(level(error), Some(Level::Should));
        let result = r#"{"strays": [{"malformed": {"how": "it has no `id`", "line": "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}"}}], "outcome": {"no_reply": {"waited_ms": 1}}}"#;
        assert_eq!(level(result), None);
    }
}
