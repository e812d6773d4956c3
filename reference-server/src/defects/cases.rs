//! The conformance cases that show a defect, told by what such a case says of itself: one more case needs no word here.
//!
//! A selector is a text of words with a blank between them, all of which hold of each case that it selects:
//! - a word with `=` is a key of the case's file and what stands there, `call.role=read`. What stands in a list stands at
//!   the list's own key;
//! - a word with `/` is the case's id, `probe/<tool>/<parameter>/<change>` for those that a harness makes from the tools'
//!   own schemas;
//! - any other word is the condition that the case brings about, `path-not-found`, and behind `!` one that it does not. A
//!   case that must succeed brings about none, so `*` stands for every case of a tool that must fail, and `!*` for the
//!   cases that need not.
//!
//! Ids, conditions and what stands in files are globs; in an id `*` stops at `/`. A selector behind `^` selects the first
//! case of a run alone: one that stands for all replies that were compared. A list selects what any of its selectors does.
//!
//! What one defect alone needs stands in its row; what several share, or what has to be explained, stands here.

/// Calls with an argument that is missing, empty, out of range, or leads nowhere that can be followed.
pub(super) const INVALID_ARGUMENT: &[&str] = &[
    "{missing,null,empty,unknown}-argument",
    "{invalid-type,invalid-range,out-of-range,wrong-item,as-text}",
    "{link-loop,name-too-long,not-utf8,relative-path}",
    "{empty-edits,empty-old-text,duplicate-old-text,duplicate-file}",
];

/// Calls on a path where nothing is.
pub(super) const MISSING_PATH: &[&str] = &["path-{not-found,leads-nowhere}"];

/// Calls on a path outside the root, or behind a deny pattern.
pub(super) const CLOSED_PATH: &[&str] = &["{path-outside-root,denied-path}"];

/// Calls that the operating system refuses.
pub(super) const REFUSED_OPERATION: &[&str] = &["{io-failure,backup-failed}"];

/// Calls with more than the size limit.
pub(super) const OVER_LIMIT: &[&str] = &["file-too-large"];

/// Failing calls of the tools that change files.
pub(super) const CHANGING: &[&str] = &[
    "call.role={write,replace,multi-edit,multi-edit-files} *",
    "probe/{create_file,str_replace,multi_edit,multi_edit_files}/*/*",
];

/// Commands that do not end well, be it by a time-out.
pub(super) const FAILED_COMMAND: &[&str] = &["expect.exit-status=[!0]*"];

/// Calls with nothing to run.
pub(super) const EMPTY_COMMAND: &[&str] = &["empty-command"];

/// Calls for one more background task than may run.
pub(super) const TASK_LIMIT: &[&str] = &["task-limit"];

/// Calls with the id of a task that the session does not have.
pub(super) const UNKNOWN_TASK: &[&str] = &["task-not-found"];

/// Reading a resource that the server does not have.
pub(super) const UNKNOWN_RESOURCE: &[&str] = &["unknown-resource"];

/// Asking for a prompt that the server does not have.
pub(super) const UNKNOWN_PROMPT: &[&str] = &["unknown-prompt"];

/// Asking for a prompt without its argument.
pub(super) const MISSING_PROMPT_ARGUMENT: &[&str] = &["prompt/call_tool/tool/missing"];

/// Asking for completions of what the server does not have.
pub(super) const UNKNOWN_COMPLETION: &[&str] = &["unknown-completion"];

/// Requests with a method that the server does not have.
pub(super) const UNKNOWN_METHOD: &[&str] = &["unknown-method"];

/// Requests without a protocol version or without the client's capabilities.
pub(super) const INCOMPLETE_META: &[&str] = &["incomplete-meta"];

/// Requests for a protocol version that does not exist.
pub(super) const UNSUPPORTED_VERSION: &[&str] = &["unsupported-version"];

/// What follows a request that was taken back while it ran.
pub(super) const CANCELLED_IN_FLIGHT: &[&str] = &["session/cancelled"];

/// Valid calls, several of them at once.
pub(super) const IN_FLIGHT: &[&str] = &["session/in-flight"];

/// Calls of a tool that the server does not have.
pub(super) const UNKNOWN_TOOL: &[&str] = &["unknown-tool"];

/// Calls on a repository that git cannot use.
pub(super) const FAILING_GIT: &[&str] = &["git-failure"];

