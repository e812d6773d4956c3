//! Single changes of valid arguments, each with a label in words.
//!
//! The main type is [`Mutation`]. Whether a schema really forbids what comes of one, the validator says.

use serde_json::{Value, json};

use super::draw::{Draw, Grounds};
use super::schema::{flattened, types};

/// A text or an array longer than this is not sent to be too long.
const LONG: u64 = 4_096;
/// The name of an argument that no tool has.
const UNKNOWN_ARGUMENT: &str = "no_such_argument";
/// A value that no closed set has.
const UNKNOWN_VALUE: &str = "no-such-value";
/// A set with more values than this need not be listed in a message.
const LISTED: usize = 30;

/// What kind of change it is.
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
    /// Below the least number, or fewer letters or items than the least.
    BelowRange,
    /// Above the greatest number, or more letters or items than the most.
    AboveRange,
    /// An item of another type.
    WrongItem,
    /// Null.
    Null,
    /// An argument too many.
    UnknownArgument,
    /// A path where nothing is.
    NotFound,
    /// A path outside the root.
    Outside,
    /// A pattern that does not compile.
    InvalidPattern,
}

impl MutationKind {
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
            Self::NotFound => "not-found",
            Self::Outside => "outside",
            Self::InvalidPattern => "invalid-pattern",
        }
    }
}

/// One change of valid arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutation {
    /// The parameter, or none where all required ones are broken at once.
    pub parameter: Option<String>,
    /// What kind of change.
    pub kind: MutationKind,
    /// The members that are set, or left out.
    pub change: Vec<(String, Option<Value>)>,
    /// In words: "`path`: string -> number".
    pub label: String,
    /// A closed set is missed that is short enough to be listed in a message.
    pub listable: bool,
}

impl Mutation {
    /// One change of one parameter.
    pub fn of(parameter: &str, kind: MutationKind, value: Option<Value>, label: impl Into<String>) -> Self {
        Self {
            parameter: Some(parameter.to_owned()),
            kind,
            change: vec![(parameter.to_owned(), value)],
            label: format!("`{parameter}`: {}", label.into()),
            listable: false,
        }
    }

