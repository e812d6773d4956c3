//! The groups of rules: the first half of a rule's id, and the folder of its file.

/// A group of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// How an error is sent.
    Channel,
    /// The code of an error.
    Code,
    /// What the message says.
    Message,
    /// Internals of the server that come through.
    Leak,
    /// The form of an error as a whole.
    Envelope,
    /// What a refused call did nevertheless.
    Effect,
    /// What a shell reports of its commands.
    Shell,
    /// The lines of the protocol.
    Wire,
    /// Whether the server is alive and answers.
    Liveness,
    /// Texts that nobody has reviewed yet.
    Snapshot,
}

impl Group {
    /// The group of the rule with this id; `None` if there is no such group.
    pub fn of(id: &str) -> Option<Self> {
        Some(match id.split_once('/')?.0 {
            "channel" => Self::Channel,
            "code" => Self::Code,
            "message" => Self::Message,
            "leak" => Self::Leak,
            "envelope" => Self::Envelope,
            "effect" => Self::Effect,
            "shell" => Self::Shell,
            "wire" => Self::Wire,
            "liveness" => Self::Liveness,
            "snapshot" => Self::Snapshot,
            _ => return None,
        })
    }
}
