//! An error in the clothes of a success: a result without `isError` that says it is one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::contract::Contract;
use crate::exchange::Exchange;
use crate::expression::expression;

/// The result of a tool within the text of another result.
const WITHIN: &str = "isError: true, within a text";

/// What gives a disguised error away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisguisedError {
    /// A member of a JSON object: nobody sends `"success": false` with a success.
    Member {
        /// The member, as `error` or `success: false`.
        name: String,
        /// The text that holds it, or the `structuredContent` as JSON.
        text: String,
    },
    /// The first words of the text.
    Opening {
        /// The text.
        text: String,
        /// The words.
        span: Range<usize>,
    },
    /// The text refuses in its words, and nothing was done.
    Refusal {
        /// The text.
        text: String,
        /// The words.
        span: Range<usize>,
    },
}

/// What refuses in the words of a text, where its control's reply has no such words. By itself this is no sign: "not" is
/// an ordinary word. Where the tool also did nothing of what it was asked for, it is.
pub fn refusal(exchange: &Exchange, control: &Exchange) -> Option<DisguisedError> {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let words = r"(?i)\b(?:(?:was |were |is |are )?not found|no (?:match|such|occurrence)\w*|does not|do not|did not|cannot|could not|unable to|fail(?:ed|ure)|expected|invalid|must|missing|required|denied|refused|rejected|limit|too many|already (?:run|running|at)|found \d+)\b";
        expression(words)
    });
    let text = *exchange.outcome.texts().first()?;
    let other = control.outcome.texts();
    let found = WORDS.find(text).filter(|_| !other.iter().any(|other| WORDS.is_match(other)))?;
    Some(DisguisedError::Refusal { text: text.to_owned(), span: found.range() })
}

/// What gives a reply away as a disguised error, where it is a result without `isError` and its control's reply does
/// not look the same. Whether the call must fail, and whether the tool may send any text at all, the caller knows.
pub fn disguised_error(
    exchange: &Exchange,
    control: Option<&Exchange>,
    contract: &Contract,
) -> Option<DisguisedError> {
    if exchange.outcome.is_tool_error() {
        return None;
    }
    if let Some((name, text)) = telling_member(exchange) {
        let same = control.and_then(telling_member).is_some_and(|(other, _)| other == name);
        return (!same).then_some(DisguisedError::Member { name, text });
    }
    let text = exchange.outcome.texts().first().copied()?;
    let span = opening(text, contract)?;
    let same = |control: &Exchange| {
        control.outcome.texts().first().and_then(|other| opening(other, contract).map(|span| &other[span]))
            == Some(&text[span.clone()])
    };
    (!control.is_some_and(same)).then(|| DisguisedError::Opening { text: text.to_owned(), span })
}

/// A member that says of any call that it failed, whatever was asked for: the whole reply is one object, and it tells
/// little else. A member such as `errors`, or the `status` of something, may be what was asked for.
pub fn declared(exchange: &Exchange) -> Option<DisguisedError> {
    const MOST_MEMBERS: usize = 4;
    /// What a check came to is what was asked for.
    const OUTCOMES: [&str; 7] = ["valid", "isValid", "is_valid", "passed", "healthy", "reachable", "exists"];
    let checks = |tool: &str| {
        let tool = tool.to_ascii_lowercase();
        ["valid", "check", "lint", "verif", "test", "parse"].iter().any(|word| tool.contains(word))
    };
    if exchange.outcome.is_tool_error() || exchange.tool().is_some_and(checks) {
        return None;
    }
    let (name, text) = telling_member(exchange)?;
    let object: Map<String, Value> = serde_json::from_str(&text).ok()?;
    let object = enveloped(&object).filter(|inner| flat(inner).is_some()).unwrap_or(&object);
    if OUTCOMES.iter().any(|name| object.contains_key(*name)) {
        return None;
    }
    let is_sure = match name.as_str() {
        WITHIN | "success: false" | "ok: false" | "succeeded: false" => true,
        "error" | "error_code" | "errorCode" | "error_message" | "errorMessage" => {
            object.len() <= MOST_MEMBERS
        }
        "status: error" => {
            object.len() <= MOST_MEMBERS && object.get("message").is_some_and(Value::is_string)
        }
        _ => false,
    };
    is_sure.then_some(DisguisedError::Member { name, text })
}

