//! The possible interpretations of a message, each a set of changes.
//!
//! The main functions are [`requested_changes`], for sentences, and [`listed_changes`], for a validator's list.

use serde_json::Value;

use super::context::RepairContext;
use super::instruction::bracketed;
use super::instruction::{required, stated_changes, unwanted};
use super::requested::ParameterChange;
use super::requested::{RequestedChange, RequestedPath, StatedChange};
use super::shown::shows;
use super::slot::ArgumentSlot;
use super::{agree, path, subject, validation};
use crate::pattern;
use crate::wording::escape::readings;
use crate::wording::{excerpt, passages};

/// At most this many passages of a text are read.
const TEXTS: usize = 8;

/// The changes that a validator's list asks for.
pub(super) fn listed_changes<'s>(
    text: &str,
    slots: &'s [ArgumentSlot],
    around: RepairContext<'_>,
) -> Vec<ParameterChange<'s>> {
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
            changes.extend(unwanted.map(|slot| ParameterChange {
                slot,
                requested: RequestedChange::Absent,
                words: words.clone(),
            }));
        }
        let Some(slot) = validation::slot_at(&issue.path, slots) else { continue };
        let requested = issue
            .requested
            .or_else(|| Some(stated_changes(&issue.message, slot, around).into_iter().next()?.0))
            .or_else(|| validation::bound_of(text, slot));
        changes.extend(requested.map(|requested| ParameterChange { slot, requested, words }));
    }
    changes
}

/// The changes that sentences ask for, for each possible interpretation, the likeliest first.
pub(super) fn requested_changes<'s>(
    reading: &ReplyPiece,
    slots: &'s [ArgumentSlot],
    around: RepairContext<'_>,
) -> Vec<Vec<ParameterChange<'s>>> {
    let text = reading.text.as_str();
    if reading.is_document {
        // The keys of a document are not part of a sentence.
        let mut ways = of_text(text, slots, around);
        ways.retain(|way| way.iter().all(|change| matches!(change.requested, RequestedChange::OneOf(_))));
        return ways;
    }
    let named = named(&subject::ranked(text, slots));
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

/// The interpretations of one sentence, or of several about one thing, the likeliest first.
fn of_text<'s>(
    text: &str,
    slots: &'s [ArgumentSlot],
    around: RepairContext<'_>,
) -> Vec<Vec<ParameterChange<'s>>> {
    let ranked = subject::ranked(text, slots);
    let unknown: Vec<ParameterChange<'s>> = named(&ranked)
        .into_iter()
        .filter_map(|slot| Some(change(text, slot, unwanted(text, slot, around)?)))
        .collect();
    if !unknown.is_empty() {
        return vec![unknown];
    }
    let mut ways = of_sizes(text, slots);
    for (score, slot) in &ranked {
        for stated in stated_changes(text, slot, around) {
            match stated.0 {
                // If one argument is missing, others may be missing too.
                RequestedChange::Given if *score >= subject::NAMED => {
                    ways.push(of_lacking(text, slots, &named(&ranked), around, &stated));
                }
                RequestedChange::Given if *score < subject::WORDS => {}
                // A value that was refused for one parameter is no better for another.
                RequestedChange::OneOf(_) | RequestedChange::Path(_) => {
                    let alike = ranked
                        .iter()
                        .filter(|(other, of)| other == score && of.sent == slot.sent && of.sent.is_some());
                    let all: Vec<ParameterChange<'s>> =
                        alike.map(|(_, slot)| change(text, slot, stated.clone())).collect();
                    if all.len() > 1 {
                        ways.push(all);
                    }
                    ways.push(vec![change(text, slot, stated)]);
                }
                _ => ways.push(vec![change(text, slot, stated)]),
            }
        }
    }
    if ranked.is_empty() {
        ways.extend(of_unnamed(text, slots, around));
    }
    let rest: Vec<&'s ArgumentSlot> =
        slots.iter().filter(|slot| !ranked.iter().any(|(_, other)| other.place == slot.place)).collect();
    ways.extend(of_paths(text, slots, &rest, around));
    if text.to_ascii_lowercase().contains("at least one ") {
        let open = slots.iter().find(|slot| slot.place.len() == 1 && slot.is_known() && slot.sent.is_none());
        ways.extend(open.map(|slot| vec![change(text, slot, (RequestedChange::Given, 0..0))]));
    }
    ways
}

/// The arguments that a text names, by their scores.
fn named<'s>(ranked: &[(u32, &'s ArgumentSlot)]) -> Vec<&'s ArgumentSlot> {
    ranked.iter().filter(|(score, _)| *score >= subject::NAMED).map(|(_, slot)| *slot).collect()
}

/// A requested change, with the sentence that asks for it.
fn change<'s>(text: &str, slot: &'s ArgumentSlot, (requested, at): StatedChange) -> ParameterChange<'s> {
    ParameterChange { slot, requested, words: sentence(text, at.start) }
}

/// Lists that must have equal length.
fn of_sizes<'s>(text: &str, slots: &'s [ArgumentSlot]) -> Vec<Vec<ParameterChange<'s>>> {
    let Some((agreeing, at)) = agree::sizes(text, slots) else { return Vec::new() };
    let changed =
        |(slot, requested): (&'s ArgumentSlot, RequestedChange)| change(text, slot, (requested, at.clone()));
    agreeing.into_iter().map(|way| way.into_iter().map(changed).collect()).collect()
}

