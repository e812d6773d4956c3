//! Draws inputs for one tool: valid ones, and ones with one or several labelled changes.
//!
//! The main type is [`Generator`]. It is compiled once for each tool, so that a draw takes microseconds; it
//! knows nothing of replies. Every input goes through the same last step: it is dropped if it may not be sent,
//! and validated against the tool's own schema.

use serde_json::{Map, Value, json};

use crate::catalog::{Tool, unwrap, wrap};
use crate::class::Class;

use super::affinity::ToolAffinity;
use super::broken::Broken;
use super::compiled::{CompiledSchema, NodeId};
use super::confirm::{Confirmer, Ruling};
use super::draw::Draw;
use super::edit::{RawTexts, Step, find, pointer};
use super::fence::{Fence, TextUse};
use super::input::{AppliedMutation, Input, Validity};
use super::mutation::Mutation;
use super::names::plain_name;
use super::odd::{self, OddChange};
use super::place::ValuePlace;
use super::pool::Pool;
use super::rng::Rng;
use super::tool_files::ToolFiles;
use super::tree::Tree;
use super::valid::{ValueDrawer, reading};

/// How often a value is drawn again that should be valid but violates the schema.
const AGAIN: usize = 4;
/// How often a value is drawn to find the plain one that the others are compared with.
const FIRST: usize = 200;

/// What may be sent to a tool.
#[derive(Debug, Clone)]
pub struct GeneratorSettings<'s> {
    /// The class of the tool.
    pub class: Class,
    /// The files that the harness made for the tool.
    pub tool_files: &'s ToolFiles,
    /// Which calls may be sent.
    pub calls: Calls,
    /// Arguments that make a call succeed, according to the user.
    pub valid: Option<&'s Value>,
}

impl<'s> GeneratorSettings<'s> {
    /// Complete calls of a tool of this class.
    pub fn complete(class: Class, tool_files: &'s ToolFiles) -> Self {
        Self { class, tool_files, calls: Calls::Complete, valid: None }
    }
}

/// Which calls may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Complete ones: the tool only reads, or the server is confined, or the user allowed it.
    Complete,
    /// Only ones in which every required argument is invalid.
    Broken,
}

/// Known changes of a tool's own parameters, the most telling first.
#[derive(Debug, Clone)]
pub enum KnownChanges {
    /// The server is confined, so changed paths may lead anywhere.
    Confined(Vec<Mutation>),
    /// Changed paths stay in the folder.
    Fenced(Vec<Mutation>),
}

impl KnownChanges {
    pub(super) fn all(&self) -> &[Mutation] {
        match self {
            Self::Confined(all) | Self::Fenced(all) => all,
        }
    }
}

/// Draws inputs for one tool.
#[derive(Debug)]
pub struct Generator {
    pub(super) tool: String,
    pub(super) compiled: CompiledSchema,
    confirmer: Confirmer,
    pub(super) tool_files: ToolFiles,
    pub(super) fence: Fence,
    /// Present if no complete call may be sent.
    broken: Option<Broken>,
    /// The arguments of a successful call, given by the user or found.
    pub(super) known: Option<Value>,
    /// The plain arguments that every input is compared with.
    pub(super) base: Value,
    arguments: Vec<(String, NodeId)>,
    /// The words by which related tools are found.
    pub(super) affinity: ToolAffinity,
    /// The argument that contains all others, if there is one; the known changes are given without it.
    wrapper: Option<String>,
    /// The known changes of its arguments.
    pub(super) changes: KnownChanges,
}

