//! What tools return when they cannot do what was asked.
//!
//! The main type is [`Failure`]: a code, a sentence with the value that it is about, and how to mend the call.
//! It knows no contract: how it reads on the wire is the business of `contract`.

use std::error::Error;
use std::fmt;

use crate::context::Context;

/// Why a call failed. The set is closed; each contract has its own word for each of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// As many background tasks run as may run at once.
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
    /// The HTTP service behind the server finds the request wrong.
    UpstreamInvalid,
    /// It does not know the server.
    UpstreamUnauthorized,
    /// It does not allow this.
    UpstreamForbidden,
    /// It has nothing at the address.
    UpstreamNotFound,
    /// What is asked for does not go with its present state.
    UpstreamConflict,
    /// It is overloaded, or broken.
    UpstreamUnavailable,
    /// It cannot be reached, or breaks off.
    UpstreamUnreachable,
    /// It does not answer in time.
    UpstreamTimeout,
    /// Another agent holds it.
    Held,
}

impl Code {
    /// The wider kind that a contract with fewer words tells it as; most are their own.
    pub(crate) fn kind(self) -> Code {
        match self {
            Code::PathLoop | Code::NotText => Code::InvalidInput,
            Code::UpstreamTimeout | Code::UpstreamUnreachable => Code::UpstreamUnavailable,
            Code::PathDenied => Code::AccessDenied,
            Code::ServerFault => Code::IoError,
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
/// The same line with a code does:
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
    /// How to mend the call, in whole sentences.
    pub hint: Option<Box<str>>,
    /// What stands in the file around the places that the failure is about.
    pub context: Option<Box<Context>>,
    /// How long to wait before the same call may work, in seconds.
    pub retry_after: Option<u64>,
    /// Who holds what the call asks for.
    pub conflicts: Vec<Conflict>,
    /// The error of the operating system or of a library. It is logged and never shown to the client.
    pub cause: Option<Box<dyn Error + Send + Sync>>,
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

    /// Lists the values that would have been right.
    #[must_use]
    pub fn valid_values(mut self, values: &'static [&'static str]) -> Self {
        self.valid_values = values;
        self
    }

    /// Says how to mend the call.
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

    /// Keeps the error behind the failure for the log.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }
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
