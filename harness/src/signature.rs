//! What makes two error replies the same error: the text with every value masked.

use std::sync::LazyLock;

use regex::Regex;

use crate::exchange::Exchange;
use crate::transcript::Folders;
use crate::wording::Echo;

/// The text with every value masked: what the caller sent, paths, ids, times and numbers. Texts that are equal up to
/// these have the same signature.
pub fn signature(text: &str, exchange: &Exchange, folders: &Folders) -> String {
    // With the tool's name masked too, the same error of two tools is the same error.
    let echo = Echo::of(&exchange.call, folders).and(exchange.tool().unwrap_or_default());
    all_masked(text, &echo).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with every value masked, its lines and the tool's name as they are: for who reads it.
pub fn masked(text: &str, exchange: &Exchange, folders: &Folders) -> String {
    all_masked(text, &Echo::of(&exchange.call, folders))
}

fn all_masked(text: &str, echo: &Echo) -> String {
    let masked = mask(text, echo);
    // A path of which a part was sent is one value, and so are values side by side.
    static JOINED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:<(?:sent|path)>)(?:[\w./~-]*<(?:sent|path|n|id)>[\w./~-]*|/[\w./~-]*)*")
            .expect("the expression is well-formed")
    });
    JOINED.replace_all(&masked, "<value>").into_owned()
}

/// A checksum of these parts, sixteen hexadecimal digits: the same in every version of every toolchain (FNV-1a), which
/// the standard library's hashes do not promise.
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
        at = span.end;
    }
    masked.push_str(&constants(&text[at..]));
    masked
}

/// Masks what differs from reply to reply although nobody sent it.
fn constants(text: &str) -> String {
    static VALUES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?P<id>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b|\b0x[0-9a-fA-F]+\b|\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{6,}\b)",
            r"|(?P<path>(?:/[\w.@+~-]+){2,}/?|\b[A-Za-z]:\\[^\s'\x22]+)",
            r"|(?P<time>\b\d+(?:\.\d+)?\s?(?:ns|\x{b5}s|us|ms|s|sec|seconds?|minutes?)\b|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?)",
            r"|(?P<n>[-+]?\d+(?:[.,]\d+)*)",
        ))
        .expect("the expression is well-formed")
    });
    VALUES
        .replace_all(text, |found: &regex::Captures<'_>| {
            let kind = ["id", "path", "time", "n"].into_iter().find(|kind| found.name(kind).is_some());
            format!("<{}>", kind.unwrap_or("n"))
        })
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;
    use serde_json::json;

    use crate::exchange::Expected;
    use crate::rules::stage::Stage;

    fn of(text: &str, arguments: &serde_json::Value) -> String {
        let stage = Stage::refusal(text, arguments, Expected::Anything);
        signature(text, &stage.exchange, &stage.head.folders)
    }

    #[test]
    fn texts_that_are_equal_up_to_the_values_have_the_same_signature() {
        let left =
            of("[PATH_NOT_FOUND] /workspace/a/b.txt does not exist", &json!({"path": "/workspace/a/b.txt"}));
        let right =
            of("[PATH_NOT_FOUND] /workspace/c.md does not exist", &json!({"path": "/workspace/x/../c.md"}));
        assert_eq!(left, right);
        assert_eq!(left, "[PATH_NOT_FOUND] <value> does not exist");
    }

    #[test]
    fn ids_times_and_numbers_are_masked() {
        assert_eq!(
            of("task 123e4567-e89b-12d3-a456-426614174000 ended after 12 ms with 3 of 2,048", &json!({})),
            "task <id> ended after <time> with <n> of <n>"
        );
    }

    #[test]
    fn the_name_of_the_tool_does_not_matter() {
        assert_eq!(of("view: no such file", &json!({})), "<value>: no such file");
    }

    #[test]
    fn other_words_have_another_signature() {
        assert_ne!(of("no such file", &json!({})), of("no such folder", &json!({})));
    }

    proptest! {
        #[test]
        fn any_text_has_a_signature(text in "(?s).{0,80}", value in ".{0,30}") {
            of(&format!("{text}{value}{text}"), &json!({"path": value}));
        }

        #[test]
        fn numbers_do_not_matter(left in 0u32.., right in 0u32..) {
            prop_assert_eq!(of(&format!("line {left} of 9"), &json!({})), of(&format!("line {right} of 9"), &json!({})));
        }
    }
}
