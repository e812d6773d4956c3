//! Probes: cases made from the schemas of a server's tools, so that every tool is tried.
//!
//! The main type is [`ProbePlan`]. Which calls may be sent follows from the tool's class; what is not sent is told as
//! withheld. Pure: same tools, same bounds, same plan.

use std::collections::{BTreeMap, HashSet, VecDeque};

use globset::GlobMatcher;
use serde_json::{Map, Value, json};

use crate::catalog::{Catalog, Tool};
use crate::class::Class;
use crate::config::ToolSetting;
use crate::contract::Contract;
use crate::exchange::{Authority, Expected, ExpectedFailure};
use crate::generate::{Confirmer, Draw, Grounds, Mutation, MutationKind, Ruling, broken_at_once, mutations};
use crate::roles::{Binding, Role};
use crate::suite::{Argument, Arguments, CaseId, Condition, Content, ExpectedValue, File};
use crate::token::Tokens;
use crate::transcript::{Folders, Limits, Withheld};

use super::{PlannedCall, folder_name};

/// So many calls are tried until one of a tool succeeds.
const TRIES: usize = 4;
/// A tool's or parameter's name in an id is cut here.
const NAME: usize = 60;

/// The conditions that probes alone bring about: what a tool's own schema forbids.
pub const SCHEMA_CONDITIONS: [&str; 8] = [
    "missing-argument",
    "invalid-type",
    "null-argument",
    "empty-argument",
    "unknown-enum-value",
    "out-of-range",
    "wrong-item",
    "unknown-argument",
];

/// Which probes are wanted.
#[derive(Debug, Clone)]
pub struct ProbeChoice {
    /// At most so many are sent, spread over the tools.
    pub most: usize,
    /// Only those whose id matches.
    pub filter: Option<GlobMatcher>,
}

impl ProbeChoice {
    /// How many are sent where nobody says.
    pub const USUAL: usize = 300;
}

impl Default for ProbeChoice {
    fn default() -> Self {
        Self { most: Self::USUAL, filter: None }
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
}

/// The probes of a server, tool by tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProbePlan {
    /// The tools that are probed, in the catalog's order.
    pub tools: Vec<ProbedTool>,
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
    /// What the server itself returned may name what this tool takes: it plays the role of telling a task's output.
    pub takes_task: Option<String>,
    /// The probes.
    pub probes: Vec<PlannedProbe>,
}

/// One probe.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedProbe {
    /// `probe/<tool>/<parameter or arguments>/<mutation>`.
    pub id: CaseId,
    /// What is changed, in words.
    pub title: String,
    /// The change.
    pub mutation: Mutation,
    /// What must hold of the reply.
    pub expected: Expected,
    /// The requirements that it covers.
    pub requirements: Vec<String>,
}

impl ProbedTool {
    /// A call of the tool with these arguments.
    pub fn call(&self, arguments: Value, expected: Expected) -> PlannedCall {
        PlannedCall {
            tool: self.name.clone(),
            text: arguments.to_string(),
            arguments,
            expected,
            origin: None,
        }
    }
}

/// A tool while its probes are chosen.
struct Candidate<'a> {
    tool: &'a Tool,
    plan: ProbedTool,
    /// What is tried to find a call that succeeds; mutations are confirmed on the first of them.
    base: Value,
    confirmer: Option<Confirmer>,
    queue: VecDeque<(CaseId, Mutation)>,
}

/// Plans the probes of every tool.
pub fn probes(known: Known<'_>, choice: &ProbeChoice) -> ProbePlan {
    let mut plan = ProbePlan::default();
    let mut names = HashSet::new();
    let mut candidates = Vec::new();
    let is_called = |tool: &&Tool| !known.settings.get(&tool.name).is_some_and(|setting| setting.skip);
    for tool in known.catalog.tools.iter().filter(is_called) {
        let tag = unique(&sanitized(&tool.name), &mut names);
        let (candidate, withheld) = candidate(known, tool, &tag, choice);
        plan.withheld.extend(withheld);
        candidates.push(candidate);
    }
    let mut left = choice.most;
    // Round by round each tool sends its next probe, so that a large tool leaves room for the others.
    while left > 0 && candidates.iter().any(|candidate| !candidate.queue.is_empty()) {
        for candidate in &mut candidates {
            if left > 0 && candidate.take(known) {
                left -= 1;
            }
        }
    }
    for candidate in candidates {
        if !candidate.queue.is_empty() {
            plan.withheld.push(Withheld {
                tool: candidate.plan.name.clone(),
                class: candidate.plan.class.to_string(),
                why: format!("`--max-probes` {} was reached", choice.most),
                probes: candidate.queue.len(),
            });
        }
        if !candidate.plan.probes.is_empty() {
            plan.tools.push(candidate.plan);
        }
    }
    plan
}

