//! Reading an error reply by a contract's form. Total: any reply is read, whatever it holds.

use std::ops::Range;

use crate::exchange::{Exchange, Outcome};

use super::{Contract, Form};

/// Through which channel an error came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
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
    pub channel: Channel,
    /// Its deciding text: the first text item of a tool's result, or the message of a JSON-RPC error.
    pub text: String,
    /// The code in it.
    pub code: CodeField,
    /// The message in it, for the caller to read: all of the text but the code.
    pub message: Range<usize>,
    /// Further texts: later items of a result, a string in `error.data`.
    pub more: Vec<String>,
}

impl ErrorReply {
    /// The message.
    pub fn message(&self) -> &str {
        &self.text[self.message.clone()]
    }

    /// The code, where it is well-formed.
    pub fn code(&self) -> Option<&str> {
        match &self.code {
            CodeField::Present { name, .. } => Some(name),
            _ => None,
        }
    }
}

/// Reads the error in a reply, if it is one: `isError: true`, or a JSON-RPC error.
pub fn read(contract: &Contract, exchange: &Exchange) -> Option<ErrorReply> {
    match &exchange.outcome {
        Outcome::Error(error) => {
            let more = error.data.as_ref().and_then(|data| data.as_str()).map(str::to_owned);
            let text = error.message.clone();
            let message = 0..text.len();
            let code = CodeField::Absent;
            Some(ErrorReply {
                channel: Channel::Protocol,
                text,
                code,
                message,
                more: more.into_iter().collect(),
            })
        }
        outcome if outcome.is_tool_error() => {
            let mut texts = outcome.texts().into_iter().map(str::to_owned);
            let text = texts.next().unwrap_or_default();
            let (code, message) = match contract.form {
                Form::Bracket => bracket(&text),
            };
            Some(ErrorReply { channel: Channel::Tool, text, code, message, more: texts.collect() })
        }
        _ => None,
    }
}

/// Reads `[CODE] message`.
fn bracket(_text: &str) -> (CodeField, Range<usize>) {
    (CodeField::Absent, 0.._text.len())
}
