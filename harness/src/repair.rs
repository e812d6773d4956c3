//! A reader who has only a message: from a call that was refused, and what the refusal says, to the next call.
//!
//! The main type is [`Reader`]. It goes by what a message says of the call at hand: what is missing or too much, which
//! type, bound, form or name is wanted, and which tool comes first. It does nothing else that a message may order: it
//! changes arguments alone, what could be executed is drawn from our own grammar, paths stay in the tool's own folder, and
//! an address leads to our own stub. Same message, same next call; each comes with the words that it went by.

use std::cell::OnceCell;

use serde_json::Value;

use crate::catalog::{Catalog, Tool};
use crate::class::Class;
use crate::generate::{Confirmer, Fence, Roaming, Ruling, ToolFiles};
use crate::roles::Binding;
use crate::wording::escape::readings;
use crate::wording::mention::names_parameter;
use crate::wording::{excerpt, passages};

mod advice;
mod around;
mod before;
mod form;
mod guard;
mod path;
mod shown;
mod slot;
mod subject;
#[cfg(test)]
mod tests;
mod told;
mod validation;
mod value;
mod wish;

use around::Around;
use guard::Guard;
use shown::{shows, without_objects};
use slot::{Slot, put, slots, take};
use told::{required, unwanted, wishes};
use value::Values;
use wish::{PathWish, Said, Wish};

/// A message is read so far.
const LONGEST: usize = 8 * 1024;
/// So many ways to understand a passage are tried.
const ALTERNATIVES: usize = 12;
/// So many texts of a reply are read.
const TEXTS: usize = 8;
/// A list beside one of these is none of all values.
const VAGUE: [&str; 7] = ["e.g", "such as", "for example", "for instance", "...", "etc", "\u{2026}"];

/// What is known of a tool besides what a message says.
#[derive(Debug, Clone, Copy)]
pub struct Called<'a> {
    /// All tools.
    pub catalog: &'a Catalog,
    /// Which of them plays which role.
    pub bindings: &'a [Binding],
    /// The tool that was called.
    pub tool: &'a Tool,
    /// Its class.
    pub class: Class,
    /// The folder that was made for its calls.
    pub tool_files: &'a ToolFiles,
    /// Whether a git repository can be made in it.
    pub has_repository: bool,
    /// The server's root.
    pub workspace: &'a str,
    /// What the caller means, where that is known: values of the tool's parameters that make a call succeed. What only a
    /// caller can know, such as which file is meant, no message has to tell.
    pub meant: Option<&'a Value>,
}

/// Reads what is said of the calls of one tool.
#[derive(Debug)]
pub struct Reader<'a> {
    known: Called<'a>,
    guard: Guard,
    root: Value,
    confirmer: OnceCell<Confirmer>,
}

/// What a reader does next, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// What it is.
    pub next: NextCall,
    /// The words of the message that it went by.
    pub words: String,
    /// How sure these words are.
    pub basis: Basis,
}

/// How sure the words are by which a call was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// They name the parameter and say outright what would do: a listed value, a bound, an example. The call does exactly that.
    Stated,
    /// The rest was filled in.
    Inferred,
}

/// What a reader does next.
#[derive(Debug, Clone, PartialEq)]
pub enum NextCall {
    /// The tool is called with these values of its parameters.
    Arguments(Value),
    /// This tool is called, and then the call that was refused once more.
    Before(String),
}

/// A change of one parameter that a message asks for.
struct Change<'s> {
    slot: &'s Slot,
    wish: Wish,
    words: String,
}

