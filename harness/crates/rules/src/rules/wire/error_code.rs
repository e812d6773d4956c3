//! `wire/error-code`: the code of a JSON-RPC error does not say what happened.

use serde::de::IgnoredAny;

use crate::exchange::{Outcome, RpcError};
use crate::expectation::Authority;
use crate::finding::{Diagnostic, Evidence, Layer, Level};
use crate::rules::{Context, Rule};

/// The first protocol version without a code of its own for a missing resource.
const WITHDRAWN: &str = "2026-07-28";

/// The code for a missing resource before that.
const NO_RESOURCE: i64 = -32002;
/// The condition of a request whose params lack what its method needs.
const WRONG_PARAMS: &str = "wrong-params";

/// The condition of a request whose `_meta` lacks what every request has.
const INCOMPLETE_META: &str = "incomplete-meta";
/// The condition of a request of a protocol version that the server cannot support.
const UNSUPPORTED_VERSION: &str = "unsupported-version";

/// JSON-RPC 2.0, 5.1: what the codes mean.
pub(crate) static RULE: Rule = Rule::of_reply("wire/error-code", include_str!("error_code.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Outcome::Error(error) = &context.exchange.outcome else { return Vec::new() };
    if let Some(failure) =
        context.expected_failure().filter(|failure| failure.authority == Authority::Protocol)
    {
        // A call that may succeed may also be refused for another reason.
        let is_known = !failure.or_success || context.succeeded_control().is_some();
        return if is_known { of_protocol(context, error, &failure.condition.0) } else { Vec::new() };
    }
    let call = &context.exchange.call;
    // Many parsers reject half of a surrogate pair, or deep nesting, as invalid JSON.
    let is_readable = serde_json::from_str::<IgnoredAny>(&call.line).is_ok();
    let is_call = context.exchange.tool().is_some();
    let says = match error.code {
        0 => "is not an error code",
        -32601 if is_call => "says that the method `tools/call` does not exist",
        -32603 if context.condition() == Some("unknown-tool") => {
            "says that the server failed, although the tool does not exist"
        }
        -32700 if is_readable => "says that the line is not valid JSON, although it is",
        -32600 if is_readable && is_call && context.is_request() => {
            "says that the request is not valid JSON-RPC, although it is"
        }
        _ => return Vec::new(),
    };
    let called = match context.is_request() {
        true => format!("`{}`", context.called()),
        false => "a call whose `arguments` is not an object".to_owned(),
    };
    let message = format!("{called} is answered with the JSON-RPC error {}, which {says}", error.code);
    let help = "Use -32602 for an unknown tool or bad parameters, and -32603 for a failure of the server \
        itself.";
    let diagnostic = Diagnostic::new(message, help).evidence(Evidence::whole(error.message.as_str()));
    // A malformed request reaches no tool: one place in the server answers it for all of them.
    vec![if is_call && !context.is_request() { diagnostic.folded() } else { diagnostic }]
}

/// The codes that MCP defines for requests other than tool calls. One place in a server answers them all.
fn of_protocol(context: &Context<'_>, error: &RpcError, condition: &str) -> Vec<Diagnostic> {
    let withdrawn = context.head.protocol_version.as_str() >= WITHDRAWN;
    // MCP 2026-07-28 requires these codes; the others it recommends.
    let is_must = matches!(condition, INCOMPLETE_META | UNSUPPORTED_VERSION)
        || condition == "unknown-resource" && withdrawn;
    let (about, fitting, right): (_, &[i64], _) = match condition {
        INCOMPLETE_META => ("an error for an incomplete `_meta`", &[-32602], "-32602"),
        UNSUPPORTED_VERSION => ("an error for a version that does not exist", &[-32022], "-32022"),
        "unknown-method" => ("an error for a method that does not exist", &[-32601], "-32601"),
        // A resource that is not named is not there either.
        WRONG_PARAMS if !withdrawn && context.exchange.call.method == "resources/read" => {
            ("an error for params that a method cannot take", &[-32602, -32600, NO_RESOURCE], "-32602")
        }
        // JSON-RPC 2.0, 5.1: params of another form than a request has make it no valid request.
        WRONG_PARAMS => ("an error for params that a method cannot take", &[-32602, -32600], "-32602"),
        // `wire/reserved-code` covers -32002 in versions that withdrew it.
        "unknown-resource" => (
            "an error about resources or prompts",
            &[-32602, NO_RESOURCE],
            // MCP, Resources, Error Handling: -32002 until 2025-11-25, -32602 from 2026-07-28 on.
            if withdrawn { "-32602" } else { "-32002, or -32602, which later versions have for it" },
        ),
        _ => ("an error about resources or prompts", &[-32602], "-32602"),
    };
    if fitting.contains(&error.code) || context.is_sdks_answer() {
        return Vec::new();
    }
    let message = format!("{about} has the JSON-RPC code {}, which says something else", error.code);
    let help = format!("Answer with the JSON-RPC error {right}.");
    let evidence = Evidence::whole(error.message.as_str());
    let diagnostic = Diagnostic::new(message, help).evidence(evidence).folded();
    // Version 1 of the Python SDK uses 0 for every exception, including its own for an unknown name.
    vec![match error.code {
        0 => Diagnostic { layer: Some(Layer::Sdk), ..diagnostic },
        _ if is_must => diagnostic.level(Level::Must),
        _ => diagnostic.level(Level::Should),
    }]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{Outcome, RpcError};
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn arguments_that_are_not_an_object_give_one_finding_for_all_tools() {
        let mut fixture = Fixture::refusal("", &json!(["a.txt"]), Expected::Anything);
        fixture.exchange.outcome =
            Outcome::Error(RpcError { code: -32601, message: "No handler.".into(), data: None });
        let fixture = fixture.answered();
        let found = super::check(&fixture.context());
        assert!(found[0].folded);
        assert!(found[0].message.starts_with("a call whose `arguments` is not an object is answered"));
    }
}
