//! Lines of a server: they decode truly, and none is lost.

use mcp_errconf::wire::{Assembler, Body, DecodedLine, ResponseId, decode, id_at_end, scan_prefix};
use serde_json::Value;

/// Any line at all decodes, and what it decodes to is what a whole JSON parser reads in it: a result is never taken from
/// another reply, and no message is passed over as a log line.
///
/// # Panics
/// When the property does not hold.
pub fn any_line_decodes_truly(line: &[u8]) {
    let decoded = decode(line);
    let whole: Option<Value> = serde_json::from_slice(line).ok();
    match &decoded {
        DecodedLine::Response { id: Some(ResponseId::Number(id)), body: Body::Result(result), .. } => {
            let whole = whole.expect("a result that can be read stands in a line that can be read");
            assert_eq!(whole["jsonrpc"], "2.0");
            assert_eq!(whole["id"], *id);
            assert_eq!(&whole["result"], result);
            assert!(whole.get("error").is_none(), "a reply with both members is malformed");
        }
        DecodedLine::Response { body: Body::Error(error), .. } => {
            let whole = whole.expect("an error that can be read stands in a line that can be read");
            assert_eq!(whole["error"]["code"], error.code);
            assert_eq!(whole["error"]["message"], error.message);
        }
        DecodedLine::Request { method, .. } | DecodedLine::Notification { method } => {
            // A half of a surrogate pair in another member is no reason to pass the message over.
            if let Some(whole) = whole {
                assert_eq!(&whole["method"], method);
            }
        }
        // A byte order mark before nothing is nothing.
        DecodedLine::Blank => {
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            assert!(line.iter().all(u8::is_ascii_whitespace));
        }
        DecodedLine::Noise => {
            assert!(whole.is_none_or(|whole| whole.get("jsonrpc").is_none()), "a message is no log line");
        }
        DecodedLine::Batch(lines) => {
            let items = whole.as_ref().map(|whole| whole.as_array().map_or(0, Vec::len));
            assert!(!lines.is_empty(), "a batch holds a message");
            assert!(items.is_none_or(|items| lines.len() <= items), "each message of a batch stands in it");
        }
        DecodedLine::Response { .. } | DecodedLine::Malformed(_) => {}
    }
}

/// Whatever lines come, each comes out once and in order, by itself or as a part of a message that was spread; and a line
/// that is a whole reply is never swallowed.
///
/// # Panics
/// When the property does not hold.
pub fn no_line_is_lost(stream: &[u8]) {
    let mut assembler = Assembler::default();
    let mut pieces: Vec<(DecodedLine, Vec<u8>)> = Vec::new();
    let mut replies = 0;
    for line in stream.split(|byte| *byte == b'\n') {
        replies += usize::from(is_result(&decode(line)));
        pieces.extend(assembler.take(line.to_vec()));
    }
    pieces.extend(assembler.give_up());
    assert_eq!(pieces.iter().filter(|(line, _)| is_result(line)).count(), replies, "a reply is swallowed");
    let out: Vec<Vec<u8>> = pieces.into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(out.join(&b'\n'), stream, "a line is lost");
}

fn is_result(line: &DecodedLine) -> bool {
    matches!(line, DecodedLine::Response { id: Some(ResponseId::Number(_)), body: Body::Result(_), .. })
}

/// Of any text the scanned prefix shows an id only where a whole JSON parser reads the same one, if it can read the text at all.
///
/// # Panics
/// When the property does not hold.
pub fn a_scanned_prefix_is_true(text: &str) {
    let _ = id_at_end(text);
    let whole: Option<Value> = serde_json::from_str(text).ok();
    if let (Some(id), Some(whole)) = (scan_prefix(text).id, whole) {
        let id: Value = serde_json::from_str(&id).expect("an id that was read to its end is JSON");
        assert_eq!(whole["id"], id);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

    use super::{a_scanned_prefix_is_true, any_line_decodes_truly, no_line_is_lost};
    use crate::seeds;

    #[test]
    fn every_kept_line_decodes_truly_and_none_is_lost() {
        seeds::each("decode_line", any_line_decodes_truly);
        seeds::each("assemble_lines", no_line_is_lost);
    }

    /// Members of a message and of none, right and wrong, in any order and number.
    fn member() -> impl Strategy<Value = &'static str> {
        prop_oneof![
            Just(r#""jsonrpc":"2.0""#),
            Just(r#""jsonrpc":"1.0""#),
            Just(r#""id":7"#),
            Just(r#""id":null"#),
            Just(r#""id":"7""#),
            Just(r#""id":1e2"#),
            Just(r#""result":{"content":[]}"#),
            Just(r#""result":"\ud800""#),
            Just(r#""error":{"code":-32602,"message":"no"}"#),
            Just(r#""error":{"code":"x"}"#),
            Just(r#""method":"ping""#),
            Just(r#""method":5"#),
            Just(r#""level":"info""#),
            Just(r#""re\u0073ult":1"#),
        ]
    }

    proptest! {
        #[test]
        fn any_bytes_decode_truly(line in vec(any::<u8>(), 0..200)) {
            any_line_decodes_truly(&line);
        }

        #[test]
        fn any_message_decodes_truly(members in vec(member(), 0..6), end in "(|}|}}|} )") {
            let line = format!("{{{}{end}", members.join(","));
            any_line_decodes_truly(line.as_bytes());
            any_line_decodes_truly(format!("[{line}]").as_bytes());
            a_scanned_prefix_is_true(&line);
        }

        #[test]
        fn no_line_of_a_stream_is_lost(
            members in vec(member(), 0..6), breaks in vec("(\n|,\n|\\{\n|\\}\n|log\n|\n\n)", 0..6),
        ) {
            let parts = members.iter().zip(&breaks).map(|(member, end)| format!("{{{member}{end}"));
            no_line_is_lost(parts.collect::<String>().as_bytes());
            let spread = format!("{{\n{}\n}}", members.join(",\n"));
            no_line_is_lost(spread.as_bytes());
            no_line_is_lost(format!("{spread}\n{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}}").as_bytes());
        }

        #[test]
        fn any_text_is_scanned_truly(text in "[{}\\[\\]\",:\\\\id0-9 ]{0,40}") {
            a_scanned_prefix_is_true(&text);
        }
    }
}
