//! The ids of the conformance cases that defects declare, where several of them share a list. An id with `*` or with
//! alternatives in braces is a pattern: `probe/<tool>/<parameter>/<change>` are the cases that a harness makes from the
//! tools' own schemas.

/// Calls with one required argument left out.
pub(super) const MISSING_ARGUMENT: &[&str] = &[
    "blame/missing-argument",
    "history/missing-argument",
    "shell/missing-command",
    "task/missing-argument",
    "read/missing-argument",
    "write/missing-argument",
    "replace/missing-argument",
    "grep/missing-argument",
    "glob/missing-argument",
    "probe/*/*/missing",
    "http/missing-argument",
];

/// Calls with an argument that is missing, empty, out of range, or leads nowhere that can be followed.
pub(super) const INVALID_ARGUMENT: &[&str] = &[
    "blame/missing-argument",
    "history/missing-argument",
    "blame/range-backwards",
    "blame/range-beyond",
    "blame/range-negative",
    "blame/range-zero",
    "shell/missing-command",
    "task/missing-argument",
    "read/missing-argument",
    "write/missing-argument",
    "replace/missing-argument",
    "grep/missing-argument",
    "glob/missing-argument",
    "read/range-zero",
    "read/range-negative",
    "read/range-backwards",
    "read/range-beyond",
    "replace/empty-old",
    "grep/empty-pattern",
    "read/link-loop",
    "read/name-too-long",
    "read/not-utf8",
    "probe/*/*/{missing,wrong-type,null,empty,below-range,above-range,wrong-item}",
    "probe/*/*/unknown-argument",
    "multi-edit/empty-edits",
    "multi-edit/empty-old-text",
    "multi-edit/duplicate-old-text",
    "multi-edit/duplicate-file",
    "multi-edit/relative-path",
    "http/missing-argument",
];

/// Calls on a path where nothing is.
pub(super) const MISSING_PATH: &[&str] = &[
    "blame/missing-file",
    "history/missing-file",
    "read/missing-file",
    "replace/missing-file",
    "grep/missing-path",
    "glob/missing-path",
    "read/dangling-link",
    "read/dangling-link-again",
    "read/file-as-folder",
    "probe/*/*/not-found",
    "multi-edit/missing-file",
    "multi-edit/second-file-missing",
];

/// Those of them whose path is an argument of its own.
pub(super) const MISSING_PATH_ARGUMENT: &[&str] = &[
    "blame/missing-file",
    "history/missing-file",
    "read/missing-file",
    "replace/missing-file",
    "grep/missing-path",
    "glob/missing-path",
    "read/dangling-link",
    "read/dangling-link-again",
    "read/file-as-folder",
    "probe/*/*/not-found",
];

/// Calls on a path outside the root, or behind a deny pattern.
pub(super) const CLOSED_PATH: &[&str] = &[
    "blame/outside-absolute",
    "history/outside-absolute",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "write/outside-absolute",
    "read/denied",
    "write/denied",
    "probe/*/*/outside",
];

/// Calls on a directory that need a file.
pub(super) const DIRECTORY: &[&str] = &["write/onto-directory", "replace/directory"];

/// Calls that the operating system refuses.
pub(super) const REFUSED_OPERATION: &[&str] =
    &["write/onto-directory", "replace/directory", "multi-edit/backup-failed"];

/// Calls with more than the size limit.
pub(super) const OVER_LIMIT: &[&str] = &["read/over-limit", "write/over-limit"];

/// Failing calls of the tools that change files.
pub(super) const CHANGING: &[&str] = &[
    "write/onto-directory",
    "write/outside-absolute",
    "write/denied",
    "write/over-limit",
    "write/missing-argument",
    "replace/ambiguous",
    "replace/not-found",
    "replace/missing-file",
    "replace/directory",
    "replace/missing-argument",
    "replace/empty-old",
    "probe/{create_file,str_replace,multi_edit,multi_edit_files}/*/*",
    "multi-edit/*",
];

/// Commands that exit non-zero.
pub(super) const NON_ZERO_EXIT: &[&str] = &[
    "shell/exit-builtin",
    "shell/exit-false",
    "shell/exit-subshell",
    "shell/exit-nested",
    "shell/exit-two",
    "shell/exit-255",
    "shell/not-executable",
    "shell/command-not-found",
    "shell/killed",
];

