//! Properties that `cargo fuzz` hunts for counter-examples of, and that `cargo test` tries too.

use mcp_errconf::wire::{Body, Id, Line, decode};
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
        Line::Response { id: Some(Id::Number(id)), body: Body::Result(result) } => {
            let whole = whole.expect("a result that can be read stands in a line that can be read");
            assert_eq!(whole["jsonrpc"], "2.0");
            assert_eq!(whole["id"], *id);
            assert_eq!(&whole["result"], result);
            assert!(whole.get("error").is_none(), "a reply with both members is malformed");
        }
        Line::Response { body: Body::Error(error), .. } => {
            let whole = whole.expect("an error that can be read stands in a line that can be read");
            assert_eq!(whole["error"]["code"], error.code);
            assert_eq!(whole["error"]["message"], error.message);
        }
        Line::Request { method, .. } | Line::Notification { method } => {
            let whole = whole.expect("a request that can be read stands in a line that can be read");
            assert_eq!(&whole["method"], method);
        }
        Line::Blank => assert!(line.iter().all(u8::is_ascii_whitespace)),
        Line::Noise => {
            assert!(whole.is_none_or(|whole| whole.get("jsonrpc").is_none()), "a message is no log line");
        }
        Line::Response { .. } | Line::Malformed(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

    use super::any_line_decodes_truly;

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
            any_line_decodes_truly(format!("{{{}{end}", members.join(",")).as_bytes());
        }
    }
}
