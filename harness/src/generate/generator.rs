//! Inputs for one tool: valid, with one labelled change, or with several.
//!
//! The main type is [`Generator`]. It is compiled once for each tool, so that a draw takes microseconds; it knows nothing of
//! replies. Whatever way an input came about, the last step is the same: what may not be sent is dropped, and the tool's
//! own schema says what it is.

use serde_json::{Map, Value, json};

use crate::catalog::Tool;
use crate::class::Class;

use super::affinity::ToolAffinity;
use super::broken::Broken;
use super::changes::Changes;
use super::compiled::{CompiledSchema, NodeId, SchemaSource};
use super::confirm::{Confirmer, Ruling};
use super::draw::Draw;
use super::fence::{Fence, RelativePaths, TextUse};
use super::input::{AppliedMutation, Input, Validity};
use super::mutator::{Edit, PathSegment, RawTexts, ValueMutation, ValuePlace, filled_in, mutate, pointer};
use super::pool::Pool;
use super::rng::Rng;
use super::tool_files::ToolFiles;
use super::tree::Tree;
use super::valid::{ValueDrawer, reading};

/// How often a valid value is drawn again that its schema forbids after all.
const AGAIN: usize = 4;
/// How often one is drawn to find the plain one that the others are compared with.
const FIRST: usize = 200;

/// What may be sent to a tool.
#[derive(Debug, Clone)]
pub struct GeneratorSettings<'s> {
    /// What the tool may do to the world.
    pub class: Class,
    /// The files that the harness made for it.
    pub tool_files: &'s ToolFiles,
    /// How far its calls may go.
    pub calls: Calls,
    /// Where a relative path would lead.
    pub relative: Relative,
    /// Arguments of which the user says that they make a call succeed.
    pub valid: Option<&'s Value>,
}

/// How far calls may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Complete ones: the tool reads, or the server is confined, or the user opened it.
    Complete,
    /// Only such as break every required argument at once.
    Broken,
}

/// Where a relative path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relative {
    /// Into the workspace: the server's working folder is there.
    Workspace,
    /// Anywhere: such a path goes out only to a tool that cannot write.
    Elsewhere,
}

/// Draws inputs for one tool.
#[derive(Debug)]
pub struct Generator {
    tool: String,
    compiled: CompiledSchema,
    confirmer: Confirmer,
    tool_files: ToolFiles,
    fence: Fence,
    /// Present where no complete call may be sent.
    broken: Option<Broken>,
    /// A call that succeeds: the user says so, or it did.
    known: Option<Value>,
    /// The plain arguments with which every input is compared.
    base: Value,
    arguments: Vec<(String, NodeId)>,
    /// Which tools it belongs to, as far as names tell.
    affinity: ToolAffinity,
    /// What a tester changes in its arguments.
    changes: Changes,
}

impl Generator {
    /// Compiles a tool's schema.
    pub fn new(tool: &Tool, settings: &GeneratorSettings<'_>) -> Self {
        let tool_files = settings.tool_files.clone().of_tool(tool);
        let roaming = match (settings.class, settings.relative) {
            (Class::Read, _) | (_, Relative::Workspace) => RelativePaths::Allowed,
            _ => RelativePaths::Forbidden,
        };
        let fence = Fence::around(tool_files.folder(), roaming);
        let fence = if settings.class == Class::Read { fence } else { fence.of_a_writer() };
        let compiled = CompiledSchema::compile(SchemaSource { tool, tool_files: &tool_files });
        let arguments = compiled.arguments();
        let mut generator = Self {
            tool: tool.name.clone(),
            confirmer: Confirmer::new(&tool.input_schema),
            fence,
            broken: (settings.calls == Calls::Broken).then(|| Broken::new(&compiled)),
            known: settings.valid.filter(|_| settings.calls == Calls::Complete).cloned(),
            base: json!({}),
            affinity: ToolAffinity::new(&tool.name, arguments.iter().map(|(name, _)| name.as_str())),
            compiled,
            tool_files,
            arguments,
            changes: Changes::default(),
        };
        if generator.is_complete() {
            generator.base = generator.plainest(&tool.described_schema());
        }
        generator
    }

