//! Odd values: labelled changes of valid arguments that have found real faults.
//!
//! The main functions are [`change`] and [`turn`]. Which changes fit a place depends on the value there and on its node; texts, paths,
//! patterns and numbers come from `changes.toml`. The validator decides whether a schema forbids the result.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::catalogue::{Make, OddRow, filled_text, odd};
use super::compiled::{Node, NodeId, Others, SchemaType, TextRole};
use super::edit::{Edit, number};
use super::fence::TextUse;
use super::place::ValuePlace;
use super::rng::Rng;
use super::valid::{ValueDrawer, executable_value};
use crate::json::texts;

/// How often a path is drawn again that leads out of the folder.
const AGAIN: usize = 8;
/// Arrays and texts do not grow longer than this.
const LONG: f64 = 65_537.0;
/// Lengths near common limits.
const LENGTHS: [usize; 13] = [63, 64, 65, 127, 128, 255, 256, 257, 1_000, 1_024, 4_095, 4_096, 4_097];
/// Letters that are added to a text.
const LETTERS: [char; 12] =
    ['/', '\0', '\n', '%', '{', '"', '\\', '\u{e9}', '\u{301}', '\u{202e}', '\u{1f600}', ' '];
/// Names that no tool has, and some that are special in a language.
const EXTRA: [&str; 8] =
    ["no_such_argument", "__proto__", "constructor", "toString", "", "length", "a.b", "no such argument"];
/// Numbers of items near common limits.
const COUNTS: [usize; 7] = [10, 33, 100, 101, 256, 1_000, 1_001];
/// Depths that JSON libraries of most languages still read.
const DEPTHS: [usize; 5] = [8, 20, 32, 64, 100];
/// Depths that some JSON libraries do not read.
const ABYSS: [usize; 3] = [130, 600, 1_100];
/// A name that only made-up errors contain: a file with one may have been edited by other calls since.
const MADE_UP_PLACE: &str = "no-such-place";

/// Values of all types.
pub(super) static OF_ALL_TYPES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let other = json!([20, [], {}, "twelve", true, 1.5, null, ["alpha"], {"alpha": 1}, [[]], false, [null], {"toString": null}]);
    other.as_array().cloned().unwrap_or_default()
});

/// A change that is still to be applied.
#[derive(Debug)]
pub(super) struct OddChange {
    /// The schema keyword that it violates, or the name of the change.
    pub(super) keyword: &'static str,
    pub(super) label: String,
    pub(super) edit: Edit,
}

impl OddChange {
    fn new(keyword: &'static str, label: impl Into<String>, edit: Edit) -> Self {
        Self { keyword, label: label.into(), edit }
    }

    fn set(keyword: &'static str, label: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::new(keyword, label, Edit::Set(value.into()))
    }
}

