//! `leak/debug-format`: a value is printed in a value in the notation of the server's programming language.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

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
