//! Messages that say what to change in a call, and ones that do not.

use super::*;

use proptest::prelude::*;
use serde_json::json;

use crate::placeholder::Folders;

fn hints(text: &str) -> bool {
    let echo =
        Echo::of_values(&json!({"path": "/workspace/must/try.txt", "old_str": "green"}), &Folders::default());
    let arguments = json!({"path": "/workspace/must/try.txt", "old_str": "green"});
    let asked = Asked {
        echo: &echo,
        arguments: &arguments,
        tool: "view",
        parameters: &["path", "old_str"],
        schemas: &[],
        wrong: &[],
        required: &[],
        tools: &["view", "grep", "list_tasks"],
        workspace: "/workspace",
        condition: "",
    };
    gives_hint(text, &asked)
}

/// Calls `read` for a call with these arguments.
pub(super) fn asked<T>(arguments: &Value, read: impl FnOnce(&Asked<'_>) -> T) -> T {
    asked_under("", arguments, read)
}

/// Like [`asked`], with the condition for which the call must fail.
pub(super) fn asked_under<T>(condition: &str, arguments: &Value, read: impl FnOnce(&Asked<'_>) -> T) -> T {
    let echo = Echo::of_values(arguments, &Folders::default());
    let names = ["path", "old_str"]
        .into_iter()
        .chain(arguments.as_object().into_iter().flatten().map(|(name, _)| name.as_str()));
    let parameters: Vec<&str> = names.collect();
    read(&Asked {
        echo: &echo,
        arguments,
        tool: "view",
        parameters: &parameters,
        schemas: &[],
        wrong: &[],
        required: &[],
        tools: &["view", "grep", "list_tasks"],
        workspace: "/workspace",
        condition,
    })
}

#[test]
fn every_block_has_a_hit_and_a_miss_and_each_is_what_it_says() {
    for sign in sign::all() {
        assert!(!sign.says.is_empty() && !sign.source.is_empty(), "{}", sign.id);
        assert!(!sign.examples.is_empty() && !sign.counter_examples.is_empty(), "{}", sign.id);
        let call = sign.call.as_deref().map_or(json!({"path": "/x/nowhere", "old_str": "green"}), |call| {
            serde_json::from_str(call).expect("the call is JSON")
        });
        asked(&call, |asked| {
            for text in &sign.examples {
                assert!(signs(text, asked).contains(sign.id.as_str()), "{}: {text}", sign.id);
                assert!(gives_hint(text, asked), "{}: {text}", sign.id);
            }
            for text in &sign.counter_examples {
                assert_eq!(signs(text, asked), BTreeSet::new(), "{}: {text}", sign.id);
            }
        });
    }
}

#[test]
fn every_sign_has_an_expression_or_is_looked_for() {
    for sign in sign::all() {
        let looked_for = LOOKED_FOR.iter().any(|(id, _)| *id == sign.id) || sign.id == "member";
        assert_ne!(sign.expression.is_some(), looked_for, "{}", sign.id);
    }
}

#[test]
fn what_is_left_out_is_left_out_whole_and_nothing_like_it_is() {
    for (id, block) in sign::cuts() {
        assert!(
            !block.says.is_empty() && !block.examples.is_empty() && !block.counter_examples.is_empty(),
            "{id}"
        );
        let left = |text: &str| sign::cut(id).replace_all(text, "").into_owned();
        for text in &block.examples {
            assert_ne!(left(text), *text, "{id}");
        }
        for text in &block.counter_examples {
            assert_eq!(left(text), *text, "{id}");
        }
    }
}

#[test]
fn what_stands_in_another_language_is_judged_by_what_needs_none() {
    for text in [
        "Datei nicht gefunden, leider",
        "\u{6587}\u{4ef6}\u{4e0d}\u{5b58}\u{5728}",
        "Der Wert \"x\" fehlt hier",
    ] {
        assert!(hints(text), "{text}");
    }
    assert!(!hints("the file is not there, alas"));
}

#[test]
fn what_tells_the_caller_what_to_change_is_a_hint() {
    for text in [
        "'path' is required",
        "Missing required argument: path",
        "'limit' must be at most 100, got 1000",
        "file size 3001 bytes exceeds maximum 2048 bytes",
        "type \"x\"; valid values: file, directory",
        "No task 't9'. Start one in the background first.",
        "found 3 times; use replace_all to replace all",
        "error parsing regexp: missing closing ]: `[a`",
        "/etc/passwd is outside the allowed directories (/workspace)",
        "there is no lib.rs; the nearest name is lib.ts",
        "expected a whole number, got \"x\"",
        "/workspace/must/try.txt is outside /srv/app. Use a path below it.",
        "/workspace/must/try.txt not found. Files in that folder: present.txt.",
        "/workspace/must/try.txt not found. The folder holds: present.txt",
        "'t9' is not the id of a task of this session; task ids look like t1.",
        "No background task has the id 't9'; ids are returned by bash when background is true.",
        "No file at /workspace/must/try.txt. Paths are resolved from the workspace.",
        "stat: /workspace/must/try.txt does not exist, so check the path",
        r#"{"type":"PERMISSION","message":"outside the project","data":{"allowed_roots":["/srv"]}}"#,
    ] {
        assert!(hints(text), "{text}");
    }
}

#[test]
fn what_only_says_that_it_failed_is_no_hint() {
    for text in [
        "/workspace/must/try.txt does not exist",
        "task not found: t9",
        "Search failed, please check your input and try again.",
        "The pattern could not be compiled.",
        "old_str occurs 3 times in /workspace/must/try.txt.",
        "/etc/passwd is outside the allowed directories.",
        "Missing arguments",
        "open /workspace/must/try.txt: no such file or directory",
        "bad mode: /workspace/must/try.txt|file",
    ] {
        assert!(!hints(text), "{text}");
    }
}

#[test]
fn in_json_the_members_that_describe_are_read_and_lists_of_names_are_known_by_theirs() {
    for (text, hint) in [
        (r#"{"message":"no such file"}"#, false),
        (r#"{"message":"no such file: use grep"}"#, true),
        (r#"{"kind":"use grep","message":"no such file"}"#, false),
        (r#"{"message":"no such file","available":["b.txt"]}"#, true),
        (r#"{"message":"no such file","folder":["b.txt"]}"#, false),
        (r#"failed: {"message":"no such file:\nuse grep"}"#, true),
        (r#"failed: {"message":"no such file:\nthere is none"}"#, false),
        (r#"{"error":"{\"message\":\"no such file:\\nuse grep\"}"}"#, true),
        (r#"{"error":"{\"message\":\"no such file:\\nthere is none\"}"}"#, false),
    ] {
        assert_eq!(hints(text), hint, "{text}");
    }
}

#[test]
fn an_argument_that_is_not_wanted_is_called_so() {
    for text in
        ["nobody asked for x", "x is not something this tool has", "I don't use x", "reason=unknown_field"]
    {
        assert!(calls_it_unknown(text), "{text}");
    }
    for text in ["unknown key 'x'", "view has no parameter 'x'", "'x' is not accepted", "view takes no x"] {
        assert!(calls_it_unknown(text), "{text}");
    }
    for text in ["'x' is wrong", "view failed at x"] {
        assert!(!calls_it_unknown(text), "{text}");
    }
}

#[test]
fn of_numbers_only_those_that_were_sent_as_such_are_measured_against_others() {
    let reported = |arguments: Value, text: &str| asked(&arguments, |asked| gives_hint(text, asked));
    assert!(reported(json!({"page": 9}), "There are 4 pages; page 9 does not exist."));
    assert!(reported(json!({"rows": 100_000}), "rows 100000: 5000 is what fits"));
    assert!(reported(json!({"page": "-9"}), "There are 4 pages; page -9 does not exist."));
    assert!(!reported(json!({"title": "12 rows, 15 rows"}), "There is no '12 rows, 15 rows' here"));
}

#[test]
fn the_allowed_folder_is_named_and_no_other_that_begins_like_it() {
    for (text, named) in [
        ("outside of /workspace", true),
        ("outside of '/workspace'.", true),
        ("outside of /workspace, in /workspace-old", true),
        ("outside: /workspace/a", false),
        ("outside: /workspace-old", false),
        ("outside: /workspace_old", false),
        ("outside: /workspace2", false),
        ("not found: /workspace", false),
    ] {
        let reported = asked(&json!({}), |asked| root::names_root(&View::of(text, asked), asked));
        assert_eq!(reported, named, "{text}");
    }
}

#[test]
fn any_folder_is_the_allowed_one_where_none_is_known() {
    for (text, reported) in [
        ("path outside allowed directories: \u{1a}\u{1a} not in /srv/files", true),
        ("path outside allowed directories: \u{1a}\u{1a}", false),
        ("nothing is found at /srv/files", false),
    ] {
        let named = asked(&json!({}), |asked| {
            root::names_root(&View::of(text, asked), &Asked { workspace: "", ..*asked })
        });
        assert_eq!(named, reported, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(?s).{0,80}") {
        hints(&text);
        hints(&format!("{text}: must be {text}"));
    }
}
