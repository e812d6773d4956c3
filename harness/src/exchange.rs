//! One request and what became of it: the unit of recording, judging and replay.
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

/// One request, its outcome, and what surrounded it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// The line that answered, byte for byte: what the parsed form has lost is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<RawReply>,
    /// Lines on standard output, between this request and its outcome, that are no JSON-RPC message. Lossy UTF-8,
    /// each cut at the session's bound.
    pub noise: Vec<String>,
    /// JSON on standard output, meanwhile, that is no valid message or answers nothing that was asked.
    #[serde(alias = "asides")]
    pub strays: Vec<StrayMessage>,
    /// What the server wrote to standard error meanwhile: the tail of it, lossy UTF-8.
    pub stderr: String,
    /// Files in the case's own folder, or beside the root, that differ after the call.
    pub changes: Vec<FileChange>,
    /// From the request's last byte to the outcome, in milliseconds. Never compared.
    pub elapsed_ms: u64,
    /// Whether the server was confined, and whether the reply is the doing of that or of the service behind it.
    #[serde(default, alias = "wall", skip_serializing_if = "EnvironmentEffect::is_none")]
    pub environment: EnvironmentEffect,
    /// What a reader of the reply found in it, where one was asked and it leads to no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<Guidance>,
}

/// What a reader found in a reply that leads to no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Guidance {
    /// Nothing in it says what to change.
    None,
    /// What it asks for is the call that was refused before.
    Spent,
    /// What it asks for is the call that was refused before, and it says outright that this call would do.
    Circular,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Call {
    /// The JSON-RPC method, `tools/call` for a tool's call.
    pub method: String,
    /// The tool's name where the method is `tools/call`.
    pub tool: Option<String>,
    /// The arguments as far as JSON can tell them; a `raw` argument of a case stands here as the string of its text.
    pub arguments: Value,
    /// The line as it was sent, without the newline; at [`Step::Malformed`] the malformed one, lossy UTF-8.
    pub line: String,
}

/// A line as it came, without the newline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RawReply {
    /// All of it.
    Text(String),
    /// All of it, in base64: it is not UTF-8.
    Base64(String),
    /// Its beginning, lossy UTF-8: it is longer than is kept.
    Cut {
        /// The part of it that is kept.
        beginning: String,
        /// How many bytes it had in all.
        length: usize,
    },
}

impl RawReply {
    /// The longest line that is kept whole, in bytes.
    const KEPT: usize = 256 * 1024;

    /// Keeps a line; `length` is what it had in all, where its end was dropped already.
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

/// What became of a request. Any bytes at all lead to one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// No reply before the deadline, though the process lived.
    NoReply {
        /// How long was waited, in milliseconds.
        waited_ms: u64,
        /// What the server did when it was asked whether it lives.
        #[serde(default, alias = "pulse")]
        liveness: LivenessCheck,
    },
    /// The process ended instead of answering.
    Ended(Exit),
}

/// A JSON-RPC error object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Malformed {
    /// What is wrong with it, in words.
    pub how: String,
    /// The line, lossy UTF-8, cut at the session's bound.
    pub line: String,
}

/// A line that was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Oversized {
    /// How many bytes it has.
    pub bytes: u64,
    /// Its beginning, lossy UTF-8.
    pub line: String,
}

/// Whether a server that left a call unanswered still answers other requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LivenessCheck {
    /// It was not asked.
    #[default]
    Unasked,
    /// It answers: the call alone is lost.
    Answers,
    /// It answered the call itself, late.
    Late {
        /// From the request to the reply, in milliseconds. Never compared.
        after_ms: u64,
        /// It answered nothing else meanwhile.
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StrayMessage {
    /// No valid message, and nothing says which request it answers.
    Malformed(Malformed),
    /// A response with an id that was never sent: the line, lossy UTF-8.
    WrongId(String),
    /// A second response to this request: the line, lossy UTF-8.
    DuplicateReply(String),
    /// A response to this request after its deadline: the line, lossy UTF-8.
    Late(String),
    /// A line longer than what is read of one, and nothing says which request it answers.
    Oversized(Oversized),
    /// A valid message in which an object has a member twice: which, and the line, lossy UTF-8.
    Repeated {
        /// The member's name.
        member: String,
        /// The line.
        line: String,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// What a server's processes may hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// What a request was for: its case, its step, and what must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Place {
    /// The case, or none for the lifecycle's own requests.
    pub case: Option<CaseId>,
    /// The step within the case.
    pub step: Step,
    /// What must hold of the reply.
    pub expected: Expected,
    /// Index of the control: the call that must succeed and differs in the fault alone.
    pub control: Option<usize>,
    /// Index of the exchange whose hint this one follows, or whose reply led to it.
    pub follows: Option<usize>,
    /// Index of the exchange whose call this one is once more, with another value in the place of the wrong one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<usize>,
    /// The words of an earlier reply by which its arguments were changed: in a control to which a refusal led, and where a
    /// reader of a refusal goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// Which step of a case a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// A line that no client may send, and what became of the harmless request after it.
    Malformed,
    /// The case's call once more.
    Again,
    /// The case's call once more with another wrong value: what its reply shows is only compared with the other one's.
    Twin,
    /// The call that a reader sends next who has only the reply to an earlier one.
    Mend,
    /// Gives back to the server what the case took from it, after all else and whatever came of it.
    Cleanup,
}

impl Step {
    /// Whether the reply stands beside the verdicts: of it only what no reply may do to a client is judged.
    pub fn is_beside(self) -> bool {
        matches!(self, Self::Twin | Self::Mend | Self::Cleanup)
    }
}

/// A file that differs after a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileChange {
    /// Where, with `{case}` or `{outside}` for the folders that the harness made.
    pub path: String,
    /// What happened to it.
    pub change: FileChangeKind,
    /// It is the canary beside the root, or lies in its folder.
    pub outside: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
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
            Self::ClosedOutput => formatter.write_str("it closed its standard output but kept running"),
            Self::Beyond(bound) => write!(formatter, "stopped by this program for using more than {bound}"),
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
}

impl Outcome {
    /// What the reply says in words: [`Self::texts`], or the message of a JSON-RPC error.
    pub fn words(&self) -> Vec<&str> {
        match self {
            Self::Error(error) => vec![error.message.as_str()],
            outcome => outcome.texts(),
        }
    }
}

impl Exchange {
    /// An exchange that stands alone: of no case, first of its process, and with nothing beside the outcome.
    pub fn alone(tool: Option<&str>, arguments: Value, outcome: Outcome) -> Self {
        Self {
            index: 0,
            process: 0,
            place: Place {
                case: None,
                step: Step::Call,
                expected: Expected::Anything,
                control: None,
                follows: None,
                twin: None,
                words: None,
            },
            call: Call {
                method: "tools/call".to_owned(),
                tool: tool.map(str::to_owned),
                arguments,
                line: String::new(),
            },
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
