//! Reading an error reply by a contract's form. Total: any reply is read, whatever it holds.

use std::ops::Range;
use std::time::Duration;

use serde_json::Value;

use crate::exchange::{Exchange, Outcome};

use super::{Contract, Recourse, ReplyForm};

mod bracket;
mod json;

/// Through which channel an error came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorChannel {
    /// A tool's result with `isError: true`.
    Tool,
    /// A JSON-RPC error.
    Protocol,
}

/// The code of an error reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeField {
    /// There is none.
    Absent,
    /// Something stands for one, in the wrong form or place.
    Malformed {
        /// Where in the text.
        span: Range<usize>,
        /// What is wrong with it, in words.
        why: String,
    },
    /// A well-formed code, documented or not.
    Present {
        /// Where in the text, brackets left out.
        span: Range<usize>,
        /// The code.
        name: String,
    },
}

/// An error reply as its contract reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorReply {
    /// How it came.
    pub channel: ErrorChannel,
    /// Its deciding text: the first text item of a tool's result, or the message of a JSON-RPC error.
    pub text: String,
    /// The code in it.
    pub code: CodeField,
    /// The code that stands in the result's `_meta`, where an open proposal puts one: the contract's own word for it, where
    /// it has one that is written alike.
    pub proposed: Option<String>,
    /// Where in the text the message for the caller stands, as it is written there: in `[CODE] ...` all but the code.
    pub message: Range<usize>,
    /// The message as it reads, where the text holds it escaped.
    pub decoded: Option<String>,
    /// Further texts: later items of a result, a string in `error.data`.
    pub more: Vec<String>,
    /// What the contract has for hints, each by itself.
    pub hints: Vec<String>,
    /// Whether a retry may help, where the contract has a place for it and the reply says so.
    pub retryable: Option<bool>,
    /// The texts, beside the message, in which the contract may put the value that was wrong.
    pub values: Vec<String>,
    /// The JSON object that the reply is, where the contract wants one.
    pub data: Option<Value>,
    /// What the contract says an agent does about the code; none if the reply has no code of the contract.
    pub recourse: Option<Recourse>,
    /// How long to wait before the call is sent again, where the contract has a place for it and the reply says so.
    pub retry_after: Option<Duration>,
    /// Who holds what the call asked for, each once, where the contract has a place for it.
    pub holders: Vec<String>,
}

impl ErrorReply {
    /// The message.
    pub fn message(&self) -> &str {
        self.decoded.as_deref().unwrap_or(&self.text[self.message.clone()])
    }

    /// Everything in which the caller finds the value that was wrong: the message, what the contract has beside it, and
    /// further texts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let others = self.values.iter().chain(&self.hints).chain(&self.more);
        std::iter::once(self.message()).chain(others.map(String::as_str))
    }

    /// Everything in which the caller finds what to do: the message, the hints, and further texts.
    pub fn advice(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.message()).chain(self.hints.iter().chain(&self.more).map(String::as_str))
    }

    /// The code, where it is well-formed: in the contract's place, or else in that of the proposal.
    pub fn code(&self) -> Option<&str> {
        match &self.code {
            CodeField::Present { name, .. } => Some(name),
            CodeField::Absent => self.proposed.as_deref(),
            CodeField::Malformed { .. } => None,
        }
    }
}

/// Reads the error in a reply, if it is one: `isError: true`, a JSON-RPC error, or what the contract itself takes for one.
pub fn read(contract: &Contract, exchange: &Exchange) -> Option<ErrorReply> {
    let mut error = read_error(contract, exchange)?;
    let code = error.code().and_then(|code| contract.code(code));
    error.recourse = code.map(|code| code.recourse(error.retryable));
    Some(error)
}

/// Reads a tool's result that is not flagged as an error as if it were: of a reply that says of itself that the call failed.
pub fn read_unflagged(contract: &Contract, exchange: &Exchange) -> Option<ErrorReply> {
    exchange.outcome.result()?;
    let mut error = read_result(contract, &exchange.outcome);
    let code = error.code().and_then(|code| contract.code(code));
    error.recourse = code.map(|code| code.recourse(error.retryable));
    Some(error)
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

/// Where SEP-3313, a proposal that is not decided, puts the classification of a failure.
pub const PROPOSED: &str = "io.modelcontextprotocol/toolFailure";

/// The code in a result's `_meta`, in the contract's own spelling where it has that word.
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

/// A text that is all message.
fn uncoded(channel: ErrorChannel, text: &str) -> ErrorReply {
    ErrorReply {
        channel,
        text: text.to_owned(),
        code: CodeField::Absent,
        proposed: None,
        message: 0..text.len(),
        decoded: None,
        more: Vec::new(),
        hints: Vec::new(),
        retryable: None,
        values: Vec::new(),
        data: None,
        recourse: None,
        retry_after: None,
        holders: Vec::new(),
    }
}