/// One of the ways to change the value at a place.
pub(super) type Ways = fn(&mut ValueDrawer<'_>, &Value, &ValuePlace) -> OddChange;

/// A slight change of a number or a text, so that it stays near to what it is; any other value is changed as by [`change`].
pub(super) fn turn(drawer: &mut ValueDrawer<'_>, value: &Value, place: &ValuePlace) -> OddChange {
    let rng = &mut *drawer.rng;
    match value {
        Value::Number(current) => {
            let before = current.as_f64().unwrap_or_default();
            let (label, after) = match rng.below(8) {
                0 => ("one more", before + 1.0),
                1 => ("one less", before - 1.0),
                2 => ("twice", before * 2.0),
                3 => ("half", (before / 2.0).trunc()),
                4 => ("ten times", before * 10.0),
                5 => ("a tenth", (before / 10.0).trunc()),
                6 => ("negative", -before),
                _ => ("some more", before + (before.abs() * rng.fraction()).trunc()),
            };
            OddChange::set("turned", label, number(after))
        }
        Value::String(text) => {
            let (before, after) = text.split_at(text.floor_char_boundary(rng.below(text.len() + 1)));
            let (half, rest) = text.split_at(text.floor_char_boundary(text.len() / 2));
            let letter = |rng: &mut Rng| LETTERS[rng.below(LETTERS.len())];
            let (label, after) = match rng.below(8) {
                0 => ("one letter more", format!("{before}{}{after}", letter(rng))),
                1 => ("one letter less", before.chars().chain(after.chars().skip(1)).collect()),
                2 => ("half", half.to_owned()),
                3 => ("the other half", rest.to_owned()),
                4 if text.len() < 8_192 => ("twice", text.repeat(2)),
                5 => ("in large letters", text.to_uppercase()),
                6 => ("an odd letter at its end", format!("{text}{}", letter(rng))),
                _ => ("a few letters more", format!("{}{text}", "a".repeat(1 + rng.below(8)))),
            };
            OddChange::set("turned", label, after)
        }
        _ => change(drawer, value, place),
    }
}

/// A random odd change of the value at a place. An executable value only changes its type, is left out, is
/// empty, or is drawn from its harmless grammar.
pub(super) fn change(drawer: &mut ValueDrawer<'_>, value: &Value, place: &ValuePlace) -> OddChange {
    let compiled = &drawer.generator.compiled;
    let node = place.node.map(|id| compiled.node(id));
    let missing = || OddChange::new("required", "left out", Edit::Remove);
    let null = || OddChange::set("type", format!("{} -> null", type_name(value)), Value::Null);
    if let Some((executable, schema)) = place.executable.and_then(|id| compiled.node(id).executable.as_ref())
    {
        return match drawer.rng.below(8) {
            0 if place.is_member() => missing(),
            1 => null(),
            2 => wrong_type(drawer.rng, value, node, |other| !has_text(other)),
            3 if value.is_string() => OddChange::set("empty", "an empty string", ""),
            3 if value.is_array() => OddChange::set("empty", "an empty array", json!([])),
            _ => {
                let drawn = executable_value(*executable, schema, &drawer.generator.tool_files, drawer.rng);
                OddChange::set("harmless", "another harmless value", drawn)
            }
        };
    }
    match drawer.rng.below(20) {
        0 if place.is_member() => return missing(),
        1 => return null(),
        2 | 3 => return wrong_type(drawer.rng, value, node, |_| true),
        4 if drawer.rng.one_in(4) => return deep(drawer.rng),
        5 if place.is_member() && drawer.rng.one_in(3) => return twice(drawer.rng, value),
        _ => {}
    }
    match value {
        Value::Number(number) => of_sort(drawer, "number", &number.to_string(), node),
        Value::String(text) => of_text(drawer, text, node),
        Value::Array(items) => list(drawer, items, place.node),
        Value::Object(members) => of_members(drawer, members, node),
        Value::Bool(flag) => match drawer.rng.below(3) {
            0 => OddChange::set("type", "boolean -> string", flag.to_string()),
            1 => OddChange::set("type", "boolean -> integer", u8::from(*flag)),
            _ => OddChange::set("flipped", "negated", !flag),
        },
        Value::Null => match node.and_then(|node| node.kinds.first()) {
            Some(SchemaType::Integer | SchemaType::Number) => of_sort(drawer, "number", "0", node),
            _ => of_text(drawer, "alpha", node),
        },
    }
}

fn of_text(drawer: &mut ValueDrawer<'_>, current: &str, node: Option<&Node>) -> OddChange {
    let is_closed = node.is_some_and(|node| !node.closed.is_empty());
    let sort = match node.map(|node| node.text.role).unwrap_or_default() {
        _ if is_closed && !drawer.rng.one_in(4) => "closed",
        TextRole::Path => return of_path(drawer, current, node),
        TextRole::Glob if !drawer.rng.one_in(3) => "glob",
        TextRole::Pattern if !drawer.rng.one_in(3) => "regex",
        _ => "text",
    };
    of_sort(drawer, sort, current, node)
}

/// An odd path that stays in the folder.
fn of_path(drawer: &mut ValueDrawer<'_>, current: &str, node: Option<&Node>) -> OddChange {
    let fence = &drawer.generator.fence;
    let is_usable = !current.is_empty() && fence.allows(current, TextUse::Path) && current.len() < 4_096;
    let current = if is_usable { current } else { fence.folder() };
    let stays = |change: &OddChange| match &change.edit {
        Edit::Set(Value::String(path)) => fence.allows(path, TextUse::Path),
        _ => true,
    };
    let mut drawn = (0..AGAIN).map(|_| of_sort(drawer, "path", current, node));
    drawn.find(stays).unwrap_or_else(|| OddChange::set("folder", "the folder itself", fence.folder()))
}

/// A change of the catalogue for this sort of value.
fn of_sort(drawer: &mut ValueDrawer<'_>, sort: &str, current: &str, node: Option<&Node>) -> OddChange {
    let groups = odd(sort);
    let mut left = drawer.rng.below(groups.iter().map(|group| group.weight).sum());
    let drawn = groups.iter().find(|group| {
        let is_it = left < group.weight;
        left = left.saturating_sub(group.weight);
        is_it
    });
    let group = drawn.unwrap_or(&groups[0]);
    if let Some(sort) = &group.of {
        return of_sort(drawer, sort, current, node);
    }
    if let Some(make) = group.make {
        return made(drawer, make, current, node);
    }
    let OddRow(keyword, label, text) = &group.rows[drawer.rng.below(group.rows.len())];
    let is_path = node.is_some_and(|node| node.text.role == TextRole::Path);
    let folder = drawer.generator.fence.folder();
    let rng = &mut *drawer.rng;
    let count = || current.chars().count();
    let mut fill = |name: &str| {
        let filled = match name {
            "current" => current.to_owned(),
            "first half" => current.chars().take(count() / 2).collect(),
            "rest" => current.chars().skip(1).collect(),
            "other case" => other_case(rng, current),
            "odd" => rng.pick(&odd("letters")[0].rows)?.2.clone(),
            "folder" => folder.to_owned(),
            "beginning" if is_path => json!(format!("{folder}/")).to_string().trim_matches('"').to_owned(),
            "beginning" => String::new(),
            _ => return None,
        };
        Some(json!(filled))
    };
    let text = filled_text(text, &mut fill);
    let edit = match serde_json::from_str::<Value>(&text).ok().filter(|_| group.json) {
        Some(value) if format!("{value}") == text => Edit::Set(value),
        _ if group.json => Edit::Raw(text),
        _ => Edit::Set(text.into()),
    };
    OddChange::new(keyword, label, edit)
}

fn made(drawer: &mut ValueDrawer<'_>, make: Make, current: &str, node: Option<&Node>) -> OddChange {
    let (folder, rng) = (drawer.generator.fence.folder(), &mut *drawer.rng);
    let near = |rng: &mut Rng| {
        let by = [1, -1, 2, -2, 10, -10, 100][rng.below(7)];
        let number = current.parse::<i64>().unwrap_or(1).saturating_add(by);
        OddChange::set("near", format!("{by:+}"), number)
    };
    match make {
        Make::Emoji => emoji(rng, current),
        Make::Long => long(rng, current),
        Make::BeyondLength => beyond_length(rng, node).unwrap_or_else(|| long(rng, current)),
        Make::LongName => {
            let count = [100, 255, 256, 1_000, 4_096][rng.below(5)];
            let path = format!("{folder}/{}", "n".repeat(count));
            OddChange::set("long-name", format!("a name of {count} characters"), path)
        }
        Make::DeepPath => {
            let count = [50, 400, 2_000][rng.below(3)];
            let path = format!("{folder}{}", "/d".repeat(count));
            OddChange::set("long-name", format!("{count} nested folders"), path)
        }
        Make::Middling => middling(rng),
        Make::Magnitude => {
            let number = log_uniform(rng, 1.0, 1e9) as i64;
            OddChange::set("magnitude", format!("{number}"), number)
        }
        Make::Negative => {
            let number = if rng.one_in(2) { -1 } else { -(log_uniform(rng, 1.0, 1e13) as i64) };
            OddChange::set("negative", format!("{number}"), number)
        }
        Make::BeyondRange => beyond_range(rng, node).unwrap_or_else(|| middling(rng)),
        Make::Near => near(rng),
        Make::Fraction if node.is_some_and(|node| node.kinds == [SchemaType::Integer]) => {
            OddChange::set("type", "integer -> float", current.parse::<f64>().unwrap_or(1.0) + 0.5)
        }
        Make::Fraction => near(rng),
    }
}

fn type_name(value: &Value) -> &'static str {
    SchemaType::from_value(value).name()
}