/// Regular expressions that do not compile.
pub(super) const INVALID_REGEX: &[&str] = &["invalid-regex"];

/// Globs that do not compile.
pub(super) const INVALID_GLOB: &[&str] = &["invalid-glob"];

/// Searches with an output mode that does not exist.
pub(super) const INVALID_MODE: &[&str] = &["invalid-output-mode", "probe/grep/output_mode/unknown-value"];

/// Every call that fails with a tool error. The message of each must hold a value.
pub(super) const TOOL_ERROR: &[&str] = &["* !unknown-tool"];

/// Those of them whose message must name something: `list_paths` has one parameter alone, and may refuse it without its name
/// where no contract says why.
pub(super) const VALUE_DUE: &[&str] = &["* !unknown-tool !as-text", "probe/[!l]*/*/as-text"];

/// Those of them for which one code alone will do, or one of few.
pub(super) const ONE_CODE: &[&str] = &[
    "* !unknown-tool !{link-loop,name-too-long,not-utf8,as-text} !{upstream-*,rate-limited,name-unresolved,held-by-another}",
];

/// Those of them that miss no closed set.
pub(super) const OPEN_ERROR: &[&str] =
    &["* !unknown-tool !{invalid-output-mode,invalid-file-type,unknown-enum-value}"];

/// Those of them that the caller can fix, so that a hint is due: not where naming the argument that is missing is the hint.
pub(super) const MENDABLE_ERROR: &[&str] = &[
    "path-{not-found,leads-nowhere,outside-root}",
    "{denied-path,relative-path,file-too-large}",
    "{invalid-range,invalid-glob,invalid-regex}",
    "{empty-argument,empty-command,task-not-found}",
    "{match-not-found,ambiguous-match}",
    "{empty-edits,empty-old-text,duplicate-old-text,duplicate-file}",
    "{invalid-type,null-argument,out-of-range,wrong-item,as-text}",
    "upstream-{invalid,not-found}",
];

/// Calls whose text to replace is not in the file, or in it several times.
pub(super) const FAILED_MATCH: &[&str] = &["{match-not-found,ambiguous-match}"];

/// Those of them in which it is there several times.
pub(super) const AMBIGUOUS_MATCH: &[&str] = &["ambiguous-match"];

/// Those of them of a tool that takes one text.
pub(super) const AMBIGUOUS_REPLACE: &[&str] = &["call.role=replace ambiguous-match"];

/// Those of them in which it is not there.
pub(super) const NOT_FOUND: &[&str] = &["match-not-found"];

/// Those of them of a tool that takes one text.
pub(super) const NOT_FOUND_REPLACE: &[&str] = &["call.role=replace match-not-found"];

/// Those of them in which the call has a list of edits.
pub(super) const FAILED_EDIT: &[&str] = &["call.role=multi-edit{,-files} {match-not-found,ambiguous-match}"];

/// Calls in which one edit of a list is at fault.
pub(super) const ONE_EDIT: &[&str] = &["expect.editing.edit=*"];

/// Calls with several files that fail behind the first one: there it may also be the same file once more.
pub(super) const BEHIND_FIRST_FILE: &[&str] = &["expect.editing.file-index=[1-9]*", "duplicate-file"];

/// Calls that fail over a file, of the tools that work on one.
pub(super) const OF_A_FILE: &[&str] = &[
    "call.role={read,write,replace,multi-edit,multi-edit-files} \
     {path-*,denied-path,link-loop,not-utf8,file-too-large,io-failure,backup-failed,match-not-found,ambiguous-match}",
    "probe/view/path/* path-*",
];

/// Requests that a service does not answer as it should, though nothing is wrong with them, and with which the service says
/// how long to wait.
pub(super) const WAIT: &[&str] = &["expect.wait=*"];

/// Requests that fail for a while, through no fault of the caller.
pub(super) const PASSING: &[&str] =
    &["{rate-limited,upstream-failed,upstream-unavailable,upstream-unreachable,upstream-timeout}"];

/// Calls for what another agent holds.
pub(super) const HELD: &[&str] = &["held-by-another"];

/// Calls that need a token, of a server that was started without the variable in which it is.
pub(super) const WITHOUT_TOKEN: &[&str] = &["unset/*/http_get"];

/// Creating a file that is as large as it may be.
pub(super) const LARGE_FILE: &[&str] = &["write/under-limit"];