    /// The arguments with the change.
    pub fn apply(&self, arguments: &Value) -> Value {
        let mut members = arguments.as_object().cloned().unwrap_or_default();
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

    /// The value that is sent in place of a valid one, where there is one.
    pub fn value(&self) -> Option<&Value> {
        self.change.first()?.1.as_ref()
    }
}

fn required(schema: &Value) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Every single change of a tool's arguments, the telling ones first.
pub fn mutations(schema: &Value, grounds: &Grounds) -> Vec<Mutation> {
    let whole = flattened(schema, schema);
    let required = required(&whole);
    let properties = whole.get("properties").and_then(Value::as_object);
    let mut found: Vec<Mutation> =
        required.iter().map(|name| Mutation::of(name, MutationKind::Missing, None, "left out")).collect();
    for (name, parameter) in properties.into_iter().flatten() {
        let flat = flattened(parameter, schema);
        let is_required = required.contains(&name.as_str());
        found.extend(of_parameter(name, &flat, is_required));
        found.extend(wrong_item(name, &flat, schema, grounds));
    }
    if whole.get("additionalProperties") == Some(&Value::Bool(false)) {
        found.push(Mutation::of(
            UNKNOWN_ARGUMENT,
            MutationKind::UnknownArgument,
            Some(json!(true)),
            "an argument that the schema forbids",
        ));
    }
    // The sort is stable: parameters stay in the schema's order.
    found.sort_by_key(|mutation| mutation.kind);
    found
}

fn of_parameter(name: &str, schema: &Value, is_required: bool) -> Vec<Mutation> {
    let types = types(schema);
    let kind = types.first().copied().unwrap_or("value");
    let mut found = Vec::new();
    if let Some((other, value)) = another_type(schema) {
        found.push(Mutation::of(name, MutationKind::WrongType, Some(value), format!("{kind} -> {other}")));
    }
    if is_required && !types.is_empty() {
        found.push(Mutation::of(name, MutationKind::Null, Some(Value::Null), format!("{kind} -> null")));
    }
    let closed =
        schema.get("enum").and_then(Value::as_array).filter(|values| values.iter().all(Value::is_string));
    if let Some(values) = closed {
        let mut unknown = Mutation::of(
            name,
            MutationKind::UnknownValue,
            Some(json!(UNKNOWN_VALUE)),
            "a value that is none of the listed ones",
        );
        unknown.listable = (2..=LISTED).contains(&values.len());
        found.push(unknown);
    } else if kind == "string" && (is_required || schema.get("minLength").is_some()) {
        found.push(Mutation::of(name, MutationKind::Empty, Some(json!("")), "string -> empty string"));
    }
    found.extend(out_of_range(name, schema, kind));
    found
}

/// A value of a type that the schema does not name, with the type's name. Servers that read numbers and flags from
/// texts are not given one that reads as such.
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

fn out_of_range(name: &str, schema: &Value, kind: &str) -> Vec<Mutation> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64).filter(|bound| bound.abs() < 9e15);
    let whole = |value: f64| if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
    let count = |key: &str| schema.get(key).and_then(Value::as_u64).filter(|count| *count < LONG);
    let mut found = Vec::new();
    let mut push =
        |kind, value: Value, label: String| found.push(Mutation::of(name, kind, Some(value), label));
    match kind {
        "integer" | "number" => {
            let below = number("minimum").map(|bound| bound - 1.0).or_else(|| number("exclusiveMinimum"));
            if let Some(below) = below {
                let value = whole(below);
                push(MutationKind::BelowRange, value.clone(), format!("{value}, below the declared range"));
            }
            let above = number("maximum").map(|bound| bound + 1.0).or_else(|| number("exclusiveMaximum"));
            if let Some(above) = above {
                let value = whole(above);
                push(MutationKind::AboveRange, value.clone(), format!("{value}, above the declared range"));
            }
        }
        "string" => {
            if let Some(least) = count("minLength").filter(|least| *least > 1) {
                push(MutationKind::BelowRange, json!("a"), format!("1 character of at least {least}"));
            }
            if let Some(most) = count("maxLength") {
                let text = "a".repeat(most as usize + 1);
                push(
                    MutationKind::AboveRange,
                    json!(text),
                    format!("{} characters of at most {most}", most + 1),
                );
            }
        }
        "array" if count("minItems").is_some_and(|least| least > 0) => {
            push(MutationKind::BelowRange, json!([]), "no item where some are needed".to_owned());
        }
        _ => {}
    }
    found
}

fn wrong_item(name: &str, schema: &Value, root: &Value, grounds: &Grounds) -> Option<Mutation> {
    if types(schema).first() != Some(&"array") {
        return None;
    }
    let items = flattened(schema.get("items")?, root);
    let (other, wrong) = another_type(&items)?;
    let drawn = Draw::new(root, grounds, 0).parameter(name, schema)?;
    let mut drawn = drawn.as_array().cloned().unwrap_or_default();
    match drawn.first_mut() {
        Some(first) => *first = wrong,
        None => drawn.push(wrong),
    }
    let kind = types(&items).first().copied().unwrap_or("value").to_owned();
    Some(Mutation::of(
        name,
        MutationKind::WrongItem,
        Some(Value::Array(drawn)),
        format!("an item: {kind} -> {other}"),
    ))
}

/// The changes that break all required arguments at once: what may be sent to a tool that could do harm, the least
/// dangerous first. None without a required parameter.
pub fn broken_at_once(schema: &Value) -> Vec<Mutation> {
    let whole = flattened(schema, schema);
    let required = required(&whole);
    if required.is_empty() {
        return Vec::new();
    }
    let at_once = |kind, change: Vec<(String, Option<Value>)>, label: &str| Mutation {
        parameter: None,
        kind,
        change,
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
    let mut found = vec![at_once(MutationKind::Missing, missing, "no argument at all")];
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
        let (schema, grounds) = (schema(), Grounds::at("/w/c"));
        let valid = Value::Object(Draw::new(&schema, &grounds, 0).arguments().unwrap());
        let confirmer = Confirmer::of(&schema);
        assert_eq!(confirmer.ruling(&valid), Ruling::Allows);
        let told: Vec<String> = mutations(&schema, &grounds)
            .iter()
            .map(|mutation| {
                let ruling = confirmer.ruling(&mutation.apply(&valid));
                format!("{} {} {ruling:?}", mutation.kind.slug(), mutation.label)
            })
            .collect();
        insta::assert_snapshot!(told.join("\n"));
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
