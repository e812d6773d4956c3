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
use super::reason::{BY_HAND, demanded, known, unfilled, unplaced, within};
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
    let mut fixed: Map<String, Value> = choice.into_iter().collect();
    let free = free(&slots, &fixed);
    let places = places(role, tool, &free, &BTreeMap::new()).ok()?;
    if role == Role::Grep
        && let Some(flag) = free
            .iter()
            .find(|slot| slot.kind == Kind::Flag && VOCABULARY.regex_flag.contain(&slot.plain_name()))
    {
        fixed.insert(flag.name.clone(), Value::Bool(true));
    }
    let chosen = fixed.len();
    let binding = binding(role, tool, &free, &places, fixed, &why).ok()?;
    score -= 5 * i32::try_from(binding.fixed.len() - chosen).unwrap_or(i32::MAX);
    score -= 20 * i32::from(places.iter().any(|(_, slot)| slot.array.is_some() || slot.items));
    Some((score, binding))
}

/// The tool that the configuration names; the places given there take precedence over those found in the schema.
pub(super) fn by_hand(role: Role, tool: &Tool, said: &BTreeMap<String, String>) -> Result<Binding, String> {
    if !role.members("edits").is_empty() {
        return batch::by_hand(role, tool, said);
    }
    let slots = slots(tool);
    // A tool with several roles is told by a parameter of its own which one is meant.
    let choice = by_choice(role, tool, &slots).and_then(|fit| fit.choice);
    let fixed: Map<String, Value> = choice.into_iter().collect();
    let free = free(&slots, &fixed);
    let places = places(role, tool, &free, said)?;
    binding(role, tool, &free, &places, fixed, BY_HAND)
}

/// The slots whose values are not fixed.
fn free<'s, 't>(slots: &'s [Slot<'t>], fixed: &Map<String, Value>) -> Vec<&'s Slot<'t>> {
    slots.iter().filter(|slot| slot.array.is_some() || !fixed.contains_key(&slot.name)).collect()
}

/// The binding of a tool to the role's places. `fixed` are the arguments that make the tool do this and not something
/// else, `why` is the beginning of the reason.
///
/// # Errors
/// If the tool requires an argument for which there is no fair value.
fn binding(
    role: Role,
    tool: &Tool,
    slots: &[&Slot<'_>],
    places: &Places<'_, '_>,
    mut fixed: Map<String, Value>,
    why: &str,
) -> Result<Binding, String> {
    // A required time limit is filled in anyway, because not every case gives one.
    let given = places.iter().filter(|(name, _)| *name != "timeout");
    let filled: Vec<_> = given.map(|(_, slot)| (slot.array, slot.name.as_str())).collect();
    let chosen = fixed.len();
    fill(tool, &filled, &mut fixed).ok_or_else(|| unfilled(tool))?;
    let names = |is_one: &dyn Fn(&str, &Slot<'_>) -> bool| -> Vec<String> {
        let ones = places.iter().filter(|(name, slot)| is_one(name, slot));
        ones.map(|(name, _)| (*name).to_owned()).collect()
    };
    let found = range(role, slots).into_iter();
    Ok(Binding {
        wrapper: tool.wrapper().map(str::to_owned),
        numbers: names(&|name, slot| name != "timeout" && slot.kind == Kind::Number),
        milliseconds: names(&|name, slot| name == "timeout" && unit(slot) == Some(Unit::Milliseconds)),
        why: [why.to_owned(), within(tool), meaning(role, places), demanded(&fixed, chosen)].concat(),
        fixed,
        ..Binding::of(
            role,
            &tool.name,
            found.chain(places.iter().map(|(name, slot)| ((*name).to_owned(), slot.path()))),
        )
    })
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
fn range<'t>(role: Role, slots: &[&Slot<'t>]) -> Vec<(String, String)> {
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

type Places<'s, 't> = Vec<(&'static str, &'s Slot<'t>)>;

/// The place of each of the role's parameters, in order: the one that is `said`, or else the one found.
///
/// # Errors
/// If a required parameter has no place, or the tool has no place that is said.
fn places<'s, 't>(
    role: Role,
    tool: &Tool,
    slots: &[&'s Slot<'t>],
    said: &BTreeMap<String, String>,
) -> Result<Places<'s, 't>, String> {
    let pair = if role == Role::Replace { pair(slots) } else { None };
    let mut places = Vec::new();
    for name in role.parameters() {
        let found = match (said.get(*name), *name, pair) {
            // The two ends of a range are found together.
            (None, "start" | "end", _) => continue,
            (Some(path), ..) => {
                let slot = slots.iter().find(|slot| slot.path() == *path);
                Some(*slot.ok_or_else(|| {
                    let paths: Vec<String> = slots.iter().map(|slot| slot.path()).collect();
                    format!("`{}` has no parameter `{path}`{}", tool.name, known(path, &paths))
                })?)
            }
            (None, "old", Some((old, _))) => Some(old),
            (None, "new", Some((_, new))) => Some(new),
            (None, ..) => place(role, name, slots),
        };
        match found {
            Some(slot) => places.push((*name, slot)),
            None if role.required().contains(name) => return Err(unplaced(tool, name)),
            None => {}
        }
    }
    Ok(places)
}

fn place<'s, 't>(role: Role, name: &str, slots: &[&'s Slot<'t>]) -> Option<&'s Slot<'t>> {
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
fn pair<'s, 't>(slots: &[&'s Slot<'t>]) -> Option<(&'s Slot<'t>, &'s Slot<'t>)> {
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
fn meaning(role: Role, places: &Places<'_, '_>) -> String {
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
