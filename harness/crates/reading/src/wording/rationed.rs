//! Whether a text says that there were too many calls before this one.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// Whether a call was refused only because of earlier calls, so that it may succeed later or in another
/// process.
pub fn is_rationed(text: &str) -> bool {
    static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:rate[ -]?limit(?:ed|s|ing)?\b[^\n]{0,40}(?:exceeded|reached|hit)|(?:exceeded|reached|hit)\b[^\n]{0,40}\brate[ -]?limit|rate[ -]?limited|too many (?:requests|calls))\b",
        )
    });
    LIMIT.is_match(super::beginning(text))
}

/// Whether a text says how many calls a second there may be, so that the next second is another matter.
pub fn is_of_one_second(text: &str) -> bool {
    static SECOND: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:at most|no more than|only|up to|maximum(?: of)?|max\.?|limit(?:ed)?(?: is| to| of|:)?|exceeds?|exceeded) (?:the (?:limit|rate) of )?[0-9]+ (?:tool )?(?:calls?|requests?|queries)(?: ?/ ?| (?:a|per|every|each) )(?:1 )?s(?:ec(?:ond)?s?)?\b",
        )
    });
    SECOND.is_match(super::beginning(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_by_the_second_is_told_from_longer_ones() {
        for text in [
            "Slow down: at most 5 calls a second",
            "limit of 10 requests per second",
            "only 2 requests/s are allowed",
            "Exceeded 3 calls per second",
        ] {
            assert!(is_of_one_second(text), "{text}");
        }
        for text in ["at most 5 calls a minute", "at most 5 seconds", "100 requests per 1 minutes"] {
            assert!(!is_of_one_second(text), "{text}");
        }
    }
}
