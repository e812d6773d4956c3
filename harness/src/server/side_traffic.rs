//! What arrives on standard output besides the reply to a request, within bounds.

use crate::exchange::{Outcome, RawReply, StrayMessage};

/// How much of a line is quoted, in bytes.
const QUOTED: usize = 4 * 1024;
/// How many lines of noise, and how many stray messages, are kept for one request.
const KEPT: usize = 50;

/// What arrives besides the reply to a request.
#[derive(Debug, Default)]
pub struct SideTraffic {
    /// The bytes of the reply itself.
    pub(super) reply: Option<RawReply>,
    /// Lines that are not messages.
    pub noise: Vec<String>,
    /// Messages that belong to the request, or to the last one.
    pub strays: Vec<StrayMessage>,
    /// Replies to earlier requests of the session, by their ids.
    pub belated: Vec<(i64, StrayMessage)>,
    /// What was read of standard error meanwhile.
    pub(super) stderr: String,
}

impl SideTraffic {
    pub(super) fn noise(&mut self, line: String) {
        if self.noise.len() < KEPT {
            self.noise.push(line);
        }
    }

    pub(super) fn stray(&mut self, stray: StrayMessage) {
        if self.strays.len() < KEPT {
            self.strays.push(stray);
        }
    }

    /// Records a line that was held as the reply until a better one came. If its id was wrong, that was
    /// recorded already.
    pub(super) fn passed_over(&mut self, held: Option<Outcome>) {
        if let Some(Outcome::Malformed(malformed)) = held {
            self.stray(StrayMessage::Malformed(malformed));
        }
    }

    /// Records a reply to an earlier request.
    pub(super) fn belated(&mut self, id: i64, stray: StrayMessage) {
        if self.belated.len() < KEPT {
            self.belated.push((id, stray));
        }
    }

    /// The earlier requests that were answered late.
    pub(super) fn late(&self) -> impl Iterator<Item = i64> {
        self.belated.iter().filter(|(_, stray)| matches!(stray, StrayMessage::Late(_))).map(|(id, _)| *id)
    }

    pub(super) fn append(&mut self, other: Self) {
        other.noise.into_iter().for_each(|line| self.noise(line));
        other.strays.into_iter().for_each(|stray| self.stray(stray));
        other.belated.into_iter().for_each(|(id, stray)| self.belated(id, stray));
    }
}

/// The beginning of a line, for a report.
pub(super) fn quoted(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(QUOTED)]).into_owned()
}
