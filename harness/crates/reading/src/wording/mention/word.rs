//! Whether a parameter's name stands in a text as a word, or as words, of its own.
//!
//! The main function is [`stands_as_word`]. The name need not be marked: `count 0 is out of range` names
//! `count`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::names::name_words;
use crate::wording::border;
use crate::wording::escape::readings;
use crate::words;

/// Words that may be joined to a parameter's name by a hyphen.
const JOINED: [&str; 7] = ["argument", "field", "option", "param", "property", "value", "wert"];

/// Whether a name stands in a text as a whole word, in any case; one of several parts also with spaces, hyphens
/// or nothing between them, with another word for a part ("directory" for `dir`), and without what only says what kind of
/// value it holds: "source session" for `sourceSessionId`.
pub fn stands_as_word(text: &str, name: &str) -> bool {
    let ways = ways_of(name);
    readings(text).iter().map(|text| text.to_lowercase()).any(|text| ways.iter().any(|way| holds(&text, way)))
}

/// The ways in which a message may write a name. A rule asks for the same few names in every text.
fn ways_of(name: &str) -> Rc<[Vec<String>]> {
    /// As many names are kept: those of a server's tools.
    const KEPT: usize = 1024;
    thread_local! {
        static KNOWN: RefCell<HashMap<String, Rc<[Vec<String>]>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(ways) = known.get(name) {
            return Rc::clone(ways);
        }
        let parts = name_words(name);
        let telling = telling_parts(&parts);
        let short = (1 < telling.len() && telling.len() < parts.len()).then(|| spoken(telling));
        let ways = spoken(&parts).into_iter().chain(short.into_iter().flatten());
        let ways: Rc<[Vec<String>]> = ways.filter(|way| !is_of_any_message(way)).collect();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(name.to_owned(), Rc::clone(&ways));
        ways
    })
}

/// Whether the noun of a parameter's name stands in a text as a word: "item" for `item_id`. A name such as `id` has no noun
/// of its own: `others` are taken for it.
pub fn holds_noun(text: &str, name: &str, others: &[String]) -> bool {
    let parts = name_words(name);
    let nouns = match telling_parts(&parts) {
        [end] if is_of_kind(end) => others,
        [.., noun] if parts.len() > 1 => std::slice::from_ref(noun),
        _ => return false,
    };
    let text = text.to_lowercase();
    let stands = |noun: &String| spoken(std::slice::from_ref(noun)).iter().any(|way| holds(&text, way));
    nouns.iter().filter(|noun| !words!("messages/word-grammar").contains(&noun.as_str())).any(stands)
}

/// Whether a word of a parameter's name stands directly before its value in quotation marks: "name '20'" for `table_name`.
pub fn introduces(text: &str, name: &str, sent: &str) -> bool {
    let words = name_words(name);
    let is_word = |before: &str| {
        let last = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        last.len() > 2 && words.contains(&last.to_lowercase())
    };
    let is_introduced = |mark: &str| {
        let quoted = format!(" {mark}{sent}{mark}");
        text.match_indices(&quoted).any(|(at, _)| is_word(&text[..at]))
    };
    !sent.is_empty() && ["'", "\"", "`"].into_iter().any(is_introduced)
}

/// Whether a word of a name only says what kind of value it holds.
fn is_of_kind(word: &str) -> bool {
    words!("names/kind-of-value").contains(&word)
}

/// The words of a name without those at its end that only say what kind of value it holds; of several such words the first
/// stays.
fn telling_parts(parts: &[String]) -> &[String] {
    let end = parts.iter().rposition(|part| !is_of_kind(part)).unwrap_or_default();
    &parts[..parts.len().min(end + 1)]
}

/// A word that may be part of any message whatever is wrong, so that it names nothing.
fn is_of_any_message(way: &[String]) -> bool {
    let lists = [words!("messages/word-grammar"), words!("messages/word-nouns")];
    way.is_empty() || matches!(way, [word] if lists.iter().any(|list| list.contains(&word.as_str())))
}

/// The ways in which a message may write these words: each as it is or with a word of the same meaning, and the last one also in
/// the plural.
fn spoken(parts: &[String]) -> Vec<Vec<String>> {
    /// The plural of a shorter word may be another word: `i` and `is`.
    const SHORT: usize = 3;
    /// A longer name is looked for as it is: each of its words may have several others.
    const MANY: usize = 16;
    let mut ways: Vec<Vec<String>> = vec![Vec::new()];
    for part in parts {
        let alike = |class: &&&str| class.split('/').any(|word| word == part);
        let others = words!("names/alike").iter().filter(alike).flat_map(|class| class.split('/'));
        let others = others.filter(|word| *word != part && ways.len() <= MANY).map(str::to_owned);
        let words: Vec<String> = std::iter::once(part.clone()).chain(others).collect();
        ways = ways
            .iter()
            .flat_map(|way| words.iter().map(|word| [way.as_slice(), std::slice::from_ref(word)].concat()))
            .collect();
    }
    let plural = |way: &Vec<String>| {
        let (last, others) = way.split_last()?;
        let is_long = !others.is_empty() || last.len() >= SHORT;
        let last = match last.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{last}s"),
        };
        (is_long && !way.last()?.ends_with('s')).then(|| [others, &[last]].concat())
    };
    let plurals: Vec<Vec<String>> = ways.iter().filter_map(plural).collect();
    ways.extend(plurals);
    ways
}

