//! Single changes of valid arguments, each with a label in words.
//!
//! The main type is [`Mutation`]. The changes are rows of `changes.toml`; this module tells which of them a schema asks
//! for, and `unusual` those that it says nothing about. Whether a schema really forbids the result is decided by the
//! validator.

use serde_json::{Value, json};

use super::catalogue::{Fill, Owed, rows};
use super::draw::Draw;
use super::edit::{Edit, RawTexts, Step, number, pointer};
use super::names::misspelt;
use super::shown::only_values;
use super::tool_files::ToolFiles;
use crate::argument::ORDER;
use crate::catalog::wrap;
use crate::json_schema::{flattened, required, says_nothing_of_others, types};
use crate::placeholder::{CANARY, OUTSIDE};

/// Texts and arrays longer than this are not sent just to exceed a bound.
const LONG: u64 = 4_096;
/// The name of an argument that no tool has.
const UNKNOWN_ARGUMENT: &str = "no_such_argument";
/// A closed set with more values than this need not be listed in a message.
const LISTED: usize = 30;
/// How many characters of a tool's name are used in a text that names nothing.
const NAME: usize = 40;
/// A text of this many characters is longer than a name or a title.
const LONG_NAME: usize = 5_000;

/// One change of valid arguments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mutation {
    /// The changed parameter, or a place within it such as `edits.old`; `None` if several are changed at once.
    pub parameter: Option<String>,
    /// Its part of a probe's id.
    pub id: &'static str,
    /// The change in words: "`path`: string -> number".
    pub label: String,
    /// Whether a value outside a closed set is sent that is small enough to be listed in a message.
    pub listable: bool,
    /// What is owed if the result is forbidden. Without it what comes of the change may be right.
    pub owed: Option<&'static Owed>,
    /// Whether it applies to the argument that contains all others, and not to the tool's own parameters.
    pub of_wrapper: bool,
    /// What is done, and where.
    edits: Vec<(Vec<Step>, Edit)>,
    /// The parameter's value to use if the call has none, or one without this place.
    drawn: Option<Value>,
}

impl Mutation {
    const PLAIN: &str = "plain";

    /// No change at all: the call of a tool that has no parameters.
    pub fn plain() -> Self {
        Self { id: Self::PLAIN, label: "called without arguments".to_owned(), ..Self::default() }
    }

    /// Whether it is no change.
    pub fn is_plain(&self) -> bool {
        self.id == Self::PLAIN
    }

    /// The parameter's own name, without what it is nested in.
    pub fn name(&self) -> Option<&str> {
        let whole = self.parameter.as_deref()?;
        match self.edits.first() {
            Some((path, _)) if path.len() > 1 => whole.rsplit('.').next(),
            _ => Some(whole),
        }
    }

    /// Sets another value too.
    pub(super) fn also(&mut self, path: Vec<Step>, value: Value) {
        self.edits.push((path, Edit::Set(value)));
    }

