//! Single changes of valid arguments, each with a label in words.
//!
//! The main type is [`Mutation`]. Whether a schema really forbids the result is decided by the validator.

use serde_json::{Value, json};

use super::draw::Draw;
use super::names::misspelt;
use super::shown::only_values;
use super::tool_files::ToolFiles;
use super::unusual::unlisted;
use super::within::Within;
use crate::json_schema::{flattened, required, says_nothing_of_others, types};

/// Texts and arrays longer than this are not sent just to exceed a bound.
const LONG: u64 = 4_096;
/// The name of an argument that no tool has.
const UNKNOWN_ARGUMENT: &str = "no_such_argument";
/// A value that is in no closed set.
const UNKNOWN_VALUE: &str = "no-such-value";
/// A closed set with more values than this need not be listed in a message.
const LISTED: usize = 30;

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutationKind {
    /// A required argument is left out.
    Missing,
    /// A value of another type.
    WrongType,
    /// The empty text.
    Empty,
    /// A value outside a closed set.
    UnknownValue,
    /// Below the minimum, or shorter than the minimum length.
    BelowRange,
    /// Above the maximum, or longer than the maximum length.
    AboveRange,
    /// An item of another type.
    WrongItem,
    /// Null.
    Null,
    /// A surplus argument.
    UnknownArgument,
    /// An optional argument under a misspelt name.
    Misspelt,
    /// A path where nothing exists.
    NotFound,
    /// A path outside the root.
    Outside,
    /// An invalid pattern in this syntax.
    InvalidPattern(PatternSyntax),
    /// A text that names nothing, if the schema lists no values; the description may.
    Unlisted,
    /// A text that no parser accepts.
    Unparsable,
    /// A very long text, if the schema gives no maximum.
    Long,
    /// The empty text, if the schema does not mention it.
    Unfilled,
    /// Zero.
    Zero,
    /// A negative number.
    Negative,
    /// A large number.
    Large,
    /// A change specific to the kind of parameter, to its place or to its structure, with this name.
    Special(&'static str),
}

/// The syntax of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PatternSyntax {
    /// A regular expression.
    Regex,
    /// A glob.
    Glob,
}

impl MutationKind {
    /// Nothing is changed: the tool has no parameters.
    const PLAIN: Self = Self::Special("plain");

    /// Whether it is one of which a schema says nothing: what comes of it may be right.
    pub fn is_unusual(self) -> bool {
        self == Self::Misspelt || self >= Self::Unlisted
    }

    /// Its part of a probe's id.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong-type",
            Self::Empty => "empty",
            Self::UnknownValue => "unknown-value",
            Self::BelowRange => "below-range",
            Self::AboveRange => "above-range",
            Self::WrongItem => "wrong-item",
            Self::Null => "null",
            Self::UnknownArgument => "unknown-argument",
            Self::Misspelt => "misspelt",
            Self::NotFound => "not-found",
            Self::Outside => "outside",
            Self::InvalidPattern(_) => "invalid-pattern",
            Self::Unlisted => "unlisted",
            Self::Unparsable => "unparsable",
            Self::Long => "long",
            Self::Unfilled => "unfilled",
            Self::Zero => "zero",
            Self::Negative => "negative",
            Self::Large => "large",
            Self::Special(name) => name,
        }
    }
}

/// One change of valid arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutation {
    /// The changed parameter; `None` if all required ones are made invalid at once.
    pub parameter: Option<String>,
    /// The kind of the change.
    pub kind: MutationKind,
    /// The members that are set (`Some`) or left out (`None`).
    pub change: Vec<(String, Option<Value>)>,
    /// The change within a member's value, if it is not the whole value.
    pub within: Option<(String, Within)>,
    /// The change in words: "`path`: string -> number".
    pub label: String,
    /// Whether a value outside a closed set is sent that is small enough to be listed in a message.
    pub listable: bool,
}

impl Mutation {
    /// One change of one parameter.
    pub fn new(parameter: &str, kind: MutationKind, value: Option<Value>, label: impl Into<String>) -> Self {
        Self {
            parameter: Some(parameter.to_owned()),
            kind,
            change: vec![(parameter.to_owned(), value)],
            within: None,
            label: format!("`{parameter}`: {}", label.into()),
            listable: false,
        }
    }

