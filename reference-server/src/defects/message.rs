//! The right code, and words that do not help.

use super::{Defect, Fault, breaks, cases, everywhere};
use crate::contract::Reply;
use crate::failure::{Code, Failure, Quoted};

const HINT_WRONG: &str = "message/hint-wrong";
const VAGUE: &str = "The request failed due to an unexpected problem.";

/// Output modes and type filters, each with a last one that does not exist.
const MODES: &[&str] = &["content", "files_with_matches", "count", "matches_only"];
const TYPES: &[&str] = &["file", "directory", "executable"];

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "message/empty",
        summary: "Nothing stands behind the code.",
        breaks: &[everywhere("message/empty", cases::OPEN_ERROR)],
        fault: Fault::Reply(|_, failure, reply| instead(failure, reply, "")),
    },
    Defect {
        name: "message/vague",
        summary: "The message says that something went wrong, and nothing else.",
        breaks: &[breaks("message/vague", cases::OPEN_ERROR)],
        fault: Fault::Reply(|_, failure, reply| instead(failure, reply, VAGUE)),
    },
    Defect {
        name: "message/vague/unknown-task",
        summary: "The refusal of an unknown task says that something went wrong, and nothing else.",
        breaks: &[everywhere("message/vague", cases::UNKNOWN_TASK)],
        fault: Fault::ReplyTo(Code::BashTaskNotFound, |_, failure, reply| {
            instead(Some(failure), reply, VAGUE)
        }),
    },
    Defect {
        name: "message/value-missing",
        summary: "The message says what is wrong and how to fix it, and not with which value.",
        breaks: &[breaks("message/value-missing", cases::VALUE_DUE)],
        fault: Fault::Failure(|failure, _, _| without_value(failure)),
    },
    Defect {
        name: "message/value-missing/unknown-task",
        summary: "An unknown task is refused without its id.",
        breaks: &[everywhere("message/value-missing", cases::UNKNOWN_TASK)],
        fault: Fault::FailureOf(Code::BashTaskNotFound, |failure, _, _| without_value(failure)),
    },
    Defect {
        name: "message/hint-missing",
        summary: "The message says that a value was refused, and not how to fix the call.",
        breaks: &[everywhere("message/hint-missing", cases::MENDABLE_ERROR)],
        fault: Fault::Failure(|failure, _, _| without_hint(failure)),
    },
    Defect {
        name: "message/hint-missing/replace-all",
        summary: "The message says to lengthen a text that occurs several times, and not that all of them can be replaced.",
        breaks: &[everywhere("message/hint-missing", cases::AMBIGUOUS_MATCH)],
        fault: Fault::Hint(
            Code::StrReplaceAmbiguous,
            "Lengthen the text by lines around it until it is unique.",
        ),
    },
    Defect {
        name: "message/valid-values-missing",
        summary: "A value outside a closed set is refused without the set.",
        breaks: &[everywhere(
            "message/valid-values-missing",
            &["{invalid-output-mode,invalid-file-type,unknown-enum-value}"],
        )],
        fault: Fault::Failure(|failure, _, _| {
            if !failure.valid_values.is_empty() {
                failure.valid_values = &[];
                failure.hint = Some("Use one that the tool's schema has, or leave it out.".into());
            }
        }),
    },
    Defect {
        name: "message/hint-wrong/replace-all",
        summary: "The message suggests replace_all, which is then ignored.",
        breaks: &[breaks(HINT_WRONG, cases::AMBIGUOUS_REPLACE)],
        fault: Fault::Call(|call, _| drop(call.arguments.shift_remove("replace_all"))),
    },
    Defect {
        name: "message/hint-wrong/idle",
        summary: "With the suggested replace_all the tool says that it replaced the text, and leaves the file as it is.",
        breaks: &[breaks(HINT_WRONG, cases::AMBIGUOUS_REPLACE)],
        fault: Fault::Call(|call, _| {
            let is_suggested = call.arguments.get("replace_all") == Some(&true.into());
            if let (true, Some(old)) = (is_suggested, call.arguments.get("old_str").cloned()) {
                call.arguments.insert("new_str".into(), old);
            }
        }),
    },
    Defect {
        name: "message/hint-wrong/listed-mode",
        summary: "The list of output modes has one that is refused.",
        breaks: &[breaks(HINT_WRONG, &["invalid-output-mode"])],
        fault: Fault::FailureOf(Code::GrepInvalidOutputMode, |failure, _, _| failure.valid_values = MODES),
    },
    Defect {
        name: "message/hint-wrong/listed-type",
        summary: "The list of type filters has one that is refused.",
        breaks: &[breaks(HINT_WRONG, &["invalid-file-type"])],
        fault: Fault::FailureOf(Code::GlobInvalidType, |failure, _, _| failure.valid_values = TYPES),
    },
    Defect {
        name: "message/hint-wrong/tool",
        summary: "The message names a tool that the server does not have.",
        breaks: &[everywhere(HINT_WRONG, cases::UNKNOWN_TASK)],
        fault: Fault::Hint(
            Code::BashTaskNotFound,
            "Call the tool `list_tasks` to see which tasks there are.",
        ),
    },
    Defect {
        name: "message/hint-wrong/name",
        summary: "The message says to use something that the server does not have.",
        breaks: &[breaks(HINT_WRONG, cases::UNKNOWN_TASK)],
        fault: Fault::Hint(Code::BashTaskNotFound, "Use list_tasks to see which tasks there are."),
    },
    Defect {
        name: "message/hint-wrong/parameter",
        summary: "Beside replace_all the message names a parameter that no tool has.",
        breaks: &[breaks(HINT_WRONG, cases::AMBIGUOUS_MATCH)],
        fault: Fault::Hint(Code::StrReplaceAmbiguous, "Set replace_all: true, or set replace_first: true."),
    },
    Defect {
        name: "message/hint-wrong/limit",
        summary: "The message allows ten times what the tool's schema allows.",
        breaks: &[breaks(
            HINT_WRONG,
            &[
                "call.role=blame invalid-range call.arguments.start={0,-*}",
                "probe/grep/{context,context_before,context_after,head_limit}/{wrong-type,null,below-range,above-range}",
                "probe/{blame_range,open_file}/{start_line,end_line}/{wrong-type,below-range,above-range}",
                "probe/file_history/limit/{wrong-type,below-range,above-range}",
                "probe/{list_paths,search_text}/max_results/{wrong-type,below-range,above-range}",
                "probe/search_text/timeout_ms/{wrong-type,below-range,above-range}",
                "probe/http_get/timeout/{wrong-type,below-range,above-range}",
            ],
        )],
        fault: Fault::Failure(|failure, _, _| {
            if let Some((limit, sent)) = failure.what.split_once(", but ")
                && limit.contains("an integer from ")
            {
                failure.what = format!("{limit}0, but {sent}");
            }
        }),
    },
    Defect {
        name: "message/hint-wrong/last-line",
        summary: "The message allows one line more than the file has.",
        breaks: &[breaks(HINT_WRONG, &["invalid-range call.arguments.start={50,70}"])],
        fault: Fault::Failure(|failure, _, _| {
            failure.hint = failure.hint.take().map(|hint| with_one_line_more(&hint).into());
        }),
    },
    Defect {
        name: "message/hint-wrong/size",
        summary: "The message allows twice the size that a file may have.",
        breaks: &[breaks(HINT_WRONG, cases::OVER_LIMIT)],
        fault: Fault::FailureOf(Code::FileTooLarge, |failure, _, session| {
            let limit = session.limits.file_size;
            let (own, twice) = (format!("limit of {limit} "), format!("limit of {} ", limit * 2));
            failure.what = failure.what.replace(&own, &twice);
        }),
    },
    Defect {
        name: "message/credential-unexplained",
        summary: "Without its token the server says that the service refused it, and not which variable is missing.",
        breaks: &[everywhere("message/credential-unexplained", cases::WITHOUT_TOKEN)],
        fault: Fault::Failure(|failure, _, _| {
            lacking_token(failure, "The service refused", "Ask the operator.");
        }),
    },
    Defect {
        name: "message/credential-unexplained/half",
        summary: "Without its token the server says that it has none, and not in which variable it belongs.",
        breaks: &[breaks("message/credential-unexplained", cases::WITHOUT_TOKEN)],
        fault: Fault::Failure(|failure, _, _| {
            lacking_token(failure, "There is no secret for", "Configure one.");
        }),
    },
    Defect {
        name: "message/hint-repeated",
        summary: "The hint says once more that nothing is there.",
        breaks: &[everywhere("message/hint-repeated", cases::UNKNOWN_TASK)],
        fault: Fault::FailureOf(Code::BashTaskNotFound, |failure, _, _| {
            failure.hint = Some(format!("Hint: {}.", failure.what).into());
        }),
    },
];

