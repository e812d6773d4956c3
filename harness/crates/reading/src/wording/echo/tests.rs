//! What counts as an echo, and what does not.

use super::*;

use proptest::prelude::*;
use serde_json::json;

fn folders() -> Folders {
    Folders {
        workspace: "/workspace".into(),
        outside: "/outside".into(),
        canary: "canary".into(),
        ..Folders::default()
    }
}

/// A reply, and what is left of it without the values of the call.
#[derive(serde::Deserialize)]
struct Case {
    why: String,
    arguments: Value,
    text: String,
    left: String,
}

#[test]
fn each_reply_of_the_file_is_left_with_what_its_line_says() {
    for line in include_str!("cases.jsonl").lines() {
        let case: Case = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(left_in(&case.arguments, &case.text), case.left, "{}: {:?}", case.why, case.text);
    }
}

fn left_in(arguments: &Value, text: &str) -> String {
    Echo::of_values(arguments, &folders()).blank(text).replace(char::from(FILL), "")
}

#[test]
fn a_path_is_relative_to_no_folder_where_there_is_none() {
    let without_folders = spellings("/srv/a/b", &Folders::default());
    assert!(!without_folders.contains(&"srv/a/b".to_owned()), "it is relative to no folder");
}

#[test]
fn the_last_part_of_a_folder_that_was_only_named_to_the_server_is_no_echo() {
    let call = Call { method: String::new(), tool: None, arguments: json!({}), line: String::new() };
    let blank = Echo::of(&call, &folders()).blank("/outside is outside of /workspace");
    assert_eq!(blank.replace(char::from(FILL), ""), " is outside of ");
}

#[test]
fn a_line_of_the_callers_file_is_cut_out() {
    let echo = Echo::default().and_lines(["goroutine 1 [running]:", "\tmain.go:9"]);
    let blank = echo.blank("1\tgoroutine 1 [running]:\n2\t\tmain.go:9");
    assert_eq!(blank.replace(char::from(FILL), ""), "1\t\n2\t\t");
}

#[test]
fn a_sign_is_searched_once_and_braces_of_an_empty_object_are_an_echo_if_requested() {
    // A string that is sent a thousand times is searched once.
    assert_eq!(Echo::of_values(&json!(vec!["{}"; 1_000]), &folders()).signs, ["{}"]);
    for (arguments, left) in [
        (json!({"value": {}}), " is not of type 'string'"),
        (json!([[{}]]), " is not of type 'string'"),
        (json!({}), "{} is not of type 'string'"),
    ] {
        let echo = Echo::of_values(&arguments, &folders()).and_empty(&arguments);
        let text = "{} is not of type 'string'";
        let spans = echo.spans(text);
        assert_eq!(&text[spans.first().map_or(0, |span| span.end)..], left, "{arguments}");
    }
}

#[test]
fn echoes_that_overlap_are_one_and_echoes_side_by_side_are_two() {
    let spans = |values: [&str; 2], text: &str| -> Vec<(usize, usize)> {
        let spans = Echo::of_values(&json!(values), &folders()).spans(text);
        spans.into_iter().map(|span| (span.start, span.end)).collect()
    };
    assert_eq!(spans(["red apple", "apple pie"], "a red apple pie"), [(2, 15)]);
    assert_eq!(spans(["<red>", "<pie>"], "a <red><pie>"), [(2, 7), (7, 12)]);
}

#[test]
fn of_a_call_with_thousands_of_values_the_first_ones_are_echoes() {
    let values = |count: usize| (0..count).map(|number| format!("value{number}"));
    // A value that is sent several times counts once.
    let values: Vec<String> = std::iter::repeat_n("same".to_owned(), 9).chain(values(MOST_VALUES)).collect();
    let (last, next) = (format!("value{}", MOST_VALUES - 3), format!("value{}", MOST_VALUES - 2));
    assert_eq!(left_in(&json!(values), &format!("same, {last}, {next}")), format!(", , {next}"));
}

