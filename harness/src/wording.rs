//! What a text says: the analysis that rules share.
//!
//! Everything here is a function of texts alone, total and linear in their length. It knows contracts and catalogs only
//! as lists of words, and nothing of verdicts.

pub mod disguise;
pub mod echo;
pub mod hint;
pub mod layer;
pub mod listing;
pub mod mention;
mod passage;
pub mod vague;

pub use disguise::{Disguise, disguise};
pub use echo::Echo;
pub use passage::{Passage, passages};

/// The beginning of a text that is read for its sense: who calls a tool reads no further either.
fn beginning(text: &str) -> &str {
    const LONGEST: usize = 64 * 1024;
    &text[..text.floor_char_boundary(LONGEST)]
}

/// A text for quoting within a sentence: its first line, cut at 120 characters.
pub fn excerpt(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
