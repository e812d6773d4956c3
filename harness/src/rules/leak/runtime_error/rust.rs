//! Errors of Rust's standard library, serde and tokio, seen by running small programs (1.95) and in the replies of
//! public servers built on rmcp.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    // `std::io::Error` of the operating system, as its `Display` writes it.
    Pattern {
        language: Language::Rust,
        tells: "the error text of Rust's `std::io::Error`",
        regex: r"(?:[A-Z][A-Za-z /,-]{3,60} )?\(os error -?\d+\)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["could not read a.txt: Permission denied (os error 13)"],
        misses: &["could not read a.txt: permission denied"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the number of an operating system's error",
        regex: r"\bos error -?\d+\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["could not read a.txt: os error 13"],
        misses: &["could not read a.txt: an error of the disk"],
    },
    // `std::io::ErrorKind` and `std::str::Utf8Error`.
    Pattern {
        language: Language::Rust,
        tells: "the error text of Rust's standard library",
        regex: r"(?:stream did not contain valid UTF-8|failed to fill whole buffer|failed to write whole buffer|nul byte found in provided data|file name contained an unexpected NUL byte|invalid utf-8 sequence of \d+ bytes|incomplete utf-8 byte sequence from index|entity (?:not found|already exists)|unexpected end of file)",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["Failed to read file for editing: stream did not contain valid UTF-8"],
        misses: &["a.bin is not UTF-8 text"],
    },
    // `FromStr` of numbers, `bool`, `char` and addresses.
    Pattern {
        language: Language::Rust,
        tells: "the error text of parsing in Rust's standard library",
        regex: r"(?:invalid digit found in string|cannot parse integer from empty string|cannot parse float from empty string|invalid float literal|number too (?:large|small) to fit in target type|number would be zero for non-zero type|provided string was not `true` or `false`|too many characters in string|out of range integral type conversion attempted|invalid socket address|invalid (?:IPv[46]|IP) address syntax|converted integer out of range for `char`)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["offset: invalid digit found in string"],
        misses: &["'offset' must be a whole number"],
    },
    // serde's own words for a wrong type. `missing field` and `unknown variant` name what the caller must fix.
    Pattern {
        language: Language::Rust,
        tells: "the error text of Rust's `serde`",
        regex: r"invalid (?:type: (?:string \S|integer `|floating point `|boolean `|character `|null|map|sequence|unit value|byte array|Option value|newtype variant|struct variant|tuple variant)|value: (?:string|integer|floating point|boolean|character|map|sequence)|length \d+)[^\n]*, expected ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["failed to deserialize parameters: invalid type: string \"abc\", expected u32"],
        misses: &["invalid type \"abc\"; expected one of file, directory"],
    },
    Pattern {
        language: Language::Rust,
        tells: "a type in the Rust program, named by serde",
        regex: r"expected (?:(?:struct|tuple struct|enum|internally tagged enum|unit struct) [A-Z]\w*|[iu](?:8|16|32|64|128|size)\b|f(?:32|64)\b)",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["expected struct ViewArgs"],
        misses: &["expected a whole number"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the error text of Rust's `serde_json`",
        regex: r"(?:EOF while parsing|expected (?:value|ident|`[:,\]}]`[^\n]*)|trailing (?:characters|comma)|key must be a string|control character \(|lone leading surrogate|invalid escape|invalid number|recursion limit exceeded|missing field `|unknown (?:field|variant) `|duplicate field `)[^\n]* at line \d+ column \d+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["missing field `path` at line 1 column 5"],
        misses: &["missing field `path`"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the error text of a library that Rust programs use",
        regex: r"(?:error sending request for url|error decoding response body|error trying to connect|tcp connect error|channel closed|receiving on a closed channel|deadline has elapsed|failed to lookup address information|dns error: )",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["error sending request for url (http://127.0.0.1:9/)"],
        misses: &["could not reach http://127.0.0.1:9/: connection refused"],
    },
    // `thiserror` and `std` types that reach a text by their name.
    Pattern {
        language: Language::Rust,
        tells: "the name of a type in the Rust program",
        regex: r"\b(?:core::|alloc::|std::(?:io|fs|num|str|string|collections|sync|process)::|tokio::|serde(?:_json)?::)\w+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["expected String, got core::option::Option<alloc::string::String>"],
        misses: &["expected a string, got nothing"],
    },
    Pattern {
        language: Language::Rust,
        tells: "a chain of causes, as Rust's `anyhow` prints it",
        regex: r"\n\nCaused by:\n    ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["no config\n\nCaused by:\n    0: not found"],
        misses: &["no config. Caused by: a missing file"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the name of an error type of Rust",
        regex: r"\b(?:ParseIntError|ParseFloatError|ParseBoolError|TryFromIntError|Utf8Error|FromUtf8Error|NulError|JoinError|SendError|RecvError|TryRecvError|PoisonError|StripPrefixError|BorrowMutError|Elapsed\(\(\)\)|ErrorKind::[A-Z]\w+)\b",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["offset: ParseIntError"],
        misses: &["an error of the parser"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the error text of a library that Rust programs use",
        regex: r"(?:TOML parse error at line \d+, column \d+|error returned from database: |invalid (?:character|length|group (?:count|length)): expected |URL error: |relative URL without a base|empty host|invalid (?:port number|international domain name|domain character)|prefix not found|operation would block|the source slice length |capacity overflow|unexpected EOF during handshake|connection error: |builder error(?:: |$)|request or response body error|poisoned lock: |task \d+ was cancelled|stream closed because of a broken pipe|early eof|oneshot canceled|no reactor running|Failed building the Runtime)",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["relative URL without a base", "Error: builder error: relative URL without a base"],
        misses: &["the URL 'x' has no base"],
    },
    Pattern {
        language: Language::Rust,
        tells: "the bare error text of Rust's `chrono`",
        regex: r"(?:input contains invalid characters|input is out of range|trailing input|premature end of input|bad or unsupported format string)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["premature end of input"],
        misses: &["invalid start datetime: premature end of input"],
    },
];
