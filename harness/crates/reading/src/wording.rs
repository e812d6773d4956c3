//! The analysis of texts that rules share.
//!
//! Everything here is a total function of texts, linear in their length. It uses contracts and catalogs only as
//! lists of words, and knows nothing of verdicts.

mod border;
pub mod circumstance;
pub mod disguised_error;
pub mod echo;
pub mod escape;
pub mod hint;
mod language;
pub mod layer;
pub mod limit;
pub mod listing;
pub mod mention;
mod passage;
mod rationed;
pub mod second_reader;
mod started;
pub mod task_id;
pub mod vague;
mod variation;
mod wait;
mod words;

pub use disguised_error::{
    DisguisedError, as_read, begins_with_failure, begun, begun_about_the_call, declared, disguised_error,
    is_certain, is_error_alone, refusal, short_refusal, stated, unasked,
};
pub use echo::Echo;
pub use passage::{Passage, passages};
pub use rationed::{is_of_one_second, is_rationed};
pub use started::{says_started, statuses};
pub use variation::Variation;
pub use wait::tells_wait;

/// The part of a text that is analysed: a caller does not read further either.
fn beginning(text: &str) -> &str {
    const LONGEST: usize = 64 * 1024;
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The most characters of an excerpt: a path in a temporary folder is shorter on every system.
const EXCERPT: usize = 200;

/// A text shortened for quoting in a sentence: the beginning of its first line. Words are not cut if possible, because
/// half of a path could look like another one.
pub fn excerpt(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let Some((end, _)) = line.char_indices().nth(EXCERPT) else { return line.to_owned() };
    let end = line[..end].rfind(char::is_whitespace).unwrap_or(end);
    format!("{} ...", line[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_the_first_line_cut_between_words() {
        assert_eq!(excerpt("  no file\nat all"), "no file");
        assert_eq!(excerpt(""), "");
        let words = "green apple ".repeat(30);
        assert_eq!(excerpt(&words), format!("{} ...", ["green apple"; 16].join(" ") + " green"));
        assert_eq!(excerpt(&"é".repeat(210)), format!("{} ...", "é".repeat(200)));
        assert_eq!(excerpt(&"é".repeat(200)), "é".repeat(200));
    }
}
