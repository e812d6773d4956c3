//! Errors of Node.js, seen by running small scripts (18 to 22) and in the replies of public servers built on the
//! TypeScript SDK.

use super::super::{Pattern, Place};

pub(super) static PATTERNS: &[Pattern] = &[
    // libuv's names stand in `error.code` and at the head of `error.message`.
    Pattern {
        tells: "an error name of libuv, as Node.js words it",
        regex: r"\bE(?:NOENT|ACCES|PERM|ISDIR|NOTDIR|EXIST|LOOP|NAMETOOLONG|MFILE|NFILE|NOTEMPTY|XDEV|ROFS|BUSY|INVAL|NOSPC|IO|FBIG|BADF|PIPE|AGAIN|NOMEM|NOEXEC|2BIG|NXIO|NODEV|SRCH|CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|HOSTUNREACH|NETUNREACH|ADDRINUSE|ADDRNOTAVAIL|NOTFOUND|AI_AGAIN|AI_FAIL|NOTSUP|NOTSOCK|DQUOT)\b(?:: [^\n]*)?",
        place: Place::Anywhere,
        level: None,
        hit: "ENOENT: no such file or directory, open '/workspace/a'",
        miss: "no such file: /workspace/a",
    },
    Pattern {
        tells: "an error code of Node.js",
        regex: r"\bERR_[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b",
        place: Place::Anywhere,
        level: None,
        hit: "TypeError [ERR_INVALID_ARG_TYPE]: path",
        miss: "[INVALID_INPUT] path",
    },
    Pattern {
        tells: "an exception's class name",
        regex: r"\b(?:Type|Range|Reference|Syntax|Eval|URI|Aggregate)Error(?: \[\w+\])?: ",
        place: Place::Anywhere,
        level: None,
        hit: "Request failed with: TypeError: Invalid URL",
        miss: "'url' is not a URL",
    },
    Pattern {
        tells: "the error text of JavaScript's JSON parser",
        regex: r"(?:Unexpected (?:token|end of JSON input|non-whitespace character|string in JSON|number in JSON)[^\n]*|Expected [^\n]* in JSON at position \d+|\x22(?:undefined|null|\[object Object\])\x22 is not valid JSON)",
        place: Place::Start,
        level: None,
        hit: "Unexpected token 'a', \"abc\" is not valid JSON",
        miss: "'payload' holds no JSON: it ends at column 3",
    },
    // `ERR_INVALID_ARG_TYPE` and `ERR_INVALID_ARG_VALUE`, the code left out.
    Pattern {
        tells: "the error text of an argument check inside Node.js",
        regex: r#"The (?:"[\w.\[\]]+"|argument '[\w.\[\]]+'|property '[\w.\[\]]+')(?: argument| property)? must be [^\n]*?\. Received "#,
        place: Place::Anywhere,
        level: None,
        hit: "The \"command\" argument must be of type string. Received an instance of Array",
        miss: "'command' must be a string, got a list",
    },
    Pattern {
        tells: "the error text of a process that Node.js started",
        regex: r"(?:spawn(?:Sync)? \S+ E[A-Z]+|spawn E[A-Z]+)",
        place: Place::Anywhere,
        level: None,
        hit: "spawn foo ENOENT",
        miss: "could not run foo: there is no such command",
    },
    Pattern {
        tells: "a bare error text of Node.js",
        regex: r"(?:fetch failed|Incorrect locale information provided|Invalid time value|Invalid string length|socket hang up|The operation was aborted[^\n]*)",
        place: Place::Alone,
        level: None,
        hit: "Error: fetch failed",
        miss: "Error: the fetch of http://127.0.0.1:9/ failed",
    },
    Pattern {
        tells: "a module of the server that Node.js could not load",
        regex: r"Cannot find (?:module|package) '",
        place: Place::Start,
        level: None,
        hit: "Cannot find module '../lib/view.js'",
        miss: "Cannot find the file '../lib/view.js'",
    },
];