fn candidate<'a>(
    known: Known<'a>,
    tool: &'a Tool,
    tag: &str,
    choice: &ProbeChoice,
) -> (Candidate<'a>, Option<Withheld>) {
    let setting = known.settings.get(&tool.name);
    let class = setting.and_then(|setting| setting.class).map_or_else(|| Class::of(tool), Class::from);
    let folder = CaseId(format!("probe/{tag}"));
    let grounds =
        Grounds::at(format!("{}/{}", known.folders.workspace, folder_name(&folder))).of_tool(&tool.name);
    let binding = known.bindings.iter().find(|binding| binding.tool == tool.name);
    let every = mutations(&tool.input_schema, &grounds);
    let at_once = broken_at_once(&tool.input_schema);
    let withheld = |sent: usize, why: &str| {
        let probes = every.len().saturating_sub(sent);
        (probes > 0 && choice.filter.is_none()).then(|| Withheld {
            tool: tool.name.clone(),
            class: class.to_string(),
            why: why.to_owned(),
            probes,
        })
    };
    let (chosen, withheld) = match class {
        Class::Read => {
            let mut chosen = every.clone();
            chosen.extend(
                at_once
                    .into_iter()
                    .filter(|_| every.iter().filter(|one| one.kind == MutationKind::Missing).count() > 1)
                    .take(1),
            );
            chosen.extend(bound(known, tool, &grounds));
            (chosen, None)
        }
        _ if at_once.is_empty() => {
            (Vec::new(), withheld(0, "it has no required argument, so no call is sure to be refused"))
        }
        Class::Effect => {
            let chosen: Vec<_> = at_once.into_iter().take(2).collect();
            let told = withheld(
                chosen.len(),
                "it may execute, delete or send: only calls that break every required argument are sent",
            );
            (chosen, told)
        }
        Class::Write => {
            let told = withheld(
                at_once.len(),
                "it may create or change something: besides the scenarios only calls that break every required argument are sent",
            );
            (at_once, told)
        }
        Class::Unknown => {
            let told = withheld(
                at_once.len(),
                "nothing tells whether it changes anything (`readOnlyHint: true` in its annotations would): only calls that break every required argument are sent",
            );
            (at_once, told)
        }
    };
    let mut ids = HashSet::new();
    let queue = chosen.into_iter().map(|mutation| {
        let parameter = mutation.parameter.as_deref().unwrap_or("arguments");
        let id = unique(&format!("{}/{}", sanitized(parameter), mutation.kind.slug()), &mut ids);
        (CaseId(format!("{}/{id}", folder.0)), mutation)
    });
    let queue: VecDeque<_> =
        queue.filter(|(id, _)| choice.filter.as_ref().is_none_or(|filter| filter.is_match(&id.0))).collect();
    let takes_task = binding
        .filter(|binding| binding.role == Role::TaskOutput)
        .and_then(|binding| binding.parameters.get("task").cloned())
        .filter(|parameter| !parameter.contains("[]"));
    let mut tries = if queue.is_empty() { Vec::new() } else { tries(tool, class, binding, &grounds) };
    if let Some(arguments) = setting.and_then(|setting| setting.valid.as_ref()) {
        // The user says that this call succeeds, and so that it may be sent.
        let case = format!("{}/{}", known.folders.workspace, folder_name(&folder));
        let denied = known.limits.denied_name();
        let tokens = Tokens { folders: known.folders, case: Some(&case), denied: denied.as_deref() };
        tries.insert(0, Value::Object(as_json(&tokens.replace_arguments(arguments))));
    }
    let base = tries.first().cloned().unwrap_or_else(|| json!({}));
    let plan = ProbedTool {
        name: tool.name.clone(),
        class,
        folder,
        files: files(),
        tries,
        takes_task,
        probes: Vec::new(),
    };
    (Candidate { tool, plan, base, confirmer: None, queue }, withheld)
}

impl Candidate<'_> {
    /// Moves the next probe that holds into the plan; false where none is left.
    fn take(&mut self, known: Known<'_>) -> bool {
        while let Some((id, mutation)) = self.queue.pop_front() {
            let confirmer = self.confirmer.get_or_insert_with(|| Confirmer::of(&self.tool.input_schema));
            let ruling = confirmer.ruling(&mutation.apply(&self.base));
            // Changes of one argument are confirmed on arguments that the schema allows: nothing else may be wrong.
            let fair = mutation.parameter.is_none() || confirmer.ruling(&self.base) != Ruling::Forbids;
            let Some(expected) = expected(&mutation, ruling, fair) else { continue };
            let requirements = match &expected {
                Expected::Failure(failure) => {
                    known.contract.answer(&failure.condition).map(|answer| answer.requirement.clone())
                }
                _ => None,
            };
            self.plan.probes.push(PlannedProbe {
                id,
                title: format!("{}: {}", self.plan.name, mutation.label),
                mutation,
                expected,
                requirements: requirements.into_iter().collect(),
            });
            return true;
        }
        false
    }
}

