//! A tool while its probes are chosen.
//!
//! The main type is [`CandidateTool`]. A server may list thousands of tools, of which few are probed, so the
//! probes of a tool are only made when the first one is taken. Until then only their number is known.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value, json};

use crate::argument::Arguments;
use crate::catalog::Tool;
use crate::class::Class;
use crate::condition::{CaseId, folder_name};
use crate::generate::executable::bound_executable_kind;
use crate::generate::{
    Confirmer, Draw, Generator, GeneratorSettings, Mutation, Ruling, ToolFiles, broken_at_once,
    count_mutations, examples, is_harmless, is_path, mutations, objects, plain_name, series,
};
use crate::json::texts;
use crate::json_schema::{flattened, required, types};
use crate::placeholder::Tokens;
use crate::roles::{Binding, Role};
use crate::suite::StubResponse;
use crate::transcript::Withheld;

use super::changes::{alternating, none_at_all, unusual_of};
use super::changes::{bound, by_role, files};
use super::{Known, PlannedProbe, ProbeChoice, ProbeScope, ProbedTool, expected, sanitized, unique};

/// Why a tool that may change something gets no call without confinement.
const BEHIND: &str = "it may change something, so it is left to the confined session";

/// At most this many calls are tried to find a successful one.
const TRIES: usize = 4;
/// At most this many further calls shown in the tool's description are tried.
const SHOWN: usize = 4;
/// At most this many examples in a tool's description are tried.
const EXAMPLES: usize = 3;

/// A tool while its probes are chosen.
pub(super) struct CandidateTool<'a> {
    known: Known<'a>,
    choice: &'a ProbeChoice,
    tool: &'a Tool,
    /// The schema of the object with the tool's parameters.
    schema: Cow<'a, Value>,
    class: Class,
    folder: CaseId,
    tool_files: ToolFiles,
    probes: Probes,
    /// Whether the tool is called even if it gets no probes.
    is_needed: bool,
}

/// The probes of a tool.
enum Probes {
    /// Not made yet; holds the number that could be made.
    Unmade(usize),
    Made(Box<Made>),
}

struct Made {
    plan: ProbedTool,
    /// The first arguments that are tried; mutations are checked against the schema with these.
    base: Value,
    /// The first arguments beside the user's own. What these have already is no change: `init` writes the user's from what a
    /// run found, and the next run has the same probes.
    drawn: Option<Value>,
    /// The compiled schema, and whether it allows the base: then only the change can be wrong. Compiled for the
    /// first probe.
    confirmer: Option<(Confirmer, bool)>,
    queue: VecDeque<(CaseId, Mutation)>,
}

impl<'a> CandidateTool<'a> {
    /// The candidate, and what is withheld because of the tool's class.
    pub(super) fn new(
        known: Known<'a>,
        tool: &'a Tool,
        (class, folder): (Class, CaseId),
        choice: &'a ProbeChoice,
        is_needed: bool,
    ) -> (Self, Option<Withheld>) {
        let place = format!("{}/{}", known.folders.workspace, folder_name(&folder));
        let tool_files = ToolFiles::at(place).of_tool(tool);
        let probes = Probes::Unmade(0);
        let schema = tool.own_document();
        let mut candidate =
            Self { known, choice, tool, schema, class, folder, tool_files, probes, is_needed };
        let plain = usize::from(candidate.plain().is_some());
        // In the second session its reply is needed again: it may name what other tools take.
        let is_asked = matches!(known.scope, ProbeScope::Complete(_)) && choice.most > 0;
        candidate.is_needed |= plain > 0 && is_asked && choice.filter.is_none();
        let is_needed = candidate.is_needed;
        let every =
            plain + candidate.of_wrapper().len() + count_mutations(&candidate.schema, &candidate.tool_files);
        let (count, why) = match known.scope.is_complete(class) {
            _ if !known.scope.goes_to(class) => (0, Some(BEHIND)),
            true => (every + candidate.beyond().len() + candidate.unusual().len(), None),
            false => {
                let at_once = candidate.at_once().len();
                (at_once, Some(why_withheld(class, at_once)))
            }
        };
        candidate.probes = Probes::Unmade(count);
        let is_behind = !known.folders.upstream.is_empty();
        if choice.filter.is_some()
            || is_needed
            || is_behind
            || known.scope.has_settled_some_below(&candidate.folder)
        {
            // The ids show which of them are requested, or left over.
            candidate.made();
        }
        let withheld = why
            .filter(|_| every > count && choice.filter.is_none())
            .map(|why| candidate.withheld(why.to_owned(), every - count));
        (candidate, withheld)
    }

