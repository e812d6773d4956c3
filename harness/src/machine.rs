//! What this machine and its user are called, so that a reply which tells it is found, and no recording does.
//!
//! The main type is [`MachineNames`]. A name is kept as a sum alone: whoever has a word can ask whether it is the one.

use serde::{Deserialize, Serialize};

/// Shorter names are words of many texts.
const SHORTEST: usize = 4;
/// Names that machines and users have everywhere: they tell nothing.
const EVERYWHERE: [&str; 40] = [
    "admin",
    "administrator",
    "agent",
    "alpine",
    "arch",
    "build",
    "builder",
    "centos",
    "client",
    "codespace",
    "container",
    "debian",
    "default",
    "desktop",
    "developer",
    "docker",
    "fedora",
    "github",
    "gitlab",
    "guest",
    "host",
    "jenkins",
    "laptop",
    "linux",
    "localhost",
    "login",
    "macbook",
    "main",
    "node",
    "nobody",
    "root",
    "runner",
    "sandbox",
    "server",
    "test",
    "ubuntu",
    "user",
    "vagrant",
    "windows",
    "worker",
];

/// What the machine and its user are called; none of a name that tells nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MachineNames {
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<NameSum>,
    /// The machine, without its domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<NameSum>,
}

/// A name that can be recognised, and not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NameSum {
    length: usize,
    sum: String,
}

/// Whose name a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// The user's.
    User,
    /// The machine's.
    Host,
}

impl MachineNames {
    /// Of a user and a machine of these names.
    pub fn new(user: &str, host: &str) -> Self {
        Self { user: NameSum::new(user), host: NameSum::new(host.split('.').next().unwrap_or_default()) }
    }

    /// Nothing is known that could be reported.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whose name this word is, if anybody's.
    pub fn names(&self, word: &str) -> Option<Named> {
        let is = |name: &Option<NameSum>| name.as_ref().is_some_and(|name| name.is(word));
        if is(&self.user) {
            return Some(Named::User);
        }
        is(&self.host).then_some(Named::Host)
    }
}

impl NameSum {
    fn new(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        let is_telling = lower.len() >= SHORTEST && !EVERYWHERE.contains(&lower.as_str());
        is_telling.then(|| Self { length: lower.len(), sum: sum(&lower) })
    }

    fn is(&self, word: &str) -> bool {
        word.len() == self.length && sum(&word.to_lowercase()) == self.sum
    }
}

/// The sum of FNV-1a, in 64 bits.
fn sum(name: &str) -> String {
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", name.bytes().fold(0xcbf2_9ce4_8422_2325, add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_recognised_and_stands_nowhere() {
        let names = MachineNames::new("mhuber", "build-17.example.org");
        assert_eq!(names.names("MHuber"), Some(Named::User));
        assert_eq!(names.names("build-17"), Some(Named::Host));
        for other in ["mhube", "hubers", "build-18", "example", ""] {
            assert_eq!(names.names(other), None, "{other}");
        }
        let written = serde_json::to_string(&names).unwrap();
        assert!(!written.contains("mhuber") && !written.contains("build"), "{written}");
        assert_eq!(serde_json::from_str::<MachineNames>(&written).unwrap(), names);
    }

    #[test]
    fn a_name_that_many_have_tells_nothing() {
        assert!(MachineNames::new("root", "localhost").is_empty());
        assert!(MachineNames::new("abc", "ubuntu.local").is_empty());
    }
}
