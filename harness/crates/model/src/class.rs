//! What a tool may do, which decides which calls may be sent to it.
//!
//! The main type is [`Class`]. It is derived from the tool's annotations, its name, its description and its
//! parameters, by tables of words; in doubt the more dangerous class is chosen. This module knows nothing of
//! probes.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::argument::Arguments;
use crate::catalog::Tool;
use crate::names::{plain_name, words_of};
use crate::words;

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It changes nothing.
    Read,
    /// It creates, edits or replaces.
    Write,
    /// It executes, deletes, sends or schedules.
    Effect,
    /// Unknown.
    Unknown,
}

/// What is known about one tool.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct ToolSetting {
    /// It is never called.
    #[serde(default)]
    pub skip: bool,
    /// What it does, which determines which calls may be sent to it.
    pub class: Option<Class>,
    /// Arguments with which a call of it succeeds; `{workspace}` and `{outside}` stand for folders.
    pub valid: Option<Arguments>,
}

impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Effect => "effect",
            Self::Unknown => "unknown",
        })
    }
}

/// What the user says about tools, by their names.
pub type ToolSettings = BTreeMap<String, ToolSetting>;

/// Whether the user forbids to call a tool.
pub fn is_skipped(tool: &str, settings: &ToolSettings) -> bool {
    settings.get(tool).is_some_and(|setting| setting.skip)
}

impl Class {
    /// The class that the user gives to a tool, or else the one that shows by itself.
    pub fn of(tool: &Tool, settings: &ToolSettings) -> Self {
        let set = settings.get(&tool.name).and_then(|setting| setting.class);
        set.unwrap_or_else(|| Self::from_tool(tool))
    }

    /// The class of a tool. An explicit `readOnlyHint: true` takes precedence over the name. A missing
    /// `destructiveHint`, which means true in MCP, is not taken literally.
    pub fn from_tool(tool: &Tool) -> Self {
        if tool.read_only == Some(true) {
            return Self::Read;
        }
        let by_name = named(&words(&tool.name));
        match by_name {
            Some(Self::Effect) => return Self::Effect,
            Some(Self::Write) => {
                return if describes_effect(&tool.description) { Self::Effect } else { Self::Write };
            }
            _ if tool.destructive == Some(true) || describes_effect(&tool.description) => {
                return Self::Effect;
            }
            _ => {}
        }
        let described = words(&tool.description);
        let first: Vec<String> = described.iter().take(1).map(|word| singular(word).to_owned()).collect();
        match by_name.or_else(|| named(&first)) {
            Some(Self::Read) if tool.read_only == Some(false) || carries(tool) => Self::Unknown,
            Some(class) => class,
            None => Self::Unknown,
        }
    }
}

/// The class by the words of a name: a dangerous word anywhere, or else the first word that a table has.
fn named(words: &[String]) -> Option<Class> {
    let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
    if has(words!("names/class-always-effect")) {
        return Some(Class::Effect);
    }
    if has(words!("names/class-always-write")) {
        return Some(Class::Write);
    }
    words.iter().find_map(|word| match word.as_str() {
        word if words!("names/class-effect").contains(&word) => Some(Class::Effect),
        word if words!("names/class-write").contains(&word) => Some(Class::Write),
        word if words!("names/class-read").contains(&word) => Some(Class::Read),
        _ => None,
    })
}

/// Whether a description mentions an effect: "reads the queue and deletes it", but not "does not delete
/// anything".
fn describes_effect(description: &str) -> bool {
    let words = words(description);
    words.iter().enumerate().any(|(index, word)| {
        let before = &words[index.saturating_sub(2)..index];
        let denied = before
            .iter()
            .any(|word| ["not", "never", "without", "cannot", "t", "no"].contains(&word.as_str()));
        // Only forms of the verb count: "deletes", "executes".
        let verb = singular(word);
        let counts = words!("names/class-always-effect").contains(&verb)
            && !["drop", "schedule", "install", "bash", "rm"].contains(&verb)
            || index == 0
                && (words!("names/class-always-effect").contains(&verb)
                    || words!("names/class-effect").contains(&verb));
        counts && !denied
    })
}

/// A verb without its ending: "delete" for "deletes".
fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(word)
}

fn carries(tool: &Tool) -> bool {
    tool.parameters().any(|(name, _)| {
        let plain = plain_name(name);
        words!("names/class-carries").contains(&plain.as_str()) || names_a_target(&plain)
    })
}

/// Whether a parameter of this plain name says where something is written, or that data may be lost.
fn names_a_target(plain: &str) -> bool {
    words!("names/class-parts").iter().any(|part| plain.contains(part))
        || plain.len() > "output".len() && plain.ends_with("output")
}

/// The words of a name or text in lower case: `multi`, `edit`, `files` for `multiEdit_files`.
fn words(text: &str) -> Vec<String> {
    words_of(text.chars().take(4_000), |letter| letter.is_lowercase() || letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::{Value, json};

    use super::*;
    use crate::catalog::Catalog;

    #[test]
    fn each_tool_has_the_class_of_its_line() {
        for line in include_str!("class/cases.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let mut catalog = Catalog::default();
            catalog.add_page(&json!({ "tools": [case["tool"]] }));
            assert_eq!(Class::from_tool(&catalog.tools[0]).to_string(), case["class"], "{line}");
        }
    }

    #[test]
    fn the_tools_of_recorded_servers_are_classed_as_a_careful_person_would() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/catalogs");
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let mut table = String::new();
        for file in files {
            let mut catalog = Catalog::default();
            catalog.add_page(&serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap());
            table += &format!("== {}\n", file.file_stem().unwrap().display());
            for tool in &catalog.tools {
                table += &format!("{:<8} {}\n", Class::from_tool(tool), tool.name);
            }
        }
        insta::assert_snapshot!(table);
    }
}
