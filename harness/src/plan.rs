//! What will be sent: every case of the suite, adapted to one server's tools. Pure: same suite, same server,
//! same plan.
//!
//! The main type is [`Plan`]. Whether a call will succeed is unknown here. A case that needs something the
//! server does not have is planned as skipped, with the reason.

use serde_json::Value;

use crate::argument::{Argument, Arguments, beyond_limit, filler};
use crate::catalog::Catalog;
use crate::condition::folder_name;
use crate::expectation::{Authority, Expected, ExpectedEditing, ExpectedFailure, ExpectedValue, Hint, Need};
use crate::placeholder::{Folders, Tokens};
use crate::planned_call as call;
use crate::roles::{Binding, Role, without_tool};
use crate::suite::{Action, Case, Elsewhere, FillTasks, Prepare, Script, Suite};
use crate::transcript::{Limits, RootSource};

mod feature;
mod probe;
mod selection;
mod session_plan;
mod twin;

pub(crate) use crate::planned_call::relative;
pub use crate::planned_call::{PlannedCall, role_call};
pub use feature::{FeatureGroup, FeatureProbe, FeatureRequest, OfferedFeatures};
pub(crate) use probe::{ChangeGround, PROBED_PAGE, known_changes, maker_of, may_name, sanitized};
pub use probe::{
    Known, Obstacle, PlannedEnd, PlannedLife, PlannedProbe, PlannedUse, ProbeChoice, ProbePlan, ProbeScope,
    ProbedTool, ServiceFault, SettledCases, probes, service_faults,
};
pub use selection::{may_match, may_select};
pub(crate) use session_plan::{RepeatedCall, SessionPlan};
pub use twin::twin_arguments;

use call::write_call;

/// The tool name in calls of a tool that does not exist.
const ABSENT_TOOL: &str = "no_such_tool";

/// Every case, in the order of the suite.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The cases.
    pub cases: Vec<PlannedCase>,
}

/// One case, adapted to one server.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCase {
    /// The case.
    pub case: Case,
    /// The tools that it calls, each once, in the order of their first call.
    pub tools: Vec<String>,
    /// What is sent, or why nothing is sent.
    pub script: Result<PlannedScript, String>,
}

/// What a case sends.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedScript {
    /// The steps before the control.
    pub prepare: Vec<PlannedStep>,
    /// The control.
    pub control: Option<PlannedCall>,
    /// The steps between the control and the call.
    pub meanwhile: Vec<PlannedStep>,
    /// The call that the case is about.
    pub call: PlannedCall,
    /// The calls after it: calls that must fail in the same way, and others between them without an
    /// expectation.
    pub again: Vec<PlannedCall>,
    /// The calls after all of these, which release what they took from the server.
    pub cleanup: Vec<PlannedCall>,
}

/// One step that sets up what a case needs.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannedStep {
    /// A call that must succeed, this many times.
    Call(PlannedCall, u64),
    /// A call that views a file, for editors that require it; nothing depends on the reply.
    View(PlannedCall),
    /// The harness deletes this file in the case's folder.
    RemoveFile(String),
    /// A call, repeated this many times, on another process that keeps running; `{task}` stands for the id in
    /// the last reply.
    Elsewhere(PlannedCall, u64),
}

/// Plans every case of a suite for a server.
pub fn plan(
    suite: &Suite,
    catalog: &Catalog,
    bindings: &[Binding],
    limits: &Limits,
    folders: &Folders,
) -> Plan {
    let denied = limits.denied_name();
    let planned = suite.cases.iter().map(|case| {
        let folder = format!("{}/{}", folders.workspace, folder_name(&case.id));
        let tokens = Tokens { folders, case: Some(&folder), denied: denied.as_deref() };
        let scribe = PlanBuilder { bindings, limits, tokens, catalog };
        let script = scribe.script(&case.script);
        let tools = match &script {
            Ok(script) => script.tools(),
            Err(_) => scribe.bound_tools(&case.script),
        };
        PlannedCase { case: case.clone(), tools, script }
    });
    Plan { cases: planned.collect() }
}

