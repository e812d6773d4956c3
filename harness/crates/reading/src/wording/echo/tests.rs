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

fn check(arguments: &Value, text: &str, left: &str) {
    let blank = Echo::of_values(arguments, &folders()).blank(text);
    assert_eq!(blank.replace(char::from(FILL), ""), left, "of {text:?}");
}

#[test]
fn a_value_is_cut_out_as_it_was_sent() {
    check(&json!({"path": "os error 2.txt"}), "no file os error 2.txt here", "no file  here");
    check(&json!({"path": "os error 2.txt"}), "os error 2.txt", "");
}

#[test]
fn a_control_character_at_the_beginning_is_cut_out_escaped_or_dropped() {
    check(&json!({"number": "\nalpha"}), r"with base 10: '\nalpha'", "with base 10: ''");
    check(&json!({"number": "\nalpha"}), "with base 10: 'alpha'", "with base 10: ''");
}

#[test]
fn a_path_is_cut_out_resolved_relative_and_by_its_last_part() {
    let arguments = json!({"path": "/workspace/a/../sub/undefined"});
    check(&arguments, "/workspace/sub/undefined, sub/undefined, undefined", ", , ");
}

#[test]
fn a_path_is_resolved_against_the_workspace_and_a_word_is_no_path() {
    check(&json!({"path": "sub/../x.txt"}), "no /workspace/x.txt", "no ");
    check(&json!({"pattern": "."}), "nothing in the workspace", "nothing in the workspace");
    let without_folders = spellings("/srv/a/b", &Folders::default());
    assert!(!without_folders.contains(&"srv/a/b".to_owned()), "it is relative to no folder");
}

#[test]
fn an_address_is_cut_out_as_it_is_encoded_or_without_its_path() {
    let arguments = json!({"url": "http://alpha:beta@127.0.0.1:9/ä b"});
    check(&arguments, "no http://alpha:beta@127.0.0.1:9/%C3%A4%20b", "no ");
    check(&arguments, "no http://alpha:beta@127.0.0.1:9/ä", "no /ä");
    check(&json!({"url": "http://"}), "no http://other/x", "no other/x");
}

