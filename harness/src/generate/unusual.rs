//! Values that a schema says nothing about and a server may refuse nevertheless.
//!
//! The main function is [`unusual`]. The reply is judged by the rules for every error reply; whether the server
//! should have refused the value is unknown.

use serde_json::Value;

use super::catalogue::rows;
use super::draw::Draw;
use super::edit::{Edit, Step};
use super::executable::ExecutableKind;
use super::kind::{ParameterKind, WrongValue};
use super::mutation::{ChangedPlace, Collector, Mutation, lists_values, unlisted};
use super::names::plain_name;
use super::tool_files::ToolFiles;
use crate::json_schema::{flattened, required, types};
use crate::names::name_words;
use crate::pattern;

mod together;

/// The turns of changes that are not among the last, for when not all are sent.
const FIRST: u8 = 1;
const SECOND: u8 = 2;

/// At most this many other values of a closed set are tried.
const OTHERS: usize = 3;
/// At most this many values of what is executed are sent before others.
const TELLING: usize = 8;
/// At most this many other kinds of files are led to.
const ENDINGS: usize = 3;
/// The last words of parameters whose values may become the name of a file.
const OF_FILES: [&str; 6] = ["id", "key", "name", "filename", "slug", "title"];
/// The last words of members of an object that say which thing it is about.
const OF_THINGS: [&str; 6] = ["id", "uuid", "key", "path", "uri", "url"];
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
    let collector = Collector::of(tool_files);
    let mut finder =
        Finder { root: schema, tool_files, executed, collector, inner: 0, is_order_given: false };
    for (name, parameter) in properties.into_iter().flatten() {
        finder.of_parameter(name, parameter);
    }
    let together = together::changes(&whole, schema, tool_files, &|name, parameter| {
        executed(name, parameter).is_some() || finder.is_executed(parameter, DEPTH)
    });
    let needed: Vec<&str> = required(&whole).collect();
    let mut found = finder.collector.found;
    let firsts = found.iter().filter(|(turn, _)| *turn == FIRST).map(|(_, mutation)| mutation);
    let beside = together::beside_all(&together, firsts, &needed);
    found.extend(together);
    found.extend(beside.into_iter().map(|mutation| (FIRST, mutation)));
    // The sort is stable.
    found.sort_by_key(|(turn, mutation)| due(*turn, mutation, &needed));
    found.into_iter().map(|(_, mutation)| mutation).collect()
}

/// When a change is sent, where not all are: what a tool needs is changed before what it can do without. `needed`
/// are the parameters that a call must have.
fn due(turn: u8, mutation: &Mutation, needed: &[&str]) -> u8 {
    let is_needed = mutation.changed().next().is_some_and(|name| needed.contains(&name));
    match (turn, is_needed, mutation.id) {
        (FIRST, true, _) => 0,
        // Beyond what a number may be is as telling as below it.
        (SECOND, true, "large") => 0,
        (FIRST, false, "beside-all") => 0,
        // What is given alone mostly succeeds, and so does a call with more of what it may have.
        (_, false, "given" | "all-flags" | "all-given" | "true") => 4,
        // It is refused where nothing else is: by what the tool hands it on to.
        (_, true, "nul") => 1,
        (_, false, "nul") => 3,
        (FIRST, false, _) => 1,
        (SECOND, true, _) => 2,
        (SECOND, false, _) => 3,
        _ => 4,
    }
}

struct Finder<'f> {
    root: &'f Value,
    tool_files: &'f ToolFiles,
    executed: Executed<'f>,
    collector: Collector,
    /// How many changes within values were made.
    inner: usize,
    /// Whether some place has got a text that is an instruction.
    is_order_given: bool,
}