    /// The number of probes left.
    pub(super) fn left(&self) -> usize {
        match &self.probes {
            Probes::Unmade(count) => *count,
            Probes::Made(made) => made.queue.len(),
        }
    }

    /// The record of this many probes that are withheld.
    pub(super) fn withheld(&self, why: String, probes: usize) -> Withheld {
        Withheld { tool: self.tool.name.clone(), class: self.class.to_string(), why, probes }
    }

    /// The tool with its probes; `None` if it has none.
    pub(super) fn probed(self) -> Option<ProbedTool> {
        let is_called = |plan: &ProbedTool| {
            let has_none = plan.probes.is_empty() && plan.faults.is_empty() && plan.obstacles.is_empty();
            self.is_needed || !has_none
        };
        match self.probes {
            Probes::Made(made) if is_called(&made.plan) => Some(made.plan),
            _ => None,
        }
    }

    /// Moves the next applicable probe into the plan; false if none is left.
    pub(super) fn take(&mut self) -> bool {
        if self.left() == 0 {
            return false;
        }
        let (contract, tool) = (self.known.contract, self.tool);
        let made = self.made();
        while let Some((id, change)) = made.queue.pop_front() {
            let (confirmer, is_base_fair) = made.confirmer.get_or_insert_with(|| {
                let confirmer = Confirmer::new(&tool.input_schema);
                let is_fair = confirmer.ruling(&tool.wrap(made.base.clone())) != Ruling::Forbids;
                (confirmer, is_fair)
            });
            let changed = change.apply_in(tool.wrapper(), &made.base);
            let has_it = |call: &Value| tool.unwrap(&change.apply_in(tool.wrapper(), call)) == call;
            let is_had = has_it(&made.base) || made.drawn.as_ref().is_some_and(has_it);
            if is_had && !change.is_plain() && change.owed.is_none() {
                // The valid call has it already.
                continue;
            }
            let ruling = confirmer.ruling(&changed);
            let fair = change.parameter.is_none() || *is_base_fair;
            let Some(expected) = expected(&change, ruling, fair) else { continue };
            let answer = expected.condition().and_then(|condition| contract.answer(condition));
            let requirements = answer.map(|answer| answer.requirement.clone());
            made.plan.probes.push(PlannedProbe {
                id,
                title: format!("{}: {}", made.plan.name, change.label),
                change,
                expected,
                requirements: requirements.into_iter().collect(),
            });
            return true;
        }
        false
    }

    fn made(&mut self) -> &mut Made {
        if let Probes::Unmade(_) = self.probes {
            self.probes = Probes::Made(Box::new(self.make()));
        }
        match &mut self.probes {
            Probes::Made(made) => made,
            Probes::Unmade(_) => unreachable!("they were just created"),
        }
    }

    fn make(&self) -> Made {
        let queue = self.queue();
        let binding = self.known.bindings.iter().find(|binding| binding.tool == self.tool.name);
        let takes_task = binding
            .filter(|binding| binding.role == Role::TaskOutput)
            .and_then(|binding| binding.parameters.get("task").cloned())
            .filter(|parameter| !parameter.contains("[]"));
        let mut faults = self.faults();
        let place = (self.class, &self.folder, !queue.is_empty());
        let obstacles = PlannedProbe::of(self.known, self.choice, self.tool, place);
        let is_idle = queue.is_empty() && faults.is_empty() && obstacles.is_empty() && !self.is_needed;
        let tries = if is_idle { Vec::new() } else { self.tries(binding) };
        let is_idle = tries.is_empty() && !self.known.scope.is_complete(self.class);
        if is_idle || !self.known.scope.goes_to(self.class) {
            // Without a call that may be sent, nothing can use the service.
            faults.clear();
        }
        let base = tries.first().cloned().unwrap_or_else(|| json!({}));
        let drawn = self.users().and_then(|_| tries.get(1).cloned());
        let plan = ProbedTool {
            name: self.tool.name.clone(),
            class: self.class,
            folder: self.folder.clone(),
            files: files(binding, self.tool),
            tries,
            wrapper: self.tool.wrapper().map(str::to_owned),
            takes_task,
            probes: Vec::new(),
            faults,
            obstacles,
        };
        Made { plan, base, drawn, confirmer: None, queue }
    }

