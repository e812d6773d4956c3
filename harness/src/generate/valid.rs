//! Random values that a compiled schema allows.
//!
//! The main type is [`ValueDrawer`]. It draws plain values: odd values come from labelled changes.

use serde_json::{Map, Value, json};

use super::compiled::{CompiledSchema, ENDLESS, Node, NodeId, Others, SchemaType, TextRole};
use super::executable::DrawReferences;
use super::fence::TextUse;
use super::generator::Generator;
use super::pool::Pool;
use super::rng::Rng;
use super::tool_files::ToolFiles;
use crate::json::texts;

/// The maximum depth of a value, unless its schema requires more.
const DEPTH: u32 = 6;
/// After this many values of a draw, only the minimum is drawn everywhere.
const VALUES: usize = 200;
/// Arrays and texts that must be longer than this are drawn too short.
const LONG: usize = 5_000;
/// After this many values everything is drawn too short.
const TOTAL: usize = 10_000;
/// How often an item is drawn again that must differ from the others.
const AGAIN: usize = 4;

/// The maximum depth of nested values and alternatives.
const NESTED: usize = 40;

/// Words without a particular meaning.
const WORDS: [&str; 12] = [
    "alpha",
    "beta",
    "gamma",
    "notes",
    "x",
    "one two",
    "Hello, world",
    "a-b_c",
    "42",
    "ALPHA",
    "alpha beta gamma",
    "item",
];

/// Draws values of a tool's compiled schema.
pub(super) struct ValueDrawer<'d> {
    pub(super) generator: &'d Generator,
    pub(super) pool: &'d Pool,
    pub(super) rng: &'d mut Rng,
    left: usize,
    /// How many values have been drawn.
    total: usize,
    /// The present depth, counting alternatives.
    nested: usize,
}

/// How many optional members are drawn.
#[derive(Clone, Copy)]
enum Fill {
    None,
    Some,
    All,
}

impl<'d> ValueDrawer<'d> {
    pub(super) fn new(generator: &'d Generator, pool: &'d Pool, rng: &'d mut Rng) -> Self {
        Self { generator, pool, rng, left: VALUES, total: 0, nested: 0 }
    }

    /// A value for a node.
    pub(super) fn value(&mut self, id: NodeId) -> Value {
        self.at(id, DEPTH)
    }

    fn at(&mut self, id: NodeId, depth: u32) -> Value {
        // The chosen type may be infinite, or the schema may refer to itself as an alternative.
        if self.nested >= NESTED || self.total > TOTAL {
            return Value::Null;
        }
        self.nested += 1;
        let value = self.drawn(id, depth);
        self.nested -= 1;
        value
    }

    fn drawn(&mut self, id: NodeId, depth: u32) -> Value {
        self.left = self.left.saturating_sub(1);
        self.total += 1;
        let depth = if self.left == 0 { 0 } else { depth };
        let node = self.generator.compiled.node(id);
        if node.depth >= ENDLESS {
            return Value::Null;
        }
        if let Some(value) = self.rng.pick(&node.closed) {
            return value.clone();
        }
        if let Some((executable, schema)) = &node.executable {
            return executable_value(*executable, schema, &self.generator.tool_files, self.rng);
        }
        if !node.given.is_empty()
            && self.rng.one_in(3)
            && let Some(value) = self.rng.pick(&node.given)
            && self.allows(value, node)
        {
            return value.clone();
        }
        if !node.alternatives.is_empty() {
            let id = self.alternative(&node.alternatives, depth);
            return self.at(id, depth);
        }
        match self.kind(node, depth) {
            SchemaType::Null => Value::Null,
            SchemaType::Boolean => json!(self.rng.one_in(2)),
            SchemaType::Integer => self.number(node, SchemaType::Integer),
            SchemaType::Number => self.number(node, SchemaType::Number),
            SchemaType::Text => self.text(node),
            SchemaType::List => self.list(node, depth),
            SchemaType::Members => Value::Object(self.members(node, depth)),
        }
    }

