//! The ids of the conformance cases that defects declare, where several of them share a list. An id with `*` or with
//! alternatives in braces is a pattern: `probe/<tool>/<parameter>/<change>` are the cases that a harness makes from the
//! tools' own schemas.

/// Calls with one required argument left out.
pub(super) const MISSING_ARGUMENT: &[&str] = &[
    "shell/missing-command",
    "read/missing-argument",
    "replace/missing-argument",
    "grep/missing-argument",
    "probe/*/*/missing",
];

/// Calls with any argument that does not fit the schema, or too many of them.
pub(super) const UNFIT_ARGUMENT: &[&str] = &[
    "shell/missing-command",
    "read/missing-argument",
    "replace/missing-argument",
    "grep/missing-argument",
    "probe/*/*/{missing,wrong-type,null,empty,below-range,above-range,wrong-item}",
    "probe/*/*/unknown-argument",
];

/// Calls on a path where nothing is.
pub(super) const MISSING_PATH: &[&str] =
    &["read/missing-file", "replace/missing-file", "grep/missing-path", "probe/*/*/not-found"];

/// Calls on a path outside the root.
pub(super) const OUTSIDE: &[&str] = &[
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "write/outside-absolute",
    "probe/*/*/outside",
];

/// Calls on a directory that need a file.
pub(super) const DIRECTORY: &[&str] = &["write/onto-directory", "replace/directory"];

/// Failing calls of the tools that change files.
pub(super) const CHANGING: &[&str] = &[
    "write/onto-directory",
    "write/outside-absolute",
    "replace/ambiguous",
    "replace/not-found",
    "replace/missing-file",
    "replace/directory",
    "replace/missing-argument",
    "probe/{create_file,str_replace}/*/*",
];

/// Commands that exit non-zero.
pub(super) const NON_ZERO_EXIT: &[&str] = &[
    "shell/exit-builtin",
    "shell/exit-false",
    "shell/exit-subshell",
    "shell/exit-nested",
    "shell/command-not-found",
];

/// Calls with a value outside a closed set.
pub(super) const CLOSED_SET: &[&str] = &["grep/invalid-mode", "glob/invalid-type", "probe/*/*/unknown-value"];

/// Every call that fails with a tool error.
pub(super) const TOOL_ERROR: &[&str] = &[
    "shell/empty-command",
    "shell/missing-command",
    "shell/task-limit",
    "task/unknown-id",
    "read/missing-file",
    "read/missing-argument",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "write/onto-directory",
    "write/outside-absolute",
    "replace/ambiguous",
    "replace/not-found",
    "replace/missing-file",
    "replace/directory",
    "replace/missing-argument",
    "grep/invalid-regex",
    "grep/missing-path",
    "grep/missing-argument",
    "grep/invalid-mode",
    "glob/invalid-pattern",
    "glob/invalid-type",
    "probe/*/*/*",
];

/// Those of them whose message must hold a value.
pub(super) const VALUED_ERROR: &[&str] = &[
    "shell/empty-command",
    "shell/missing-command",
    "task/unknown-id",
    "read/missing-file",
    "read/missing-argument",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "write/onto-directory",
    "write/outside-absolute",
    "replace/ambiguous",
    "replace/not-found",
    "replace/missing-file",
    "replace/directory",
    "replace/missing-argument",
    "grep/invalid-regex",
    "grep/missing-path",
    "grep/missing-argument",
    "grep/invalid-mode",
    "glob/invalid-pattern",
    "glob/invalid-type",
    "probe/*/*/*",
];

/// Those of them that miss no closed set.
pub(super) const OPEN_ERROR: &[&str] = &[
    "shell/empty-command",
    "shell/missing-command",
    "shell/task-limit",
    "task/unknown-id",
    "read/missing-file",
    "read/missing-argument",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "write/onto-directory",
    "write/outside-absolute",
    "replace/ambiguous",
    "replace/not-found",
    "replace/missing-file",
    "replace/directory",
    "replace/missing-argument",
    "grep/invalid-regex",
    "grep/missing-path",
    "grep/missing-argument",
    "glob/invalid-pattern",
    "probe/*/*/{missing,wrong-type,null,empty,below-range,above-range,wrong-item}",
    "probe/*/*/{unknown-argument,not-found,outside,invalid-pattern}",
];

/// Those of them that the caller can mend, so that a hint is due: not where naming the argument that is missing is the hint.
pub(super) const MENDABLE_ERROR: &[&str] = &[
    "shell/empty-command",
    "task/unknown-id",
    "read/missing-file",
    "read/outside-absolute",
    "read/outside-parent",
    "read/outside-symlink",
    "read/over-limit",
    "write/outside-absolute",
    "replace/ambiguous",
    "replace/not-found",
    "replace/missing-file",
    "grep/invalid-regex",
    "grep/missing-path",
    "glob/invalid-pattern",
    "probe/*/arguments/{missing,wrong-type}",
    "probe/*/*/{wrong-type,null,empty,below-range,above-range,wrong-item}",
    "probe/*/*/{not-found,outside,invalid-pattern}",
];
