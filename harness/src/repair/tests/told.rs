//! What messages tell in ordinary words, and what of a date, a version or a range is no number.

use super::*;

#[test]
fn a_part_of_a_date_is_no_number() {
    let schema = texts(&["day"]);
    for (text, next) in [
        ("day: expected a date like 2024-05-01, found 20", "2024-05-01"),
        ("day must be between 2024-05-01 and 2024-06-01, for example 2024-05-03", "2024-05-03"),
        ("day: expected a time like 12:30, found 20", "12:30"),
        ("day: expected something like 1.4.2, found 20", "1.4.2"),
        ("day must look like 16:9, not 20", "16:9"),
        ("Expected a day such as 12345-6789 but got 20", "12345-6789"),
        ("day must be of the form 3-7, not 20", "3-7"),
        ("day 20 is not of the form 3-7", "3-7"),
        ("day 20 is not valid; expected +49 30123456", "+49 30123456"),
    ] {
        check(&schema, &json!({"day": 20}), text, &json!({ "day": next }));
    }
}

#[test]
fn an_example_of_what_a_value_must_not_be_is_not_followed() {
    let schema = texts(&["name"]);
    for text in [
        "Invalid name 'alpha'. Use only letters and digits; it cannot look like a cell reference such as 'A1'.",
        "Invalid name 'alpha'. It must not contain a character such as '#1'.",
        "Invalid name 'alpha': it can't be a cell (for example 'A1').",
    ] {
        check(&schema, &json!({"name": "alpha"}), text, &Value::Null);
    }
    let text = "name cannot be read as a cell reference such as 'A1'";
    check(&schema, &json!({"name": "alpha"}), text, &json!({"name": "A1"}));
    let text = "name cannot be a sheet: use a cell, such as 'A1'";
    check(&schema, &json!({"name": "alpha"}), text, &json!({"name": "A1"}));
}

#[test]
fn a_range_of_numbers_is_one() {
    let schema = json!({"properties": {"limit": {"type": "integer"}}});
    for text in ["limit must be 3-7", "limit should be a number 3..7", "limit must be between 3 and 7"] {
        check(&schema, &json!({"limit": 20}), text, &json!({"limit": 7}));
    }
    // The schema wants a text.
    check(&texts(&["limit"]), &json!({"limit": 20}), "limit must be between 3 and 7", &json!({"limit": "7"}));
}

#[test]
fn what_the_schema_forbids_in_its_place_is_not_sent() {
    let schema = json!({"properties": {"day": {"type": "string"}, "other": {"type": "integer"}},
        "required": ["day", "other"]});
    // The call was forbidden before, and is so still: what counts is the place that is changed.
    let sent = json!({"day": true, "other": "x"});
    check(&schema, &sent, r#"day is wrong: send {"day": 5}"#, &Value::Null);
    check(&schema, &sent, r#"day is wrong: send {"day": "mon"}"#, &json!({"day": "mon", "other": "x"}));
    let either = json!({"properties": {"day": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}});
    check(&either, &json!({"day": true}), r#"day is wrong: send {"day": 5}"#, &json!({"day": 5}));
}

#[test]
fn a_choice_is_read_in_ordinary_words() {
    let schema = texts(&["mode"]);
    for text in [
        "Unknown mode alpha. Choose fast or slow.",
        "Unknown mode alpha. Pick one of fast, slow.",
        "Use fast or slow for mode, not alpha.",
        "Pick fast or slow for mode instead of alpha.",
        "mode (alpha) is invalid [fast, slow]",
        "mode is invalid (fast|slow).",
        "alpha is unknown {fast, slow}",
    ] {
        check(&schema, &json!({"mode": "alpha"}), text, &json!({"mode": "fast"}));
    }
    for text in [
        "Choose another mode or leave it.",
        "mode alpha is not there [12, 20]",
        "mode alpha was refused [E12/x] at once",
        "It failed [fast, slow]",
    ] {
        check(&schema, &json!({"mode": "alpha"}), text, &Value::Null);
    }
    let tags = json!({"properties": {"tags": {"type": "array"}, "mode": {"type": "string"}}});
    check(&tags, &json!({"tags": ["a", "b"], "mode": "x"}), "Invalid mode x [a, b]", &Value::Null);
}
