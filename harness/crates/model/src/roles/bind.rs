//! Which tool of a server plays which role.
//!
//! The main function is [`bind`]. A tool must fit by its name, or by a value that one of its parameters offers,
//! and by its schema: every required parameter of the role must have a place, and every other required argument
//! of the tool must be fillable. Nothing is sent to find out.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::catalog::{Catalog, Tool};

use super::batch;
use super::fill::fill;
use super::fit::{Fit, by_choice, by_name};
use super::reason::{demanded, within};
use super::slot::{Kind, Slot, slots};
use super::vocabulary::{VOCABULARY, pairs, parameter};
use super::{Binding, Role};

/// The tool for each role that has one: the best, or the first listed of equally good ones.
pub fn bind(catalog: &Catalog) -> Vec<Binding> {
    Role::PLAYED.into_iter().filter_map(|role| best(role, catalog)).collect()
}

fn best(role: Role, catalog: &Catalog) -> Option<Binding> {
    let mut best: Option<(i32, Binding)> = None;
    for (score, binding) in catalog.tools.iter().filter_map(|tool| candidate(role, tool)) {
        if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
            best = Some((score, binding));
        }
    }
    best.map(|(_, binding)| binding)
}

/// How well a tool fits a role; `None` if it does not.
fn candidate(role: Role, tool: &Tool) -> Option<(i32, Binding)> {
    if !role.members("edits").is_empty() {
        return batch::candidate(role, tool);
    }
    let slots = slots(tool);
    let Fit { mut score, why, choice } =
        by_choice(role, tool, &slots).or_else(|| by_name(role, tool, &slots))?;
    let mut fixed = Map::new();
    if let Some((selector, value)) = &choice {
        fixed.insert(selector.clone(), Value::String(value.clone()));
    }
    let free: Vec<_> =
        slots.iter().filter(|slot| slot.array.is_some() || !fixed.contains_key(&slot.name)).collect();
    let places = places(role, &free)?;
    if role == Role::Grep
        && let Some(flag) = free
            .iter()
            .find(|slot| slot.kind == Kind::Flag && VOCABULARY.regex_flag.contain(&slot.plain_name()))
    {
        fixed.insert(flag.name.clone(), Value::Bool(true));
    }
    // A required time limit is filled in anyway, because not every case gives one.
    let given = places.iter().filter(|(name, _)| *name != "timeout");
    let filled: Vec<_> = given.map(|(_, slot)| (slot.array, slot.name.as_str())).collect();
    let chosen = fixed.len();
    fill(tool, &filled, &mut fixed)?;
    score -= 5 * i32::try_from(fixed.len() - chosen).unwrap_or(i32::MAX);
    score -= 20 * i32::from(places.iter().any(|(_, slot)| slot.array.is_some() || slot.items));
    let why = [why, within(tool), meaning(role, &places), demanded(&fixed, chosen)].concat();
    let numbers = places
        .iter()
        .filter(|(name, slot)| slot.kind == Kind::Number && *name != "timeout")
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let milliseconds = milliseconds(&places);
    let mut parameters =
        places.into_iter().map(|(name, slot)| (name.to_owned(), slot.path())).collect::<BTreeMap<_, _>>();
    parameters.extend(range(role, &free));
    let wrapper = tool.wrapper().map(str::to_owned);
    let tool = tool.name.clone();
    Some((score, Binding { role, tool, parameters, wrapper, fixed, numbers, milliseconds, why }))
}

/// The parameters that the tool takes in milliseconds.
pub(super) fn milliseconds(places: &Places<'_, '_>) -> Vec<String> {
    let timeout = places.iter().find(|(name, _)| *name == "timeout");
    let milliseconds = timeout.filter(|(_, slot)| unit(slot) == Some(Unit::Milliseconds));
    milliseconds.map(|(name, _)| (*name).to_owned()).into_iter().collect()
}

/// The unit of a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Seconds,
    Milliseconds,
}

/// The unit of a tool's time limit, if its description gives one unambiguously.
fn unit(slot: &Slot<'_>) -> Option<Unit> {
    let said = format!("{} {}", slot.plain_name(), slot.description().to_lowercase());
    let default = slot.schema.get("default").and_then(Value::as_f64);
    let has = |word: &str| said.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word);
    if said.contains("millisecond") || said.contains("timeoutms") || has("ms") {
        Some(Unit::Milliseconds)
    } else if said.contains("second") || said.contains("secs") || has("s") {
        Some(Unit::Seconds)
    } else {
        default.map(|default| if default >= 1000.0 { Unit::Milliseconds } else { Unit::Seconds })
    }
}

