//! The tools: what they are called, what they take, and how a call is run.
//!
//! The main types are [`Tool`], the table row of one tool, and [`Session`], what all calls of a connection share. A
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

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::failure::{Code, Failure};
use crate::limits::Limits;
use crate::panic;
use crate::parameter::{Arguments, Kind, Parameter};
use crate::reservation::Reservations;
use crate::shell::{Shell, Tasks};
use crate::success::{Field, Success};
use crate::upstream::Upstream;

pub(crate) use str_replace::replace_first;

/// What a call comes to.
pub(crate) type Outcome = Result<Success, Failure>;

/// One tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// What a success tells.
    pub(crate) result: &'static [Field],
    pub(crate) effect: Effect,
    run: Run,
}

/// What a tool may do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
pub(crate) static TOOLS: [&Tool; 17] = [
    &bash::TOOL,
    &task_output::TOOL,
    &view::TOOL,
    &create_file::TOOL,
    &str_replace::TOOL,
    &multi_edit::TOOL,
    &multi_edit_files::TOOL,
    &grep::TOOL,
    &glob::TOOL,
    &open_file::TOOL,
    &list_paths::TOOL,
    &search_text::TOOL,
    &blame_range::TOOL,
    &file_history::TOOL,
    &http_get::TOOL,
    &reserve_files::RESERVE,
    &reserve_files::RELEASE,
];

/// The tool of that name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.name == name)
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
            let arguments = Arguments::checked(arguments, tool.parameters, tool.name)?;
            if let Some(mishap) = session.mishap {
                mishap(&session, &arguments);
            }
            Ok::<_, Failure>((session, arguments))
        };
        let joined = match tool.run {
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

/// A text that may not be empty; what has a code of its own for that says so.
const TEXT: Kind = Kind::NonEmptyText(Code::InvalidInput);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_found_by_its_name() {
        for tool in TOOLS {
            assert_eq!(find(tool.name).map(|found| found.name), Some(tool.name));
        }
        assert!(find("rm").is_none());
    }

    static PANICS: Tool = Tool {
        name: "panics",
        title: "",
        description: "",
        parameters: &[],
        result: &[],
        effect: Effect::Reads,
        run: Run::Blocking(|_, _| panic!("a fault in a tool")),
    };

    #[tokio::test]
    async fn a_tool_that_panics_is_a_failed_call() {
        let scope = crate::scope::Scope::new(std::path::Path::new("."), &[], &[]).unwrap();
        let counted = crate::shell::Counted::Running;
        let session = Session::new(Limits { scope, file_size: 1, tasks: 1, counted }, Upstream::default());
        let failure = session
            .run(Call { tool: &PANICS, arguments: Map::new(), has_arguments: true })
            .await
            .unwrap_err();
        assert_eq!(failure.code, Code::ServerFault);
        assert!(failure.what.starts_with("Could not finish the call of panics"), "{}", failure.what);
    }

    #[test]
    fn every_tool_and_parameter_is_described() {
        for tool in TOOLS {
            assert!(!tool.description.is_empty() && !tool.title.is_empty(), "{}", tool.name);
            for parameter in tool.parameters {
                assert!(!parameter.description.is_empty(), "{} {}", tool.name, parameter.name);
            }
        }
    }
}