/// Whether a name that is a word of any error message stands in the same sentence as what was sent in it, and near to that:
/// "the type 20 is not known", "20 is no code". A word of the language's grammar must begin a line, with the value and a colon
/// behind it: "to 20: want a string".
pub fn stands_beside(text: &str, name: &str, sent: &str) -> bool {
    /// Between the two stand fewer words than this.
    const NEAR: usize = 6;
    let name = name.to_lowercase();
    let sent: Vec<String> = sentences(sent).into_iter().flatten().collect();
    if sent.is_empty() || sent.contains(&name) {
        return false;
    }
    if words!("messages/word-grammar").contains(&name.as_str()) {
        let is_marked = |line: &str| {
            let quotes = |letter: char| !letter.is_alphanumeric() && letter != ':';
            let rest = line.trim_start_matches(quotes).strip_prefix(&name);
            let rest = rest.and_then(|rest| rest.trim_start_matches(quotes).strip_prefix(&sent.join(" ")));
            rest.is_some_and(|rest| rest.trim_start_matches(quotes).starts_with(':'))
        };
        return readings(text).iter().any(|text| text.to_lowercase().lines().any(is_marked));
    }
    if !words!("messages/word-nouns").contains(&name.as_str()) {
        return false;
    }
    let is_near = |words: Vec<String>| {
        let named = |word: &String| *word == name || word.strip_suffix('s') == Some(&name);
        let values: Vec<usize> = (0..words.len()).filter(|at| words[*at..].starts_with(&sent)).collect();
        let is_near = |at: usize| {
            values.iter().any(|start| {
                let end = start + sent.len();
                at < *start && start - at <= NEAR || at >= end && at - end < NEAR
            })
        };
        (0..words.len()).filter(|at| named(&words[*at])).any(is_near)
    };
    readings(text).iter().flat_map(|text| sentences(text)).any(is_near)
}

/// The words of each sentence of a text, in small letters; what a hyphen joins is one.
fn sentences(text: &str) -> Vec<Vec<String>> {
    let lower = text.to_lowercase();
    let sentences = lower.split('\n').flat_map(|line| line.split(". "));
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let words = |sentence: &str| {
        let words = sentence.split(|letter| !is_part(letter)).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    sentences.map(words).collect()
}

/// Whether these words stand one behind the other in a text in small letters.
fn holds(text: &str, parts: &[String]) -> bool {
    let Some((first, others)) = parts.split_first() else { return false };
    text.match_indices(first.as_str()).any(|(start, _)| {
        let mut after = &text[start + first.len()..];
        for part in others {
            let between = after.trim_start_matches([' ', '\n', '_', '-', '\u{a0}']);
            let Some(rest) = between.strip_prefix(part.as_str()).filter(|_| after.len() - between.len() <= 2)
            else {
                return false;
            };
            after = rest;
        }
        let (ours, theirs) = (first.chars().next(), parts.last().and_then(|part| part.chars().last()));
        !is_joined_before(&text[..start], ours) && !is_joined_after(after, theirs)
    })
}

/// Whether a character continues a name. A name in a script without spaces may end anywhere.
fn joins(ours: Option<char>, other: char) -> bool {
    other == '_' || ours.is_some_and(|ours| border::joins(ours, other) && !border::is_spaceless(ours))
}

fn is_joined_before(before: &str, ours: Option<char>) -> bool {
    let mut letters = before.chars().rev();
    let Some(last) = letters.next() else { return false };
    let beyond = letters.next().is_some_and(char::is_alphanumeric);
    // Part of a path or a compound; `--count` is neither.
    joins(ours, last) || matches!(last, '/' | '\\') || (matches!(last, '-' | '\'' | '\u{2019}') && beyond)
}

fn is_joined_after(after: &str, ours: Option<char>) -> bool {
    let mut letters = after.chars();
    let Some(next) = letters.next() else { return false };
    let rest = letters.as_str();
    let goes_on = rest.starts_with(char::is_alphanumeric);
    match next {
        '/' | '\\' | '@' => goes_on,
        '.' => goes_on && !rest.starts_with(|c: char| c.is_ascii_digit()),
        '-' => rest.starts_with(char::is_alphabetic) && !JOINED.iter().any(|word| rest.starts_with(word)),
        next => joins(ours, next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_many_words_that_have_others_is_read_in_few_ways() {
        let name = vec!["dir"; 200].join("_");
        assert!(stands_as_word(&format!("no {name}"), &name));
        assert!(spoken(&name_words(&name)).len() <= 256);
    }

    #[test]
    fn a_name_is_found_in_other_words_and_without_what_says_its_kind() {
        for (text, name) in [
            ("Project directory path is required", "projectDir"),
            ("Source session not found", "sourceSessionId"),
            ("Only SELECT queries are allowed", "query"),
            ("target channel", "to_channel"),
        ] {
            assert!(stands_as_word(text, name), "{name}: {text}");
        }
        for (text, name) in
            [("the session", "sourceSessionId"), ("to channel it", "id"), ("a directory", "projectDir")]
        {
            assert!(!stands_as_word(text, name), "{name}: {text}");
        }
        assert!(
            holds_noun("Item 7 is gone", "item_id", &[])
                && !holds_noun("None is not a string", "input_string", &[])
        );
    }
}
