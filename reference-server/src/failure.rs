//! What tools return when they cannot do what was asked.
//!
//! The main type is [`Failure`]: a code, a sentence with the value that it is about, and how to fix the call.
//! It knows no contract: how it reads on the wire is the business of `contract`.

use std::error::Error;
use std::fmt;

use serde::Deserialize;

use crate::context::Context;

/// Why a call failed. The set is closed; each contract has its own word for each of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// A parameter is missing, empty, of the wrong type or out of range.
    InvalidInput,
    /// Nothing exists at the path.
    PathNotFound,
    /// Symbolic links on the path's way form a loop.
    PathLoop,
    /// The path is outside the allowed directories.
    AccessDenied,
    /// The path is closed by a deny pattern.
    PathDenied,
    /// The file is not UTF-8 text.
    NotText,
    /// A file, or the content for one, is over the size limit.
    FileTooLarge,
    /// The path exists and is in scope, and yet could not be read or written.
    IoError,
    /// The server itself is at fault: a tool panicked.
    ServerFault,
    /// The command is empty.
    BashEmptyCommand,
    /// The shell could not be started.
    BashStartFailed,
    /// The highest number of background tasks runs already.
    BashTaskLimit,
    /// No background task of this session has that id.
    BashTaskNotFound,
    /// The text to replace is not in the file.
    StrReplaceNotFound,
    /// The text to replace is in the file several times.
    StrReplaceAmbiguous,
    /// The regular expression does not compile.
    GrepInvalidPattern,
    /// There is no such output mode.
    GrepInvalidOutputMode,
    /// The glob does not compile.
    GlobInvalidPattern,
    /// There is no such type filter.
    GlobInvalidType,
    /// Git could not do what was asked.
    GitFailed,
    /// The search was given up after its time limit.
    SearchTimeout,
    /// A program that is needed is not there.
    BackendUnavailable,
    /// A list of edits is empty.
    EmptyEdits,
    /// The text that an edit replaces is empty.
    EmptyOldText,
    /// Two edits of one file replace the same text.
    DuplicateOldText,
    /// The tool wants an absolute path, and this one is not.
    RelativePath,
    /// The file as it was could not be kept, so nothing was changed.
    BackupFailed,
    /// The HTTP service behind the server finds the request wrong.
    UpstreamInvalid,
    /// The service accepts no token of the server (401), or the server has none.
    UpstreamUnauthorized,
    /// The service does not allow this (403).
    UpstreamForbidden,
    /// The service has nothing at the address (404).
    UpstreamNotFound,
    /// The request contradicts the present state of the service (409).
    UpstreamConflict,
    /// The service is overloaded, or broken (429, 5xx).
    UpstreamUnavailable,
    /// The service cannot be reached, or breaks its answer off.
    UpstreamUnreachable,
    /// The service does not answer in time.
    UpstreamTimeout,
    /// Another agent holds it.
    Held,
}

impl Code {
    /// The wider kind that a contract with fewer words tells it as; most are their own.
    pub(crate) fn kind(self) -> Code {
        match self {
            Code::PathLoop
            | Code::NotText
            | Code::EmptyEdits
            | Code::EmptyOldText
            | Code::DuplicateOldText
            | Code::RelativePath => Code::InvalidInput,
            Code::UpstreamTimeout | Code::UpstreamUnreachable => Code::UpstreamUnavailable,
            Code::PathDenied => Code::AccessDenied,
            Code::ServerFault | Code::BackupFailed => Code::IoError,
            own => own,
        }
    }
}

/// A failed call, told once and typed, whatever the contract.
///
/// A failure without a code does not compile:
///
/// ```compile_fail,E0061
/// use mcp_errconf_reference::Failure;
/// let failure = Failure::new("No file exists at 'notes.txt'");
/// ```
///
/// A line with a code does:
///
/// ```
/// use mcp_errconf_reference::{Code, Failure};
/// let failure = Failure::new(Code::PathNotFound, "No file exists at 'notes.txt'");
/// assert_eq!(failure.code, Code::PathNotFound);
/// ```
#[derive(Debug)]
pub struct Failure {
    /// The kind of failure.
    pub code: Code,
    /// What happened, with the value in it; a sentence without its full stop.
    pub what: String,
    /// The value or parameter that the failure is about, as it was sent.
    pub about: Box<str>,
    /// A plain cause that completes `what`: "permission denied", or a compiler's explanation of the pattern.
    pub reason: Option<Box<str>>,
    /// Where one of a closed set was expected: the whole set.
    pub valid_values: &'static [&'static str],
    /// How to fix the call, in whole sentences.
    pub hint: Option<Box<str>>,
    /// What stands in the file around the places that the failure is about.
    pub context: Option<Box<Context>>,
    /// Which file, and which of its edits, where the call has several.
    pub part: Option<Box<Part>>,
    /// The file that holds what was there before, where one was made.
    pub backup: Option<Box<str>>,
    /// How long to wait before the same call may work, in seconds.
    pub retry_after: Option<u64>,
    /// Who holds what the call asks for.
    pub conflicts: Vec<Conflict>,
    /// The error of the operating system or of a library. It is logged and never shown to the client.
    pub cause: Option<Box<Cause>>,
}

