//! What counts as naming the wrong value, and what does not.

use serde_json::{Value, json};

use crate::exchange::{Exchange, Outcome, RpcError};
use crate::expectation::Expected;
use crate::finding::Level;
use crate::rules::fixture::Fixture;
use crate::rules::{Context, RunRecord};

fn fixture(value: &Value, text: &str) -> Fixture {
    let expected = json!({"failure": {"condition": "path-not-found", "value": value, "hint": null, "valid_values_of": null}});
    Fixture::refusal(text, &json!({}), serde_json::from_value(expected).expect("an expectation"))
}

#[test]
fn the_address_of_a_resource_may_stand_in_the_data_of_the_error() {
    let check = |data: Value, tool: Option<&str>| {
        let mut fixture = fixture(&json!({"text": "no-such-scheme://alpha"}), "Resource not found");
        fixture.exchange.call.tool = tool.map(str::to_owned);
        fixture.exchange.call.arguments = json!({"uri": "no-such-scheme://alpha"});
        let message = "Resource not found".to_owned();
        fixture.exchange.outcome = Outcome::Error(RpcError { code: -32602, message, data: Some(data) });
        super::check(&fixture.answered().context()).len()
    };
    assert_eq!(check(json!({"uri": "no-such-scheme://alpha"}), None), 0);
    assert_eq!(check(json!({"uri": "no-such-scheme://beta"}), None), 1);
    assert_eq!(check(json!({}), None), 1);
    assert_eq!(check(json!({"uri": "no-such-scheme://alpha"}), Some("view")), 1, "a model does not see it");
}

#[test]
fn what_is_said_of_every_parameter_alike_names_none() {
    let text = "Check name and amount.";
    let of = |name: &str| {
        let mut fixture = fixture(&json!({"parameter": name}), text);
        fixture.exchange.call.arguments = json!({"name": "", "amount": 0});
        fixture.answered()
    };
    let (one, other) = (of("amount"), of("name"));
    assert!(super::check(&one.context()).is_empty());
    let recorded = [one.exchange.clone(), other.exchange.clone()];
    let check = |recorded: &[Exchange]| {
        super::check(&Context { run_record: &RunRecord::new(&[], recorded), ..one.context() }).len()
    };
    assert_eq!(check(&recorded), 1);
    assert_eq!(check(&recorded[..1]), 0, "its own reply is no other");
    let mut elsewhere = other.exchange.clone();
    elsewhere.call.tool = Some("grep".to_owned());
    assert_eq!(check(&[elsewhere]), 0, "another tool's parameters are its own");
}

#[test]
fn a_path_is_a_must_of_the_declared_contract_alone() {
    let mut fixture = fixture(&json!({"path": "/workspace/missing.txt"}), "[PATH_NOT_FOUND] no such file");
    let diagnostics = super::check(&fixture.context());
    assert_eq!((diagnostics[0].level, diagnostics[0].requirement.as_deref()), (None, Some("BC-05")));
    fixture.declared = false;
    assert_eq!(super::check(&fixture.context())[0].level, Some(Level::Should));
}

/// A refusal of a range of lines under one of the contracts, with this detail and these extensions.
fn of_a_range(value: &Value, contract: &str, detail: &str, extensions: &Value) -> Fixture {
    let problem = json!({"detail": detail, "code": "invalid-parameter", "extensions": extensions});
    let text = json!({"error": detail, "problem": problem}).to_string();
    let mut fixture = fixture(value, &text);
    fixture.contract = crate::contract::load_builtin(contract).expect("it is sound").expect("it is built in");
    let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
    failure.condition.0 = "invalid-range".to_owned();
    fixture.answered()
}

