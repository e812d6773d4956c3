//! Compiles a schema into nodes, within bounds.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::executable::{self, ExecutableKind};
use super::super::names::{is_path, plain_name};
use super::super::sampler::Sampler;
use super::super::text;
use super::super::tool_files::ToolFiles;
use super::merge::{both, gathered};
use super::{
    CompiledSchema, ENDLESS, ListSchema, Member, MembersSchema, Node, NodeId, NumberSchema, Others,
    SchemaType, TextRole, TextSchema,
};
use crate::catalog::Tool;
use crate::json_schema::{is_small, reference};
use crate::words;

/// The most nodes of a compiled schema; beyond that, any value is allowed.
const NODES: usize = 4_000;
/// At most this many alternatives of one place are read.
const ALTERNATIVES: usize = 24;
/// How much of the remaining depth an alternative uses up.
const ALTERNATIVE_COST: usize = 6;
/// How deep a schema is followed without references in between.
const DEPTH: usize = 32;
/// At most this many members of one object are read.
const MEMBERS: usize = 400;
/// At most this many examples and listed values of one place are kept.
const SAID: usize = 200;

impl CompiledSchema {
    /// Compiles a tool's schema.
    pub(in crate::generate) fn compile(tool: &Tool, tool_files: &ToolFiles) -> Self {
        let nothing = json!({"type": "object"});
        let described = tool.described_schema();
        let schema = Some(&*described).filter(|schema| is_small(schema)).unwrap_or(&nothing);
        let mut compiler =
            Compiler { tool, tool_files, root: schema, nodes: Vec::new(), named: HashMap::new() };
        compiler.node("", schema, DEPTH);
        let mut nodes = compiler.nodes;
        measure(&mut nodes);
        Self { nodes }
    }
}

struct Compiler<'s> {
    tool: &'s Tool,
    tool_files: &'s ToolFiles,
    root: &'s Value,
    nodes: Vec<Node>,
    /// The nodes of referenced schemas, by the reference and the name of the place.
    named: HashMap<(String, String), NodeId>,
}

