//! Further statements in a text: general rules, and what exists besides what was refused.
//!
//! "Volume goes from 0 to 11", "A brass key opens it": such sentences are only written to say what to send.

use super::Asked;
use super::view::View;
use crate::pattern;
use crate::wording::words;
use crate::words;

/// Whether a text states a rule: a sentence in the present about all of a kind, whose subject is a plural
/// without an article, or has `a`, `every` or `each`.
pub(super) fn states_a_rule(view: &View<'_>) -> bool {
    pattern!("order/rule").captures_iter(&view.plain).any(|found| {
        let whole = found.get(0).expect("group 0 is the match").as_str();
        let is_plural = |subject: &str| {
            let last = subject.rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
            last.ends_with('s') && !last.ends_with("ss") && !is_no_plural(&last)
        };
        let general = found.name("plural").is_none_or(|subject| is_plural(subject.as_str()));
        general && !pattern!("order/fails").is_match(whole) && !found["behind"].trim().is_empty()
    })
}

/// As in "Count goes in whole steps" or "Tags are words": a general statement about a parameter.
pub(super) fn states_it_of_a_parameter(view: &View<'_>, asked: &Asked<'_>) -> bool {
    pattern!("order/rule-of-parameter")
        .captures_iter(&view.text)
        .any(|found| asked.parameters.iter().any(|name| name.eq_ignore_ascii_case(&found["name"])))
}

/// Words that end in `s` but are not a plural, or whose plural is about a failure.
fn is_no_plural(word: &str) -> bool {
    words!("messages/rule-words").iter().copied().any(|other| other == word)
}

/// Whether the refusal is followed by a sentence that neither refuses nor is a courtesy: whatever else is said
/// to the caller says what to do.
pub(super) fn goes_on(view: &View<'_>) -> bool {
    /// A sentence with this many words of its own is the server's.
    const TOLD: usize = 2;
    let sentences = pattern!("order/end-of-sentence")
        .split(&view.plain)
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty());
    sentences.skip(1).filter(|sentence| !pattern!("order/refuses").is_match(sentence)).any(|sentence| {
        let is_part = |c: char| c.is_ascii_alphabetic() || c == '\'';
        let reported: Vec<&str> =
            sentence.split(|c: char| !is_part(c)).filter(|word| word.len() > 1).collect();
        let own = reported.iter().filter(|word| !words::is_empty(&word.to_ascii_lowercase())).count();
        let ends_open = |last: &&str| {
            let before = sentence.strip_suffix(*last).map(str::trim_end);
            // The last item of a list may have any name.
            words::is_of_grammar(&last.to_ascii_lowercase())
                && before.is_some_and(|before| !before.ends_with(','))
        };
        let is_cut = reported.last().is_some_and(ends_open) && !view.plain.trim_end().ends_with(['.', '!']);
        reported.len() > TOLD && own >= TOLD && !is_cut && sentence.contains(|c: char| c.is_ascii_lowercase())
    })
}
