//! Parameters that are given together, or in an order that makes no sense.

use serde_json::{Map, Value, json};

use super::super::draw::Draw;
use super::super::mutation::{Mutation, MutationKind};
use super::super::names::name_words;
use super::super::tool_files::ToolFiles;
use crate::json_schema::{flattened, required, types};

/// Pairs of words in names of which the first begins what the second ends.
const PAIRS: [(&str, &str); 9] = [
    ("start", "end"),
    ("from", "to"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("begin", "end"),
    ("first", "last"),
    ("low", "high"),
    ("since", "until"),
    ("after", "before"),
];
/// At most this many optional parameters are given alone.
const ALONE: usize = 8;
/// At most this many parameters are changed beside all that may be left out.
const BESIDE: usize = 3;

/// Whether a parameter's value could be executed, opened or sent, by its name and schema.
type IsExecuted<'e> = &'e dyn Fn(&str, &Value) -> bool;

/// Changes that give each optional parameter, give all of them, or put a beginning after its end.
pub(super) fn changes(
    whole: &Value,
    root: &Value,
    tool_files: &ToolFiles,
    is_executed: IsExecuted<'_>,
) -> Vec<Mutation> {
    let empty = Map::new();
    let properties = whole.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let is_required = |name: &str| required(whole).any(|known| known == name);
    let given: Vec<(&str, Value)> = properties
        .iter()
        .filter(|(name, _)| !is_required(name))
        .filter_map(|(name, parameter)| {
            let mut flat = flattened(parameter, root).into_owned();
            if is_executed(name, &flat) || types(&flat).is_empty() && flat.get("enum").is_none() {
                return None;
            }
            if let Some(members) = flat.as_object_mut() {
                // Giving the default value says nothing.
                members.remove("default");
            }
            Some((name.as_str(), Draw::new(root, tool_files, 0).parameter(name, &flat)?))
        })
        .collect();
    let mut found: Vec<Mutation> = Vec::new();
    for (name, value) in given.iter().take(ALONE).filter(|(_, value)| *value != json!(false)) {
        let kind = MutationKind::Special("given");
        found.push(Mutation::new(name, kind, Some(value.clone()), "given although it is optional"));
    }
    if given.len() > 1 {
        let change = given.iter().map(|(name, value)| ((*name).to_owned(), Some(value.clone())));
        found.push(Mutation {
            parameter: None,
            kind: MutationKind::Special("all-given"),
            change: change.collect(),
            within: None,
            label: "every optional argument".to_owned(),
            listable: false,
        });
    }
    let flags = given.iter().filter(|(_, value)| value.is_boolean()).count();
    if flags > 1 {
        // Some exclude each other.
        let set = |value: &Value| if value.is_boolean() { json!(true) } else { value.clone() };
        let change = given.iter().map(|(name, value)| ((*name).to_owned(), Some(set(value))));
        found.push(Mutation {
            parameter: None,
            kind: MutationKind::Special("all-flags"),
            change: change.collect(),
            within: None,
            label: "every optional argument, and each flag set".to_owned(),
            listable: false,
        });
    }
    found.extend(reversed(properties, root));
    found
}

/// The first change of parameters that a call must have, with all that it can do without: what a tool makes of these it may
/// do in another place. `changes` are those of parameters that are given, `firsts` the first ones of others.
pub(super) fn beside_all<'m>(
    changes: &[Mutation],
    firsts: impl Iterator<Item = &'m Mutation>,
    required: &[&str],
) -> Vec<Mutation> {
    let is_given = |change: &&Mutation| change.kind == MutationKind::Special("given");
    let given: Vec<_> = changes.iter().filter(is_given).flat_map(|change| change.change.clone()).collect();
    let mut found: Vec<Mutation> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for first in firsts.filter(|first| first.within.is_none() && !given.is_empty()) {
        let Some(name) = first.parameter.as_deref().filter(|name| required.contains(name)) else { continue };
        // What leads to no file is refused before anything else is looked at.
        let is_path = first.value().and_then(Value::as_str).is_some_and(|text| text.contains('/'));
        if is_path || names.contains(&name) || names.len() >= BESIDE {
            continue;
        }
        names.push(name);
        found.push(Mutation {
            parameter: None,
            kind: MutationKind::Special("beside-all"),
            change: given.iter().chain(&first.change).cloned().collect(),
            within: None,
            label: format!("{}, with every optional argument", first.label),
            listable: false,
        });
    }
    found
}

/// The end of something before its beginning.
fn reversed(properties: &Map<String, Value>, root: &Value) -> Vec<Mutation> {
    let pairs = reversed_pairs(properties, root).into_iter();
    let change = |ReversedPair { beginning, end, high, low }| Mutation {
        change: vec![(end.clone(), Some(low)), (beginning.clone(), Some(high))],
        ..Mutation::new(end, MutationKind::Special("reversed"), None, format!("before `{beginning}`"))
    };
    pairs.map(change).collect()
}

