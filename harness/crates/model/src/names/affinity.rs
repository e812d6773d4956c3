//! Which tools belong together, judged by their names and those of their parameters.

use std::cmp::Reverse;

use super::returned::suits;
use super::{name_words, plain_name};
use crate::catalog::Tool;
use crate::words;

/// Verbs in names of tools after which the thing no longer exists.
const DELETES: [&str; 11] =
    ["delete", "remove", "drop", "destroy", "unlink", "rm", "purge", "discard", "erase", "wipe", "forget"];

/// Whether a tool's name says that it ends something.
pub fn is_an_end(tool: &str) -> bool {
    action(&name_words(tool)) == ToolAction::Ends
}

/// Whether a tool's name says that the thing no longer exists afterwards.
pub fn deletes(tool: &str) -> bool {
    is_an_end(tool) && name_words(tool).iter().any(|word| DELETES.contains(&word.as_str()))
}

/// Whether a tool's name says that it creates something.
pub fn makes(tool: &str) -> bool {
    action(&name_words(tool)) == ToolAction::Makes
}

/// Whether two tools are about the same thing, by their names and parameters.
pub fn belong_together(one: &Tool, other: &Tool) -> bool {
    let affinity = |tool: &Tool| ToolAffinity::new(&tool.name, tool.parameters().map(|(name, _)| name));
    affinity(one).is_with(&affinity(other))
}

/// The words for the thing that a tool is about: for `todo_comment_edit` also `edit`, because only verbs for
/// creating or ending are recognised.
pub fn subject(tool: &str) -> Vec<String> {
    let is_subject = |word: &String| {
        !words!("names/affinity-makes").contains(&word.as_str())
            && !words!("names/affinity-ends").contains(&word.as_str())
            && word.len() > 2
    };
    let words = name_words(tool).into_iter().filter(is_subject);
    words.map(|word| word.trim_end_matches('s').to_owned()).collect()
}

/// How close a tool with this subject is to what is wanted; `None` if no word matches. More matching words are
/// closer; if equal, fewer other words.
pub fn nearness(subject: &[String], is_wanted: impl Fn(&str) -> bool) -> Option<Nearness> {
    let shared = subject.iter().filter(|word| is_wanted(word)).count();
    (shared > 0).then_some((shared, Reverse(subject.len() - shared)))
}

/// The number of matching words of a subject, and the number of others (fewer is better).
pub(crate) type Nearness = (usize, Reverse<usize>);

/// The thing that a parameter's value identifies, from its plain name: `comment` for `commentid`. Empty for
/// `id`, which identifies whatever the tool is about.
pub fn thing_of(parameter: &str) -> &str {
    let ends = ["ids", "id", "names", "name", "key", "reference", "ref", "handle", "token"];
    ends.iter().find_map(|end| parameter.strip_suffix(end)).unwrap_or(parameter)
}

/// Whether the subjects of two tools share a word.
pub fn are_about_the_same(tool: &str, other: &str) -> bool {
    let own = subject(tool);
    subject(other).iter().any(|word| own.contains(word))
}

/// How many other ending tools need what this one ends. The more there are, the later it is called: a tool that
/// deletes a project deletes what is in it.
pub fn needed_by(tool: &Tool, all: &[Tool]) -> usize {
    let subject = subject(&tool.name);
    let names_it = |name: &str| {
        let words = name_words(name);
        words.iter().any(|word| subject.iter().any(|own| own == word.trim_end_matches('s')))
    };
    let others = all.iter().filter(|other| other.name != tool.name);
    others.filter(|other| other.parameters().any(|(name, _)| names_it(name))).count()
}

/// What a tool does to its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAction {
    /// It makes one.
    Makes,
    /// It uses one.
    Uses,
    /// It ends or deletes one.
    Ends,
}

fn action(words: &[String]) -> ToolAction {
    let has = |table: &[&str]| words.iter().any(|word| table.contains(&word.as_str()));
    match (has(words!("names/affinity-ends")), has(words!("names/affinity-makes"))) {
        (true, _) => ToolAction::Ends,
        (false, true) => ToolAction::Makes,
        (false, false) => ToolAction::Uses,
    }
}

/// The words in the names of a tool and its parameters that relate it to other tools.
#[derive(Debug)]
pub struct ToolAffinity {
    /// What the tool does to its subject.
    pub action: ToolAction,
    /// The words of the subject in its name.
    subject: Vec<String>,
    /// The plain names of its parameters.
    pub parameters: Vec<String>,
}

impl ToolAffinity {
    /// From the names of a tool and its parameters.
    pub fn new<'n>(tool: &str, parameters: impl Iterator<Item = &'n str>) -> Self {
        let parameters = parameters.map(plain_name).collect();
        Self { action: action(&name_words(tool)), subject: subject(tool), parameters }
    }

    /// Whether both are about the same thing.
    pub fn is_with(&self, other: &Self) -> bool {
        let shares = |parameter: &String| {
            let is_same = |own: &String| {
                own == parameter && parameter.len() > 1 || suits(own, parameter) && own.len() > 3
            };
            self.parameters.iter().any(is_same)
        };
        other.parameters.iter().any(shares) || other.subject.iter().any(|word| self.subject.contains(word))
    }
}
