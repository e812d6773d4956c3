//! Texts of error replies: leaks are found on character borders, and both leaks and signatures in linear time.

use std::time::{Duration, Instant};

use mcp_errconf::exchange::Outcome;
use mcp_errconf::placeholder::Folders;
use mcp_errconf::rules;
use mcp_errconf::signature::signature;
use mcp_errconf::wording::Echo;
use serde_json::json;

use crate::reply::{exchange, refused};

/// A text is repeated up to this length: what takes the square of it is slow beyond doubt.
const LONG: usize = if cfg!(fuzzing) { 128 * 1024 } else { 16 * 1024 };
/// How long the search of a long text may take; a linear one needs a hundredth of it on an idle machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// Where it takes longer, a quarter of the text tells a slow machine from a slow search: a linear one takes a fourth of the
/// time there, a quadratic one a sixteenth.
const GROWTH: u32 = 8;

/// The bytes are a byte that chooses, what the caller sent, a zero, and the text of the error reply. Of any text leaks and
/// signature are found; each leak lies on character borders, two that are told do not overlap; and a text that is repeated
/// many times is searched as quickly.
///
/// # Panics
/// When the property does not hold.
pub fn any_text_is_searched(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else { return };
    let rest = String::from_utf8_lossy(rest);
    let (sent, text) = rest.split_once('\0').unwrap_or(("", &rest));
    searched(sent, text);
    // Now and then, because it takes longer.
    if choice.is_multiple_of(16) && !text.is_empty() {
        let long = text.repeat((LONG / text.len()).max(1));
        let timed = |text: &str| {
            let begun = Instant::now();
            searched(sent, text);
            begun.elapsed()
        };
        let (took, length) = (timed(&long), long.len());
        let quarter = || timed(&long[..long.floor_char_boundary(length / 4)]);
        assert!(
            took < PATIENCE || took < quarter() * GROWTH,
            "{length} bytes of {text:?} take {took:?}, and far less for a quarter of it"
        );
    }
}

fn searched(sent: &str, text: &str) {
    let folders = Folders::default();
    let arguments = json!({"value": sent});
    let echo = Echo::of_values(&arguments, &folders);
    let mut leaks = rules::leaks(text, &echo);
    leaks.sort_by_key(|(_, span)| span.start);
    for (rule, span) in &leaks {
        let found = text.get(span.clone());
        assert!(found.is_some_and(|found| !found.is_empty()), "{rule} finds {span:?} in {text:?}");
    }
    for pair in leaks.windows(2) {
        assert!(pair[0].1.end <= pair[1].1.start, "{pair:?} overlap in {text:?}");
    }
    for span in echo.spans(text) {
        assert!(text.get(span.clone()).is_some(), "an echo at {span:?} of {text:?}");
    }
    let exchange = exchange(&arguments, Outcome::Result(refused(text)));
    let masked = signature(text, &exchange, &folders);
    assert!(!masked.contains('\n'), "a signature is one line: {masked:?}");
    assert_eq!(masked, signature(text, &exchange, &folders));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};

    use super::*;
    use crate::seeds;

    #[test]
    fn every_kept_text_is_searched() {
        seeds::each("leaks", any_text_is_searched);
    }

    proptest! {
        #[test]
        fn texts_of_any_letters_are_searched(text in "\\PC{0,80}", sent in "\\PC{0,20}", bytes in any::<Vec<u8>>()) {
            any_text_is_searched(format!("b{sent}\0{text} {sent}").as_bytes());
            any_text_is_searched(&bytes);
        }
    }
}