impl Change<'_> {
    /// Whether a text says outright which value would do, in a parameter that it names.
    fn is_stated_by(&self, text: &str, chosen: &Value) -> bool {
        if !names_parameter(&without_objects(text), &self.slot.name) {
            return false;
        }
        let lower = text.to_ascii_lowercase();
        let is_quoted = |value: &String| {
            ["'", "\"", "`"].iter().any(|mark| text.contains(&format!("{mark}{value}{mark}")))
        };
        match &self.wish {
            // Where only some of the values are told, or how they look, these words may be others.
            Wish::OneOf(values) => {
                !VAGUE.iter().any(|word| lower.contains(word)) && values.iter().all(is_quoted)
            }
            Wish::Like(like) => is_quoted(like) && chosen.as_str() == Some(like),
            Wish::Bound { .. } => chosen.is_number(),
            Wish::Renamed(_) => true,
            Wish::Set(value) | Wish::Shown(value) => chosen == value,
            Wish::Meant(_) | Wish::Given | Wish::Absent | Wish::Kind(_) | Wish::Form(_) | Wish::Path(_) => {
                false
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// A reader of what is said of one tool's calls.
    pub fn of(known: Called<'a>) -> Self {
        let roaming = if known.class == Class::Read { Roaming::Allowed } else { Roaming::Forbidden };
        let fence = Fence::around(known.tool_files.folder(), roaming);
        let fence = if known.class == Class::Read { fence } else { fence.of_a_writer() };
        let guard = Guard { fence, upstream: known.tool_files.upstream().map(str::to_owned) };
        let root = known.tool.own_document().into_owned();
        Self { known, guard, root, confirmer: OnceCell::new() }
    }

    /// The next call, from the values of the tool's parameters that were refused and the texts of the refusal. None where
    /// nothing in them says what to change. `followed` are tools that were called first already.
    pub fn next(&self, sent: &Value, texts: &[&str], followed: &[String]) -> Option<Repair> {
        let texts: Vec<&str> = texts.iter().take(TEXTS).map(|text| beginning(text)).collect();
        let tools: Vec<&str> = self.known.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
        for text in &texts {
            for reading in readings(text) {
                let first = before::first(&reading, &self.known.tool.name, &tools, self.known.bindings);
                if let Some((tool, at)) = first.filter(|(tool, _)| !followed.iter().any(|done| done == tool))
                {
                    let words = sentence(&reading, at.start);
                    let next = NextCall::Before(tool.to_owned());
                    return Some(Repair { next, words, basis: Basis::Inferred });
                }
            }
        }
        let slots = slots(&self.root, sent);
        let parameters: Vec<&str> =
            slots.iter().filter(|slot| slot.is_known()).map(|slot| slot.name.as_str()).collect();
        let known = &self.known;
        let around = Around {
            parameters: &parameters,
            tools: &tools,
            called: &known.tool.name,
            sent,
            meant: known.meant,
            advises: false,
        };
        texts.iter().find_map(|text| {
            let advises = known.meant.is_some() && advice::advises(known, sent, text);
            let around = Around { advises, ..around };
            let of_lists = listed_changes(text, &slots, around);
            self.applied(sent, text, of_lists).or_else(|| {
                let alternatives = readings_of(text).into_iter().flat_map(|reading| {
                    told_changes(&reading, &slots, around).into_iter().take(ALTERNATIVES)
                });
                alternatives.filter_map(|changes| self.applied(sent, text, changes)).next()
            })
        })
    }

    /// The arguments with all the changes that can be made because of a text.
    fn applied(&self, sent: &Value, text: &str, changes: Vec<Change<'_>>) -> Option<Repair> {
        let values = Values {
            tool: self.known.tool,
            bindings: self.known.bindings,
            tool_files: self.known.tool_files,
            has_repository: self.known.has_repository,
            workspace: self.known.workspace,
            guard: &self.guard,
            root: &self.root,
            meant: self.known.meant,
        };
        let mut next = sent.clone();
        let mut words: Vec<String> = Vec::new();
        let mut are_stated = true;
        for change in changes {
            let Change { slot, wish, words: said } = &change;
            let mut chosen = Value::Null;
            let changed = match wish {
                Wish::Absent => take(&mut next, &slot.place).is_some(),
                Wish::Renamed(name) => self.renamed(&mut next, slot, name),
                wish => {
                    let made = values.of(slot, wish);
                    let fits = |value: &&Value| {
                        let mut tried = next.clone();
                        put(&mut tried, &slot.place, (*value).clone()) && !self.is_worse(&next, &tried)
                    };
                    made.iter().find(fits).cloned().is_some_and(|value| {
                        chosen.clone_from(&value);
                        put(&mut next, &slot.place, value)
                    })
                }
            };
            are_stated &= !changed || change.is_stated_by(text, &chosen);
            if changed && !words.contains(said) {
                words.push(said.clone());
            }
        }
        let basis = if are_stated { Basis::Stated } else { Basis::Inferred };
        (next != *sent && !words.is_empty() && !self.is_worse(sent, &next)).then(|| Repair {
            next: NextCall::Arguments(next),
            words: words.join("; "),
            basis,
        })
    }

    fn renamed(&self, arguments: &mut Value, slot: &Slot, name: &str) -> bool {
        let Some(value) = slot.sent.clone() else { return false };
        let mut place = slot.place.clone();
        place.pop();
        place.push(slot::Segment::Member(name.to_owned()));
        take(arguments, &slot.place).is_some() && put(arguments, &place, value)
    }

    /// Whether the schema forbids what it did not forbid before.
    fn is_worse(&self, before: &Value, after: &Value) -> bool {
        let tool = self.known.tool;
        let confirmer = self.confirmer.get_or_init(|| Confirmer::of(&tool.input_schema));
        let forbids = |own: &Value| confirmer.ruling(&tool.wrap(own.clone())) == Ruling::Forbids;
        forbids(after) && !forbids(before)
    }
}

/// The changes that a validator's list asks for.
fn listed_changes<'s>(text: &str, slots: &'s [Slot], around: Around<'_>) -> Vec<Change<'s>> {
    let mut changes = Vec::new();
    for issue in validation::issues(text) {
        let place = issue.path.join(".");
        let words = match place.is_empty() {
            true => excerpt(&issue.message),
            false => format!("{place}: {}", excerpt(&issue.message)),
        };
        for name in &issue.unwanted {
            let unwanted =
                slots.iter().find(|slot| slot.name == *name && !slot.is_required && slot.sent.is_some());
            changes.extend(unwanted.map(|slot| Change { slot, wish: Wish::Absent, words: words.clone() }));
        }
        let Some(slot) = validation::slot_at(&issue.path, slots) else { continue };
        let wish = issue
            .wish
            .or_else(|| Some(wishes(&issue.message, slot, around).into_iter().next()?.0))
            .or_else(|| validation::bound_of(text, slot));
        changes.extend(wish.map(|wish| Change { slot, wish, words }));
    }
    changes
}

/// The changes that sentences ask for, in each way in which they can be understood, the likeliest first.
fn told_changes<'s>(reading: &Reading, slots: &'s [Slot], around: Around<'_>) -> Vec<Vec<Change<'s>>> {
    let text = reading.text.as_str();
    if reading.is_document {
        // Its keys are no words of a sentence.
        let mut ways = of_text(text, slots, around);
        ways.retain(|way| way.iter().all(|change| matches!(change.wish, Wish::OneOf(_))));
        return ways;
    }
    let ranked = subject::ranked(text, slots);
    let named: Vec<&Slot> =
        ranked.iter().filter(|(score, _)| *score >= subject::NAMED).map(|(_, slot)| *slot).collect();
    if let Some(change) = too_many(text, &named) {
        return vec![vec![change]];
    }
    let mut ways = Vec::new();
    if named.len() > 1 {
        let is_named =
            |line: &&str| named.iter().any(|slot| subject::score(line, slot, slots) >= subject::NAMED);
        let lines: Vec<&str> = text.split(['\n', ';']).filter(is_named).collect();
        if lines.len() > 1 {
            let of_lines = lines.iter().filter_map(|line| of_text(line, slots, around).into_iter().next());
            ways.push(of_lines.flatten().collect());
        }
    }
    ways.extend(of_text(text, slots, around));
    ways
}

/// The ways to understand one sentence, or several about one thing.
fn of_text<'s>(text: &str, slots: &'s [Slot], around: Around<'_>) -> Vec<Vec<Change<'s>>> {
    let ranked = subject::ranked(text, slots);
    let named = || ranked.iter().filter(|(score, _)| *score >= subject::NAMED).map(|(_, slot)| *slot);
    let change = |slot: &'s Slot, (wish, at): Said| Change { slot, wish, words: sentence(text, at.start) };
    let unknown: Vec<Change<'s>> =
        named().filter_map(|slot| Some(change(slot, unwanted(text, slot, around)?))).collect();
    if !unknown.is_empty() {
        return vec![unknown];
    }
    let mut ways: Vec<Vec<Change<'s>>> = Vec::new();
    for (score, slot) in &ranked {
        for said in wishes(text, slot, around) {
            match said.0 {
                // What one lacks others may lack too.
                Wish::Given if *score >= subject::NAMED => {
                    let mut lacking = missing(text, &named().collect::<Vec<_>>());
                    // A call that the message shows has what else is missing.
                    let is_shown =
                        |slot: &&Slot| slot.is_required && slot.sent.is_none() && shows(text, slot, around);
                    for slot in slots.iter().filter(is_shown) {
                        if !lacking.iter().any(|change| change.slot.place == slot.place) {
                            lacking.push(Change {
                                slot,
                                wish: Wish::Given,
                                words: sentence(text, said.1.start),
                            });
                        }
                    }
                    ways.push(lacking);
                }
                Wish::Given if *score < subject::WORDS => {}
                // A value that was refused in one place is no better in another.
                Wish::OneOf(_) | Wish::Path(_) => {
                    let alike = ranked
                        .iter()
                        .filter(|(other, of)| other == score && of.sent == slot.sent && of.sent.is_some());
                    let all: Vec<Change<'s>> = alike.map(|(_, slot)| change(slot, said.clone())).collect();
                    if all.len() > 1 {
                        ways.push(all);
                    }
                    ways.push(vec![change(slot, said)]);
                }
                _ => ways.push(vec![change(slot, said)]),
            }
        }
    }
    // Where nothing names it, it is the parameter for a folder that is meant.
    let of_folder = slots.iter().filter(|slot| slot.place.len() == 1 && path::may_be_repository(slot));
    for slot in of_folder.filter(|slot| !ranked.iter().any(|(_, other)| other.place == slot.place)) {
        let said = path::wish(text, slot).filter(|(wish, _)| *wish == Wish::Path(PathWish::Repository));
        ways.extend(said.map(|said| vec![change(slot, said)]));
    }
    // Where it is the only path that was sent, it is that which a message about a path means.
    let mut sent_paths = slots.iter().filter(|slot| slot.is_path() && slot.sent.is_some());
    if let (Some(slot), None) = (sent_paths.next(), sent_paths.next())
        && !ranked.iter().any(|(_, other)| other.place == slot.place)
    {
        let is_found = |said: &Said| around.meant.is_none() || around.advises || !said.0.is_of_what_exists();
        let said = path::wish(text, slot).filter(is_found);
        ways.extend(said.map(|said| vec![change(slot, said)]));
    }
    if text.to_ascii_lowercase().contains("at least one ") {
        let open = slots.iter().find(|slot| slot.place.len() == 1 && slot.is_known() && slot.sent.is_none());
        ways.extend(open.map(|slot| vec![Change { slot, wish: Wish::Given, words: sentence(text, 0) }]));
    }
    ways
}

/// The parameters that a sentence calls missing; of several of which one is enough the first.
fn missing<'s>(text: &str, named: &[&'s Slot]) -> Vec<Change<'s>> {
    let lacking = named.iter().filter_map(|slot| {
        let (wish, at) = required(text, slot)?;
        Some(Change { slot, wish, words: sentence(text, at.start) })
    });
    let mut lacking: Vec<Change<'s>> = lacking.collect();
    let lower = text.to_ascii_lowercase();
    if ["either ", " or ", "at least one", "one of", "any of"].iter().any(|word| lower.contains(word)) {
        lacking.sort_by_key(|change| text.find(change.slot.name.as_str()));
        lacking.truncate(1);
    }
    lacking
}

