//! `leak/panic`: the server stumbled over a fault of its own, and its words come through.

use crate::finding::{Diagnostic, Level};
use crate::rules::handling::Subject;
use crate::rules::{Context, Example, Handling, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // std::panic's default hook, and tokio's and rmcp's JoinError.
    Pattern {
        language: Language::Rust,
        tells: "a Rust panic",
        regex: r"(?:thread '[^'\n]*' (?:\(\d+\) )?)?panicked at (?s:.{0,400})|\bJoinError::Panic|note: run with `RUST_BACKTRACE=1`",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["thread 'main' panicked at src/main.rs:51:131:\ncalled `Option::unwrap()` on a `None` value"],
        misses: &["no thread named 'main'"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the message of a Rust panic",
        regex: r"called `(?:Option|Result)::\w+\(\)` on an? `\w+` value|internal error: entered unreachable code|attempt to (?:divide by zero|(?:add|subtract|multiply|negate|shift (?:left|right)) with overflow|calculate the remainder)|assertion `?[^\n`]{1,60}`? failed|RefCell already (?:mutably )?borrowed|already (?:mutably )?borrowed: Borrow(?:Mut)?Error|index out of bounds: the len is|(?:slice index|range (?:start|end) index) \w*|byte index \d+ is not a char boundary|task \d+ panicked",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["Error: called `Option::unwrap()` on a `None` value"],
        misses: &["Option 'unwrap' was called without a value"],
    },
    // With their figures nobody writes these to a caller, wherever they stand.
    Pattern {
        language: Language::Rust,
        tells: "the message of a Rust panic",
        regex: r"index out of bounds: the len is \d+ but the index is \d+|byte index \d+ is not a char boundary; it is inside|called `(?:Option::unwrap|Result::unwrap(?:_err)?)\(\)` on an? `(?:None|Err|Ok)` value",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Could not use 'scores' (index out of bounds: the len is 0 but the index is 0)"],
        misses: &["Could not use 'scores': index 4 is out of bounds, the list has 3 items"],
    },
    // recover() and the runtime of Go.
    Pattern {
        language: Language::Go,
        tells: "a Go panic",
        regex: r"\bruntime error: (?:index|slice|invalid|integer|hash|makeslice|growslice|comparing|cannot|negative|unsafe|floating|stack|out of)\b[^\n]*|(?:handler|tool|goroutine) panicked: [^\n]*|interface conversion: [^\n]+|assignment to entry in nil map|(?:close of|send on) (?:closed|nil) channel|all goroutines are asleep|strings: negative Repeat count|invalid memory address or nil pointer dereference",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["runtime error: index out of range [5] with length 3"],
        misses: &["index 5 is out of range: there are 3 edits", "Internal runtime error: RuntimeError"],
    },
    Pattern {
        language: Language::Go,
        tells: "a Go panic",
        regex: r"panic: [^\n]+",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["panic: boom"],
        misses: &["the word 'panic' occurs 3 times"],
    },
    // Uncaught exceptions of programming mistakes: no caller can bring them about on purpose.
    Pattern {
        language: Language::Python,
        tells: "an uncaught exception of Python",
        regex: r"'[\w.]+' object (?:has no attribute|is not (?:iterable|subscriptable|callable)|cannot be interpreted)|unsupported operand type\(s\) for|missing \d+ required positional argument|takes \d+ positional arguments? but \d+|got an unexpected keyword argument|name '\w+' is not defined|No module named '|object of type '\w+' has no len|unhashable type: |local variable '\w+' referenced before|cannot unpack non-iterable|\(\) argument must be a string, a bytes-like",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Error: 'NoneType' object has no attribute 'fetchall'"],
        misses: &["the object has no attribute with this name"],
    },
    Pattern {
        language: Language::Node,
        tells: "an uncaught exception of JavaScript",
        regex: r"Cannot (?:read|set) propert(?:y|ies) (?:of|'[^'\n]*' of) (?:undefined|null)|Cannot destructure property|Cannot use 'in' operator to search|(?:\b\w+(?:\.\w+)+|\)(?:\.\w+)+|\b(?:undefined|null|object)\b|\(intermediate value\)[\w.()]*) is not (?:a function|a constructor|iterable)\b|\b__(?:dirname|filename) is not defined|Cannot convert undefined or null to object|Maximum call stack size exceeded|Cannot access '\w+' before initialization|Assignment to constant variable",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Cannot read properties of undefined (reading 'trim')",
            "(args.url || \"http://127.0.0.1/\").replace is not a function",
            "__dirname is not defined",
        ],
        misses: &["Cannot read the properties of a.txt", "view (a.txt) is not a function of this tool"],
    },
    Pattern {
        language: Language::DotNet,
        tells: "an uncaught exception of Java or .NET",
        regex: r#"Cannot invoke "[^"\n]+" because |Object reference not set to an instance|Index was out(?:side the bounds of| of range)|The given key '[^'\n]*' was not present in the dictionary|Arithmetic operation resulted in an overflow|Attempted to divide by zero|Value cannot be null\.|Index \d+ out of bounds for length"#,
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["Cannot invoke \"String.length()\" because \"path\" is null"],
        misses: &["Cannot start 'x' because 'path' is missing"],
    },
    Pattern {
        language: Language::Cpp,
        tells: "the end of a C or C++ program",
        regex: r"terminate called after throwing|Segmentation fault|Assertion `[^'\n]+' failed|: runtime error: ",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["terminate called after throwing an instance of 'std::regex_error'"],
        misses: &["the task was terminated"],
    },
];

/// BC-20: no internal detail in a message; A6 counts words of the runtime wherever they stand.
pub(crate) static RULE: Rule = Rule {
    id: "leak/panic",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: Handling {
        subject: Subject::Bug,
        // What the server did not mean to say need not say more.
        silences: &["message/value-missing", "message/valid-values-missing", "message/hint-missing"],
        // A dump may hold a hint somewhere: nobody wrote it to say so.
        denies_hint: true,
        ..super::HANDLING
    },
    requirements: &["BC-20", "A6", "EE-13", "PD-09"],
    summary: "an error reply shows a panic or an uncaught exception in the server",
    page: r#"A panic or an uncaught exception means that the fault is in the server, not in the call. Its text names types, places
and variables in the server; the model cannot fix any of them, and usually just repeats the call.

**Counts:** a Rust panic and its messages, Go's `runtime error: ...` and recovered panics; exceptions that in Python,
JavaScript, Java and .NET only a programming mistake raises (`'NoneType' object has no attribute ...`, `Cannot read
properties of undefined ...`).

**Does not count:** the word itself (`panic-fix`, "3 lines with 'panic'"); whatever the caller sent.

**How to fix it:** check the arguments of the call in this finding before using them. As a safety net, turn every panic
into one sentence, "internal error in TOOL; reference R", and write the rest to the log."#,
    check: RuleCheck::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] view failed: runtime error: slice bounds out of range [5:3]"}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not show /workspace/a.txt because of an internal error; the operator finds it in the log as r-17."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Check the arguments of this call before using them, and turn any remaining panic into one \
        sentence with a reference to your log.";
    super::judged(context, RULE.id, "a fault in the server itself", help)
}
