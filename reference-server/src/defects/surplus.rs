//! What comes along with the right code, value and hint: too much text, characters that steer, where the server runs.

use serde_json::json;

use super::{Defect, Fault, Sent, breaks, cases, everywhere, with_message};
use crate::failure::Code;

const OVERLONG: &str = "message/overlong";
const CONTROL_CHARACTER: &str = "message/control-character";
const SURROUNDINGS: &str = "leak/surroundings";

/// Together more than eight kilobytes.
const LINES: usize = 400;

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "message/overlong",
        summary: "The refusal of an unknown task has the log of the session behind it.",
        breaks: &[everywhere(OVERLONG, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "one more command ended well; ".repeat(LINES)),
    },
    Defect {
        name: "message/overlong/page",
        summary: "The refusal of an unknown task has a page of HTML behind it.",
        breaks: &[breaks(OVERLONG, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| {
            "the list of tasks was <html><head><title>Not Found</title></head></html>".into()
        }),
    },
    Defect {
        name: "message/control-character",
        summary: "The refusal of an unknown task has a word in red.",
        breaks: &[everywhere(CONTROL_CHARACTER, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "the list is \u{1b}[31mempty\u{1b}[0m".into()),
    },
    Defect {
        name: "message/control-character/direction",
        summary: "The refusal of an unknown task reverses the direction of writing.",
        breaks: &[breaks(CONTROL_CHARACTER, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "the list is \u{202e}ytpme".into()),
    },
    Defect {
        name: "leak/surroundings",
        summary: "A file in the home folder of the server's user stands in the message.",
        breaks: &[everywhere(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| {
            "the tasks are listed in /home/deploy/.cache/tasks".into()
        }),
    },
    Defect {
        name: "leak/surroundings/address",
        summary: "The address of a host in the internal network stands in the message.",
        breaks: &[breaks(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "the tasks run on 10.20.0.7:8443".into()),
    },
    Defect {
        name: "leak/surroundings/environment",
        summary: "A variable of the server's environment stands in the message, with its value.",
        breaks: &[breaks(SURROUNDINGS, cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "the session has LOGNAME=deploy".into()),
    },
    Defect {
        name: "message/state-untold",
        summary: "An unknown task is said to be in the wrong state, and not in which one.",
        breaks: &[everywhere("message/state-untold", cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| "invalid state transition".into()),
    },
    Defect {
        name: "message/unasked-link",
        summary: "The refusal of an unknown task has an image that is loaded from the network.",
        breaks: &[everywhere("message/unasked-link", cases::UNKNOWN_TASK)],
        fault: Fault::BehindReason(Code::BashTaskNotFound, |_| {
            "![task](https://tasks.example/lost.png)".into()
        }),
    },
    Defect {
        name: "message/echoed-order",
        summary: "An order in the response of the service stands in the message as a sentence of its own.",
        breaks: &[everywhere("message/echoed-order", &["http/order-in-body"])],
        fault: Fault::FailureOf(Code::UpstreamInvalid, |failure, _, _| {
            if let Some(order) = failure.reason.take_if(|reason| reason.starts_with("Ignore ")) {
                failure.what = format!("{}. {order}", failure.what);
            }
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
            let parts = r#"{"success":true,"parts":[{"part":1,"ok":true},{"part":2,"ok":false}]}"#;
            beside_large_file(line, parts)
        }),
    },
    Defect {
        name: "channel/garbled-text",
        summary: "A text that is not ASCII is repeated with its UTF-8 bytes read as Latin-1.",
        breaks: &[everywhere("channel/garbled-text", &["prompt/*/*/letters"])],
        fault: Fault::LineWith("é漢😀", |line| line.replace("é漢😀", "Ã©æ¼¢😀").into()),
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
    let tells = |text: &str| text.contains("65535") && text.contains("reated");
    let told = with_message(line, |message| {
        let content = message.pointer_mut("/result/content")?.as_array_mut()?;
        content.first()?["text"].as_str().filter(|text| tells(text))?;
        content.push(json!({"type": "text", "text": text}));
        Some(())
    });
    told.into()
}
