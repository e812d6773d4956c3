//! Values that a schema says nothing about and a server may refuse nevertheless.
//!
//! The main function is [`unusual`]. The reply is judged by the rules for every error reply; whether the server
//! should have refused the value is unknown.

use serde_json::{Value, json};

use super::draw::Draw;
use super::executable::ExecutableKind;
use super::kind::{ParameterKind, WrongValue};
use super::mutation::{Mutation, MutationKind, lists_values};
use super::names::plain_name;
use super::tool_files::ToolFiles;
use super::within::{ValueEdit, ValueStep, Within};
use crate::argument::ORDER;
use crate::json_schema::{flattened, required, types};

mod due;
mod together;
mod untyped;

pub(crate) use untyped::of_untyped;

/// How many characters of a tool's name are used in a text that names nothing.
const NAME: usize = 40;
/// A text that no parser of expressions, queries or patterns accepts.
const UNPARSABLE: &str = "((\"[1 +* ";
/// Texts that a tool may not expect: the part of an id, the file, and what it is.
const TEXTS: [(&str, &str, &str); 3] = [
    ("utf-16", ToolFiles::UTF_16, "the path of a text in UTF-16"),
    ("latin-1", ToolFiles::LATIN_1, "the path of a text in Latin-1"),
    ("long-file", ToolFiles::LONG, "the path of a text of 20,000 lines"),
];
/// A text of this many characters is longer than a name or a title.
const LONG: usize = 5_000;
/// Larger than a usual number of pages or lines, but small enough to be processed.
const LARGE: i64 = 100_000;
/// A value that looks like a command-line option.
const OPTION: &str = "--no-such-option";
/// A path in the notation of another operating system.
const DRIVE: &str = "C:\\no-such-folder\\absent.txt";
/// Larger than any quantity.
const HUGE: f64 = 1e300;
/// At most this many other values of a closed set are tried.
const OTHERS: usize = 3;
/// At most this many values of what is executed are sent before others.
const TELLING: usize = 8;
/// At most this many other kinds of files are led to.
const ENDINGS: usize = 3;
/// How deep objects and lists are looked into.
const DEPTH: usize = 3;
/// At most this many changes within values of a tool's parameters are made.
const WITHIN: usize = 24;

/// Returns the executable kind of the value at a place, if it has one.
pub(crate) type Executed<'e> = &'e dyn Fn(&str, &Value) -> Option<ExecutableKind>;

/// Unusual values for a tool's parameters, the most telling first and then parameter by parameter. Executable
/// values, as told by `executed`, only get harmless ones, or none.
pub(crate) fn unusual(schema: &Value, tool_files: &ToolFiles, executed: Executed<'_>) -> Vec<Mutation> {
    let whole = flattened(schema, schema);
    let properties = whole.get("properties").and_then(Value::as_object);
    let unlisted = unlisted(tool_files.tool());
    let mut finder =
        Finder { root: schema, tool_files, executed, unlisted, found: Vec::new(), inner: 0, ordered: false };
    for (name, parameter) in properties.into_iter().flatten() {
        finder.of_parameter(name, parameter);
    }
    let is_closed = |schema: &Value| finder.is_executed(schema, DEPTH);
    let together = together::changes(&whole, schema, tool_files, &|name, parameter| {
        executed(name, parameter).is_some() || is_closed(parameter)
    });
    let required: Vec<&str> = required(&whole).collect();
    let mut found = finder.found;
    let firsts = found.iter().filter(|(turn, _)| *turn == Turn::First).map(|(_, mutation)| mutation);
    let beside = together::beside_all(&together, firsts, &required);
    found.extend(together.into_iter().chain(beside).map(|mutation| (Turn::First, mutation)));
    // The sort is stable.
    found.sort_by_key(|(turn, mutation)| due::due(*turn, mutation, &required));
    found.into_iter().map(|(_, mutation)| mutation).collect()
}

/// A text that names nothing. Each tool has its own, so that one tool does not find what another created under
/// it.
pub(super) fn unlisted(tool: &str) -> String {
    let letters = tool.chars().take(NAME);
    let name = letters.map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    format!("no-such-value-{}", name.collect::<String>()).trim_end_matches('-').to_owned()
}

