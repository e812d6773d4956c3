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
        fault: Fault::Outcome(|_, outcome, session| {
            outcome.map_err(|failure| {
                because(failure, Code::PathNotFound, |path| {
                    raised(path, session).map(|error| error.to_string())
                })
            })
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
        fault: Fault::Outcome(|call, outcome, _| {
            outcome.map_err(|failure| because(failure, Code::InvalidInput, |_| deserialized(call)))
        }),
    },
    Defect {
        name: "leak/runtime-error/go",
        summary: "Go's error of a failed lstat stands behind a sentence that says it all.",
        breaks: &[breaks(RUNTIME_ERROR, cases::MISSING_PATH)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                because(failure, Code::PathNotFound, |path| Some(go::LSTAT.replace(go::PATH, path)))
            })
        }),
    },
    Defect {
        name: "leak/runtime-error/git",
        summary: "What git prints on its standard error is the whole message.",
        breaks: &[
            everywhere(RUNTIME_ERROR, cases::FAILING_GIT),
            breaks("message/value-missing", cases::FAILING_GIT),
        ],
        fault: Fault::Outcome(|_, outcome, _| outcome.map_err(in_the_words_of_git)),
    },
    Defect {
        name: "leak/stack-trace/rust",
        summary: "The stack of the thread follows the message.",
        breaks: &[everywhere(STACK_TRACE, cases::REFUSED_OPERATION)],
        fault: Fault::Reply(|_, failure, reply| {
            append(failure, reply, Code::IoError, || format!("stack backtrace:\n{}", panics::backtrace()))
        }),
    },
    Defect {
        name: "leak/stack-trace/go",
        summary: "The stack of a goroutine follows the message.",
        breaks: &[breaks(STACK_TRACE, cases::INVALID_REGEX)],
        fault: Fault::Reply(|_, failure, reply| {
            append(failure, reply, Code::GrepInvalidPattern, || go::STACK.trim_end().to_owned())
        }),
    },
    Defect {
        name: "leak/panic/rust",
        summary: "A panic of the server is told with its place.",
        breaks: &[breaks(PANIC, cases::NOT_FOUND_REPLACE)],
        fault: Fault::Reply(|call, failure, reply| {
            append(failure, reply, Code::StrReplaceNotFound, || {
                let old = call.text("old_str").unwrap_or_default();
                panics::report(|| "".find(old).expect("old_str was counted before")).unwrap_or_default()
            })
        }),
    },
    Defect {
        name: "leak/panic/go",
        summary: "A recovered panic of Go is told as it was.",
        breaks: &[everywhere(PANIC, cases::UNKNOWN_TASK)],
        fault: Fault::Reply(|_, failure, reply| {
            append(failure, reply, Code::BashTaskNotFound, || go::PANIC.to_owned())
        }),
    },
    Defect {
        name: "leak/debug-format/rust-option",
        summary: "The path is shown as the Option that it was in.",
        breaks: &[breaks(DEBUG_FORMAT, cases::CLOSED_PATH)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|mut failure| {
                if failure.code.kind() == Code::AccessDenied {
                    let path = Some(&*failure.about);
                    failure.what = format!("{path:?} is outside the allowed directories");
                }
                failure
            })
        }),
    },
    Defect {
        name: "leak/debug-format/rust-error",
        summary: "The error of the operating system is shown as the struct that it is.",
        breaks: &[everywhere(DEBUG_FORMAT, cases::REFUSED_OPERATION)],
        fault: Fault::Outcome(|_, outcome, session| {
            outcome.map_err(|failure| {
                because(failure, Code::IoError, |path| {
                    raised(path, session).map(|error| format!("{error:?}"))
                })
            })
        }),
    },
    Defect {
        name: "leak/debug-format/go-struct",
        summary: "Go's error of a regular expression is shown as the struct that it is.",
        breaks: &[breaks(DEBUG_FORMAT, cases::INVALID_REGEX)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|failure| {
                because(failure, Code::GrepInvalidPattern, |pattern| {
                    Some(go::STRUCT.replace(go::PATTERN, pattern))
                })
            })
        }),
    },
];

/// Gives one kind of failure another reason, made from the value that it is about.
fn because(mut failure: Failure, code: Code, reason: impl FnOnce(&str) -> Option<String>) -> Failure {
    if failure.code.kind() == code
        && let Some(reason) = reason(&failure.about)
    {
        failure.reason = Some(reason.into());
    }
    failure
}

/// Lets git speak for itself, where it was git that failed.
fn in_the_words_of_git(mut failure: Failure) -> Failure {
    let error = failure.cause.as_ref().and_then(|cause| cause.error.downcast_ref::<GitError>());
    if let Some(told) = error.map(|error| error.stderr.clone()) {
        failure.what = told;
        failure.reason = None;
    }
    failure
}

/// Lets something follow the message of one kind of failure.
fn append(failure: Option<&Failure>, reply: Reply, code: Code, leak: impl FnOnce() -> String) -> Reply {
    if failure.is_some_and(|failure| failure.code.kind() == code) {
        let leak = leak();
        reply.reworded(|message| format!("{message}\n{leak}"))
    } else {
        reply
    }
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