    /// The names of the parameters that it changes.
    pub fn changed(&self) -> impl Iterator<Item = &str> {
        self.edits.iter().filter_map(|(path, _)| match path.first() {
            Some(Step::Key(name)) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The values that it gives to parameters, `None` for one that it leaves out; nothing if it changes what the call
    /// contains.
    pub fn given(&self) -> Option<Vec<(&str, Option<&Value>)>> {
        let given = self.edits.iter().map(|(path, edit)| match (&path[..], edit) {
            _ if self.drawn.is_some() => None,
            ([Step::Key(name)], Edit::Set(value)) => Some((name.as_str(), Some(value))),
            ([Step::Key(name)], Edit::Remove) => Some((name.as_str(), None)),
            _ => None,
        });
        given.collect()
    }

    /// The value sent in place of a valid one, if there is one.
    pub fn value(&self) -> Option<&Value> {
        self.given()?.first()?.1
    }

    /// The arguments with the change; unchanged if the place does not exist.
    pub fn apply(&self, arguments: &Value) -> Value {
        let whole = Value::Object(arguments.as_object().cloned().unwrap_or_default());
        let made = |whole: &Value| {
            let mut changed = whole.clone();
            for (path, edit) in &self.edits {
                edit.apply(&mut changed, path, &mut RawTexts::default())?;
            }
            (changed != *whole).then_some(changed)
        };
        let on_drawn = || {
            let mut filled = whole.clone();
            filled[self.changed().next()?] = self.drawn.clone()?;
            made(&filled)
        };
        // What a call leaves out is as it is drawn.
        let is_given = self.drawn.is_none() || self.changed().all(|name| whole.get(name).is_some());
        let on_call = if is_given { made(&whole) } else { None };
        on_call.or_else(on_drawn).unwrap_or_else(|| whole.clone())
    }

    /// The arguments to send with the change, given the values of the tool's parameters, and the argument that contains
    /// them if there is one.
    pub fn apply_in(&self, wrapper: Option<&str>, own: &Value) -> Value {
        match self.of_wrapper {
            true => self.apply(&wrap(wrapper, own.clone())),
            false => wrap(wrapper, self.apply(own)),
        }
    }

    /// The changed place of these arguments as a JSON Pointer; empty if there are several.
    pub(super) fn pointer(&self, arguments: &Value) -> String {
        match &self.edits[..] {
            [(path, _)] => pointer(path, arguments),
            _ => String::new(),
        }
    }

    /// The schema keyword that it violates, or else its id.
    pub(super) fn keyword(&self) -> &'static str {
        self.owed.and_then(|owed| owed.keyword.as_deref()).unwrap_or(self.id)
    }
}

/// A place whose value is changed.
#[derive(Debug, Clone)]
pub(super) struct ChangedPlace {
    /// The place in dotted notation, such as `edits.old`.
    pub(super) dotted: String,
    pub(super) path: Vec<Step>,
    /// The parameter's value to use if the call has none, or one without this place.
    pub(super) drawn: Option<Value>,
}

impl ChangedPlace {
    /// A parameter.
    pub(super) fn of(name: &str) -> Self {
        Self { dotted: name.to_owned(), path: vec![Step::Key(name.to_owned())], drawn: None }
    }

    /// A change of its value.
    pub(super) fn change(&self, id: &'static str, edit: Edit, label: &str) -> Mutation {
        Mutation {
            parameter: Some(self.dotted.clone()),
            id,
            label: format!("`{}`: {label}", self.dotted),
            edits: vec![(self.path.clone(), edit)],
            drawn: self.drawn.clone(),
            ..Mutation::default()
        }
    }

    /// Whether it is the value of a parameter, and no part of it.
    pub(super) fn is_whole(&self) -> bool {
        self.path.len() == 1
    }
}

/// Collects the changes of the catalogue, each with its turn.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// What is filled in everywhere.
    fills: Vec<Fill>,
    pub(super) found: Vec<(u8, Mutation)>,
    /// If set, the changes are only counted: a server may list thousands of tools, and few changes are sent.
    counted: Option<usize>,
}

impl Collector {
    pub(super) fn of(tool_files: &ToolFiles) -> Self {
        let fills = vec![
            ("folder", tool_files.folder().into()),
            ("sub", tool_files.sub().into()),
            ("file", tool_files.file().into()),
            ("unlisted", unlisted(tool_files.tool()).into()),
            ("long", "a".repeat(LONG_NAME).into()),
            // Cut after an even number of bytes or of UTF-16's units, it is cut within a character.
            ("long letters", format!("a{}", "😀".repeat(1_000)).into()),
            ("outside", format!("{OUTSIDE}/{CANARY}").into()),
            ("outside folder", OUTSIDE.into()),
            ("order", ORDER.into()),
        ];
        Self { fills, ..Self::default() }
    }

    /// Adds the changes of this sort.
    pub(super) fn add(&mut self, sort: &str, place: &ChangedPlace, more: &[Fill]) {
        if let Some(count) = &mut self.counted {
            *count += rows(sort).len();
            return;
        }
        for row in rows(sort) {
            let fills = [more, &self.fills];
            if let Some(edit) = row.edit(&fills) {
                let change = place.change(&row.id, edit, &row.label(&fills));
                self.found.push((row.turn, Mutation { owed: row.owed.as_ref(), ..change }));
            }
        }
    }