impl Compiler<'_> {
    fn node(&mut self, name: &str, schema: &Value, depth: usize) -> NodeId {
        let reference = reference(schema);
        let key = reference
            .filter(|_| schema.as_object().is_some_and(|members| members.len() == 1))
            .map(|at| (at.to_owned(), name.to_owned()));
        if let Some(known) = key.as_ref().and_then(|key| self.named.get(key)) {
            return *known;
        }
        let id = self.nodes.len();
        self.nodes.push(Node { plain: plain_name(name), ..Node::default() });
        if let Some(key) = key {
            self.named.insert(key, id);
        }
        let Some(depth) = depth.checked_sub(1).filter(|_| id < NODES) else { return id };
        match schema {
            Value::Bool(false) => self.nodes[id].depth = ENDLESS,
            Value::Object(_) => {
                let gathered = gathered(schema, self.root);
                self.nodes[id] = self.filled(name, gathered, depth);
            }
            _ => {}
        }
        id
    }

    fn filled(&mut self, name: &str, mut schema: Map<String, Value>, depth: usize) -> Node {
        let alternatives = alternatives(&mut schema, self.root);
        let whole = Value::Object(schema);
        let description = whole.get("description").and_then(Value::as_str).unwrap_or_default();
        let plain = plain_name(name);
        let closed = closed(&whole);
        let kinds = kinds(&whole);
        let mut node = Node {
            given: given(&whole),
            number: number(&whole),
            text: self.text(name, &plain, &whole, description),
            closed,
            kinds,
            plain,
            ..Node::default()
        };
        if node.closed.is_empty() && !name.is_empty() {
            let takes = |kind: SchemaType| node.kinds.is_empty() || node.kinds.contains(&kind);
            let may_be = takes(SchemaType::Text) || takes(SchemaType::List);
            let may_be_number = takes(SchemaType::Integer) || takes(SchemaType::Number);
            node.executable = executable::executable_kind(self.tool, name, &whole)
                .filter(|executable| may_be || *executable == ExecutableKind::Port && may_be_number)
                .map(|executable| (executable, shape(&whole, &alternatives)));
        }
        if !alternatives.is_empty() {
            // Nested alternatives multiply.
            let inner = depth.saturating_sub(ALTERNATIVE_COST);
            node.alternatives =
                alternatives.iter().map(|alternative| self.node(name, alternative, inner)).collect();
        }
        node.list = self.list(name, &whole, depth);
        node.members = self.members(&whole, depth);
        node
    }

    fn text(&self, name: &str, plain: &str, schema: &Value, description: &str) -> TextSchema {
        let keyword = |key: &str| schema.get(key).and_then(Value::as_str);
        let lower = description.to_lowercase();
        let role = if is_path(plain, &lower) {
            TextRole::Path
        } else if plain.contains("glob") || lower.contains("glob pattern") {
            TextRole::Glob
        } else if ["pattern", "regex", "regexp"].iter().any(|word| plain.contains(word))
            || keyword("format") == Some("regex")
        {
            TextRole::Pattern
        } else {
            TextRole::Plain
        };
        let mut words: Vec<String> =
            (0..3).filter_map(|turn| text::text(name, schema, self.tool_files, turn)).collect();
        words.dedup();
        TextSchema {
            least: count(schema, "minLength").unwrap_or(0),
            most: count(schema, "maxLength").unwrap_or(usize::MAX),
            pattern: keyword("pattern").and_then(Sampler::parse),
            role,
            words,
            format: keyword("format").unwrap_or_default().to_owned(),
        }
    }

    fn list(&mut self, name: &str, schema: &Value, depth: usize) -> ListSchema {
        let mut prefix: &[Value] =
            schema.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let mut items = schema.get("items");
        // In older schemas `items` is an array of schemas, and `additionalItems` covers the rest.
        if let Some(Value::Array(first)) = items {
            (prefix, items) = (first, schema.get("additionalItems"));
        }
        ListSchema {
            prefix: prefix.iter().take(MEMBERS).map(|item| self.node(name, item, depth)).collect(),
            items: items.map(|items| self.node(name, items, depth)),
            contains: schema.get("contains").map(|items| self.node(name, items, depth)),
            least: count(schema, "minItems").unwrap_or(0).max(usize::from(schema.get("contains").is_some())),
            most: count(schema, "maxItems"),
            is_set: schema.get("uniqueItems") == Some(&Value::Bool(true)),
        }
    }

    fn members(&mut self, schema: &Value, depth: usize) -> MembersSchema {
        let object = |key: &str| schema.get(key).and_then(Value::as_object).into_iter().flatten();
        let texts = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let required = schema.get("required").map(texts).unwrap_or_default();
        let mut known: Vec<Member> = object("properties")
            .take(MEMBERS)
            .map(|(name, member)| Member {
                name: name.clone(),
                id: self.node(name, member, depth),
                is_required: required.contains(name),
            })
            .collect();
        let others = match schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties"))
        {
            Some(Value::Bool(false)) => Others::Forbidden,
            Some(other @ Value::Object(_)) => Others::Of(self.node("value", other, depth)),
            _ => Others::Allowed,
        };
        for name in required.iter().take(MEMBERS) {
            if !known.iter().any(|member| member.name == *name) {
                let any = json!({});
                let rest = schema.get("additionalProperties").filter(|rest| rest.is_object()).unwrap_or(&any);
                let id = self.node(name, rest, depth);
                known.push(Member { name: name.clone(), id, is_required: true });
            }
        }
        let patterns = object("patternProperties")
            .take(ALTERNATIVES)
            .filter_map(|(pattern, member)| {
                Some((Sampler::parse(pattern)?, self.node("value", member, depth)))
            })
            .collect();
        MembersSchema {
            known,
            patterns,
            others,
            least: count(schema, "minProperties").unwrap_or(0),
            most: count(schema, "maxProperties"),
            along: object("dependentRequired").map(|(name, more)| (name.clone(), texts(more))).collect(),
        }
    }
}

fn count(schema: &Value, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).map(|count| count as usize)
}

/// Takes the alternatives of a place out of the schema; each is merged with what stands beside them.
fn alternatives(schema: &mut Map<String, Value>, root: &Value) -> Vec<Value> {
    let listed = schema.shift_remove("anyOf").or_else(|| schema.shift_remove("oneOf"));
    let listed: Vec<Value> = match listed {
        Some(Value::Array(listed)) => listed,
        _ => {
            let Some(condition) = schema.shift_remove("if") else { return Vec::new() };
            let then = schema.shift_remove("then").unwrap_or(json!({}));
            let other = schema.shift_remove("else").unwrap_or(json!({}));
            vec![json!({"allOf": [condition, then]}), other]
        }
    };
    let says_more = schema.keys().any(|key| !words!("names/schema-annotations").contains(&key.as_str()));
    let together = |alternative: &Value| match says_more {
        true => Value::Object(both(gathered(alternative, root), schema.clone())),
        // Kept as it is, so that a recursive schema stays a cycle.
        false => alternative.clone(),
    };
    listed
        .iter()
        .take(ALTERNATIVES)
        .filter(|alternative| **alternative != Value::Bool(false))
        .map(together)
        .collect()
}