    fn alternative(&mut self, alternatives: &[NodeId], depth: u32) -> NodeId {
        let depth_of = |id: &NodeId| self.generator.compiled.node(*id).depth;
        let fitting: Vec<NodeId> = alternatives.iter().copied().filter(|id| depth_of(id) <= depth).collect();
        let least = || alternatives.iter().min_by_key(|id| depth_of(id));
        self.rng.pick(&fitting).or_else(least).copied().unwrap_or(CompiledSchema::ROOT)
    }

    fn kind(&mut self, node: &Node, depth: u32) -> SchemaType {
        let is_flat = |kind: &&SchemaType| !matches!(kind, SchemaType::List | SchemaType::Members);
        let first = match depth {
            0 => node.kinds.iter().find(is_flat).or(node.kinds.first()).copied(),
            _ => node.kinds.first().copied(),
        };
        match node.kinds.len() {
            // Anything is allowed here; a text is the most likely to be understood.
            0 if self.rng.one_in(4) => {
                self.rng.pick(&SchemaType::ALL[..4]).copied().unwrap_or(SchemaType::Text)
            }
            0 => SchemaType::Text,
            _ if depth == 0 || node.kinds.len() == 1 => first.unwrap_or(SchemaType::Text),
            _ => {
                let drawn = self.rng.pick(&node.kinds).copied();
                // Null says little, so it is drawn rarely.
                let seldom = drawn == Some(SchemaType::Null) && !self.rng.one_in(4);
                if seldom { first } else { drawn }.unwrap_or(SchemaType::Text)
            }
        }
    }

    fn pooled(&mut self, node: &Node, kind: SchemaType) -> Option<Value> {
        let value = self.pool.take(self.rng, &self.generator.tool, &node.plain)?;
        (kind.takes(value) && self.allows(value, node)).then(|| value.clone())
    }

    fn allows(&self, value: &Value, node: &Node) -> bool {
        let reading = reading(node);
        texts(value).all(|text| self.generator.fence.allows(text, reading))
    }

    fn number(&mut self, node: &Node, kind: SchemaType) -> Value {
        if self.rng.one_in(4)
            && let Some(value) = self.pooled(node, kind)
        {
            return value;
        }
        let schema = &node.number;
        let usual = if node.plain.contains("timeout") { 10.0 } else { 1.0 };
        let range = if self.rng.one_in(3) { 100 } else { 10 };
        let near = usual + self.rng.below(range) as f64;
        let drawn = match self.rng.below(6) {
            0 if schema.least.is_finite() => schema.least,
            1 if schema.most.is_finite() => schema.most,
            2 if schema.least.is_finite() && schema.most.is_finite() => {
                schema.least + self.rng.fraction() * (schema.most - schema.least)
            }
            3 if kind == SchemaType::Number => near + 0.5,
            _ => near,
        };
        let drawn = drawn.min(schema.most).max(schema.least);
        let drawn = match schema.step {
            Some(step) => {
                let up = (drawn / step).ceil() * step;
                if up > schema.most { (drawn / step).floor() * step } else { up }
            }
            None if kind == SchemaType::Integer => {
                let up = drawn.ceil();
                if up > schema.most { drawn.floor() } else { up }
            }
            None => drawn,
        };
        super::edit::number(drawn)
    }

