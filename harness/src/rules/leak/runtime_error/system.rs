//! What the operating system says, in the words of no language: the number of an error, or its phrase with nothing around.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Any,
        tells: "the number of an operating system's error",
        regex: r"\berrno:? ?-?\d+\b|\berror=\d+, ",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["could not read: errno 13"],
        misses: &["could not read: permission denied"],
    },
    // `strerror` alone, without operation and path.
    Pattern {
        language: Language::Any,
        tells: "an operating system's phrase standing alone",
        regex: r"(?i:no such file or directory|permission denied|not a directory|is a directory|file exists|too many levels of symbolic links|file name too long|invalid argument|directory not empty|read-only file system|no space left on device|too many open files|device or resource busy|input/output error|connection refused|operation not permitted|broken pipe|bad file descriptor|resource temporarily unavailable|argument list too long|connection reset by peer|no such process|connection timed out|no route to host|network is unreachable|cannot allocate memory|address already in use|text file busy|file too large|exec format error|no child processes|operation timed out|name or service not known|temporary failure in name resolution|illegal seek|bad address|protocol error|success|cross-device link|invalid cross-device link|stale file handle|disk quota exceeded)",
        place: Place::Alone,
        confidence: Confidence::High,
        hits: &["Error: No such file or directory"],
        misses: &["could not read a.txt: no such file or directory"],
    },
];
