//! Whether a reply is unlike any before.
//!
//! The main type is [`SeenSignatures`].

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::exchange::{Exchange, Outcome};
use crate::placeholder::Folders;
use crate::signature::signature_by;
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

    /// Whether the reply's signature is new: tool, outcome, code and masked text. Only a limited number of a
    /// tool's successful replies are compared.
    pub(super) fn add(
        &mut self,
        exchange: &Exchange,
        echo: Option<Echo>,
        folders: &Folders,
        is_error: bool,
    ) -> bool {
        if !is_error {
            let tool = exchange.tool().unwrap_or_default();
            match self.successes.get_mut(tool) {
                Some(compared) if *compared >= SUCCESSES => return false,
                Some(compared) => *compared += 1,
                None => {
                    self.successes.insert(tool.to_owned(), 1);
                }
            }
        }
        if self.signatures.len() >= SIGNATURES {
            return false;
        }
        let echo = echo.unwrap_or_else(|| Echo::of(&exchange.call, folders));
        self.signatures.insert(hashed(exchange, echo))
    }
}

fn hashed(exchange: &Exchange, echo: Echo) -> u64 {
    let mut hasher = DefaultHasher::new();
    exchange.tool().hash(&mut hasher);
    std::mem::discriminant(&exchange.outcome).hash(&mut hasher);
    let text = match &exchange.outcome {
        Outcome::Error(error) => {
            error.code.hash(&mut hasher);
            error.message.clone()
        }
        outcome => {
            outcome.is_tool_error().hash(&mut hasher);
            outcome.texts().first().map(|text| (*text).to_owned()).unwrap_or_default()
        }
    };
    let text = &text[..text.floor_char_boundary(COMPARED)];
    signature_by(text, echo, exchange.tool()).hash(&mut hasher);
    hasher.finish()
}