/// Of parameters that must not come together the last one that may be left out.
fn too_many<'s>(text: &str, named: &[&'s Slot]) -> Option<Change<'s>> {
    static TOGETHER: std::sync::LazyLock<regex::Regex> = std::sync::LazyLock::new(|| {
        crate::expression::expression(
            r"(?i)\bmutually exclusive\b|\b(?:can(?:not| not|'t)|must not|may not|do not|don't|not)\b[^.\n]{0,60}\b(?:both|together|combined?|at the same time|simultaneously)\b|\bnot both\b|\bonly one of\b|\bnot allowed with\b|\bexactly one of\b|\bconflicts? with\b",
        )
    });
    let sent: Vec<&&Slot> = named.iter().filter(|slot| slot.sent.is_some()).collect();
    if sent.len() < 2 {
        return None;
    }
    let found = TOGETHER.find(text)?;
    let slot = sent.iter().rev().find(|slot| !slot.is_required)?;
    Some(Change { slot, wish: Wish::Absent, words: sentence(text, found.start()) })
}

/// A piece of a reply as it is read.
struct Reading {
    text: String,
    /// It is JSON: words beside each other are not of one sentence.
    is_document: bool,
}

/// What a reader reads of a text: of JSON its strings one by one, and the whole of it with its escapes resolved.
fn readings_of(text: &str) -> Vec<Reading> {
    let sentence = |text: String| Reading { text, is_document: false };
    let strings = passages(text);
    let is_document = strings.iter().any(|passage| passage.key.is_some());
    let mut read: Vec<Reading> = strings
        .iter()
        .filter(|passage| is_document && passage.key.is_some() && !passage.names_a_kind())
        .map(|passage| passage.text.clone().into_owned())
        .filter(|text| text.contains(' '))
        .take(TEXTS)
        .map(sentence)
        .collect();
    if read.len() > 1 {
        // What is wrong and what to do mostly stand beside each other, in members of their own.
        let ended = |text: &str| format!("{}.", text.trim_end().trim_end_matches('.'));
        let all: Vec<String> = read.iter().map(|reading| ended(&reading.text)).collect();
        read.insert(0, sentence(all.join(" ")));
    }
    let whole = readings(text).last().map_or_else(|| text.to_owned(), |last| last.clone().into_owned());
    let whole = if is_document { whole.split_whitespace().collect::<Vec<_>>().join(" ") } else { whole };
    read.push(Reading { text: whole, is_document });
    read
}

/// The sentence that stands at a place of a text, for quoting.
fn sentence(text: &str, at: usize) -> String {
    let at = text.floor_char_boundary(at.min(text.len()));
    let ends = |part: &str, index: usize, mark: &str| {
        mark == "\n" || part[index + mark.len()..].starts_with(char::is_whitespace)
    };
    let before = &text[..at];
    let start = before
        .rmatch_indices(['.', '\n', '!', ';'])
        .find(|(index, mark)| ends(text, *index, mark))
        .map_or(0, |(index, mark)| index + mark.len());
    let end = text[at..]
        .match_indices(['.', '\n', '!', ';'])
        .find(|(index, mark)| ends(&text[at..], *index, mark) || at + index + mark.len() == text.len())
        .map_or(text.len(), |(index, _)| at + index);
    excerpt(&text[start..end])
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
