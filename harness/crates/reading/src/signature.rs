//! What makes two error replies the same error: the text with every value masked.
//!
//! The main function is [`signature`]. How much is masked depends on what is compared:
//!
//! | function, and what it compares | what is masked | what stays |
//! |---|---|---|
//! | [`signature`]: replies to calls | what the caller sent, the tool's name, paths, ids, times, numbers, line breaks | the words, and the numbers of kinds of errors |
//! | `are_alike`: the replies to two calls | the same, of what either caller sent | the words |
//! | [`masked`]: texts that people read and accept | the same but for the tool's name and line breaks | what a reader wants to see as it is |
//! | `one_text`: texts of the server's source | of a signature also what stands where a value is missing, and the marks around values | the words alone |
//! | `unnumbered`: sentences of our own | numbers | whatever else they say |
//! | `constant_part`: replies to calls that are as odd as can be | of a signature the places of its values | what is compared word by word |

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::exchange::{Call, Exchange};
use crate::placeholder::Folders;
use crate::wording::Echo;
use crate::wording::mention::tool_names;

/// The text with every value masked: what the caller sent, paths, ids, times and numbers. Texts that differ
/// only in these have the same signature.
pub fn signature(text: &str, exchange: &Exchange, folders: &Folders) -> String {
    Mask::of(exchange, folders).signature(text)
}

/// The signature of a text, given the echo of what the caller sent.
pub fn signature_by(text: &str, sent: Echo, tool: Option<&str>) -> String {
    Mask::new(sent, tool).signature(text)
}

/// What is masked in every text of one reply.
pub struct Mask(Echo);

impl Mask {
    /// What is masked in the reply of an exchange.
    pub fn of(exchange: &Exchange, folders: &Folders) -> Self {
        Self::new(Echo::of(&exchange.call, folders), exchange.tool())
    }

    fn new(sent: Echo, tool: Option<&str>) -> Self {
        // The tool's name is masked too, so that the same error of two tools has one signature.
        Self(tool.into_iter().flat_map(tool_names).fold(sent, Echo::and))
    }

    /// The signature of a text of the reply.
    pub fn signature(&self, text: &str) -> String {
        // A random id of digits and letters may happen to have only digits.
        let masked = all_masked(text, &self.0).replace("<id>", "<n>");
        masked.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The text with every value masked, but with its lines and the tool's name unchanged, for readers.
pub fn masked(text: &str, exchange: &Exchange, folders: &Folders) -> String {
    all_masked(text, &Echo::of(&exchange.call, folders))
}

/// The words of a refusal, or the first words of another reply, with every value masked; `None` if nothing
/// came.
pub fn reply_signature(exchange: &Exchange, folders: &Folders) -> Option<String> {
    exchange.outcome.words().first().map(|text| signature(text, exchange, folders))
}

/// Whether two texts, each of the reply to one of two calls, are the same but for the values of both calls: a value that only
/// one of them has is the caller's own in both replies.
pub fn are_alike([(text, one), (then, other)]: [(&str, &Exchange); 2], folders: &Folders) -> bool {
    let arguments = Value::from(vec![one.call.arguments.clone(), other.call.arguments.clone()]);
    let both = Call { arguments, ..one.call.clone() };
    let masked =
        |text: &str, exchange: &Exchange| signature_by(text, Echo::of(&both, folders), exchange.tool());
    masked(text, one) == masked(then, other)
}

/// Whether two calls have the same result but for what each caller sent. Unlike in a signature other numbers are not masked,
/// since they may be the result.
pub fn have_the_same_result([one, other]: [&Exchange; 2], folders: &Folders) -> bool {
    static NUMBER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\w-]*\d\w*(?:\.\d+)?").expect("the expression is well-formed"));
    let arguments = Value::from(vec![one.call.arguments.clone(), other.call.arguments.clone()]);
    let echo = Echo::of(&Call { arguments, ..one.call.clone() }, folders);
    let result = |exchange: &Exchange| {
        let text = exchange.outcome.result()?.to_string();
        let (mut masked, mut at) = (String::with_capacity(text.len()), 0);
        for span in echo.spans(&text) {
            masked.push_str(&text[at..span.start]);
            masked.push_str("<sent>");
            at = span.end;
        }
        masked.push_str(&text[at..]);
        let sent = numbers(&exchange.call.arguments);
        let mask = |found: &regex::Captures<'_>| {
            if sent.contains(&found[0]) { "<sent>".to_owned() } else { found[0].to_owned() }
        };
        Some(NUMBER.replace_all(&masked, mask).into_owned())
    };
    result(one).is_some_and(|of_one| result(other) == Some(of_one))
}

