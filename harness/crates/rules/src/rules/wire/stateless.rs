//! `wire/stateless`: a server without a handshake does not keep to what MCP says of one.

use serde_json::Value;

use crate::exchange::{Outcome, RpcError, StrayMessage};
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, REVISION, Rule, statements};
use crate::wire::INITIALIZE;

/// The methods whose result may ask the client for more.
const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];
/// The code of an error about a capability that the client did not declare.
const NO_CAPABILITY: i64 = -32021;
/// The code of an error about a protocol version.
const NO_VERSION: i64 = -32022;

/// MCP 2026-07-28: what every result and error has where there is no handshake.
pub(crate) static RULE: Rule = Rule::of_reply("wire/stateless", include_str!("stateless.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if context.head.protocol_version.as_str() < REVISION {
        return Vec::new();
    }
    let method = context.exchange.call.method.as_str();
    let mut found: Vec<Diagnostic> = match &context.exchange.outcome {
        // The result of a handshake is that of an earlier version.
        Outcome::Result(_) if method == INITIALIZE => Vec::new(),
        Outcome::Result(result) => untyped(result).into_iter().collect(),
        Outcome::InputRequired(result) => asking(method, result).into_iter().collect(),
        Outcome::Error(error) => [without_data(error), unnamed_versions(method, error), long(context, error)]
            .into_iter()
            .flatten()
            .collect(),
        _ => Vec::new(),
    };
    found.extend(context.exchange.strays.iter().filter_map(stray));
    found
}

/// A finding about a statement of the specification, which gives its level.
fn broken(statement: &str, message: impl Into<String>, help: &str) -> Diagnostic {
    let id = format!("MCP {REVISION} {statement}");
    let is_should = statements().iter().any(|known| known.id == id && known.level == "should");
    let diagnostic = Diagnostic::new(message, help).requirement(id).folded();
    if is_should { diagnostic.level(Level::Should) } else { diagnostic }
}

fn untyped(result: &Value) -> Option<Diagnostic> {
    let is_typed = result.get("resultType").is_some_and(Value::is_string);
    (!is_typed).then(|| {
        let help =
            "Write `\"resultType\": \"complete\"` into each result: clients read from it what a result is.";
        broken("result-type", "a result has no `resultType`", help)
            .evidence(Evidence::whole(result.to_string()))
    })
}

/// A result that asks the client for more. This program declares nothing that it could be asked for.
fn asking(method: &str, result: &Value) -> Option<Diagnostic> {
    let requests = result.get("inputRequests").and_then(Value::as_object);
    let asked: Vec<&str> = requests
        .into_iter()
        .flat_map(|requests| requests.values())
        .filter_map(|request| request.get("method").and_then(Value::as_str))
        .collect();
    let found = if !MAY_ASK.contains(&method) {
        let help = "Ask for input in reply to `tools/call`, `prompts/get` and `resources/read` alone.";
        broken("input-required", format!("the reply to `{method}` asks the client for input"), help)
    } else if requests.is_none() && result.get("requestState").is_none() {
        let help =
            "Say in `inputRequests` what the client should give, or send a `requestState` to come back with.";
        broken("input-required", "a reply asks the client for input, but not for what", help)
    } else {
        let first = asked.first()?;
        let help = "Refuse the request with the JSON-RPC error -32021, and list the capability in \
            `data.requiredCapabilities`.";
        broken("input-requests", format!("a reply asks for `{first}`, which the client cannot do"), help)
    };
    Some(found.evidence(Evidence::whole(result.to_string())))
}

fn without_data(error: &RpcError) -> Option<Diagnostic> {
    let member = |name: &str| error.data.as_ref().and_then(|data| data.get(name));
    let names_versions = member("supported").and_then(Value::as_array).is_some_and(|all| !all.is_empty());
    let found = match error.code {
        NO_CAPABILITY if member("requiredCapabilities").is_none_or(|needed| !needed.is_object()) => {
            let help =
                "List what is missing in `data.requiredCapabilities`, such as `{\"elicitation\": {}}`.";
            broken("capability", "the error -32021 does not say which capability is missing", help)
        }
        NO_VERSION if !names_versions || member("requested").is_none() => {
            let help = "Send the `requested` version and a list of those `supported` in `data`: a client chooses \
                its next version from it.";
            broken("version", "the error -32022 does not say which versions are supported", help)
        }
        _ => return None,
    };
    Some(found.evidence(Evidence::whole(error.message.as_str())))
}

fn unnamed_versions(method: &str, error: &RpcError) -> Option<Diagnostic> {
    // It supports at least the version of this session.
    let names = |text: &str| text.contains(REVISION);
    let is_named = names(&error.message) || error.data.as_ref().is_some_and(|data| names(&data.to_string()));
    (method == INITIALIZE && !is_named).then(|| {
        let help = "Name the versions that the server supports: a client of an earlier one can do no more than show \
            the message.";
        let message = "the refusal of `initialize` does not name the protocol versions that are supported";
        broken("initialize", message, help).evidence(Evidence::whole(error.message.as_str()))
    })
}

fn long(context: &Context<'_>, error: &RpcError) -> Option<Diagnostic> {
    let lines = error.message.trim().lines().count();
    (lines > 1 && !context.is_sdks_answer()).then(|| {
        let help = "Say what is wrong on one line, and send the rest in `data`.";
        let message = format!("the message of a JSON-RPC error has {lines} lines");
        broken("error-message", message, help).evidence(Evidence::whole(error.message.as_str()))
    })
}

fn stray(stray: &StrayMessage) -> Option<Diagnostic> {
    match stray {
        StrayMessage::Request(line) => {
            let help = "Ask for input in the result of a request, with `resultType: \"input_required\"`.";
            let found = broken("requests", "the server sent a request, which no client will answer", help);
            Some(found.evidence(Evidence::whole(line.as_str())))
        }
        StrayMessage::StillRunning(after) => {
            let help = "End the process once standard input is at its end.";
            let message = format!("the server still ran {after} ms after its standard input was closed");
            Some(broken("exit", message, help))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{Outcome, StrayMessage};
    use crate::expectation::Expected;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    #[test]
    fn nothing_is_asked_on_standard_output_and_its_end_ends_the_server() {
        for (stray, id, level) in [
            (StrayMessage::Request("{}".into()), "MCP 2026-07-28 requests", Level::Must),
            (StrayMessage::StillRunning(1500), "MCP 2026-07-28 exit", Level::Should),
        ] {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.head.protocol_version = super::REVISION.to_owned();
            fixture.exchange.call.method = "tools/list".to_owned();
            fixture.exchange.outcome = Outcome::Result(json!({"resultType": "complete"}));
            fixture.exchange.strays = vec![stray];
            let found = super::check(&fixture.context()).remove(0);
            assert_eq!((found.requirement.as_deref(), found.level.unwrap_or(Level::Must)), (Some(id), level));
        }
    }
}
