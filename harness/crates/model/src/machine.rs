//! The names of this machine and its user, stored so that a reply with one can be detected without a recording
//! revealing it.
//!
//! The main type is [`MachineNames`]. Names are kept only as checksums: a given word can be compared, but the
//! name cannot be read.

use serde::{Deserialize, Serialize};

use crate::words;

/// Shorter names occur as words in many texts.
const SHORTEST: usize = 4;

/// The names of the machine and its user, unless they reveal nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct MachineNames {
    /// The user's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<NameSum>,
    /// The machine's name, without its domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<NameSum>,
}

/// The checksum of a name, by which it can be recognised but not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
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
    /// The names of this user and this machine.
    pub fn new(user: &str, host: &str) -> Self {
        Self { user: NameSum::new(user), host: NameSum::new(host.split('.').next().unwrap_or_default()) }
    }

    /// Whether there is no name to detect.
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
        let is_telling =
            lower.len() >= SHORTEST && !words!("names/machine-everywhere").contains(&lower.as_str());
        is_telling.then(|| Self { length: lower.len(), sum: sum(&lower) })
    }

    fn is(&self, word: &str) -> bool {
        word.len() == self.length && sum(&word.to_lowercase()) == self.sum
    }
}

/// The 64-bit FNV-1a checksum.
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