/// Whether two results differ in no more than how a value is written: in quotes or not, `3` or `3.0`, `False` or `false`.
pub fn differ_in_spelling_alone(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        let letters = text.chars().filter(|letter| !matches!(letter, '"' | '\'' | '`' | '\\'));
        letters.collect::<String>().to_lowercase().replace(".0", "")
    };
    plain(one) == plain(other)
}

/// The numbers among arguments, as they are written.
fn numbers(arguments: &Value) -> HashSet<String> {
    let members = arguments.as_object().into_iter().flatten();
    members.filter(|(_, value)| value.is_number()).map(|(_, value)| value.to_string()).collect()
}

/// Whether the reply to a call denies something in the same words as the reply to another call, apart from values: then the
/// other one shows no success either. Data, and a text of some length, may have such a word anywhere.
pub fn deny_alike(exchange: &Exchange, other: &Exchange, folders: &Folders) -> bool {
    /// A longer text is more than a denial.
    const LONGEST: usize = 300;
    static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:no|not|none|nothing|never|cannot)\b|n't\b")
            .expect("the expression is well-formed")
    });
    let (texts, others) = (exchange.outcome.texts(), other.outcome.texts());
    let ([text], [then]) = (&texts[..], &others[..]) else { return false };
    if text.len() > LONGEST || text.trim_start().starts_with(['{', '[']) {
        return false;
    }
    let echo = Echo::of(&exchange.call, folders);
    DENIAL.is_match(&echo.blank(text)) && are_alike([(text, exchange), (then, other)], folders)
}

/// Of a signature the words that stand in one place of the server's source. What a language writes for none, and what stands
/// in quotation marks, is a value too; marks around a value belong to it, values side by side are one, and at the end they say
/// nothing.
pub fn one_text(signature: &str) -> String {
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"\b(?:undefined|null|None|nil|NaN)\b|<n>|"\s*"|'\s*'|`\s*`"#)
            .expect("the expression is well-formed")
    });
    static VALUES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?:\\?["'`])?<value>(?:\\?["'`])?(?:[ ,]+(?:\\?["'`])?<value>(?:\\?["'`])?)*"#)
            .expect("the expression is well-formed")
    });
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?P<before>^|[\s(\[{:=,>])(?:'[^\n]{0,80}?'|`[^`\n]{0,80}?`)(?P<after>$|[\s.,;:)\]}])")
            .expect("the expression is well-formed")
    });
    let text = NOTHING.replace_all(signature, "<value>");
    let text = QUOTED.replace_all(&text, "$before<value>$after");
    let text = VALUES.replace_all(&text, "<value>");
    let without_end = |text: &'_ str| {
        let text = text.trim_end_matches(|char: char| !char.is_alphanumeric());
        text.strip_suffix("<value").unwrap_or(text).len()
    };
    let mut text = text.into_owned();
    while without_end(&text) < text.len() {
        text.truncate(without_end(&text));
    }
    text
}

/// A text with each of its numbers replaced.
pub fn unnumbered<'t>(text: &'t str, number: &str) -> Cow<'t, str> {
    static DIGITS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\d+").expect("the expression is well-formed"));
    DIGITS.replace_all(text, number)
}

/// A signature without its placeholders for values.
pub fn constant_part(signature: &str) -> Cow<'_, str> {
    static PLACES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("<(?:value|n|id|path|time)>").expect("the expression is well-formed"));
    PLACES.replace_all(signature, " ")
}

fn all_masked(text: &str, echo: &Echo) -> String {
    let masked = mask(text, echo);
    // A path that was partly sent is one value, and so are adjacent values.
    static JOINED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:<(?:sent|path)>)(?:[\w./~-]*<(?:sent|path|n|id)>[\w./~-]*|/[\w./~-]*)*")
            .expect("the expression is well-formed")
    });
    JOINED.replace_all(&masked, "<value>").into_owned()
}

/// A checksum of these parts in sixteen hexadecimal digits. It uses FNV-1a, so that it is the same with every
/// toolchain, which the standard library's hashes do not guarantee.
pub fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn mask(text: &str, echo: &Echo) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for span in echo.spans(text) {
        masked.push_str(&constants(&text[at..span.start]));
        masked.push_str("<sent>");
        // What shows that a quoted value is cut belongs to it.
        let rest = &text[span.end..];
        let behind = ["...", "\u{2026}"].iter().find_map(|mark| rest.strip_prefix(mark));
        let behind = behind.filter(|behind| behind.starts_with(['\'', '"', '`']));
        at = text.len() - behind.unwrap_or(rest).len();
    }
    masked.push_str(&constants(&text[at..]));
    masked
}

