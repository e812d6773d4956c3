//! What each style calls each kind of failure, side by side.
//!
//! The main type is [`Words`], a row of the table.

use crate::failure::Code;

/// The words for a code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    pub(super) bracket_code: &'static str,
    pub(super) error_envelope: &'static str,
    pub(super) tool_error: &'static str,
    pub(super) problem: Problem,
}

/// A type of problem: one title and one status for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) title: &'static str,
    pub(super) status: u16,
}

const fn problem(code: &'static str, title: &'static str, status: u16) -> Problem {
    Problem { code, title, status }
}

const PARAMETER: Problem = problem("invalid-parameter", "Invalid parameter", 400);
const NOT_FOUND: Problem = problem("file-not-found", "File not found", 404);
const OUTSIDE: Problem = problem("path-outside-repo", "Path outside the repository", 403);
const ENCODING: Problem = problem("unsupported-encoding", "Unsupported encoding", 415);
const UNAVAILABLE: Problem = problem("backend-unavailable", "Backend unavailable", 503);
const GIT: Problem = problem("git-operation-error", "Git operation failed", 500);
const TIMEOUT: Problem = problem("search-timeout", "Search timed out", 504);
const INTERNAL: Problem = problem("internal-error", "Internal error", 500);

impl Words {
    /// The row of a code. `bracket-code` was made for shells and files, and has no words for what an HTTP service says: these
    /// come nearest.
    pub(super) fn of(code: Code) -> Self {
        let row = |bracket_code, error_envelope, tool_error, problem| Self {
            bracket_code,
            error_envelope,
            tool_error,
            problem,
        };
        match code {
            Code::InvalidInput | Code::UpstreamInvalid => {
                row("INVALID_INPUT", "VALIDATION_FAILED", "VALIDATION", PARAMETER)
            }
            Code::EmptyEdits => row("INVALID_INPUT", "EMPTY_EDITS", "VALIDATION", PARAMETER),
            Code::EmptyOldText => row("INVALID_INPUT", "EMPTY_OLD_STRING", "VALIDATION", PARAMETER),
            Code::DuplicateOldText => row("INVALID_INPUT", "DUPLICATE_OLD_STRING", "VALIDATION", PARAMETER),
            Code::RelativePath => row("INVALID_INPUT", "RELATIVE_PATH", "VALIDATION", PARAMETER),
            Code::NotText => row("INVALID_INPUT", "INVALID_ENCODING", "VALIDATION", ENCODING),
            Code::PathLoop => row("INVALID_INPUT", "SYMLINK_LOOP", "NOT_FOUND", NOT_FOUND),
            Code::PathNotFound | Code::UpstreamNotFound => {
                row("PATH_NOT_FOUND", "FILE_NOT_FOUND", "NOT_FOUND", NOT_FOUND)
            }
            Code::AccessDenied => row("ACCESS_DENIED", "PATH_TRAVERSAL", "PERMISSION", OUTSIDE),
            Code::PathDenied => row("ACCESS_DENIED", "PERMISSION_DENIED", "PERMISSION", OUTSIDE),
            Code::UpstreamForbidden => row("ACCESS_DENIED", "PERMISSION_DENIED", "PERMISSION", PARAMETER),
            Code::FileTooLarge => row("FILE_TOO_LARGE", "VALIDATION_FAILED", "VALIDATION", PARAMETER),
            Code::IoError => row("IO_ERROR", "WRITE_FAILED", "INTERNAL", INTERNAL),
            Code::BackupFailed => row("IO_ERROR", "BACKUP_FAILED", "INTERNAL", INTERNAL),
            Code::ServerFault | Code::UpstreamUnauthorized => {
                row("IO_ERROR", "UNKNOWN_ERROR", "INTERNAL", INTERNAL)
            }
            Code::GitFailed => row("IO_ERROR", "UNKNOWN_ERROR", "INTERNAL", GIT),
            Code::SearchTimeout => row("IO_ERROR", "UNKNOWN_ERROR", "TRANSIENT", TIMEOUT),
            Code::BackendUnavailable
            | Code::UpstreamUnavailable
            | Code::UpstreamUnreachable
            | Code::UpstreamTimeout => row("IO_ERROR", "UNKNOWN_ERROR", "TRANSIENT", UNAVAILABLE),
            Code::UpstreamConflict | Code::Held => row("IO_ERROR", "UNKNOWN_ERROR", "CONFLICT", UNAVAILABLE),
            Code::BashEmptyCommand => row("BASH_EMPTY_COMMAND", "VALIDATION_FAILED", "VALIDATION", PARAMETER),
            Code::BashStartFailed => row("BASH_START_FAILED", "UNKNOWN_ERROR", "INTERNAL", INTERNAL),
            Code::BashTaskLimit => row("BASH_TASK_LIMIT", "VALIDATION_FAILED", "TRANSIENT", UNAVAILABLE),
            Code::BashTaskNotFound => row("BASH_TASK_NOT_FOUND", "VALIDATION_FAILED", "NOT_FOUND", PARAMETER),
            Code::StrReplaceNotFound => {
                row("STR_REPLACE_NOT_FOUND", "MATCH_NOT_FOUND", "NOT_FOUND", PARAMETER)
            }
            Code::StrReplaceAmbiguous => {
                row("STR_REPLACE_AMBIGUOUS", "AMBIGUOUS_MATCH", "VALIDATION", PARAMETER)
            }
            Code::GrepInvalidPattern => {
                row("GREP_INVALID_PATTERN", "VALIDATION_FAILED", "VALIDATION", PARAMETER)
            }
            Code::GrepInvalidOutputMode => {
                row("GREP_INVALID_OUTPUT_MODE", "VALIDATION_FAILED", "VALIDATION", PARAMETER)
            }
            Code::GlobInvalidPattern => {
                row("GLOB_INVALID_PATTERN", "VALIDATION_FAILED", "VALIDATION", PARAMETER)
            }
            Code::GlobInvalidType => row("GLOB_INVALID_TYPE", "VALIDATION_FAILED", "VALIDATION", PARAMETER),
        }
    }

    /// Whether the same tool may succeed with another input, as `error-envelope` sees it.
    pub(super) fn is_retryable(self) -> bool {
        let lasting =
            ["SYMLINK_LOOP", "PERMISSION_DENIED", "INVALID_ENCODING", "WRITE_FAILED", "BACKUP_FAILED"];
        self.error_envelope != "UNKNOWN_ERROR" && !lasting.contains(&self.error_envelope)
    }

    /// Whether the call may succeed when it is sent again, perhaps changed, as `tool-error` sees it.
    pub(super) fn is_recoverable(self) -> bool {
        !["PERMISSION", "INTERNAL"].contains(&self.tool_error)
    }
}