/// Commands that do not end well, be it by a time-out.
pub(super) const FAILED_COMMAND: &[&str] = &[
    "shell/exit-builtin",
    "shell/exit-false",
    "shell/exit-subshell",
    "shell/exit-nested",
    "shell/exit-two",
    "shell/exit-255",
    "shell/not-executable",
    "shell/command-not-found",
    "shell/killed",
    "shell/timed-out",
];

/// Calls with nothing to run.
pub(super) const EMPTY_COMMAND: &[&str] = &["shell/empty-command", "shell/blank-command"];

/// Calls with the id of a task that the session does not have.
pub(super) const UNKNOWN_TASK: &[&str] = &["task/unknown-id", "task/other-session"];

/// Calls on a repository that git cannot use.
pub(super) const FAILING_GIT: &[&str] =
    &["blame/damaged-repository", "blame/no-commits", "history/damaged-repository"];

/// Regular expressions that do not compile.
pub(super) const INVALID_REGEX: &[&str] = &[
    "grep/invalid-regex",
    "grep/unclosed-group",
    "grep/nothing-to-repeat",
    "grep/backwards-repeat",
    "grep/look-behind",
    "probe/grep/pattern/invalid-pattern",
];

/// Globs that do not compile.
pub(super) const INVALID_GLOB: &[&str] =
    &["glob/invalid-pattern", "glob/unclosed-brace", "probe/glob/pattern/invalid-pattern"];

/// Calls with a value outside a closed set.
pub(super) const CLOSED_SET: &[&str] = &["grep/invalid-mode", "glob/invalid-type", "probe/*/*/unknown-value"];

/// Every call that fails with a tool error. The message of each must hold a value.
pub(super) const TOOL_ERROR: &[&str] = &[
    "blame/damaged-repository",
    "blame/missing-argument",
    "blame/missing-file",
    "blame/no-commits",
    "blame/outside-absolute",
    "blame/range-backwards",
    "blame/range-beyond",
    "blame/range-negative",
    "blame/range-zero",
    "history/damaged-repository",
    "history/missing-argument",
    "history/missing-file",
    "history/outside-absolute",
    "glob/invalid-pattern",
    "glob/invalid-type",
    "glob/missing-argument",
    "glob/missing-path",
    "glob/unclosed-brace",
    "grep/backwards-repeat",
    "grep/empty-pattern",
    "grep/invalid-mode",
    "grep/invalid-regex",
    "grep/look-behind",
    "grep/missing-argument",
    "grep/missing-path",
    "grep/nothing-to-repeat",
    "grep/unclosed-group",
    "read/dangling-link",
    "read/dangling-link-again",
    "read/denied",
    "read/file-as-folder",
    "read/link-loop",
    "read/missing-argument",
    "read/missing-file",
    "read/name-too-long",
    "read/not-utf8",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "read/range-backwards",
    "read/range-beyond",
    "read/range-negative",
    "read/range-zero",
    "replace/ambiguous",
    "replace/directory",
    "replace/empty-old",
    "replace/missing-argument",
    "replace/missing-file",
    "replace/not-found",
    "shell/blank-command",
    "shell/empty-command",
    "shell/long-command",
    "shell/missing-command",
    "shell/nul-in-command",
    "shell/task-limit",
    "task/missing-argument",
    "task/other-session",
    "task/unknown-id",
    "write/denied",
    "write/missing-argument",
    "write/onto-directory",
    "write/outside-absolute",
    "write/over-limit",
    "probe/*/*/*",
    "multi-edit/*",
    "http/*",
    "reserve/{held-by-another,released-by-another}",
];