/// The missing arguments: those that are named, and those in a call that the message shows.
fn of_lacking<'s>(
    text: &str,
    slots: &'s [ArgumentSlot],
    named: &[&'s ArgumentSlot],
    around: RepairContext<'_>,
    stated: &StatedChange,
) -> Vec<ParameterChange<'s>> {
    let mut lacking = missing(text, named);
    let is_shown =
        |slot: &&ArgumentSlot| slot.is_required && slot.sent.is_none() && shows(text, slot, around);
    for slot in slots.iter().filter(is_shown) {
        if !lacking.iter().any(|change| change.slot.place == slot.place) {
            lacking.push(change(text, slot, (RequestedChange::Given, stated.1.clone())));
        }
    }
    lacking
}

/// What a text about a path asks for if it names none of `rest`: for the parameter that takes a folder, and for
/// the only path that was sent.
fn of_paths<'s>(
    text: &str,
    slots: &'s [ArgumentSlot],
    rest: &[&'s ArgumentSlot],
    around: RepairContext<'_>,
) -> Vec<Vec<ParameterChange<'s>>> {
    let mut ways = Vec::new();
    for slot in rest.iter().filter(|slot| slot.place.len() == 1 && path::may_be_repository(slot)) {
        let stated = path::stated_change(text, slot)
            .filter(|(requested, _)| *requested == RequestedChange::Path(RequestedPath::Repository));
        ways.extend(stated.map(|stated| vec![change(text, slot, stated)]));
    }
    let mut sent_paths = slots.iter().filter(|slot| slot.is_path() && slot.sent.is_some());
    if let (Some(slot), None) = (sent_paths.next(), sent_paths.next())
        && rest.iter().any(|other| other.place == slot.place)
    {
        let stated = path::stated_change(text, slot).filter(|stated| around.can_make(&stated.0));
        ways.extend(stated.map(|stated| vec![change(text, slot, stated)]));
    }
    ways
}

/// What a list of allowed values asks for if it names no parameter: for all the texts that it may be about
/// together, and for each alone.
fn of_unnamed<'s>(
    text: &str,
    slots: &'s [ArgumentSlot],
    around: RepairContext<'_>,
) -> Vec<Vec<ParameterChange<'s>>> {
    let is_text = |slot: &&ArgumentSlot| {
        slot.place.len() == 1 && slot.is_known() && slot.sent.as_ref().is_some_and(Value::is_string)
    };
    let meant = slots.iter().filter(is_text);
    let meant: Vec<(&'s ArgumentSlot, StatedChange)> =
        meant.filter_map(|slot| Some((slot, bracketed(text, slot, around)?))).take(TEXTS).collect();
    let change = |(slot, stated): &(&'s ArgumentSlot, StatedChange)| change(text, slot, stated.clone());
    let all = (meant.len() > 1).then(|| meant.iter().map(change).collect());
    all.into_iter().chain(meant.iter().map(|one| vec![change(one)])).collect()
}

/// The parameters that a sentence calls missing; if one of several is enough, the first.
fn missing<'s>(text: &str, named: &[&'s ArgumentSlot]) -> Vec<ParameterChange<'s>> {
    let lacking = named.iter().filter_map(|slot| Some(change(text, slot, required(text, slot)?)));
    let mut lacking: Vec<ParameterChange<'s>> = lacking.collect();
    let lower = text.to_ascii_lowercase();
    if ["either ", " or ", "at least one", "one of", "any of"].iter().any(|word| lower.contains(word)) {
        lacking.sort_by_key(|change| text.find(change.slot.name.as_str()));
        lacking.truncate(1);
    }
    lacking
}

/// Of parameters that exclude each other, the last optional one.
fn too_many<'s>(text: &str, named: &[&'s ArgumentSlot]) -> Option<ParameterChange<'s>> {
    let sent: Vec<&&ArgumentSlot> = named.iter().filter(|slot| slot.sent.is_some()).collect();
    if sent.len() < 2 {
        return None;
    }
    let found = pattern!("name/exclusive").find(text)?;
    let slot = sent.iter().rev().find(|slot| !slot.is_required)?;
    Some(change(text, slot, (RequestedChange::Absent, found.range())))
}

/// A part of a reply as a reader sees it.
pub(super) struct ReplyPiece {
    text: String,
    /// Whether it is JSON, where neighbouring words are not parts of one sentence.
    is_document: bool,
}

/// The parts of a text to read: for JSON its strings one by one, and the whole with its escapes resolved.
pub(super) fn readings_of(text: &str) -> Vec<ReplyPiece> {
    let sentence = |text: String| ReplyPiece { text, is_document: false };
    let strings = passages(text);
    let is_document = strings.iter().any(|passage| passage.key.is_some());
    let mut read: Vec<ReplyPiece> = strings
        .iter()
        .filter(|passage| is_document && passage.key.is_some() && !passage.names_a_kind())
        .map(|passage| passage.text.clone().into_owned())
        .filter(|text| text.contains(' '))
        .take(TEXTS)
        .map(sentence)
        .collect();
    if read.len() > 1 {
        // The problem and the advice often stand side by side in separate members.
        let ended = |text: &str| format!("{}.", text.trim_end().trim_end_matches('.'));
        let all: Vec<String> = read.iter().map(|reading| ended(&reading.text)).collect();
        read.insert(0, sentence(all.join(" ")));
    }
    let whole = readings(text).last().map_or_else(|| text.to_owned(), |last| last.clone().into_owned());
    let whole = if is_document { whole.split_whitespace().collect::<Vec<_>>().join(" ") } else { whole };
    read.push(ReplyPiece { text: whole, is_document });
    read
}

/// The sentence at a position of a text, for quoting.
pub(super) fn sentence(text: &str, at: usize) -> String {
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