proptest! {
    #[test]
    fn blanking_keeps_the_length_and_never_panics(text in ".{0,80}", value in ".{0,60}", cut in 0usize..60) {
        let part: String = value.chars().skip(cut / 2).take(cut).collect();
        let text = format!("{text}{part}{text}{value}");
        let echo = Echo::of_values(&json!({"value": value, "other": [text.len(), part]}), &folders());
        prop_assert_eq!(echo.blank(&text).len(), text.len());
        let spans = echo.spans(&text);
        prop_assert!(spans.is_sorted_by(|left, right| left.end <= right.start));
        for span in spans {
            prop_assert!(text.get(span).is_some_and(|part| !part.is_empty()));
        }
    }
}

#[test]
fn another_path_that_begins_alike_is_no_echo() {
    let folders = Folders {
        workspace: "/tmp/mcp-errconf-a1b2c3d4/workspace".into(),
        outside: "/tmp/mcp-errconf-a1b2c3d4/outside".into(),
        canary: "canary".into(),
        ..Folders::default()
    };
    let sent = json!({"path": "/tmp/mcp-errconf-a1b2c3d4/workspace/../outside/canary.txt"});
    let text = "outside allowed directories: /tmp/mcp-errconf-a1b2c3d4/outside/canary.txt not in /tmp/mcp-errconf-a1b2c3d4/workspace";
    let blank = Echo::of_values(&sent, &folders).blank(text);
    assert!(blank.ends_with(" not in /tmp/mcp-errconf-a1b2c3d4/workspace"), "{blank:?}");
}

#[test]
fn a_list_is_an_echo_as_a_whole_however_deep_the_values_in_it_are() {
    let mut nest = json!(["alpha"]);
    for _ in 0..100 {
        nest = json!([nest]);
    }
    let echo = Echo::of_values(&json!({"list": [1, null], "nest": nest}), &Folders::default());
    for text in ["[1, None]", "[1 <nil>]", "[1,null]", &nest.to_string(), r#"[[["alpha"]]]"#] {
        assert_eq!(echo.blank(text), (FILL as char).to_string().repeat(text.len()), "{text}");
    }
}

#[test]
fn values_that_repeat_leave_room_for_the_others() {
    let many = vec!["alpha"; 10_000];
    let echo = Echo::of_values(&json!({"many": many, "other": "beta"}), &Folders::default());
    assert_eq!(echo.blank("it is beta"), format!("it is {}", (FILL as char).to_string().repeat(4)));
}

/// A text as programs print it.
fn printed_forms(text: &str) -> Vec<String> {
    let json = Value::from(text).to_string();
    let units = |text: &str, upper: bool| -> String {
        text.encode_utf16()
            .map(|unit| match (char::from_u32(u32::from(unit)), upper) {
                (Some(letter), _)
                    if letter.is_ascii_graphic() && !"\"\\".contains(letter) || letter == ' ' =>
                {
                    letter.to_string()
                }
                (Some(letter @ ('"' | '\\')), _) => format!("\\{letter}"),
                (_, true) => format!("\\u{unit:04X}"),
                (_, false) => format!("\\u{unit:04x}"),
            })
            .collect()
    };
    let html = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;");
    let url = |keep: fn(u8) -> bool| -> String {
        text.bytes()
            .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect()
    };
    let octal: String = text
        .bytes()
        .map(|byte| {
            if byte.is_ascii_graphic() && !b"\"\\".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("\\{byte:03o}")
            }
        })
        .collect();
    let repr = |mark: char| -> String {
        text.chars()
            .map(|letter| match letter {
                '\n' => "\\n".to_owned(),
                '\r' => "\\r".to_owned(),
                '\t' => "\\t".to_owned(),
                '\\' => "\\\\".to_owned(),
                letter if letter == mark => format!("\\{mark}"),
                letter if letter.is_control() => format!("\\x{:02x}", u32::from(letter)),
                letter => letter.to_string(),
            })
            .collect()
    };
    vec![
        text.to_owned(),
        json[1..json.len() - 1].to_owned(),
        units(text, false),
        units(text, true),
        units(text, false).replace('\\', "\\\\"),
        repr('\''),
        repr('"'),
        text.escape_debug().to_string(),
        text.escape_default().to_string(),
        html,
        url(|byte| byte.is_ascii_alphanumeric()),
        url(|byte| byte.is_ascii_graphic() && byte != b'%'),
        octal,
        text.replace('\'', "'\\''"),
        text.replace('\0', "\\0"),
        text.replace('\0', "\\x00"),
    ]
}