    /// Adds the changes of this sort, of these parameters at once, each of which gets its value. They are about `parameter`, if
    /// they are about one.
    pub(super) fn add_of_all(
        &mut self,
        sort: &str,
        parameter: Option<&str>,
        values: &[(&str, Value)],
        fills: &[Fill],
    ) {
        for row in rows(sort) {
            let edit = |value: &Value| row.edit(&[&[("value", value.clone())]]).unwrap_or(Edit::Remove);
            let step = |name: &str| vec![Step::Key(name.to_owned())];
            let change = Mutation {
                parameter: parameter.map(str::to_owned),
                id: &row.id,
                label: row.label(&[fills]),
                owed: row.owed.as_ref(),
                edits: values.iter().map(|(name, value)| (step(name), edit(value))).collect(),
                ..Mutation::default()
            };
            self.found.push((row.turn, change));
        }
    }

    /// The changes in the order in which they were added.
    pub(super) fn changes(self) -> Vec<Mutation> {
        self.found.into_iter().map(|(_, change)| change).collect()
    }
}

/// A text that names nothing. Each tool has its own, so that one tool does not find what another created under
/// it.
pub(super) fn unlisted(tool: &str) -> String {
    let letters = tool.chars().take(NAME);
    let name = letters.map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    format!("no-such-value-{}", name.collect::<String>()).trim_end_matches('-').to_owned()
}

/// Every single change of a tool's arguments that a schema forbids, the most telling first.
pub fn mutations(schema: &Value, tool_files: &ToolFiles) -> Vec<Mutation> {
    let mut collector = Collector::of(tool_files);
    collect(&mut collector, schema, tool_files);
    // The sort is stable, so parameters stay in the schema's order.
    collector.found.sort_by_key(|(turn, _)| *turn);
    collector.changes()
}

/// The number of these changes.
pub fn count_mutations(schema: &Value, tool_files: &ToolFiles) -> usize {
    let mut collector = Collector { counted: Some(0), ..Collector::default() };
    collect(&mut collector, schema, tool_files);
    collector.counted.unwrap_or_default()
}

fn collect(collector: &mut Collector, schema: &Value, tool_files: &ToolFiles) {
    let whole = flattened(schema, schema);
    let needed: Vec<&str> = required(&whole).collect();
    for name in &needed {
        collector.add("required", &ChangedPlace::of(name), &[]);
    }
    let properties = whole.get("properties").and_then(Value::as_object);
    for (name, parameter) in properties.into_iter().flatten() {
        let (place, flat) = (ChangedPlace::of(name), flattened(parameter, schema));
        of_parameter(collector, &place, &flat, needed.contains(&name.as_str()));
        let drawn = || Draw::new(schema, tool_files, 0).parameter(name, &flat);
        wrong_item(collector, &place, (&flat, schema), &drawn);
        as_text(collector, &place, &flat, &drawn);
        if lists_values(&flat) {
            collector.add("listed-in-words", &place, &[]);
        }
    }
    if whole.get("additionalProperties") == Some(&Value::Bool(false)) {
        collector.add("no-others", &ChangedPlace::of(UNKNOWN_ARGUMENT), &[]);
    }
    if let Some(properties) = properties.filter(|_| says_nothing_of_others(&whole)) {
        let optional = properties.iter().filter(|(name, _)| !needed.contains(&name.as_str()));
        let hasty = optional.filter_map(|(name, parameter)| {
            let wrong = misspelt(name).filter(|wrong| !properties.contains_key(wrong))?;
            Some((name, wrong, plain_value(&flattened(parameter, schema))?))
        });
        if let Some((name, wrong, value)) = hasty.into_iter().next() {
            collector.add("optional-name", &ChangedPlace::of(name), &[("wrong", wrong.clone().into())]);
            if let Some((_, added)) = collector.found.last_mut() {
                added.edits.insert(0, (ChangedPlace::of(&wrong).path, Edit::Set(value)));
            }
        }
    }
}

/// Whether the description of a text lists the values that there are, and the schema does not.
pub(super) fn lists_values(schema: &Value) -> bool {
    let is_open = schema.get("enum").is_none() && schema.get("const").is_none();
    let description = schema.get("description").and_then(Value::as_str);
    types(schema).first() == Some(&"string")
        && is_open
        && description.is_some_and(|description| only_values(description).len() > 1)
}

/// A value of a parameter's type that has no effect by itself.
fn plain_value(schema: &Value) -> Option<Value> {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return Some(first.clone());
    }
    let least = || schema.get("minimum").and_then(Value::as_i64).unwrap_or(1).max(1);
    match *types(schema).first()? {
        "boolean" => Some(json!(true)),
        "integer" | "number" => Some(json!(least())),
        "string" => Some(json!("alpha")),
        "array" => Some(json!([])),
        "object" => Some(json!({})),
        _ => None,
    }
}

