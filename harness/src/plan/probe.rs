//! Probes: cases made from the schemas of a server's tools, so that every tool is tried.
//!
//! The main type is [`ProbePlan`]. Which calls may be sent follows from the tool's class; what is not sent is reported as
//! withheld. Pure: same tools, same bounds, same plan.

use std::collections::{BTreeMap, HashSet};

use globset::GlobMatcher;
use serde_json::Value;

use crate::catalog::{Catalog, Tool, wrap};
use crate::class::{Class, ToolSetting};
use crate::condition::{CaseId, Condition};
use crate::contract::Contract;
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::{Mutation, MutationKind, PatternSyntax, Ruling};
use crate::placeholder::Folders;
use crate::roles::Binding;
use crate::suite::File;
use crate::transcript::{Limits, Withheld};

use super::PlannedCall;

/// A tool's or parameter's name in an id is cut here.
const NAME: usize = 60;

mod by_role;
mod candidate;
mod changes;
mod life;
mod scope;
mod service;

pub(crate) use by_role::{ChangeGround, PROBED_PAGE};
use candidate::CandidateTool;
pub(crate) use candidate::of_a_confined;
pub(crate) use changes::confined_changes;
use life::{LifeTool, lives};
pub use life::{PlannedEnd, PlannedLife, PlannedUse};
pub(crate) use life::{maker_of, may_name};
pub use scope::{ProbeScope, SettledCases};
pub use service::{PlannedFault, ServiceFault, service_faults};

/// Which probes are wanted.
#[derive(Debug, Clone)]
pub struct ProbeChoice {
    /// At most this many are sent, spread over the tools.
    pub most: usize,
    /// Only those whose id matches.
    pub filter: Option<GlobMatcher>,
    /// What the HTTP service behind the server does wrong while a tool asks it.
    pub faults: Vec<ServiceFault>,
}

impl ProbeChoice {
    /// How many are sent where nobody says.
    pub const USUAL: usize = 600;
}

impl Default for ProbeChoice {
    fn default() -> Self {
        Self { most: Self::USUAL, filter: None, faults: Vec::new() }
    }
}

/// What is known of a server when its probes are planned.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Its tools.
    pub catalog: &'a Catalog,
    /// Which of them plays which role.
    pub bindings: &'a [Binding],
    /// Its limits.
    pub limits: &'a Limits,
    /// The harness's folders.
    pub folders: &'a Folders,
    /// The contract.
    pub contract: &'a Contract,
    /// What the user says of single tools.
    pub settings: &'a BTreeMap<String, ToolSetting>,
    /// How far its calls may go.
    pub scope: ProbeScope<'a>,
}

/// The probes of a server, tool by tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbePlan {
    /// The tools that are probed, in the catalog's order.
    pub tools: Vec<ProbedTool>,
    /// What is sent besides about what they make.
    pub lives: Vec<PlannedLife>,
    /// What is not sent, and why.
    pub withheld: Vec<Withheld>,
}

/// One tool and its probes.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbedTool {
    /// The tool's name.
    pub name: String,
    /// Its class.
    pub class: Class,
    /// By this id its files' folder is called.
    pub folder: CaseId,
    /// The files that it finds there.
    pub files: Vec<File>,
    /// Arguments that may make a call succeed, in the order in which they are tried; empty where none may be sent.
    pub tries: Vec<Value>,
    /// The argument in which all others stand, where there is one; the tries, and what the probes change, are named without
    /// it.
    pub wrapper: Option<String>,
    /// What the server itself returned may name what this tool takes: it plays the role of telling a task's output.
    pub takes_task: Option<String>,
    /// The probes.
    pub probes: Vec<PlannedProbe>,
    /// What is sent besides where a call that succeeds asks the HTTP service behind the server for something.
    pub faults: Vec<PlannedFault>,
}

/// One probe.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedProbe {
    /// `probe/<tool>/<parameter or arguments>/<mutation>`.
    pub id: CaseId,
    /// What is changed, in words.
    pub title: String,
    /// What is changed.
    pub change: ProbeMutation,
    /// What must hold of the reply.
    pub expected: Expected,
    /// The requirements that it covers.
    pub requirements: Vec<String>,
}

