//! `leak/debug-format`: a value is printed in a value in the notation of the server's programming language.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // `{:?}` of Option and Result.
    Pattern {
        language: Language::Rust,
        tells: "Rust's `{:?}` of an `Option` or a `Result`",
        regex: r#"\b(?:Some|Ok|Err)\((?:["'\w&\[({-]|\x1a)"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["path Some(\"x\") not found"],
        misses: &["Some (3) of the paths were not found"],
    },
    // `{:?}` of std::io::Error, of structs and of enums with data, and of serde_json::Error.
    Pattern {
        language: Language::Rust,
        tells: "Rust's `{:?}` of an error",
        regex: r#"\bOs \{ code: |\bCustom \{ kind: |\{(?:[^{}\n]*,)? kind: [A-Z]\w+|\bError \{ |\bError\("|\b[A-Z]\w*(?:Error|Err|Failure)(?:Kind)? ?\{ |\b[A-Z]\w*(?:Error|Err|Failure)(?:Kind)? ?\(["A-Z\d]"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Os { code: 39, kind: DirectoryNotEmpty, message: \"Directory not empty\" }"],
        misses: &["Error: the directory is not empty", "ConnectError('the host is unknown')"],
    },
    Pattern {
        language: Language::Rust,
        tells: "Rust's `{:?}` of a struct or of an enum",
        regex: r#"\b[A-Z][A-Za-z0-9]+ \{ (?:\.\.|[a-z_][a-z0-9_]*: )|\b[A-Z][a-z]+[A-Z][A-Za-z]+\("|\{ \.\. \}"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["NotFound { needle: \"foo\", path: \"/workspace/a.txt\" }"],
        misses: &["Invalid value { path: 3 }"],
    },
    // globset's and regex's own `{:?}` in the place of their `Display`.
    Pattern {
        language: Language::Rust,
        tells: "Rust's `{:?}` of a syntax error",
        regex: r"\bSyntax\(\s*~{5,}",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Syntax(\n~~~~~~~~~~\nregex parse error:\n    ("],
        misses: &["regex parse error:\n    (\n    ^\nerror: unclosed group"],
    },
    // `%v` and `%+v` of Go.
    Pattern {
        language: Language::Go,
        tells: "Go's `%+v` of a struct",
        regex: r"&\{(?:[A-Z]\w*:\S* ?){1,40}\}|\{[A-Z]\w*:\S* (?:[A-Z]\w*:\S* ?){1,40}\}|&\{[^\n}]*\}|\{[A-Z]\w*:[^\n{}]* [A-Z]\w*:[^\n{}]*\}",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["bad request {Name: Count:0 Tags:[]}"],
        misses: &["arguments must be {Name:path}"],
    },
    // One member may be a placeholder: "send {Name:path}".
    Pattern {
        language: Language::Go,
        tells: "Go's `%+v` of a struct",
        regex: r"\{[A-Z]\w*:[^\s{}]*\}",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["bad request {Name:}"],
        misses: &["bad request {\"Name\": \"\"}"],
    },
    Pattern {
        language: Language::Go,
        tells: "Go's `%v` of a map",
        regex: r"\bmap\[[^\]\n\s:]*:[^\]\n]* [^\]\n\s:]+:[^\]\n]*\]|\bmap\[\]",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["open map[a:1 b:2]: no such file or directory"],
        misses: &["the config map[key:value] is wrong"],
    },
    Pattern {
        language: Language::Go,
        tells: "Go's `%v` of a map",
        regex: r"\bmap\[[^\]\n\s:]*:[^\]\n]*\]",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["bad request map[a:1]"],
        misses: &["the map has no key a"],
    },
    Pattern {
        language: Language::Go,
        tells: "the name of a Go type",
        regex: r"\bmap\[(?:string|int)\]|\[\](?:string|int|byte|interface|any)\b\{?|\binterface ?\{\}|\berrors\.errorString|\bfloat64\b|\b\*\w+\.[A-Z]\w+\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["value of type map[string]interface {} is not allowed"],
        misses: &["an object is not allowed here"],
    },
    // `repr()` of Python's exceptions.
    Pattern {
        language: Language::Python,
        tells: "Python's `repr()` of an exception",
        regex: r#"\b[A-Z]\w*(?:Error|Exception)\((?:['"]|\))"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Request failed with: TypeError(\"unhashable type: 'list'\")"],
        misses: &["Request failed with: the list is empty"],
    },
    Pattern {
        language: Language::Python,
        tells: "Python's `repr()` of a value",
        regex: r"(?:\A|[\s(\[{,:=])[bB]'(?:[^'\\\n]|\\.){0,200}'|\bdict_(?:keys|values|items)\(\[|\b(?:Ellipsis|NotImplemented)\b|\{'\w+': (?:'|\d|None|True|False|\[|\{)|\bnamespace\(\w+=|\b[A-Z]\w+\(\w+=(?:'|\d|None|True|False|\[|\{)|<(?:\w+\.)*[A-Z]\w+(?:\.\w+)?: (?:'|\d)|<(?:function|module|built-in|bound method|coroutine object|generator object) ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["no file b'/workspace/a'", "bad request {'path': None}", "ViewArgs(path='a', limit=None)"],
        misses: &[
            "use {\"path\": null}",
            "grep(pattern, path)",
            "options '-b', '-B', and '--detach' cannot be used together",
        ],
    },
    Pattern {
        language: Language::Jvm,
        tells: "a map or a record as Java prints it",
        regex: r#"\b[A-Z]\w*[\[(]\w+=[^'"\]\)\n=]{0,80}, \w+=[^'"\]\)\n]*[\])]|\bOptional(?:\.empty|\[)"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["ViewArgs[path=a.txt, limit=3]", "Optional.empty"],
        misses: &["call Grep(pattern=x)", "Pool(host='127.0.0.1', port=9)"],
    },
    Pattern {
        language: Language::Rust,
        tells: "Rust's `{:?}` of a JSON value",
        regex: r#"\b(?:String|Number|Bool|Array|Object)\((?:\"|-?\d|true|false|\[|\{)|\b(?:Object|Array) [\{\[] ?(?:\"|String|Number|Bool|Null|Object|Array)"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["expected a string, got Number(5)", "got Object {\"a\": Number(1)}"],
        misses: &["a Number (5) is expected"],
    },
    Pattern {
        language: Language::Go,
        tells: "Go's `%#v` of a value",
        regex: r"\bmap\[\w+\](?:\w+|interface ?\{\})\{|&?\b[a-z]\w*\.[A-Z]\w*\{\w*|\[\](?:string|int|byte|interface \{\}|any)\{|\(\*\w+\.\w+\)\((?:nil|0x)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["bad request main.Args{Path:\"a\"}", "got []string{\"a\", \"b\"}"],
        misses: &["the args{} are empty"],
    },
    Pattern {
        language: Language::Rust,
        tells: "Rust's `{:?}` of an enum",
        regex: r#"\b(?:failed|error|Error): [A-Z]\w+\(\"[^\"\n]*\"\)\s*\z"#,
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["failed: Bad(\"boom\")"],
        misses: &["call Grep(\"x\")"],
    },
];

/// BC-20: no internal detail in a message; A6 counts a debug format wherever it stands.
pub(crate) static RULE: Rule = Rule {
    id: "leak/debug-format",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply contains a value in the notation of the server's programming language",
    page: r#"`Some("x")`, `&{...}` and `map[a:1]` are meant for programmers. A model reads them as part of the value and sends them
back.

**Counts:** Rust's `{:?}` of options, results, structs and errors; Go's `%v` and `%+v` of structs and maps (Should if
there is one member and no `&`, since that may be a placeholder), and names of Go types; Python's `repr()` of an
exception.

**Does not count:** JSON; a tool call (`Call ListFiles("/")`); code that the caller sent itself; `Some` and `Err` as
words.

**How to fix it:** print the value itself: unwrap the option first, use the error's `Display`, and write objects as
JSON."#,
    check: RuleCheck::Exchange(check),
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

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Print the value itself: unwrap options before formatting them, use the error's display form, \
        and write objects as JSON.";
    super::judged(context, RULE.id, "a value in the notation of the server's programming language", help)
}