    /// The arguments that are the simplest to understand, if the schema lets any be drawn.
    fn plainest(&self, schema: &Value) -> Value {
        if let Some(known) = &self.known {
            return known.clone();
        }
        let usual = Draw::new(schema, &self.tool_files, 0).arguments().map(Value::Object);
        // The usual draw knows no grammars for what could be executed.
        let usual = usual.map(|mut usual| {
            self.put_executable(&mut usual);
            usual
        });
        let is_good =
            |value: &Value| self.may_be_sent(value) && self.confirmer.ruling(value) != Ruling::Forbids;
        if let Some(usual) = usual.filter(is_good) {
            return usual;
        }
        let (mut rng, pool) = (Rng::seeded(0), Pool::default());
        let drawn =
            (0..FIRST).map(|_| self.drawer(&mut rng, &pool).value(CompiledSchema::ROOT)).filter(is_good);
        drawn.min_by_key(|value| value.to_string().len()).unwrap_or_else(|| json!({}))
    }

    /// What a careful person would fill in, in one of several ways, with what could be executed from a harmless grammar;
    /// none if that may not be sent, or is not what the schema asks for.
    pub fn plain_draw(&self, tool: &Tool, turn: usize) -> Option<Value> {
        let mut drawn =
            Draw::new(&tool.described_schema(), &self.tool_files, turn).arguments().map(Value::Object)?;
        self.put_executable(&mut drawn);
        (self.may_be_sent(&drawn) && self.confirmer.ruling(&drawn) != Ruling::Forbids).then_some(drawn)
    }

    fn put_executable(&self, value: &mut Value) {
        self.put_executable_at(value, CompiledSchema::ROOT);
    }

