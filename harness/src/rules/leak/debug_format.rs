//! `leak/debug-format`: a value is printed in the notation of the server's own language.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // `{:?}` of Option and Result.
    Pattern {
        tells: "Rust's `{:?}` of an `Option` or a `Result`",
        regex: r#"\b(?:Some|Ok|Err)\((?:["'\w&\[({-]|\x1a)"#,
        place: Place::Anywhere,
        level: None,
        hit: "path Some(\"x\") not found",
        miss: "Some (3) of the paths were not found",
    },
    // `{:?}` of std::io::Error, of structs and of enums with data, and of serde_json::Error.
    Pattern {
        tells: "Rust's `{:?}` of an error",
        regex: r#"\bOs \{ code: |\bCustom \{ kind: |\{(?:[^{}\n]*,)? kind: [A-Z]\w+|\bError \{ |\bError\("|\b[A-Z]\w*(?:Error|Err|Failure)(?:Kind)? ?(?:\{ |\((?:["'A-Z\d]))"#,
        place: Place::Anywhere,
        level: None,
        hit: "Os { code: 39, kind: DirectoryNotEmpty, message: \"Directory not empty\" }",
        miss: "Error: the directory is not empty",
    },
    Pattern {
        tells: "Rust's `{:?}` of a struct or of an enum",
        regex: r#"\b[A-Z][A-Za-z0-9]+ \{ (?:\.\.|[a-z_][a-z0-9_]*: )|\b[A-Z][a-z]+[A-Z][A-Za-z]+\("|\{ \.\. \}"#,
        place: Place::Anywhere,
        level: None,
        hit: "NotFound { needle: \"foo\", path: \"/workspace/a.txt\" }",
        miss: "Invalid value { path: 3 }",
    },
    // globset's and regex's own `{:?}` in the place of their `Display`.
    Pattern {
        tells: "Rust's `{:?}` of a syntax error",
        regex: r"\bSyntax\(\s*~{5,}",
        place: Place::Anywhere,
        level: None,
        hit: "Syntax(\n~~~~~~~~~~\nregex parse error:\n    (",
        miss: "regex parse error:\n    (\n    ^\nerror: unclosed group",
    },
    // `%v` and `%+v` of Go.
    Pattern {
        tells: "Go's `%+v` of a struct",
        regex: r"&\{(?:[A-Z]\w*:\S* ?){1,40}\}|\{[A-Z]\w*:\S* (?:[A-Z]\w*:\S* ?){1,40}\}|&\{[^\n}]*\}|\{[A-Z]\w*:[^\n{}]* [A-Z]\w*:[^\n{}]*\}",
        place: Place::Anywhere,
        level: None,
        hit: "bad request {Name: Count:0 Tags:[]}",
        miss: "arguments must be {Name:path}",
    },
    // One member may be a placeholder: "send {Name:path}".
    Pattern {
        tells: "Go's `%+v` of a struct",
        regex: r"\{[A-Z]\w*:[^\s{}]*\}",
        place: Place::Anywhere,
        level: Some(Level::Should),
        hit: "bad request {Name:}",
        miss: "bad request {\"Name\": \"\"}",
    },
    Pattern {
        tells: "Go's `%v` of a map",
        regex: r"\bmap\[[^\]\n\s:]*:[^\]\n]* [^\]\n\s:]+:[^\]\n]*\]|\bmap\[\]",
        place: Place::Anywhere,
        level: None,
        hit: "open map[a:1 b:2]: no such file or directory",
        miss: "the config map[key:value] is wrong",
    },
    Pattern {
        tells: "Go's `%v` of a map",
        regex: r"\bmap\[[^\]\n\s:]*:[^\]\n]*\]",
        place: Place::Anywhere,
        level: Some(Level::Should),
        hit: "open map[a:1]: no such file or directory",
        miss: "the map has no key a",
    },
    Pattern {
        tells: "the name of a Go type",
        regex: r"\bmap\[(?:string|int)\]|\[\](?:string|int|byte|interface|any)\b\{?|\binterface ?\{\}|\berrors\.errorString|\bfloat64\b|\b\*\w+\.[A-Z]\w+\b",
        place: Place::Anywhere,
        level: None,
        hit: "value of type map[string]interface {} is not allowed",
        miss: "an object is not allowed here",
    },
    // `repr()` of Python's exceptions.
    Pattern {
        tells: "Python's `repr()` of an exception",
        regex: r#"\b[A-Z]\w*(?:Error|Exception)\((?:['"]|\))"#,
        place: Place::Anywhere,
        level: None,
        hit: "Request failed with: TypeError(\"unhashable type: 'list'\")",
        miss: "Request failed with: the list is empty",
    },
];

/// BC-20: no internal detail in a message; A6 counts a debug format wherever it stands.
pub(crate) static RULE: Rule = Rule {
    id: "leak/debug-format",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply holds a value in the notation of the server's own language",
    page: r#"`Some("x")`, `&{...}` and `map[a:1]` are notes of a programmer to himself. The model reads them as part of the value
and sends them back.

**Counts:** Rust's `{:?}` of options, results, structs and errors; Go's `%v` and `%+v` of structs and maps (Should where it
has one member and no `&`: it may be a placeholder), and names of Go types; Python's `repr()` of an exception.

**Does not count:** JSON; the call of a tool (`Call ListFiles("/")`); code that the caller sent itself; `Some` and `Err` as words.

**To mend it:** print the value itself: unwrap the option first, use the error's `Display`, write an object as JSON."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "task_output", "arguments": {"task_id": "t-9"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[BASH_TASK_NOT_FOUND] There is no task Some(\"t-9\"). Start one in the background first."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "task_output", "arguments": {"task_id": "t-9"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[BASH_TASK_NOT_FOUND] There is no task 't-9'. Start one in the background first."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let help = "Print the value itself: unwrap an option before it is formatted, use an error's display form, and write objects as JSON.";
    super::judged(scene, &PATTERNS, "the notation of the server's own language", help)
}