/// Masks what differs between replies although nobody sent it. Numbers of error kinds are kept.
fn constants(text: &str) -> Cow<'_, str> {
    // All of these contain a digit, except paths; other scripts have their own digits.
    if !text.bytes().any(|byte| matches!(byte, b'0'..=b'9' | b'/' | b'\\' | 0x80..)) {
        return Cow::Borrowed(text);
    }
    static VALUES: LazyLock<Regex> = LazyLock::new(|| {
        let month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?";
        let clock = r"\d\d?:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M\b)?(?: ?(?:Z|GMT|UTC|[+-]\d\d:?\d\d)\b)?";
        let day = format!(
            r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?(?:\d\d? {month} \d{{4}}|{month} \d\d?\b(?:,? \d{{4}})?)(?:,? {clock})?(?: \d{{4}}\b)?"
        );
        let iso = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?";
        let unit = r"(?:ns|\x{b5}s|\x{3bc}s|us|ms|s|sec|secs|seconds?|minutes?|hours?|days?)";
        let alternatives = [
            r"(?P<kind>-32\d{3}\b|\b(?i:errno|os error)[ :=]?\d+|\b(?i:http|status code)(?:/[\d.]+)?[ :=]*[1-5]\d\d\b)",
            r"(?P<id>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)",
            r"(?P<path>(?:/[\w.@+~-]+){2,}/?|\b[A-Za-z]:\\[^\s'\x22]+)",
            &format!(
                r"(?P<time>\b(?:{day}|{iso}|{clock}|(?:(?:\d+h ?)?\d+m ?\d+(?:\.\d+)?s|\d+h ?\d+m|\d+(?:\.\d+)?\s?{unit})\b))"
            ),
            r"(?P<word>[0-9]*[A-Za-z][0-9A-Za-z]*)",
            r"(?P<n>[-+]?\d+(?:[.,]\d+)*)",
        ];
        Regex::new(&alternatives.join("|")).expect("the expression is well-formed")
    });
    VALUES.replace_all(text, |found: &regex::Captures<'_>| {
        if let Some(kind) = found.name("kind") {
            return kind.as_str().to_owned();
        }
        match found.name("word").map(|word| word.as_str()) {
            Some(word) if is_id(word) => "<id>".to_owned(),
            Some(word) => unnumbered(word, "<n>").into_owned(),
            None => {
                let kind = ["id", "path", "time"].into_iter().find(|kind| found.name(kind).is_some());
                format!("<{}>", kind.unwrap_or("n"))
            }
        }
    })
}

/// Whether letters and digits are a random id: an address, a hash, or longer than any word with digits.
fn is_id(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let address = word.strip_prefix("0x").is_some_and(|hex| is_hexadecimal(hex) && !hex.is_empty());
    let hash = word.len() >= 7 && digits > 0 && is_hexadecimal(word);
    address || hash || (word.len() >= 16 && digits > 1)
}

