//! Whether a refusal may be for what is around the server, and not for the call.

use std::sync::LazyLock;

use regex::Regex;

use super::rationed::is_rationed;
use crate::expression::expression;

/// Whether a refusal speaks of what passes, or of what no argument changes: time, the network, a service, the disk, rights.
pub fn is_of_circumstance(text: &str) -> bool {
    static CIRCUMSTANCE: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)\b(?:tim(?:ed?|ing)[ -]?out|timeout|temporar(?:y|ily)|(?:un|not )available|unreachable|offline|overloaded|busy|locked",
            r"|try again|retry|later|connect(?:ion|ed)?|network|upstream|service|socket|dns|quota|disk|no space|read-only|i/o|input/output",
            r"|permissions?|not permitted|access denied|forbidden|unauthori[sz]ed|credentials?|api key|not installed|not running",
            r"|address (?:already )?in use|port [0-9]+ is (?:already )?in use|EADDRINUSE",
            r"|fetch failed|sending request|E(?:ACCES|PERM|ROFS|NOSPC|BUSY|AGAIN|IO|CONNREFUSED|TIMEDOUT))\b",
        ))
    });
    let text = super::beginning(text);
    CIRCUMSTANCE.is_match(text) || is_rationed(text)
}

/// Whether a text says at its beginning that the time ran out: no argument is to blame then.
pub fn is_of_time(text: &str) -> bool {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i)\btimed[ -]out\b|\btime-?out (?:after|of|exceeded|reached|expired|error|while)\b")
    });
    TIME.is_match(super::beginning(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_told_from_what_a_caller_can_change() {
        for text in [
            "The region `eu` is temporarily unavailable. Use `us`.",
            "Request timed out after 30 s",
            "`mode` could not be set: the file system is read-only",
            "Rate limit exceeded",
            "Too many requests: wait",
            "open /x: EACCES",
            "Permission denied",
            "listen EADDRINUSE: address already in use 127.0.0.1:80",
        ] {
            assert!(is_of_circumstance(text), "{text}");
        }
        for text in
            ["`mode` is not valid: use `fast` or `slow`.", "the format is AAA-9999", "timer must be 3"]
        {
            assert!(!is_of_circumstance(text), "{text}");
        }
    }
}
