//! Instructions: clauses that begin with an imperative and say what to do to something.
//!
//! Before an article, a pronoun or a parameter's name, any word counts as a verb except the few listed ones
//! with another function. Before a bare noun, only common verbs count ("Stage files", but "Search failed").

use regex::Captures;

use super::Asked;
use super::view::View;
use crate::pattern;
use crate::words;

/// Whether a text gives an instruction.
pub(super) fn instructs(view: &View<'_>, asked: &Asked<'_>) -> bool {
    // The text after it still begins a clause: "nothing called 'x': check the path".
    let text = &pattern!("order/system-call").replace_all(&view.plain, ": ");
    pattern!("order/offer").is_match(text)
        || says_to_do(text)
        || names_what_to_change(text, asked)
        || begins_with_a_verb(text)
}

/// "Take in a neighbouring line", "Narrow your search", "Say which one": a word before something that only
/// follows a verb.
fn says_to_do(text: &str) -> bool {
    pattern!("order/verb-before-article")
        .captures_iter(text)
        .any(|found| found.name("nothing").is_none() && is_verb(&found["verb"]))
}

/// Whether a word at the beginning of a clause may be an imperative.
fn is_verb(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let third_person = word.ends_with('s') && !word.ends_with("ss");
    let other = ["ed", "ing", "ly", "tion", "ment", "ity", "ness"].iter().any(|end| word.ends_with(end));
    !third_person
        && !other
        && !words!("messages/instruction-no-verbs").iter().copied().any(|other| other == word)
}

/// As in "Lengthen old_str".
fn names_what_to_change(text: &str, asked: &Asked<'_>) -> bool {
    pattern!("order/verb-before-name").captures_iter(text).any(|found| {
        found.name("nothing").is_none()
            && is_verb(&found["verb"])
            && asked.parameters.contains(&&found["name"])
    })
}

/// As in "Stage files before you commit".
fn begins_with_a_verb(text: &str) -> bool {
    let among = |words: &[&str], word: &str| words.contains(&word);
    let says = |found: &Captures<'_>| {
        let verb = found["verb"].to_ascii_lowercase();
        let object = &found["object"];
        let plain = object.to_ascii_lowercase();
        let plain = plain.trim_matches(['\'', '"', '`', ')', '(', '[', ']']);
        let comes_in = matches!(verb.as_str(), "log in" | "sign in");
        // A keyword in the middle of a sentence: "SELECT statements are refused".
        let is_a_keyword = !found["verb"].contains(char::is_lowercase) && object.contains(char::is_lowercase);
        let is_a_call = among(words!("messages/instruction-calls"), &verb)
            && object.starts_with(['\'', '"', '`', '/', '\u{1a}']);
        !is_a_call
            && !is_a_keyword
            && found.name("nothing").is_none()
            && (comes_in || !among(words!("messages/instruction-tail"), plain))
            && (!among(words!("messages/instruction-nouns"), &verb)
                || pattern!("order/object").is_match(object)
                || found.name("purpose").is_some())
    };
    pattern!("order/verb").captures_iter(text).any(|found| says(&found))
}
