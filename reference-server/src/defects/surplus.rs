//! What comes along with the right code, value and hint: too much text, characters that steer, where the server runs.

use serde_json::{Value, json};

use super::inside::also;
use super::{Defect, Fault, Sent, breaks, cases, everywhere};
use crate::failure::Code;

const OVERLONG: &str = "message/overlong";
const CONTROL_CHARACTER: &str = "message/control-character";
const SURROUNDINGS: &str = "leak/surroundings";

/// Together more than eight kilobytes.
const LINES: usize = 400;

/// The refusal of an unknown task has a text behind its reason.
macro_rules! behind_unknown_task {
    ($text:expr) => {
        Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| also(failure, Code::BashTaskNotFound, || $text.into()))
        })
    };
}

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "message/overlong",
        summary: "The refusal of an unknown task has the log of the session behind it.",
        breaks: &[everywhere(OVERLONG, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("one more command ended well; ".repeat(LINES)),
    },
    Defect {
        name: "message/overlong/page",
        summary: "The refusal of an unknown task has a page of HTML behind it.",
        breaks: &[breaks(OVERLONG, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!(
            "the list of tasks was <html><head><title>Not Found</title></head></html>"
        ),
    },
    Defect {
        name: "message/control-character",
        summary: "The refusal of an unknown task has a word in red.",
        breaks: &[everywhere(CONTROL_CHARACTER, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("the list is \u{1b}[31mempty\u{1b}[0m"),
    },
    Defect {
        name: "message/control-character/direction",
        summary: "The refusal of an unknown task reverses the direction of writing.",
        breaks: &[breaks(CONTROL_CHARACTER, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("the list is \u{202e}ytpme"),
    },
    Defect {
        name: "leak/surroundings",
        summary: "A file in the home folder of the server's user stands in the message.",
        breaks: &[everywhere(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("the tasks are listed in /home/deploy/.cache/tasks"),
    },
    Defect {
        name: "leak/surroundings/address",
        summary: "The address of a host in the internal network stands in the message.",
        breaks: &[breaks(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("the tasks run on 10.20.0.7:8443"),
    },
    Defect {
        name: "leak/surroundings/environment",
        summary: "A variable of the server's environment stands in the message, with its value.",
        breaks: &[breaks(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("the session has LOGNAME=deploy"),
    },
    Defect {
        name: "message/state-untold",
        summary: "An unknown task is said to be in the wrong state, and not in which one.",
        breaks: &[everywhere("message/state-untold", cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("invalid state transition"),
    },
    Defect {
        name: "message/unasked-link",
        summary: "The refusal of an unknown task has an image that is loaded from the network.",
        breaks: &[everywhere("message/unasked-link", cases::UNKNOWN_TASK)],
        fault: behind_unknown_task!("![task](https://tasks.example/lost.png)"),
    },
    Defect {
        name: "message/echoed-order",
        summary: "An order in the response of the service stands in the message as a sentence of its own.",
        breaks: &[everywhere("message/echoed-order", cases::ORDER)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|mut failure| {
                if failure.code == Code::UpstreamInvalid
                    && let Some(order) = failure.reason.take_if(|reason| reason.starts_with("Ignore "))
                {
                    failure.what = format!("{}. {order}", failure.what);
                }
                failure
            })
        }),
    },
    Defect {
        name: "message/rest-untold",
        summary: "A large file that was created is told in a reply that was cut.",
        breaks: &[everywhere("message/rest-untold", cases::LARGE_FILE)],
        fault: Fault::Line(|line| beside_large_file(line, "[output truncated]")),
    },
    Defect {
        name: "channel/partial-success",
        summary: "A large file is created in parts, one of which fails, and the reply says success.",
        breaks: &[everywhere("channel/partial-success", cases::LARGE_FILE)],
        fault: Fault::Line(|line| {
            beside_large_file(
                line,
                r#"{"success":true,"parts":[{"part":1,"ok":true},{"part":2,"ok":false}]}"#,
            )
        }),
    },
    Defect {
        name: "channel/cut-json",
        summary: "A large file that was created is told with a JSON document that is cut.",
        breaks: &[everywhere("channel/cut-json", cases::LARGE_FILE)],
        fault: Fault::Line(|line| {
            beside_large_file(line, r#"{"success":true,"parts":[{"part":1,"bytes":65536},{"part":2,"by"#)
        }),
    },
];

/// Puts a further text into the reply that tells of a large file.
fn beside_large_file(line: String, text: &str) -> Sent {
    let Ok(mut message) = serde_json::from_str::<Value>(&line) else { return Sent::Lines(vec![line]) };
    let tells = |text: &str| text.contains("65535") && text.contains("reated");
    let content = message.pointer_mut("/result/content").and_then(Value::as_array_mut);
    match content {
        Some(content) if content.first().and_then(|item| item["text"].as_str()).is_some_and(tells) => {
            content.push(json!({"type": "text", "text": text}));
            Sent::Lines(vec![message.to_string()])
        }
        _ => Sent::Lines(vec![line]),
    }
}