fn of_parameter(collector: &mut Collector, place: &ChangedPlace, schema: &Value, is_required: bool) {
    let types = types(schema);
    let kind = types.first().copied().unwrap_or("value");
    if let Some((other, value)) = another_type(schema) {
        let fills = [("type", kind.into()), ("other type", other.into()), ("other", value)];
        collector.add("typed", place, &fills);
    }
    if is_required && !types.is_empty() {
        collector.add("typed-required", place, &[("type", kind.into())]);
    }
    let closed = schema.get("enum").and_then(Value::as_array);
    if let Some(values) = closed.filter(|values| values.iter().all(Value::is_string)) {
        collector.add("closed", place, &[]);
        if let Some((_, added)) = collector.found.last_mut() {
            added.listable = (2..=LISTED).contains(&values.len());
        }
    } else if kind == "string" && (is_required || schema.get("minLength").is_some()) {
        collector.add("filled", place, &[]);
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64).filter(|bound| bound.abs() < 9e15);
    let count = |key: &str| schema.get(key).and_then(Value::as_u64).filter(|count| *count < LONG);
    match kind {
        "integer" | "number" => {
            for (key, open, step) in
                [("minimum", "exclusiveMinimum", -1.0), ("maximum", "exclusiveMaximum", 1.0)]
            {
                if let Some(beyond) = bound(key).map(|bound| bound + step).or_else(|| bound(open)) {
                    collector.add(key, place, &[("value", number(beyond))]);
                }
            }
        }
        "string" => {
            if let Some(least) = count("minLength").filter(|least| *least > 1) {
                collector.add("minLength", place, &[("bound", least.into())]);
            }
            if let Some(most) = count("maxLength") {
                let text = "a".repeat(most as usize + 1);
                let fills = [("bound", most.into()), ("count", text.len().into()), ("value", text.into())];
                collector.add("maxLength", place, &fills);
            }
        }
        "array" if count("minItems").is_some_and(|least| least > 0) => {
            collector.add("minItems", place, &[]);
        }
        _ => {}
    }
}

/// A value of a type that the schema does not name, with the type's name. A server that converts texts to
/// numbers or flags must not be able to convert it.
fn another_type(schema: &Value) -> Option<(&'static str, Value)> {
    let types = types(schema);
    let first = *types.first()?;
    let is_named = |name: &str| types.contains(&name) || name == "number" && types.contains(&"integer");
    let others = match first {
        "string" => [("number", json!(20)), ("array", json!([])), ("object", json!({}))],
        _ => [("string", json!("twelve")), ("object", json!({})), ("array", json!([]))],
    };
    others.into_iter().find(|(name, _)| !is_named(name))
}

/// A list whose first item has another type, and one with an item that is not listed.
fn wrong_item(
    collector: &mut Collector,
    place: &ChangedPlace,
    (schema, root): (&Value, &Value),
    drawn: &dyn Fn() -> Option<Value>,
) {
    let items = schema.get("items").filter(|_| types(schema).first() == Some(&"array"));
    let Some(items) = items.map(|items| flattened(items, root)) else { return };
    let listed = items.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let may_be_one = schema.get("minItems").and_then(Value::as_u64).is_none_or(|least| least <= 1);
    if !listed.is_empty() && may_be_one && listed.iter().all(Value::is_string) {
        collector.add("closed-items", place, &[]);
        if let Some((_, added)) = collector.found.last_mut() {
            added.listable = (2..=LISTED).contains(&listed.len());
        }
    }
    let Some((other, wrong)) = another_type(&items) else { return };
    let Some(drawn) = drawn() else { return };
    let mut wrong_items = drawn.as_array().cloned().unwrap_or_default();
    match wrong_items.first_mut() {
        Some(first) => *first = wrong,
        None => wrong_items.push(wrong),
    }
    let kind = types(&items).first().copied().unwrap_or("value");
    let fills = [("type", kind.into()), ("other type", other.into()), ("items", wrong_items.into())];
    collector.add("items", place, &fills);
}

