//! One request and its outcome: the unit of recording, judging and replay.
//!
//! The main type is [`Exchange`]. It carries everything that a rule may read, so that judging needs no process, no
//! clock and no disk. This module knows nothing of sessions, rules or reports.

use std::fmt;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::condition::CaseId;
use crate::expectation::Expected;

mod environment;
mod shape;

pub use environment::EnvironmentEffect;
pub use shape::ShapeError;

/// One request, its outcome, and what accompanied it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Exchange {
    /// Position in the run, from 0: what `control` and `follows` refer to.
    pub index: usize,
    /// Which of the run's processes answered, counted from 0 in the order of their start.
    pub process: usize,
    /// What the request was for.
    pub place: Place,
    /// The request.
    pub call: Call,
    /// The outcome of the request.
    pub outcome: Outcome,
    /// The line that answered, byte for byte: what the parsed form has lost is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<RawReply>,
    /// Lines on standard output, between this request and its outcome, that are not JSON-RPC messages. Invalid
    /// UTF-8 is replaced, and each line is cut at the session's bound.
    pub noise: Vec<String>,
    /// JSON on standard output in the meantime that is not a valid message, or answers no request.
    pub strays: Vec<StrayMessage>,
    /// What the server wrote to standard error in the meantime: the end of it, with invalid UTF-8 replaced.
    pub stderr: String,
    /// Files in the case's own folder, or beside the root, that differ after the call.
    pub changes: Vec<FileChange>,
    /// From the request's last byte to the outcome, in milliseconds. Never compared.
    pub elapsed_ms: u64,
    /// How the server's environment, its confinement or the service behind it, affected the reply.
    #[serde(default, skip_serializing_if = "EnvironmentEffect::is_none")]
    pub environment: EnvironmentEffect,
    /// What a reader found in the reply, if that leads to no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<Guidance>,
}

/// What a reader found in a reply that leads to no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Guidance {
    /// Nothing in it says what to change.
    None,
    /// It asks for the call that was refused before.
    Spent,
    /// It asks for the call that was refused before, and says outright that this call would be accepted.
    Circular,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Call {
    /// The JSON-RPC method, `tools/call` for a tool's call.
    pub method: String,
    /// The tool's name where the method is `tools/call`.
    pub tool: Option<String>,
    /// The arguments as JSON; a `raw` argument of a case is given as a string of its text.
    pub arguments: Value,
    /// The line as it was sent, without the newline; at [`Step::Malformed`] the malformed one, lossy UTF-8.
    pub line: String,
}

/// A line as it was received, without the newline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RawReply {
    /// The whole line.
    Text(String),
    /// The whole line in base64, because it is not UTF-8.
    Base64(String),
    /// The beginning of a line that is longer than is kept, with invalid UTF-8 replaced.
    Cut {
        /// The part of it that is kept.
        beginning: String,
        /// How many bytes it had in all.
        length: usize,
    },
}

impl RawReply {
    /// The longest line that is kept completely, in bytes.
    const KEPT: usize = 256 * 1024;

    /// Keeps a line; `length` is its full length, of which the end may have been dropped already.
    pub fn new(bytes: &[u8], length: usize) -> Self {
        if length > bytes.len() || length > Self::KEPT {
            let kept = &bytes[..bytes.len().min(Self::KEPT)];
            return Self::Cut { beginning: String::from_utf8_lossy(kept).into_owned(), length };
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(BASE64_STANDARD.encode(bytes)),
        }
    }
}

/// The outcome of a request. Any bytes at all lead to one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A JSON-RPC result.
    Result(Value),
    /// A JSON-RPC error.
    Error(RpcError),
    /// A JSON-RPC result that asks the client for more before it goes on (`resultType: input_required`, from 2026-07-28):
    /// neither a success nor an error.
    InputRequired(Value),
    /// The reply to this request was recognised, and is not a valid message.
    Malformed(Malformed),
    /// The reply to this request was recognised, and is longer than what is read of one line.
    Oversized(Oversized),
    /// No reply before the deadline, although the process was alive.
    NoReply {
        /// How long was waited, in milliseconds.
        waited_ms: u64,
        /// What the server did when it was asked whether it is alive.
        #[serde(default)]
        liveness: LivenessCheck,
    },
    /// The process ended instead of answering.
    Ended(Exit),
}

/// A JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct RpcError {
    /// `error.code`.
    pub code: i64,
    /// `error.message`, empty where it is missing.
    pub message: String,
    /// `error.data`, unless it is null.
    pub data: Option<Value>,
}

