//! What the server's environment had to do with a reply: its confinement, and the HTTP service behind it.

use serde::{Deserialize, Serialize};

/// What the server's environment had to do with a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EnvironmentEffect {
    /// Nothing: the server was not confined, or it was in the only session and the reply is its own.
    #[default]
    #[serde(alias = "absent")]
    None,
    /// The server answered in the second, confined session.
    #[serde(alias = "stood")]
    Confined,
    /// The confinement caused the reply; what it denied the server, in words that go on "it reached for ...".
    #[serde(alias = "refused")]
    Denied(String),
    /// Confined or not, the HTTP service behind the server caused the reply, or that there was none, because it was told to
    /// answer so: how, in words for a sentence. That no reply came in time is no fault then either.
    Service(String),
}

impl EnvironmentEffect {
    /// Whether there is nothing to report.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// Why the reply says nothing about the server's own errors.
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Denied(what) | Self::Service(what) => Some(what),
            Self::None | Self::Confined => None,
        }
    }
}