/// Those of them for which one code alone will do, or one of few.
pub(super) const ONE_CODE: &[&str] = &[
    "blame/damaged-repository",
    "blame/missing-argument",
    "blame/missing-file",
    "blame/no-commits",
    "blame/outside-absolute",
    "blame/range-backwards",
    "blame/range-beyond",
    "blame/range-negative",
    "blame/range-zero",
    "history/damaged-repository",
    "history/missing-argument",
    "history/missing-file",
    "history/outside-absolute",
    "glob/invalid-pattern",
    "glob/invalid-type",
    "glob/missing-argument",
    "glob/missing-path",
    "glob/unclosed-brace",
    "grep/backwards-repeat",
    "grep/empty-pattern",
    "grep/invalid-mode",
    "grep/invalid-regex",
    "grep/look-behind",
    "grep/missing-argument",
    "grep/missing-path",
    "grep/nothing-to-repeat",
    "grep/unclosed-group",
    "read/dangling-link",
    "read/dangling-link-again",
    "read/denied",
    "read/file-as-folder",
    "read/missing-argument",
    "read/missing-file",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "read/range-backwards",
    "read/range-beyond",
    "read/range-negative",
    "read/range-zero",
    "replace/ambiguous",
    "replace/directory",
    "replace/empty-old",
    "replace/missing-argument",
    "replace/missing-file",
    "replace/not-found",
    "shell/blank-command",
    "shell/empty-command",
    "shell/long-command",
    "shell/missing-command",
    "shell/nul-in-command",
    "shell/task-limit",
    "task/missing-argument",
    "task/other-session",
    "task/unknown-id",
    "write/denied",
    "write/missing-argument",
    "write/onto-directory",
    "write/outside-absolute",
    "write/over-limit",
    "probe/*/*/*",
    "multi-edit/*",
    "http/missing-argument",
];

/// Those of them that miss no closed set.
pub(super) const OPEN_ERROR: &[&str] = &[
    "blame/damaged-repository",
    "blame/missing-argument",
    "blame/missing-file",
    "blame/no-commits",
    "blame/outside-absolute",
    "blame/range-backwards",
    "blame/range-beyond",
    "blame/range-negative",
    "blame/range-zero",
    "history/damaged-repository",
    "history/missing-argument",
    "history/missing-file",
    "history/outside-absolute",
    "glob/invalid-pattern",
    "glob/missing-argument",
    "glob/missing-path",
    "glob/unclosed-brace",
    "grep/backwards-repeat",
    "grep/empty-pattern",
    "grep/invalid-regex",
    "grep/look-behind",
    "grep/missing-argument",
    "grep/missing-path",
    "grep/nothing-to-repeat",
    "grep/unclosed-group",
    "read/dangling-link",
    "read/dangling-link-again",
    "read/denied",
    "read/file-as-folder",
    "read/link-loop",
    "read/missing-argument",
    "read/missing-file",
    "read/name-too-long",
    "read/not-utf8",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "read/range-backwards",
    "read/range-beyond",
    "read/range-negative",
    "read/range-zero",
    "replace/ambiguous",
    "replace/directory",
    "replace/empty-old",
    "replace/missing-argument",
    "replace/missing-file",
    "replace/not-found",
    "shell/blank-command",
    "shell/empty-command",
    "shell/long-command",
    "shell/missing-command",
    "shell/nul-in-command",
    "shell/task-limit",
    "task/missing-argument",
    "task/other-session",
    "task/unknown-id",
    "write/denied",
    "write/missing-argument",
    "write/onto-directory",
    "write/outside-absolute",
    "write/over-limit",
    "probe/*/*/{missing,wrong-type,null,empty,below-range,above-range,wrong-item}",
    "probe/*/*/{unknown-argument,not-found,outside,invalid-pattern}",
    "multi-edit/*",
    "http/*",
    "reserve/{held-by-another,released-by-another}",
];

/// Those of them that the caller can mend, so that a hint is due: not where naming the argument that is missing is the hint.
pub(super) const MENDABLE_ERROR: &[&str] = &[
    "blame/missing-file",
    "history/missing-file",
    "blame/outside-absolute",
    "history/outside-absolute",
    "blame/range-backwards",
    "blame/range-beyond",
    "blame/range-negative",
    "blame/range-zero",
    "glob/invalid-pattern",
    "glob/missing-path",
    "glob/unclosed-brace",
    "grep/backwards-repeat",
    "grep/empty-pattern",
    "grep/invalid-regex",
    "grep/look-behind",
    "grep/missing-path",
    "grep/nothing-to-repeat",
    "grep/unclosed-group",
    "read/dangling-link",
    "read/dangling-link-again",
    "read/denied",
    "read/file-as-folder",
    "read/missing-file",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "read/range-backwards",
    "read/range-beyond",
    "read/range-negative",
    "read/range-zero",
    "replace/ambiguous",
    "replace/empty-old",
    "replace/missing-file",
    "replace/not-found",
    "shell/blank-command",
    "shell/empty-command",
    "task/other-session",
    "task/unknown-id",
    "write/denied",
    "write/outside-absolute",
    "write/over-limit",
    "probe/*/arguments/{missing,wrong-type}",
    "probe/*/*/{wrong-type,null,empty,below-range,above-range,wrong-item}",
    "probe/*/*/{not-found,outside,invalid-pattern}",
    "multi-edit/third-of-five",
    "multi-edit/not-found-at-start",
    "multi-edit/not-found-at-end",
    "multi-edit/ambiguous-three",
    "multi-edit/ambiguous-200",
    "multi-edit/empty-edits",
    "multi-edit/empty-old-text",
    "multi-edit/duplicate-old-text",
    "multi-edit/duplicate-file",
    "multi-edit/relative-path",
    "multi-edit/missing-file",
    "multi-edit/dry-run",
    "multi-edit/backup",
    "multi-edit/second-file",
    "multi-edit/second-file-missing",
    "http/{status-400,status-404,status-422}",
];