/// A number or a flag as a text.
fn as_text(
    collector: &mut Collector,
    place: &ChangedPlace,
    schema: &Value,
    drawn: &dyn Fn() -> Option<Value>,
) {
    let types = types(schema);
    match types.first().copied() {
        _ if types.contains(&"string") || schema.get("const").is_some() => {}
        Some("boolean") => collector.add("flag-as-text", place, &[("type", "boolean".into())]),
        Some(kind @ ("integer" | "number")) => {
            // To count the changes no value need be drawn, which takes time.
            let value = if collector.counted.is_some() { Some(json!(1)) } else { drawn() };
            if let Some(value) = value.filter(Value::is_number) {
                let fills = [("type", kind.into()), ("text", value.to_string().into())];
                collector.add("number-as-text", place, &fills);
            }
        }
        _ => {}
    }
}

/// The changes that make all required arguments invalid at once, the least dangerous first: all that a tool
/// which could do harm may get. Empty without required parameters.
pub fn broken_at_once(schema: &Value) -> Vec<Mutation> {
    let whole = flattened(schema, schema);
    let needed: Vec<&str> = required(&whole).collect();
    let wrong = |name: &&str| {
        let parameter = whole.get("properties").and_then(|all| all.get(name))?;
        another_type(&flattened(parameter, schema)).map(|(_, value)| value)
    };
    let wrong: Option<Vec<Value>> = needed.iter().map(wrong).collect();
    let count = match &wrong {
        _ if needed.is_empty() => 0,
        // An argument without a type can only be left out.
        None => 1,
        Some(_) => usize::MAX,
    };
    let values = wrong.unwrap_or_else(|| vec![Value::Null; needed.len()]);
    let all: Vec<(&str, Value)> = needed.into_iter().zip(values).collect();
    let mut collector = Collector::default();
    collector.add_of_all("every-required", None, &all, &[]);
    collector.changes().into_iter().take(count).collect()
}

/// Parameters without a type in the schema, of which only the server knows whether one may be missing, null or of another
/// type: each left out, null, and of another type than `schema`, the schema of all parameters, assumes for it; and all of
/// them left out at once if there are several.
pub(crate) fn of_untyped<'n>(names: impl Iterator<Item = &'n str>, schema: &Value) -> Vec<Mutation> {
    let names: Vec<&str> = names.collect();
    let mut collector = Collector::default();
    if names.len() > 1 {
        let all: Vec<(&str, Value)> = names.iter().map(|name| (*name, Value::Null)).collect();
        collector.add_of_all("every-untyped", None, &all, &[]);
    }
    for name in names {
        let assumed = schema.get("properties").and_then(|all| another_type(all.get(name)?));
        let other = assumed.map_or_else(|| json!("twelve"), |(_, value)| value);
        collector.add("untyped", &ChangedPlace::of(name), &[("other", other)]);
    }
    collector.changes()
}

/// The changes of a parameter that has this part in a tool's role; `outside` is a path outside the root.
pub(crate) fn of_role(sort: &str, parameter: &str, tool_files: &ToolFiles, outside: &str) -> Vec<Mutation> {
    let mut collector = Collector::of(tool_files);
    collector.add(sort, &ChangedPlace::of(parameter), &[("path", outside.into())]);
    collector.changes()
}