    /// The calls sent while the service fails. The tool with the role for HTTP has cases of its own.
    fn faults(&self) -> Vec<PlannedProbe<StubResponse>> {
        let Known { bindings, folders, contract, scope, .. } = self.known;
        let has_cases = |binding: &Binding| binding.tool == self.tool.name && binding.role == Role::Http;
        if folders.upstream.is_empty() || self.choice.most == 0 || bindings.iter().any(has_cases) {
            return Vec::new();
        }
        let faults = self.choice.faults.iter();
        let planned = faults.filter_map(|fault| fault.planned(&self.tool.name, &self.folder, contract));
        planned.filter(|fault| self.choice.selects(&fault.id) && scope.wants(&fault.id)).collect()
    }

    /// Unusual values that the schema says nothing about; in confinement it is harmless whatever a tool does
    /// with them.
    fn unusual(&self) -> Vec<Mutation> {
        let ProbeScope::Complete(_) = self.known.scope else { return Vec::new() };
        unusual_of(self.known.into(), self.tool, &self.tool_files)
    }

    fn queue(&self) -> VecDeque<(CaseId, Mutation)> {
        if !self.known.scope.goes_to(self.class) {
            return VecDeque::new();
        }
        let chosen = match (self.class, self.known.scope.is_complete(self.class)) {
            (Class::Read, _) => {
                let single = mutations(&self.schema, &self.tool_files).into_iter().chain(self.beyond());
                self.of_wrapper().into_iter().chain(single).collect()
            }
            (_, true) => {
                // What is also sent without confinement comes first, so that it has the same ids in both
                // sessions.
                let mut chosen = self.at_once();
                let single = mutations(&self.schema, &self.tool_files).into_iter();
                let single = single.chain(bound(self.known.into(), self.tool, &self.tool_files));
                for change in self.of_wrapper().into_iter().chain(single) {
                    if !chosen.contains(&change) {
                        chosen.push(change);
                    }
                }
                chosen
            }
            (_, false) => self.at_once(),
        };
        // Alternating, because what a schema forbids is mostly refused by an SDK, and the rest by the tool
        // itself.
        let chosen = self.plain().into_iter().chain(alternating(chosen, self.unusual()));
        let mut ids = HashSet::new();
        let queue = chosen.map(|change| {
            let parameter = change.parameter.as_deref().unwrap_or("arguments");
            let kind = change.id;
            let id = unique(&format!("{}/{kind}", sanitized(parameter)), &mut ids);
            (CaseId(format!("{}/{id}", self.folder.0)), change)
        });
        queue.filter(|(id, _)| self.choice.selects(id) && self.known.scope.wants(id)).collect()
    }

    /// The calls with every required argument invalid, which a tool of this class may get.
    fn at_once(&self) -> Vec<Mutation> {
        // A change of the wrapper argument invalidates all arguments in it; an optional wrapper is not needed.
        let is_required = |name: &str| required(&self.tool.input_schema).any(|known| known == name);
        let mut at_once = match self.tool.wrapper().is_some_and(is_required) {
            true => self.of_wrapper(),
            false => Vec::new(),
        };
        at_once.extend(broken_at_once(&self.schema));
        if self.class == Class::Effect {
            at_once.truncate(2);
        }
        at_once
    }

    /// The changes of the wrapper argument.
    fn of_wrapper(&self) -> Vec<Mutation> {
        let Some(wrapper) = self.tool.wrapper() else { return Vec::new() };
        let mut found = mutations(&self.tool.input_schema, &self.tool_files);
        // Misspelling the wrapper removes all arguments in it.
        found.retain(|mutation| mutation.parameter.as_deref() == Some(wrapper) && mutation.id != "misspelt");
        found.iter_mut().for_each(|mutation| mutation.of_wrapper = true);
        found
    }

