//! Classifies lines, and joins messages that were spread over several lines.
//!
//! The main type is [`Assembler`]. Nothing is lost: every line is returned, alone or as a part of one message.

use super::decode::{Body, DecodedLine, decode, malformed};

/// The most lines of a spread message, and the most bytes.
const MOST_LINES: usize = 4096;
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Takes lines one by one and holds those that may be the beginning of a message.
#[derive(Debug, Default)]
pub struct Assembler {
    held: Vec<Vec<u8>>,
    bytes: usize,
    depth: usize,
}

/// A decoded line with its bytes; all lines of a message that was spread over several.
pub type Piece = (DecodedLine, Vec<u8>);

impl Assembler {
    /// Takes a line and returns what is now complete, in order.
    pub fn take(&mut self, line: Vec<u8>) -> Vec<Piece> {
        let alone = decode(&line);
        let opens = self.held.is_empty() && may_open(&alone, &line);
        if self.held.is_empty() && !opens {
            return vec![(alone, line)];
        }
        let depth = depth_after(self.depth, &line);
        let goes_on = opens || (may_go_on(&line) && !is_message(&alone));
        let (Some(depth), true) = (depth, goes_on) else {
            let mut pieces = self.give_up();
            pieces.push((alone, line));
            return pieces;
        };
        self.bytes += line.len();
        self.depth = depth;
        self.held.push(line);
        if self.depth == 0 {
            return self.close();
        }
        if self.held.len() > MOST_LINES || self.bytes > MOST_BYTES {
            return self.give_up();
        }
        Vec::new()
    }

    /// Whether lines are held that may be the beginning of a message.
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns the held lines, each by itself, because no more will come.
    pub fn give_up(&mut self) -> Vec<Piece> {
        let held = std::mem::take(self).held;
        held.into_iter().map(|line| (decode(&line), line)).collect()
    }

    /// The nesting is closed: returns the held lines as one message, or each by itself if they only looked like
    /// one.
    fn close(&mut self) -> Vec<Piece> {
        let whole = self.held.join(&b'\n');
        let line = decode(&whole);
        let is_json = || serde_json::from_slice::<serde::de::IgnoredAny>(&whole).is_ok();
        match line {
            DecodedLine::Blank | DecodedLine::Noise => return self.give_up(),
            DecodedLine::Malformed(_) if !is_json() => return self.give_up(),
            _ => {}
        }
        let how = format!("it is spread over {} lines, but a message must be one line", self.held.len());
        *self = Self::default();
        vec![(malformed(line, &how), whole)]
    }
}

/// Whether a line is not a message by itself and opens an object that it does not close.
fn may_open(alone: &DecodedLine, line: &[u8]) -> bool {
    let unread = matches!(alone, DecodedLine::Noise | DecodedLine::Malformed(_))
        || matches!(alone, DecodedLine::Response { body: Body::Malformed(_), .. });
    unread && line.trim_ascii_start().starts_with(b"{") && depth_after(0, line).is_some_and(|depth| depth > 0)
}

/// Whether a line of JSON may begin like this; most log lines do not.
fn may_go_on(line: &[u8]) -> bool {
    let first = line.trim_ascii_start().first();
    first.is_none_or(|byte| byte.is_ascii_digit() || b"\"{}[],:-tfn".contains(byte))
}

fn is_message(alone: &DecodedLine) -> bool {
    match alone {
        DecodedLine::Request { .. } | DecodedLine::Notification { .. } | DecodedLine::Batch(_) => true,
        DecodedLine::Response { id, body, .. } => id.is_some() || !matches!(body, Body::Malformed(_)),
        DecodedLine::Blank | DecodedLine::Noise | DecodedLine::Malformed(_) => false,
    }
}

/// How many objects and arrays are open after a line; `None` if it cannot be JSON: a string continues past its
/// end, or more is closed than was open.
fn depth_after(before: usize, line: &[u8]) -> Option<usize> {
    let mut depth = before;
    let mut in_string = false;
    let mut escaped = false;
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (!in_string).then_some(depth)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::decode::ResponseId;
    use super::*;

    fn assembled(text: &str) -> Vec<Piece> {
        let mut assembler = Assembler::default();
        let mut pieces: Vec<Piece> =
            text.split('\n').flat_map(|line| assembler.take(line.as_bytes().to_vec())).collect();
        pieces.extend(assembler.give_up());
        pieces
    }

    const SPREAD: &str =
        "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 7,\n  \"result\": {\n    \"content\": []\n  }\n}";

    #[test]
    fn a_reply_that_is_printed_prettily_is_one_bad_message() {
        let pieces = assembled(SPREAD);
        let [
            (
                DecodedLine::Response { id: Some(ResponseId::Number(7)), body: Body::Malformed(how), .. },
                whole,
            ),
        ] = &pieces[..]
        else {
            panic!("{pieces:?}");
        };
        assert_eq!(how, "it is spread over 7 lines, but a message must be one line");
        assert_eq!(whole, SPREAD.as_bytes());
    }

    #[test]
    fn a_log_line_that_opens_a_brace_hides_no_reply() {
        let reply = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
        for log in ["{", "config {", "{ starting", "{\"a\": [", "{\"jsonrpc\": ["] {
            let pieces = assembled(&format!("{log}\n{reply}\n}}"));
            let replies = pieces.iter().filter(|(line, _)| {
                matches!(
                    line,
                    DecodedLine::Response { id: Some(ResponseId::Number(7)), body: Body::Result(_), .. }
                )
            });
            assert_eq!(replies.count(), 1, "{log}: {pieces:?}");
            assert_eq!(pieces.len(), 3, "{log}: {pieces:?}");
        }
    }

    #[test]
    fn a_structured_log_over_several_lines_stays_noise() {
        let pieces = assembled("{\n  \"level\": \"info\"\n}");
        assert!(
            pieces.iter().all(|(line, _)| *line == DecodedLine::Noise) && pieces.len() == 3,
            "{pieces:?}"
        );
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut assembler = Assembler::default();
        let mut given = assembler.take(b"{".to_vec()).len();
        for _ in 0..3 * MOST_LINES {
            given += assembler.take(b"1,".to_vec()).len();
        }
        assert!(given > MOST_LINES && assembler.held.len() <= MOST_LINES);
    }

    proptest! {
        #[test]
        fn every_line_comes_out_once_and_in_order(lines in proptest::collection::vec(
            prop_oneof![
                Just("{"), Just("}"), Just(r#""jsonrpc":"2.0","#), Just(r#""id":7,"#), Just(r#""result":["#),
                Just("]"), Just("1"), Just("log"), Just(""), Just(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
                Just("\""),
            ],
            0..12,
        )) {
            let text = lines.join("\n");
            let whole: Vec<Vec<u8>> = assembled(&text).into_iter().map(|(_, bytes)| bytes).collect();
            prop_assert_eq!(whole.join(&b'\n'), text.into_bytes());
        }
    }
}
