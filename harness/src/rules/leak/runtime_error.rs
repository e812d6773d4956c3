//! `leak/runtime-error`: the raw error of a runtime or library comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

pub(super) mod command;
pub(super) mod cpp;
pub(super) mod database;
pub(super) mod dotnet;
pub(super) mod git;
pub(super) mod go;
pub(super) mod jvm;
pub(super) mod node;
pub(super) mod python;
pub(super) mod rust;
pub(super) mod scripts;
pub(super) mod system;

/// BC-20: no raw runtime error without context; A6 says where the border runs.
pub(crate) static RULE: Rule = Rule {
    id: "leak/runtime-error",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6", "EE-13", "PD-09"],
    summary: "an error reply is, or begins with, a raw error of a runtime or library, or holds a tell-tale of one",
    page: r#"A raw runtime error tells the model which language and library the server is made of and seldom what to change in
the call. The same fault reads differently on every platform, so that nobody can rely on its words.

**Counts:** a message that is a raw error or begins with one (`open /x: no such file or directory`,
`strconv.Atoi: parsing "x": invalid syntax`), also behind words that hold no value (`Failed to write file: ...`); and
tell-tales wherever they stand: `os error 13`, `[Errno 13]`, `EACCES`, names of system calls and of library internals
(`lstat`, `fork/exec`, `pipe2`, `EvalSymlinks`), names of exception types.

**Does not count:** an operating system's phrase in a sentence that says operation and path (`could not read /x:
permission denied`); the explanation that a compiler gives of the caller's own pattern; whatever the caller sent
itself, in any form in which it may come back. Operation and path a second time behind a proper sentence (`could not
open P: open P: permission denied`) is a Note.

**To mend it:** catch the error where it is raised, say in words of your own what was tried on what, and append a plain
cause. Write the raw error to the log."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] open /workspace/a.txt: no such file or directory"}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] Could not open /workspace/a.txt: no such file or directory. List its folder to see what is there."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Catch this error in the tool, say in your own words what was tried on what (\"could not read PATH: permission denied\"), and keep the raw error for the log.";
    super::judged(context, RULE.id, "a raw runtime error", help)
}