/// What must hold of the reply; none where the change is no fault, so that it is not sent.
fn expected(mutation: &Mutation, ruling: Ruling, fair: bool) -> Option<Expected> {
    let parameter = || mutation.parameter.clone().unwrap_or_default();
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
        MutationKind::InvalidPattern => {
            (invalid_pattern(mutation), ExpectedValue::Text(sent()), Authority::Contract)
        }
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
        only_if_declared: mutation.kind == MutationKind::InvalidPattern,
        or_success: false,
        authority,
    }))
}

/// The condition stands in the label of a pattern's mutation: which language it is of.
fn invalid_pattern(mutation: &Mutation) -> &'static str {
    if mutation.label.contains("glob") { "invalid-glob" } else { "invalid-regex" }
}

/// What is changed in the paths and patterns of a role besides what its schema says.
fn bound(known: Known<'_>, tool: &Tool, grounds: &Grounds) -> Vec<Mutation> {
    let mut found = Vec::new();
    let plays =
        |role| known.bindings.iter().find(|binding| binding.role == role && binding.tool == tool.name);
    for role in [Role::Read, Role::Grep, Role::Glob] {
        let Some(binding) = plays(role) else { continue };
        let slot = |name: &str| binding.parameters.get(name).filter(|slot| !slot.contains("[]"));
        if let Some(path) = slot("path") {
            let missing = format!("{}/missing.txt", grounds.sub());
            found.push(Mutation::of(
                path,
                MutationKind::NotFound,
                Some(json!(missing)),
                "a path where nothing is",
            ));
            let outside = match role {
                Role::Read => format!("{}/canary.txt", known.folders.outside),
                _ => known.folders.outside.clone(),
            };
            if known.limits.root {
                found.push(Mutation::of(
                    path,
                    MutationKind::Outside,
                    Some(json!(outside)),
                    "a path outside the root",
                ));
            }
        }
        let language = match role {
            Role::Grep => "a regular expression that does not compile",
            Role::Glob => "a glob that does not compile",
            _ => continue,
        };
        if let Some(pattern) = slot("pattern") {
            found.push(Mutation::of(
                pattern,
                MutationKind::InvalidPattern,
                Some(json!("[unclosed")),
                language,
            ));
        }
    }
    found
}

/// The calls that are tried until one succeeds: the role's own first, then plain draws where the class allows it.
fn tries(tool: &Tool, class: Class, binding: Option<&Binding>, grounds: &Grounds) -> Vec<Value> {
    let mut tries: Vec<Value> = binding.and_then(|binding| by_role(binding, grounds)).into_iter().collect();
    if class == Class::Read {
        let draws = (0..TRIES).filter_map(|turn| Draw::new(&tool.input_schema, grounds, turn).arguments());
        for drawn in draws.map(Value::Object) {
            if !tries.contains(&drawn) {
                tries.push(drawn);
            }
        }
    }
    tries.truncate(TRIES);
    tries
}

/// Arguments as JSON; what JSON cannot say is left out.
fn as_json(arguments: &Arguments) -> Map<String, Value> {
    let members = arguments.0.iter().filter_map(|(name, argument)| match argument {
        Argument::Json(value) => Some((name.clone(), value.clone())),
        Argument::Raw(_) => None,
    });
    members.collect()
}

/// A call of a role on files that the harness made.
fn by_role(binding: &Binding, grounds: &Grounds) -> Option<Value> {
    let file = || json!(grounds.file());
    let arguments: Vec<(&str, Value)> = match binding.role {
        Role::Shell => vec![("command", json!("true"))],
        Role::Read => vec![("path", file())],
        Role::Write => {
            vec![("path", json!(format!("{}/new.txt", grounds.sub()))), ("content", json!("alpha\n"))]
        }
        Role::Replace => vec![("path", file()), ("old", json!("beta")), ("new", json!("delta"))],
        Role::Grep | Role::Glob => {
            let pattern = if binding.role == Role::Grep { "alpha" } else { "*" };
            let path = binding.parameters.contains_key("path").then(|| ("path", json!(grounds.sub())));
            [("pattern", json!(pattern))].into_iter().chain(path).collect()
        }
        Role::TaskOutput | Role::Absent => return None,
    };
    let arguments = arguments.into_iter().map(|(name, value)| (name.to_owned(), Argument::Json(value)));
    let composed = binding.compose(&Arguments(arguments.collect()), None).ok()?;
    Some(composed.arguments)
}

fn files() -> Vec<File> {
    let text = |path: String| File { path, content: Content::Text(Grounds::TEXT.to_owned()) };
    vec![text(Grounds::FILE.to_owned()), text(format!("{}/inner.txt", Grounds::FOLDER))]
}

/// A name as it stands in an id.
fn sanitized(name: &str) -> String {
    let letter = |letter: char| match letter {
        letter if letter.is_ascii_alphanumeric() || "_.-".contains(letter) => letter,
        _ => '-',
    };
    let short: String = name.chars().take(NAME).map(letter).collect();
    if short.is_empty() { "-".to_owned() } else { short }
}

/// A name in an id that no other one has.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
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
