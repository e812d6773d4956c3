//! The tools: what they are called, what they take, and how a call is run.
//!
//! The main types are [`Tool`], as `tools.json` describes it, and [`Session`], what all calls of a connection share. A
//! tool returns a [`Success`] or a [`Failure`]; it knows neither MCP nor a contract.

mod bash;
mod blame_range;
mod create_file;
mod editing;
mod file_history;
mod glob;
mod grep;
mod http_get;
mod lines;
mod list_paths;
mod multi_edit;
mod multi_edit_files;
mod open_file;
mod reserve_files;
mod search_text;
mod str_replace;
mod task_output;
mod view;
mod walk;

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::failure::{Code, Failure};
use crate::limits::Limits;
use crate::panic;
use crate::parameter::{Arguments, Parameter};
use crate::reservation::Reservations;
use crate::shell::{Shell, Tasks};
use crate::success::{Field, Success};
use crate::upstream::Upstream;

pub(crate) use str_replace::replace_first;

/// What a call comes to.
pub(crate) type Outcome = Result<Success, Failure>;

/// One tool, as `tools.json` has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) parameters: Vec<Parameter>,
    /// What a success tells.
    pub(crate) result: Vec<Field>,
    pub(crate) effect: Effect,
}

/// What a tool may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// It changes files in scope, and may overwrite.
    Writes,
    /// It changes what the server itself keeps, and no file.
    Registers,
    /// Anything.
    Executes,
}

#[derive(Debug)]
enum Run {
    /// File work, on a thread where it may block.
    Blocking(fn(&Session, &Arguments) -> Outcome),
    /// The shell, which waits without a thread.
    Command,
}

/// All tools, in the order in which they are listed.
pub(crate) static TOOLS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| serde_json::from_str(include_str!("tools.json")).expect("what is embedded was tested"));

/// How each is run.
const RUNS: &[(&str, Run)] = &[
    ("bash", Run::Command),
    ("task_output", Run::Blocking(task_output::run)),
    ("view", Run::Blocking(view::run)),
    ("create_file", Run::Blocking(create_file::run)),
    ("str_replace", Run::Blocking(str_replace::run)),
    ("multi_edit", Run::Blocking(multi_edit::run)),
    ("multi_edit_files", Run::Blocking(multi_edit_files::run)),
    ("grep", Run::Blocking(grep::run)),
    ("glob", Run::Blocking(glob::run)),
    ("open_file", Run::Blocking(open_file::run)),
    ("list_paths", Run::Blocking(list_paths::run)),
    ("search_text", Run::Blocking(search_text::run)),
    ("blame_range", Run::Blocking(blame_range::run)),
    ("file_history", Run::Blocking(file_history::run)),
    ("http_get", Run::Blocking(http_get::run)),
    ("reserve_files", Run::Blocking(reserve_files::reserve)),
    ("release_files", Run::Blocking(reserve_files::release)),
];

impl Tool {
    fn run(&self) -> &'static Run {
        let run = RUNS.iter().find(|(name, _)| *name == self.name);
        &run.expect("each tool of the table is run in one way").1
    }
}

/// The tool of that name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Reads a list that is kept as long as the process runs.
pub(crate) fn kept<'de: 'static, D, T>(deserializer: D) -> Result<&'static [T], D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Vec::deserialize(deserializer)?.leak())
}

/// One call, with its arguments as they came.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static Tool,
    pub(crate) arguments: Map<String, Value>,
    /// Whether the request has a member `arguments`.
    pub(crate) has_arguments: bool,
}

impl Call {
    /// An argument, if it is a string.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// What the calls of one connection share.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) limits: Arc<Limits>,
    pub(crate) shell: Arc<Shell>,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) reservations: Arc<Reservations>,
    /// What a defect has happen within the tool, before it does anything.
    pub(crate) mishap: Option<fn(&Session, &Arguments)>,
}

impl Session {
    pub(crate) fn new(limits: Limits, upstream: Upstream) -> Self {
        Self {
            limits: Arc::new(limits),
            shell: Arc::default(),
            tasks: Arc::default(),
            upstream: Arc::new(upstream),
            reservations: Arc::default(),
            mishap: None,
        }
    }

    /// Gives this session other limits; sessions that it was cloned from keep theirs.
    pub(crate) fn change_limits(&mut self, change: impl FnOnce(&mut Limits)) {
        change(Arc::make_mut(&mut self.limits));
    }

    /// Checks the arguments and runs the tool. A panic in the tool is one more way to fail.
    pub(crate) async fn run(&self, call: Call) -> Outcome {
        let Call { tool, arguments, .. } = call;
        let session = self.clone();
        let checked = move || {
            let arguments = Arguments::checked(arguments, &tool.parameters, tool.name)?;
            if let Some(mishap) = session.mishap {
                mishap(&session, &arguments);
            }
            Ok::<_, Failure>((session, arguments))
        };
        let joined = match tool.run() {
            Run::Blocking(run) => {
                let call = move || checked().and_then(|(session, arguments)| run(&session, &arguments));
                tokio::task::spawn_blocking(move || panic::within(call)).await
            }
            Run::Command => {
                let call = async move {
                    let (session, arguments) = checked()?;
                    bash::run(&session, &arguments).await
                };
                Ended(tokio::spawn(panic::Steps::of(call))).await
            }
        };
        joined.unwrap_or_else(|error| {
            Err(Failure::new(
                Code::ServerFault,
                format!(
                    "Could not finish the call of {}, because of a fault in the server itself",
                    tool.name
                ),
            )
            .about(tool.name)
            .caused_by(panic::Panic::of(error)))
        })
    }
}

/// A task that ends when nobody waits for it any more: a cancelled call must not leave its command running.
struct Ended<T>(tokio::task::JoinHandle<T>);

impl<T> Future for Ended<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for Ended<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_of_the_table_is_run_in_one_way() {
        assert!(RUNS.iter().map(|(name, _)| *name).eq(TOOLS.iter().map(|tool| tool.name)));
        assert!(find("rm").is_none());
    }

    #[tokio::test]
    async fn a_tool_that_panics_is_a_failed_call() {
        let scope = crate::scope::Scope::new(std::path::Path::new("."), &[], &[]).unwrap();
        let counted = crate::shell::Counted::Running;
        let mut session =
            Session::new(Limits { scope, file_size: 1, tasks: 1, counted }, Upstream::default());
        session.mishap = Some(|_, _| panic!("a fault in a tool"));
        let tool = find("list_paths").unwrap();
        let call = Call { tool, arguments: Map::new(), has_arguments: true };
        let failure = session.run(call).await.unwrap_err();
        assert_eq!(failure.code, Code::ServerFault);
        assert!(failure.what.starts_with("Could not finish the call of list_paths"), "{}", failure.what);
    }

    #[test]
    fn every_tool_and_parameter_is_described() {
        for tool in TOOLS.iter() {
            assert!(!tool.description.is_empty() && !tool.title.is_empty(), "{}", tool.name);
            for parameter in &tool.parameters {
                assert!(!parameter.description.is_empty(), "{} {}", tool.name, parameter.name);
            }
        }
    }
}