    fn text(&mut self, node: &Node) -> Value {
        if self.rng.one_in(4)
            && let Some(value) = self.pooled(node, SchemaType::Text)
        {
            return value;
        }
        let schema = &node.text;
        if schema.role == TextRole::Path {
            let path = self.path(node);
            let fits = (schema.least..=schema.most).contains(&path.len())
                && self.generator.fence.allows(&path, TextUse::Path);
            if fits && schema.pattern.as_ref().is_none_or(|pattern| pattern.matches(&path)) {
                return json!(path);
            }
        }
        let mut text = match &schema.pattern {
            Some(pattern) => pattern.draw(self.rng),
            None if !schema.format.is_empty() && self.rng.one_in(2) => formatted(&schema.format, self.rng)
                .or_else(|| schema.words.first().cloned())
                .unwrap_or_default(),
            None if !schema.words.is_empty() && (!schema.format.is_empty() || !self.rng.one_in(3)) => {
                self.rng.pick(&schema.words).cloned().unwrap_or_default()
            }
            None => (*self.rng.pick(&WORDS).unwrap_or(&"alpha")).to_owned(),
        };
        fit(&mut text, schema.least, schema.most, schema.pattern.is_none());
        // The rest of a path that was cut to a length may lead anywhere.
        if !self.generator.fence.allows(&text, reading(node)) {
            text = "alpha".to_owned();
            fit(&mut text, schema.least, schema.most, schema.pattern.is_none());
        }
        json!(text)
    }

    fn path(&mut self, node: &Node) -> String {
        match self.rng.below(6) {
            0 => self.generator.tool_files.sub(),
            1 => self.generator.tool_files.file(),
            2 => format!("{}/{}", self.generator.fence.folder(), ToolFiles::MISSING),
            _ => node.text.words.first().cloned().unwrap_or_else(|| self.generator.tool_files.file()),
        }
    }

    fn list(&mut self, node: &Node, depth: u32) -> Value {
        let schema = &node.list;
        let depth = depth.saturating_sub(1);
        let more = if depth == 0 { 0 } else { 1 + self.rng.below(3) };
        let count = schema.least.min(LONG).max(more.min(schema.most.unwrap_or(LONG)));
        let mut items: Vec<Value> = Vec::with_capacity(count.min(64));
        for index in 0..count {
            self.total += 1;
            if self.total > TOTAL {
                break;
            }
            let id = schema.prefix.get(index).copied().or(schema.items);
            let id = if index + 1 == count { schema.contains.or(id) } else { id };
            if depth == 0 && index >= schema.least
                || id.is_some_and(|id| self.generator.compiled.node(id).depth >= ENDLESS)
            {
                break;
            }
            let draw = |drawer: &mut Self| match id {
                Some(id) => drawer.at(id, depth),
                None => json!(*drawer.rng.pick(&WORDS).unwrap_or(&"alpha")),
            };
            let mut item = draw(self);
            for _ in 0..AGAIN {
                if !schema.is_set || !items.contains(&item) {
                    break;
                }
                item = draw(self);
            }
            if schema.is_set && items.contains(&item) {
                item = match &item {
                    Value::String(text) => json!(format!("{text}{index}")),
                    Value::Number(_) => json!(index),
                    _ if items.len() >= schema.least => break,
                    _ => item,
                };
            }
            items.push(item);
        }
        Value::Array(items)
    }

    fn members(&mut self, node: &Node, depth: u32) -> Map<String, Value> {
        let schema = &node.members;
        let inner = depth.saturating_sub(1);
        let fill = match self.rng.below(6) {
            0 | 1 => Fill::None,
            2 => Fill::All,
            _ => Fill::Some,
        };
        let mut members = Map::with_capacity(schema.known.len());
        for member in &schema.known {
            let is_wanted = match fill {
                _ if member.is_required => true,
                Fill::All => true,
                Fill::None => false,
                Fill::Some => self.rng.one_in(3),
            };
            let is_possible = member.is_required || self.generator.compiled.node(member.id).depth <= inner;
            if is_wanted && is_possible {
                members.insert(member.name.clone(), self.at(member.id, inner));
            }
        }
        for (name, more) in &schema.along {
            if members.contains_key(name) {
                for name in more.iter().filter(|name| !schema.known.is_empty() && !name.is_empty()) {
                    if !members.contains_key(name) {
                        let value = match self.generator.compiled.member_of(node, name) {
                            Some(id) => self.at(id, inner),
                            None => json!("alpha"),
                        };
                        members.insert(name.clone(), value);
                    }
                }
            }
        }
        self.more_members(node, inner, &mut members);
        members
    }

