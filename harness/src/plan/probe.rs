//! Probes: cases made from the schemas of a server's tools, so that every tool is tried.
//!
//! The main type is [`ProbePlan`]. The tool's class decides which calls may be sent; the others are reported as
//! withheld. Pure: same tools, same bounds, same plan.

use std::collections::{BTreeMap, HashSet};

use globset::GlobMatcher;
use serde_json::Value;

use crate::catalog::{Catalog, Tool, wrap};
use crate::class::{Class, ToolSetting, is_skipped};
use crate::condition::{CaseId, Condition};
use crate::contract::Contract;
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::generate::{Mutation, Named, Ruling};
use crate::json::as_text;
use crate::placeholder::Folders;
use crate::roles::Binding;
use crate::suite::{File, StubResponse};
use crate::transcript::{Limits, Withheld};

use super::PlannedCall;

/// The name of a tool or parameter is cut to this length in an id.
const NAME: usize = 60;

mod candidate;
mod changes;
mod life;
mod obstacle;
mod service;

use candidate::CandidateTool;
pub(crate) use changes::known_changes;
pub(crate) use changes::{ChangeGround, PROBED_PAGE};
use life::{LifeTool, lives};
pub use life::{PlannedEnd, PlannedLife, PlannedUse};
pub(crate) use life::{maker_of, may_name};
pub use obstacle::Obstacle;
pub use service::{ServiceFault, service_faults};

/// Which probes are wanted.
#[derive(Debug, Clone)]
pub struct ProbeChoice {
    /// At most this many probes are sent, spread over the tools.
    pub most: usize,
    /// If set, only probes with a matching id are sent.
    pub filter: Option<GlobMatcher>,
    /// The failures of the HTTP service behind the server that are tried.
    pub faults: Vec<ServiceFault>,
}

impl ProbeChoice {
    /// The default for the number of probes.
    pub const USUAL: usize = 1000;

    /// Whether the filter, if there is one, selects this id.
    pub(crate) fn selects(&self, id: &CaseId) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(&id.0))
    }
}

impl Default for ProbeChoice {
    fn default() -> Self {
        Self { most: Self::USUAL, filter: None, faults: Vec::new() }
    }
}

/// What is known about a server when its probes are planned.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The server's tools.
    pub catalog: &'a Catalog,
    /// Which tool plays which role.
    pub bindings: &'a [Binding],
    /// The server's limits.
    pub limits: &'a Limits,
    /// The harness's folders.
    pub folders: &'a Folders,
    /// The contract.
    pub contract: &'a Contract,
    /// The user's settings for single tools.
    pub settings: &'a BTreeMap<String, ToolSetting>,
    /// Which calls may be sent.
    pub scope: ProbeScope<'a>,
}

/// Which tools get complete calls.
#[derive(Debug, Clone, Copy)]
pub enum ProbeScope<'a> {
    /// Those whose class allows it: the server is not confined, and there is no other session. Other tools get
    /// calls in which every required argument is invalid.
    ByClass,
    /// Only those that read: the server is not confined, and a confined session follows. Others get nothing,
    /// because a server that checks nothing may take even a call without arguments for "all" or "here".
    ReadAlone,
    /// All, because the server is confined. What is settled is not sent again.
    Complete(&'a SettledCases),
}

/// What an earlier session has brought to a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettledCases {
    /// The settled probes.
    pub probes: HashSet<CaseId>,
    /// The tools that are not called any more.
    pub tools: HashSet<String>,
}

impl ProbeScope<'_> {
    /// Whether a tool of this class gets complete calls.
    pub fn is_complete(self, class: Class) -> bool {
        matches!(self, Self::Complete(_)) || class == Class::Read
    }

    /// Whether a tool of this class gets any call made from its schema.
    fn goes_to(self, class: Class) -> bool {
        !matches!(self, Self::ReadAlone) || class == Class::Read
    }

    /// Whether a probe may be sent.
    fn wants(self, id: &CaseId) -> bool {
        match self {
            Self::ByClass | Self::ReadAlone => true,
            Self::Complete(settled) => !settled.probes.contains(id),
        }
    }

    /// Whether a tool must not be called.
    fn leaves_alone(self, tool: &str) -> bool {
        matches!(self, Self::Complete(settled) if settled.tools.contains(tool))
    }

    /// Whether any probe with an id in this folder is settled.
    fn has_settled_some_below(self, folder: &CaseId) -> bool {
        let is_below = |id: &CaseId| id.0.strip_prefix(&folder.0).is_some_and(|rest| rest.starts_with('/'));
        matches!(self, Self::Complete(settled) if settled.probes.iter().any(is_below))
    }
}

