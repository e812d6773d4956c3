//! Parameters that are given together, or in an order that makes no sense.

use serde_json::{Map, Value, json};

use super::super::draw::Draw;
use super::super::kind::ParameterKind;
use super::super::mutation::{ChangedPlace, Collector, Mutation, lists_values};
use super::super::names::name_words;
use super::super::shown::only_values;
use super::super::tool_files::ToolFiles;
use crate::json_schema::{flattened, required, types};
use crate::words;

/// At most this many optional parameters are given alone.
const ALONE: usize = 8;
/// At most this many parameters are changed beside all that may be left out.
const BESIDE: usize = 3;
/// At most this many numbers are sent beside values that another parameter lists.
const BESIDE_MEMBERS: usize = 24;

/// Whether a parameter's value could be executed, opened or sent, by its name and schema.
type IsExecuted<'e> = &'e dyn Fn(&str, &Value) -> bool;

/// Changes that give each optional parameter, give all of them, or put a beginning after its end.
pub(super) fn changes(
    whole: &Value,
    root: &Value,
    tool_files: &ToolFiles,
    is_executed: IsExecuted<'_>,
) -> Vec<(u8, Mutation)> {
    let empty = Map::new();
    let properties = whole.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let is_required = |name: &str| required(whole).any(|known| known == name);
    let optional = properties.iter().filter(|(name, _)| !is_required(name));
    let given = optional.filter_map(|(name, parameter)| {
        let mut flat = flattened(parameter, root).into_owned();
        if is_executed(name, &flat) || types(&flat).is_empty() && flat.get("enum").is_none() {
            return None;
        }
        if let Some(members) = flat.as_object_mut() {
            // Giving the default value says nothing.
            members.remove("default");
        }
        Some((name.as_str(), Draw::new(root, tool_files, 0).parameter(name, &flat)?))
    });
    let given: Vec<(&str, Value)> = given.collect();
    let mut collector = Collector::default();
    for (name, value) in given.iter().take(ALONE).filter(|(_, value)| *value != json!(false)) {
        collector.add("optional", &ChangedPlace::of(name), &[("value", value.clone())]);
    }
    if given.len() > 1 {
        collector.add_of_all("every-optional", None, &given, &[]);
    }
    if given.iter().filter(|(_, value)| value.is_boolean()).count() > 1 {
        let set = |(name, value): (_, Value)| (name, if value.is_boolean() { json!(true) } else { value });
        let each_set: Vec<(&str, Value)> = given.into_iter().map(set).collect();
        collector.add_of_all("every-flag", None, &each_set, &[]);
    }
    for ReversedPair { beginning, end, high, low } in reversed_pairs(properties, root) {
        let fills = [("beginning", beginning.as_str().into()), ("end", end.as_str().into())];
        collector.add_of_all(
            "reversed-pair",
            Some(end),
            &[(end.as_str(), low), (beginning.as_str(), high)],
            &fills,
        );
    }
    beside_members(&mut collector, properties, root, is_executed);
    regex_beside_flag(&mut collector, properties, root);
    collector.found
}

/// A text that is no regular expression, with the flag that says that it is one.
fn regex_beside_flag(collector: &mut Collector, properties: &Map<String, Value>, root: &Value) -> Option<()> {
    let all: Vec<(&String, Value)> =
        properties.iter().map(|(name, schema)| (name, flattened(schema, root).into_owned())).collect();
    let is_flag = |name: &str, schema: &Value| {
        let words = name_words(name);
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        has(&["regex", "regexp"]) && !has(words!("names/switches-off")) && types(schema).contains(&"boolean")
    };
    let kind_of = |name: &str, schema: &Value| {
        let is_text = types(schema).first() == Some(&"string");
        let kind = ParameterKind::of_text(name, schema, &[]).filter(|_| is_text)?;
        (kind.name() == "regular-expression").then_some((name.to_owned(), kind))
    };
    let (flag, _) = all.iter().find(|(name, schema)| is_flag(name, schema))?;
    let (pattern, kind) = all.iter().find_map(|(name, schema)| kind_of(name, schema))?;
    let wrong = kind.wrong.first()?.1.clone();
    let fills = [("pattern", pattern.as_str().into()), ("flag", flag.as_str().into())];
    let both = [(pattern.as_str(), wrong), (flag.as_str(), json!(true))];
    collector.add_of_all("regex-beside-flag", Some(&pattern), &both, &fills);
    Some(())
}

