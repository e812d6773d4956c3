//! From an operating system's error to a plain cause and to the [`Failure`] of a call on a path.
//!
//! A library's own error text never gets into a message: it is kept as the failure's cause, for the log.

use std::io;

use crate::failure::{Code, Failure, Quoted};

/// What was being done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    Search,
}

impl Operation {
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Search => "search",
        }
    }
}

/// The cause in plain words, to stand behind a colon.
pub(crate) fn plain(error: &io::Error) -> &'static str {
    match shortage(error) {
        Some(Shortage::Links) => return "it leads through too many symbolic links",
        Some(Shortage::Files) => return "too many files are open at once",
        Some(Shortage::Machine) => return "the machine has no resources left for it",
        None => {}
    }
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist",
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::IsADirectory => "it is a directory",
        io::ErrorKind::NotADirectory => "a part of the path is a file, not a directory",
        io::ErrorKind::StorageFull => "no space is left on the disk",
        io::ErrorKind::QuotaExceeded => "the disk quota is used up",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        io::ErrorKind::FileTooLarge => "the system's file size limit is reached",
        io::ErrorKind::InvalidFilename => "the path is too long for the file system",
        io::ErrorKind::ArgumentListTooLong => "it is too long for the operating system",
        io::ErrorKind::ExecutableFileBusy | io::ErrorKind::ResourceBusy => "it is in use",
        io::ErrorKind::TimedOut => "the file system did not answer in time",
        _ => "the operating system refused it",
    }
}

/// What a call has too much or too little of, where the kind of its error does not say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shortage {
    Links,
    Files,
    Machine,
}

#[cfg(unix)]
fn shortage(error: &io::Error) -> Option<Shortage> {
    use rustix::io::Errno;
    match Errno::from_io_error(error)? {
        Errno::LOOP => Some(Shortage::Links),
        Errno::MFILE | Errno::NFILE => Some(Shortage::Files),
        Errno::NOMEM | Errno::AGAIN => Some(Shortage::Machine),
        _ => None,
    }
}

/// By the system's own numbers: 1921 for links, 4 for files, and three for memory and page file.
#[cfg(windows)]
fn shortage(error: &io::Error) -> Option<Shortage> {
    match error.raw_os_error()? {
        1921 => Some(Shortage::Links),
        4 => Some(Shortage::Files),
        8 | 1450 | 1455 => Some(Shortage::Machine),
        _ => None,
    }
}

/// Why a glob does not compile.
pub(crate) fn of_glob(error: &globset::Error) -> String {
    match error.kind() {
        globset::ErrorKind::UnclosedClass => "a '[' has no ']'".to_owned(),
        globset::ErrorKind::InvalidRange(first, last) => format!("the range {first}-{last} runs backwards"),
        globset::ErrorKind::UnopenedAlternates => "a '}' has no '{'".to_owned(),
        globset::ErrorKind::UnclosedAlternates => "a '{' has no '}'".to_owned(),
        globset::ErrorKind::DanglingEscape => "nothing follows the last '\\'".to_owned(),
        _ => "it is too large once compiled".to_owned(),
    }
}

/// The failure of an operation on a path that is in scope. `sent` is the path as the caller wrote it.
pub(crate) fn on_path(error: io::Error, operation: Operation, sent: &str) -> Failure {
    let path = Quoted(sent);
    let is_loop = shortage(&error) == Some(Shortage::Links);
    let failure = match error.kind() {
        io::ErrorKind::NotFound => not_found(sent),
        io::ErrorKind::NotADirectory => Failure::new(Code::PathNotFound, format!("Nothing exists at {path}"))
            .because(plain(&error))
            .hint("Shorten the path to that file, or call view with its directory to see what is there."),
        io::ErrorKind::InvalidFilename => {
            Failure::new(Code::InvalidInput, format!("Parameter 'path' cannot be used, {path}"))
                .because(plain(&error))
                .hint("Use a shorter path.")
        }
        _ if is_loop => link_loop(sent),
        _ => could_not(operation, sent, plain(&error)),
    };
    failure.about(sent).caused_by(error)
}

/// Nothing is there.
pub(crate) fn not_found(sent: &str) -> Failure {
    let name = sent.trim_end_matches('/').rsplit('/').next().unwrap_or(sent);
    let failure =
        Failure::new(Code::PathNotFound, format!("No file or directory exists at {}", Quoted(sent)));
    let plain_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    failure.about(sent).hint(if plain_name && name.len() < 100 && name != ".." {
        format!(
            "Call glob with {{\"pattern\": \"**/{name}\"}} to find it, or view with a directory to list it."
        )
    } else {
        "Call glob to find the file, or view with a directory to list it.".to_owned()
    })
}

/// Something is there, and it could not be used.
pub(crate) fn could_not(operation: Operation, sent: &str, reason: &str) -> Failure {
    Failure::new(Code::IoError, format!("Could not {} {}", operation.verb(), Quoted(sent)))
        .about(sent)
        .because(reason)
}

/// Symbolic links that lead to each other.
pub(crate) fn link_loop(sent: &str) -> Failure {
    Failure::new(Code::PathLoop, format!("The path {} leads nowhere", Quoted(sent)))
        .about(sent)
        .because("its symbolic links form a loop")
        .hint("Use the path of the real file.")
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    fn check(errno: Errno, code: Code, words: &str) {
        let failure = on_path(io::Error::from(errno), Operation::Write, "a/b.txt");
        assert_eq!(failure.code, code);
        let message = format!("{}: {}", failure.what, failure.reason.unwrap_or_default());
        assert!(message.contains(words) && message.contains("'a/b.txt'"), "{message}");
        assert!(!message.contains("os error"), "{message}");
    }

    #[test]
    fn an_operating_system_error_becomes_a_plain_cause_with_the_path() {
        check(Errno::ACCESS, Code::IoError, "Could not write 'a/b.txt': permission denied");
        check(Errno::NOSPC, Code::IoError, "no space is left on the disk");
        check(Errno::MFILE, Code::IoError, "too many files are open");
        check(Errno::ISDIR, Code::IoError, "it is a directory");
        check(Errno::XDEV, Code::IoError, "the operating system refused it");
        check(Errno::NOENT, Code::PathNotFound, "No file or directory exists");
        check(Errno::NOTDIR, Code::PathNotFound, "a part of the path is a file");
        check(Errno::NAMETOOLONG, Code::InvalidInput, "too long");
        check(Errno::LOOP, Code::PathLoop, "loop");
    }
}
