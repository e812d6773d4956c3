//! Contexts of calls, replies and twins.

use serde_json::json;

use super::*;
use crate::exchange::RpcError;
use crate::roles::Binding;
use crate::rules::fixture::Fixture;

fn failure(condition: &str) -> Expected {
    let failure = json!({"condition": condition, "value": null, "hint": null, "valid_values_of": null});
    serde_json::from_value(json!({ "failure": failure })).expect("an expectation")
}

/// A success of `view` with this text, in reply to a call that must fail.
fn accepted(condition: &str, text: &str) -> Fixture {
    let mut fixture = Fixture::refusal("", &json!({"path": "/workspace/x"}), failure(condition));
    fixture.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
    fixture.answered()
}

/// The fixture, with a tool bound to a role.
fn playing(role: Role, tool: &str, mut fixture: Fixture) -> Fixture {
    let tool = tool.to_owned();
    let (parameters, fixed, why) = Default::default();
    let (numbers, milliseconds) = Default::default();
    fixture.head.bindings.push(Binding {
        role,
        tool,
        parameters,
        wrapper: None,
        fixed,
        numbers,
        milliseconds,
        why,
    });
    fixture
}

#[test]
fn a_reply_says_that_something_was_started_unless_it_denies_it() {
    for (text, started) in [
        ("Started t11.", true),
        ("It was launched in the background", true),
        ("task_id: 7", true),
        ("running with PID 4711", true),
        ("No new task was started: too many run.", false),
        ("It could not be started", false),
        ("No task was launched. Ten were started before.", true),
        ("The limit is reached.", false),
    ] {
        assert_eq!(accepted("task-limit", text).context().says_started(), started, "{text}");
    }
}

#[test]
fn a_call_that_follows_a_hint_is_known_by_its_step_or_by_what_it_follows() {
    let mut fixture = accepted("path-not-found", "done");
    assert!(!fixture.context().is_follow());
    fixture.exchange.place.follows = Some(0);
    assert!(fixture.context().is_follow());
    fixture.exchange.place.follows = None;
    fixture.exchange.place.step = Step::Follow;
    assert!(fixture.context().is_follow());
}

#[test]
fn a_role_is_played_by_the_tool_that_is_bound_to_it() {
    let plays = |role: Role, tool: &str| {
        playing(role, tool, accepted("path-not-found", "done")).context().plays(Role::Shell)
    };
    assert!(plays(Role::Shell, "view"));
    assert!(!plays(Role::Shell, "bash") && !plays(Role::Read, "view"));
}

#[test]
fn what_was_called_is_the_tool_or_the_method() {
    let mut fixture = accepted("path-not-found", "done");
    assert_eq!(fixture.context().called(), "view");
    fixture.exchange.call.tool = None;
    fixture.exchange.call.method = "tools/list".to_owned();
    assert_eq!(fixture.context().called(), "tools/list");
}

#[test]
fn what_the_caller_sent_is_its_arguments_a_tool_that_is_none_and_what_the_reply_made_of_them() {
    let blank = |fixture: &Fixture, text: &str| fixture.context().echo().blank(text).replace('\u{1a}', "");
    let mut fixture = Fixture::refusal("no MISSING", &json!({"path": "missing"}), Expected::Anything);
    assert_eq!(blank(&fixture, "missing, MISSING by view"), ", MISSING by view");
    fixture.exchange.call.tool = Some("viewer".to_owned());
    assert_eq!(blank(&fixture, "missing, MISSING by viewer"), ", MISSING by ");
    let fixture = fixture.beside(&json!({"path": "tpzzpun"}), "no TPZZPUN");
    assert_eq!(fixture.context().altered_echoes(), ["MISSING"]);
    assert_eq!(blank(&fixture, "missing, MISSING by viewer"), ",  by ");
}

#[test]
fn a_replys_words_are_compared_with_its_twins_whether_they_fail_or_not() {
    let echoes = |first: bool, second: bool| {
        let mut fixture = Fixture::refusal("", &json!({"path": "missing"}), Expected::Anything);
        let result = |word: &str, is_error: bool| {
            let content = [word, word].map(|text| json!({"type": "text", "text": format!("no {text}")}));
            Outcome::Result(json!({"content": content, "isError": is_error}))
        };
        fixture.exchange.outcome = result("MISSING", first);
        let mut fixture = fixture.beside(&json!({"path": "tpzzpun"}), "");
        fixture.twin.as_mut().expect("there is one").outcome = result("TPZZPUN", second);
        fixture.answered().context().altered_echoes()
    };
    for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
        assert_eq!(echoes(first, second), ["MISSING", "MISSING"], "{first} {second}");
    }
}

#[test]
fn the_texts_and_the_evidence_of_a_reply_begin_with_the_deciding_text() {
    let content = json!([{"type": "text", "text": "[IO_ERROR] no"}, {"type": "text", "text": "more"}]);
    for is_error in [true, false] {
        let mut fixture = accepted("io-failure", "");
        fixture.exchange.outcome = Outcome::Result(json!({"content": content, "isError": is_error}));
        let fixture = fixture.answered();
        assert_eq!(fixture.context().texts(), ["[IO_ERROR] no", "more"]);
        assert_eq!(fixture.context().reply(), Some(Evidence::whole("[IO_ERROR] no")));
    }
    let mut protocol = accepted("io-failure", "");
    let data = Some(json!("more"));
    protocol.exchange.outcome = Outcome::Error(RpcError { code: -32602, message: "no".to_owned(), data });
    let protocol = protocol.answered();
    assert_eq!(protocol.context().texts(), ["no", "more"]);
    assert_eq!(protocol.context().reply(), Some(Evidence::whole("no")));
    let mut textless = accepted("io-failure", "");
    textless.exchange.outcome = Outcome::Result(json!({"content": []}));
    assert_eq!(textless.answered().context().reply(), Some(Evidence::whole(r#"{"content":[]}"#)));
}