/// A closed set is left alone: a message without it breaks a rule of its own.
fn instead(failure: Option<&Failure>, reply: Reply, message: &str) -> Reply {
    match failure {
        Some(failure) if failure.valid_values.is_empty() => {
            reply.reworded(|_| message.to_owned()).advised(&["Something went wrong."])
        }
        _ => reply,
    }
}

/// Takes the variable out of what is said of a token that is missing.
fn lacking_token(failure: &mut Failure, what: &str, hint: &str) {
    if failure.code == Code::UpstreamUnauthorized && failure.what.ends_with(" is not set") {
        failure.what = format!("{what} {}", Quoted(&failure.about));
        failure.hint = Some(hint.into());
    }
}

fn without_value(failure: &mut Failure) {
    let (what, hint) = match failure.code {
        Code::InvalidInput | Code::PathLoop | Code::NotText => (
            "Something that is required is missing, or does not fit",
            Some("Look it up in the tool's schema."),
        ),
        Code::PathNotFound => {
            ("Nothing exists there", Some("Call glob to find the file, or view to list a directory."))
        }
        Code::AccessDenied | Code::PathDenied => {
            ("This is outside the directories that the server may use", None)
        }
        Code::FileTooLarge => (
            "The file is over the size limit",
            Some("Take a part of it with bash, for example with `head -c`."),
        ),
        Code::IoError | Code::ServerFault | Code::GitFailed | Code::BackendUnavailable => {
            ("The operation on it was not possible", None)
        }
        Code::SearchTimeout => ("The search took too long", None),
        Code::BashEmptyCommand => {
            ("There is nothing to run", Some("Give the shell something to do, such as `ls`."))
        }
        Code::BashStartFailed => {
            ("The shell was not started", Some("Take out what cannot be handed over, or shorten it."))
        }
        Code::BashTaskLimit => (
            "Too many background tasks run, so this one was not started",
            Some("Wait until one ends, or run it in the foreground."),
        ),
        Code::BashTaskNotFound => ("There is no such background task", None),
        Code::StrReplaceNotFound => ("The text to replace is not in the file", None),
        Code::StrReplaceAmbiguous => ("The text to replace is in the file several times", None),
        Code::GrepInvalidPattern => (
            "This is not a valid regular expression",
            Some("Put a backslash before what is meant as itself."),
        ),
        Code::GrepInvalidOutputMode => ("What was chosen is not known", None),
        Code::GlobInvalidPattern => ("This is not a valid glob", Some("Close what is open in it.")),
        Code::GlobInvalidType => ("What was chosen is not known", None),
        Code::EmptyEdits => ("The list is empty", None),
        Code::EmptyOldText => ("The text to replace is empty", None),
        Code::DuplicateOldText => ("Two edits replace the same text", None),
        Code::RelativePath => ("The path is relative", None),
        Code::BackupFailed => ("The file could not be kept as it was, so nothing was changed", None),
        Code::UpstreamInvalid => ("The service finds something wrong with the request", Some("Correct it.")),
        Code::UpstreamNotFound => ("The service has nothing there", None),
        Code::Held => ("Another agent holds what is asked for", None),
        Code::UpstreamUnauthorized
        | Code::UpstreamForbidden
        | Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout => ("The service behind this server did not give the page", None),
    };
    failure.what = what.into();
    if let Some(hint) = hint {
        failure.hint = Some(hint.into());
    }
}

