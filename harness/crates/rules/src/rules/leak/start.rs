//! Where a raw error may begin in a message: at its beginning, and after each wrapper that frameworks and habit
//! put before it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::names::{Names, is_of_the_callers_code, wrapper};

/// A position in a message where a raw error may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) at: usize,
    /// Whether only wrappers that say nothing stand before it.
    pub(super) bare: bool,
}

/// At most this many wrappers are stripped.
const DEEPEST: usize = 5;

/// The beginning of a message, and the positions after its wrappers.
pub(super) fn starts(message: &[u8], names: &Names<'_>) -> Vec<Start> {
    /// Wrappers of frameworks and of habit, which say nothing about the call.
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        wrapper(
            r#"(?i)\A\s*(?:\[[A-Z][A-Z0-9_]{1,60}\] |(?:fatal |internal |unexpected |unknown |uncaught |unhandled )?(?:error|exception)(?: (?:executing|running|calling|in|while handling|handling) (?:the )?(?:tool )?['"`]?[\w.-]{1,60}['"`]?)?: |an (?:unexpected )?error (?:has )?occurred: |(?:request |operation )?failed(?: with)?: |failed to run(?: the tool)?: |(?:tool|command) (?:['"`]?[\w.-]{1,60}['"`]? )?(?:execution )?failed: |(?:sorry, )?something went wrong:? \(?|mcp error -?\d+: |internal error(?: while handling [\w-]{1,60})?: |[\w-]{1,40}: )"#,
        )
    });
    /// Words without a value, up to a colon, in any script; signs with the lead byte 0xe2 are excluded because
    /// they may be quotation marks. Also the beginning of `url.Error`.
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        wrapper(
            r#"\A\s*(?:[A-Za-z\x80-\xe1\xe3-\xf4][A-Za-z\x80-\xe1\xe3-\xf4' _-]{0,120}(?::\s|\xef\xbc\x9a\s?)|(?:Get|Head|Post|Put|Patch|Delete|Options) "[^"\n]*": )"#,
        )
    });
    let mut starts = vec![Start { at: 0, bare: true }];
    let (mut at, mut bare) = (0, true);
    for _ in 0..DEEPEST {
        let rest = &message[at..];
        let bare_end = BARE.find(rest).map(|found| found.end());
        let Some(end) = bare_end.or_else(|| WORDS.find(rest).map(|found| found.end())) else { break };
        // A parameter's name is context: it says what the phrase is about.
        let wrapper = rest[..end].trim_ascii().strip_suffix(b":").unwrap_or_default();
        if is_of_the_callers_code(rest, end) {
            break;
        }
        bare &= bare_end.is_some() && !names.is_parameter(wrapper);
        at += end;
        starts.push(Start { at, bare });
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_error_may_begin_where_the_line_of_a_message_says() {
        for line in include_str!("start.jsonl").lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a line is a case");
            let message = case["message"].as_str().expect("a message");
            let found = starts(message.as_bytes(), &Names::default());
            let found: Vec<&str> = found.iter().map(|start| &message[start.at..]).collect();
            assert_eq!(serde_json::json!(found), case["rests"], "{line}");
        }
    }

    #[test]
    fn words_that_say_what_failed_are_passed_but_leave_nothing_bare() {
        let bare =
            |message: &str| starts(message.as_bytes(), &Names::default()).last().map(|start| start.bare);
        assert_eq!(bare("Error: boom"), Some(true));
        assert_eq!(bare("Tool 'fetch_page' execution failed: boom"), Some(true));
        assert_eq!(bare("Failed to write the file: boom"), Some(false));
    }
}