/// Whether a value is or has a text.
pub(super) fn has_text(value: &Value) -> bool {
    texts(value).next().is_some()
}

/// A value of a type that the node does not name; if it names none, of another type than now.
fn wrong_type(
    rng: &mut Rng,
    value: &Value,
    node: Option<&Node>,
    is_allowed: impl Fn(&Value) -> bool,
) -> OddChange {
    let current = SchemaType::from_value(value);
    let is = |kind: SchemaType| kind == current || node.is_some_and(|node| node.kinds.contains(&kind));
    let is_named = |kind: SchemaType| is(kind) || kind == SchemaType::Integer && is(SchemaType::Number);
    let others = &*OF_ALL_TYPES;
    let (before, after) = others.split_at(rng.below(others.len()));
    let mut drawn = after.iter().chain(before);
    let other = drawn.find(|other| !is_named(SchemaType::from_value(other)) && is_allowed(other));
    let other = other.cloned().unwrap_or_default();
    OddChange::set("type", format!("{} -> {}", current.name(), type_name(&other)), other)
}

/// Nested arrays or objects.
fn deep(rng: &mut Rng) -> OddChange {
    if rng.one_in(8) {
        let depth = ABYSS[rng.below(ABYSS.len())];
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        return OddChange::new("deep", format!("{depth} nested arrays"), Edit::Raw(nested));
    }
    let depth = DEPTHS[rng.below(DEPTHS.len())];
    let (kind, wrap): (&str, fn(Value) -> Value) = match rng.below(2) {
        0 => ("arrays", |inner| json!([inner])),
        _ => ("objects", |inner| json!({ "a": inner })),
    };
    OddChange::set(
        "deep",
        format!("{depth} nested {kind}"),
        (0..depth).fold(json!(1), |inner, _| wrap(inner)),
    )
}