#[test]
fn where_the_contract_asks_for_the_numbers_of_a_range_a_parameters_name_will_not_do() {
    let either = json!({"any-of": [{"parameter": "start_line"}, {"parameter": "end_line"}, {"text": "-3"}]});
    let check = |id: &str, detail: &str, extensions: Value, requirement: Option<&str>| {
        let fixture = of_a_range(&either, id, detail, &extensions);
        let reported: Vec<_> = super::check(&fixture.context())
            .into_iter()
            .map(|diagnostic| (diagnostic.level, diagnostic.requirement))
            .collect();
        let expected = requirement.map(|requirement| (Some(Level::Should), Some(requirement.to_owned())));
        assert_eq!(reported, expected.into_iter().collect::<Vec<_>>(), "{id}: {detail}");
    };
    let unnumbered = "'start_line' must be positive";
    check("problem-details", unnumbered, json!({"path": "a.txt"}), Some("PD-10"));
    check("problem-details", unnumbered, json!({"start_line": -3, "end_line": 2}), None);
    check("problem-details", "'start_line' is -3 and must be positive", json!({}), None);
    check("problem-details", "'start_line' must be positive, not 3", json!({}), Some("PD-10"));
    check("tool-error", unnumbered, json!({}), None);
}

#[test]
fn the_finding_says_what_is_missing_and_how_to_name_it() {
    let quoted = |what: &str| format!("Put {what} in the message, in quotation marks.");
    let both = "the parameter `old_str` or the parameter `new_str`";
    for (value, what, help) in [
        (json!({"path": "/x/missing.txt"}), "the path `/x/missing.txt`", quoted("the path `/x/missing.txt`")),
        (json!({"count": 3}), "the count 3", quoted("the count 3")),
        (json!({"text": "sideways"}), "the value `sideways`", quoted("the value `sideways`")),
        (
            json!({"parameter": "old_str"}),
            "the parameter `old_str`",
            "Name the parameter `old_str` in the message, and what to send in it.".to_owned(),
        ),
        (
            json!({"any-of": [{"parameter": "old_str"}, {"parameter": "new_str"}]}),
            both,
            format!("Name the parameter in the message: {both}."),
        ),
    ] {
        let diagnostic = super::check(&fixture(&value, "[PATH_NOT_FOUND] no").context()).remove(0);
        assert_eq!(diagnostic.message, format!("the message does not name {what}"));
        let (reported, example) =
            diagnostic.help.split_once(" Here it could read: ").unwrap_or((&diagnostic.help, ""));
        assert_eq!(reported, help);
        assert!(example.is_empty() || example.starts_with("`[PATH_NOT_FOUND] "), "{example}");
    }
    let mut sent = fixture(&json!({"parameter": "old_str"}), "[PATH_NOT_FOUND] no");
    sent.exchange.call.arguments = json!({"old_str": 7});
    let help = super::check(&sent.context()).remove(0).help;
    assert!(help.contains("`old_str` in the message, and say what is wrong with its value."), "{help}");
}

#[test]
fn only_a_requirement_that_asks_for_the_value_is_told_as_the_broken_one() {
    let mut fixture = fixture(&json!({"parameter": "path"}), "[INVALID_INPUT] no");
    let Expected::Failure(failure) = &mut fixture.exchange.place.expected else { panic!("it fails") };
    failure.condition.0 = "missing-argument".to_owned();
    assert_eq!(super::check(&fixture.context())[0].requirement, None);
}

#[test]
fn a_number_of_an_uncounted_twin_is_not_the_count_and_that_of_a_refused_one_may_be() {
    let expected = json!({"failure": {"condition": "ambiguous-match", "value": {"count": 3}, "hint": null, "valid_values_of": null}});
    let fixture = || {
        let expected = serde_json::from_value(expected.clone()).expect("an expectation");
        Fixture::refusal("[STR_REPLACE_AMBIGUOUS] found 3 in all", &json!({}), expected)
    };
    let refused = fixture().beside(&json!({}), "[STR_REPLACE_AMBIGUOUS] found 3 in all");
    assert!(super::check(&refused.context()).is_empty());
    let mut uncounted = fixture().beside(&json!({}), "");
    let outcome = json!({"content": [{"type": "text", "text": "changed: 3 in all"}]});
    uncounted.twin.as_mut().expect("a twin").outcome = Outcome::Result(outcome);
    assert!(super::check(&uncounted.context()).is_empty());
    let outcome = json!({"content": [{"type": "text", "text": "found 3 in all"}]});
    uncounted.twin.as_mut().expect("a twin").outcome = Outcome::Result(outcome);
    assert_eq!(super::check(&uncounted.context()).len(), 1);
}
