//! The influence of the server's environment on a reply: its confinement, and the HTTP service behind it.

use serde::{Deserialize, Serialize};

/// How the server's environment affected a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentEffect {
    /// Nothing: the server was not confined, or it was in the only session and the reply is its own.
    #[default]
    None,
    /// The server answered in the second, confined session.
    Confined,
    /// The confinement caused the reply; what it denied the server, in words that go on "it reached for ...".
    Denied(String),
    /// Confined or not, the HTTP service behind the server caused the reply, or the lack of one, because it was
    /// made to fail: how, in words for a sentence. A missing reply is not a fault then either.
    Service(String),
    /// The server could write to no file at the time, or had just recovered from that, and what came of it is not
    /// judged; why, in words for a sentence.
    Storage(String),
}

impl EnvironmentEffect {
    /// Whether there is nothing to report.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// Why the reply says nothing about the server's own errors.
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Denied(what) | Self::Service(what) | Self::Storage(what) => Some(what),
            Self::None | Self::Confined => None,
        }
    }
}