/// The part of a schema that tells whether one text or several are wanted, and how many.
fn shape(schema: &Value, alternatives: &[Value]) -> Value {
    let stated = |schema: &Value| {
        let members = ["type", "minItems", "maxItems"].into_iter();
        let members = members.filter_map(|key| Some((key.to_owned(), schema.get(key)?.clone())));
        schema.get("type").map(|_| Value::Object(members.collect()))
    };
    stated(schema)
        .or_else(|| alternatives.first().and_then(stated))
        .unwrap_or_else(|| json!({"type": "string"}))
}

fn kinds(schema: &Value) -> Vec<SchemaType> {
    let named: Vec<SchemaType> = match schema.get("type") {
        Some(Value::String(name)) => SchemaType::named(name).into_iter().collect(),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).filter_map(SchemaType::named).collect()
        }
        _ => Vec::new(),
    };
    match named.is_empty() {
        true if ["properties", "required"].iter().any(|key| schema.get(key).is_some()) => {
            vec![SchemaType::Members]
        }
        true if ["items", "prefixItems"].iter().any(|key| schema.get(key).is_some()) => {
            vec![SchemaType::List]
        }
        _ => named,
    }
}

fn closed(schema: &Value) -> Vec<Value> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => vec![only.clone()],
        (None, Some(Value::Array(values))) => values.iter().take(SAID).cloned().collect(),
        _ => Vec::new(),
    }
}

fn given(schema: &Value) -> Vec<Value> {
    let many = schema.get("examples").and_then(Value::as_array).into_iter().flatten();
    let one = ["example", "default"].into_iter().filter_map(|key| schema.get(key));
    many.chain(one).filter(|value| !value.is_null()).take(SAID).cloned().collect()
}

fn number(schema: &Value) -> NumberSchema {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let whole = kinds(schema) == [SchemaType::Integer];
    let beyond = |bound: f64, step: f64| match whole {
        true => bound + step,
        // Close enough for a draw, and still representable.
        false => bound + step * (bound.abs() * 1e-9).max(1e-9),
    };
    let end = |key: &str, open: &str, step: f64| {
        // In older schemas the keyword is a flag beside the bound.
        let is_open = schema.get(open) == Some(&Value::Bool(true));
        let closed = bound(key).map(|end| if is_open { beyond(end, step) } else { end });
        closed.into_iter().chain(bound(open).map(|end| beyond(end, step)))
    };
    let least = end("minimum", "exclusiveMinimum", 1.0).fold(f64::NEG_INFINITY, f64::max);
    let most = end("maximum", "exclusiveMaximum", -1.0).fold(f64::INFINITY, f64::min);
    NumberSchema { least, most, step: bound("multipleOf").filter(|step| *step > 0.0) }
}

/// Computes the least depth of each node's values, until nothing changes any more.
fn measure(nodes: &mut [Node]) {
    let impossible: Vec<bool> = nodes.iter().map(|node| node.depth == ENDLESS).collect();
    for node in nodes.iter_mut() {
        node.depth = ENDLESS;
    }
    for _ in 0..=DEPTH {
        let mut changed = false;
        for id in 0..nodes.len() {
            if impossible[id] {
                continue;
            }
            let depth = depth(nodes, &nodes[id]);
            changed |= depth < nodes[id].depth;
            nodes[id].depth = depth.min(nodes[id].depth);
        }
        if !changed {
            return;
        }
    }
}

fn depth(nodes: &[Node], node: &Node) -> u32 {
    if !node.closed.is_empty() || !node.given.is_empty() || node.executable.is_some() {
        return 0;
    }
    if !node.alternatives.is_empty() {
        return node.alternatives.iter().map(|id| nodes[*id].depth).min().unwrap_or(ENDLESS);
    }
    let of = |kind: SchemaType| match kind {
        SchemaType::List => {
            let items = node.list.items.filter(|_| node.list.least > node.list.prefix.len());
            let needed =
                node.list.prefix.iter().take(node.list.least).copied().chain(items).chain(node.list.contains);
            1 + needed.map(|id| nodes[id].depth).max().unwrap_or(0)
        }
        SchemaType::Members => {
            let needed = node.members.known.iter().filter(|member| member.is_required);
            1 + needed.map(|member| nodes[member.id].depth).max().unwrap_or(0)
        }
        _ => 0,
    };
    let least = node.kinds.iter().map(|kind| of(*kind)).min().unwrap_or(0);
    least.min(ENDLESS)
}