/// What is changed in a tool's arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeMutation {
    /// The change.
    pub mutation: Mutation,
    /// It is one of the argument in which all others stand, and not of the tool's parameters in it.
    pub of_wrapper: bool,
}

impl From<Mutation> for ProbeMutation {
    fn from(mutation: Mutation) -> Self {
        Self { mutation, of_wrapper: false }
    }
}

impl ProbeMutation {
    /// The arguments to send, from the values of the tool's parameters without the change.
    fn apply(&self, wrapper: Option<&str>, own: &Value) -> Value {
        match self.of_wrapper {
            true => self.mutation.apply(&wrap(wrapper, own.clone())),
            false => wrap(wrapper, self.mutation.apply(own)),
        }
    }
}

impl PlannedProbe {
    /// Why its call should fail: the condition, or where nothing promises that it does what kind of change it is; none
    /// where nothing is changed.
    pub fn condition(&self) -> Option<&str> {
        match &self.expected {
            Expected::Failure(failure) => Some(&failure.condition.0),
            _ if self.change.mutation.is_plain() => None,
            _ => Some(self.change.mutation.kind.slug()),
        }
    }
}

impl ProbedTool {
    /// A call of the tool with these values of its parameters.
    pub fn call(&self, own: Value, expected: Expected) -> PlannedCall {
        self.sent(wrap(self.wrapper.as_deref(), own), expected)
    }

    /// A probe's call: these values of the tool's parameters, with the change.
    pub fn broken(&self, probe: &PlannedProbe, own: &Value) -> PlannedCall {
        self.sent(probe.change.apply(self.wrapper.as_deref(), own), probe.expected.clone())
    }

    /// Whether it has no parameters, so that one call of it says all.
    pub fn is_bare(&self) -> bool {
        self.tries == [Value::Object(serde_json::Map::new())] && self.wrapper.is_none()
    }

    fn sent(&self, arguments: Value, expected: Expected) -> PlannedCall {
        PlannedCall::plain(&self.name, arguments, expected)
    }
}

/// Plans the probes of every tool.
pub fn probes(known: Known<'_>, choice: &ProbeChoice) -> ProbePlan {
    let mut plan = ProbePlan::default();
    let mut names = HashSet::new();
    let mut candidates = Vec::new();
    let is_called = |tool: &&Tool| {
        !known.settings.get(&tool.name).is_some_and(|setting| setting.skip)
            && !known.scope.leaves_alone(&tool.name)
    };
    let called = known.catalog.tools.iter().filter(is_called);
    let living = called.map(|tool| LifeTool {
        tool,
        class: class_of(known, tool),
        folder: CaseId(format!("probe/{}", unique(&sanitized(&tool.name), &mut names))),
    });
    let living: Vec<LifeTool<'_>> = living.collect();
    plan.lives = lives(known, choice, &living);
    let needed: HashSet<&str> = plan.lives.iter().flat_map(PlannedLife::tools).collect();
    for LifeTool { tool, class, folder } in living {
        let is_needed = needed.contains(tool.name.as_str());
        let (candidate, withheld) = CandidateTool::new(known, tool, (class, folder), choice, is_needed);
        plan.withheld.extend(withheld);
        candidates.push(candidate);
    }
    let mut left = choice.most;
    // Round by round each tool sends its next probe, so that a large tool leaves room for the others.
    while left > 0 && candidates.iter().any(|candidate| candidate.left() > 0) {
        for candidate in &mut candidates {
            if left > 0 && candidate.take() {
                left -= 1;
            }
        }
    }
    for candidate in candidates {
        if candidate.left() > 0 {
            let why = Withheld::limit_reached(choice.most);
            plan.withheld.push(candidate.withheld(why, candidate.left()));
        }
        plan.tools.extend(candidate.probed());
    }
    plan
}

/// What a tool may do to the world, as the user says, or it does itself.
fn class_of(known: Known<'_>, tool: &Tool) -> Class {
    let set = known.settings.get(&tool.name).and_then(|setting| setting.class);
    set.unwrap_or_else(|| Class::from_tool(tool))
}

