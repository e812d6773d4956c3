//! Error styles: how a [`Failure`] reads on the wire. One file a style.

mod bracket_code;

use crate::failure::Failure;

/// An error style that the server can speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contract {
    /// `isError: true`, and one text: `[CODE] message`.
    #[default]
    BracketCode,
}

impl Contract {
    /// All of them.
    pub const ALL: &[Contract] = &[Contract::BracketCode];

    /// The name on a command line.
    pub fn id(self) -> &'static str {
        match self {
            Contract::BracketCode => "bracket-code",
        }
    }

    /// The contract of that name.
    pub fn find(id: &str) -> Option<Contract> {
        Self::ALL.iter().copied().find(|contract| contract.id() == id)
    }

    /// The reply to a call that failed.
    pub(crate) fn render(self, failure: &Failure) -> Reply {
        match self {
            Contract::BracketCode => bracket_code::render(failure),
        }
    }

    /// What a client should know of the contract before its first call.
    pub(crate) fn instructions(self) -> &'static str {
        match self {
            Contract::BracketCode => bracket_code::INSTRUCTIONS,
        }
    }
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
