//! Lines that do not belong on standard output, that never come, or after which nothing comes.

use super::{Defect, Fault, Sent, breaks, cases};

pub(super) const DEFECTS: [Defect; 4] = [
    Defect {
        name: "wire/stdout-noise",
        summary: "Refused searches are logged on standard output.",
        breaks: &[breaks("wire/stdout-noise", cases::SEARCH_ERROR)],
        fault: Fault::Line(|line| {
            if is_error(&line, "GREP_") {
                Sent::Lines(vec!["WARN grep: the search was refused".into(), line])
            } else {
                Sent::Lines(vec![line])
            }
        }),
    },
    Defect {
        name: "wire/bad-message",
        summary: "The refusal of an unknown task does not say that it is JSON-RPC.",
        breaks: &[breaks("wire/bad-message", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let spoilt = is_error(&line, "BASH_TASK_NOT_FOUND");
            Sent::Lines(vec![if spoilt { line.replacen("\"jsonrpc\":\"2.0\",", "", 1) } else { line }])
        }),
    },
    Defect {
        name: "liveness/no-reply",
        summary: "A question for an unknown task is never answered.",
        breaks: &[breaks("liveness/no-reply", cases::UNKNOWN_TASK)],
        fault: Fault::Line(|line| {
            let answered = !is_error(&line, "BASH_TASK_NOT_FOUND");
            Sent::Lines(if answered { vec![line] } else { Vec::new() })
        }),
    },
    Defect {
        name: "liveness/crash",
        summary: "A regular expression that does not compile ends the server.",
        breaks: &[breaks("liveness/crash", cases::INVALID_REGEX)],
        fault: Fault::Line(|line| {
            if is_error(&line, "GREP_INVALID_PATTERN") { Sent::Crash } else { Sent::Lines(vec![line]) }
        }),
    },
];

/// Whether the line is an error reply whose code begins so.
fn is_error(line: &str, code: &str) -> bool {
    line.contains(&format!("\"text\":\"[{code}")) && line.contains("\"isError\":true")
}