/// The places of the first and the last line of a range: the two elements of an array, or two numbers.
pub(super) fn range<'t>(role: Role, slots: &[&Slot<'t>]) -> Vec<(String, String)> {
    let pair = |first: String, last: String| vec![("start".to_owned(), first), ("end".to_owned(), last)];
    if !matches!(role, Role::Read | Role::Blame) {
        return Vec::new();
    }
    let of_numbers = |slot: &&&Slot<'t>| {
        let items = slot.schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
        VOCABULARY.range.contain(&slot.plain_name()) && matches!(items, Some("integer" | "number"))
    };
    if let Some(slot) = slots.iter().find(of_numbers) {
        return pair(format!("{}[0]", slot.name), format!("{}[1]", slot.name));
    }
    let number = |name: &str| {
        let known = parameter(role, name);
        let fits = |slot: &&&Slot<'t>| {
            slot.kind == Kind::Number && slot.array.is_none() && known.contains(&&*slot.plain_name())
        };
        slots.iter().find(fits).map(|slot| slot.path())
    };
    number("start").zip(number("end")).map(|(first, last)| pair(first, last)).unwrap_or_default()
}

pub(super) type Places<'s, 't> = Vec<(&'static str, &'s Slot<'t>)>;

/// The place of each of the role's parameters, in order; `None` if a required one has no place.
fn places<'s, 't>(role: Role, slots: &[&'s Slot<'t>]) -> Option<Places<'s, 't>> {
    let pair = if role == Role::Replace { Some(pair(slots)?) } else { None };
    let mut places = Vec::new();
    for name in role.parameters() {
        // The two ends of a range are found together.
        if matches!(*name, "start" | "end") {
            continue;
        }
        let place = match (*name, pair) {
            ("old", Some((old, _))) => Some(old),
            ("new", Some((_, new))) => Some(new),
            _ => place(role, name, slots),
        };
        match place {
            Some(place) => places.push((*name, place)),
            None if role.required().contains(name) => return None,
            None => {}
        }
    }
    Some(places)
}

pub(super) fn place<'s, 't>(role: Role, name: &str, slots: &[&'s Slot<'t>]) -> Option<&'s Slot<'t>> {
    let fits = |slot: &Slot<'_>| match name {
        "background" | "all" => slot.kind == Kind::Flag,
        "timeout" => slot.kind == Kind::Number && unit(slot).is_some(),
        "task" => matches!(slot.kind, Kind::Text | Kind::Number | Kind::Any),
        _ => matches!(slot.kind, Kind::Text | Kind::Any),
    };
    // A tool's own parameter takes precedence over a member of an array's items, whatever their names.
    let named = |nested: bool| {
        let known = parameter(role, name).iter();
        known.flat_map(move |known| {
            slots.iter().filter(move |slot| slot.array.is_some() == nested && slot.plain_name() == *known)
        })
    };
    // Besides its pattern, a search of contents may take a glob that selects files.
    let glob = |slot: &&&Slot<'_>| {
        (role, name) == (Role::Grep, "pattern") && slot.description().to_lowercase().contains("glob")
    };
    let mut found: Vec<_> = named(false).chain(named(true)).filter(|slot| fits(slot)).collect();
    found.sort_by_key(glob);
    found.first().map(|slot| **slot)
}

/// The places of an old and a new text that belong together.
pub(super) fn pair<'s, 't>(slots: &[&'s Slot<'t>]) -> Option<(&'s Slot<'t>, &'s Slot<'t>)> {
    let text = |slot: &&&'s Slot<'t>, name: &str| {
        slot.plain_name() == name && matches!(slot.kind, Kind::Text | Kind::Any) && !slot.items
    };
    pairs().iter().find_map(|(old, new)| {
        let old = slots.iter().find(|slot| text(slot, old))?;
        let new = slots.iter().find(|slot| text(slot, new) && slot.array == old.array)?;
        Some((*old, *new))
    })
}

/// The meaning of the places, in words for the user.
pub(super) fn meaning(role: Role, places: &Places<'_, '_>) -> String {
    let path = |name: &str| {
        let found = places.iter().find(|(known, _)| *known == name);
        found.map(|(_, slot)| format!("`{}`", slot.path()))
    };
    let said = |name: &str, meaning: &str| path(name).map(|path| format!("{path} {meaning}"));
    let said: Vec<_> = match role {
        Role::Shell => vec![said("command", "is a command"), said("background", "runs it as a task")],
        Role::TaskOutput => vec![said("task", "is a task's id")],
        Role::Read => vec![said("path", "is a file's path")],
        Role::Write => vec![said("path", "is a file's path"), said("content", "is its content")],
        Role::Replace => vec![
            path("old")
                .zip(path("new"))
                .map(|(old, new)| format!("{old} and {new} are an old and a new text")),
            said("all", "replaces all"),
        ],
        Role::Grep => {
            vec![said("pattern", "is searched for in files"), said("mode", "is the output mode")]
        }
        Role::Glob => vec![said("pattern", "is searched for in names"), said("type", "filters by type")],
        Role::Blame => vec![said("path", "is the path of a file with commits")],
        Role::History => vec![said("path", "is the path of a file with commits")],
        Role::Http => vec![said("url", "is an address")],
        Role::Reserve | Role::Release => {
            vec![said("agent", "is who requests it"), said("pattern", "is what is requested")]
        }
        Role::MultiEdit | Role::MultiEditFiles | Role::Absent => Vec::new(),
    };
    said.into_iter().flatten().map(|said| format!("; {said}")).collect()
}