    /// The call of a tool without parameters, where it may succeed. What executes, deletes or sends something could end what
    /// others stand on: it gets none.
    fn plain(&self) -> Option<Mutation> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        let is_bare = properties.is_none_or(Map::is_empty) && required(&self.schema).next().is_none();
        let may_go = self.known.scope.is_complete(self.class) && self.class != Class::Effect;
        (is_bare && self.tool.wrapper().is_none() && may_go).then(Mutation::plain)
    }

    /// What a tool that only reads is sent besides single changes: no argument at all, where one by one says less, and
    /// what is special to the role that it plays.
    fn beyond(&self) -> Vec<Mutation> {
        let mut beyond: Vec<Mutation> = none_at_all(&self.schema).into_iter().collect();
        beyond.extend(bound(self.known.into(), self.tool, &self.tool_files));
        beyond
    }

    /// The arguments with which a call succeeds, as the user says.
    fn users(&self) -> Option<&Arguments> {
        self.known.settings.get(&self.tool.name).and_then(|setting| setting.valid.as_ref())
    }

    /// The calls that may succeed: the user's own, then the role's, then plain draws if the class allows them.
    fn tries(&self, binding: Option<&Binding>) -> Vec<Value> {
        let mut tries: Vec<Value> = binding
            .and_then(|binding| by_role(binding, &self.tool_files, self.known.folders))
            .into_iter()
            .collect();
        let draws = self.draws();
        let shown = draws.first().map(|first| self.shown(first)).unwrap_or_default();
        for drawn in draws {
            if !tries.contains(&drawn) {
                tries.push(drawn);
            }
        }
        tries.truncate(TRIES);
        tries.extend(shown);
        if let Some(arguments) = self.users() {
            // The user says that this call succeeds, so it may be sent.
            let case = format!("{}/{}", self.known.folders.workspace, folder_name(&self.folder));
            let denied = self.known.limits.denied_name();
            let tokens = Tokens { folders: self.known.folders, case: Some(&case), denied: denied.as_deref() };
            let valid = tokens.replace_arguments(arguments).as_json();
            tries.insert(0, self.tool.unwrap(&valid).clone());
        }
        tries
    }
}

