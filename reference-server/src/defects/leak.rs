//! Internals that get into a message beside the right code, value and hint.
//!
//! What leaks was really raised: here, at the moment of the call, for Rust, and by the program in `recorded` for Go.

use std::fs;

use serde::Deserialize;

use super::{Fault, panics};
use crate::contract::Reply;
use crate::failure::{Code, Failure};
use crate::git::GitError;
use crate::tools::{Call, Session};

/// Recorded from `recorded/main.go`; `PATH` and `[PATTERN` stand for what the caller sent.
mod go {
    pub(super) const LSTAT: &str = include_str!("recorded/lstat.txt");
    pub(super) const STACK: &str = include_str!("recorded/stack.txt");
    pub(super) const PANIC: &str = include_str!("recorded/panic.txt");
    pub(super) const STRUCT: &str = include_str!("recorded/struct.txt");
    pub(super) const PATH: &str = "/srv/app/PATH";
    pub(super) const PATTERN: &str = "[PATTERN";
}

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "leak/runtime-error/rust-io",
        Fault::Reason(Code::PathNotFound, |path, _, session| {
            raised(path, session).map(|error| error.to_string())
        }),
    ),
    ("leak/runtime-error/rust-serde", Fault::Reason(Code::InvalidInput, |_, call, _| deserialized(call))),
    (
        "leak/runtime-error/go",
        Fault::Reason(Code::PathNotFound, |path, _, _| Some(go::LSTAT.replace(go::PATH, path))),
    ),
    ("leak/runtime-error/git", Fault::Failure(|failure, _, _| in_the_words_of_git(failure))),
    (
        "leak/stack-trace/rust",
        Fault::ReplyTo(Code::IoError, |_, _, reply| {
            followed(reply, &format!("stack backtrace:\n{}", panics::backtrace()))
        }),
    ),
    (
        "leak/stack-trace/go",
        Fault::ReplyTo(Code::GrepInvalidPattern, |_, _, reply| followed(reply, go::STACK.trim_end())),
    ),
    (
        "leak/panic/rust",
        Fault::ReplyTo(Code::StrReplaceNotFound, |call, _, reply| {
            let old = call.text("old_str").unwrap_or_default();
            let panic = panics::report(|| "".find(old).expect("old_str was counted before"));
            followed(reply, &panic.unwrap_or_default())
        }),
    ),
    ("leak/panic/go", Fault::ReplyTo(Code::BashTaskNotFound, |_, _, reply| followed(reply, go::PANIC))),
    (
        "leak/debug-format/rust-option",
        Fault::FailureOf(Code::AccessDenied, |failure, _, _| {
            failure.what = format!("{:?} is outside the allowed directories", Some(&*failure.about));
        }),
    ),
    (
        "leak/debug-format/rust-error",
        Fault::Reason(Code::IoError, |path, _, session| {
            raised(path, session).map(|error| format!("{error:?}"))
        }),
    ),
    (
        "leak/debug-format/go-struct",
        Fault::Reason(Code::GrepInvalidPattern, |pattern, _, _| {
            Some(go::STRUCT.replace(go::PATTERN, pattern))
        }),
    ),
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