/// The priority of a change, for when not all are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    First,
    Second,
    Last,
}

struct Finder<'f> {
    root: &'f Value,
    tool_files: &'f ToolFiles,
    executed: Executed<'f>,
    /// A text that names nothing.
    unlisted: String,
    found: Vec<(Turn, Mutation)>,
    /// How many changes within values were made.
    inner: usize,
    /// Whether some place has got a text that is an instruction.
    ordered: bool,
}

/// A place within the value of a parameter.
struct ParameterPlace<'p> {
    parameter: &'p str,
    /// The place in dotted notation, such as `edits.old`.
    dotted: String,
    way: Vec<ValueStep>,
    drawn: Option<Value>,
}

impl Finder<'_> {
    fn of_parameter(&mut self, name: &str, parameter: &Value) {
        let flat = flattened(parameter, self.root).into_owned();
        if let Some(executable) = (self.executed)(name, &flat) {
            self.of_executed(name, executable, &flat);
            return;
        }
        let mut values = self.values(name, &flat);
        // A value that the description does not list is no unusual one.
        values.retain(|(_, kind, ..)| *kind != MutationKind::Unlisted || !lists_values(&flat));
        for (turn, kind, value, label) in values {
            self.found.push((turn, Mutation::new(name, kind, Some(value), label)));
        }
        let kind = types(&flat).first().copied();
        let is_open = flat.get("enum").is_none() && flat.get("const").is_none();
        let is_path = kind == Some("string") && is_open && self.is_path(name, &flat);
        if kind == Some("string") && is_open && !is_path && !self.ordered {
            // One such text shows how a tool quotes.
            self.ordered = true;
            let order = MutationKind::Special("order");
            self.found.push((
                Turn::Last,
                Mutation::new(name, order, Some(json!(ORDER)), "a text that contains an instruction"),
            ));
        }
        if is_path {
            self.paths_beside(name, &flat);
        }
        if matches!(kind, Some("array" | "object")) && !self.is_executed(&flat, DEPTH) {
            let drawn = Draw::new(self.root, self.tool_files, 0).parameter(name, &flat);
            let place = ParameterPlace { parameter: name, dotted: name.to_owned(), way: Vec::new(), drawn };
            self.of_list(&place, &flat);
            self.within(&place, &flat, DEPTH);
        }
    }

    fn of_executed(&mut self, name: &str, executable: ExecutableKind, schema: &Value) {
        let kind = types(schema).first().copied();
        let of_kind = ParameterKind::of_executed(executable).filter(|_| kind == Some("string"));
        let of_number = ParameterKind::of_number(name).filter(|_| matches!(kind, Some("integer" | "number")));
        for WrongValue(part, value, label) in
            of_kind.or(of_number).map(|kind| &kind.wrong).into_iter().flatten()
        {
            let change = Mutation::new(name, MutationKind::Special(part), Some(value.clone()), label);
            let of_it = self.found.iter().filter(|(_, other)| other.parameter == change.parameter).count();
            self.found.push((if of_it < TELLING { Turn::First } else { Turn::Second }, change));
        }
    }

    /// Other values for a text, a number or a flag.
    fn values(&self, name: &str, schema: &Value) -> Vec<(Turn, MutationKind, Value, String)> {
        if schema.get("const").is_some() {
            return Vec::new();
        }
        let special = |turn, part: &'static str, value: Value, label: &str| {
            (turn, MutationKind::Special(part), value, label.to_owned())
        };
        if let Some(members) = schema.get("enum").and_then(Value::as_array) {
            let others = members.iter().skip(1).take(OTHERS);
            let of = |value: &Value| {
                special(Turn::Second, "another-member", value.clone(), "another of the listed values")
            };
            return others.map(of).collect();
        }
        let of_kind = |kind: Option<&'static ParameterKind>| {
            let wrong = kind.map(|kind| &kind.wrong).into_iter().flatten();
            wrong.map(|WrongValue(part, value, label)| special(Turn::First, part, value.clone(), label))
        };
        let plain = |turn, kind, value: Value, label: &str| (turn, kind, value, label.to_owned());
        // A tool that passes its arguments on to a command may pass on an option.
        let option = || special(Turn::First, "option", json!(OPTION), "a value that looks like an option");
        let text_kind = ParameterKind::of_text(name, schema, self.tool_files.around());
        let of_options = text_kind.is_some_and(|kind| kind.wrong.iter().any(|wrong| wrong.0 == "option"));
        let has_no_option = self.tool_files.is_of_command() && !of_options;
        match types(schema).first().copied() {
            Some("string") if self.is_path(name, schema) => self.paths().collect(),
            Some("string") => of_kind(text_kind)
                .chain(has_no_option.then(option))
                .chain([
                    plain(
                        Turn::First,
                        MutationKind::Unlisted,
                        json!(self.unlisted),
                        "a name of something that does not exist",
                    ),
                    plain(
                        Turn::First,
                        MutationKind::Unparsable,
                        json!(UNPARSABLE),
                        "a text that no parser accepts",
                    ),
                    plain(
                        Turn::Second,
                        MutationKind::Unfilled,
                        json!(""),
                        "an empty string (allowed by the schema)",
                    ),
                    special(Turn::Second, "quoted", json!("it's \"alpha\""), "a text with quotation marks"),
                    special(Turn::Last, "blank", json!(" "), "a space"),
                    special(Turn::Last, "nul", json!("alpha\0beta"), "a text with a NUL in it"),
                    plain(
                        Turn::Last,
                        MutationKind::Long,
                        json!("a".repeat(LONG)),
                        "a text of 5,000 characters",
                    ),
                ])
                .collect(),
            Some(kind @ ("integer" | "number")) => of_kind(ParameterKind::of_number(name))
                .chain([
                    plain(Turn::First, MutationKind::Zero, json!(0), "0"),
                    plain(Turn::First, MutationKind::Negative, json!(-1), "-1"),
                    plain(Turn::Second, MutationKind::Large, json!(LARGE), "100,000"),
                ])
                .chain((kind == "number").then(|| special(Turn::Last, "huge", json!(HUGE), "1e300")))
                .collect(),
            Some("boolean") => vec![special(Turn::Second, "true", json!(true), "true")],
            _ => Vec::new(),
        }
    }

    fn is_path(&self, name: &str, schema: &Value) -> bool {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        self.tool_files.takes_path(&plain_name(name), &description.to_lowercase())
    }

    /// Paths to something other than what a tool works on.
    fn paths(&self) -> impl Iterator<Item = (Turn, MutationKind, Value, String)> + use<> {
        let folder = self.tool_files.folder();
        let paths = [
            (Turn::First, "folder", self.tool_files.sub(), "the path of a folder"),
            (Turn::First, "file", self.tool_files.file(), "the path of a text file"),
            (
                Turn::First,
                "elsewhere",
                "/no-such-folder/absent.txt".to_owned(),
                "a path outside every folder the server can see",
            ),
            (
                Turn::Second,
                "below-a-file",
                format!("{}/absent.txt", self.tool_files.file()),
                "a path below a file",
            ),
            (Turn::First, "upwards", "../absent.txt".to_owned(), "a path that leads upwards"),
            (Turn::Second, "drive", DRIVE.to_owned(), "a path in the style of another operating system"),
            (
                Turn::Last,
                "empty-folder",
                format!("{folder}/{}", ToolFiles::VACANT),
                "the path of an empty folder",
            ),
            (
                Turn::Last,
                "circle",
                format!("{folder}/{}/absent.txt", ToolFiles::CIRCLE),
                "a path through a link that leads to itself",
            ),
            (Turn::Last, "unfilled", String::new(), "an empty string"),
            (Turn::Last, "nul", format!("{folder}/a\0b"), "a path with a NUL in it"),
        ];
        paths.into_iter().map(|(turn, part, path, label)| {
            (turn, MutationKind::Special(part), json!(path), label.to_owned())
        })
    }

    /// Paths of files named like one that the tool works on, but with other contents.
    fn paths_beside(&mut self, name: &str, schema: &Value) {
        let drawn = Draw::new(self.root, self.tool_files, 0).parameter(name, schema);
        let place = ParameterPlace { parameter: name, dotted: name.to_owned(), way: Vec::new(), drawn };
        for (turn, part, file, label) in [
            (Turn::First, "absent", "absent", "a path where nothing exists"),
            (
                Turn::Second,
                "not-text",
                ToolFiles::BYTES,
                "the path of a file that is neither text nor of its kind",
            ),
            (Turn::Second, "empty-file", ToolFiles::EMPTY, "the path of an empty file"),
        ] {
            self.push(turn, &place, part, ValueEdit::Beside(file), label);
        }
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let drawn = place.drawn.as_ref().and_then(Value::as_str).unwrap_or_default();
        let own = drawn.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(_, ending)| ending);
        let others = own.map(|own| self.tool_files.other_endings(own, description)).unwrap_or_default();
        // A folder has neither lines nor an encoding.
        for (part, file, label) in own.into_iter().flat_map(|_| TEXTS) {
            self.push(Turn::Last, &place, part, ValueEdit::Beside(file), label);
        }
        for ending in others.into_iter().take(ENDINGS) {
            let path = format!("{}/data.{ending}", self.tool_files.folder());
            let label = format!("the path of a file of another kind, `.{ending}`");
            self.push(Turn::First, &place, "another-kind", ValueEdit::Set(json!(path)), &label);
        }
    }

    /// Whether anything in a value could be executed, opened or sent.
    fn is_executed(&self, schema: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut members = members.map(|(name, member)| (name.as_str(), flattened(member, self.root)));
        let items = schema.get("items").map(|items| flattened(items, self.root));
        members.any(|(name, member)| {
            (self.executed)(name, &member).is_some()
                || self.has_parts(&member) && self.is_executed(&member, depth)
        }) || items.is_some_and(|items| self.has_parts(&items) && self.is_executed(&items, depth))
    }

    fn has_parts(&self, schema: &Value) -> bool {
        schema.get("properties").is_some() || schema.get("items").is_some()
    }

    /// Other lists, and objects without one of their members.
    fn of_list(&mut self, place: &ParameterPlace<'_>, schema: &Value) {
        if types(schema).first() == Some(&"object") {
            if place.way.is_empty() && schema.get("required").is_none() {
                self.push(Turn::Second, place, "no-members", ValueEdit::Set(json!({})), "an empty object");
            }
            return;
        }
        let items = flattened(schema.get("items").unwrap_or(&Value::Null), self.root).into_owned();
        if schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) == 0 {
            self.push(Turn::First, place, "no-items", ValueEdit::Set(json!([])), "an empty list");
        }
        self.push(Turn::Second, place, "repeated", ValueEdit::Repeat, "the last item duplicated");
        match types(&items).first().copied() {
            Some("array") => {
                self.push(Turn::First, place, "ragged", ValueEdit::Ragged, "lists of two lengths");
                self.push(Turn::First, place, "zeros", ValueEdit::Zeros, "0 in the place of each number");
            }
            Some("string") if items.get("enum").is_none() => {
                let is_path = self.is_path(place.parameter, schema);
                let path = || format!("{}/absent.txt", self.tool_files.folder());
                let item = if is_path { path() } else { self.unlisted.clone() };
                let label = "an item at the end that does not exist";
                self.push(Turn::First, place, "unlisted-item", ValueEdit::Add(json!(item)), label);
            }
            Some("integer" | "number") => {
                self.push(Turn::First, place, "reversed", ValueEdit::Reverse, "the items in reverse order");
                self.push(Turn::First, place, "negative-item", ValueEdit::Add(json!(-1)), "-1 at the end");
                self.push(Turn::First, place, "zero-item", ValueEdit::Set(json!([0])), "0 alone");
            }
            _ => {}
        }
    }

    fn push(
        &mut self,
        turn: Turn,
        place: &ParameterPlace<'_>,
        part: &'static str,
        edit: ValueEdit,
        label: &str,
    ) {
        let within = Within { way: place.way.clone(), edit, drawn: place.drawn.clone() };
        let kind = MutationKind::Special(part);
        let change = Mutation::inside((place.parameter, &place.dotted), kind, within, label);
        self.found.push((turn, change));
    }

    /// Changes in the members of an object, or of the last object of a list.
    fn within(&mut self, place: &ParameterPlace<'_>, schema: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if let Some(items) = schema.get("items") {
            let items = flattened(items, self.root).into_owned();
            let way = [place.way.clone(), vec![ValueStep::Last]].concat();
            let place = ParameterPlace {
                parameter: place.parameter,
                dotted: place.dotted.clone(),
                way,
                drawn: place.drawn.clone(),
            };
            if self.has_parts(&items) {
                self.within(&place, &items, depth);
            }
        }
        let members = schema.get("properties").and_then(Value::as_object);
        for pair in members.map(|members| together::reversed_pairs(members, self.root)).unwrap_or_default() {
            let edit =
                ValueEdit::Members(vec![(pair.end.clone(), pair.low), (pair.beginning.clone(), pair.high)]);
            let label = format!("`{}` before `{}`", pair.end, pair.beginning);
            self.push(Turn::First, place, "reversed", edit, &label);
        }
        for (name, member) in members.into_iter().flatten() {
            let flat = flattened(member, self.root).into_owned();
            let way = [place.way.clone(), vec![ValueStep::Member(name.clone())]].concat();
            let dotted = format!("{}.{name}", place.dotted);
            let inner =
                ParameterPlace { parameter: place.parameter, dotted, way, drawn: place.drawn.clone() };
            let mut values = self.values(name, &flat);
            values.retain(|(turn, ..)| *turn == Turn::First);
            for (turn, kind, value, label) in values {
                if self.inner >= WITHIN {
                    return;
                }
                self.inner += 1;
                let within = Within {
                    way: inner.way.clone(),
                    edit: ValueEdit::Set(value),
                    drawn: inner.drawn.clone(),
                };
                let change = Mutation::inside((place.parameter, &inner.dotted), kind, within, label);
                self.found.push((turn, change));
            }
            if types(&flat).first() == Some(&"array") {
                self.of_list(&inner, &flat);
            }
            if self.has_parts(&flat) {
                self.within(&inner, &flat, depth);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(schema: &Value) -> Vec<String> {
        let found = unusual(schema, &ToolFiles::at("/w/c"), &|name, _| match name {
            "command" => Some(ExecutableKind::Command),
            "query" => Some(ExecutableKind::Sql),
            _ => None,
        });
        let of = |mutation: &Mutation| {
            format!("{} {}", mutation.parameter.as_deref().unwrap_or_default(), mutation.kind.slug())
        };
        found.iter().map(of).collect()
    }

    #[test]
    fn texts_numbers_lists_and_what_stands_in_them_get_what_their_schema_is_silent_of() {
        let schema = json!({"type": "object", "required": ["title", "command", "query"], "properties": {
            "title": {"type": "string"},
            "date": {"type": "string"},
            "path": {"type": "string"},
            "order": {"enum": ["a", "b"]},
            "limit": {"type": "integer"},
            "command": {"type": "string"},
            "query": {"type": "string"},
            "flag": {"type": "boolean"},
            "points": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            "edits": {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}}}}
        }});
        insta::assert_snapshot!(labels(&schema).join("\n"));
    }

    #[test]
    fn what_is_executed_gets_what_does_no_harm_and_nothing_within() {
        let schema = json!({"type": "object", "properties": {
            "command": {"type": "string"},
            "steps": {"type": "array", "items": {"type": "object", "properties": {"command": {"type": "string"}}}}
        }});
        assert_eq!(labels(&schema), [""; 0]);
    }

    #[test]
    fn a_change_within_a_value_is_made_on_the_call_at_hand() {
        let schema = json!({"type": "object", "properties": {
            "edits": {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}}}}
        }});
        let found = unusual(&schema, &ToolFiles::at("/w/c").called("edit_it"), &|_, _| None);
        let change = found.iter().find(|change| change.parameter.as_deref() == Some("edits.old")).unwrap();
        assert_eq!(change.name(), Some("old"));
        let changed = change.apply(&json!({"edits": [{"old": "a"}, {"old": "b", "new": "c"}]}));
        assert_eq!(changed, json!({"edits": [{"old": "a"}, {"old": "no-such-value-edit-it", "new": "c"}]}));
    }
}
