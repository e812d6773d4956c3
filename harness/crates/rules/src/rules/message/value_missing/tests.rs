//! What counts as naming the wrong value, and what does not.

use serde_json::{Value, json};

use crate::expectation::Expected;
use crate::rules::fixture::Fixture;

fn fixture(value: &Value, text: &str) -> Fixture {
    let expected = json!({"failure": {"condition": "path-not-found", "value": value, "hint": null, "valid_values_of": null}});
    Fixture::refusal(text, &json!({}), serde_json::from_value(expected).expect("an expectation"))
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
