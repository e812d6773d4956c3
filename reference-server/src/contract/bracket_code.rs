//! The `bracket-code` style: `[CODE] message`, the code in upper snake case, the message one or two sentences.

use super::{Reply, told};
use crate::failure::{Code, Failure};

pub(super) const INSTRUCTIONS: &str = "A failed call has isError: true and one text, `[CODE] message`. \
    Codes of all tools: INVALID_INPUT, PATH_NOT_FOUND, ACCESS_DENIED, FILE_TOO_LARGE, IO_ERROR. \
    bash and task_output: BASH_EMPTY_COMMAND, BASH_START_FAILED, BASH_TASK_LIMIT, BASH_TASK_NOT_FOUND. \
    str_replace, multi_edit and multi_edit_files: STR_REPLACE_NOT_FOUND, STR_REPLACE_AMBIGUOUS. \
    grep: GREP_INVALID_PATTERN, GREP_INVALID_OUTPUT_MODE. glob: GLOB_INVALID_PATTERN, GLOB_INVALID_TYPE. \
    A command that exits non-zero has not failed as a call: its exit code stands in the text.";

pub(super) fn word(code: Code) -> &'static str {
    match code {
        Code::InvalidInput
        | Code::PathLoop
        | Code::NotText
        | Code::EmptyEdits
        | Code::EmptyOldText
        | Code::DuplicateOldText
        | Code::RelativePath => "INVALID_INPUT",
        Code::PathNotFound => "PATH_NOT_FOUND",
        Code::AccessDenied | Code::PathDenied => "ACCESS_DENIED",
        Code::FileTooLarge => "FILE_TOO_LARGE",
        // The contract was made for shells and files, and has no words for what an HTTP service says: these come nearest.
        Code::UpstreamInvalid => "INVALID_INPUT",
        Code::UpstreamNotFound => "PATH_NOT_FOUND",
        Code::UpstreamForbidden => "ACCESS_DENIED",
        Code::IoError
        | Code::BackupFailed
        | Code::ServerFault
        | Code::GitFailed
        | Code::SearchTimeout
        | Code::BackendUnavailable
        | Code::UpstreamUnauthorized
        | Code::UpstreamConflict
        | Code::UpstreamUnavailable
        | Code::UpstreamUnreachable
        | Code::UpstreamTimeout
        | Code::Held => "IO_ERROR",
        Code::BashEmptyCommand => "BASH_EMPTY_COMMAND",
        Code::BashStartFailed => "BASH_START_FAILED",
        Code::BashTaskLimit => "BASH_TASK_LIMIT",
        Code::BashTaskNotFound => "BASH_TASK_NOT_FOUND",
        Code::StrReplaceNotFound => "STR_REPLACE_NOT_FOUND",
        Code::StrReplaceAmbiguous => "STR_REPLACE_AMBIGUOUS",
        Code::GrepInvalidPattern => "GREP_INVALID_PATTERN",
        Code::GrepInvalidOutputMode => "GREP_INVALID_OUTPUT_MODE",
        Code::GlobInvalidPattern => "GLOB_INVALID_PATTERN",
        Code::GlobInvalidType => "GLOB_INVALID_TYPE",
    }
}

pub(super) fn render(failure: &Failure) -> Reply {
    Reply::tool_error(format!("[{}] {}", word(failure.code), told(failure)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Channel;

    #[test]
    fn a_failure_reads_code_sentence_cause_values_and_hint_in_this_order() {
        let failure = Failure::new(Code::GrepInvalidOutputMode, "There is no output mode 'xml'")
            .because("it was never there")
            .valid_values(&["content", "count"])
            .hint("Leave it out for content.");
        let reply = render(&failure);
        assert_eq!(reply.channel, Channel::ToolError);
        assert_eq!(
            reply.text,
            "[GREP_INVALID_OUTPUT_MODE] There is no output mode 'xml': it was never there. \
             Valid values: content, count. Leave it out for content."
        );
    }

    #[test]
    fn one_split_separates_code_and_message_though_the_path_holds_brackets() {
        let reply = render(&Failure::new(Code::PathNotFound, "No file exists at 'a] b'"));
        assert_eq!(reply.text.split_once("] "), Some(("[PATH_NOT_FOUND", "No file exists at 'a] b'.")));
    }
}