impl Generator {
    /// Compiles a tool's schema.
    pub fn new(tool: &Tool, settings: &GeneratorSettings<'_>) -> Self {
        let tool_files = settings.tool_files.clone().of_tool(tool);
        let fence = Fence::around(tool_files.folder(), settings.class);
        let compiled = CompiledSchema::compile(tool, &tool_files);
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
            wrapper: tool.wrapper().map(str::to_owned),
            changes: KnownChanges::Fenced(Vec::new()),
        };
        if generator.is_complete() {
            generator.base = generator.plainest(tool);
        }
        generator
    }

    /// The simplest arguments, if any can be drawn from the schema.
    fn plainest(&self, tool: &Tool) -> Value {
        if let Some(known) = &self.known {
            return known.clone();
        }
        if let Some(usual) = self.plain_draw(tool, 0) {
            return usual;
        }
        let (mut rng, pool) = (Rng::seeded(0), Pool::default());
        let drawn = (0..FIRST).map(|_| self.drawer(&mut rng, &pool).value(CompiledSchema::ROOT));
        let drawn = drawn.filter(|value| self.is_good(value));
        drawn.min_by_key(|value| value.to_string().len()).unwrap_or_else(|| json!({}))
    }

    /// Sensible arguments, in one of several variants, with executable values from a harmless grammar; `None`
    /// if they may not be sent or violate the schema.
    pub fn plain_draw(&self, tool: &Tool, turn: usize) -> Option<Value> {
        let mut drawn =
            Draw::new(&tool.described_schema(), &self.tool_files, turn).arguments().map(Value::Object)?;
        // The ordinary draw has no grammars for executable values.
        self.put_executable(&mut drawn, CompiledSchema::ROOT);
        self.is_good(&drawn).then_some(drawn)
    }

    fn is_good(&self, value: &Value) -> bool {
        self.may_be_sent(value) && self.confirmer.ruling(value) != Ruling::Forbids
    }

    fn put_executable(&self, value: &mut Value, at: NodeId) {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    let Some(id) = self.compiled.member(at, name) else { continue };
                    match &self.compiled.node(id).executable {
                        Some((executable, schema)) => *member = executable.plainest(schema),
                        None => self.put_executable(member, id),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(id) = self.compiled.item(at, index) {
                        self.put_executable(item, id);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Adds known changes, the most telling first.
    pub fn know_changes(&mut self, changes: KnownChanges) {
        self.changes = changes;
    }

    /// The arguments with one known change; `None` if it changes nothing.
    pub(super) fn with_change(
        &self,
        change: &Mutation,
        arguments: &Value,
    ) -> Option<(Value, AppliedMutation)> {
        let wrapper = self.wrapper.as_deref();
        let own = unwrap(wrapper, arguments);
        let changed = change.apply(own);
        if changed == *own {
            return None;
        }
        let around: Vec<Step> = wrapper.map(|name| Step::Key(name.to_owned())).into_iter().collect();
        let path = pointer(&around, arguments) + &change.pointer(own);
        let (keyword, label) = (change.keyword().to_owned(), change.label.clone());
        Some((wrap(wrapper, changed), AppliedMutation { path, keyword, label }))
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Whether nothing may be sent to the tool, because it has no required argument that could be made invalid.
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

    pub(super) fn drawer<'d>(&'d self, rng: &'d mut Rng, pool: &'d Pool) -> ValueDrawer<'d> {
        ValueDrawer::new(self, pool, rng)
    }

    /// An input: valid, or with one or several labelled changes.
    pub fn draw(&self, rng: &mut Rng, pool: &Pool) -> Input {
        if let Some(broken) = &self.broken {
            return self.finished(&broken.draw(rng), &RawTexts::default(), broken.changes());
        }
        let plain = self.plain(rng, pool);
        self.draw_upon(&plain, rng, pool)
    }

    /// A valid input, if the schema allows one to be drawn and complete calls may be sent; otherwise an invalid
    /// one.
    pub fn valid(&self, rng: &mut Rng, pool: &Pool) -> Input {
        match &self.broken {
            Some(_) => self.draw(rng, pool),
            None => self.finished(&self.plain(rng, pool), &RawTexts::default(), Vec::new()),
        }
    }

    /// The input with another value for one parameter, if that may be sent.
    pub(super) fn with(&self, input: &Input, parameter: &str, value: &Value) -> Input {
        let place = ValuePlace::argument(&self.compiled, parameter, value);
        let Some(Value::Object(mut members)) = input.value().filter(|_| place.executable.is_none()) else {
            return input.clone();
        };
        members.insert(parameter.to_owned(), value.clone());
        let judged = self.judged(&Value::Object(members), &RawTexts::default(), input.changes.clone());
        judged.unwrap_or_else(|| input.clone())
    }

    /// The input with values that the server has shown, for parameters that may accept them.
    pub fn with_known(&self, input: &Input, rng: &mut Rng, pool: &Pool) -> Input {
        let mut input = input.clone();
        for (name, id) in &self.arguments {
            let kinds = &self.compiled.node(*id).kinds;
            let taken = pool.take(rng, &self.tool, &plain_name(name));
            if let Some(value) = taken.filter(|value| kinds.iter().any(|kind| kind.takes(value))) {
                input = self.with(&input, name, value);
            }
        }
        input
    }

    /// The input for these arguments, if they may be sent; with those changes that still show.
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

    /// Changes the value in one place; `None` if that was not possible.
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
                // An optional member that is missing is drawn first.
                let members = value.as_object_mut()?;
                let drawn = || self.drawer(rng, pool).value(*id);
                let member = members.entry(name.clone()).or_insert_with(drawn);
                ValuePlace::argument(&self.compiled, name, member).any_below(&self.compiled, member, rng)
            }
            None => ValuePlace::root(),
        };
        self.change_at(&place, value, raws, rng, pool, odd::change)
    }

    /// Changes the value at this place in one of these ways.
    pub(super) fn change_at(
        &self,
        place: &ValuePlace,
        value: &mut Value,
        raws: &mut RawTexts,
        rng: &mut Rng,
        pool: &Pool,
        ways: odd::Ways,
    ) -> Option<AppliedMutation> {
        let found = find(value, &place.path)?;
        let OddChange { keyword, label, edit } = ways(&mut self.drawer(rng, pool), found, place);
        edit.apply(value, &place.path, raws)?;
        Some(AppliedMutation { path: pointer(&place.path, value), keyword: keyword.to_owned(), label })
    }

    /// The input for a value, or the plain one if it may not be sent.
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

    /// The input for a value, if it may be sent.
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

    /// The input for a value, wherever its paths lead.
    pub(super) fn unfenced(&self, value: &Value, changes: Vec<AppliedMutation>) -> Input {
        Input { arguments: value.to_string(), changes, validity: self.validity(value) }
    }

    /// Whether an input made elsewhere may be sent.
    pub(crate) fn allows(&self, input: &Input) -> bool {
        self.judged_text(input.arguments.clone(), Vec::new()).is_some()
    }

    /// An input from a JSON text, validated against the schema.
    pub(super) fn judged_text(&self, arguments: String, changes: Vec<AppliedMutation>) -> Option<Input> {
        let read = serde_json::from_str::<Value>(&arguments).ok();
        let tree = Tree::parse(&arguments)?;
        // Duplicate keys and rounded numbers can be read in more than one way.
        let read_again = read.as_ref().map(Value::to_string);
        let is_one = read_again.is_some_and(|text| text == tree.written());
        let (is_allowed, validity) = match read.filter(|_| is_one) {
            Some(read) => (self.may_be_sent(&read), self.validity(&read)),
            None => (tree.readings().iter().all(|reading| self.may_be_sent(reading)), Validity::Unknown),
        };
        is_allowed.then_some(Input { arguments, changes, validity })
    }

    fn validity(&self, value: &Value) -> Validity {
        match self.confirmer.ruling(value) {
            Ruling::Allows => Validity::Valid,
            Ruling::Forbids => Validity::Invalid,
            Ruling::Silent => Validity::Unknown,
        }
    }

    /// Whether a value may be sent to the tool: its paths and addresses are the harness's, and it is invalid if
    /// it must be.
    pub(super) fn may_be_sent(&self, value: &Value) -> bool {
        self.broken.as_ref().is_none_or(|broken| broken.breaks(value))
            && self.stays(value, Some(CompiledSchema::ROOT), TextUse::Text)
    }

    fn stays(&self, value: &Value, at: Option<NodeId>, around: TextUse) -> bool {
        // A place without a node is treated like its parent.
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

    /// The changes that a value still shows.
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
