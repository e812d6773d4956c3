//! The wrong code, or none, or one that cannot be read.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Defect, Fault, breaks, cases, message_of};
use crate::contract::{Channel, Reply};
use crate::failure::{Code, Quoted};

const MALFORMED: &str = "code/malformed";

pub(super) const DEFECTS: [Defect; 8] = [
    Defect {
        name: "code/missing",
        summary: "Error texts have no code.",
        breaks: &[breaks("code/missing", cases::TOOL_ERROR)],
        fault: Fault::Reply(|_, _, reply| reworded(reply, |_, message| message.to_owned())),
    },
    Defect {
        name: "code/malformed/lowercase",
        summary: "The code is in lower case.",
        breaks: &[breaks(MALFORMED, cases::TOOL_ERROR)],
        fault: Fault::Reply(|_, _, reply| {
            reworded(reply, |code, message| format!("[{}] {message}", code.to_lowercase()))
        }),
    },
    Defect {
        name: "code/malformed/colon",
        summary: "The code is followed by a colon and has no brackets.",
        breaks: &[breaks(MALFORMED, cases::TOOL_ERROR)],
        fault: Fault::Reply(|_, _, reply| reworded(reply, |code, message| format!("{code}: {message}"))),
    },
    Defect {
        name: "code/malformed/no-space",
        summary: "No space stands between code and message.",
        breaks: &[breaks(MALFORMED, cases::TOOL_ERROR)],
        fault: Fault::Reply(|_, _, reply| reworded(reply, |code, message| format!("[{code}]{message}"))),
    },
    Defect {
        name: "code/undocumented",
        summary: "An unknown tool is a tool error, with a code that no catalogue has.",
        breaks: &[breaks("code/undocumented", &["protocol/unknown-tool"])],
        fault: Fault::UnknownTool(|name| {
            Reply::tool_error(format!(
                "[NO_SUCH_TOOL] There is no tool {}. Call tools/list to see which there are.",
                Quoted(name)
            ))
        }),
    },
    Defect {
        name: "code/wrong",
        summary: "Every code is another one of the catalogue.",
        breaks: &[breaks("code/wrong", cases::ONE_CODE)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|mut failure| {
                failure.code = permuted(failure.code);
                failure
            })
        }),
    },
    Defect {
        name: "code/wrong/accepted",
        summary: "An empty command has the code of any bad input, which would do.",
        breaks: &[breaks("code/wrong", cases::EMPTY_COMMAND)],
        fault: Fault::Outcome(|_, outcome, _| {
            outcome.map_err(|mut failure| {
                if failure.code == Code::BashEmptyCommand {
                    failure.code = Code::InvalidInput;
                }
                failure
            })
        }),
    },
    Defect {
        name: "code/unstable",
        summary: "A link to nothing is told with one code at first and with another one afterwards, and either would do.",
        breaks: &[breaks("code/unstable", &["read/dangling-link-again"])],
        fault: Fault::Outcome(|call, outcome, _| {
            outcome.map_err(|mut failure| {
                let is_link = call.text("path").is_some_and(|path| Path::new(path).is_symlink());
                if is_link && failure.code == Code::PathNotFound {
                    let path = call.text("path").unwrap_or_default().to_owned();
                    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
                    if !told.insert(path) {
                        failure.code = Code::IoError;
                    }
                }
                failure
            })
        }),
    },
];

/// The links to nothing that were told.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn reworded(reply: Reply, words: impl FnOnce(&str, &str) -> String) -> Reply {
    match (reply.channel, reply.text.split_once("] ")) {
        (Channel::ToolError, Some((code, _))) => {
            let code = code.trim_start_matches('[');
            Reply::tool_error(words(code, message_of(&reply.text)))
        }
        _ => reply,
    }
}

/// A permutation in which no code is one that would also do, and none leaves its tool.
fn permuted(code: Code) -> Code {
    match code {
        Code::InvalidInput | Code::PathLoop | Code::NotText => Code::IoError,
        Code::IoError | Code::ServerFault => Code::FileTooLarge,
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
        Code::UpstreamInvalid => Code::UpstreamForbidden,
        Code::UpstreamUnauthorized => Code::UpstreamNotFound,
        Code::UpstreamForbidden => Code::UpstreamInvalid,
        Code::UpstreamNotFound => Code::UpstreamForbidden,
        Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout
        | Code::Held => Code::UpstreamNotFound,
    }
}