    /// Members that the schema does not name: as many as required, and some more if their values are described.
    fn more_members(&mut self, node: &Node, depth: u32, members: &mut Map<String, Value>) {
        let schema = &node.members;
        let most = schema.most.unwrap_or(usize::MAX);
        let names_members = matches!(schema.others, Others::Of(_)) || !schema.patterns.is_empty();
        let wanted = if names_members && depth > 0 { 1 + self.rng.below(2) } else { 0 };
        let open = schema.known.iter().filter(|member| !members.contains_key(&member.name));
        let open: Vec<(String, NodeId)> = open.map(|member| (member.name.clone(), member.id)).collect();
        let mut open = open.into_iter();
        for turn in 0..wanted.max(schema.least.min(LONG)) {
            let must = members.len() < schema.least;
            self.total += 1;
            if members.len() >= most || !must && turn >= wanted || self.total > TOTAL {
                break;
            }
            let pattern = self.rng.pick(&schema.patterns);
            let (name, id) = match (must.then(|| open.next()).flatten(), pattern, schema.others) {
                (Some((name, id)), _, _) => (name, Some(id)),
                (None, Some((pattern, id)), _) => (pattern.draw(self.rng), Some(*id)),
                (None, None, Others::Of(id)) => (format!("key{turn}"), Some(id)),
                (None, None, Others::Allowed) => (format!("key{turn}"), None),
                (None, None, Others::Forbidden) => break,
            };
            let is_possible = id.is_none_or(|id| must || self.generator.compiled.node(id).depth <= depth);
            if is_possible {
                let value = id.map_or_else(|| json!("alpha"), |id| self.at(id, depth));
                members.insert(name, value);
            }
        }
    }
}

/// How the tool uses a text at a node's place.
pub(super) fn reading(node: &Node) -> TextUse {
    if node.text.role == TextRole::Path { TextUse::Path } else { TextUse::Text }
}

/// A harmless value for an executable place.
pub(super) fn executable_value(
    executable: super::executable::ExecutableKind,
    schema: &Value,
    tool_files: &ToolFiles,
    rng: &mut Rng,
) -> Value {
    let files = [tool_files.file(), tool_files.sub()];
    let references = DrawReferences { files: &files, upstream: tool_files.upstream() };
    executable.draw(schema, &references, &mut |end| rng.below(end))
}

/// A text in a known format; addresses lead nowhere.
fn formatted(format: &str, rng: &mut Rng) -> Option<String> {
    let mut part = |least: i64, most: i64| rng.within(least, most);
    Some(match format {
        "date" => format!("20{:02}-{:02}-{:02}", part(0, 99), part(1, 12), part(1, 28)),
        "time" => format!("{:02}:{:02}:{:02}Z", part(0, 23), part(0, 59), part(0, 59)),
        "date-time" => format!("{}T{}", formatted("date", rng)?, formatted("time", rng)?),
        "duration" => format!("PT{}M", part(1, 90)),
        "uuid" => format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            part(0, 0xffff_ffff),
            part(0, 0xffff),
            part(0, 0xfff),
            part(0, 0xfff),
            part(0, 0xffff_ffff_ffff)
        ),
        "ipv4" => format!("192.0.2.{}", part(1, 254)),
        _ => return None,
    })
}

/// Changes the length of a text to be within bounds.
fn fit(text: &mut String, least: usize, most: usize, may_grow: bool) {
    if least == 0 && most == usize::MAX {
        return;
    }
    let count = text.chars().count();
    if count > most {
        *text = text.chars().take(most).collect();
    } else if count < least && may_grow {
        text.extend(std::iter::repeat_n('a', least.min(LONG).saturating_sub(count)));
    }
}
