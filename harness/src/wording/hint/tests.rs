//! Messages that tell what to change in a call, and such as do not.

use super::*;

use proptest::prelude::*;
use serde_json::json;

use crate::placeholder::Folders;

fn hints(text: &str) -> bool {
    let echo = Echo::of_values(&json!({"path": "/workspace/must/try.txt"}), &Folders::default());
    let arguments = json!({"path": "/workspace/must/try.txt"});
    let asked = Asked {
        echo: &echo,
        arguments: &arguments,
        tool: "view",
        parameters: &["path", "old_str"],
        workspace: "/workspace",
    };
    gives_hint(text, &asked)
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

/// Each of these is a hint for one reason alone.
#[test]
fn every_kind_of_hint_is_one_by_itself() {
    for (kind, text) in [
        ("a sign", "The line was wanted"),
        ("a missing parameter", "There is no old_str in it"),
        ("a listing", "bad mode (file|directory)"),
        ("the allowed folder", "It leads outside: /workspace"),
        ("an instruction", "no match - read the file anew"),
        ("a format", "a number was awaited and a string came"),
        ("a reason", "bracket without a partner"),
        ("a rule", "An email address has an @ in it"),
        ("another name", "The newest one is 61."),
        ("a bound", "the file has 9000 bytes, 4096 are allowed"),
    ] {
        assert!(hints(text), "{kind}: {text}");
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
fn what_stands_beside_a_message_lists_names_in_members_that_say_so() {
    for (data, lists) in [
        (r#"{"available":["a.txt"]}"#, true),
        (r#"{"availableFiles":["a.txt"]}"#, true),
        (r#"{"known_tasks":"t1"}"#, true),
        (r#"{"available":[]}"#, false),
        (r#"{"available":" "}"#, false),
        (r#"{"unavailable":["a.txt"]}"#, false),
        (r#"{"path":"a.txt"}"#, false),
        ("available: a.txt", false),
    ] {
        assert_eq!(lists_beside(data), lists, "{data}");
    }
}

#[test]
fn an_argument_that_is_not_wanted_is_called_so() {
    for text in ["unknown key 'x'", "view has no parameter 'x'", "'x' is not accepted", "view takes no x"] {
        assert!(calls_it_unknown(text), "{text}");
    }
    for text in ["'x' is wrong", "view failed at x"] {
        assert!(!calls_it_unknown(text), "{text}");
    }
}

#[test]
fn of_numbers_only_those_that_were_sent_as_such_are_measured_against_others() {
    let told = |arguments: serde_json::Value, text: &str| {
        let echo = Echo::of_values(&arguments, &Folders::default());
        let asked =
            Asked { echo: &echo, arguments: &arguments, tool: "view", parameters: &[], workspace: "" };
        gives_hint(text, &asked)
    };
    assert!(told(json!({"page": 9}), "There are 4 pages; page 9 does not exist."));
    assert!(told(json!({"rows": 100_000}), "rows 100000: 5000 is what fits"));
    assert!(told(json!({"page": "-9"}), "There are 4 pages; page -9 does not exist."));
    assert!(!told(json!({"title": "12 rows, 15 rows"}), "There is no '12 rows, 15 rows' here"));
}

#[test]
fn a_parameter_that_is_missing_is_named() {
    for (text, named) in [
        ("'path' is required", true),
        ("The argument is missing.", false),
        ("A required argument is missing.", false),
        ("Required arguments were not sent", false),
        ("Required arguments were not sent: path", true),
        ("The argument is missing: Path", true),
        ("A required argument is missing: path", true),
        ("The query argument is missing.", true),
        ("It was empty.", false),
        ("missing argument: path", true),
        ("Missing argument: not found", false),
        ("no path given", true),
        ("path missing", true),
        ("The path is gone.", false),
    ] {
        assert_eq!(names_missing(text, &["path", "old_str"]), named, "{text}");
    }
    assert!(!names_missing("It is a missing archive, no a", &["a"]), "a letter is in any text");
    // Of an id the name says what it is, and of a tool that nobody knows any word may be a parameter.
    assert!(names_missing("The id is missing.", &["id"]));
    assert!(names_missing("The argument is missing.", &[]));
    assert!(names_missing("missing argument: \u{212a}", &["path"]));
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
        assert_eq!(names_root(text, "/workspace"), named, "{text}");
    }
}

#[test]
fn any_folder_is_the_allowed_one_where_none_is_known() {
    for (text, told) in [
        ("path outside allowed directories: \u{1a}\u{1a} not in /srv/files", true),
        ("path outside allowed directories: \u{1a}\u{1a}", false),
        ("nothing is found at /srv/files", false),
    ] {
        assert_eq!(names_root(text, ""), told, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(?s).{0,80}") {
        hints(&text);
        hints(&format!("{text}: must be {text}"));
    }
}