impl PlannedScript {
    /// The calls that it is certain to send, the case's own first.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &PlannedCall> {
        let steps = self.prepare.iter().chain(&self.meanwhile).filter_map(|step| match step {
            PlannedStep::Call(call, _) | PlannedStep::Elsewhere(call, _) | PlannedStep::View(call) => {
                Some(call)
            }
            PlannedStep::RemoveFile(_) => None,
        });
        [&self.call].into_iter().chain(&self.control).chain(steps).chain(&self.cleanup)
    }

    fn tools(&self) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for call in self.calls() {
            if !tools.contains(&call.tool) {
                tools.push(call.tool.clone());
            }
        }
        tools
    }
}

/// Writes the calls of one case for one server.
struct PlanBuilder<'a> {
    bindings: &'a [Binding],
    limits: &'a Limits,
    tokens: Tokens<'a>,
    catalog: &'a Catalog,
}

impl PlanBuilder<'_> {
    fn script(&self, script: &Script) -> Result<PlannedScript, String> {
        for need in &script.needs {
            self.meets(*need)?;
        }
        self.has_upstream(script)?;
        let expected = self.expected(script)?;
        let call = self.call(&script.call, expected)?;
        let mut prepare = self.steps(&script.prepare)?;
        let actions = script.control.iter().chain([&script.call]);
        let views = actions.flat_map(|action| self.views(script, action));
        prepare.extend(views.map(PlannedStep::View));
        let control =
            script.control.as_ref().map(|action| self.call(action, of_control(action))).transpose()?;
        let again = script.again.iter().map(|action| match *action == script.call {
            true => Ok(call.clone()),
            false => self.call(action, Expected::Anything),
        });
        let again = again.collect::<Result<_, _>>()?;
        // A case can be driven without the server having a tool for cleaning up.
        let cleanup = script.cleanup.iter().filter_map(|action| self.call(action, Expected::Anything).ok());
        let cleanup = cleanup.collect();
        Ok(PlannedScript {
            prepare,
            control,
            meanwhile: self.steps(&script.meanwhile)?,
            call,
            again,
            cleanup,
        })
    }

    fn meets(&self, need: Need) -> Result<(), String> {
        let missing = match need {
            Need::Root if !self.limits.root => match &self.limits.root_origin {
                Some(origin) if origin.source == RootSource::Configuration => {
                    "`[limits] root = false`: the server need not stay within a folder"
                }
                Some(_) => {
                    "the root that the server's command line names holds everything that a run lays out, so \
                     nothing lies outside it: give `{workspace}` in its place"
                }
                None => {
                    "no root is known: the server is not given `{workspace}` or a folder in it to stay \
                     within, so any path may be right"
                }
            },
            Need::MaxFileSize if self.limits.max_file_size.is_none() => "no file size limit is known",
            Need::TaskLimit if self.limits.background_tasks.is_none() => {
                "no limit on background tasks is known: the tool that runs commands has no parameter to run \
                 them in the background"
            }
            Need::Deny if self.limits.denied_name().is_none() => {
                "no deny pattern is known from which to make a name that it must refuse"
            }
            _ => return Ok(()),
        };
        Err(missing.to_owned())
    }

    /// Checks that the server was told the address of the service, which otherwise cannot answer as the case
    /// needs.
    fn has_upstream(&self, script: &Script) -> Result<(), String> {
        let needed = script.call.role == Role::Http || !script.upstream.is_empty();
        match needed && self.tokens.folders.upstream.is_empty() {
            false => Ok(()),
            true => {
                Err("the server has no HTTP service: neither its command line nor its environment contains \
                    `{upstream}`"
                    .to_owned())
            }
        }
    }

    /// What must hold of the reply to the case's call, in the server's own terms.
    fn expected(&self, script: &Script) -> Result<Expected, String> {
        let expect = &script.expect;
        let Some(condition) = &script.condition else {
            return Ok(Expected::Success {
                exit_status: expect.exit_status,
                why: expect.why.clone().unwrap_or_else(|| script.title.clone()),
                task_limit: script.needs.contains(&Need::TaskLimit),
                changes_file: false,
                authority: Authority::Contract,
            });
        };
        let binding = self.binding(script.call.role).ok();
        let name = |parameter: &str| binding.and_then(|binding| binding.name(parameter)).map(str::to_owned);
        let outer = |parameter: &str| {
            let (outer, _) = binding?.parameters.get(parameter)?.split_once("[]")?;
            Some(outer.to_owned())
        };
        let sent = &script.call.arguments;
        let value = expect.value.as_ref().and_then(|value| self.value(value, sent, &name, &outer));
        // A tool without such a parameter cannot hint at it; then any other hint counts.
        let hint = expect
            .hint
            .as_ref()
            .and_then(|hint| Some(Hint { parameter: name(&hint.parameter)?, value: hint.value.clone() }));
        let valid_values_of = match &expect.valid_values {
            Some(parameter) => Some(name(parameter).ok_or_else(|| self.lacks(script.call.role, parameter))?),
            None => None,
        };
        let failure = ExpectedFailure {
            condition: condition.clone(),
            value,
            hint,
            valid_values_of,
            only_if_declared: expect.only_if_declared,
            or_success: expect.or_success,
            authority: Authority::Contract,
            editing: expected_editing(script, &self.tokens),
            recovery: script.recovery().map(Box::new),
        };
        Ok(Expected::Failure(failure))
    }

    /// A value that a message must contain, in the server's own terms. `name` returns the tool's name for a
    /// parameter, `outer` that of the array whose items contain it, which a message may name instead. `None` if
    /// the server has no such limit, or the call no such argument.
    fn value(
        &self,
        value: &ExpectedValue,
        sent: &Arguments,
        name: &dyn Fn(&str) -> Option<String>,
        outer: &dyn Fn(&str) -> Option<String>,
    ) -> Option<ExpectedValue> {
        Some(match value {
            ExpectedValue::Path(path) => ExpectedValue::Path(self.tokens.replace(path)),
            ExpectedValue::Text(text) => ExpectedValue::Text(self.tokens.replace(text)),
            ExpectedValue::Count(count) => ExpectedValue::Count(*count),
            ExpectedValue::Parameter(parameter) => {
                let inner = ExpectedValue::Parameter(name(parameter).unwrap_or_else(|| parameter.clone()));
                match outer(parameter) {
                    Some(outer) => ExpectedValue::AnyOf(vec![inner, ExpectedValue::Parameter(outer)]),
                    None => inner,
                }
            }
            ExpectedValue::Argument(parameter) => {
                let Argument::Json(Value::String(text)) = sent.get(parameter)? else { return None };
                let text = self.tokens.replace(text);
                if parameter == "path" { ExpectedValue::Path(text) } else { ExpectedValue::Text(text) }
            }
            ExpectedValue::Limit(need) => ExpectedValue::Count(match need {
                Need::MaxFileSize => self.limits.max_file_size?,
                Need::TaskLimit => self.limits.background_tasks?,
                Need::Root | Need::Deny => return None,
            }),
            ExpectedValue::AnyOf(values) => ExpectedValue::AnyOf(
                values.iter().filter_map(|value| self.value(value, sent, name, outer)).collect(),
            ),
        })
    }

    fn steps(&self, prepares: &[Prepare]) -> Result<Vec<PlannedStep>, String> {
        let must_succeed = |why: &str| Expected::success(why, Authority::Contract);
        let step = |prepare: &Prepare| match prepare {
            Prepare::Call(action) => {
                Ok(PlannedStep::Call(self.call(action, must_succeed("the case depends on it"))?, 1))
            }
            Prepare::FillTasks(FillTasks { leave, call }) => {
                let times = self.limits.background_tasks.unwrap_or_default().saturating_sub(*leave);
                let why = "fewer background tasks are running than the limit allows";
                Ok(PlannedStep::Call(self.call(call, must_succeed(why))?, times))
            }
            Prepare::RemoveFile(path) => Ok(PlannedStep::RemoveFile(path.clone())),
            Prepare::Elsewhere(Elsewhere { times, call }) => {
                let call = self.call(call, must_succeed("another session has its own tasks"))?;
                Ok(PlannedStep::Elsewhere(call, *times))
            }
        };
        prepares.iter().map(step).collect()
    }

    /// The calls that view the files which an editor will change, if there is a tool that reads.
    fn views(&self, script: &Script, action: &Action) -> Vec<PlannedCall> {
        if !(action.role.replaces() || action.role == Role::Write) || action.without.is_some() {
            return Vec::new();
        }
        let is_text = |path: &str| {
            let below = path.strip_prefix("{case}/");
            let file = script.files.iter().find(|file| Some(file.path.as_str()) == below);
            file.is_some_and(|file| file.content.as_text().is_some())
        };
        let paths = paths(&action.arguments).into_iter().filter(|path| is_text(path));
        let view = |path: &str| {
            let arguments = Arguments(vec![("path".to_owned(), Argument::Json(path.into()))]);
            let view = Action { role: Role::Read, arguments, without: None, tells: None };
            self.call(&view, Expected::Anything).ok()
        };
        paths.filter_map(view).collect()
    }

    fn call(&self, action: &Action, expected: Expected) -> Result<PlannedCall, String> {
        let arguments = self.tokens.replace_arguments(&self.sized(&action.arguments));
        if action.role == Role::Absent {
            return Ok(self.absent(&arguments, expected));
        }
        let binding = self.binding(action.role)?;
        if let Some(address) = binding.unreachable(&arguments, &self.tokens.folders.upstream) {
            return Err(format!(
                "`{}` does not take a full address, and {address} is not under `{{upstream}}`",
                binding.tool
            ));
        }
        write_call(binding, &arguments, action.without.as_deref(), expected)
            .map_err(|parameter| self.lacks(action.role, &parameter))
    }

    /// The arguments with texts generated whose size depends on the server's largest file.
    fn sized(&self, arguments: &Arguments) -> Arguments {
        let text = |offset| {
            let bytes = self.limits.max_file_size.unwrap_or_default().saturating_add_signed(offset);
            Argument::Json(String::from_utf8_lossy(&filler(bytes)).into())
        };
        let sized = arguments.0.iter().map(|(name, argument)| match argument {
            Argument::Json(value) => {
                (name.clone(), beyond_limit(value).map_or_else(|| argument.clone(), text))
            }
            Argument::Raw(_) => (name.clone(), argument.clone()),
        });
        Arguments(sized.collect())
    }

    /// A call of a tool that the server does not list.
    fn absent(&self, arguments: &Arguments, expected: Expected) -> PlannedCall {
        let mut tool = ABSENT_TOOL.to_owned();
        while self.catalog.tool(&tool).is_some() {
            tool.push('_');
        }
        let arguments = arguments.as_json();
        PlannedCall { tool, text: arguments.to_string(), arguments, expected, origin: None }
    }

    fn binding(&self, role: Role) -> Result<&Binding, String> {
        let bound = self.bindings.iter().find(|binding| binding.role == role);
        bound.ok_or_else(|| without_tool(role))
    }

    fn lacks(&self, role: Role, parameter: &str) -> String {
        match self.binding(role) {
            Ok(binding) => format!("`{}` has no parameter for the role's `{parameter}`", binding.tool),
            Err(reason) => reason,
        }
    }

    /// The tools that a skipped case would call.
    fn bound_tools(&self, script: &Script) -> Vec<String> {
        self.binding(script.call.role).map(|binding| vec![binding.tool.clone()]).unwrap_or_default()
    }
}