/// The member with a duplicate key, first with another value.
fn twice(rng: &mut Rng, value: &Value) -> OddChange {
    let (label, other) = match rng.below(3) {
        0 => ("a duplicate key, null first", "null".to_owned()),
        1 => ("a duplicate key, a number first", "7".to_owned()),
        _ => ("a duplicate key with the same value", value.to_string()),
    };
    OddChange::new("duplicate-key", label, Edit::Twice(other))
}

fn list(drawer: &mut ValueDrawer<'_>, items: &[Value], at: Option<NodeId>) -> OddChange {
    let compiled = &drawer.generator.compiled;
    let first = items.first().cloned().unwrap_or_else(|| match at.and_then(|at| compiled.item(at, 0)) {
        Some(id) => drawer.value(id),
        None => json!("alpha"),
    });
    let with = |at: usize, item: Value| {
        let mut items = items.to_vec();
        items.insert(at, item);
        items
    };
    let empty = || OddChange::set("empty", "an empty array", json!([]));
    match drawer.rng.below(12) {
        0..=2 => empty(),
        3 => OddChange::set("items", "an item: null", with(0, Value::Null)),
        4 => OddChange::set("items", "an item: an array", with(items.len(), json!([]))),
        5 => {
            let item = if first.is_string() { json!(20) } else { json!("twelve") };
            OddChange::set("items", format!("an item: {}", type_name(&item)), with(0, item))
        }
        6 => OddChange::set("items", "the array within another array", json!([items])),
        7 => OddChange::set("repeated", "a duplicate item", with(0, first)),
        8 => OddChange::set("bare", "an item without its array", first),
        9 => {
            let bounds = at.map(|id| &compiled.node(id).list);
            let beyond = bounds.and_then(|list| match list.least {
                least if least > 1 => Some(("minItems", least - 1)),
                _ => list.most.map(|most| ("maxItems", most + 1)),
            });
            match beyond.filter(|(_, count)| *count <= 1_001) {
                Some((keyword, count)) => {
                    OddChange::set(keyword, format!("{count} items"), vec![first; count])
                }
                None => empty(),
            }
        }
        10 if drawer.rng.one_in(3) => {
            let count = COUNTS[drawer.rng.below(COUNTS.len())];
            let count = count.min(65_536 / first.to_string().len().max(1)).max(2);
            OddChange::set("huge", format!("{count} items"), vec![first; count])
        }
        _ => OddChange::new("order", "in reverse order", Edit::Reverse),
    }
}

fn of_members(drawer: &mut ValueDrawer<'_>, members: &Map<String, Value>, node: Option<&Node>) -> OddChange {
    match drawer.rng.below(8) {
        0..=3 => {
            let known = node.map(|node| &node.members.known[..]).unwrap_or_default();
            let required = known.iter().filter(|member| member.is_required);
            let required: Vec<&String> = required.map(|member| &member.name).collect();
            let present: Vec<&String> = members.keys().filter(|name| required.contains(name)).collect();
            match drawer.rng.pick(&present) {
                Some(name) => {
                    let mut less = members.clone();
                    less.shift_remove(*name);
                    OddChange::set("required", format!("without `{name}`"), less)
                }
                None => extra(drawer.rng, node),
            }
        }
        4 => OddChange::set("empty", "an empty object", json!({})),
        5 if !members.is_empty() => {
            let other = members.iter().map(|(name, value)| (name.to_uppercase(), value.clone()));
            OddChange::set("name", "member names in another case", other.collect::<Map<_, _>>())
        }
        _ => extra(drawer.rng, node),
    }
}

