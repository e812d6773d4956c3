//! Internals that get into a message beside the right code, value and hint.
//!
//! What leaks was really raised: here, at the moment of the call, for Rust, and by the program in `recorded` for Go.

use std::fs;

use serde::Deserialize;

use super::{Defect, Fault, breaks, cases, everywhere, panics};
use crate::contract::Reply;
use crate::failure::{Code, Failure};
use crate::git::GitError;
use crate::tools::{Call, Session};

const RUNTIME_ERROR: &str = "leak/runtime-error";
const STACK_TRACE: &str = "leak/stack-trace";
const PANIC: &str = "leak/panic";
const DEBUG_FORMAT: &str = "leak/debug-format";

/// Recorded from `recorded/main.go`; `PATH` and `[PATTERN` stand for what the caller sent.
mod go {
    pub(super) const LSTAT: &str = include_str!("recorded/lstat.txt");
    pub(super) const STACK: &str = include_str!("recorded/stack.txt");
    pub(super) const PANIC: &str = include_str!("recorded/panic.txt");
    pub(super) const STRUCT: &str = include_str!("recorded/struct.txt");
    pub(super) const PATH: &str = "/srv/app/PATH";
    pub(super) const PATTERN: &str = "[PATTERN";
}

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "leak/runtime-error/rust-io",
        summary: "The error of the failed system call stands behind a sentence that says it all.",
        breaks: &[everywhere(RUNTIME_ERROR, cases::MISSING_PATH)],
        fault: Fault::Reason(Code::PathNotFound, |path, _, session| {
            raised(path, session).map(|error| error.to_string())
        }),
    },
    Defect {
        name: "leak/runtime-error/rust-serde",
        summary: "Missing arguments are told in the words of the deserializer too.",
        breaks: &[breaks(
            RUNTIME_ERROR,
            &[
                "call.role={shell,read} missing-argument",
                "probe/{bash,view}/{arguments,path}/{missing,wrong-type,null}",
            ],
        )],
        fault: Fault::Reason(Code::InvalidInput, |_, call, _| deserialized(call)),
    },
    Defect {
        name: "leak/runtime-error/go",
        summary: "Go's error of a failed lstat stands behind a sentence that says it all.",
        breaks: &[breaks(RUNTIME_ERROR, cases::MISSING_PATH)],
        fault: Fault::Reason(Code::PathNotFound, |path, _, _| Some(go::LSTAT.replace(go::PATH, path))),
    },
    Defect {
        name: "leak/runtime-error/git",
        summary: "What git prints on its standard error is the whole message.",
        breaks: &[
            everywhere(RUNTIME_ERROR, cases::FAILING_GIT),
            breaks("message/value-missing", cases::FAILING_GIT),
        ],
        fault: Fault::Failure(|failure, _, _| in_the_words_of_git(failure)),
    },
    Defect {
        name: "leak/stack-trace/rust",
        summary: "The stack of the thread follows the message.",
        breaks: &[everywhere(STACK_TRACE, cases::REFUSED_OPERATION)],
        fault: Fault::ReplyTo(Code::IoError, |_, _, reply| {
            followed(reply, &format!("stack backtrace:\n{}", panics::backtrace()))
        }),
    },
    Defect {
        name: "leak/stack-trace/go",
        summary: "The stack of a goroutine follows the message.",
        breaks: &[breaks(STACK_TRACE, cases::INVALID_REGEX)],
        fault: Fault::ReplyTo(Code::GrepInvalidPattern, |_, _, reply| followed(reply, go::STACK.trim_end())),
    },
    Defect {
        name: "leak/panic/rust",
        summary: "A panic of the server is told with its place.",
        breaks: &[breaks(PANIC, cases::NOT_FOUND_REPLACE)],
        fault: Fault::ReplyTo(Code::StrReplaceNotFound, |call, _, reply| {
            let old = call.text("old_str").unwrap_or_default();
            let panic = panics::report(|| "".find(old).expect("old_str was counted before"));
            followed(reply, &panic.unwrap_or_default())
        }),
    },
    Defect {
        name: "leak/panic/go",
        summary: "A recovered panic of Go is told as it was.",
        breaks: &[everywhere(PANIC, cases::UNKNOWN_TASK)],
        fault: Fault::ReplyTo(Code::BashTaskNotFound, |_, _, reply| followed(reply, go::PANIC)),
    },
    Defect {
        name: "leak/debug-format/rust-option",
        summary: "The path is shown as the Option that it was in.",
        breaks: &[breaks(DEBUG_FORMAT, cases::CLOSED_PATH)],
        fault: Fault::FailureOf(Code::AccessDenied, |failure, _, _| {
            failure.what = format!("{:?} is outside the allowed directories", Some(&*failure.about));
        }),
    },
    Defect {
        name: "leak/debug-format/rust-error",
        summary: "The error of the operating system is shown as the struct that it is.",
        breaks: &[everywhere(DEBUG_FORMAT, cases::REFUSED_OPERATION)],
        fault: Fault::Reason(Code::IoError, |path, _, session| {
            raised(path, session).map(|error| format!("{error:?}"))
        }),
    },
    Defect {
        name: "leak/debug-format/go-struct",
        summary: "Go's error of a regular expression is shown as the struct that it is.",
        breaks: &[breaks(DEBUG_FORMAT, cases::INVALID_REGEX)],
        fault: Fault::Reason(Code::GrepInvalidPattern, |pattern, _, _| {
            Some(go::STRUCT.replace(go::PATTERN, pattern))
        }),
    },
];

/// Lets git speak for itself, where it was git that failed.
fn in_the_words_of_git(failure: &mut Failure) {
    let error = failure.cause.as_ref().and_then(|cause| cause.error.downcast_ref::<GitError>());
    if let Some(told) = error.map(|error| error.stderr.clone()) {
        failure.what = told;
        failure.reason = None;
    }
}

/// Lets something follow the message.
fn followed(reply: Reply, leak: &str) -> Reply {
    reply.reworded(|message| format!("{message}\n{leak}"))
}

/// The operating system's error of reading what a failure is about as a file.
fn raised(path: &str, session: &Session) -> Option<std::io::Error> {
    fs::read(session.limits.scope.workdir().join(path)).err()
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the error of reading it is of interest")]
struct BashArguments {
    command: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only the error of reading it is of interest")]
struct ViewArguments {
    path: String,
}

/// The deserializer's error of reading the call's arguments.
fn deserialized(call: &Call) -> Option<String> {
    let arguments = serde_json::to_string(&call.arguments).ok()?;
    let error = match call.tool.name {
        "bash" => serde_json::from_str::<BashArguments>(&arguments).err()?,
        "view" => serde_json::from_str::<ViewArguments>(&arguments).err()?,
        _ => return None,
    };
    Some(error.to_string())
}
