//! What the calls of a reproduction may do where nothing confines the server.
//!
//! The main type is [`Effects`].

use serde_json::Value;

use super::ReproStart;

/// The variable with which whoever runs a reproduction allows calls that may do more than write below a temporary folder.
pub const ALLOWED: &str = "MCP_ERRCONF_ALLOW_EFFECTS";

/// What calls may do to the machine on which a reproduction is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effects {
    /// They read, or write in the temporary folders of the reproduction, or are calls that a run sends without confinement.
    None,
    /// They write where nobody knows.
    Elsewhere,
    /// They may execute, delete or send something.
    Any,
}

impl Effects {
    /// What a call to a tool of this class may do. A tool that writes is held to write in the workspace if the call names a
    /// place there, or the server was told of it when it was started.
    pub(super) fn of(class: &str, arguments: &Value, start: &ReproStart) -> Self {
        let is_of_workspace = |text: &str| text.contains("{workspace}");
        let is_told = start.command.iter().chain(start.env.values()).any(|text| is_of_workspace(text));
        match class {
            "read" => Self::None,
            "write" if is_told || is_of_workspace(&arguments.to_string()) => Self::None,
            "write" => Self::Elsewhere,
            _ => Self::Any,
        }
    }

    /// Why a reproduction makes its calls only if that is allowed; `None` if it makes them in any case.
    pub(super) fn why_guarded(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Elsewhere => Some("its calls may change something outside the folders of this test"),
            Self::Any => Some("its calls may execute, delete or send something"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::secret::Concealed;

    fn check(class: &str, arguments: &Value, command: &[&str], expected: Effects) {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let start =
            ReproStart::new(&command, &BTreeMap::new(), None, Path::new("found"), &Concealed::default(), 0);
        assert_eq!(Effects::of(class, arguments, &start), expected, "{class} {arguments} {command:?}");
    }

    #[test]
    fn what_writes_is_held_back_unless_it_writes_in_the_workspace() {
        let within = json!({"path": "{workspace}/probe-a/notes.txt"});
        check("read", &json!({"id": 1}), &["s"], Effects::None);
        check("write", &within, &["s"], Effects::None);
        check("write", &json!({"title": "alpha"}), &["s", "{workspace}"], Effects::None);
        check("write", &json!({"title": "alpha"}), &["s"], Effects::Elsewhere);
        check("effect", &within, &["s", "{workspace}"], Effects::Any);
        check("unknown", &within, &["s"], Effects::Any);
    }
}
