//! What comes along with the right code, value and hint: too much text, characters that steer, where the server runs.

use serde_json::json;

use super::{Fault, Sent, with_message};
use crate::failure::Code;

/// Together more than eight kilobytes.
const LINES: usize = 400;

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "message/overlong",
        Fault::BehindReason(Code::BashTaskNotFound, |_| "one more command ended well; ".repeat(LINES)),
    ),
    (
        "message/echoed-order",
        Fault::FailureOf(Code::UpstreamInvalid, |failure, _, _| {
            if let Some(order) = failure.reason.take_if(|reason| reason.starts_with("Ignore ")) {
                failure.what = format!("{}. {order}", failure.what);
            }
        }),
    ),
    ("message/rest-untold", Fault::Line(|line| beside_large_file(line, "[output truncated]"))),
    (
        "channel/partial-success",
        Fault::Line(|line| {
            let parts = r#"{"success":true,"parts":[{"part":1,"ok":true},{"part":2,"ok":false}]}"#;
            beside_large_file(line, parts)
        }),
    ),
    ("channel/garbled-text", Fault::LineWith("é漢😀", |line| line.replace("é漢😀", "Ã©æ¼¢😀").into())),
    (
        "channel/cut-json",
        Fault::Line(|line| {
            beside_large_file(line, r#"{"success":true,"parts":[{"part":1,"bytes":65536},{"part":2,"by"#)
        }),
    ),
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
