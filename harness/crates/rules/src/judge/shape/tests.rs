//! Which replies have the same shape, and which do not.

use serde_json::json;

use super::*;

#[test]
fn what_is_sought_is_found_alike_with_preparations_and_without() {
    for words in ["", "a", "ab", "aab", "abab", "x aa ab", "no such letters"] {
        for sought in ["a", "b", "ab", "aab", "abb"] {
            let seekers = [true, false].map(|is_short| Seeker::new(sought.as_bytes(), is_short));
            let found = seekers.map(|seeker| seeker.find(words.as_bytes()));
            assert_eq!(found, [words.find(sought); 2], "{sought:?} in {words:?}");
        }
    }
}

fn shape(line: &str, id: i64, arguments: &Value) -> Shape {
    Shape::new(line.as_bytes(), line.len(), id, &Sent::new(arguments), &0_u8)
}

#[test]
fn replies_that_differ_in_the_id_and_in_echoed_values_have_one_shape() {
    let left = shape(r#"{"id":7,"error":"no file one.txt"}"#, 7, &json!({"path": "one.txt"}));
    let right = shape(r#"{"id":8,"error":"no file second.txt"}"#, 8, &json!({"path": "second.txt"}));
    assert_eq!(left, right);
}

#[test]
fn the_same_bytes_are_another_shape_where_they_are_not_the_callers_own() {
    let line = r#"{"id":7,"error":"Traceback of main.py"}"#;
    let echoed = shape(line, 7, &json!({"path": "Traceback"}));
    let other = shape(line, 7, &json!({"path": "other"}));
    assert_ne!(echoed, other);
}

fn alike(left: &(&str, Value), right: &(&str, Value)) -> bool {
    shape(left.0, 7, &left.1) == shape(right.0, 7, &right.1)
}

#[test]
fn a_long_value_leaves_the_same_mark_wherever_the_server_cut_it() {
    let long = |letters: usize| json!({ "path": "n".repeat(letters) });
    let message =
        |letters: usize, all: usize| format!("no '{}...' ({all} bytes in all)", "n".repeat(letters));
    assert!(alike(&(&message(200, 300), long(300)), &(&message(120, 4_000), long(4_000))));
    assert!(!alike(&(&message(300, 300), long(300)), &(&message(200, 300), long(300))), "whole and cut");
    assert!(
        !alike(&(&message(200, 301), long(300)), &(&message(200, 300), long(300))),
        "a length that is none"
    );
    assert!(!alike(&(&message(20, 300), long(300)), &(&message(30, 300), long(300))), "too little of it");
}

#[test]
fn a_short_value_counts_by_itself_and_not_within_words() {
    let number = |number: i64| json!({ "limit": number });
    assert!(alike(&("limit is 7, too much", number(7)), &("limit is 9, too much", number(9))));
    assert!(alike(&("limit is 7.", number(7)), &("limit is 9.", number(9))));
    assert!(!alike(&("limit is 7, too much", number(7)), &("limit is 7, too much", number(9))));
    for server in ["x7", "7x", "7_", "7.5", "v1.7", "77"] {
        assert!(!alike(&(server, number(7)), &(&server.replace('7', "9"), number(9))), "{server}");
    }
    let text = |text: &str| json!({ "type": text });
    assert!(alike(&("no type 'a' here", text("a")), &("no type 'b' here", text("b"))));
    assert!(!alike(&("a type 'x'", text("a")), &("b type 'x'", text("b"))));
}

#[test]
fn the_size_of_a_number_is_part_of_the_shape() {
    let number = |number: i64| json!({ "limit": number });
    for (left, right) in [(7, 17), (17, 170), (7, -7)] {
        let message = |number: i64| format!("limit is {number}, too much");
        assert!(!alike(&(&message(left), number(left)), &(&message(right), number(right))), "{left} {right}");
    }
    assert!(alike(&("limit is 17000", number(17_000)), &("limit is 1700", number(1_700))));
}

#[test]
fn a_list_or_an_object_may_be_reported_as_a_whole() {
    let message = |value: &Value| json!({ "text": format!("but '{value}' was sent") }).to_string();
    let (list, object) = (json!([1, "two \"words\"", null]), json!({"a": {"b": [[]]}}));
    let call = |value: &Value| json!({ "path": value });
    assert!(alike(&(&message(&list), call(&list)), &(&message(&object), call(&object))));
    assert!(!alike(&(&message(&list), call(&list)), &(&message(&list), call(&object))));
}

fn values(sent: &Sent) -> Vec<&str> {
    sent.values.iter().map(|value| value.text(&sent.printed, &sent.quoted)).collect()
}

#[test]
fn the_values_are_found_in_the_text_of_the_arguments() {
    let long = "\u{e9}\n".repeat(60);
    let arguments = json!({
        "path": "a \"b\" \\", "none": null, "flag": true, "empty": "", "limit": -1.5e30, "long": long,
        "list": ["x", {"key": [7], "": "\u{1}"}],
    });
    let written = arguments.to_string();
    let shown = serde_json::to_string(&long).unwrap();
    let list = r#"[\"x\",{\"key\":[7],\"\":\"\\u0001\"}]"#;
    let inner = r#"{\"key\":[7],\"\":\"\\u0001\"}"#;
    let expected = [
        shown.trim_matches('"'),
        list,
        inner,
        r#"a \"b\" \\"#,
        "-1.5e+30",
        "\\u0001",
        "180",
        "120",
        "[7]",
        "x",
        "7",
    ];
    assert_eq!(values(&Sent::new(&arguments)), expected);
    assert_eq!(values(&Sent::of_text(&written)), expected);
    let spaced = written.replace("\":", "\" :\t").replace(",\"", " ,\"");
    assert_eq!(values(&Sent::of_text(&spaced)), expected);
    let escaped = written.replace('x', "\\u0078").replace("\\n", "\\u000a");
    assert_eq!(values(&Sent::of_text(&escaped)), expected);
    let unended = format!("[\"{}", "\u{e9}".repeat(COUNTED));
    for text in
        ["", "\"", "{", "[\"", "{\"a\\", "\"\u{e9}", "\u{e9}", "[\u{e9}\u{20ac}", "]", "{\"a\":", &unended]
    {
        Sent::of_text(text);
    }
}

#[test]
fn of_what_is_no_object_and_of_what_goes_on_the_values_are_found_too() {
    assert_eq!(values(&Sent::new(&json!(["ab", 7]))), [r#"[\"ab\",7]"#, "ab", "7"]);
    assert_eq!(values(&Sent::new(&json!("ab"))), ["ab"]);
    let many = json!({"a": (0..100).collect::<Vec<_>>()});
    assert_eq!(Sent::new(&many).values.len(), MOST_VALUES + 1);
}

#[test]
fn letters_of_several_bytes_are_never_split() {
    for text in ["€".repeat(40), "é".repeat(500), "🇩🇪".repeat(30)] {
        let arguments = json!({ "a": text, "b": "é", "c": 7 });
        for end in 1..text.len() {
            let message = format!("no {}", &text[..text.floor_char_boundary(end)]);
            shape(&message, 7, &arguments);
        }
    }
}

#[test]
fn other_words_are_another_shape() {
    let arguments = json!({"path": "one.txt"});
    let left = shape(r#"{"id":7,"error":"no file"}"#, 7, &arguments);
    let right = shape(r#"{"id":7,"error":"no folder"}"#, 7, &arguments);
    assert_ne!(left, right);
}
