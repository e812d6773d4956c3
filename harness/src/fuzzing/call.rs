//! Makes calls from bytes: the tool and its arguments, valid or not.
//!
//! The main type is [`Tools`]. Most values have the type that the schema requires, so that a call passes the
//! first check; whether the schema allows them is not checked.

use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::generate::{Bytes, odd_texts};
use crate::json_schema::{flattened, required, types};

/// The maximum depth of a value.
const DEPTH: usize = 6;
/// At most this many items are in an array.
const ITEMS: usize = 8;

/// The tools to call.
#[derive(Debug)]
pub(super) struct Tools {
    tools: Vec<(String, Value)>,
    words: Vec<String>,
    /// Texts that found faults in real servers.
    telling: Vec<&'static str>,
    /// Numbers near common limits.
    limits: Vec<&'static str>,
}

impl Tools {
    /// All tools of a catalog except those left out.
    pub(super) fn new(catalog: &Catalog, words: &[String], left_out: &[String]) -> Self {
        let called = catalog.tools.iter().filter(|tool| !left_out.contains(&tool.name));
        let tools = called.map(|tool| (tool.name.clone(), tool.input_schema.clone())).collect();
        let [telling, limits] = ["telling", "limit"].map(odd_texts);
        Self { tools, words: words.to_vec(), telling, limits }
    }

    /// The next call, while there are bytes; `answer` are words of earlier replies.
    pub(super) fn call(&self, bytes: &mut Bytes<'_>, answer: &[String]) -> Option<(&str, Value)> {
        if bytes.is_empty() {
            return None;
        }
        let (tool, schema) = bytes.one(&self.tools)?;
        let mut draw = Draw { bytes, root: schema, from: self, answer };
        let root = flattened(schema, schema);
        Some((tool, Value::Object(draw.members(&root, DEPTH))))
    }
}

/// A value being made.
struct Draw<'d, 'b> {
    bytes: &'d mut Bytes<'b>,
    root: &'d Value,
    from: &'d Tools,
    answer: &'d [String],
}

impl Draw<'_, '_> {
    fn members(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut members = Map::new();
        let required: Vec<&str> = required(schema).collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, member) in properties.into_iter().flatten() {
            let choice = self.bytes.byte();
            let given = match required.contains(&name.as_str()) {
                true => choice < 0xf8,
                false => choice % 2 == 1,
            };
            if given {
                members.insert(name.clone(), self.value(member, depth));
            }
        }
        if self.bytes.byte() == 0xff {
            let name = self.bytes.text();
            let value = self.any(depth);
            members.insert(name, value);
        }
        members
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let choice = self.bytes.byte();
        if depth == 0 || choice >= 0xf0 {
            return self.any(depth.min(2));
        }
        let schema = flattened(schema, self.root);
        if choice >= 0xa0
            && let Some(given) = self.given(&schema)
        {
            return given;
        }
        let types = types(&schema);
        match types.get(usize::from(choice) % types.len().max(1)).copied() {
            None | Some("string") => Value::String(self.text(&schema)),
            Some("boolean") => Value::Bool(self.bytes.byte() % 2 == 1),
            Some("integer") => self.integer(&schema),
            Some("number") => match self.bytes.byte() % 2 {
                0 => self.integer(&schema),
                _ => json!(f64::from_bits(self.bytes.number() as u64)),
            },
            Some("array") => {
                let items = schema.get("items").unwrap_or(&Value::Null);
                let count = self.bytes.below(ITEMS);
                (0..count).map(|_| self.value(items, depth - 1)).collect()
            }
            Some("object") => Value::Object(self.members(&schema, depth - 1)),
            Some(_) => Value::Null,
        }
    }

    /// A value that the schema itself gives: from its set, an example, or the default.
    fn given(&mut self, schema: &Value) -> Option<Value> {
        let listed = |key: &str| schema.get(key).and_then(Value::as_array);
        let all: Vec<&Value> = ["enum", "examples"].into_iter().filter_map(listed).flatten().collect();
        let all: Vec<&Value> =
            all.into_iter().chain(schema.get("const")).chain(schema.get("default")).collect();
        self.bytes.one(&all).map(|value| (*value).clone())
    }

    fn text(&mut self, schema: &Value) -> String {
        let choice = self.bytes.byte();
        match choice % 8 {
            0 => match self.given(schema) {
                Some(Value::String(given)) => given,
                _ => "alpha".to_owned(),
            },
            // The schema's own value in another case.
            1 => match self.given(schema) {
                Some(Value::String(given)) if choice < 128 => given.to_uppercase(),
                Some(Value::String(given)) => given.to_lowercase() + "/",
                _ => self.bytes.text(),
            },
            2 => self.bytes.one(&self.from.words).cloned().unwrap_or_else(|| "alpha".to_owned()),
            3 => self.bytes.one(self.answer).cloned().unwrap_or_default(),
            4 => self.telling().to_owned(),
            // A long text from few bytes.
            5 => {
                let times = 1 << self.bytes.below(13);
                self.bytes.text().repeat(times).chars().take(10_000).collect()
            }
            6 => {
                let telling = self.telling();
                self.bytes.text() + telling
            }
            _ => self.bytes.text(),
        }
    }

    fn telling(&mut self) -> &'static str {
        self.bytes.one(&self.from.telling).copied().unwrap_or_default()
    }

    fn integer(&mut self, schema: &Value) -> Value {
        match self.bytes.byte() % 5 {
            0 => json!(self.bytes.byte()),
            1 => self.bytes.one(&self.from.limits).and_then(|limit| limit.parse().ok()).unwrap_or_default(),
            // Medium numbers find more than extreme ones.
            2 => json!(i64::from(self.bytes.byte()).saturating_mul(10_i64.pow(self.bytes.below(14) as u32))),
            3 => {
                let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
                let bounds: Vec<i64> = bounds.iter().filter_map(|key| schema.get(*key)?.as_i64()).collect();
                let near = i64::from(self.bytes.byte() % 3) - 1;
                json!(self.bytes.one(&bounds).map_or(near, |bound| bound.saturating_add(near)))
            }
            _ => json!(self.bytes.number()),
        }
    }

    /// A value of any type.
    fn any(&mut self, depth: usize) -> Value {
        match self.bytes.byte() % if depth == 0 { 4 } else { 6 } {
            0 => Value::Null,
            1 => Value::Bool(self.bytes.byte() % 2 == 1),
            2 => json!(self.bytes.number()),
            3 => Value::String(self.bytes.text()),
            4 => (0..self.bytes.below(ITEMS)).map(|_| self.any(depth - 1)).collect(),
            _ => {
                let count = self.bytes.below(4);
                (0..count).map(|_| (self.bytes.text(), self.any(depth - 1))).collect()
            }
        }
    }
}
