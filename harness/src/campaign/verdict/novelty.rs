//! Whether a reply is unlike any before.
//!
//! The main type is [`SeenSignatures`].

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::exchange::{Exchange, Outcome};
use crate::placeholder::Folders;
use crate::signature::{fingerprint, signature_by};
use crate::wording::Echo;

/// At most this many signatures are remembered; beyond that nothing counts as new.
const SIGNATURES: usize = 200_000;
/// At most this many successful replies of a tool are compared. If more are not echoes, the tool returns data,
/// which says nothing about the tool.
pub(super) const SUCCESSES: usize = 500;
/// How much of a successful reply is compared, in bytes.
const COMPARED: usize = 400;

/// The signatures that were seen.
#[derive(Debug, Default)]
pub(super) struct SeenSignatures {
    signatures: HashSet<u64>,
    /// By tool, how many successful replies were compared.
    successes: BTreeMap<String, usize>,
}

impl SeenSignatures {
    pub(super) fn len(&self) -> usize {
        self.signatures.len()
    }

    /// The fingerprint of the reply's signature, if that is new: tool, outcome, code and masked text. Only a limited
    /// number of a tool's successful replies are compared.
    pub(super) fn add(
        &mut self,
        exchange: &Exchange,
        echo: Option<Echo>,
        folders: &Folders,
        is_error: bool,
    ) -> Option<String> {
        if !is_error {
            let tool = exchange.tool().unwrap_or_default();
            match self.successes.get_mut(tool) {
                Some(compared) if *compared >= SUCCESSES => return None,
                Some(compared) => *compared += 1,
                None => {
                    self.successes.insert(tool.to_owned(), 1);
                }
            }
        }
        if self.signatures.len() >= SIGNATURES {
            return None;
        }
        let echo = echo.unwrap_or_else(|| Echo::of(&exchange.call, folders));
        let parts = parts(exchange, echo);
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        self.signatures.insert(hasher.finish()).then(|| fingerprint(&parts.each_ref().map(String::as_str)))
    }
}

/// What tells a reply from others: the tool, the kind of outcome, and the masked text.
fn parts(exchange: &Exchange, echo: Echo) -> [String; 3] {
    let tool = exchange.tool().unwrap_or_default().to_owned();
    let (kind, text) = match &exchange.outcome {
        Outcome::Error(error) => (format!("error {}", error.code), error.message.clone()),
        outcome => {
            let kind = match outcome {
                Outcome::Result(_) if outcome.is_tool_error() => "refusal",
                Outcome::Result(_) | Outcome::Error(_) => "result",
                Outcome::InputRequired(_) => "input required",
                Outcome::Malformed(_) => "malformed",
                Outcome::Oversized(_) => "oversized",
                Outcome::NoReply { .. } => "no reply",
                Outcome::Ended(_) => "ended",
            };
            (kind.to_owned(), outcome.texts().first().map(|text| (*text).to_owned()).unwrap_or_default())
        }
    };
    let text = &text[..text.floor_char_boundary(COMPARED)];
    [tool, kind, signature_by(text, echo, exchange.tool())]
}