impl Finder<'_> {
    fn of_parameter(&mut self, name: &str, parameter: &Value) {
        let flat = flattened(parameter, self.root).into_owned();
        let mut place = ChangedPlace::of(name);
        if let Some(executable) = (self.executed)(name, &flat) {
            self.of_executed(name, &place, executable, &flat);
            return;
        }
        self.values(name, &place, &flat);
        let kind = types(&flat).first().copied();
        let is_text = kind == Some("string") && flat.get("enum").is_none() && flat.get("const").is_none();
        let is_path = is_text && self.is_path(name, &flat);
        if is_text && !is_path && !self.is_order_given {
            self.is_order_given = true;
            self.collector.add("first-text", &place, &[]);
        }
        place.drawn = Draw::new(self.root, self.tool_files, 0).parameter(name, &flat);
        if is_path {
            self.paths_beside(&place, &flat);
        }
        if matches!(kind, Some("array" | "object")) && !self.is_executed(&flat, DEPTH) {
            self.of_list(name, &place, &flat);
            self.within(name, &place, &flat, DEPTH);
        }
    }

    fn of_executed(&mut self, name: &str, place: &ChangedPlace, executable: ExecutableKind, schema: &Value) {
        let kind = types(schema).first().copied();
        let of_kind = ParameterKind::of_executed(executable).filter(|_| kind == Some("string"));
        let of_number = ParameterKind::of_number(name).filter(|_| matches!(kind, Some("integer" | "number")));
        let from = self.collector.found.len();
        self.of_kind(place, of_kind.or(of_number));
        self.collector.found.iter_mut().skip(from + TELLING).for_each(|(turn, _)| *turn = SECOND);
    }

    /// The wrong values of a kind of parameter.
    fn of_kind(&mut self, place: &ChangedPlace, kind: Option<&'static ParameterKind>) {
        for WrongValue(id, value, label) in kind.map(|kind| &kind.wrong).into_iter().flatten() {
            self.collector.found.push((FIRST, place.change(id, Edit::Set(value.clone()), label)));
        }
    }

    /// Other values for a text, a number or a flag.
    fn values(&mut self, name: &str, place: &ChangedPlace, schema: &Value) {
        if schema.get("const").is_some() {
            return;
        }
        if let Some(members) = schema.get("enum").and_then(Value::as_array) {
            for value in members.iter().skip(1).take(OTHERS) {
                self.collector.add("member", place, &[("value", value.clone())]);
            }
            return;
        }
        match types(schema).first().copied() {
            Some("string") if self.is_path(name, schema) => self.collector.add("path", place, &[]),
            Some("string") => {
                let kind = ParameterKind::of_text(name, schema, self.tool_files.around());
                self.of_kind(place, kind);
                let has_option = kind.is_some_and(|kind| kind.wrong.iter().any(|wrong| wrong.0 == "option"));
                if self.tool_files.is_of_command() && !has_option {
                    self.collector.add("of-command", place, &[]);
                }
                // A value that the description of a parameter does not list is no unusual one.
                let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
                let is_free = pattern!("name/free").is_match(&format!("{name} {description}"));
                if !(place.is_whole() && lists_values(schema) || is_free) {
                    self.collector.add("name", place, &[]);
                }
                if last_word_is_among(name, &OF_FILES) {
                    self.collector.add("file-name", place, &[]);
                }
                self.collector.add("text", place, &[]);
            }
            Some(kind @ ("integer" | "number")) => {
                self.of_kind(place, ParameterKind::of_number(name));
                self.collector.add("number", place, &[]);
                if kind == "number" {
                    self.collector.add("fraction", place, &[]);
                }
            }
            Some("boolean") => self.collector.add("flag", place, &[]),
            _ => {}
        }
    }

    fn is_path(&self, name: &str, schema: &Value) -> bool {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        self.tool_files.takes_path(&plain_name(name), &description.to_lowercase())
    }

    /// Paths of files named like one that the tool works on, but with other contents.
    fn paths_beside(&mut self, place: &ChangedPlace, schema: &Value) {
        self.collector.add("path-in-a-folder", place, &[]);
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let drawn = place.drawn.as_ref().and_then(Value::as_str).unwrap_or_default();
        let file = drawn.rsplit('/').next().unwrap_or_default();
        let Some((_, own)) = file.rsplit_once('.') else { return };
        self.collector.add("path-of-a-file", place, &[]);
        for ending in self.tool_files.other_endings(own, description).into_iter().take(ENDINGS) {
            self.collector.add("path-of-a-kind", place, &[("ending", ending.into())]);
        }
    }

    /// Whether anything in a value could be executed, opened or sent.
    fn is_executed(&self, schema: &Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut members = members.map(|(name, member)| (name.as_str(), flattened(member, self.root)));
        let items = schema.get("items").map(|items| flattened(items, self.root));
        members.any(|(name, member)| {
            (self.executed)(name, &member).is_some() || has_parts(&member) && self.is_executed(&member, depth)
        }) || items.is_some_and(|items| has_parts(&items) && self.is_executed(&items, depth))
    }

    /// Other lists, and objects without their members. `parameter` is the name of the one that contains the list.
    fn of_list(&mut self, parameter: &str, place: &ChangedPlace, schema: &Value) {
        if types(schema).first() == Some(&"object") {
            if place.is_whole() && schema.get("required").is_none() {
                self.collector.add("object", place, &[]);
            }
            return;
        }
        let items = flattened(schema.get("items").unwrap_or(&Value::Null), self.root).into_owned();
        if schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) == 0 {
            self.collector.add("list-without-least", place, &[]);
        }
        self.collector.add("list", place, &[]);
        let sort = match types(&items).first().copied() {
            Some("array") => "list-of-lists",
            Some("string") if items.get("enum").is_some() => return,
            Some("string") if self.is_path(parameter, schema) => "list-of-paths",
            Some("string") => "list-of-texts",
            Some("integer" | "number") => "list-of-numbers",
            Some("object") => return self.of_objects(place, &items),
            _ => return,
        };
        self.collector.add(sort, place, &[]);
    }

    /// A list with one object more, which names something that does not exist.
    fn of_objects(&mut self, place: &ChangedPlace, items: &Value) {
        let members = items.get("properties").and_then(Value::as_object).into_iter().flatten();
        let of_thing = |(name, member): (&String, &Value)| {
            let member = flattened(member, self.root).into_owned();
            let is_closed = ["enum", "const"].iter().any(|keyword| member.get(*keyword).is_some());
            let is_open = types(&member).first() == Some(&"string") && !is_closed && !lists_values(&member);
            (is_open && last_word_is_among(name, &OF_THINGS)).then(|| (name.clone(), member))
        };
        let Some((name, member)) = members.into_iter().find_map(of_thing) else { return };
        let value = if self.is_path(&name, &member) {
            format!("{}/absent.txt", self.tool_files.folder())
        } else {
            unlisted(self.tool_files.tool())
        };
        let path: Vec<Step> =
            place.path.iter().cloned().chain([Step::Last, Step::Key(name.clone())]).collect();
        let before = self.collector.found.len();
        self.collector.add("list-of-objects", place, &[("member", name.into())]);
        for (_, change) in &mut self.collector.found[before..] {
            change.also(path.clone(), value.as_str().into());
        }
    }

    /// Changes in the members of an object, or of the last object of a list.
    fn within(&mut self, parameter: &str, place: &ChangedPlace, schema: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let inner = |step: Step, dotted: String| {
            let path = place.path.iter().cloned().chain([step]).collect();
            ChangedPlace { dotted, path, drawn: place.drawn.clone() }
        };
        if let Some(items) = schema.get("items") {
            let items = flattened(items, self.root).into_owned();
            if has_parts(&items) {
                self.within(parameter, &inner(Step::Last, place.dotted.clone()), &items, depth);
            }
        }
        let members = schema.get("properties").and_then(Value::as_object);
        for pair in members.map(|members| together::reversed_pairs(members, self.root)).unwrap_or_default() {
            let fills = [("beginning", pair.beginning.as_str().into()), ("end", pair.end.as_str().into())];
            let both = vec![(pair.end.clone(), pair.low), (pair.beginning.clone(), pair.high)];
            for row in rows("reversed-members") {
                let edit = Edit::Members(both.clone());
                self.collector.found.push((row.turn, place.change(&row.id, edit, &row.label(&[&fills]))));
            }
        }
        for (name, member) in members.into_iter().flatten() {
            let flat = flattened(member, self.root).into_owned();
            let inner = inner(Step::Key(name.clone()), format!("{}.{name}", place.dotted));
            let before = self.collector.found.len();
            self.values(name, &inner, &flat);
            let mut firsts = self.collector.found.split_off(before);
            firsts.retain(|(turn, _)| *turn == FIRST);
            let is_full = self.inner + firsts.len() > WITHIN;
            firsts.truncate(WITHIN - self.inner);
            self.inner += firsts.len();
            self.collector.found.extend(firsts);
            if is_full {
                return;
            }
            if types(&flat).first() == Some(&"array") {
                self.of_list(parameter, &inner, &flat);
            }
            if has_parts(&flat) {
                self.within(parameter, &inner, &flat, depth);
            }
        }
    }
}