/// The range of lines that a message tells: it is the value that was refused, and no hint.
fn range(what: &str) -> Option<&str> {
    let lists = what.match_indices('[').filter_map(|(start, _)| what[start..].split_inclusive(']').next());
    lists.into_iter().find(|list| list.chars().any(|digit| digit.is_ascii_digit()))
}

/// Takes away the hint, and whatever else says how to fix the call.
fn without_hint(failure: &mut Failure) {
    let about = Quoted(&failure.about);
    failure.what = match failure.code {
        Code::InvalidInput
        | Code::PathLoop
        | Code::NotText
        | Code::EmptyEdits
        | Code::EmptyOldText
        | Code::DuplicateOldText
        | Code::RelativePath => match range(&failure.what) {
            Some(range) => format!("The call was refused over {about} {range}"),
            None => format!("The call was refused over {about}"),
        },
        Code::AccessDenied | Code::PathDenied => format!("{about} was refused"),
        Code::FileTooLarge => format!("{about} was not read"),
        Code::BashEmptyCommand => format!("Nothing was run for this {about}"),
        Code::BashTaskLimit => format!("No task was started, {} are running", failure.about),
        Code::GrepInvalidPattern | Code::GlobInvalidPattern => format!("The pattern {about} was refused"),
        Code::PathNotFound
        | Code::BashTaskNotFound
        | Code::StrReplaceNotFound
        | Code::StrReplaceAmbiguous => failure.what.clone(),
        Code::UpstreamInvalid | Code::UpstreamNotFound => format!("The service refused {about}"),
        Code::IoError
        | Code::ServerFault
        | Code::BashStartFailed
        | Code::BackupFailed
        | Code::GrepInvalidOutputMode
        | Code::GlobInvalidType
        | Code::GitFailed
        | Code::SearchTimeout
        | Code::BackendUnavailable
        | Code::UpstreamUnauthorized
        | Code::UpstreamForbidden
        | Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout
        | Code::Held => return,
    };
    failure.hint = None;
    failure.reason = None;
    failure.valid_values = &[];
}

/// "Use a line from 1 to 4" in the place of "to 3".
fn with_one_line_more(hint: &str) -> String {
    let Some((begin, rest)) = hint.split_once(" line from 1 to ") else { return hint.to_owned() };
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..end].parse::<u64>() {
        Ok(last) => format!("{begin} line from 1 to {}{}", last + 1, &rest[end..]),
        Err(_) => hint.to_owned(),
    }
}