/// Calls whose text to replace is not in the file, or in it several times.
pub(super) const FAILED_MATCH: &[&str] = &[
    "replace/{not-found,ambiguous}",
    "multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}",
    "multi-edit/ambiguous-{three,200}",
];

/// Those of them in which it is there several times.
pub(super) const AMBIGUOUS_MATCH: &[&str] = &["replace/ambiguous", "multi-edit/ambiguous-{three,200}"];

/// Those of them in which it is not there, and the file is longer than what is shown of it.
pub(super) const NOT_FOUND_IN_MANY_LINES: &[&str] =
    &["multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}"];

/// Those of them in which it is not there.
pub(super) const NOT_FOUND: &[&str] = &[
    "replace/not-found",
    "multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}",
];

/// Those of them in which the call has a list of edits.
pub(super) const FAILED_EDIT: &[&str] = &[
    "multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}",
    "multi-edit/ambiguous-{three,200}",
];

/// Calls in which one edit of a list is at fault.
pub(super) const ONE_EDIT: &[&str] = &[
    "multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}",
    "multi-edit/ambiguous-{three,200}",
    "multi-edit/{empty,duplicate}-old-text",
];

/// Those of them with edits behind it.
pub(super) const SKIPPED_EDIT: &[&str] = &["multi-edit/{third-of-five,second-file}"];

/// Those of them with edits before it.
pub(super) const EDIT_BEFORE: &[&str] = &["multi-edit/{third-of-five,dry-run,second-file}"];

/// Calls with several files, of which the second one is at fault.
pub(super) const SECOND_FILE: &[&str] = &["multi-edit/second-file", "multi-edit/second-file-missing"];

/// Calls with several files that fail behind the first one: there it may also be the same file once more.
pub(super) const BEHIND_FIRST_FILE: &[&str] =
    &["multi-edit/{second-file,second-file-missing,duplicate-file}"];

/// Calls that fail over a file, of the tools that work on one.
pub(super) const OF_A_FILE: &[&str] = &[
    "read/{missing-file,dangling-link,dangling-link-again,file-as-folder,link-loop,not-utf8,over-limit,denied}",
    "read/outside-{absolute,parent,symlink}",
    "write/{onto-directory,outside-absolute,denied,over-limit}",
    "replace/{ambiguous,not-found,missing-file,directory}",
    "multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}",
    "multi-edit/ambiguous-{three,200}",
    "multi-edit/{backup-failed,missing-file,second-file-missing}",
    "probe/view/path/{not-found,outside}",
];

/// Calls whose text to replace is not in the file.
pub(super) const MISSING_TEXT: &[&str] = &[
    "replace/not-found",
    "multi-edit/{third-of-five,not-found-at-start,not-found-at-end,dry-run,backup,second-file}",
];

/// Requests that a service does not answer as it should, though nothing is wrong with them, and with which the service says
/// how long to wait.
pub(super) const WAIT: &[&str] = &["http/{status-429-seconds,status-429-date,status-503}"];

/// Requests that fail for a while, through no fault of the caller.
pub(super) const PASSING: &[&str] = &[
    "http/{status-429-seconds,status-429-date,status-500,status-503}",
    "http/{secret-in-body,secret-in-headers,refused,silence}",
];

/// Calls for what another agent holds.
pub(super) const HELD: &[&str] = &["reserve/{held-by-another,released-by-another}"];