fn extra(rng: &mut Rng, node: Option<&Node>) -> OddChange {
    let name = EXTRA[rng.below(EXTRA.len())];
    let value = [json!(true), Value::Null, json!({"alpha": []})][rng.below(3)].clone();
    let is_forbidden = node.is_some_and(|node| node.members.others == Others::Forbidden);
    let keyword = if is_forbidden { "additionalProperties" } else { "extra" };
    let edit = Edit::Members(vec![(name.to_owned(), value)]);
    OddChange::new(keyword, format!("an unknown member `{name}`"), edit)
}

fn other_case(rng: &mut Rng, text: &str) -> String {
    let mut first = text.chars();
    let changed = match rng.below(3) {
        0 => text.to_uppercase(),
        1 => first.next().map(|letter| letter.to_uppercase().chain(first).collect()).unwrap_or_default(),
        _ => text.to_lowercase(),
    };
    if changed == text { text.to_uppercase() } else { changed }
}

/// Four-byte characters at every place where a text may be cut.
fn emoji(rng: &mut Rng, current: &str) -> OddChange {
    let before = "a".repeat(rng.below(4));
    let count = if rng.one_in(4) { 1 + rng.below(400) } else { 1 + rng.below(40) };
    let letter = ["\u{1f600}", "\u{1f468}\u{200d}\u{1f4bb}", "\u{1f1e9}\u{1f1ea}", "\u{e9}"][rng.below(4)];
    let text = match rng.below(3) {
        0 => format!("{current}{letter}"),
        1 => format!("{letter}{current}"),
        _ => format!("{before}{}", letter.repeat(count)),
    };
    OddChange::set("emoji", "emoji", text)
}

fn long(rng: &mut Rng, current: &str) -> OddChange {
    let count = match rng.below(24) {
        0 => log_uniform(rng, 8_192.0, LONG) as usize,
        1..=12 => LENGTHS[rng.below(LENGTHS.len())],
        _ => log_uniform(rng, 16.0, 8_192.0) as usize,
    };
    let unit = match rng.below(4) {
        0 if !current.is_empty() && current.len() < 100 => current,
        1 => "a b ",
        _ => "a",
    };
    let text: String = unit.chars().cycle().take(count).collect();
    OddChange::set("long", format!("{count} characters"), text)
}

/// A text just beyond the lengths that the schema gives.
fn beyond_length(rng: &mut Rng, node: Option<&Node>) -> Option<OddChange> {
    let schema = &node?.text;
    let below = schema.least.checked_sub(1).filter(|count| *count < 10_000).map(|count| ("minLength", count));
    let above = Some(schema.most).filter(|most| *most < 10_000).map(|most| ("maxLength", most + 1));
    let (keyword, count) = if rng.one_in(2) { below.or(above) } else { above.or(below) }?;
    Some(OddChange::set(keyword, format!("{count} characters"), "a".repeat(count)))
}

/// A number just beyond a bound of the schema.
fn beyond_range(rng: &mut Rng, node: Option<&Node>) -> Option<OddChange> {
    let bounds = &node?.number;
    let beyond = |beyond: f64| beyond.is_finite() && beyond.abs() < 9e15;
    let below = Some(("minimum", bounds.least - 1.0)).filter(|(_, number)| beyond(*number));
    let above = Some(("maximum", bounds.most + 1.0)).filter(|(_, number)| beyond(*number));
    let (keyword, beyond) = if rng.one_in(2) { below.or(above) } else { above.or(below) }?;
    let value = number(beyond);
    Some(OddChange::set(keyword, format!("{value}, beyond the declared range"), value))
}

fn middling(rng: &mut Rng) -> OddChange {
    let number = log_uniform(rng, 1e9, 1e13);
    let number = if rng.one_in(3) { 10_f64.powf(number.log10().floor()) } else { number };
    OddChange::set("middling", format!("{number:e}"), number as i64)
}

/// A whole number between these two, log-uniformly distributed.
fn log_uniform(rng: &mut Rng, least: f64, most: f64) -> f64 {
    let (least, most) = (least.log10(), most.log10());
    10_f64.powf(least + rng.fraction() * (most - least)).floor()
}

/// The positions of made-up errors in a text; of one that was changed since, the lines in which its made-up place is left.
pub(crate) fn made_up_errors(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let whole = odd("made-up-error").iter().flat_map(|group| &group.rows);
    let whole = whole.filter_map(move |OddRow(_, _, error)| {
        let at = text.find(error)?;
        Some(at..at + error.len())
    });
    let edited = text.match_indices(MADE_UP_PLACE).map(move |(at, _)| {
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        text[..at].rfind('\n').map_or(0, |line| line + 1)..end
    });
    whole.chain(edited)
}