#[test]
fn a_value_is_cut_out_as_json_rust_and_a_shell_escape_it() {
    let arguments = json!({"value": "say \"it's\""});
    check(&arguments, r#"got "say \"it's\"" or 'say "it'\''s"'"#, "got \"\" or ''");
    let within = json!({"error": "a \"so\" b"}).to_string();
    let reply = json!({ "message": within }).to_string();
    check(&json!({"value": "a \"so\" b"}), &reply, r#"{"message":"{\"error\":\"\"}"}"#);
    // Python escapes other control characters than JSON and Rust.
    check(&json!({"value": "\u{e9}\\\u{1}\u{85}x"}), "got '\u{e9}\\\\\\x01\\x85x'", "got ''");
}

#[test]
fn a_nul_is_found_in_its_escaped_forms() {
    let arguments = json!({"path": "/workspace/a\0b.txt"});
    check(&arguments, r"'/workspace/a\x00b.txt' and '/workspace/a\u0000b.txt'", "'' and ''");
    for instead in ["", r"\0", "^@", "\u{2400}", "\u{fffd}", " "] {
        check(&arguments, &format!("no '/workspace/a{instead}b.txt'"), "no ''");
    }
    check(&json!({"value": "name\0abc"}), "'name' and 'abc'", "'' and 'abc'");
    check(&json!({"value": "\0"}), "no such name", "no such name");
}

#[test]
fn a_number_is_cut_out_when_it_has_lost_digits() {
    let arguments =
        json!({"n": -9_223_372_036_854_775_808_i64, "m": 9_223_372_036_854_775_807_i64, "f": 1e20});
    check(&arguments, "-9223372036854776000, 9223372036854775807, 100000000000000000000, 1e+20", ", , , ");
    check(&json!({"n": 12345}), "got 12345 or 12345.0", "got  or ");
    check(&json!({"n": 12_345_678_901_234_567_890_u64}), "got 1.2345678901234567e+19", "got ");
    check(&json!({"n": 12_345_678}), "got 1.2345678e+07", "got ");
    check(&json!({"n": -1_234_567.5}), "got -1.2345675e+06", "got ");
    check(&json!({"n": 123_456}), "got 1.23456e+05", "got 1.23456e+05");
}

#[test]
fn a_number_beyond_64_bits_is_cut_out_as_the_nearest_one_within() {
    check(&json!({"n": -1e30}), "got -9223372036854775808", "got ");
    check(&json!({"n": 1e30}), "got 9223372036854775807", "got ");
    check(&json!({"n": 9.2e18}), "got 9223372036854775807", "got 9223372036854775807");
}

#[test]
fn a_letter_that_does_not_show_is_cut_out_as_it_is_escaped() {
    check(&json!({"value": "a\u{200b}bc"}), r"no 'a\u{200b}bc'", "no ''");
}

#[test]
fn a_list_and_an_object_are_cut_out_as_python_and_go_print_them() {
    let arguments = json!({"value": {"b": "x", "a": [1, null]}});
    check(&arguments, "{'b': 'x', 'a': [1, None]} or map[a:[1 <nil>] b:x]", " or ");
    check(&json!({"value": [1, 2]}), "got [1, 2], [1,2] or [1 2]", "got ,  or ");
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
fn a_short_value_is_no_echo_within_a_word() {
    check(&json!({"value": "nil"}), "vanilla nil 'nil'", "vanilla  ''");
    check(&json!({"value": "a"}), "not a directory: 'a'", "not a directory: ''");
    for text in ["nilx", "xnil", "my_nil", "nil_x"] {
        check(&json!({"value": "nil"}), text, text);
    }
    for text in ["'a or b'", "'b or a'"] {
        check(&json!({"value": "a"}), text, text);
    }
}

#[test]
fn a_sign_of_two_characters_is_an_echo_where_it_is_set_off() {
    check(&json!({"value": "{}"}), "Entity with name {} not found", "Entity with name  not found");
    check(&json!({"value": "%s"}), "no file (%s), %s: gone: %s", "no file (), : gone: ");
    check(&json!({"value": ".."}), "path .. leads out", "path  leads out");
    for (value, text) in
        [("{}", "f{} {}x {a: {}}"), ("..", "a... and ... b"), ("ab", "no ab here"), (".", "no . here")]
    {
        check(&json!({ "value": value }), text, text);
    }
    // A string that is sent a thousand times is searched once.
    assert_eq!(Echo::of_values(&json!(vec!["{}"; 1_000]), &folders()).signs, ["{}"]);
    // Braces of an empty object are only an echo if requested.
    check(&json!({"value": {}}), "must not be {}: send {}", "must not be {}: send {}");
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
fn a_value_that_is_no_word_at_an_end_or_is_long_may_touch_other_words() {
    check(&json!({"value": "-nil"}), "no x-nil", "no x");
    check(&json!({"value": "nil-"}), "no nil-x", "no x");
    check(&json!({"value": "fifteen_letters"}), "no xfifteen_lettersx", "no xfifteen_lettersx");
    check(&json!({"value": "sixteen__letters"}), "no xsixteen__lettersx", "no xx");
}

#[test]
fn a_value_of_white_space_is_no_echo() {
    check(&json!({"value": "    "}), "a    b", "a    b");
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
    check(&json!(values), &format!("same, {last}, {next}"), &format!(", , {next}"));
}

#[test]
fn the_beginning_of_a_long_value_is_an_echo() {
    let long = "z".repeat(300);
    check(&json!({"value": long}), &format!("'{}...' is too long", "z".repeat(50)), "'...' is too long");
    let letters: String = ('a'..='z').chain('A'..='Z').collect();
    for (length, left) in [(40, &letters[..30]), (41, "")] {
        check(&json!({"value": letters[..length]}), &letters[..30], left);
    }
}

#[test]
fn the_beginning_of_a_long_list_is_an_echo_and_that_of_all_arguments_is_none() {
    let list = json!([[["alpha", 1.0, i64::MAX, null]], {"beta": [true, false]}, {"gamma": "delta"}]);
    let as_javascript = r#"[[["alpha",1,9223372036854776000,null]],{"beta":[true,false]},{"gamma":"delta"}]"#;
    for printed in [list.to_string(), as_javascript.to_owned()] {
        for length in [30, printed.len()] {
            check(&json!({ "value": list }), &format!("not {}: send", &printed[..length]), "not : send");
            check(&list, &format!("not {}: send", &printed[..length]), "not : send");
        }
    }
    let all = json!({"one": [], "two": {}, "three": null, "four": true, "five": {}});
    let hint = r#"send {"one":[],"two":{},"three":null,"four":false}"#;
    check(&all, hint, hint);
}

#[test]
fn of_a_path_only_what_is_visibly_cut_short_is_a_beginning() {
    let path = json!({"path": "/workspace/a/folder/with/a/long/name/and/more.txt"});
    let beginning = "/workspace/a/folder/with";
    check(&path, &format!("'{beginning}...' is too long"), "'...' is too long");
    check(&path, &format!("no '{beginning}'"), &format!("no '{beginning}'"));
    let lines = json!({"content": "/workspace/a/folder/with\na/long/name/and/more.txt"});
    check(&lines, &format!("no '{beginning}'"), "no ''");
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

#[test]
fn a_long_value_may_come_back_in_small_letters() {
    let arguments = json!({"dump": "at Object.<anonymous> (index.js:1:1)", "mode": "Error"});
    check(&arguments, "unknown mode 'at object.<anonymous> (index.js:1:1)'", "unknown mode ''");
    check(&arguments, "error in 'Error'", "error in ''");
}

#[test]
fn a_value_that_is_shown_without_its_middle_is_cut_out() {
    let arguments =
        json!({"branch_name": "ENOENT:aaaaaaaaaaaaaaaaaaaa", "at": "bbbbbbbbbbbbbbbbbbbb.js:1:a"});
    check(&arguments, "input_value={'branch_name': 'ENOENT:a...aaaa'}", "input_value=...'}");
    check(&arguments, "input_value={'other': 'ENOENT:a...aaaa'}", "input_value={'other': '...'}");
    check(&arguments, "got \"bbbb\u{2026}b.js:1:a\" here", "got \"\u{2026}\" here");
    let object = "{'': None, 'branch_n...bbb.js:1:a'}";
    check(&arguments, object, "{'': None, 'branch_n...'}");
    check(&arguments, "'ENOENT:aaa...other words'", "'...other words'");
    // A program that prints it chooses the quotation marks that it does not contain.
    let quoted = json!({"encoding": "KaaError: 'aaaaaaaaaaaaaaaa"});
    check(&quoted, "{'encoding': \"KaaError: '...aa\"}", "...\"}");
    for kept in ["'ENOENT:b...aaaa'", "'ENOEN...aaab'", "ENOENT:a...aaaa", "'EN...a'"] {
        check(&arguments, kept, kept);
    }
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

#[test]
fn a_value_that_resembles_the_sent_one_is_no_echo() {
    let sent = json!({"unit": "celsiusx", "breed": "golden retriever!", "at": "/srv/data/folder/with/names"});
    for text in
        ["one of 'celsius', 'kelvin'", "Did you mean 'golden retriever'?", "no folder /srv/data/folder"]
    {
        check(&sent, text, text);
    }
}
