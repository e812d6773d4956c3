//! A reader who has only a message: derives the next call from a refused call and its refusal.
//!
//! The main type is [`Reader`]. It follows what a message says about the call: what is missing or surplus,
//! which type, bound, form or name is required, and which tool comes first. It obeys nothing else: only
//! arguments change, executable values are drawn from our own grammar, paths stay in the tool's own folder, and
//! addresses point to our own stub. The same message always gives the same next call; each comes with the words
//! that it is based on.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde_json::Value;

use crate::catalog::{Catalog, Tool};
use crate::class::Class;
use crate::generate::{Confirmer, Fence, Ruling, ToolFiles};
use crate::roles::Binding;
use crate::wording::escape::readings;

mod agree;
mod before;
mod context;
mod form;
mod guard;
mod instruction;
mod path;
mod requested;
mod shown;
mod slot;
mod subject;
#[cfg(test)]
mod tests;
mod validation;
mod value;
mod ways;

use context::RepairContext;
use guard::Guard;
pub(crate) use path::asks_for_relative;
use requested::ParameterChange;
use requested::RequestedChange;
pub(crate) use slot::{ArgumentSlot, put, slots};
use slot::{rename, take, untold_members};
use ways::{listed_changes, readings_of, requested_changes, sentence};

/// At most this many bytes of a message are read.
const LONGEST: usize = 8 * 1024;
/// At most this many interpretations of a passage are tried.
const ALTERNATIVES: usize = 12;
/// At most this many texts of a reply are read.
const TEXTS: usize = 8;
/// At most this many of the possible values are tried.
const VALUES: usize = 4;

/// What is known about a tool besides the message.
#[derive(Debug, Clone, Copy)]
pub struct CalledTool<'a> {
    /// All tools of the server.
    pub catalog: &'a Catalog,
    /// Which tool plays which role.
    pub bindings: &'a [Binding],
    /// The tool that was called.
    pub tool: &'a Tool,
    /// Its class.
    pub class: Class,
    /// The folder for its calls.
    pub tool_files: &'a ToolFiles,
    /// Whether a git repository can be made in that folder.
    pub has_repository: bool,
    /// The server's root.
    pub workspace: &'a str,
    /// The arguments that the caller intended, if known: values of the tool's parameters that make a call
    /// succeed. No message needs to say what only a caller can know, such as which file is meant.
    pub meant: Option<&'a Value>,
}

/// Reads messages about calls of one tool.
#[derive(Debug)]
pub struct Reader<'a> {
    known: CalledTool<'a>,
    guard: Guard,
    root: Value,
    confirmer: OnceCell<Confirmer>,
}

/// The reader's next step, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// The next step.
    pub next: NextCall,
    /// The words of the message that it is based on.
    pub words: String,
    /// How certain these words are.
    pub basis: Basis,
}

/// How certain the words are on which a call is based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// They name the parameter and say outright what would be accepted: a listed value, a bound, an example.
    /// The call does exactly that.
    Stated,
    /// Part of the call is inferred.
    Inferred,
}

/// The reader's next step.
#[derive(Debug, Clone, PartialEq)]
pub enum NextCall {
    /// Call the tool with these values of its parameters.
    Arguments(Value),
    /// Call this tool, then repeat the refused call.
    Before(String),
}

impl<'a> Reader<'a> {
    /// A reader of messages about one tool's calls.
    pub fn new(known: CalledTool<'a>) -> Self {
        let fence = Fence::around(known.tool_files.folder(), known.class);
        let guard = Guard {
            fence,
            upstream: known.tool_files.upstream().map(str::to_owned),
            repository: format!("{}/{}", known.workspace, ToolFiles::REPOSITORY),
        };
        let root = known.tool.own_document().into_owned();
        Self { known, guard, root, confirmer: OnceCell::new() }
    }

    /// The next step, given the refused values of the tool's parameters and the texts of the refusal. `None` if
    /// they do not say what to change. `followed` are tools that were called first already.
    pub fn next(&self, sent: &Value, texts: &[&str], followed: &[String]) -> Option<Repair> {
        self.first_nexts(sent, texts, followed, 1).into_iter().next()
    }

    /// The next steps for each interpretation of the texts, the likeliest first, without duplicates.
    pub fn nexts(&self, sent: &Value, texts: &[&str], followed: &[String]) -> Vec<Repair> {
        self.first_nexts(sent, texts, followed, usize::MAX)
    }

    /// The calls with another value for one parameter, as its description says which it takes: read as if a message had said
    /// it of this parameter, but with no words of a message.
    pub fn described(&self, sent: &Value) -> Vec<Repair> {
        let slots = slots(&self.root, sent);
        let of_slot = |slot: &ArgumentSlot| {
            let description = slot.schema.get("description").and_then(Value::as_str)?;
            slot.sent_text().filter(|_| slot.place.len() == 1)?;
            let found = self.nexts(sent, &[&format!("'{}': {description}", slot.name)], &[]);
            let is_of_slot = |repair: &Repair| {
                let NextCall::Arguments(next) = &repair.next else { return false };
                let mut only = sent.clone();
                slot.value_in(next).is_some_and(|value| put(&mut only, &slot.place, value.clone()))
                    && only == *next
            };
            let inferred = |repair| Repair { basis: Basis::Inferred, words: String::new(), ..repair };
            Some(found.into_iter().filter(is_of_slot).map(inferred).collect::<Vec<_>>())
        };
        slots.iter().filter_map(of_slot).flatten().collect()
    }

