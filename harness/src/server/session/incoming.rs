//! Lines from the server: whether a line answers the request in flight, or is something else.
//!
//! The main type is [`LineRole`]. Nothing is waited for here, and nothing is judged.

use crate::exchange::{Malformed, Outcome, Oversized, StrayMessage};
use crate::secret;
use crate::server::side_traffic::{SideTraffic, quoted};
use crate::transcript::Lifecycle;
use crate::wire::{
    Body, DecodedLine, IN_A_BATCH, LOG_MESSAGE, PROGRESS, RawLine, ResponseId, id_at_end, response_id,
    scan_prefix,
};

use super::Session;

/// What a line means for the request in flight.
pub(super) enum LineRole {
    /// It is the reply.
    Reply(Outcome),
    /// It may be the reply although its id does not say so; it counts as the reply unless a better one comes
    /// soon.
    Perhaps(Outcome),
    /// Something else, which was handled.
    Other,
}

impl Session {
    /// Handles one line: it answers the request in flight, or is recorded as side traffic.
    pub(super) async fn take(
        &mut self,
        in_flight: Option<i64>,
        raw: RawLine,
        side: &mut SideTraffic,
    ) -> LineRole {
        if raw.is_cut() {
            return self.oversized(in_flight, &raw, side);
        }
        let mut taken = LineRole::Other;
        for (line, bytes) in self.assembler.take(raw.bytes) {
            match self.piece(in_flight, line, &bytes, side).await {
                LineRole::Other => {}
                better => taken = better,
            }
        }
        if let (LineRole::Reply(_), Some(id)) = (&taken, in_flight) {
            self.progress.end(id);
        }
        taken
    }

    /// Handles a decoded line in the same way.
    pub(super) async fn piece(
        &mut self,
        in_flight: Option<i64>,
        line: DecodedLine,
        bytes: &[u8],
        side: &mut SideTraffic,
    ) -> LineRole {
        match line {
            DecodedLine::Notification { method } if method == PROGRESS => {
                match self.progress.fault(bytes) {
                    Some((Some(request), stray)) => side.belated(request, stray),
                    Some((None, stray)) => side.stray(stray),
                    None => {}
                }
                LineRole::Other
            }
            DecodedLine::Notification { method } if method == LOG_MESSAGE => {
                let line = quoted(bytes);
                if secret::may_show(&line) {
                    side.stray(StrayMessage::LogMessage(line));
                }
                LineRole::Other
            }
            DecodedLine::Blank | DecodedLine::Notification { .. } => LineRole::Other,
            DecodedLine::Noise => {
                side.noise(quoted(bytes));
                LineRole::Other
            }
            DecodedLine::Malformed(how) => {
                let line = quoted(bytes);
                side.stray(StrayMessage::Malformed(Malformed { how, line }));
                LineRole::Other
            }
            // It came while the server was being shut down.
            DecodedLine::Request { .. } if !self.transport.takes_input() => LineRole::Other,
            DecodedLine::Request { id, method } => {
                if self.lifecycle == Lifecycle::Modern {
                    side.stray(StrayMessage::Request(quoted(bytes)));
                }
                self.reply(&id, &method).await;
                LineRole::Other
            }
            DecodedLine::Batch(lines) => self.batch(in_flight, &lines, bytes, side),
            DecodedLine::Response { id, body, repeated } => {
                if let Some(member) = repeated {
                    side.stray(StrayMessage::Repeated { member, line: quoted(bytes) });
                }
                self.response(in_flight, id, body, bytes, side)
            }
        }
    }

    /// Handles an array of messages: a reply in it is accepted, but the array is not a valid message.
    fn batch(
        &mut self,
        in_flight: Option<i64>,
        lines: &[DecodedLine],
        bytes: &[u8],
        side: &mut SideTraffic,
    ) -> LineRole {
        let malformed = Malformed { how: IN_A_BATCH.to_owned(), line: quoted(bytes) };
        if in_flight.is_some_and(|ours| answered_in(lines, |id| id == ours).is_some()) {
            return LineRole::Reply(Outcome::Malformed(malformed));
        }
        side.stray(StrayMessage::Malformed(malformed));
        LineRole::Other
    }

