//! Placeholders for the folders and addresses of a run: `{workspace}`, `{outside}`, `{upstream}` and others.
//!
//! The main types are [`Tokens`], which replaces placeholders by their values, and `Collapser`, which puts
//! placeholders back in texts for people, because the values change with each run.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::finding::Evidence;
use crate::json::with_texts;

mod misspelt;
mod token;

pub use misspelt::{TOKENS, misspelt};
pub use token::Tokens;

/// The name of the server's root.
pub const WORKSPACE: &str = "workspace";
/// The name of the folder beside it. It begins with that of the root, so that a server which compares paths letter by letter
/// takes this folder for a part of its root.
pub const OUTSIDE: &str = "workspace-outside";
/// The name of the only file in that folder.
pub const CANARY: &str = "canary.txt";

/// The folders that the harness made, and the addresses at which it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Folders {
    /// The server's root: `{workspace}`.
    pub workspace: String,
    /// Its sibling with the canary: `{outside}`.
    pub outside: String,
    /// The canary's text: whoever reads it back has left the root.
    pub canary: String,
    /// The address of the HTTP stub, for `{upstream}`; empty where the server was not given it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub upstream: String,
    /// An address where every connection is refused, for `{refusing}`; empty where there is no stub.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refusing: String,
}

impl Folders {
    /// The temporary folder of a confined server, beside the workspace.
    pub fn temporary(&self) -> String {
        match self.workspace.rsplit_once('/') {
            Some((parent, _)) => format!("{parent}/temporary"),
            None => String::new(),
        }
    }
}

/// The drive at the beginning of a Windows path: `C:`.
pub fn drive(path: &str) -> Option<&str> {
    let is_drive =
        |drive: &&str| drive.ends_with(':') && drive.starts_with(|letter: char| letter.is_ascii_alphabetic());
    path.get(..2).filter(is_drive).filter(|_| path[2..].starts_with(['/', '\\']))
}

/// A Windows path with backslashes, as programs there write it, for one given to servers with slashes; empty on
/// other systems.
pub fn backslashed(path: &str) -> String {
    drive(path).map_or_else(String::new, |_| path.replace('/', "\\"))
}

/// Replaces the paths of folders by their placeholders.
pub struct Collapser<'a> {
    names: Vec<(Cow<'a, str>, &'static str)>,
}

impl<'a> Collapser<'a> {
    /// For the folders of a run.
    pub fn new(folders: &'a Folders) -> Self {
        // The first one may begin with the second one.
        let told = [
            (Cow::from(&folders.outside), "{outside}"),
            (Cow::from(&folders.workspace), "{workspace}"),
            (Cow::from(folders.temporary()), "{temporary}"),
            (Cow::from(&folders.upstream), "{upstream}"),
            (Cow::from(&folders.refusing), "{refusing}"),
        ];
        // On Windows servers write paths with backslashes, and with double ones in JSON.
        let backslashed = told.each_ref().map(|(path, name)| (Cow::from(backslashed(path)), *name));
        let twice = backslashed.each_ref().map(|(path, name)| (Cow::from(path.replace('\\', r"\\")), *name));
        let names = told.into_iter().chain(backslashed).chain(twice).filter(|(path, _)| !path.is_empty());
        Self { names: names.collect() }
    }

    /// The text with placeholders.
    pub fn text(&self, text: &str) -> String {
        self.rewrite(text, &mut [])
    }

    /// The evidence with its span adjusted.
    pub fn evidence(&self, evidence: &Evidence) -> Evidence {
        let rewritten = match evidence.span {
            None => Evidence::whole(self.text(&evidence.text)),
            Some((start, end)) => {
                let mut marks = [start, end];
                let text = self.rewrite(&evidence.text, &mut marks);
                Evidence::marked(text, marks[0]..marks[1])
            }
        };
        Evidence { more: evidence.more.iter().map(|text| self.text(text)).collect(), ..rewritten }
    }

    /// The value with placeholders in its texts.
    pub fn value(&self, value: &Value) -> Value {
        with_texts(value, &|text| self.text(text))
    }

    /// Rewrites a text and adjusts the offsets in `marks`. An offset within a path moves to the beginning of
    /// the placeholder.
    fn rewrite(&self, text: &str, marks: &mut [usize]) -> String {
        let on_borders = marks.iter().all(|mark| text.is_char_boundary(*mark));
        if on_borders && !self.names.iter().any(|(path, _)| text.contains(path.as_ref())) {
            return text.to_owned();
        }
        let mut rewritten = String::with_capacity(text.len());
        let mut moved: Vec<usize> = marks.iter().map(|_| usize::MAX).collect();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let found = self.names.iter().find(|(path, _)| rest.starts_with(path.as_ref()));
            let step =
                found.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |(path, _)| path.len());
            for (mark, moved) in marks.iter().zip(&mut moved) {
                if *moved == usize::MAX && *mark < at + step {
                    *moved = rewritten.len();
                }
            }
            rewritten.push_str(found.map_or(&rest[..step], |(_, name)| name));
            at += step;
        }
        for (mark, moved) in marks.iter_mut().zip(moved) {
            *mark = moved.min(rewritten.len());
        }
        rewritten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_windows_becomes_its_name_however_it_is_written() {
        let folders = Folders { workspace: "C:/runs/a1/workspace".into(), ..Folders::default() };
        let collapser = Collapser::new(&folders);
        for text in ["no C:/runs/a1/workspace", r"no C:\runs\a1\workspace", r"no C:\\runs\\a1\\workspace"] {
            assert_eq!(collapser.text(text), "no {workspace}");
        }
    }

    #[test]
    fn a_path_becomes_its_name_and_the_span_moves_along() {
        let folders = Folders {
            workspace: "/tmp/mcp-errconf-a1/workspace".into(),
            outside: "/tmp/mcp-errconf-a1/workspace-outside".into(),
            canary: String::new(),
            ..Folders::default()
        };
        let collapser = Collapser::new(&folders);
        let text = "open /tmp/mcp-errconf-a1/workspace/x: ENOENT";
        let start = text.find("ENOENT").unwrap();
        let evidence = collapser.evidence(&Evidence::marked(text, start..start + 6));
        assert_eq!(evidence.text, "open {workspace}/x: ENOENT");
        let (start, end) = evidence.span.unwrap();
        assert_eq!(&evidence.text[start..end], "ENOENT");
        assert_eq!(collapser.text("é /tmp/mcp-errconf-a1/workspace-outside"), "é {outside}");
    }
}
