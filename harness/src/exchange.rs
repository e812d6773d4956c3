//! One request and what became of it: the unit of recording, judging and replay.
//!
//! The main type is [`Exchange`]. It carries everything that a rule may read, so that judging needs no process, no
//! clock and no disk. This module knows nothing of sessions, rules or reports.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::suite::{CaseId, Condition, ExpectedValue, Hint};

/// One request, its outcome, and what surrounded it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Position in the run, from 0: what `control` and `follows` refer to.
    pub index: usize,
    /// Which of the run's processes answered, counted from 0 in the order of their start.
    pub process: usize,
    /// What the request was for.
    pub place: Place,
    /// The request.
    pub call: Call,
    /// What became of it.
    pub outcome: Outcome,
    /// Lines on standard output, between this request and its outcome, that are no JSON-RPC message. Lossy UTF-8,
    /// each cut at the session's bound.
    pub noise: Vec<String>,
    /// JSON on standard output, meanwhile, that is no valid message or answers nothing that was asked.
    pub asides: Vec<Aside>,
    /// What the server wrote to standard error meanwhile: the tail of it, lossy UTF-8.
    pub stderr: String,
    /// Files in the case's own folder, or beside the root, that differ after the call.
    pub changes: Vec<FileChange>,
    /// From the request's last byte to the outcome, in milliseconds. Never compared.
    pub elapsed_ms: u64,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The JSON-RPC method, `tools/call` for a tool's call.
    pub method: String,
    /// The tool's name where the method is `tools/call`.
    pub tool: Option<String>,
    /// The arguments as far as JSON can tell them; a `raw` argument of a case stands here as the string of its text.
    pub arguments: Value,
    /// The line as it was sent, without the newline.
    pub line: String,
}

/// What became of a request. Any bytes at all lead to one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A JSON-RPC result.
    Result(Value),
    /// A JSON-RPC error.
    Error(RpcError),
    /// The reply to this request was recognised, and is not a valid message.
    Malformed(Malformed),
    /// No reply before the deadline, though the process lived.
    NoReply {
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },
    /// The process ended instead of answering.
    Ended(Exit),
}

/// A JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RpcError {
    /// `error.code`.
    pub code: i64,
    /// `error.message`, empty where it is missing.
    pub message: String,
    /// `error.data`.
    pub data: Option<Value>,
}

/// A line that answers a request and is no valid JSON-RPC response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Malformed {
    /// What is wrong with it, in words.
    pub how: String,
    /// The line, lossy UTF-8, cut at the session's bound.
    pub line: String,
}

/// JSON on standard output that is not the reply to the request in flight, nor a request or notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aside {
    /// No valid message, and nothing says which request it answers.
    Malformed(Malformed),
    /// A response with an id that was never sent: the line, lossy UTF-8.
    WrongId(String),
    /// A second response to a request: the line, lossy UTF-8.
    DuplicateReply(String),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this status.
    Status(i32),
    /// By this signal's number.
    Signal(i32),
    /// It closed its standard output and was still running when it had to be ended.
    ClosedOutput,
}

/// What a request was for: its case, its step, and what must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The case, or none for the lifecycle's own requests.
    pub case: Option<CaseId>,
    /// The step within the case.
    pub step: Step,
    /// What must hold of the reply.
    pub expected: Expected,
    /// Index of the control: the call that must succeed and differs in the fault alone.
    pub control: Option<usize>,
    /// Index of the exchange whose hint this one follows.
    pub follows: Option<usize>,
}

/// Which step of a case a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// `initialize`, `tools/list`: belongs to no case.
    Lifecycle,
    /// Brings about the state that the case needs: a file is viewed, a task is started.
    Prepare,
    /// The control.
    Control,
    /// The call that the case is about.
    Call,
    /// A call that follows the hint of the reply to the case's call.
    Follow,
    /// The case's call once more.
    Again,
}

/// What must hold of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Nothing is known of what it must be: only the ungated rules speak.
    Anything,
    /// It must succeed.
    Success {
        /// The exit status that the text must tell.
        exit_status: Option<i32>,
        /// Why a refusal is wrong, in words that end "... must succeed: WHY".
        why: String,
        /// The refusal would be one of a limit on background tasks.
        task_limit: bool,
    },
    /// It must fail.
    Failure(ExpectedFailure),
}

/// What must hold of an error reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedFailure {
    /// Why it must fail, in words that no contract owns.
    pub condition: Condition,
    /// The value that was wrong, in the server's own terms: names of parameters are the tool's.
    pub value: Option<ExpectedValue>,
    /// The hint that must be there, in the server's own terms.
    pub hint: Option<Hint>,
    /// The tool's parameter whose valid values must be listed.
    pub valid_values_of: Option<String>,
    /// Success is as right where the server declares no contract.
    #[serde(default)]
    pub only_if_declared: bool,
    /// Success is as right everywhere.
    #[serde(default)]
    pub or_success: bool,
}

/// A file that differs after a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Where, with `{case}` or `{outside}` for the folders that the harness made.
    pub path: String,
    /// What happened to it.
    pub change: Change,
    /// It is the canary beside the root, or lies in its folder.
    pub outside: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It was not there before. `earlier_content` when its bytes are those of a file of the case.
    Created {
        /// Its bytes equal those that a file of the case had before: a backup.
        earlier_content: bool,
    },
    /// Its bytes differ.
    Modified,
    /// It is gone.
    Deleted,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "exit status {status}"),
            Self::Signal(signal) => write!(formatter, "killed by signal {signal}"),
            Self::ClosedOutput => formatter.write_str("it closed its standard output and went on running"),
        }
    }
}

impl Outcome {
    /// The `result` object, where the reply was one.
    pub fn result(&self) -> Option<&Value> {
        match self {
            Self::Result(value) => Some(value),
            _ => None,
        }
    }

    /// True where the reply is a tool's result with `isError: true`.
    pub fn is_tool_error(&self) -> bool {
        self.result().is_some_and(|result| result.get("isError") == Some(&Value::Bool(true)))
    }

    /// The texts of a tool's result, in order: `content[].text` of the items of type `text`.
    pub fn texts(&self) -> Vec<&str> {
        let Some(content) = self.result().and_then(|result| result.get("content")).and_then(Value::as_array)
        else {
            return Vec::new();
        };
        content.iter().filter_map(|item| item.get("text").and_then(Value::as_str)).collect()
    }
}

impl Exchange {
    /// The tool that was called.
    pub fn tool(&self) -> Option<&str> {
        self.call.tool.as_deref()
    }
}