/// Telling numbers beside each value that another parameter lists, but the first one.
fn beside_members(
    collector: &mut Collector,
    properties: &Map<String, Value>,
    root: &Value,
    is_executed: IsExecuted<'_>,
) {
    let all: Vec<(&String, Value)> =
        properties.iter().map(|(name, schema)| (name, flattened(schema, root).into_owned())).collect();
    let numbers = all.iter().filter(|(name, schema)| {
        matches!(types(schema).first(), Some(&("integer" | "number"))) && !is_executed(name, schema)
    });
    let numbers: Vec<&String> = numbers.map(|(name, _)| *name).collect();
    let members = all
        .iter()
        .filter(|(name, schema)| !is_executed(name, schema))
        .flat_map(|(closed, schema)| listed(schema).into_iter().skip(1).map(move |member| (*closed, member)));
    let members: Vec<(&String, Value)> = members.collect();
    let mut found = Vec::new();
    for ((closed, member), number) in
        members.iter().flat_map(|member| numbers.iter().map(move |number| (member, *number)))
    {
        let fills = [("closed", closed.as_str().into()), ("member", member.clone())];
        let mut beside = Collector::default();
        beside.add("number-beside-member", &ChangedPlace::of(number), &fills);
        for (_, change) in &mut beside.found {
            change.also(ChangedPlace::of(closed).path, member.clone());
        }
        found.append(&mut beside.found);
    }
    // The sort is stable.
    found.sort_by_key(|(turn, _)| *turn);
    collector.found.extend(found.into_iter().take(BESIDE_MEMBERS));
}

/// The texts that a schema or its description lists as the only ones.
fn listed(schema: &Value) -> Vec<Value> {
    match schema.get("enum").and_then(Value::as_array) {
        Some(members) => members.iter().filter(|member| member.is_string()).cloned().collect(),
        None if lists_values(schema) => {
            let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            only_values(description).into_iter().map(Value::from).collect()
        }
        None => Vec::new(),
    }
}

/// The first change of parameters that a call must have, with all that it can do without: what a tool makes of these it may
/// do in another place. `changes` are those of parameters that are given, `firsts` the first ones of others.
pub(super) fn beside_all<'m>(
    changes: &[(u8, Mutation)],
    firsts: impl Iterator<Item = &'m Mutation>,
    needed: &[&str],
) -> Vec<Mutation> {
    let given = changes.iter().map(|(_, change)| change).filter(|change| change.id == "given");
    let given: Vec<(&str, Value)> =
        given.filter_map(|change| Some((change.changed().next()?, change.value()?.clone()))).collect();
    let mut firsts_of: Vec<(&str, &Value, &str)> = Vec::new();
    for first in firsts.filter(|_| !given.is_empty()) {
        let Some(name) = first.parameter.as_deref().filter(|name| needed.contains(name)) else { continue };
        let Some(value) = first.value() else { continue };
        // What leads to no file is refused before anything else is looked at.
        let is_path = value.as_str().is_some_and(|text| text.contains('/'));
        if !is_path && firsts_of.len() < BESIDE && firsts_of.iter().all(|(known, ..)| *known != name) {
            firsts_of.push((name, value, &first.label));
        }
    }
    let mut collector = Collector::default();
    for (name, value, label) in firsts_of {
        let all: Vec<(&str, Value)> = given.iter().cloned().chain([(name, value.clone())]).collect();
        collector.add_of_all("first-beside-all", None, &all, &[("first", label.into())]);
    }
    collector.changes()
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
        let pairs = words!("names/ranges").iter().filter_map(|pair| pair.split_once('-'));
        for (begins, ends) in pairs {
            let Some(at) = words.iter().position(|word| word == begins) else { continue };
            let mut wanted = words.clone();
            ends.clone_into(&mut wanted[at]);
            let Some((end, _)) = names.iter().find(|(_, words)| *words == wanted) else { continue };
            let values = values(&properties[*beginning], &properties[*end], root);
            found.extend(values.map(|(high, low)| ReversedPair { beginning, end, high, low }));
        }
    }
    found
}

