//! Judges a single reply by the rules that apply to any reply.
//!
//! The main type is [`ReplyJudge`]. A reply with the shape of one that had no findings is not judged again.

use std::collections::HashSet;

use serde_json::Value;

use crate::contract::Contract;
use crate::exchange::RawReply;
use crate::finding::Finding;
use crate::judge::{Promise, Sent, Shape, alone};
use crate::rules;
use crate::server::Answered;
use crate::transcript::{Chosen, Head, Transcript};

/// At most this many words of a reply are kept for later calls.
const WORDS: usize = 8;
/// At most this many sound shapes are remembered; then all are forgotten.
const SHAPES: usize = 100_000;

/// Judges replies one by one.
pub(super) struct ReplyJudge {
    contract: Contract,
    promise: Promise,
    /// Its only exchange is the last one that was judged.
    transcript: Transcript,
    /// The shapes of replies without findings.
    sound: HashSet<Shape>,
}

impl ReplyJudge {
    pub(super) fn new(head: Head, contract: Contract) -> Self {
        let promise = if head.chosen == Chosen::Default { Promise::Undeclared } else { Promise::Declared };
        let head = Head { contract: contract.id.clone(), ..head };
        let transcript = Transcript::of(head, Vec::new(), Vec::new());
        Self { contract, promise, transcript, sound: HashSet::new() }
    }

    /// The findings on a reply.
    pub(super) fn judge(&mut self, tool: &str, arguments: &Value, mut answer: Answered) -> Vec<Finding> {
        // A second reply to an earlier call comes with this one.
        answer.strays.extend(answer.belated.drain(..).map(|(_, stray)| stray));
        let is_plain = answer.noise.is_empty() && answer.strays.is_empty();
        let shape = match &answer.reply {
            Some(RawReply::Text(line)) if is_plain => {
                Some(Shape::new(line.as_bytes(), line.len(), answer.id, &Sent::new(arguments), &tool))
            }
            _ => None,
        };
        self.transcript.exchanges.clear();
        self.transcript.exchanges.push(answer.exchange(tool, arguments.clone()));
        if shape.is_some_and(|shape| self.sound.contains(&shape)) {
            return Vec::new();
        }
        let findings = alone(&self.transcript, &self.contract, rules::all(), self.promise).findings;
        if let Some(shape) = shape.filter(|_| findings.is_empty()) {
            if self.sound.len() >= SHAPES {
                self.sound.clear();
            }
            self.sound.insert(shape);
        }
        findings
    }

    /// Words of the last reply, if it was a success: a later call may use the names in it.
    pub(super) fn words(&self) -> Vec<String> {
        let Some(exchange) = self.transcript.exchanges.last() else { return Vec::new() };
        if exchange.outcome.is_tool_error() {
            return Vec::new();
        }
        let texts = exchange.outcome.texts();
        let is_part = |letter: char| letter.is_alphanumeric() || "-_/.#".contains(letter);
        let words = texts.iter().flat_map(|text| text.split(|letter| !is_part(letter)));
        let words = words.filter(|word| word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'/'));
        words.map(|word| word.trim_end_matches('.').to_owned()).take(WORDS).collect()
    }
}
