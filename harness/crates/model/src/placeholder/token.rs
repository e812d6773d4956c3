//! Replaces placeholders for folders and addresses: `{workspace}`, `{case}`, `{outside}`, `{upstream}`,
//! `{refusing}`, `{unresolved}`, and `{denied}` for a name. Only exact ones are replaced, and only once:
//! replacements are not searched again.

use serde_json::Value;

use super::Folders;
use crate::argument::{Argument, Arguments};
use crate::json::with_texts;

/// An address whose host name cannot be looked up, because one part of it is longer than allowed, so that no
/// query leaves the machine.
const UNRESOLVED: &str =
    "http://a-name-that-is-longer-than-the-sixty-three-letters-that-are-its-most.invalid";

/// The values of the placeholders.
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'a> {
    /// For `{workspace}` and `{outside}`.
    pub folders: &'a Folders,
    /// For `{case}`; a server's command line has no case.
    pub case: Option<&'a str>,
    /// For `{denied}`, if a deny pattern is known. `{task}` is not replaced here: its value comes from a reply.
    pub denied: Option<&'a str>,
}

impl Tokens<'_> {
    /// The text with every token replaced.
    pub fn replace(&self, text: &str) -> String {
        let case = self.case.unwrap_or_default();
        // Each case has its own part of the service, as it has its own folder.
        let own_part = case.rsplit('/').next().filter(|name| !name.is_empty());
        let base = self.folders.upstream.as_str();
        let upstream = own_part.map_or_else(|| base.to_owned(), |name| format!("{base}/{name}"));
        let given = |text| (!base.is_empty()).then_some(text);
        let tokens = [
            ("{upstream}", given(upstream.as_str())),
            ("{refusing}", given(self.folders.refusing.as_str())),
            ("{unresolved}", Some(UNRESOLVED)),
            ("{workspace}", Some(self.folders.workspace.as_str())),
            ("{outside}", Some(self.folders.outside.as_str())),
            ("{case}", self.case),
            ("{denied}", self.denied),
        ];
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(brace) = rest.find('{') {
            replaced.push_str(&rest[..brace]);
            rest = &rest[brace..];
            let token =
                tokens.iter().find(|(name, stands_for)| stands_for.is_some() && rest.starts_with(name));
            let (taken, put) = match token {
                Some((name, Some(stands_for))) => (name.len(), *stands_for),
                _ => (1, "{"),
            };
            replaced.push_str(put);
            rest = &rest[taken..];
        }
        replaced.push_str(rest);
        replaced
    }

    /// The value with every token in its texts replaced; member names are unchanged.
    pub fn replace_in(&self, value: &Value) -> Value {
        with_texts(value, &|text| self.replace(text))
    }

    /// The arguments with every token replaced, raw ones included.
    pub fn replace_arguments(&self, arguments: &Arguments) -> Arguments {
        let replaced = arguments.0.iter().map(|(name, argument)| {
            let argument = match argument {
                Argument::Json(value) => Argument::Json(self.replace_in(value)),
                Argument::Raw(text) => Argument::Raw(self.replace(text)),
            };
            (name.clone(), argument)
        });
        Arguments(replaced.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_tokens_are_replaced_and_only_once() {
        let folders = Folders {
            workspace: "/w/{outside}".into(),
            outside: "/o".into(),
            canary: String::new(),
            ..Folders::default()
        };
        let tokens = Tokens { folders: &folders, case: Some("/w/c"), denied: None };
        assert_eq!(tokens.replace("{workspace}/a {outside} {case}/b"), "/w/{outside}/a /o /w/c/b");
        assert_eq!(
            tokens.replace("{Workspace} {workspace {x} {{case}}"),
            "{Workspace} {workspace {x} {/w/c}"
        );
        let without_case = Tokens { folders: &folders, case: None, denied: None };
        assert_eq!(without_case.replace("{case}"), "{case}");
    }
}