/// A later and an earlier value, if both parameters are numbers or dates.
fn values(first: &Value, second: &Value, root: &Value) -> Option<(Value, Value)> {
    let (first, second) = (flattened(first, root), flattened(second, root));
    let format = first.get("format").and_then(Value::as_str).unwrap_or_default();
    match (*types(&first).first()?, *types(&second).first()?) {
        ("integer" | "number", "integer" | "number") => Some((json!(3), json!(2))),
        ("string", "string") if format == "date-time" => {
            Some((json!("2026-01-31T12:00:00Z"), json!("2026-01-30T12:00:00Z")))
        }
        ("string", "string") => Some((json!("2026-01-31"), json!("2026-01-30"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::edit::Edit;
    use super::super::FIRST;
    use super::*;

    #[test]
    fn what_a_call_must_have_is_wrong_beside_all_that_it_can_do_without() {
        let change = |name: &str, id: &'static str, value: Value| {
            ChangedPlace::of(name).change(id, Edit::Set(value), id)
        };
        let given = [change("point", "given", json!(1)), change("side", "given", json!("left"))]
            .map(|change| (FIRST, change));
        let firsts = [
            change("path", "folder", json!("/w/c/sub")),
            change("expression", "unparsable", json!("1 +")),
            change("expression", "zero", json!("1 / 0")),
            change("side", "unlisted", json!("no-such-value")),
        ];
        let found = beside_all(&given, firsts.iter(), &["path", "expression"]);
        let sent: Vec<Value> = found.iter().map(|change| change.apply(&json!({"path": "a"}))).collect();
        assert_eq!(sent, [json!({"path": "a", "point": 1, "side": "left", "expression": "1 +"})]);
        assert_eq!(found[0].label, "`expression`: unparsable, with every optional argument");
        assert_eq!(beside_all(&[], firsts.iter(), &["path", "expression"]), []);
    }

    #[test]
    fn numbers_are_sent_beside_each_listed_value_but_the_first() {
        let schema = json!({"type": "object", "required": ["operation", "a", "b"], "properties": {
            "operation": {"type": "string", "enum": ["add", "divide", "root"]},
            "a": {"type": "number"},
            "b": {"type": "integer"},
            "note": {"type": "string"}
        }});
        let found = changes(&schema, &schema, &ToolFiles::at("/w/c"), &|_, _| false);
        let zeros: Vec<Value> = found
            .iter()
            .filter(|(turn, change)| *turn == FIRST && change.id == "zero-beside")
            .map(|(_, change)| change.apply(&json!({"operation": "add", "a": 1, "b": 1})))
            .collect();
        assert_eq!(
            zeros,
            [
                json!({"operation": "divide", "a": 0, "b": 1}),
                json!({"operation": "divide", "a": 1, "b": 0}),
                json!({"operation": "root", "a": 0, "b": 1}),
                json!({"operation": "root", "a": 1, "b": 0}),
            ]
        );
    }

    #[test]
    fn invalid_regex_is_sent_with_the_flag_that_makes_it_one() {
        let changed = |flag: &str, described: &str| {
            let schema = json!({"type": "object", "required": ["pattern"], "properties": {
                "pattern": {"type": "string", "description": described},
                flag: {"type": "boolean"}
            }});
            let found = changes(&schema, &schema, &ToolFiles::at("/w/c"), &|_, _| false);
            let change =
                found.iter().map(|(_, change)| change).find(|change| change.id == "unclosed-beside")?;
            Some(change.apply(&json!({"pattern": "alpha"})))
        };
        let described = "A text, or a regular expression";
        assert_eq!(changed("use_regex", described), Some(json!({"pattern": "(alpha[", "use_regex": true})));
        assert_eq!(changed("case", described), None);
        assert_eq!(changed("regex", "A text"), None);
    }

    #[test]
    fn flags_are_set_together_where_there_are_two() {
        let all_flags = |names: &[&str]| {
            let flags = names.iter().map(|name| ((*name).to_owned(), json!({"type": "boolean"})));
            let schema = json!({"type": "object", "properties": flags.collect::<Map<_, _>>()});
            let found = changes(&schema, &schema, &ToolFiles::at("/w/c"), &|_, _| false);
            let all = found.iter().map(|(_, change)| change).find(|change| change.id == "all-flags");
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
        let line = |change: &Mutation| {
            let parameter = change.parameter.as_deref().unwrap_or("-");
            format!("{parameter} {} {}", change.id, change.apply(&json!({})))
        };
        insta::assert_snapshot!(found.iter().map(|(_, change)| line(change)).collect::<Vec<_>>().join("\n"));
    }
}
