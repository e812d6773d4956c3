//! Escaping text for HTML, and small pieces of markup that several parts use.

use crate::escape;
use crate::finding::Level;
use crate::judge::Status;
use crate::report::account;

/// Text escaped for HTML, in elements and attributes; line breaks are kept.
pub(super) fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + text.len() / 8);
    for letter in account::lines(text).chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            other => shown.push(other),
        }
    }
    shown
}

/// Text escaped on one line, cut after this many columns.
pub(super) fn text_within(words: &str, columns: usize) -> String {
    text(&escape::line_within(words, columns))
}

/// A level as it is written in sentences.
pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "Must",
        Level::Should => "Should",
        Level::Note => "Note",
    }
}

/// The status of a case, in words.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::NotJudged => "not judged",
        Status::Skipped => "skipped",
        Status::Errored => "errored",
    }
}

/// A count with its word.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u64), if count == 1 { one } else { many })
}

/// A number with its thousands separated.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            text("<b a='1' c=\"2\">&amp;\u{1b}\n"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;\\u{1b}\n"
        );
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 12, 999, 1_000, 1_234_567].map(grouped), ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