    fn response(
        &mut self,
        in_flight: Option<i64>,
        id: Option<ResponseId>,
        body: Body,
        bytes: &[u8],
        side: &mut SideTraffic,
    ) -> LineRole {
        let sent = 1..self.next_id;
        match (id, in_flight) {
            (Some(ResponseId::Number(id)), Some(ours)) if id == ours => LineRole::Reply(outcome(body, bytes)),
            (Some(ResponseId::Number(id)), _) if self.cancelled.contains(&id) => LineRole::Other,
            (Some(ResponseId::Number(id)), _) if self.withdrawn.remove(&id) => LineRole::Other,
            (Some(ResponseId::Number(id)), _) if self.given_up.remove(&id) => {
                side.belated(id, StrayMessage::Late(quoted(bytes)));
                LineRole::Other
            }
            (Some(ResponseId::Number(id)), _) if sent.contains(&id) => {
                side.belated(id, StrayMessage::DuplicateReply(quoted(bytes)));
                LineRole::Other
            }
            // The number as a string, or as 7.0, is a different id, but there is no doubt what it answers.
            (Some(ResponseId::Other(text)), Some(ours)) if is_spelling_of(&text, ours) => {
                side.stray(StrayMessage::WrongId(quoted(bytes)));
                LineRole::Reply(outcome(body, bytes))
            }
            (Some(_), in_flight) => {
                side.stray(StrayMessage::WrongId(quoted(bytes)));
                // No other request is waiting, so it is the reply unless the right one comes soon.
                in_flight.map_or(LineRole::Other, |_| LineRole::Perhaps(outcome(body, bytes)))
            }
            (None, in_flight) => {
                let malformed = Malformed { how: without_id(&body), line: quoted(bytes) };
                // "Unknown method: notifications/initialized" answers that one.
                let is_of_a_notification = String::from_utf8_lossy(bytes).contains("notifications/");
                if in_flight.is_some() && !is_of_a_notification {
                    return LineRole::Perhaps(Outcome::Malformed(malformed));
                }
                side.stray(StrayMessage::Malformed(malformed));
                LineRole::Other
            }
        }
    }

    fn oversized(&mut self, in_flight: Option<i64>, raw: &RawLine, side: &mut SideTraffic) -> LineRole {
        let OversizedLine { id, looks_like_reply, oversized } = OversizedLine::new(raw);
        let is_ours = match (id, in_flight) {
            (Some(ResponseId::Number(id)), Some(ours)) => id == ours,
            // One is waited for, and nothing says whose it is.
            (None, Some(_)) => looks_like_reply,
            _ => false,
        };
        if is_ours {
            return LineRole::Reply(Outcome::Oversized(oversized));
        }
        side.stray(StrayMessage::Oversized(oversized));
        LineRole::Other
    }

    /// Gives up a held line that was taken for the beginning of a message.
    pub(super) fn give_up_held(&mut self, side: &mut SideTraffic) {
        for (line, bytes) in self.assembler.give_up() {
            match line {
                DecodedLine::Noise => side.noise(quoted(&bytes)),
                DecodedLine::Malformed(how) => {
                    side.stray(StrayMessage::Malformed(Malformed { how, line: quoted(&bytes) }));
                }
                DecodedLine::Response { body: Body::Malformed(how), .. } => {
                    side.stray(StrayMessage::Malformed(Malformed { how, line: quoted(&bytes) }));
                }
                _ => {}
            }
        }
    }
}

/// A line that is too long to be kept whole.
pub(super) struct OversizedLine {
    /// What it answers, if its beginning or its end says so.
    pub(super) id: Option<ResponseId>,
    looks_like_reply: bool,
    pub(super) oversized: Oversized,
}

impl OversizedLine {
    pub(super) fn new(raw: &RawLine) -> Self {
        let beginning = String::from_utf8_lossy(&raw.bytes[..raw.bytes.len().min(64 * 1024)]);
        let seen = scan_prefix(&beginning);
        let id = seen.id.or_else(|| id_at_end(&String::from_utf8_lossy(&raw.end)));
        Self {
            id: id.as_deref().and_then(response_id),
            looks_like_reply: beginning.trim_start().starts_with('{') && !seen.has_method,
            oversized: Oversized {
                bytes: u64::try_from(raw.length).unwrap_or(u64::MAX),
                line: quoted(&raw.bytes),
            },
        }
    }
}

/// The first request among these that an array of messages answers.
pub(super) fn answered_in(lines: &[DecodedLine], mut is_ours: impl FnMut(i64) -> bool) -> Option<i64> {
    lines.iter().find_map(|line| match line {
        DecodedLine::Response { id: Some(ResponseId::Number(id)), .. } => Some(*id).filter(|id| is_ours(*id)),
        _ => None,
    })
}

pub(super) fn outcome(body: Body, bytes: &[u8]) -> Outcome {
    match body {
        Body::Result(result) if result.get("resultType").is_some_and(|kind| kind == "input_required") => {
            Outcome::InputRequired(result)
        }
        Body::Result(result) => Outcome::Result(result),
        Body::Error(error) => Outcome::Error(error),
        Body::Malformed(how) => Outcome::Malformed(Malformed { how, line: quoted(bytes) }),
    }
}

/// What is wrong with a response without an id.
fn without_id(body: &Body) -> String {
    match body {
        Body::Malformed(how) => how.clone(),
        Body::Result(_) | Body::Error(_) => "it is a response without an id".to_owned(),
    }
}

/// Whether an id, as JSON text, is our number in another spelling.
fn is_spelling_of(text: &str, ours: i64) -> bool {
    let bare = text.trim_matches('"');
    bare.parse::<i64>().is_ok_and(|id| id == ours) || bare == format!("{ours}.0")
}
