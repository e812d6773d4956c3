//! Error styles: how a [`Failure`] reads on the wire. One file a style.

mod bracket_code;
mod error_envelope;
mod problem_details;
mod tool_error;
mod written;

use crate::failure::Failure;
use crate::tools::Call;

use written::Places;

/// An error style that the server can speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

/// What happened, what would have been right, and how to mend the call: all that a person would say.
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
