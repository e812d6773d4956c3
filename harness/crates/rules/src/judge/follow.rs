//! Decisions based on a reply: whether it is a success, and which calls follow its hint.

use serde_json::Value;

use crate::contract::{Contract, ErrorReply, read};
use crate::exchange::{Exchange, ShapeError};
use crate::expectation::Expected;
use crate::pattern;
use crate::planned_call::PlannedCall;
use crate::wording::listing::listed_values;
use crate::wording::mention::names_parameter;
use crate::wording::{DisguisedError, disguised_error};

/// At most this many listed values are tried.
const LISTED: usize = 12;

/// Whether a call succeeded: the result can be read by a client, is neither flagged as an error nor an error in
/// disguise, and contains what it must.
pub fn has_succeeded(exchange: &Exchange, contract: &Contract) -> bool {
    exchange.outcome.result().is_some()
        && !exchange.outcome.is_error()
        && (exchange.tool().is_none() || exchange.outcome.misshapen().is_none_or(ShapeError::is_clear))
        && disguised_error(exchange, None, contract).is_none_or(|found| is_own(exchange, &found))
        && !asks_again(exchange)
        && match &exchange.place.expected {
            Expected::Telling(text) => {
                let structured = exchange.outcome.result().and_then(|result| result.get("structuredContent"));
                let names_it = |message: &str| message.contains(text.as_str());
                exchange.outcome.texts().into_iter().any(names_it)
                    || structured.is_some_and(|structured| names_it(&structured.to_string()))
            }
            Expected::Changing => !exchange.changes.is_empty(),
            Expected::Anything
            | Expected::Without(_)
            | Expected::Success { .. }
            | Expected::Undone
            | Expected::Failure(_) => true,
        }
}

/// Whether a short reply says that the call must be confirmed first; a long text may only mention it.
fn asks_again(exchange: &Exchange) -> bool {
    const SHORT: usize = 2_000;
    let asks = |text: &&str| text.len() <= SHORT && pattern!("state/asks-again").is_match(text);
    exchange.outcome.texts().iter().any(asks)
}

/// Whether the sign of a disguised error consists of words that the caller sent, as in the output of `echo
/// 'file not found'`.
fn is_own(exchange: &Exchange, found: &DisguisedError) -> bool {
    /// Shorter words could be those of any error.
    const TELLING: usize = 8;
    let (DisguisedError::Opening { text, span } | DisguisedError::Statement { text, span }) = found else {
        return false;
    };
    let words = text.get(span.clone()).unwrap_or_default().trim();
    let holds = |value: &Value| value.as_str().is_some_and(|sent| sent.contains(words));
    let sent = exchange.call.arguments.as_object();
    words.len() >= TELLING && sent.is_some_and(|sent| sent.values().any(holds))
}

/// The calls that follow the hint of a reply, if it is an error with a hint that a machine can follow: a
/// parameter that it names, or each valid value that it lists.
pub fn follow_ups(contract: &Contract, exchange: &Exchange, call: &PlannedCall) -> Vec<PlannedCall> {
    let Expected::Failure(failure) = &exchange.place.expected else { return Vec::new() };
    let Some(error) = read(contract, exchange) else { return Vec::new() };
    let mut calls = Vec::new();
    if let Some(hint) = &failure.hint
        && error.advice().any(|text| names_parameter(text, &hint.parameter))
    {
        let why = format!("this call follows the earlier reply, which hinted at `{}`", hint.parameter);
        calls.extend(call.with(&hint.parameter, &hint.value, why));
    }
    if let Some(parameter) = &failure.valid_values_of {
        let bad = call.value_of(parameter).and_then(|value| value.as_str()).unwrap_or_default();
        for value in listed(&error, bad) {
            let why = format!("the earlier reply lists `{value}` as a valid value of `{parameter}`");
            calls.extend(call.with(parameter, &value.into(), why));
        }
    }
    calls
}

/// The valid values that an error lists. The places of the wrong value come last: a path may read like a list.
fn listed(error: &ErrorReply, bad: &str) -> Vec<String> {
    let texts = error.advice().chain(error.values.iter().map(String::as_str));
    let mut listed =
        texts.map(|text| listed_values(text, bad)).find(|values| !values.is_empty()).unwrap_or_default();
    listed.truncate(LISTED);
    listed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::load_builtin;
    use crate::exchange::Outcome;
    use crate::rules::fixture::Fixture;

    /// One selftest in thousands was red for this: folders of runs have random names, and in `/tmp/x-useR6jA/workspace/a` the
    /// parts behind "use" were taken for the listed values. The defect that it showed on, `envelope/hints/closest`, had no part
    /// in it; only this contract puts the path before the hints.
    #[test]
    fn the_values_that_are_tried_are_those_of_the_hints_and_not_the_parts_of_a_path() {
        let contract = load_builtin("error-envelope").unwrap().unwrap();
        let tried = |path: &str| {
            let reply = json!({"success": false, "error_code": "VALIDATION_FAILED", "message": "'sideways' is not valid.",
                "retryable": true, "recovery_hints": ["Valid values: file, directory."], "file_path": path});
            let fixture =
                Fixture::refusal(&reply.to_string(), &json!({"type": "sideways"}), Expected::Anything);
            listed(&read(&contract, &fixture.exchange).expect("it is an error"), "sideways")
        };
        assert_eq!(tried("/tmp/x-useR6jA/workspace/a"), ["file", "directory"]);
        assert_eq!(tried("/tmp/use these, those and others"), ["file", "directory"]);
    }

    fn succeeded(command: &str, reply: &str) -> bool {
        let mut fixture = Fixture::refusal("", &json!({ "command": command }), Expected::Anything);
        fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": reply}]}));
        has_succeeded(&fixture.exchange, &fixture.contract)
    }

    #[test]
    fn what_a_command_prints_because_it_was_asked_to_is_no_error() {
        assert!(succeeded("echo 'file not found'; true", "file not found\n"));
        assert!(!succeeded("cat notes.txt", "file not found\n"));
        assert!(!succeeded("Error", "Error: no such file"));
    }

    #[test]
    fn a_call_that_must_be_confirmed_first_has_not_succeeded() {
        assert!(!succeeded("deploy", r#"{"status": "CONFIRMATION_REQUIRED", "code": 17}"#));
        assert!(succeeded("deploy", r#"{"status": "deployed", "code": 17}"#));
    }
}
