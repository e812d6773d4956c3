//! What the server's surroundings had to do with a reply: the wall around it, and the HTTP service behind it.

use serde::{Deserialize, Serialize};

/// What a wall had to do with a reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// Nothing: none stood there, or it is the only session and the reply is the server's own.
    #[default]
    Absent,
    /// The server answered in the second session, behind the wall.
    Stood,
    /// The reply is the wall's doing; what it kept from the server, in words that go on "it reached for ...".
    Refused(String),
    /// Wall or not, what came or did not come is the doing of the HTTP service behind the server, as it was told to answer:
    /// how, in words for a sentence. That no reply came in time is no fault then either.
    Service(String),
}

impl Wall {
    /// Nothing is told of it.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// Why the reply says nothing of the server's own errors.
    pub fn refused(&self) -> Option<&str> {
        match self {
            Self::Refused(what) | Self::Service(what) => Some(what),
            Self::Absent | Self::Stood => None,
        }
    }
}
