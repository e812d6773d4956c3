//! The `bracket-code` style: `[CODE] message`, the code in upper snake case, the message one or two sentences.

use super::words::Words;
use super::{Reply, told};
use crate::failure::Failure;

pub(super) const INSTRUCTIONS: &str = "A failed call has isError: true and one text, `[CODE] message`. \
    Codes of all tools: INVALID_INPUT, PATH_NOT_FOUND, ACCESS_DENIED, FILE_TOO_LARGE, IO_ERROR. \
    bash and task_output: BASH_EMPTY_COMMAND, BASH_START_FAILED, BASH_TASK_LIMIT, BASH_TASK_NOT_FOUND. \
    str_replace, multi_edit and multi_edit_files: STR_REPLACE_NOT_FOUND, STR_REPLACE_AMBIGUOUS. \
    grep: GREP_INVALID_PATTERN, GREP_INVALID_OUTPUT_MODE. glob: GLOB_INVALID_PATTERN, GLOB_INVALID_TYPE. \
    A command that exits non-zero has not failed as a call: its exit code stands in the text.";

pub(super) fn render(failure: &Failure) -> Reply {
    Reply::tool_error(format!("[{}] {}", Words::of(failure.code).bracket_code, told(failure)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Channel;
    use crate::failure::Code;

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
