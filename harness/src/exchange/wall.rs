//! Whether a wall stood around the server when it answered.

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
}

impl Wall {
    /// Nothing is told of it.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// What it kept from the server.
    pub fn refused(&self) -> Option<&str> {
        match self {
            Self::Refused(what) => Some(what),
            Self::Absent | Self::Stood => None,
        }
    }
}
