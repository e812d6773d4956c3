//! Whether a refusal may be for what is around the server, and not for the call.

use regex::Captures;

use super::rationed::is_rationed;
use crate::pattern;

/// Whether a refusal speaks of what passes, or of what no argument changes: time, the network, a service, the disk, rights.
/// What the caller sent is blanked: a noun beside it is the kind of the thing that the caller named.
pub fn is_of_circumstance(text: &str) -> bool {
    let text = super::beginning(text);
    let text = pattern!("cause/named-thing").replace_all(text, " ");
    // "Try again" alone is courtesy.
    let text =
        pattern!("cause/of-the-call").replace_all(&text, |found: &Captures<'_>| match found.name("when") {
            Some(_) => found[0].to_owned(),
            None => " ".to_owned(),
        });
    pattern!("cause/circumstance").is_match(&text) || is_rationed(&text)
}

/// Whether a text says at its beginning that the time ran out: no argument is to blame then.
pub fn is_of_time(text: &str) -> bool {
    pattern!("cause/time").is_match(super::beginning(text))
}

/// Whether standard error says that the main thread, or one that runs tasks, panicked.
pub fn is_panic(stderr: &str) -> bool {
    pattern!("failure/panic-line").is_match(stderr)
}