impl Failure {
    /// A failure with what happened, and nothing else yet.
    pub fn new(code: Code, what: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
            about: Box::default(),
            reason: None,
            valid_values: &[],
            hint: None,
            context: None,
            part: None,
            backup: None,
            retry_after: None,
            conflicts: Vec::new(),
            cause: None,
        }
    }

    /// Names the value or parameter that the failure is about, as it was sent.
    #[must_use]
    pub fn about(mut self, value: impl Into<Box<str>>) -> Self {
        self.about = value.into();
        self
    }

    /// Completes the sentence with a plain cause.
    #[must_use]
    pub fn because(mut self, reason: impl Into<Box<str>>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Puts something more behind the reason.
    pub(crate) fn add_reason(&mut self, more: &str) {
        self.reason = Some(match &self.reason {
            Some(reason) => format!("{reason}; {more}").into(),
            None => more.into(),
        });
    }

    /// Lists the values that would have been right.
    #[must_use]
    pub fn valid_values(mut self, values: &'static [&'static str]) -> Self {
        self.valid_values = values;
        self
    }

    /// Says how to fix the call.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Box<str>>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Shows what stands in the file.
    #[must_use]
    pub fn showing(mut self, context: Context) -> Self {
        self.context = Some(Box::new(context));
        self
    }

    /// Tells who holds what the call asks for.
    #[must_use]
    pub fn conflicting(mut self, conflicts: Vec<Conflict>) -> Self {
        self.conflicts = conflicts;
        self
    }

    /// Says which part of the call it is about.
    #[must_use]
    pub fn within(mut self, part: Part) -> Self {
        self.part = Some(Box::new(part));
        self
    }

    /// Names the file that holds what was there before.
    #[must_use]
    pub fn kept_in(mut self, backup: impl Into<Box<str>>) -> Self {
        self.backup = Some(backup.into());
        self
    }

    /// Keeps the error behind the failure for the log.
    #[must_use]
    pub fn caused_by<E: Error + Send + Sync + 'static>(mut self, cause: E) -> Self {
        self.cause = Some(Box::new(Cause { error: Box::new(cause), kind: std::any::type_name::<E>() }));
        self
    }
}

/// The part of a call with lists in it that a failure is about. Indexes count from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// The file, as it was sent.
    pub file: String,
    /// Its index, where the call names several files.
    pub file_index: Option<usize>,
    /// The index of the edit, where one of them is at fault.
    pub edit: Option<usize>,
    /// The old texts of the file's edits, where these were tried one after the other; else empty.
    pub tried: Vec<String>,
}

/// The error behind a failure, and the name of its type.
#[derive(Debug)]
pub struct Cause {
    /// The error.
    pub error: Box<dyn Error + Send + Sync>,
    /// The type's name, with its path.
    pub kind: &'static str,
}

/// Something that an agent holds and another one asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What is held.
    pub pattern: String,
    /// Who holds it.
    pub holder: String,
}

/// A value in single quotes, shortened where it is long: a message is read by a model that pays for every word.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

/// How much of a value is shown.
const SHOWN_CHARACTERS: usize = 240;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(SHOWN_CHARACTERS) {
            None => write!(formatter, "'{}'", self.0),
            Some((end, _)) => {
                write!(formatter, "'{}...' ({} bytes in all)", &self.0[..end], self.0.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_value_is_quoted_whole() {
        assert_eq!(Quoted("a b").to_string(), "'a b'");
    }

    #[test]
    fn a_long_value_is_shown_by_its_beginning_and_its_size() {
        let shown = Quoted(&"ä".repeat(1000)).to_string();
        assert!(shown.starts_with("'ää"));
        assert!(shown.ends_with("...' (2000 bytes in all)"), "{shown}");
    }
}
