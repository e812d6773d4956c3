//! The wrong code, or none, or one that cannot be read.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Fault;
use crate::contract::Reply;
use crate::failure::{Code, Failure, Quoted};
use crate::tools::{Call, TOOLS};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("code/missing", Fault::Reply(|_, _, reply| reply.recoded(|_| None))),
    (
        "code/malformed/case",
        Fault::Reply(|_, _, reply| {
            reply.recoded(|code| {
                let (lower, upper) = (code.to_lowercase(), code.to_uppercase());
                Some(if code == lower { upper } else { lower })
            })
        }),
    ),
    (
        "code/malformed/colon",
        Fault::Reply(|_, _, reply| rewritten(reply, |code, message| format!("{code}: {message}"))),
    ),
    (
        "code/malformed/no-space",
        Fault::Reply(|_, _, reply| rewritten(reply, |code, message| format!("[{code}]{message}"))),
    ),
    (
        "code/undocumented",
        Fault::UnknownTool(|name, contract| {
            let failure = Failure::new(Code::InvalidInput, format!("There is no tool {}", Quoted(name)))
                .hint("Call tools/list to see which there are.");
            let call = Call { tool: &TOOLS[0], arguments: serde_json::Map::new(), has_arguments: true };
            let mut reply = contract.render(&call, &failure).recoded(|usual| {
                let is_lower = usual.starts_with(|c: char| c.is_lowercase());
                Some(if is_lower { "no-such-tool" } else { "NO_SUCH_TOOL" }.to_owned())
            });
            // A problem's type goes with its code, and its instance with the tool.
            reply.text = reply.text.replace(":problem:invalid-parameter", ":problem:no-such-tool");
            reply.text = reply.text.replace(&format!(":operation:{}", TOOLS[0].name), ":operation:unknown");
            reply
        }),
    ),
    (
        "code/undocumented/task-limit",
        Fault::ReplyTo(Code::BashTaskLimit, |_, _, reply| {
            reply.recoded(|_| Some("TOO_MANY_TASKS".to_owned()))
        }),
    ),
    ("code/wrong", Fault::Failure(|failure, _, _| failure.code = permuted(failure.code))),
    (
        "code/unstable",
        Fault::Failure(|failure, call, _| {
            let path = call.text("path").unwrap_or_default();
            if failure.code == Code::PathNotFound && Path::new(path).is_symlink() {
                let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
                if !told.insert(path.to_owned()) {
                    failure.code = Code::IoError;
                }
            }
        }),
    ),
];

/// The paths of dangling links that were reported once: from the second time on the code is another one.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Another form than `[CODE] message`, of code and message.
fn rewritten(reply: Reply, words: impl FnOnce(&str, &str) -> String) -> Reply {
    let parts = reply.text.strip_prefix('[').and_then(|text| text.split_once("] "));
    match parts.map(|(code, message)| words(code, message)) {
        Some(text) => Reply { text, ..reply },
        None => reply,
    }
}

/// A permutation in which no code is one that would also do, and none leaves its tool.
fn permuted(code: Code) -> Code {
    match code {
        Code::InvalidInput
        | Code::PathLoop
        | Code::NotText
        | Code::EmptyEdits
        | Code::EmptyOldText
        | Code::DuplicateOldText
        | Code::RelativePath => Code::IoError,
        Code::IoError | Code::ServerFault | Code::BackupFailed => Code::FileTooLarge,
        Code::FileTooLarge => Code::PathNotFound,
        Code::PathNotFound => Code::AccessDenied,
        Code::AccessDenied | Code::PathDenied => Code::InvalidInput,
        Code::BashEmptyCommand => Code::BashTaskLimit,
        Code::BashTaskLimit => Code::BashStartFailed,
        Code::BashStartFailed => Code::BashTaskNotFound,
        Code::BashTaskNotFound => Code::BashEmptyCommand,
        Code::StrReplaceNotFound => Code::StrReplaceAmbiguous,
        Code::StrReplaceAmbiguous => Code::StrReplaceNotFound,
        Code::GrepInvalidPattern => Code::GrepInvalidOutputMode,
        Code::GrepInvalidOutputMode => Code::GrepInvalidPattern,
        Code::GlobInvalidPattern => Code::GlobInvalidType,
        Code::GlobInvalidType => Code::GlobInvalidPattern,
        Code::GitFailed => Code::AccessDenied,
        Code::BackendUnavailable => Code::SearchTimeout,
        Code::SearchTimeout => Code::BackendUnavailable,
        // The default contract has no codes for these, so none of them is wrong.
        Code::UpstreamInvalid
        | Code::UpstreamUnauthorized
        | Code::UpstreamForbidden
        | Code::UpstreamNotFound
        | Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout
        | Code::Held => code,
    }
}
