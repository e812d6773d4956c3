//! Reads an error reply by a contract's form. Total: any reply can be read.

use std::ops::Range;
use std::time::Duration;

use serde_json::Value;

use crate::exchange::{Exchange, Outcome};

use super::{Contract, Recourse, ReplyForm};

mod bracket;
mod json;

/// The channel through which an error was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ErrorChannel {
    /// A tool's result with `isError: true`.
    #[default]
    Tool,
    /// A JSON-RPC error.
    Protocol,
}

/// The code of an error reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CodeField {
    /// There is none.
    #[default]
    Absent,
    /// Something stands in place of a code, in the wrong form or place.
    Malformed {
        /// The position in the text.
        span: Range<usize>,
        /// What is wrong with it, in words.
        why: String,
    },
    /// A well-formed code, documented or not.
    Present {
        /// The position in the text, without brackets.
        span: Range<usize>,
        /// The code.
        name: String,
    },
}

/// An error reply as read by its contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorReply {
    /// The channel through which it was sent.
    pub channel: ErrorChannel,
    /// Its deciding text: the first text item of a tool's result, or the message of a JSON-RPC error.
    pub text: String,
    /// Its code.
    pub code: CodeField,
    /// The code in the result's `_meta`, where an open proposal puts one; in the contract's spelling if it has
    /// the same word.
    pub proposed: Option<String>,
    /// The position of the message for the caller in the text: in `[CODE] ...` everything but the code.
    pub message: Range<usize>,
    /// The message unescaped, if the text contains it escaped.
    pub decoded: Option<String>,
    /// Further texts: later items of a result, a string in `error.data`.
    pub more: Vec<String>,
    /// The hints in the contract's place for them.
    pub hints: Vec<String>,
    /// Whether a retry may help, if the contract has a place for that and the reply says so.
    pub retryable: Option<bool>,
    /// The texts besides the message in which the contract allows the wrong value to be.
    pub values: Vec<String>,
    /// The reply's JSON object, if the contract requires one.
    pub data: Option<Value>,
    /// What an agent does about the code, by the contract; `None` if the reply has no code of the contract.
    pub recourse: Option<Recourse>,
    /// How long to wait before repeating the call, if the contract has a place for that and the reply says so.
    pub retry_after: Option<Duration>,
    /// Who holds the requested resource, each once, if the contract has a place for that.
    pub holders: Vec<String>,
}

impl ErrorReply {
    /// The message.
    pub fn message(&self) -> &str {
        self.decoded.as_deref().unwrap_or(&self.text[self.message.clone()])
    }

    /// All texts in which a caller may find the wrong value: the message, the contract's further places, and
    /// further texts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let others = self.values.iter().chain(&self.hints).chain(&self.more);
        std::iter::once(self.message()).chain(others.map(String::as_str))
    }

    /// All texts in which a caller may find what to do: the message, the hints, and further texts.
    pub fn advice(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.message()).chain(self.hints.iter().chain(&self.more).map(String::as_str))
    }

    /// The code, if it is well-formed: in the contract's place, or else in that of the proposal.
    pub fn code(&self) -> Option<&str> {
        match &self.code {
            CodeField::Present { name, .. } => Some(name),
            CodeField::Absent => self.proposed.as_deref(),
            CodeField::Malformed { .. } => None,
        }
    }
}

/// Reads the error in a reply, if there is one: `isError: true`, a JSON-RPC error, also one that was put into a result, or what
/// the contract itself takes for an error.
pub fn read(contract: &Contract, exchange: &Exchange) -> Option<ErrorReply> {
    read_error(contract, exchange).map(|error| with_recourse(contract, error))
}

/// Reads an unflagged result of a tool as an error, for a reply that says that its call failed.
pub fn read_unflagged(contract: &Contract, exchange: &Exchange) -> Option<ErrorReply> {
    exchange.outcome.result()?;
    Some(with_recourse(contract, read_result(contract, &exchange.outcome)))
}

fn with_recourse(contract: &Contract, error: ErrorReply) -> ErrorReply {
    let code = error.code().and_then(|code| contract.code(code));
    ErrorReply { recourse: code.map(|code| code.recourse(error.retryable)), ..error }
}

fn read_error(contract: &Contract, exchange: &Exchange) -> Option<ErrorReply> {
    match &exchange.outcome {
        Outcome::Error(error) => {
            let more = error.data.as_ref().and_then(Value::as_str).map(str::to_owned);
            Some(ErrorReply {
                more: more.into_iter().collect(),
                ..uncoded(ErrorChannel::Protocol, &error.message)
            })
        }
        outcome if let Some(message) = outcome.protocol_error() => {
            Some(uncoded(ErrorChannel::Protocol, message))
        }
        outcome if outcome.is_tool_error() => {
            let proposed = proposed(contract, outcome);
            Some(ErrorReply { proposed, ..read_result(contract, outcome) })
        }
        outcome => match &contract.form {
            ReplyForm::Json(form) => {
                let place = form.unflagged.as_deref()?;
                let reply = json::read(outcome, form, contract)?;
                let marked = reply.data.as_ref()?.pointer(place)?.is_object();
                (marked && matches!(reply.code, CodeField::Present { .. })).then_some(reply)
            }
            ReplyForm::Plain | ReplyForm::Bracket => None,
        },
    }
}

/// The key under which SEP-3313, an undecided proposal, puts the class of a failure.
pub const PROPOSED: &str = "io.modelcontextprotocol/toolFailure";

/// The code in a result's `_meta`, in the contract's own spelling if it has the word.
fn proposed(contract: &Contract, outcome: &Outcome) -> Option<String> {
    let written = outcome.result()?.get("_meta")?.get(PROPOSED)?.get("code")?.as_str()?;
    let written = written.trim();
    let known = contract.spelled(written).map(|code| code.name.as_str());
    (!written.is_empty()).then(|| known.unwrap_or(written).to_owned())
}

/// Reads a tool's result as an error.
fn read_result(contract: &Contract, outcome: &Outcome) -> ErrorReply {
    let mut texts = outcome.texts().into_iter().map(str::to_owned);
    let text = texts.next().unwrap_or_default();
    let more = texts.collect();
    match &contract.form {
        ReplyForm::Plain => ErrorReply { more, ..uncoded(ErrorChannel::Tool, &text) },
        ReplyForm::Bracket => {
            let (code, message) = bracket::read(&text, contract);
            ErrorReply { code, message, more, ..uncoded(ErrorChannel::Tool, &text) }
        }
        ReplyForm::Json(form) => json::read(outcome, form, contract).unwrap_or_else(|| {
            let code = json::elsewhere(&text, form, contract);
            ErrorReply { code, more, ..uncoded(ErrorChannel::Tool, &text) }
        }),
    }
}

/// An error whose text is all message.
fn uncoded(channel: ErrorChannel, text: &str) -> ErrorReply {
    ErrorReply { channel, text: text.to_owned(), message: 0..text.len(), ..ErrorReply::default() }
}