/// What must hold of the reply; none if the change is no fault, so that it is not sent.
fn expected(mutation: &Mutation, ruling: Ruling, fair: bool) -> Option<Expected> {
    if mutation.kind.is_unusual() {
        // Where the schema forbids it after all there is a change of its own.
        return (ruling != Ruling::Forbids).then_some(Expected::Anything);
    }
    let parameter = || mutation.name().unwrap_or_default().to_owned();
    let sent = || match mutation.value() {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let named = || ExpectedValue::Parameter(parameter());
    let either = || ExpectedValue::AnyOf(vec![named(), ExpectedValue::Text(sent())]);
    let (condition, value, authority) = match mutation.kind {
        MutationKind::Missing => ("missing-argument", named(), Authority::Schema),
        MutationKind::WrongType => ("invalid-type", named(), Authority::Schema),
        MutationKind::Null => ("null-argument", named(), Authority::Schema),
        MutationKind::Empty => ("empty-argument", named(), Authority::Schema),
        MutationKind::UnknownValue => ("unknown-enum-value", either(), Authority::Schema),
        MutationKind::BelowRange | MutationKind::AboveRange => ("out-of-range", named(), Authority::Schema),
        MutationKind::WrongItem => ("wrong-item", named(), Authority::Schema),
        MutationKind::UnknownArgument => ("unknown-argument", either(), Authority::Schema),
        MutationKind::NotFound => ("path-not-found", ExpectedValue::Path(sent()), Authority::Contract),
        MutationKind::Outside => ("path-outside-root", ExpectedValue::Path(sent()), Authority::Contract),
        MutationKind::InvalidPattern(syntax) => {
            (invalid_pattern(syntax), ExpectedValue::Text(sent()), Authority::Contract)
        }
        MutationKind::Misspelt
        | MutationKind::Unlisted
        | MutationKind::Unparsable
        | MutationKind::Long
        | MutationKind::Unfilled
        | MutationKind::Zero
        | MutationKind::Negative
        | MutationKind::Large
        | MutationKind::Special(_) => return Some(Expected::Anything),
    };
    let value = match mutation.parameter {
        Some(_) => value,
        None => ExpectedValue::AnyOf(
            mutation.change.iter().map(|(name, _)| ExpectedValue::Parameter(name.clone())).collect(),
        ),
    };
    match (authority, ruling) {
        // An empty text that the schema allows is right to be accepted; what is said of it is judged all the same.
        (Authority::Schema, Ruling::Allows) if mutation.kind == MutationKind::Empty => {
            return Some(Expected::Anything);
        }
        (Authority::Schema, Ruling::Allows) => return None,
        (Authority::Schema, Ruling::Silent) => return Some(Expected::Anything),
        (Authority::Schema, Ruling::Forbids) if !fair => return Some(Expected::Anything),
        (Authority::Contract, Ruling::Forbids) => return None,
        _ => {}
    }
    Some(Expected::Failure(ExpectedFailure {
        condition: Condition(condition.to_owned()),
        value: Some(value),
        hint: None,
        valid_values_of: mutation.parameter.clone().filter(|_| mutation.listable),
        only_if_declared: matches!(mutation.kind, MutationKind::InvalidPattern(_)),
        or_success: false,
        authority,
        editing: None,
        recovery: None,
    }))
}

/// The condition of a pattern that does not compile.
fn invalid_pattern(syntax: PatternSyntax) -> &'static str {
    match syntax {
        PatternSyntax::Glob => "invalid-glob",
        PatternSyntax::Regex => "invalid-regex",
    }
}

/// A name as it stands in an id.
pub(crate) fn sanitized(name: &str) -> String {
    let letter = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || "_.-".contains(letter) => letter,
        _ => '-',
    };
    let short: String = name.chars().take(NAME).map(letter).collect();
    if short.is_empty() { "-".to_owned() } else { short }
}

/// A name in an id that no other one has.
pub(super) fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut id = name.to_owned();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        id = format!("{name}~{number}");
        number += 1;
    }
    id
}

#[cfg(test)]
mod tests;