/// A line that answers a request but is not a valid JSON-RPC response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Malformed {
    /// What is wrong with it, in words.
    pub how: String,
    /// The line, lossy UTF-8, cut at the session's bound.
    pub line: String,
}

/// A line that was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Oversized {
    /// How many bytes it has.
    pub bytes: u64,
    /// The beginning of the line, with invalid UTF-8 replaced.
    pub line: String,
}

/// Whether a server that left a call unanswered still answers other requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LivenessCheck {
    /// The server was not asked.
    #[default]
    Unasked,
    /// It answers other requests: only the call is lost.
    Answers,
    /// It answered the call itself, late.
    Late {
        /// From the request to the reply, in milliseconds. Never compared.
        after_ms: u64,
        /// Whether it answered nothing else in the meantime.
        #[serde(default)]
        blocks: bool,
    },
    /// It answers nothing: it hangs.
    Silent,
    /// It ended when it was asked.
    Ended(Exit),
}

/// JSON on standard output that is not the reply to the request in flight, nor a request or notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StrayMessage {
    /// Not a valid message, and nothing says which request it answers.
    Malformed(Malformed),
    /// A response with an id that was never sent: the line, lossy UTF-8.
    WrongId(String),
    /// A second response to this request: the line, lossy UTF-8.
    DuplicateReply(String),
    /// A response to this request after its deadline: the line, lossy UTF-8.
    Late(String),
    /// A line longer than what is read of one, and nothing says which request it answers.
    Oversized(Oversized),
    /// A progress notification, although no request has given a token for it: the line, lossy UTF-8.
    UnaskedProgress(String),
    /// A progress notification for a request that was answered before: the line, lossy UTF-8.
    LateProgress(String),
    /// A progress notification with less progress than the one before it: the line, lossy UTF-8.
    BackwardProgress(String),
    /// A log message that may contain a secret of the server's: the line, lossy UTF-8.
    LogMessage(String),
    /// A request of the server, which a server of the modern lifecycle may not send: the line, lossy UTF-8.
    Request(String),
    /// A server of the modern lifecycle was still running this long after its standard input was closed, in
    /// milliseconds.
    StillRunning(u64),
    /// A valid message with a duplicate member in an object.
    Repeated {
        /// The member's name.
        member: String,
        /// The line.
        line: String,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this status.
    Status(i32),
    /// By this signal's number.
    Signal(i32),
    /// It closed its standard output and was still running when it had to be ended.
    ClosedOutput,
    /// This program ended it: its processes held more than they may.
    Beyond(Bound),
}

/// A bound on what a server's processes hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// This much memory, in bytes.
    Memory {
        /// The most.
        limit: u64,
    },
    /// The number of processes.
    Processes {
        /// The most.
        limit: u64,
    },
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { limit } => write!(formatter, "{} MiB of memory", limit >> 20),
            Self::Processes { limit } => write!(formatter, "{limit} processes"),
        }
    }
}

/// The purpose of a request: its case, its step, and what is expected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Place {
    /// The case, or none for the lifecycle's own requests.
    pub case: Option<CaseId>,
    /// The step within the case.
    pub step: Step,
    /// What must hold of the reply.
    pub expected: Expected,
    /// The index of the control: the call that must succeed and differs only in the fault.
    pub control: Option<usize>,
    /// The index of the exchange whose hint this one follows, or whose reply led to it.
    pub follows: Option<usize>,
    /// The index of the exchange that this one repeats with another value in place of the wrong one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<usize>,
    /// The words of an earlier reply that led to these arguments: for a control found through a refusal, and
    /// for a reader's next call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// Which step of a case a request is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// `initialize`, `tools/list`: belongs to no case.
    Lifecycle,
    /// Sets up the state that the case needs: a file is viewed, a task is started.
    Prepare,
    /// The control.
    Control,
    /// The call that the case is about.
    #[default]
    Call,
    /// A call that follows the hint of the reply to the case's call.
    Follow,
    /// A line that no client may send, with the outcome of the harmless request after it.
    Malformed,
    /// The case's call repeated.
    Again,
    /// The case's call with another wrong value, whose reply is only compared with the original one.
    Twin,
    /// The next call of a reader who has only the reply to an earlier one.
    Mend,
    /// Releases what the case took from the server, after everything else and whatever its outcome.
    Cleanup,
    /// A call that must not affect those after it: one that was refused before, or one that is taken back while it runs.
    Disturb,
}

impl Step {
    /// Whether the exchange is outside the verdicts: only what no reply may do to a client is judged.
    pub fn is_beside(self) -> bool {
        matches!(self, Self::Twin | Self::Mend | Self::Cleanup | Self::Disturb)
    }
}