/// A member that says the call failed, with the text that holds it: in `structuredContent`, in the result itself, or in
/// a text that is a JSON object.
fn telling_member(exchange: &Exchange) -> Option<(String, String)> {
    let result = exchange.outcome.result()?.as_object()?;
    let structured = result.get("structuredContent").and_then(Value::as_object);
    let found = structured
        .into_iter()
        .chain([result])
        .find_map(|object| telling(object).map(|name| (name, Value::Object(object.clone()).to_string())));
    found.or_else(|| {
        exchange.outcome.texts().into_iter().find_map(|text| {
            if !text.trim_start().starts_with(['{', '[']) {
                return None;
            }
            let value: Value = serde_json::from_str(text).ok()?;
            let found = match &value {
                Value::Object(object) => telling(object),
                Value::Array(items) => telling_items(items),
                _ => None,
            };
            found.map(|name| (name, text.to_owned()))
        })
    })
}

fn telling(object: &Map<String, Value>) -> Option<String> {
    enveloped(object).and_then(flat).or_else(|| flat(object))
}

/// What stands in an envelope: the object that is the only member of another one.
fn enveloped(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.values().next().filter(|_| object.len() == 1)?.as_object()
}

fn flat(object: &Map<String, Value>) -> Option<String> {
    let filled = |name: &str| match object.get(name) {
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
        Some(Value::Bool(said)) => *said,
        _ => false,
    };
    let named = ["error", "problem", "error_code", "errorCode", "error_message", "errorMessage"];
    if let Some(name) = named.into_iter().find(|name| filled(name)) {
        return Some(name.to_owned());
    }
    if object.get("isError") == Some(&Value::Bool(true)) {
        return Some(WITHIN.to_owned());
    }
    for name in ["success", "ok", "succeeded"] {
        if object.get(name) == Some(&Value::Bool(false)) {
            return Some(format!("{name}: false"));
        }
    }
    let status = object.get("status").and_then(Value::as_str).map(str::to_ascii_lowercase);
    if let Some(status) = status.filter(|status| ["error", "failed", "failure"].contains(&status.as_str())) {
        return Some(format!("status: {status}"));
    }
    let count = |name: &str| object.get(name).and_then(Value::as_u64);
    let none_succeeded = || ["successful", "succeeded"].iter().any(|name| count(name) == Some(0));
    for name in ["errors", "failed"] {
        if let Some(number) = count(name).filter(|number| *number > 0 && none_succeeded()) {
            return Some(format!("{name}: {number}"));
        }
    }
    let items =
        |name: &str| object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if !items("errors").is_empty() {
        return Some("errors".to_owned());
    }
    telling_items(items("results")).map(|name| format!("results: {name}"))
}

/// A member that each object of a list has, where each of them says that it failed.
fn telling_items(items: &[Value]) -> Option<String> {
    let all = !items.is_empty()
        && items.iter().all(|item| item.as_object().is_some_and(|object| telling(object).is_some()));
    all.then(|| telling(items[0].as_object()?)).flatten()
}

