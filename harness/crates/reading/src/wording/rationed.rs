//! Whether a text says that there were too many calls before this one.

use crate::pattern;

/// Whether a call was refused only because of earlier calls, so that it may succeed later or in another
/// process.
pub fn is_rationed(text: &str) -> bool {
    pattern!("cause/rate-limit").is_match(super::beginning(text))
}

/// Whether a text says how many calls a second there may be, so that the next second is another matter.
pub fn is_of_one_second(text: &str) -> bool {
    pattern!("cause/calls-a-second").is_match(super::beginning(text))
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