/// A file that differs after a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FileChange {
    /// The path, with `{case}`, `{outside}` or `{workspace}` for the folders made by the harness.
    pub path: String,
    /// What happened to it.
    pub change: FileChangeKind,
    /// Whether it is the canary beside the root, or in its folder.
    pub outside: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
    /// The file is new. `earlier_content` if it has the bytes of a file of the case.
    Created {
        /// Whether its bytes equal those that a file of the case had before: a backup.
        earlier_content: bool,
    },
    /// Its bytes differ.
    Modified,
    /// It contains less than it did or is gone, and a call that succeeds keeps some of what is lost.
    Lost,
    /// It is gone.
    Deleted,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(formatter, "exit status {status}"),
            Self::Signal(signal) => write!(formatter, "killed by signal {signal}"),
            Self::ClosedOutput => formatter.write_str("it closed its standard output but kept running"),
            Self::Beyond(bound) => write!(formatter, "stopped by this program for using more than {bound}"),
        }
    }
}

impl Outcome {
    /// The `result` object, if the reply is one.
    pub fn result(&self) -> Option<&Value> {
        match self {
            Self::Result(value) => Some(value),
            _ => None,
        }
    }

    /// Whether nothing came that can be read as a reply, so that the process gets no further request.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::NoReply { .. } | Self::Ended(_) | Self::Malformed(_))
    }

    /// Whether the reply is a tool's result with `isError: true`.
    pub fn is_tool_error(&self) -> bool {
        self.result().is_some_and(|result| result.get("isError") == Some(&Value::Bool(true)))
    }

    /// The texts of a result, in order: `content[].text` of a tool's, `contents[].text` of a resource's, and
    /// `messages[].content.text` of a prompt's.
    pub fn texts(&self) -> Vec<&str> {
        let list = |name: &str| self.result().and_then(|result| result.get(name)).and_then(Value::as_array);
        let (items, pointer) = match (list("content"), list("contents"), list("messages")) {
            (Some(content), _, _) => (content, "/text"),
            (None, Some(contents), _) => (contents, "/text"),
            (None, None, Some(messages)) => (messages, "/content/text"),
            (None, None, None) => return Vec::new(),
        };
        items.iter().filter_map(|item| item.pointer(pointer).and_then(Value::as_str)).collect()
    }

    /// Whether the reply is an error: a tool's, or one of JSON-RPC.
    pub fn is_error(&self) -> bool {
        self.is_tool_error() || self.protocol_error().is_some()
    }

    /// The first text of a reply that is an error.
    pub fn error_text(&self) -> Option<&str> {
        let flagged = || self.texts().first().copied().filter(|_| self.is_tool_error());
        self.protocol_error().or_else(flagged)
    }

    /// The message of a JSON-RPC error, also of one that was put into a result, which then has nothing else.
    pub fn protocol_error(&self) -> Option<&str> {
        if let Self::Error(error) = self {
            return Some(&error.message);
        }
        let result = self.result()?.as_object().filter(|result| result.len() == 1)?;
        let error = result.get("error")?;
        error.get("code")?.as_i64()?;
        error.get("message")?.as_str()
    }

    /// The words of the reply: [`Self::texts`], or the message of a JSON-RPC error.
    pub fn words(&self) -> Vec<&str> {
        self.protocol_error().map_or_else(|| self.texts(), |message| vec![message])
    }
}

impl Place {
    /// A step of a case, which follows no other exchange.
    pub fn at(case: Option<&CaseId>, step: Step, expected: Expected, control: Option<usize>) -> Self {
        let case = case.cloned();
        Self { case, step, expected, control, follows: None, twin: None, words: None }
    }
}

impl Call {
    /// A request whose line is not known yet.
    pub fn of(method: &str, tool: Option<&str>, arguments: Value) -> Self {
        let (method, tool) = (method.to_owned(), tool.map(str::to_owned));
        Self { method, tool, arguments, line: String::new() }
    }
}

impl Exchange {
    /// A single exchange: of no case, the first of its process, and with nothing besides the outcome.
    pub fn alone(tool: Option<&str>, arguments: Value, outcome: Outcome) -> Self {
        Self {
            index: 0,
            process: 0,
            place: Place::default(),
            call: Call::of("tools/call", tool, arguments),
            outcome,
            reply: None,
            noise: Vec::new(),
            strays: Vec::new(),
            stderr: String::new(),
            changes: Vec::new(),
            elapsed_ms: 0,
            environment: EnvironmentEffect::None,
            guidance: None,
        }
    }

    /// The tool that was called.
    pub fn tool(&self) -> Option<&str> {
        self.call.tool.as_deref()
    }
}
