//! The groups of rules: the first half of each rule's id, and the folder in which its file lies.

/// A group of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// How an error comes.
    Channel,
    /// The code in an error.
    Code,
    /// What its message says.
    Message,
    /// What of the server's inside it shows.
    Leak,
    /// Its form as a whole.
    Envelope,
    /// What a refused call did nevertheless.
    Effect,
    /// What a shell tells of its commands.
    Shell,
    /// The line layer.
    Wire,
    /// Whether the server lives and answers.
    Liveness,
    /// Texts that nobody has read yet.
    Snapshot,
}

impl Group {
    /// The group of the rule with this id; none if there is no such group.
    pub(crate) fn of(id: &str) -> Option<Self> {
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