#[cfg(test)]
mod tests {
    use super::super::{Confirmer, Ruling};
    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "query": {"type": "string"},
                "mode": {"type": "string", "enum": ["a", "b"]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 10},
                "edits": {"type": "array", "items": {"type": "object"}, "minItems": 1},
                "parts": {"type": "array", "items": {"type": "string", "enum": ["name", "size"]}},
                "any": {}
            },
            "required": ["path", "query"],
            "additionalProperties": false
        })
    }

    #[test]
    fn every_change_is_named_in_words_and_forbidden_by_the_schema_but_for_an_empty_text_that_it_allows() {
        let (schema, tool_files) = (schema(), ToolFiles::at("/w/c"));
        let valid = Value::Object(Draw::new(&schema, &tool_files, 0).arguments().unwrap());
        let confirmer = Confirmer::new(&schema);
        assert_eq!(confirmer.ruling(&valid), Ruling::Allows);
        let line = |mutation: &Mutation| {
            let ruling = confirmer.ruling(&mutation.apply(&valid));
            format!("{} {} {ruling:?}", mutation.id, mutation.label)
        };
        let lines: Vec<String> = mutations(&schema, &tool_files).iter().map(line).collect();
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(count_mutations(&schema, &tool_files), lines.len());
    }

    #[test]
    fn one_argument_that_may_be_left_out_is_misspelt_where_the_schema_is_open() {
        let sent = |schema: &Value| {
            let all = mutations(schema, &ToolFiles::at("/w/c"));
            let misspelt = all.iter().filter(|mutation| mutation.id == "misspelt");
            misspelt.map(|mutation| mutation.apply(&json!({"path": "a", "max": 1}))).collect::<Vec<_>>()
        };
        let mut schema = schema();
        assert!(sent(&schema).is_empty());
        schema.as_object_mut().unwrap().remove("additionalProperties");
        assert_eq!(sent(&schema), [json!({"path": "a", "max": 1, "moed": "a"})]);
        schema["required"] = json!(["path", "query", "mode", "limit", "edits", "parts"]);
        assert!(sent(&schema).is_empty(), "what remains is too short");
    }

    #[test]
    fn a_text_whose_description_lists_its_values_gets_one_that_it_does_not_list() {
        let sent = |description: &str| {
            let schema = json!({"properties": {"mode": {"type": "string", "description": description}}});
            let all = mutations(&schema, &ToolFiles::at("/w/c").called("run_it"));
            let unlisted = all.into_iter().find(|mutation| mutation.id == "unlisted");
            unlisted.and_then(|mutation| mutation.value().cloned())
        };
        assert_eq!(sent("One of fast, exact"), Some(json!("no-such-value-run-it")));
        assert_eq!(sent("A name, such as fast or exact"), None);
    }

    #[test]
    fn what_is_sent_to_a_dangerous_tool_breaks_every_required_argument() {
        let sent = |schema: &Value| -> Vec<Value> {
            broken_at_once(schema).iter().map(|mutation| mutation.apply(&json!({}))).collect()
        };
        let null = json!({"path": null, "query": null});
        assert_eq!(sent(&schema()), [json!({}), json!({"path": 20, "query": 20}), null]);
        assert!(sent(&json!({"properties": {"path": {"type": "string"}}})).is_empty());
        assert_eq!(sent(&json!({"properties": {"path": {}}, "required": ["path"]})), [json!({})]);
    }

    #[test]
    fn what_says_no_type_is_left_out_null_and_of_another_type() {
        let schema = json!({"properties": {"name": {"type": "string"}, "limit": {"type": "integer"}}});
        let found = of_untyped(["name", "limit"].into_iter(), &schema);
        let call = json!({"name": "alpha", "limit": 1});
        let sent: Vec<Value> = found.iter().map(|change| change.apply(&call)).collect();
        let expected = [
            json!({}),
            json!({"limit": 1}),
            json!({"name": 20, "limit": 1}),
            json!({"name": null, "limit": 1}),
            json!({"name": "alpha"}),
            json!({"name": "alpha", "limit": "twelve"}),
            json!({"name": "alpha", "limit": null}),
        ];
        assert_eq!(sent, expected);
        assert_eq!(of_untyped(["name"].into_iter(), &schema).len(), 3);
        assert!(found.iter().all(|change| change.owed.is_none()));
    }
}
