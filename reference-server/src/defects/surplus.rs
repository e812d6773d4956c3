//! What comes along with the right code, value and hint: too much text, characters that steer, where the server runs.

use super::inside::also;
use super::{Defect, Fault, breaks, cases, everywhere};
use crate::failure::Code;

const OVERLONG: &str = "message/overlong";
const CONTROL_CHARACTER: &str = "message/control-character";
const SURROUNDINGS: &str = "leak/surroundings";

/// Together more than eight kilobytes.
const LINES: usize = 400;

pub(super) const DEFECTS: [Defect; 7] = [
    Defect {
        name: "message/overlong",
        summary: "The refusal of an unknown task has the log of the session behind it.",
        breaks: &[everywhere(OVERLONG, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || "one more command ended well; ".repeat(LINES))
            })
        }),
    },
    Defect {
        name: "message/overlong/page",
        summary: "The refusal of an unknown task has a page of HTML behind it.",
        breaks: &[breaks(OVERLONG, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || {
                    "the list of tasks was <html><head><title>Not Found</title></head></html>".to_owned()
                })
            })
        }),
    },
    Defect {
        name: "message/control-character",
        summary: "The refusal of an unknown task has a word in red.",
        breaks: &[everywhere(CONTROL_CHARACTER, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || "the list is \u{1b}[31mempty\u{1b}[0m".to_owned())
            })
        }),
    },
    Defect {
        name: "message/control-character/direction",
        summary: "The refusal of an unknown task reverses the direction of writing.",
        breaks: &[breaks(CONTROL_CHARACTER, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || "the list is \u{202e}ytpme".to_owned())
            })
        }),
    },
    Defect {
        name: "leak/surroundings",
        summary: "A file in the home folder of the server's user stands in the message.",
        breaks: &[everywhere(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || {
                    "the tasks are listed in /home/deploy/.cache/tasks".to_owned()
                })
            })
        }),
    },
    Defect {
        name: "leak/surroundings/address",
        summary: "The address of a host in the internal network stands in the message.",
        breaks: &[breaks(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || "the tasks run on 10.20.0.7:8443".to_owned())
            })
        }),
    },
    Defect {
        name: "leak/surroundings/environment",
        summary: "A variable of the server's environment stands in the message, with its value.",
        breaks: &[breaks(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                also(failure, Code::BashTaskNotFound, || "the session has LOGNAME=deploy".to_owned())
            })
        }),
    },
];
