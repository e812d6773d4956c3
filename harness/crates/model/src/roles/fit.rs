//! Whether a tool, by its description, does what a role requires.
//!
//! The main type is [`Fit`]. The words are defined in `vocabulary`.

use serde_json::Value;

use crate::catalog::Tool;
use crate::names::name_words;

use super::Role;
use super::slot::{Slot, plain};
use super::vocabulary::{VOCABULARY, parameter, selected, words};

/// How a tool fits a role.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// The score; higher is better.
    pub(super) score: i32,
    /// The reason, as the beginning of a sentence.
    pub(super) why: String,
    /// The parameter and value that make the tool do this and not something else.
    pub(super) choice: Option<(String, Value)>,
}

/// The fit of a tool that does several things, one of which is meant: `str_replace_editor` with `command:
/// "view"`.
pub(super) fn by_choice(role: Role, tool: &Tool, slots: &[Slot<'_>]) -> Option<Fit> {
    if foreign(role, tool).is_some() || !of_files(tool, slots) {
        return None;
    }
    let (slot, value) = slots.iter().filter(|slot| slot.array.is_none()).find_map(|slot| {
        VOCABULARY.selector.contain(&slot.plain_name()).then_some(())?;
        let values = values(slot);
        let value =
            selected(role).iter().find_map(|known| values.iter().find(|value| plain(value) == *known))?;
        Some((slot, value.clone()))
    })?;
    let why = format!("`{}` of `{}` can be \"{value}\"", slot.name, tool.name);
    Some(Fit { score: 70, why, choice: Some((slot.name.clone(), value.into())) })
}

/// The values that a parameter can have: those of its schema, or else the quoted words of its description.
fn values(slot: &Slot<'_>) -> Vec<String> {
    if let Some(listed) = slot.schema.get("enum").and_then(Value::as_array) {
        return listed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let quoted = slot.description().split(['`', '"', '\'']).skip(1).step_by(2);
    let values: Vec<_> = quoted.map(str::to_owned).collect();
    // A single quoted word is an example of something else, because a choice has at least two.
    if values.len() > 1 { values } else { Vec::new() }
}

/// The fit of a tool whose name, or if that is unclear its description, says what the role requires.
pub(super) fn by_name(role: Role, tool: &Tool, slots: &[Slot<'_>]) -> Option<Fit> {
    if foreign(role, tool).is_some() {
        return None;
    }
    let name = name_words(&tool.name);
    let about = Words::of(tool);
    let any = |known: &[&str]| name.iter().any(|word| known.contains(&word.as_str()));
    if role == Role::Shell && runs_nothing(tool, &about) {
        return None;
    }
    if matches!(role, Role::Write | Role::Replace) && !of_files(tool, slots) {
        return None;
    }
    let words = words(role)?;
    let telling = any(&words.telling);
    let composed = any(&words.verbs) && any(&words.nouns);
    let score = match role {
        Role::Shell => shell(telling, composed, any(&words.verbs) || any(&words.nouns), &about, slots)?,
        Role::Read if name == ["read"] => 90,
        Role::Read if telling && name.len() == 1 || composed => {
            100 - 50 * i32::from(about.deprecated)
                - 20 * i32::from(any(&["multiple", "many", "lines", "batch"]))
                - 10 * i32::from(any(&["get", "open", "show"]))
        }
        Role::Write if telling && name.len() == 1 || composed => 100 - 50 * i32::from(about.deprecated),
        Role::Write
            if any(&["edit", "update", "modify"])
                && about.mentions(&["overwrite", "entire content", "whole content", "full content"]) =>
        {
            40
        }
        Role::Replace if telling || about.mentions(&["replace"]) => {
            100 - 50 * i32::from(about.deprecated)
                - 20 * i32::from(any(&["multi", "multiple"]))
                - 10 * i32::from(!telling)
        }
        Role::TaskOutput | Role::Blame if telling || composed => 100,
        Role::History if composed => 100,
        Role::Grep | Role::Glob => search(role, &name, &about, slots)?,
        Role::Http => http(telling, composed, slots)?,
        Role::Reserve | Role::Release if composed || telling && about.mentions(&["file", "reserv"]) => 100,
        _ => return None,
    };
    Some(Fit { score, why: format!("named `{}`", tool.name), choice: None })
}

/// Whether a tool says that it runs nothing, and so is no shell whatever its name.
fn runs_nothing(tool: &Tool, about: &Words) -> bool {
    const SAYS: [&str; 6] =
        ["not execute", "n't execute", "without executing", "never execute", "not run ", "without running"];
    tool.read_only == Some(true) || about.mentions(&SAYS)
}

fn shell(telling: bool, composed: bool, partly: bool, about: &Words, slots: &[Slot<'_>]) -> Option<i32> {
    // A command that is chosen from a list is not a shell's.
    let commands = parameter(Role::Shell, "command");
    let mut takes = slots.iter().filter(|slot| commands.contains(&&*slot.plain_name()));
    if takes.any(|slot| !values(slot).is_empty() && slot.schema.get("enum").is_some()) {
        return None;
    }
    let said = about.mentions(&[
        "shell",
        "bash",
        "terminal",
        "command line",
        "command-line",
        "system command",
        "subprocess",
        "command on",
    ]);
    match (telling, composed, partly && said) {
        (true, ..) => Some(100),
        (_, true, _) => Some(90),
        (.., true) => Some(60),
        _ => None,
    }
}

/// The score of a tool for HTTP requests: one that takes a full address is recognised by its parameters, one
/// that takes only a path by its name.
fn http(telling: bool, composed: bool, slots: &[Slot<'_>]) -> Option<i32> {
    let named = |known: &[&str]| {
        slots.iter().any(|slot| slot.array.is_none() && known.contains(&&*slot.plain_name()))
    };
    match (telling, composed) {
        (true, _) if named(&["url", "uri"]) => Some(100),
        (_, true) if named(&["url", "uri"]) => Some(90),
        (_, true) => Some(70),
        _ => None,
    }
}

/// The score of a search tool. Searches by content and by name are distinguished by the tool's name first, then
/// by its description.
fn search(role: Role, name: &[String], about: &Words, slots: &[Slot<'_>]) -> Option<i32> {
    let any = |known: &[&str]| name.iter().any(|word| known.contains(&word.as_str()));
    let by_content = any(&["grep", "rg", "ripgrep"]);
    let by_name = any(&["glob"]);
    // It tells whether a text fits a pattern, and looks for nothing.
    if by_name && name.last().is_some_and(|last| ["match", "matches", "test"].contains(&last.as_str())) {
        return None;
    }
    if by_content != by_name {
        return (by_content == (role == Role::Grep)).then_some(100);
    }
    if any(&["list"])
        && slots.iter().any(|slot| matches!(slot.plain_name().as_str(), "includeglobs" | "globs"))
    {
        return (role == Role::Glob).then_some(60);
    }
    if !any(&words(role)?.verbs) || !about.files(slots) {
        return None;
    }
    let pattern = slots
        .iter()
        .find(|slot| slot.plain_name() == "pattern")
        .map(|slot| slot.description().to_lowercase());
    let said = |known: &[&str]| {
        about.mentions(known)
            || pattern.as_ref().is_some_and(|said| known.iter().any(|word| said.contains(word)))
    };
    let of_names = any(&["files", "names", "filenames", "paths"]);
    let of_content = any(&["content", "contents", "text", "code", "lines", "in"]);
    let says_names =
        said(&["glob", "file names", "filename", "by name", "files and directories matching", "names match"]);
    let says_content = said(&[
        "content",
        "regular expression",
        "regex",
        "lines matching",
        "text in files",
        "within files",
        "inside files",
    ]);
    let grep = match (of_content, of_names, says_content, says_names) {
        (true, ..) => true,
        (_, true, _, true) | (.., false, true) => false,
        (.., true, _) => true,
        (_, true, false, false) => false,
        _ => return None,
    };
    (grep == (role == Role::Grep)).then_some(if of_content || of_names { 80 } else { 60 })
}

/// Whether a tool works on files, judged by its name, its description, or the name of a parameter. Pages,
/// records and settings have paths too, and must not be written to.
fn of_files(tool: &Tool, slots: &[Slot<'_>]) -> bool {
    let known = ["file", "files", "str", "editor", "fs", "filesystem"];
    name_words(&tool.name).iter().any(|word| known.contains(&word.as_str()))
        || Words::of(tool).mentions(&["file"])
        || slots.iter().any(|slot| {
            slot.plain_name().contains("file") || slot.array.is_some_and(|array| array.contains("file"))
        })
}

/// The word that shows that a tool is about something else.
fn foreign(role: Role, tool: &Tool) -> Option<&'static str> {
    let words = words(role)?;
    let name = name_words(&tool.name);
    let about = Words::of(tool);
    let in_name = words.foreign.iter().find(|word| name.iter().any(|part| part == *word));
    in_name.or_else(|| words.foreign_sentence().iter().find(|word| about.first_sentence_has(word))).copied()
}

/// A tool's description, in lower case.
struct Words {
    first_sentence: String,
    /// The part of it that says what the tool does, before advice on when to use another.
    beginning: String,
    deprecated: bool,
}

impl Words {
    fn of(tool: &Tool) -> Self {
        let text: String = tool.description.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let first = text.split_once(". ").map_or(text.as_str(), |(first, _)| first);
        let cut = |text: &str, length: usize| text.chars().take(length).collect::<String>();
        let beginning = cut(&text, 300);
        Self { first_sentence: cut(first, 200), deprecated: beginning.contains("deprecated"), beginning }
    }

    fn mentions(&self, known: &[&str]) -> bool {
        known.iter().any(|word| self.beginning.contains(word))
    }

    /// Whether a word or phrase occurs in the first sentence, not as part of a longer word.
    fn first_sentence_has(&self, word: &str) -> bool {
        let bounded = |at: usize| {
            let letter = |letter: char| letter.is_alphanumeric();
            !self.first_sentence[..at].ends_with(letter)
                && !self.first_sentence[at + word.len()..].starts_with(letter)
        };
        self.first_sentence.match_indices(word).any(|(at, _)| bounded(at))
    }

    /// Whether it is about files: the tool takes a path, or the description says so.
    fn files(&self, slots: &[Slot<'_>]) -> bool {
        let path = parameter(Role::Grep, "path");
        slots.iter().any(|slot| path.contains(&&*slot.plain_name())) || self.first_sentence.contains("file")
    }
}