/// Two members of which the first begins what the second ends, with values the wrong way round.
pub(super) struct ReversedPair<'p> {
    pub(super) beginning: &'p String,
    pub(super) end: &'p String,
    pub(super) high: Value,
    pub(super) low: Value,
}

/// The pairs among the members of an object.
pub(super) fn reversed_pairs<'p>(properties: &'p Map<String, Value>, root: &Value) -> Vec<ReversedPair<'p>> {
    let names: Vec<(&String, Vec<String>)> = properties.keys().map(|name| (name, name_words(name))).collect();
    let mut found = Vec::new();
    for (beginning, words) in &names {
        for (begins, ends) in PAIRS {
            let Some(at) = words.iter().position(|word| word == begins) else { continue };
            let mut wanted = words.clone();
            ends.clone_into(&mut wanted[at]);
            let Some((end, _)) = names.iter().find(|(_, words)| *words == wanted) else { continue };
            let Some((high, low)) = values(&properties[*beginning], &properties[*end], root) else {
                continue;
            };
            found.push(ReversedPair { beginning, end, high, low });
        }
    }
    found
}

/// A later and an earlier value, if both parameters are numbers or dates.
fn values(first: &Value, second: &Value, root: &Value) -> Option<(Value, Value)> {
    let kind = |schema: &Value| {
        let flat = flattened(schema, root);
        let format = flat.get("format").and_then(Value::as_str).unwrap_or_default().to_owned();
        types(&flat).first().map(|kind| ((*kind).to_owned(), format))
    };
    let (one, other) = (kind(first)?, kind(second)?);
    match (one.0.as_str(), other.0.as_str()) {
        ("integer" | "number", "integer" | "number") => Some((json!(3), json!(2))),
        ("string", "string") if one.1 == "date-time" => {
            Some((json!("2026-01-31T12:00:00Z"), json!("2026-01-30T12:00:00Z")))
        }
        ("string", "string") => Some((json!("2026-01-31"), json!("2026-01-30"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_must_have_is_wrong_beside_all_that_it_can_do_without() {
        let change = |name: &str, kind: &'static str, value: Value| {
            Mutation::new(name, MutationKind::Special(kind), Some(value), kind)
        };
        let given = [change("point", "given", json!(1)), change("side", "given", json!("left"))];
        let firsts = [
            change("path", "folder", json!("/w/c/sub")),
            change("expression", "unparsable", json!("1 +")),
            change("expression", "zero", json!("1 / 0")),
            change("side", "unlisted", json!("no-such-value")),
        ];
        let required = ["path", "expression"];
        let found = beside_all(&given, firsts.iter(), &required);
        let sent: Vec<Value> = found.iter().map(|change| change.apply(&json!({"path": "a"}))).collect();
        assert_eq!(sent, [json!({"path": "a", "point": 1, "side": "left", "expression": "1 +"})]);
        assert_eq!(found[0].label, "`expression`: unparsable, with every optional argument");
        assert_eq!(beside_all(&[], firsts.iter(), &required), []);
    }

    #[test]
    fn flags_are_set_together_where_there_are_two() {
        let all_flags = |names: &[&str]| {
            let flags = names.iter().map(|name| ((*name).to_owned(), json!({"type": "boolean"})));
            let schema = json!({"type": "object", "properties": flags.collect::<Map<_, _>>()});
            let found = changes(&schema, &schema, &ToolFiles::at("/w/c"), &|_, _| false);
            let all = found.iter().find(|change| change.kind == MutationKind::Special("all-flags"));
            all.map(|change| change.apply(&json!({})))
        };
        assert_eq!(all_flags(&["asc", "desc"]), Some(json!({"asc": true, "desc": true})));
        assert_eq!(all_flags(&["asc"]), None);
    }

    #[test]
    fn what_may_be_left_out_is_given_alone_and_together_and_an_end_stands_before_its_beginning() {
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"},
            "head": {"type": "integer"},
            "tail": {"type": "integer", "default": null},
            "start_line": {"type": "integer"},
            "end_line": {"type": "integer"},
            "code": {"type": "string"},
            "flag": {"type": "boolean"}
        }});
        let found = changes(&schema, &schema, &ToolFiles::at("/w/c"), &|name, _| name == "code");
        let lines: Vec<String> = found
            .iter()
            .map(|change| {
                let parameter = change.parameter.as_deref().unwrap_or("-");
                format!("{parameter} {} {}", change.kind.slug(), change.apply(&json!({})))
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