    /// A change within the value of a parameter; `place` is its description, such as `edits.old`.
    pub(super) fn inside(
        (parameter, place): (&str, &str),
        kind: MutationKind,
        within: Within,
        label: impl Into<String>,
    ) -> Self {
        Self {
            change: Vec::new(),
            within: Some((parameter.to_owned(), within)),
            ..Self::new(place, kind, None, label)
        }
    }

    /// No change at all: the call of a tool that has no parameters.
    pub fn plain() -> Self {
        Self {
            parameter: None,
            kind: MutationKind::PLAIN,
            change: Vec::new(),
            within: None,
            label: "called without arguments".to_owned(),
            listable: false,
        }
    }

    /// Whether it is no change.
    pub fn is_plain(&self) -> bool {
        self.kind == MutationKind::PLAIN
    }

    /// The parameter's own name, without what it is nested in.
    pub fn name(&self) -> Option<&str> {
        let whole = self.parameter.as_deref()?;
        match self.within {
            Some(_) => whole.rsplit('.').next(),
            None => Some(whole),
        }
    }

    /// The arguments with the change; unchanged if the place does not exist.
    pub fn apply(&self, arguments: &Value) -> Value {
        let mut members = arguments.as_object().cloned().unwrap_or_default();
        if let Some((name, within)) = &self.within
            && let Some(changed) = within.apply(members.get(name))
        {
            members.insert(name.clone(), changed);
        }
        for (name, value) in &self.change {
            match value {
                Some(value) => {
                    members.insert(name.clone(), value.clone());
                }
                None => {
                    members.shift_remove(name);
                }
            }
        }
        Value::Object(members)
    }

    /// The value sent in place of a valid one, if there is one.
    pub fn value(&self) -> Option<&Value> {
        self.change.first()?.1.as_ref()
    }
}

/// Takes a function that makes a change, which need not be called just for counting.
type MutationSink<'t> = &'t mut dyn FnMut(&dyn Fn() -> Mutation);

/// Every single change of a tool's arguments, the most telling first.
pub fn mutations(schema: &Value, tool_files: &ToolFiles) -> Vec<Mutation> {
    let mut found = Vec::new();
    each(schema, tool_files, &mut |make| found.push(make()));
    // The sort is stable, so parameters stay in the schema's order.
    found.sort_by_key(|mutation| mutation.kind);
    found
}

/// The number of changes, without making them: a server may list thousands of tools, and few changes are sent.
pub fn count_mutations(schema: &Value, tool_files: &ToolFiles) -> usize {
    let mut count = 0;
    each(schema, tool_files, &mut |_| count += 1);
    count
}

