//! What the operating system said of a file, in words for a message of ours.
//!
//! Only for what the harness itself met: a server's words are never touched.

use std::io;

/// The cause without its number: who reads a message of ours has no use for "os error 2".
pub fn of(error: &io::Error) -> String {
    let words = error.to_string();
    let words = match words.rsplit_once(" (os error ") {
        Some((words, number)) if number.ends_with(')') => words,
        _ => words.as_str(),
    };
    let mut letters = words.chars();
    match letters.next() {
        // A sentence goes on here; an abbreviation stays one.
        Some(first) if !letters.clone().next().is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_the_operating_system_is_left_out() {
        let missing = std::fs::read("/no/such/file").expect_err("there is no such file");
        assert_eq!(of(&missing), "no such file or directory");
    }

    #[test]
    fn words_of_our_own_stay_as_they_are() {
        for words in ["the line is too long", "JSON was expected (os error)"] {
            assert_eq!(of(&io::Error::other(words)), words);
        }
    }
}
