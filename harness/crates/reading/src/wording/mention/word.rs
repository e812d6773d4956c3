//! Whether a parameter's name stands in a text as a word, or as words, of its own.
//!
//! The main function is [`stands_as_word`]. The name need not be marked: `count 0 is out of range` names
//! `count`.

use crate::wording::border;
use crate::wording::escape::readings;

/// Names that are words of the language's grammar: these must be marked as a parameter.
const GRAMMAR: [&str; 19] = [
    "a", "an", "and", "as", "at", "be", "by", "for", "i", "in", "is", "it", "no", "not", "of", "on", "or",
    "the", "to",
];

/// Names that are words of any error message, whatever was wrong: these must be marked as a parameter, or stand beside what
/// was sent in it.
const NOUNS: [&str; 19] = [
    "argument",
    "arguments",
    "call",
    "code",
    "error",
    "errors",
    "input",
    "message",
    "method",
    "parameter",
    "parameters",
    "params",
    "request",
    "response",
    "result",
    "server",
    "tool",
    "type",
    "value",
];

/// Words that may be joined to a parameter's name by a hyphen.
const JOINED: [&str; 7] = ["argument", "field", "option", "param", "property", "value", "wert"];

/// Whether a name stands in a text as a whole word, in any case; one of several parts also with spaces, hyphens
/// or nothing between them.
pub fn stands_as_word(text: &str, name: &str) -> bool {
    let parts = parts(name);
    let is_anywhere = |parts: &[String]| matches!(parts, [word] if GRAMMAR.contains(&word.as_str()) || NOUNS.contains(&word.as_str()));
    if parts.is_empty() || is_anywhere(&parts) {
        return false;
    }
    let other = in_the_plural(&parts).filter(|other| !is_anywhere(other));
    readings(text)
        .iter()
        .any(|text| holds(text, &parts) || other.as_ref().is_some_and(|other| holds(text, other)))
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
    if GRAMMAR.contains(&name.as_str()) {
        let is_marked = |line: &str| {
            let quotes = |letter: char| !letter.is_alphanumeric() && letter != ':';
            let rest = line.trim_start_matches(quotes).strip_prefix(&name);
            let rest = rest.and_then(|rest| rest.trim_start_matches(quotes).strip_prefix(&sent.join(" ")));
            rest.is_some_and(|rest| rest.trim_start_matches(quotes).starts_with(':'))
        };
        return readings(text).iter().any(|text| text.to_lowercase().lines().any(is_marked));
    }
    if !NOUNS.contains(&name.as_str()) {
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

/// These words with the last one in the plural.
fn in_the_plural(parts: &[String]) -> Option<Vec<String>> {
    /// The plural of a shorter word may be another word: `i` and `is`.
    const SHORT: usize = 3;
    let (last, others) = parts.split_last()?;
    (!last.ends_with('s') && (!others.is_empty() || last.len() >= SHORT))
        .then(|| others.iter().cloned().chain([format!("{last}s")]).collect())
}

/// The words of a name, in lower case: `max_results`, `max-results` and `maxResults` have two.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (was_lower && letter.is_uppercase()) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(part) = parts.last_mut().filter(|_| letter.is_alphanumeric()) {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn holds(text: &str, parts: &[String]) -> bool {
    let text = text.to_lowercase();
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

    fn check(name: &str, texts: &[&str], expected: bool) {
        for text in texts {
            assert_eq!(stands_as_word(text, name), expected, "{name} in {text}");
        }
    }

    #[test]
    fn an_ordinary_word_that_stands_by_itself_names_its_parameter() {
        check(
            "count",
            &[
                "count 0 is out of range. Use a whole number from 1 to 20.",
                "Expected 1 <= count <= 20, found 0",
                "0 is no count; use 1 to 20",
                "Count out of range: 0",
                "COUNT=0 is below 1",
                "the count, 0, is too small",
                "want 1..20 (count), got 0",
                "count>=1 was expected",
                "--count must be 1 to 20",
                "Der count-Wert 0 ist zu klein",
                "la valeur 0 de count est hors limites",
                "{\"error\":\"bad\\ncount 0\"}",
                "count: 0",
                "a count\nof 0 cannot be taken",
                "0 (count) < 1",
            ],
            true,
        );
        check(
            "mode",
            &[
                "There is no such mode as 20 (fast|slow)",
                "unknown mode 20",
                "I know the modes fast and slow; mode 20 is neither",
                "\u{53c2}\u{6570} mode \u{7684}\u{503c} 20 \u{65e0}\u{6548}",
                "\u{53c2}\u{6570}mode\u{7684}\u{503c}20\u{65e0}\u{6548}",
                "mode\u{c758} \u{ac12} 20",
                "20\u{306f}mode\u{3067}\u{306f}\u{306a}\u{3044}",
                "\u{43d}\u{435}\u{438}\u{437}\u{432}\u{435}\u{441}\u{442}\u{43d}\u{44b}\u{439} mode 20",
                "Mode '20'? Use fast or slow",
                "the mode-option 20 is unknown",
            ],
            true,
        );
        check("day", &["day 20 is no date. Write it as YYYY-MM-DD", "20 names no day", "Day? 20?"], true);
        check("name", &["Name cannot be blank", "a name of no letters", "give it a name!"], true);
        check(
            "item",
            &["No item 'x' here", "item x is not among: a, b", "Unknown item \u{201c}x\u{201d}"],
            true,
        );
        check("\u{6570}\u{91cf}", &["\u{65e0}\u{6548}\u{7684}\u{6570}\u{91cf}\u{503c}"], true);
    }

    #[test]
    fn a_name_of_several_parts_is_named_by_its_words() {
        let texts = [
            "max results must be 1 to 20",
            "maxResults 0",
            "Max Results: 0",
            "max-results was 0",
            "MAX_RESULTS 0",
            "the maxresults 0",
            "too small: max_results",
        ];
        for name in ["max_results", "maxResults", "max-results"] {
            check(name, &texts, true);
            check(name, &["max of results", "results max", "max", "climax results", "max resultset"], false);
        }
        check("userID", &["user id 7 is unknown", "userId", "user_id"], true);
    }

    #[test]
    fn the_plural_of_a_name_names_it_and_the_singular_of_one_in_the_plural_does_not() {
        check("count", &["counts must be small"], true);
        check("mode", &["modes: fast, slow"], true);
        check("tags", &["the second tag is a number"], false);
        check("max_results", &["max result is 20"], false);
        check("address", &["the addres is wrong"], false);
        check("id", &["the ids are wrong"], false);
        check("task_id", &["Task ids begin with a letter"], true);
        check("is", &["i am"], false);
    }

    #[test]
    fn a_part_of_another_word_a_path_or_a_compound_names_nothing() {
        check(
            "count",
            &[
                "0 is out of range",
                "the account is unknown",
                "countdown 0",
                "recount 0",
                "row_count 0",
                "see /srv/count",
                "see count.js",
                "a head-count of 0",
                "count_of 0",
                "discount",
                "a count-down of 0",
            ],
            false,
        );
        check("mode", &["model 20 is unknown", "\u{e9}mode 20", "a commode", "modem"], false);
        check("day", &["today is fine", "give YYYY-MM-DD", "Monday"], false);
        check("name", &["username", "re-name it", "file_name", "rename"], false);
        check("item", &["itemised", "an itemid"], false);
    }

    #[test]
    fn a_word_of_any_message_is_a_name_beside_what_was_sent_in_it() {
        for (name, sent, text) in [
            ("type", "20", "The type 20 is not allowed; allowed are fast and slow."),
            ("type", "20", "20 is not a type. Known: fast, slow"),
            ("code", "20", "Use fast or slow for code, not 20."),
            ("code", "20", "No code called '20'; there are fast and slow"),
            ("value", "20", "expected a value (fast or slow), found 20"),
            ("method", "20", "20 isn't one of the methods fast and slow"),
            ("message", "no-such text", "I don't know the message no-such text - try fast"),
            ("type", "null", "the type was null"),
            ("to", "20", "to 20: want a string, got an integer"),
            ("to", "20", "there are faults:\n- to '20': a text is wanted"),
        ] {
            assert!(stands_beside(text, name, sent), "{text}");
        }
        for (name, sent, text) in [
            ("type", "20", "it is of the wrong type. Use a number up to 20"),
            ("type", "20", "the type is not known"),
            ("type", "2", "the type 20 is not known"),
            ("error", "20", "an error came of it, since the call that was made sent only 20"),
            ("mode", "20", "mode 20"),
            ("no", "20", "no 20"),
            ("to", "20", "to 20 others it went"),
            ("type", "type", "the type type is not known"),
        ] {
            assert!(!stands_beside(text, name, sent), "{text}");
        }
    }

    #[test]
    fn a_word_of_any_message_is_no_name() {
        for (name, text) in [
            ("input", "bad input"),
            ("value", "the value 3 is wrong"),
            ("type", "of the wrong type"),
            ("tool", "the tool failed"),
            ("a", "a file is missing"),
            ("to", "unable to send"),
            ("", "anything"),
            ("_", "_"),
        ] {
            check(name, &[text], false);
        }
    }
}