fn left_in_leak(arguments: &Value, text: &str) -> String {
    let echo = Echo::of_values(arguments, &folders());
    echo.blank_in_leak(&Echo::default(), text).replace(char::from(FILL), "")
}

/// A value of letters, signs and escapes that begins and ends with a letter.
fn value() -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        8 => proptest::char::range('a', 'z'),
        1 => prop::sample::select(vec![' ', '\'', '"', '\\', '\n', '\t', '&', '<', '%', '{', ',', ':', '(', '$']),
        1 => prop::sample::select(vec!['é', '中', '🍏', '\0', '\u{200b}']),
    ];
    proptest::collection::vec(letter, 24..80).prop_map(|letters| format!("q{}q", String::from_iter(letters)))
}

proptest! {
    #[test]
    fn a_value_is_an_echo_in_every_form_and_whatever_stands_beside_it_is_none(value in value()) {
        for form in printed_forms(&value) {
            prop_assert_eq!(left_in_leak(&json!({"value": value}), &format!("no '{form}' here")), "no '' here", "{}", form);
        }
        for form in [value.to_uppercase(), value.to_lowercase()] {
            prop_assert_eq!(left_in_leak(&json!({"value": value}), &format!("no '{form}' here")), "no '' here", "{}", form);
        }
    }

    #[test]
    fn a_value_that_is_cut_is_an_echo(value in value(), at in 20_usize..70, form in 0_usize..16) {
        let letters: Vec<char> = value.chars().collect();
        let at = at.min(letters.len() - 1);
        let (head, tail) = (String::from_iter(&letters[..at]), String::from_iter(&letters[letters.len() - at..]));
        let (head, tail) = (&printed_forms(&head)[form], &printed_forms(&tail)[form]);
        let sent = json!({"value": value});
        for (text, left) in [
            (format!("no '{head}...' here"), "no '...' here"),
            (format!("no '{head}\u{2026}"), "no '\u{2026}"),
            (format!("no '{head}"), "no '"),
            (format!("no '...{tail}' here"), "no '...' here"),
        ] {
            prop_assert_eq!(left_in_leak(&sent, &text), left, "{}", text);
        }
    }

    #[test]
    fn a_list_is_an_echo_as_any_language_prints_it_and_where_it_is_cut(
        first in value(), second in value(), number in 0_i64..100_000, cut in 30_usize..80,
    ) {
        let sent = json!({"limit": [number, null, true, first], "other": {"b": second}});
        let (quoted, other) = (format!("{first:?}"), format!("{second:?}"));
        for text in [
            sent.to_string(),
            format!("{{'limit': [{number}, None, True, {quoted}], 'other': {{'b': {other}}}}}"),
            format!("{{ limit: [ {number}, null, true, {quoted} ], other: {{ b: {other} }} }}"),
            format!("map[limit:[{number} <nil> true {first}] other:map[b:{second}]]"),
            format!("Object {{\"limit\": Array [Number({number}), Null, Bool(true), String({quoted})], \"other\": Object {{\"b\": String({other})}}}}"),
            format!("{{limit=[{number}, null, true, {first}], other={{b={second}}}}}"),
        ] {
            prop_assert_eq!(left_in_leak(&sent, &format!("got {text} here")), "got  here", "{}", text);
            let cut: String = text.chars().take(cut).collect();
            let left = left_in_leak(&sent, &format!("got {cut}..."));
            prop_assert!(left.len() <= "got ...".len() + 24, "{} leaves {}", cut, left);
        }
    }
}

#[test]
fn the_text_of_arguments_that_are_no_json_is_an_echo() {
    let raw = json!(r#"{"path": "Traceback \ud800 é\q", "n": 1, "m": Infinity}"#);
    for text in [
        r#"'{"path": "Traceback \ud800 é\q", "n": 1, "m": Infinity}'"#,
        "'Traceback \u{fffd} éq'",
        "'Traceback ? éq'",
        r"'Traceback \ud800 \u00e9q'",
        r"'Traceback \uD800 \xe9q'",
    ] {
        assert_eq!(left_in_leak(&raw, text), "''", "{text}");
    }
}
