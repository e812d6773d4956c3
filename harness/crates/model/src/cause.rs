//! Error messages of the operating system, worded for our own messages.
//!
//! Only for errors of the harness itself: a server's words are never changed.

use std::io;

pub use numbers::is_want_of_room;
use numbers::limit;

/// The cause without its number, because "os error 2" is of no use to a reader. If a limit of the system was
/// reached, with the way to raise it.
pub fn describe(error: &io::Error) -> String {
    match limit(error) {
        Some(limit) => format!("{} ({limit})", words(error)),
        None => words(error),
    }
}

/// What is wrong with a JSON text, without the position, which is shown before it.
pub fn of_json(error: &serde_json::Error) -> String {
    let words = error.to_string();
    match words.rsplit_once(" at line ") {
        Some((cause, _)) if error.line() > 0 => cause.to_owned(),
        _ => words,
    }
}

/// The numbers of the errors for a reached limit.
#[cfg(unix)]
mod numbers {
    use std::io;

    use rustix::io::Errno;

    /// The limit that was reached, and the way to raise it.
    pub(super) fn limit(error: &io::Error) -> Option<&'static str> {
        match Errno::from_io_error(error)? {
            Errno::MFILE => Some("`ulimit -n` limits how many one program may have: raise it"),
            Errno::NFILE => {
                Some("the whole system has reached its limit: end some programs, or raise the limit")
            }
            Errno::FBIG => Some("`ulimit -f` limits how large a file may be: raise it"),
            Errno::NOMEM => Some("`ulimit -v`, or a container's limit, bounds the memory: raise it"),
            _ => None,
        }
    }

    /// Whether a program could not be started because the machine cannot run another process, which is not the
    /// program's fault.
    pub fn is_want_of_room(error: &io::Error) -> bool {
        let errno = Errno::from_io_error(error);
        errno.is_some_and(|errno| [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN].contains(&errno))
    }
}

/// The numbers of the errors for a reached limit.
#[cfg(windows)]
mod numbers {
    use std::io;

    use windows_sys::Win32::Foundation::{
        ERROR_COMMITMENT_LIMIT, ERROR_NO_SYSTEM_RESOURCES, ERROR_NOT_ENOUGH_MEMORY, ERROR_TOO_MANY_OPEN_FILES,
    };

    /// The limit that was reached, and what to do.
    pub(super) fn limit(error: &io::Error) -> Option<&'static str> {
        match u32::try_from(error.raw_os_error()?).ok()? {
            ERROR_TOO_MANY_OPEN_FILES | ERROR_NO_SYSTEM_RESOURCES => {
                Some("the system has reached its limit: end some programs")
            }
            ERROR_NOT_ENOUGH_MEMORY | ERROR_COMMITMENT_LIMIT => {
                Some("memory and page file are full: end some programs, or enlarge the page file")
            }
            _ => None,
        }
    }

    /// Whether a program could not be started because the machine cannot run another process, which is not the
    /// program's fault.
    pub fn is_want_of_room(error: &io::Error) -> bool {
        limit(error).is_some()
    }
}

fn words(error: &io::Error) -> String {
    let words = error.to_string();
    let words = match words.rsplit_once(" (os error ") {
        Some((words, number)) if number.ends_with(')') => words,
        _ => words.as_str(),
    };
    let mut letters = words.chars();
    match letters.next() {
        // The message continues a sentence; an abbreviation keeps its capitals.
        Some(first) if !letters.clone().next().is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => words.to_owned(),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn the_number_of_the_operating_system_is_left_out() {
        let missing = std::fs::read("/no/such/file").expect_err("there is no such file");
        assert_eq!(describe(&missing), "no such file or directory");
    }

    #[test]
    fn a_limit_that_is_reached_is_reported_with_the_way_to_raise_it() {
        for (errno, way) in
            [(Errno::MFILE, "ulimit -n"), (Errno::FBIG, "ulimit -f"), (Errno::NOMEM, "ulimit -v")]
        {
            let message = describe(&errno.into());
            assert!(message.contains(way), "{message}");
        }
        assert!(!describe(&Errno::NOENT.into()).contains("ulimit"));
    }

    #[test]
    fn words_of_our_own_stay_as_they_are() {
        for words in ["the line is too long", "JSON was expected (os error)"] {
            assert_eq!(describe(&io::Error::other(words)), words);
        }
    }
}