    fn put_executable_at(&self, value: &mut Value, at: NodeId) {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    let Some(id) = self.compiled.member(at, name) else { continue };
                    match &self.compiled.node(id).executable {
                        Some((executable, schema)) => *member = executable.plainest(schema),
                        None => self.put_executable_at(member, id),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(id) = self.compiled.item(at, index) {
                        self.put_executable_at(item, id);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// From now on these changes are made, too.
    pub fn know_changes(&mut self, changes: Changes) {
        self.changes = changes;
    }

    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// This call succeeds, and may be sent.
    pub(super) fn learn_base(&mut self, arguments: &Value) {
        self.base = arguments.clone();
        self.known = Some(arguments.clone());
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether there is nothing that may be sent to the tool: it has no required argument that could be broken.
    pub fn draws_nothing(&self) -> bool {
        self.broken.as_ref().is_some_and(Broken::is_empty)
    }

    /// Whether complete calls may be sent.
    pub(crate) fn is_complete(&self) -> bool {
        self.broken.is_none()
    }

    /// The names of its parameters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn affinity(&self) -> &ToolAffinity {
        &self.affinity
    }

    pub(super) fn compiled(&self) -> &CompiledSchema {
        &self.compiled
    }

    pub(super) fn base(&self) -> &Value {
        &self.base
    }

    pub(super) fn fence(&self) -> &Fence {
        &self.fence
    }

    pub(super) fn drawer<'d>(&'d self, rng: &'d mut Rng, pool: &'d Pool) -> ValueDrawer<'d> {
        ValueDrawer::new(&self.compiled, &self.tool, &self.tool_files, &self.fence, pool, rng)
    }

    /// An input: valid, with one labelled change, or with several.
    pub fn draw(&self, rng: &mut Rng, pool: &Pool) -> Input {
        if let Some(broken) = &self.broken {
            return self.finished(&broken.draw(rng), &RawTexts::default(), broken.changes());
        }
        let count = match rng.below(16) {
            0 => 0,
            1..=11 => 1,
            12..=14 => 2,
            _ => 3,
        };
        let mut value = self.plain(rng, pool);
        if count == 0 {
            return self.finished(&value, &RawTexts::default(), Vec::new());
        }
        let (mut raws, mut changes) = (RawTexts::default(), Vec::with_capacity(count));
        for _ in 0..count {
            changes.extend(self.change(&mut value, &mut raws, rng, pool));
        }
        self.finished(&value, &raws, changes)
    }

    /// A valid input, where the schema lets one be drawn. Only such as may be sent: where no complete call may, it is not
    /// valid either.
    pub fn valid(&self, rng: &mut Rng, pool: &Pool) -> Input {
        match &self.broken {
            Some(_) => self.draw(rng, pool),
            None => self.finished(&self.plain(rng, pool), &RawTexts::default(), Vec::new()),
        }
    }

    /// The input with another value for one parameter, where that may be sent.
    pub(super) fn with(&self, input: &Input, parameter: &str, value: &Value) -> Input {
        let place = ValuePlace::argument(&self.compiled, parameter, value);
        let Some(Value::Object(mut members)) = input.value().filter(|_| place.executable().is_none()) else {
            return input.clone();
        };
        members.insert(parameter.to_owned(), value.clone());
        let judged = self.judged(&Value::Object(members), &RawTexts::default(), input.changes.clone());
        judged.unwrap_or_else(|| input.clone())
    }

    /// The input with what the server has shown by now for each parameter that may well take it.
    pub fn with_known(&self, input: &Input, rng: &mut Rng, pool: &Pool) -> Input {
        let mut input = input.clone();
        for (name, id) in &self.arguments {
            let kinds = self.compiled.node(*id).kinds.iter().map(|kind| kind.name());
            let schema = json!({"type": kinds.collect::<Vec<_>>()});
            if let Some(value) = pool.take(rng, &self.tool, name, &schema) {
                input = self.with(&input, name, &value);
            }
        }
        input
    }

    /// The input that these arguments make, where they may be sent; of the changes those that show in them still.
    pub fn of_arguments(&self, arguments: &Value, changes: &[AppliedMutation]) -> Option<Input> {
        self.judged(arguments, &RawTexts::default(), self.remaining(changes, Some(arguments)))
    }

    fn plain(&self, rng: &mut Rng, pool: &Pool) -> Value {
        if let Some(known) = &self.known
            && rng.one_in(2)
        {
            return known.clone();
        }
        for _ in 0..AGAIN {
            let value = self.drawer(rng, pool).value(CompiledSchema::ROOT);
            if value.is_object() && self.confirmer.ruling(&value) != Ruling::Forbids {
                return value;
            }
        }
        self.base.clone()
    }

    /// Changes the value in one place; none if nothing came of it.
    pub(super) fn change(
        &self,
        value: &mut Value,
        raws: &mut RawTexts,
        rng: &mut Rng,
        pool: &Pool,
    ) -> Option<AppliedMutation> {
        let turn = rng.below(self.arguments.len() + 1);
        let place = match self.arguments.get(turn) {
            Some((name, id)) => {
                filled_in(&mut self.drawer(rng, pool), value, *id, name);
                let member = value.get(name)?;
                ValuePlace::argument(&self.compiled, name, member).any_below(&self.compiled, member, rng)
            }
            None => ValuePlace::root(),
        };
        self.change_at(&place, value, raws, rng, pool)
    }

    /// Changes the value in this place.
    pub(super) fn change_at(
        &self,
        place: &ValuePlace,
        value: &mut Value,
        raws: &mut RawTexts,
        rng: &mut Rng,
        pool: &Pool,
    ) -> Option<AppliedMutation> {
        let found = place.find(value)?;
        let ValueMutation { keyword, label, edit } = mutate(&mut self.drawer(rng, pool), found, place);
        match edit {
            Edit::Set(new) => *found = new,
            Edit::Raw(text) => *found = raws.mark(text),
            Edit::Add(name, new) => {
                found.as_object_mut()?.insert(name, new);
            }
            Edit::Remove | Edit::Twice(_) => match (place.holder(value)?, edit) {
                ((Value::Object(members), PathSegment::Key(name)), Edit::Twice(first)) => {
                    raws.twice(members, name, &first);
                }
                ((Value::Object(members), PathSegment::Key(name)), _) => {
                    members.shift_remove(name);
                }
                ((Value::Array(items), PathSegment::Index(index)), Edit::Remove) => {
                    items.remove(*index);
                }
                _ => return None,
            },
        }
        Some(AppliedMutation { path: pointer(&place.path), keyword: keyword.to_owned(), label })
    }

    /// The input that a value makes; the plain one where it may not be sent.
    pub(super) fn finished(&self, value: &Value, raws: &RawTexts, changes: Vec<AppliedMutation>) -> Input {
        self.judged(value, raws, changes).unwrap_or_else(|| {
            let base = self.judged(&self.base, &RawTexts::default(), Vec::new());
            base.unwrap_or_else(|| Input {
                arguments: "{}".to_owned(),
                changes: Vec::new(),
                validity: self.validity(&json!({})),
            })
        })
    }

    /// The input that a value makes, if it may be sent.
    pub(super) fn judged(
        &self,
        value: &Value,
        raws: &RawTexts,
        changes: Vec<AppliedMutation>,
    ) -> Option<Input> {
        if !raws.is_empty() {
            return self.judged_text(raws.written(value), changes);
        }
        self.may_be_sent(value).then(|| self.unfenced(value, changes))
    }

    /// The input that a value makes, wherever it leads.
    pub(super) fn unfenced(&self, value: &Value, changes: Vec<AppliedMutation>) -> Input {
        Input { arguments: value.to_string(), changes, validity: self.validity(value) }
    }

    /// Whether an input may be sent that somebody else has made.
    pub(crate) fn allows(&self, input: &Input) -> bool {
        self.judged_text(input.arguments.clone(), Vec::new()).is_some()
    }

    /// An input made of a JSON text, with what the schema says of it.
    pub(super) fn judged_text(&self, arguments: String, changes: Vec<AppliedMutation>) -> Option<Input> {
        let read = serde_json::from_str::<Value>(&arguments).ok();
        let tree = Tree::parse(&arguments)?;
        // A key that stands twice, or a number that is rounded, is read in more than one way.
        let read_again = read.as_ref().map(Value::to_string);
        let is_one = read_again.is_some_and(|text| text == tree.written());
        let (is_allowed, validity) = match read.filter(|_| is_one) {
            Some(read) => (self.may_be_sent(&read), self.validity(&read)),
            None => (self.every_reading_may_be_sent(&tree), Validity::Unknown),
        };
        is_allowed.then_some(Input { arguments, changes, validity })
    }

    fn every_reading_may_be_sent(&self, tree: &Tree) -> bool {
        tree.readings().iter().all(|reading| self.may_be_sent(reading))
    }

    fn validity(&self, value: &Value) -> Validity {
        match self.confirmer.ruling(value) {
            Ruling::Allows => Validity::Valid,
            Ruling::Forbids => Validity::Invalid,
            Ruling::Silent => Validity::Unknown,
        }
    }

    /// Whether a value may be sent to the tool: it leads nowhere that is not the harness's, and is broken where it must be.
    pub(super) fn may_be_sent(&self, value: &Value) -> bool {
        self.broken.as_ref().is_none_or(|broken| broken.breaks(value))
            && self.stays(value, Some(CompiledSchema::ROOT), TextUse::Text)
    }

    fn stays(&self, value: &Value, at: Option<NodeId>, around: TextUse) -> bool {
        // What no node is known of is taken for what stands around it.
        let own = |at: Option<NodeId>| at.map_or(around, |id| reading(self.compiled.node(id)));
        match value {
            Value::String(text) => self.fence.allows(text, own(at)),
            Value::Array(items) => {
                let inner = own(at);
                items.iter().enumerate().all(|(index, item)| {
                    self.stays(item, at.and_then(|at| self.compiled.item(at, index)), inner)
                })
            }
            Value::Object(members) => {
                let inner = own(at);
                members.iter().all(|(name, member)| {
                    self.stays(member, at.and_then(|at| self.compiled.member(at, name)), inner)
                })
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    /// What of these changes a value still shows.
    pub(super) fn remaining(
        &self,
        changes: &[AppliedMutation],
        value: Option<&Value>,
    ) -> Vec<AppliedMutation> {
        let Some(value) = value else { return changes.to_vec() };
        let nothing = Value::Object(Map::new());
        let base = if self.base.is_object() { &self.base } else { &nothing };
        let differs = |change: &&AppliedMutation| {
            change.path.is_empty() || value.pointer(&change.path) != base.pointer(&change.path)
        };
        changes.iter().filter(differs).cloned().collect()
    }
}

#[cfg(test)]
pub(super) mod tests;