fn each(schema: &Value, tool_files: &ToolFiles, take: MutationSink<'_>) {
    let whole = flattened(schema, schema);
    let required: Vec<&str> = required(&whole).collect();
    for name in &required {
        take(&|| Mutation::new(name, MutationKind::Missing, None, "left out"));
    }
    let properties = whole.get("properties").and_then(Value::as_object);
    for (name, parameter) in properties.into_iter().flatten() {
        let flat = flattened(parameter, schema);
        let is_required = required.contains(&name.as_str());
        of_parameter(name, &flat, is_required, take);
        wrong_item(name, &flat, schema, tool_files, take);
        if lists_values(&flat) {
            let (value, label) = (unlisted(tool_files.tool()), "a value that its description does not list");
            take(&|| Mutation::new(name, MutationKind::Unlisted, Some(json!(value)), label));
        }
    }
    if whole.get("additionalProperties") == Some(&Value::Bool(false)) {
        let label = "an argument that the schema does not allow";
        let (name, kind) = (UNKNOWN_ARGUMENT, MutationKind::UnknownArgument);
        take(&|| Mutation::new(name, kind, Some(json!(true)), label));
    }
    if says_nothing_of_others(&whole) {
        let optional =
            properties.into_iter().flatten().filter(|(name, _)| !required.contains(&name.as_str()));
        let hasty = optional.filter_map(|(name, parameter)| {
            let wrong =
                misspelt(name).filter(|wrong| properties.is_some_and(|all| !all.contains_key(wrong)))?;
            Some((name, wrong, plain_value(&flattened(parameter, schema))?))
        });
        if let Some((name, wrong, value)) = hasty.into_iter().next() {
            take(&|| Mutation {
                change: vec![(wrong.clone(), Some(value.clone())), (name.clone(), None)],
                ..Mutation::new(name, MutationKind::Misspelt, None, format!("its name misspelt, `{wrong}`"))
            });
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

fn of_parameter(name: &str, schema: &Value, is_required: bool, take: MutationSink<'_>) {
    let types = types(schema);
    let kind = types.first().copied().unwrap_or("value");
    if let Some((other, value)) = another_type(schema) {
        let label = || format!("{kind} -> {other}");
        take(&|| Mutation::new(name, MutationKind::WrongType, Some(value.clone()), label()));
    }
    if is_required && !types.is_empty() {
        take(&|| Mutation::new(name, MutationKind::Null, Some(Value::Null), format!("{kind} -> null")));
    }
    let closed =
        schema.get("enum").and_then(Value::as_array).filter(|values| values.iter().all(Value::is_string));
    if let Some(values) = closed {
        let label = "a value that is not one of the listed ones";
        take(&|| Mutation {
            listable: (2..=LISTED).contains(&values.len()),
            ..Mutation::new(name, MutationKind::UnknownValue, Some(json!(UNKNOWN_VALUE)), label)
        });
    } else if kind == "string" && (is_required || schema.get("minLength").is_some()) {
        take(&|| Mutation::new(name, MutationKind::Empty, Some(json!("")), "string -> empty string"));
    }
    out_of_range(name, schema, kind, take);
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

fn out_of_range(name: &str, schema: &Value, kind: &str, take: MutationSink<'_>) {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64).filter(|bound| bound.abs() < 9e15);
    let whole = |value: f64| if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
    let count = |key: &str| schema.get(key).and_then(Value::as_u64).filter(|count| *count < LONG);
    let of = |kind, value: Value, label: String| Mutation::new(name, kind, Some(value), label);
    match kind {
        "integer" | "number" => {
            let below = number("minimum").map(|bound| bound - 1.0).or_else(|| number("exclusiveMinimum"));
            if let Some(value) = below.map(whole) {
                let label = || format!("{value}, below the declared range");
                take(&|| of(MutationKind::BelowRange, value.clone(), label()));
            }
            let above = number("maximum").map(|bound| bound + 1.0).or_else(|| number("exclusiveMaximum"));
            if let Some(value) = above.map(whole) {
                let label = || format!("{value}, above the declared range");
                take(&|| of(MutationKind::AboveRange, value.clone(), label()));
            }
        }
        "string" => {
            if let Some(least) = count("minLength").filter(|least| *least > 1) {
                let label = || format!("1 character of at least {least}");
                take(&|| of(MutationKind::BelowRange, json!("a"), label()));
            }
            if let Some(most) = count("maxLength") {
                let text = || json!("a".repeat(most as usize + 1));
                let label = || format!("{} characters of at most {most}", most + 1);
                take(&|| of(MutationKind::AboveRange, text(), label()));
            }
        }
        "array" if count("minItems").is_some_and(|least| least > 0) => {
            let label = "an empty list where the schema requires items";
            take(&|| of(MutationKind::BelowRange, json!([]), label.to_owned()));
        }
        _ => {}
    }
}

fn wrong_item(name: &str, schema: &Value, root: &Value, tool_files: &ToolFiles, take: MutationSink<'_>) {
    if types(schema).first() != Some(&"array") {
        return;
    }
    let Some(items) = schema.get("items").map(|items| flattened(items, root)) else { return };
    let Some((other, wrong)) = another_type(&items) else { return };
    let Some(drawn) = Draw::new(root, tool_files, 0).parameter(name, schema) else { return };
    let kind = types(&items).first().copied().unwrap_or("value").to_owned();
    take(&|| {
        let mut drawn = drawn.as_array().cloned().unwrap_or_default();
        match drawn.first_mut() {
            Some(first) => *first = wrong.clone(),
            None => drawn.push(wrong.clone()),
        }
        let label = format!("an item: {kind} -> {other}");
        Mutation::new(name, MutationKind::WrongItem, Some(Value::Array(drawn)), label)
    });
}

/// The changes that make all required arguments invalid at once, the least dangerous first: all that a tool
/// which could do harm may get. Empty without required parameters.
pub fn broken_at_once(schema: &Value) -> Vec<Mutation> {
    let whole = flattened(schema, schema);
    let required: Vec<&str> = required(&whole).collect();
    if required.is_empty() {
        return Vec::new();
    }
    let at_once = |kind, change: Vec<(String, Option<Value>)>, label: &str| Mutation {
        parameter: None,
        kind,
        change,
        within: None,
        label: label.to_owned(),
        listable: false,
    };
    let all = |value: &dyn Fn(&str) -> Option<Value>| -> Option<Vec<(String, Option<Value>)>> {
        required.iter().map(|name| Some(((*name).to_owned(), Some(value(name)?)))).collect()
    };
    let wrong = |name: &str| {
        let parameter = whole.get("properties").and_then(|all| all.get(name))?;
        another_type(&flattened(parameter, schema)).map(|(_, value)| value)
    };
    let missing = required.iter().map(|name| ((*name).to_owned(), None)).collect();
    let mut found = vec![at_once(MutationKind::Missing, missing, "no arguments at all")];
    if let Some(change) = all(&wrong) {
        found.push(at_once(MutationKind::WrongType, change, "a wrong type in every required argument"));
        if let Some(change) = all(&|_| Some(Value::Null)) {
            found.push(at_once(MutationKind::Null, change, "null in every required argument"));
        }
    }
    found
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
        let lines: Vec<String> = mutations(&schema, &tool_files)
            .iter()
            .map(|mutation| {
                let ruling = confirmer.ruling(&mutation.apply(&valid));
                format!("{} {} {ruling:?}", mutation.kind.slug(), mutation.label)
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
        assert_eq!(count_mutations(&schema, &tool_files), lines.len());
    }

    #[test]
    fn one_argument_that_may_be_left_out_is_misspelt_where_the_schema_is_open() {
        let sent = |schema: &Value| {
            let all = mutations(schema, &ToolFiles::at("/w/c"));
            let valid = json!({"path": "a", "max": 1});
            let misspelt = all.iter().filter(|mutation| mutation.kind == MutationKind::Misspelt);
            misspelt.map(|mutation| mutation.apply(&valid)).collect::<Vec<_>>()
        };
        let mut schema = schema();
        assert!(sent(&schema).is_empty());
        schema.as_object_mut().unwrap().remove("additionalProperties");
        assert_eq!(sent(&schema), [json!({"path": "a", "max": 1, "moed": "a"})]);
        schema["required"] = json!(["path", "query", "mode", "limit", "edits"]);
        assert!(sent(&schema).is_empty(), "what remains is too short");
    }

    #[test]
    fn a_text_whose_description_lists_its_values_gets_one_that_it_does_not_list() {
        let sent = |description: &str| {
            let schema = json!({"properties": {"mode": {"type": "string", "description": description}}});
            let all = mutations(&schema, &ToolFiles::at("/w/c").called("run_it"));
            let unlisted = all.into_iter().find(|mutation| mutation.kind == MutationKind::Unlisted);
            unlisted.and_then(|mutation| mutation.value().cloned())
        };
        assert_eq!(sent("One of fast, exact"), Some(json!("no-such-value-run-it")));
        assert_eq!(sent("A name, such as fast or exact"), None);
    }

    #[test]
    fn what_is_sent_to_a_dangerous_tool_breaks_every_required_argument() {
        let schema = schema();
        let sent: Vec<Value> =
            broken_at_once(&schema).iter().map(|mutation| mutation.apply(&json!({}))).collect();
        assert_eq!(sent, [json!({}), json!({"path": 20, "query": 20}), json!({"path": null, "query": null})]);
        assert!(broken_at_once(&json!({"properties": {"path": {"type": "string"}}})).is_empty());
    }
}