    /// The first next steps, at most `most`; later ones are not computed.
    fn first_nexts(&self, sent: &Value, texts: &[&str], followed: &[String], most: usize) -> Vec<Repair> {
        let texts: Vec<&str> = texts.iter().take(TEXTS).map(|text| beginning(text)).collect();
        let tools: Vec<&str> = self.known.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
        for text in &texts {
            for reading in readings(text) {
                let first = before::first(&reading, &self.known.tool.name, &tools, self.known.bindings);
                if let Some((tool, at)) = first.filter(|(tool, _)| !followed.iter().any(|done| done == tool))
                {
                    let words = sentence(&reading, at.start);
                    let next = NextCall::Before(tool.to_owned());
                    return vec![Repair { next, words, basis: Basis::Inferred }];
                }
            }
        }
        let slots = slots(&self.root, sent);
        let parameters: Vec<&str> =
            slots.iter().filter(|slot| slot.is_known()).map(|slot| slot.name.as_str()).collect();
        let known = &self.known;
        let around = RepairContext {
            parameters: &parameters,
            tools: &tools,
            called: &known.tool.name,
            sent,
            meant: known.meant,
            advises: false,
        };
        for text in &texts {
            let advises = known.meant.is_some() && context::advises(known, sent, text);
            let around = RepairContext { advises, ..around };
            let untold = untold_members(text, &slots);
            let slots = if untold.is_empty() {
                Cow::Borrowed(&slots)
            } else {
                Cow::Owned([slots.clone(), untold].concat())
            };
            let of_lists = std::iter::once(listed_changes(text, &slots, around));
            let stated = readings_of(text).into_iter().flat_map(|reading| {
                requested_changes(&reading, &slots, around).into_iter().take(ALTERNATIVES)
            });
            let mut found: Vec<Repair> = Vec::new();
            for repair in of_lists.chain(stated).flat_map(|changes| self.applied(sent, text, &changes)) {
                if !found.iter().any(|known| known.next == repair.next) {
                    found.push(repair);
                }
                if found.len() >= most {
                    break;
                }
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The arguments with all changes that a text asks for; if a change allows several values, a call for each.
    fn applied(&self, sent: &Value, text: &str, changes: &[ParameterChange<'_>]) -> Vec<Repair> {
        if let [ParameterChange { slot, requested, words }] = changes
            && matches!(
                requested,
                RequestedChange::Examples(_) | RequestedChange::OneOf(_) | RequestedChange::Path(_)
            )
        {
            let made = self.candidates(slot, requested).into_iter().take(VALUES);
            let calls = made.filter_map(|value| {
                let basis = match changes[0].is_stated_by(text, &value) {
                    true => Basis::Stated,
                    false => Basis::Inferred,
                };
                let mut next = sent.clone();
                let is_put = put(&mut next, &slot.place, value) && next != *sent;
                let is_barred = self.is_worse(sent, &next) || self.is_against_schema(&next, &changes[0]);
                (is_put && !is_barred).then(|| Repair {
                    next: NextCall::Arguments(next),
                    words: words.clone(),
                    basis,
                })
            });
            return calls.collect();
        }
        self.applied_at_once(sent, text, changes).into_iter().collect()
    }

    fn applied_at_once(&self, sent: &Value, text: &str, changes: &[ParameterChange<'_>]) -> Option<Repair> {
        let mut next = sent.clone();
        let mut words: Vec<String> = Vec::new();
        let mut are_stated = true;
        for change in changes {
            let ParameterChange { slot, requested, words: sentence } = change;
            let mut chosen = Value::Null;
            let changed = match requested {
                RequestedChange::Absent => take(&mut next, &slot.place).is_some(),
                RequestedChange::Renamed(name) => rename(&mut next, &slot.place, name),
                requested => {
                    let made = self.candidates(slot, requested);
                    let fits = |value: &&Value| {
                        let mut tried = next.clone();
                        put(&mut tried, &slot.place, (*value).clone())
                            && !self.is_worse(&next, &tried)
                            && !self.is_against_schema(&tried, change)
                    };
                    made.iter().find(fits).cloned().is_some_and(|value| {
                        chosen.clone_from(&value);
                        put(&mut next, &slot.place, value)
                    })
                }
            };
            are_stated &= !changed || change.is_stated_by(text, &chosen);
            if changed && !words.contains(sentence) {
                words.push(sentence.clone());
            }
        }
        let basis = if are_stated { Basis::Stated } else { Basis::Inferred };
        (next != *sent && !words.is_empty() && !self.is_worse(sent, &next)).then(|| Repair {
            next: NextCall::Arguments(next),
            words: words.join("; "),
            basis,
        })
    }

    /// Whether the schema forbids something in `after` that it allowed in `before`.
    fn is_worse(&self, before: &Value, after: &Value) -> bool {
        self.forbids(after) && !self.forbids(before)
    }

    /// Whether the schema forbids what a message's own words have put in a place: they are misread, or another rule's.
    fn is_against_schema(&self, after: &Value, change: &ParameterChange<'_>) -> bool {
        change.requested.is_of_message() && self.forbids(after) && {
            let tool = self.known.tool;
            let pointer = change.slot.pointer(tool.wrapper());
            self.confirmer().forbids_at(&tool.wrap(after.clone()), &pointer)
        }
    }

    fn forbids(&self, own: &Value) -> bool {
        self.confirmer().ruling(&self.known.tool.wrap(own.clone())) == Ruling::Forbids
    }

    fn confirmer(&self) -> &Confirmer {
        self.confirmer.get_or_init(|| Confirmer::new(&self.known.tool.input_schema))
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}
