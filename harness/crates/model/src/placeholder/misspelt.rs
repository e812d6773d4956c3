//! Misspelt placeholders in a case's strings.
//!
//! Only exact placeholders are replaced. A similar word would reach the server unchanged, so a case file with
//! one is refused.

use std::ops::Range;

use crate::document::nearest;

/// The placeholders: the server's root, the case's own folder in it, the folder beside the root, a name that a
/// deny pattern matches, the id of a task of another session, the case's own part of the HTTP stub, an address
/// that refuses every connection, and one whose name cannot be resolved.
pub const TOKENS: [&str; 8] =
    ["{workspace}", "{case}", "{outside}", "{denied}", "{task}", "{upstream}", "{refusing}", "{unresolved}"];

/// The first misspelt placeholder, and the one that was meant.
pub fn misspelt(text: &str) -> Option<(Range<usize>, &'static str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let close = open + 1 + text[open + 1..].find(['{', '}'])?;
        if text[close..].starts_with('}') {
            let token = &text[open..=close];
            if !TOKENS.contains(&token)
                && let Some(meant) = nearest(token.trim_matches(['{', '}', ' ']), TOKENS.map(inner))
            {
                return TOKENS
                    .into_iter()
                    .find(|token| inner(token) == meant)
                    .map(|token| (open..close + 1, token));
            }
        }
        from = close;
    }
    None
}

fn inner(token: &'static str) -> &'static str {
    token.trim_matches(['{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_token_is_seen_with_the_one_that_was_meant() {
        assert_eq!(misspelt("cat {workpsace}/a"), Some((4..15, "{workspace}")));
        assert_eq!(misspelt("{{ Outside }/a"), Some((1..12, "{outside}")));
    }

    #[test]
    fn the_exact_tokens_and_other_braces_are_left_alone() {
        for text in ["{workspace}/{case}{outside}", "{a,b}", "{", "}{", "${HOME}", "{ json = 1 }", "ä{ö}"] {
            assert_eq!(misspelt(text), None, "{text}");
        }
    }
}