/// The words with which an error begins.
fn opening(text: &str, contract: &Contract) -> Option<Range<usize>> {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let words = r"(?i)\A\s*(?:[\x{274c}\x{2716}\x{2717}\x{26d4}\x{1f6ab}]|(?:\W{0,4}\s*)?(?:error(?: executing| running| calling| while| in)?\b|failed to\b|(?:database|sql|query|network|connection|runtime|syntax) error:|missing (?:required )?(?:parameter|argument|field|property|value)s?\b|no such\b|failure:|(?:[a-z][\w-]* ){1,3}failed: |no (?:\w+ ){1,3}(?:provided|given|specified)\b|(?:[\w'`]+ ){1,6}(?:is|are) required(?:\.| and\b|$)|(?:[\w'`]+ ){1,4}must be (?:provided|given|specified)\b|unsupported\b|invalid\b|cannot\b|could not\b|unable to\b|unknown\b|(?:duplicate|conflict|already exists)[.!]?\s*\z|access denied\b|permission denied\b|exception:|traceback \(most|(?:\w+ ){0,2}(?:violation|denied|rejected|refused|forbidden):))";
        expression(words)
    });
    let begin = text.len() - text.trim_start().len();
    if let Some(inner) = text[begin..].strip_prefix('[') {
        let opens = |name: &str| inner.strip_prefix(name).is_some_and(|rest| rest.starts_with("] "));
        if let Some(code) = contract.codes.iter().find(|code| opens(&code.name)) {
            return Some(begin..begin + code.name.len() + 2);
        }
    }
    let found = WORDS.find(text)?;
    let start = found.end() - found.as_str().trim_start().len();
    // "Errors: 0" and "Error handling in Rust" are no errors; an error is followed by what happened.
    let word = found.as_str().trim().to_ascii_lowercase();
    let bare = word.ends_with("error");
    (!bare || text[found.end()..].starts_with([':', ',', ' '])).then_some(start..found.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn check(result: Value, control: Value, expected: Option<&str>) {
        let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
        fixture.exchange.outcome = Outcome::Result(result);
        let mut other = fixture.exchange.clone();
        other.outcome = Outcome::Result(control);
        let found =
            disguised_error(&fixture.exchange, Some(&other), &fixture.contract).map(|disguised_error| {
                match disguised_error {
                    DisguisedError::Member { name, .. } => name,
                    DisguisedError::Opening { text, span } | DisguisedError::Refusal { text, span } => {
                        text[span].to_owned()
                    }
                }
            });
        assert_eq!(found.as_deref(), expected);
    }

    fn text(text: &str) -> Value {
        json!({"content": [{"type": "text", "text": text}]})
    }

    #[test]
    fn a_member_that_says_failure_gives_it_away() {
        check(text(r#"{"success": false, "message": "no"}"#), text("fine"), Some("success: false"));
        check(json!({"content": [], "structuredContent": {"error": "no"}}), text("fine"), Some("error"));
        check(text(r#"{"res": {"success": false, "info": {}}}"#), text("fine"), Some("success: false"));
        check(text(r#"{"success": true, "res": {"error": "none"}}"#), text("fine"), None);
        check(text(r#"{"errors": [{"path": "a"}]}"#), text(r#"{"errors": []}"#), Some("errors"));
    }

    #[test]
    fn every_way_in_which_a_member_says_failure_counts() {
        check(
            text(r#"{"status": "error", "message": "no"}"#),
            text(r#"{"status": "ok"}"#),
            Some("status: error"),
        );
        check(text(r#"{"ok": false, "reason": "no"}"#), text("fine"), Some("ok: false"));
        check(text(r#"{"succeeded": false}"#), text("fine"), Some("succeeded: false"));
        check(
            text(r#"{"message": "done", "results": [{"file": "a", "error": "no"}]}"#),
            text("fine"),
            Some("results: error"),
        );
        check(text(r#"{"results": [{"file": "a", "error": "no"}, {"file": "b"}]}"#), text("fine"), None);
        check(text(r#"{"error_code": "X"}"#), text("fine"), Some("error_code"));
        check(text(r#"{"errorMessage": "no"}"#), text("fine"), Some("errorMessage"));
        check(text(r#"[{"error": "no"}, {"error": "no"}]"#), text("fine"), Some("error"));
        check(text(r#"[{"error": "no"}, {"path": "a"}]"#), text("fine"), None);
        check(
            text(r#"{"status": "done", "ok": true, "error_code": null, "errorMessage": ""}"#),
            text("x"),
            None,
        );
    }

    #[test]
    fn a_reply_that_is_nothing_but_a_word_of_refusal_gives_it_away() {
        check(text("duplicate"), text("updated note 2"), Some("duplicate"));
        check(text("Already exists."), text("made"), Some("Already exists."));
        check(text("duplicate keys are kept"), text("made"), None);
    }

    #[test]
    fn what_a_member_holds_must_be_able_to_say_failure() {
        for (reply, expected) in [
            (r#"{"error": {"code": 1}}"#, Some("error")),
            (r#"{"problem": true}"#, Some("problem")),
            (r#"{"errorCode": "X"}"#, Some("errorCode")),
            (r#"{"error_message": "no"}"#, Some("error_message")),
            (r#"{"status": "FAILED"}"#, Some("status: failed")),
            (r#"{"status": "failure"}"#, Some("status: failure")),
            (r#"{"error": false}"#, None),
            (r#"{"error": 1}"#, None),
            (r#"{"error": ["no"]}"#, None),
            (r#"{"errors": {"a": 1}}"#, None),
            (r#"{"success": "false"}"#, None),
            ("[]", None),
            ("[1]", None),
        ] {
            check(text(reply), text("fine"), expected);
            check(text(&format!("it said {reply}")), text("fine"), None);
        }
    }

    #[test]
    fn a_text_refuses_by_words_that_its_control_has_not() {
        let refused = |said: &str, other: &str| {
            let mut fixture = Fixture::refusal("", &json!({}), Expected::Anything);
            fixture.exchange.outcome = Outcome::Result(text(said));
            let mut control = fixture.exchange.clone();
            control.outcome = Outcome::Result(text(other));
            refusal(&fixture.exchange, &control).map(|found| match found {
                DisguisedError::Refusal { text, span } => text[span].to_owned(),
                other => panic!("it is told as {other:?}"),
            })
        };
        for (said, words) in [
            ("'x' was not found in a.txt", "was not found"),
            ("No matches for 'x'", "No matches"),
            ("it could not be changed", "could not"),
            ("3 tasks are already running", "already running"),
        ] {
            assert_eq!(refused(said, "changed a.txt").as_deref(), Some(words), "{said}");
            assert_eq!(refused(said, "nothing else was not found"), None, "{said}");
        }
        assert_eq!(refused("changed a.txt", "changed b.txt"), None);
    }

    #[test]
    fn empty_members_give_nothing_away() {
        check(text(r#"{"success": true, "error": null, "problem": {}, "errors": []}"#), text("fine"), None);
        check(text(r#"{"error": ""}"#), text("fine"), None);
    }

    #[test]
    fn the_first_words_give_it_away() {
        check(text("Error: no such file"), text("fine"), Some("Error"));
        check(text("[PATH_NOT_FOUND] no such file"), text("fine"), Some("[PATH_NOT_FOUND]"));
        check(text("Failed to read a.txt"), text("fine"), Some("Failed to"));
        check(text("Missing required parameter: path"), text("fine"), Some("Missing required parameter"));
        check(text("\u{274c} a.txt: no such file"), text("fine"), Some("\u{274c}"));
        check(text("No such file: a.txt"), text("fine"), Some("No such"));
        check(text("Security violation: Empty command"), text("fine"), Some("Security violation:"));
        check(text("\u{274c}a.txt: no such file"), text("fine"), Some("\u{274c}"));
    }

    #[test]
    fn what_the_control_says_too_is_no_sign() {
        check(text("Error: 3 lines"), text("Error: 4 lines"), None);
        check(text(r#"{"error": "x"}"#), text(r#"{"error": "y"}"#), None);
        check(text(r#"{"error": "x"}"#), text(r#"{"success": false}"#), Some("error"));
    }

    #[test]
    fn ordinary_content_is_no_error() {
        check(text("No matches found."), text("a.txt:1:x"), None);
        check(text("[INFO] nothing to do"), text("done"), None);
        check(text("[IO_ERRORS] are listed below"), text("done"), None);
        check(text("Errors are listed below"), text("done"), None);
    }

    #[test]
    fn a_flagged_error_is_not_in_disguise() {
        check(
            json!({"content": [{"type": "text", "text": "Error: x"}], "isError": true}),
            text("fine"),
            None,
        );
    }
}