fn is_hexadecimal(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::sample::{head, refusal};

    fn sign(text: &str, arguments: &serde_json::Value) -> String {
        let exchange = refusal(text, arguments);
        signature(text, &exchange, &head().folders)
    }

    /// The file of texts with their signatures.
    #[derive(serde::Deserialize)]
    struct Cases {
        masked: Vec<[String; 2]>,
        same: Vec<[String; 2]>,
        distinct: Vec<String>,
        sent: Vec<Sent>,
    }

    /// Two texts of one error, each with the path that was sent.
    #[derive(serde::Deserialize)]
    struct Sent {
        one: [String; 2],
        other: [String; 2],
    }

    #[test]
    fn errors_are_the_same_where_the_file_says_so_and_nowhere_else() {
        let cases: Cases = toml::from_str(include_str!("signature/cases.toml")).expect("it is TOML");
        let of = |text: &str| sign(text, &json!({}));
        for [text, masked] in &cases.masked {
            assert_eq!(of(text), *masked, "{text}");
        }
        for [one, other] in &cases.same {
            assert_eq!(of(one), of(other), "{one} and {other}");
        }
        let signatures: BTreeSet<String> = cases.distinct.iter().map(|text| of(text)).collect();
        assert_eq!(signatures.len(), cases.distinct.len(), "{signatures:#?}");
        for Sent { one, other } in &cases.sent {
            let of = |[text, path]: &[String; 2]| sign(text, &json!({ "path": path }));
            assert_eq!(of(one), of(other), "{one:?} and {other:?}");
        }
    }

    #[test]
    fn results_are_the_same_but_for_what_either_caller_sent_and_other_numbers_are_results() {
        let same = |[(one, sent), (other, sent_then)]: [(&str, serde_json::Value); 2]| {
            let exchange = |text: &str, arguments: &serde_json::Value| Exchange {
                outcome: Outcome::Result(json!({"content": [{"type": "text", "text": text}]})),
                ..refusal(text, arguments)
            };
            let (one, other) = (exchange(one, &sent), exchange(other, &sent_then));
            have_the_same_result([&one, &other], &head().folders)
        };
        let note = |id: &str| json!({"note_id": id});
        assert!(same([
            ("Deleted note-7.", note("note-7")),
            ("Deleted note-7-absent.", note("note-7-absent"))
        ]));
        assert!(same([
            ("Bookmark 2 removed.", json!({"id": 2})),
            ("Bookmark -1 removed.", json!({"id": -1}))
        ]));
        assert!(!same([(r#"{"deleted": 1}"#, json!({"id": 7})), (r#"{"deleted": 0}"#, json!({"id": -1}))]));
        assert!(!same([(r#"{"deleted": 1}"#, json!({"id": 1})), (r#"{"deleted": 0}"#, json!({"id": -1}))]));
    }

    #[test]
    fn texts_that_are_equal_up_to_the_values_have_the_same_signature() {
        let left = sign(
            "[PATH_NOT_FOUND] /workspace/a/b.txt does not exist",
            &json!({"path": "/workspace/a/b.txt"}),
        );
        let right =
            sign("[PATH_NOT_FOUND] /workspace/c.md does not exist", &json!({"path": "/workspace/x/../c.md"}));
        assert_eq!(left, right);
        assert_eq!(left, "[PATH_NOT_FOUND] <value> does not exist");
    }

    #[test]
    fn a_tool_is_the_same_with_and_without_what_all_their_names_begin_with() {
        let sign = |tool: &str, text: &str| {
            let mut exchange = refusal(text, &json!({}));
            exchange.call.tool = Some(tool.to_owned());
            signature(text, &exchange, &head().folders)
        };
        let board = sign("acme_getBoards", "Invalid arguments for getBoards");
        assert_eq!(board, sign("acme_listTasks", "Invalid arguments for acme_listTasks"));
        assert_ne!(sign("git_status", "no status"), sign("git_log", "no log"), "a plain word is no name");
    }

    #[test]
    fn who_reads_a_masked_text_sees_its_lines_and_the_tools_name() {
        let exchange = refusal("", &json!({"path": "/workspace/a.txt"}));
        let masked = masked("view: no a.txt\n  at line 3", &exchange, &head().folders);
        assert_eq!(masked, "view: no <value>\n  at line <n>");
    }

    #[test]
    fn a_checksum_is_the_same_everywhere_and_tells_where_its_parts_end() {
        // The FNV-1a checksum of `a` and a NUL.
        assert_eq!(fingerprint(&["a"]), "089be207b544f1e4");
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }

    proptest! {
        #[test]
        fn any_text_has_a_signature(text in "(?s).{0,80}", value in ".{0,30}") {
            sign(&format!("{text}{value}{text}"), &json!({"path": value}));
        }

        #[test]
        fn numbers_do_not_matter(left in 0u32.., right in 0u32..) {
            prop_assert_eq!(sign(&format!("line {left} of 9"), &json!({})), sign(&format!("line {right} of 9"), &json!({})));
        }
    }
}
