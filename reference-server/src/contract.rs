//! Error styles: how a [`Failure`], and a [`Success`] beside it, reads on the wire. One file a style.

mod bracket_code;
mod error_envelope;
mod places;
mod problem_details;
mod tool_error;
mod words;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::log::Entry;
use crate::success::Success;
use crate::tools::{Call, Tool};

use places::Places;
use words::Words;

/// An error style that the server can speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contract {
    /// `isError: true`, and one text: `[CODE] message`.
    #[default]
    BracketCode,
    /// `isError: true`, and one JSON object with `error_code`, `retryable` and `recovery_hints`.
    ErrorEnvelope,
    /// `isError: true`, and one JSON object with `type`, `message` and `recoverable`.
    ToolError,
    /// `isError: true`, and one JSON object with `error` and an RFC 9457 `problem`.
    ProblemDetails,
}

impl Contract {
    /// All of them.
    pub const ALL: &[Contract] =
        &[Contract::BracketCode, Contract::ErrorEnvelope, Contract::ToolError, Contract::ProblemDetails];

    /// The name on a command line.
    pub fn id(self) -> &'static str {
        match self {
            Contract::BracketCode => "bracket-code",
            Contract::ErrorEnvelope => "error-envelope",
            Contract::ToolError => "tool-error",
            Contract::ProblemDetails => "problem-details",
        }
    }

    /// The contract of that name.
    pub fn find(id: &str) -> Option<Contract> {
        Self::ALL.iter().copied().find(|contract| contract.id() == id)
    }

    /// The reply to a call that failed.
    pub(crate) fn render(self, call: &Call, failure: &Failure) -> Reply {
        match self {
            Contract::BracketCode => bracket_code::render(failure),
            Contract::ErrorEnvelope => error_envelope::render(call, failure),
            Contract::ToolError => tool_error::render(call, failure),
            Contract::ProblemDetails => problem_details::render(call, failure),
        }
    }

    /// Under which code and status the log has a failure.
    pub(crate) fn entry(self, failure: &Failure) -> Entry {
        let words = Words::of(failure.code);
        let code = match self {
            Contract::BracketCode => words.bracket_code,
            Contract::ErrorEnvelope => words.error_envelope,
            Contract::ToolError => words.tool_error,
            Contract::ProblemDetails => words.problem.code,
        };
        Entry { code, status: words.problem.status }
    }

    /// The reply to a call that was done.
    pub(crate) fn tell(self, call: &Call, success: &Success) -> Reply {
        match self {
            Contract::BracketCode | Contract::ToolError => Reply::success(success.text.as_str()),
            Contract::ErrorEnvelope => error_envelope::tell(call, success),
            Contract::ProblemDetails => problem_details::tell(call, success),
        }
    }

    /// The JSON Schema of a tool's results, where the contract has one.
    pub(crate) fn output_schema(self, tool: &Tool) -> Option<Map<String, Value>> {
        match self {
            Contract::BracketCode | Contract::ErrorEnvelope | Contract::ToolError => None,
            Contract::ProblemDetails => Some(problem_details::output_schema(tool)),
        }
    }

    /// What stands in `structuredContent` beside a text, where the contract has that.
    pub(crate) fn structured(self, text: &str) -> Option<Value> {
        match self {
            Contract::BracketCode | Contract::ErrorEnvelope | Contract::ToolError => None,
            Contract::ProblemDetails => problem_details::structured(text),
        }
    }

    /// Where the contract writes what a defect may change, where it is one of JSON.
    fn places(self) -> Option<&'static Places> {
        match self {
            Contract::BracketCode => None,
            Contract::ErrorEnvelope => Some(&error_envelope::PLACES),
            Contract::ToolError => Some(&tool_error::PLACES),
            Contract::ProblemDetails => Some(&problem_details::PLACES),
        }
    }

    /// What a client should know of the contract before its first call.
    pub(crate) fn instructions(self) -> &'static str {
        match self {
            Contract::BracketCode => bracket_code::INSTRUCTIONS,
            Contract::ErrorEnvelope => error_envelope::INSTRUCTIONS,
            Contract::ToolError => tool_error::INSTRUCTIONS,
            Contract::ProblemDetails => problem_details::INSTRUCTIONS,
        }
    }
}

/// What happened, as one sentence with its plain cause.
fn sentence(failure: &Failure) -> String {
    match &failure.reason {
        Some(reason) => format!("{}: {reason}.", failure.what),
        None => format!("{}.", failure.what),
    }
}

/// What happened, what would have been right, and how to fix the call: all that a person would say.
pub(crate) fn told(failure: &Failure) -> String {
    let mut text = sentence(failure);
    if !failure.valid_values.is_empty() {
        text.push_str(&format!(" Valid values: {}.", failure.valid_values.join(", ")));
    }
    if let Some(hint) = &failure.hint {
        text.push(' ');
        text.push_str(hint);
    }
    text
}

/// The file that a failure is about, as it was sent.
fn file<'a>(call: &'a Call, failure: &'a Failure) -> Option<&'a str> {
    let of_part = failure.part.as_ref().map(|part| part.file.as_str());
    of_part.or_else(|| call.text("path")).or_else(|| call.text("file_path"))
}

/// What a contract without places of its own for it puts beside the message: the file, which part of the call, the lines.
fn beside(call: &Call, failure: &Failure) -> Map<String, Value> {
    let mut beside = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        beside.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("path", file(call, failure).map(Value::from));
    let part = failure.part.as_ref();
    put("file_index", part.and_then(|part| part.file_index).map(Value::from));
    put("edit_index", part.and_then(|part| part.edit).map(Value::from));
    let spots =
        part.and(failure.context.as_ref()).map(|context| context.spots.as_slice()).unwrap_or_default();
    let lines: Vec<Value> = spots.iter().map(|spot| spot.line.into()).collect();
    put("lines", (!lines.is_empty()).then(|| lines.into()));
    put("backup", failure.backup.as_deref().map(Value::from));
    beside
}

/// What a call is answered with, before it becomes JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) channel: Channel,
    pub(crate) text: String,
}

/// Where in the protocol a reply stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    /// A result without `isError`.
    Success,
    /// A result with `isError: true`.
    ToolError,
    /// A JSON-RPC error, -32602.
    ProtocolError,
}

impl Reply {
    pub(crate) fn success(text: impl Into<String>) -> Self {
        Self { channel: Channel::Success, text: text.into() }
    }

    pub(crate) fn tool_error(text: impl Into<String>) -> Self {
        Self { channel: Channel::ToolError, text: text.into() }
    }

    pub(crate) fn protocol_error(text: impl Into<String>) -> Self {
        Self { channel: Channel::ProtocolError, text: text.into() }
    }
}