/// The paths of an action: its own, or those of its files.
fn paths(arguments: &Arguments) -> Vec<&str> {
    let json = |name: &str| arguments.get(name)?.value();
    let files = json("files").and_then(Value::as_array).into_iter().flatten();
    let of_files = files.filter_map(|file| file.get("path"));
    json("path").into_iter().chain(of_files).filter_map(Value::as_str).collect()
}

/// The expectation for a control. No contract promises that it succeeds: if it does not, the case is not
/// judged.
fn of_control(control: &Action) -> Expected {
    let tries_only = control.arguments.0.iter().any(|(name, _)| name == "dry-run");
    match &control.tells {
        Some(text) => Expected::Telling(text.clone()),
        None if control.role.writes() && !tries_only => Expected::Changing,
        None => Expected::Anything,
    }
}

/// The case's expectation for an error about edits, with the file's content and the searched text of one run.
fn expected_editing(script: &Script, tokens: &Tokens<'_>) -> Option<Box<ExpectedEditing>> {
    let editing = script.expect.editing.as_ref()?;
    let sought = editing.old_text(script.call.role, &script.call.arguments);
    let content = editing.occurs.and_then(|_| editing.content(script));
    Some(Box::new(ExpectedEditing {
        file: tokens.replace(&editing.file),
        file_index: editing.file_index,
        edit: editing.edit,
        skipped: editing.skipped.clone(),
        sought: sought.map(|text| tokens.replace(text)),
        content: content.map(|text| tokens.replace(&text)),
    }))
}

#[cfg(test)]
mod tests;