/// The probes of a server, tool by tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbePlan {
    /// The tools with probes, in the catalog's order.
    pub tools: Vec<ProbedTool>,
    /// The calls about things that the tools create.
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
    /// The id that names the folder of its files.
    pub folder: CaseId,
    /// The files in that folder.
    pub files: Vec<File>,
    /// Arguments that may make a call succeed, in the order in which they are tried; empty if none may be sent.
    pub tries: Vec<Value>,
    /// The argument that contains all others, if there is one. The tries, and the changes of the probes, are
    /// given without it.
    pub wrapper: Option<String>,
    /// The parameter that takes the id of a task returned by the server, if the tool has the role of telling a
    /// task's output.
    pub takes_task: Option<String>,
    /// The probes.
    pub probes: Vec<PlannedProbe>,
    /// The calls sent while the service fails, if a successful call of the tool uses the HTTP service behind
    /// the server.
    pub faults: Vec<PlannedProbe<StubResponse>>,
    /// The calls sent while the machine is in their way, in confinement.
    pub obstacles: Vec<PlannedProbe<Obstacle>>,
}

/// One probe: a call with a change of its arguments, or a successful call to be sent again in other circumstances.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedProbe<C = Mutation> {
    /// `probe/<tool>/<parameter, arguments or group>/<change>`.
    pub id: CaseId,
    /// What is different, in words.
    pub title: String,
    /// What is different: the arguments, the answer of the service to every request, or what is in the way.
    pub change: C,
    /// What must hold of the reply.
    pub expected: Expected,
    /// The requirements that it covers.
    pub requirements: Vec<String>,
}

impl PlannedProbe {
    /// Why its call should fail: the condition, or where nothing promises that it does what kind of change it is; none
    /// where nothing is changed.
    pub fn condition(&self) -> Option<&str> {
        let change = || Some(self.change.id).filter(|_| !self.change.is_plain());
        self.expected.condition().map(|condition| condition.0.as_str()).or_else(change)
    }
}

impl ProbedTool {
    /// A call of the tool with these values of its parameters.
    pub fn call(&self, own: Value, expected: Expected) -> PlannedCall {
        self.sent(wrap(self.wrapper.as_deref(), own), expected)
    }

    /// A probe's call: these values of the tool's parameters, with the change.
    pub fn broken(&self, probe: &PlannedProbe, own: &Value) -> PlannedCall {
        self.sent(probe.change.apply_in(self.wrapper.as_deref(), own), probe.expected.clone())
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
    let is_called =
        |tool: &&Tool| !is_skipped(&tool.name, known.settings) && !known.scope.leaves_alone(&tool.name);
    let called = known.catalog.tools.iter().filter(is_called);
    let living = called.map(|tool| LifeTool {
        tool,
        class: Class::of(tool, known.settings),
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
    // Each tool gets one probe in each round, so that a tool with many probes leaves room for the others.
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

/// The expectation for a change; `None` if the change is no fault and is not sent.
fn expected(mutation: &Mutation, ruling: Ruling, fair: bool) -> Option<Expected> {
    let Some(owed) = mutation.owed else {
        // If the schema forbids this after all, another change covers it.
        return (ruling != Ruling::Forbids).then_some(Expected::Anything);
    };
    if owed.lax {
        return (ruling == Ruling::Forbids).then_some(Expected::Anything);
    }
    let parameter = || ExpectedValue::Parameter(mutation.name().unwrap_or_default().to_owned());
    let sent = || match mutation.value() {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.len() == 1 => as_text(&items[0]),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let value = match owed.names {
        _ if mutation.parameter.is_none() => {
            let all = mutation.changed().map(|name| ExpectedValue::Parameter(name.to_owned()));
            ExpectedValue::AnyOf(all.collect())
        }
        Named::Parameter => parameter(),
        Named::Either => ExpectedValue::AnyOf(vec![parameter(), ExpectedValue::Text(sent())]),
        Named::Path => ExpectedValue::Path(sent()),
        Named::Text => ExpectedValue::Text(sent()),
    };
    // A schema says nothing about what a path leads to, or whether a pattern compiles.
    let authority = match owed.names {
        Named::Parameter | Named::Either => Authority::Schema,
        Named::Path | Named::Text => Authority::Contract,
    };
    match (authority, ruling) {
        // An empty text that the schema allows may be accepted; a refusal is judged anyway.
        (Authority::Schema, Ruling::Allows) if mutation.id == "empty" => {
            return Some(Expected::Anything);
        }
        (Authority::Schema, Ruling::Allows) => return None,
        (Authority::Schema, Ruling::Silent) => return Some(Expected::Anything),
        (Authority::Schema, Ruling::Forbids) if !fair => return Some(Expected::Anything),
        (Authority::Contract, Ruling::Forbids) => return None,
        _ => {}
    }
    Some(Expected::Failure(ExpectedFailure {
        value: Some(value),
        valid_values_of: mutation.parameter.clone().filter(|_| mutation.listable),
        only_if_declared: owed.names == Named::Text && !owed.certain,
        ..ExpectedFailure::of(Condition(owed.condition.clone()), authority)
    }))
}

/// A name in the form that ids allow.
pub(crate) fn sanitized(name: &str) -> String {
    let letter = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || "_.-".contains(letter) => letter,
        _ => '-',
    };
    let short: String = name.chars().take(NAME).map(letter).collect();
    if short.is_empty() { "-".to_owned() } else { short }
}

/// A name in an id, made unique.
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