fn last_word_is_among(name: &str, words: &[&str]) -> bool {
    name_words(name).last().is_some_and(|word| words.contains(&word.as_str()))
}

fn has_parts(schema: &Value) -> bool {
    schema.get("properties").is_some() || schema.get("items").is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LAST: u8 = 3;

    fn changes(schema: &Value) -> Vec<Mutation> {
        unusual(schema, &ToolFiles::at("/w/c").called("edit_it"), &|name, _| match name {
            "command" => Some(ExecutableKind::Command),
            "query" => Some(ExecutableKind::Sql),
            _ => None,
        })
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
        let line =
            |change: &Mutation| format!("{} {}", change.parameter.as_deref().unwrap_or_default(), change.id);
        let lines: Vec<String> = changes(&schema).iter().map(line).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn what_is_executed_gets_what_does_no_harm_and_nothing_within() {
        let schema = json!({"type": "object", "properties": {
            "command": {"type": "string"},
            "steps": {"type": "array", "items": {"type": "object", "properties": {"command": {"type": "string"}}}}
        }});
        assert_eq!(changes(&schema), []);
    }

    #[test]
    fn a_change_within_a_value_is_made_on_the_call_at_hand_or_on_a_drawn_value() {
        let schema = json!({"type": "object", "properties": {
            "edits": {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}},
                      "required": ["old"]}}
        }});
        let found = changes(&schema);
        let change = found.iter().find(|change| change.parameter.as_deref() == Some("edits.old")).unwrap();
        assert_eq!(change.name(), Some("old"));
        let changed = json!({"old": "no-such-value-edit-it", "new": "c"});
        for (call, expected) in [
            (json!({"edits": [{"old": "a"}, {"old": "b", "new": "c"}]}), json!([{"old": "a"}, changed])),
            (json!({"edits": []}), json!([{"old": "no-such-value-edit-it"}])),
            (json!({}), json!([{"old": "no-such-value-edit-it"}])),
        ] {
            assert_eq!(change.apply(&call), json!({ "edits": expected }), "{call}");
        }
    }

    #[test]
    fn what_a_tool_needs_is_changed_first_and_beyond_its_bounds_too() {
        let place = |turn, name: &str, id| {
            due(turn, &ChangedPlace::of(name).change(id, Edit::Remove, ""), &["value"])
        };
        assert_eq!(place(SECOND, "value", "large"), place(FIRST, "value", "zero"));
        for (sooner, later) in [
            ((SECOND, "value", "large"), (FIRST, "mode", "unlisted")),
            ((FIRST, "mode", "unlisted"), (FIRST, "mode", "given")),
            // A NUL is refused where nothing else is; what is given besides mostly succeeds.
            ((LAST, "value", "nul"), (SECOND, "value", "unfilled")),
            ((LAST, "mode", "nul"), (FIRST, "mode", "all-given")),
            ((SECOND, "value", "unfilled"), (SECOND, "mode", "large")),
        ] {
            let at = |(turn, name, id)| place(turn, name, id);
            assert!(at(sooner) < at(later), "{sooner:?} {later:?}");
        }
    }
}