impl CandidateTool<'_> {
    /// The calls shown in the tool's description, put into a plain draw; paths and anything that could be
    /// executed stay as drawn.
    fn shown(&self, drawn: &Value) -> Vec<Value> {
        let (Some(base), Some(properties)) =
            (drawn.as_object(), self.schema.get("properties").and_then(Value::as_object))
        else {
            return Vec::new();
        };
        let may_be_shown = |name: &str, value: &Value| {
            let schema = flattened(properties.get(name).unwrap_or(&Value::Null), &self.schema);
            let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let is_executed = bound_executable_kind(self.tool, self.known.bindings, name, &schema).is_some();
            let is_path = is_path(&plain_name(name), &description.to_lowercase());
            !is_executed && !is_path && texts(value).all(is_harmless)
        };
        let confirmer = Confirmer::new(&self.tool.input_schema);
        let with = |members: Map<String, Value>| {
            let mut call = base.clone();
            call.extend(members.into_iter().filter(|(name, value)| may_be_shown(name, value)));
            let call = Value::Object(call);
            let is_allowed = confirmer.ruling(&self.tool.wrap(call.clone())) != Ruling::Forbids;
            (call != *drawn && is_allowed).then_some(call)
        };
        let mut shown: Vec<Value> =
            series(&self.tool.description, &self.schema).into_iter().filter_map(with).collect();
        // If a tool takes a single text, the description's example is that text.
        let is_text = |name: &&String| {
            let schema = properties.get(*name).map(|schema| flattened(schema, &self.schema));
            base[*name].is_string() && schema.is_some_and(|schema| schema.get("enum").is_none())
        };
        if let [only] = base.keys().filter(is_text).collect::<Vec<_>>()[..] {
            let described = examples(&self.tool.description).into_iter().take(EXAMPLES);
            shown.extend(described.filter_map(|text| with(Map::from_iter([(only.clone(), json!(text))]))));
        }
        shown.extend(self.with_objects(base, properties).into_iter().filter_map(with));
        shown.dedup();
        shown.truncate(SHOWN);
        shown
    }

    /// The JSON objects that the descriptions show, for the parameters that take objects whose members the schema does not
    /// tell: those of the parameter's description, and if there is one such parameter, those of the tool's.
    fn with_objects(
        &self,
        base: &Map<String, Value>,
        properties: &Map<String, Value>,
    ) -> Vec<Map<String, Value>> {
        let mut open: Vec<(&String, Vec<Value>, bool)> = Vec::new();
        for name in base.keys() {
            let schema = flattened(properties.get(name).unwrap_or(&Value::Null), &self.schema);
            let is_list = types(&schema).contains(&"array");
            let taken = if is_list { schema.get("items").unwrap_or(&Value::Null) } else { &*schema };
            let taken = flattened(taken, &self.schema);
            if types(&taken).contains(&"object") && taken.get("properties").is_none() {
                let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
                open.push((name, objects(description), is_list));
            }
        }
        if let [(_, shown, _)] = &mut open[..]
            && shown.is_empty()
        {
            *shown = objects(&self.tool.description);
        }
        let mut calls = Vec::new();
        for (name, shown, is_list) in open {
            for object in shown.into_iter().filter(|object| !self.holds_executable(object)) {
                let value = if is_list { json!([object]) } else { object };
                calls.push(Map::from_iter([(name.clone(), value)]));
            }
        }
        calls
    }

    /// Whether a member at any depth may be something that is executed, opened or sent, judged by its name.
    fn holds_executable(&self, value: &Value) -> bool {
        match value {
            Value::Object(members) => members.iter().any(|(name, member)| {
                bound_executable_kind(self.tool, self.known.bindings, name, &Value::Null).is_some()
                    || self.holds_executable(member)
            }),
            Value::Array(items) => items.iter().any(|item| self.holds_executable(item)),
            _ => false,
        }
    }

    /// Plain draws, if the class or the confinement allows any. They execute only harmless things.
    fn draws(&self) -> Vec<Value> {
        let mut draws = self.plain_draws();
        let with_untyped = draws.first().and_then(|first| self.with_untyped(first));
        draws.splice(0..0, with_untyped);
        draws
    }

    /// A draw that includes the parameters without a type, except executable ones: a server that checks its
    /// arguments itself mostly needs them, although its schema requires none.
    fn with_untyped(&self, drawn: &Value) -> Option<Value> {
        let mut members = drawn.as_object()?.clone();
        for name in self.tool.untyped().filter(|name| drawn.get(*name).is_none()) {
            let schema = flattened(self.schema.pointer("/properties")?.get(name)?, &self.schema);
            if bound_executable_kind(self.tool, self.known.bindings, name, &schema).is_none() {
                let drawn = Draw::new(&self.schema, &self.tool_files, 0).parameter(name, &schema);
                members.extend(drawn.map(|value| (name.to_owned(), value)));
            }
        }
        let filled = Value::Object(members);
        (filled != *drawn).then_some(filled)
    }

    fn plain_draws(&self) -> Vec<Value> {
        let turns = 0..TRIES;
        if self.class == Class::Read {
            let draws = turns.filter_map(|turn| Draw::new(&self.schema, &self.tool_files, turn).arguments());
            return draws.map(Value::Object).collect();
        }
        if !self.known.scope.is_complete(self.class) {
            return Vec::new();
        }
        let generator = Generator::new(self.tool, &GeneratorSettings::complete(self.class, &self.tool_files));
        let drawn = turns.filter_map(|turn| generator.plain_draw(self.tool, turn));
        drawn.map(|drawn| self.tool.unwrap(&drawn).clone()).collect()
    }
}

/// Why not every change is sent to a tool that may change something.
fn why_withheld(class: Class, sent: usize) -> &'static str {
    match class {
        _ if sent == 0 => "it has no required argument, so no call is certain to be refused",
        Class::Effect => {
            "it may execute, delete or send something: only calls in which every required argument is \
             invalid are sent"
        }
        Class::Write => {
            "it may create or change something: apart from the scenarios, only calls in which every required \
             argument is invalid are sent"
        }
        Class::Read | Class::Unknown => {
            "it is not known whether it changes anything (`readOnlyHint: true` in its annotations would say \
             that it does not): only calls in which every required argument is invalid are sent"
        }
    }
}
