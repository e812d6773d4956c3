//! What the names of tools and of their parameters say of which belong together.

use std::cmp::Reverse;

use super::names::{name_words, plain_name};
use super::returned::suits;
use crate::catalog::Tool;

/// Names that begin something.
const MAKES: [&str; 18] = [
    "create", "add", "new", "make", "write", "insert", "put", "save", "start", "open", "register", "set",
    "upsert", "append", "store", "reserve", "begin", "init",
];
/// Names that end it.
const ENDS: [&str; 23] = [
    "delete", "remove", "close", "drop", "clear", "cancel", "stop", "kill", "destroy", "unlink", "rm",
    "release", "end", "finish", "purge", "reset", "discard", "archive", "merge", "trash", "erase", "wipe",
    "forget",
];

/// The verbs after which the thing is not there any more.
const DELETES: [&str; 11] =
    ["delete", "remove", "drop", "destroy", "unlink", "rm", "purge", "discard", "erase", "wipe", "forget"];

/// Whether a tool's name says that it ends what it names.
pub(crate) fn is_an_end(tool: &str) -> bool {
    ToolAffinity::new(tool, std::iter::empty()).part == ToolAction::Ends
}

/// Whether a tool's name says that nothing is left of what it names.
pub(crate) fn deletes(tool: &str) -> bool {
    is_an_end(tool) && name_words(tool).iter().any(|word| DELETES.contains(&word.as_str()))
}

/// Whether a tool's name says that it makes what it names.
pub(crate) fn makes(tool: &str) -> bool {
    ToolAffinity::new(tool, std::iter::empty()).part == ToolAction::Makes
}

/// Whether two tools are about the same, by their names and those of their parameters.
pub(crate) fn belong_together(one: &Tool, other: &Tool) -> bool {
    let affinity = |tool: &Tool| {
        let names: Vec<String> = tool.parameters().map(|(name, _)| name.to_owned()).collect();
        ToolAffinity::new(&tool.name, names.iter().map(String::as_str))
    };
    affinity(one).is_with(&affinity(other))
}

/// What a tool's name is about, word by word: of `todo_comment_edit` also `edit`, since only verbs that make or end something
/// are recognised.
pub(crate) fn subject(tool: &str) -> Vec<String> {
    ToolAffinity::new(tool, std::iter::empty()).subject
}

/// How near a tool of this subject is to what is wanted; none if no word of it is. The more of its words are, the nearer,
/// and of two that share as many the one with fewer others.
pub(crate) fn nearness(subject: &[String], is_wanted: impl Fn(&str) -> bool) -> Option<Nearness> {
    let shared = subject.iter().filter(|word| is_wanted(word)).count();
    (shared > 0).then_some((shared, Reverse(subject.len() - shared)))
}

/// How many words of a subject are shared, and how many others it has.
pub(crate) type Nearness = (usize, Reverse<usize>);

/// What a parameter's plain name says of the thing that its value stands for: that of `commentid` is `comment`. Empty for
/// `id`, which stands for whatever the tool is about.
pub(crate) fn thing_of(parameter: &str) -> &str {
    let ends = ["ids", "id", "names", "name", "key", "reference", "ref", "handle", "token"];
    ends.iter().find_map(|end| parameter.strip_suffix(end)).unwrap_or(parameter)
}

/// Whether the names of two tools share a word of what they are about.
pub(crate) fn are_about_the_same(tool: &str, other: &str) -> bool {
    let (own, others) = (subject(tool), subject(other));
    nearness(&others, |word| own.iter().any(|own| own == word)).is_some()
}

/// Of the tools that end something how many others need what each ends: the more, the later it is called. Whatever takes a
/// project along takes what is in it.
pub(crate) fn needed_by(tool: &Tool, all: &[Tool]) -> usize {
    let subject = ToolAffinity::new(&tool.name, std::iter::empty()).subject;
    let names_it = |name: &str| {
        let words = name_words(name);
        words.iter().any(|word| subject.iter().any(|own| own == word.trim_end_matches('s')))
    };
    let others = all.iter().filter(|other| other.name != tool.name);
    others.filter(|other| other.parameters().any(|(name, _)| names_it(name))).count()
}

/// What a tool does to what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolAction {
    Makes,
    Uses,
    Ends,
}

/// What the names of a tool and of its parameters say of the tools that it belongs to.
#[derive(Debug)]
pub(super) struct ToolAffinity {
    part: ToolAction,
    /// What its name is about.
    subject: Vec<String>,
    /// Its parameters by their plain names.
    parameters: Vec<String>,
}

impl ToolAffinity {
    pub(super) fn new<'n>(tool: &str, parameters: impl Iterator<Item = &'n str>) -> Self {
        let words = name_words(tool);
        let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
        let part = match (has(&ENDS), has(&MAKES)) {
            (true, _) => ToolAction::Ends,
            (false, true) => ToolAction::Makes,
            (false, false) => ToolAction::Uses,
        };
        let is_subject = |word: &&String| {
            !MAKES.contains(&word.as_str()) && !ENDS.contains(&word.as_str()) && word.len() > 2
        };
        let subject = words.iter().filter(is_subject).map(|word| word.trim_end_matches('s').to_owned());
        Self { part, subject: subject.collect(), parameters: parameters.map(plain_name).collect() }
    }

    /// Its parameters by their plain names.
    pub(super) fn parameters(&self) -> &[String] {
        &self.parameters
    }

    pub(super) fn part(&self) -> ToolAction {
        self.part
    }

    /// Whether both name the same thing.
    pub(super) fn is_with(&self, other: &Self) -> bool {
        let shares = |parameter: &String| {
            let is_same = |own: &String| {
                own == parameter && parameter.len() > 1 || suits(own, parameter) && own.len() > 3
            };
            self.parameters.iter().any(is_same)
        };
        other.parameters.iter().any(shares) || other.subject.iter().any(|word| self.subject.contains(word))
    }
}
