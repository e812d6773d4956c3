//! Recognises texts in other languages than English that say that the call failed.
//!
//! The main function is [`reported`]. The words are data in `failures.toml`: a short closed class for each
//! language. Only the first clause of a text is read, because the rest would need the language's grammar.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::document::entries;
use crate::wording::echo::FILL;

/// The maximum length of a statement in characters, not counting what the caller sent.
const SHORT: usize = 600;
/// The first clause must end within this many characters.
const CLAUSE: usize = 400;

/// What the words report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// The call failed.
    Failed,
    /// The requested thing does not exist.
    Absent,
}

/// The words of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the words for their reader"))]
    id: String,
    opens: Vec<String>,
    closes: Vec<String>,
    #[serde(default)]
    holds: Vec<String>,
    alone: Vec<String>,
    #[serde(default)]
    absent_opens: Vec<String>,
    absent_closes: Vec<String>,
    unless: Vec<String>,
    #[serde(default)]
    never_after: Vec<String>,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| entries(include_str!("failures.toml")));

/// Whether a text has any of the words at its beginning: a cheap first check.
pub(super) fn may_tell(text: &str) -> bool {
    static ANY: LazyLock<Regex> = LazyLock::new(|| {
        let words: Vec<String> =
            LANGUAGES.iter().flat_map(Language::words).map(|word| regex::escape(word)).collect();
        Regex::new(&words.join("|")).expect("the words are escaped")
    });
    let beginning: String = text.chars().take(CLAUSE + SHORT).map(small).collect();
    ANY.is_match(&beginning)
}

/// What a text reports about the call, and with which words. The caller's own words must be blanked.
pub(super) fn reported(text: &str) -> Option<(Says, Range<usize>)> {
    let is_sent = |letter: char| letter == char::from(FILL);
    if text.chars().filter(|letter| !is_sent(*letter)).count() > SHORT
        || text.trim_start().starts_with(['{', '"', '<', '\u{2705}', '\u{2713}', '\u{2714}'])
    {
        return None;
    }
    let clause = Clause::first(text)?;
    LANGUAGES.iter().find_map(|language| clause.reported(language))
}

/// Whether a word means failure for any call.
pub(super) fn says_failure(word: &str) -> bool {
    let word: String = word.chars().map(small).collect();
    let has = |words: &[String]| words.contains(&word);
    LANGUAGES.iter().any(|one| has(&one.opens) || has(&one.closes) || has(&one.holds) || has(&one.alone))
}

impl Language {
    fn words(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.opens, &self.closes, &self.holds, &self.alone];
        lists.into_iter().chain([&self.absent_opens, &self.absent_closes]).flatten()
    }
}

/// The first clause of a text.
struct Clause {
    /// Its letters in lower case with their offsets, without surrounding marks.
    letters: Vec<(usize, char)>,
    /// The end of the last letter.
    end: usize,
    /// Whether a colon follows, and then something other than a number.
    announces: bool,
    /// Whether only a number follows, so that it is a count.
    counts: bool,
    /// Whether the caller's words are in it or in the rest of its sentence.
    names: bool,
}

impl Clause {
    fn first(text: &str) -> Option<Self> {
        let is_mark = |letter: char| !letter.is_alphanumeric();
        let begin = text.find(|letter: char| letter.is_alphanumeric() || letter == char::from(FILL))?;
        let letters: Vec<(usize, char)> =
            text[begin..].char_indices().map(|(at, letter)| (begin + at, small(letter))).collect();
        let ends = (0..letters.len().min(CLAUSE)).find(|at| is_end(&letters, *at));
        let stop = ends.unwrap_or(letters.len());
        if stop > CLAUSE || ends.is_some_and(|at| matches!(letters[at].1, '?' | '\u{ff1f}')) {
            return None;
        }
        let rest = letters.get(stop).map_or("", |(at, letter)| &text[at + letter.len_utf8()..]);
        let line = rest.lines().next().unwrap_or_default().trim();
        let is_colon = letters.get(stop).is_some_and(|(_, letter)| ":\u{ff1a}]\u{3011}".contains(*letter));
        let counts = is_colon
            && line.starts_with(|letter: char| letter.is_ascii_digit())
            && line.chars().filter(|letter| letter.is_alphabetic()).count() <= 2;
        let kept = letters[..stop].iter().rposition(|(_, letter)| !is_mark(*letter)).map_or(0, |at| at + 1);
        let (last, letter) = *letters[..kept].last()?;
        let sentence = text[begin..].split(['\n', '\u{3002}']).next().unwrap_or_default();
        Some(Self {
            end: last + letter.len_utf8(),
            announces: is_colon && !rest.trim().is_empty() && !counts,
            counts,
            names: sentence.contains(char::from(FILL)),
            letters: letters[..kept].to_vec(),
        })
    }

    fn reported(&self, language: &Language) -> Option<(Says, Range<usize>)> {
        if language.unless.iter().any(|word| self.find(word).is_some()) {
            return None;
        }
        let absent = self.closes(&language.absent_closes, language).or_else(|| {
            let found = self.opens(&language.absent_opens)?;
            self.names.then_some(found)
        });
        if let Some(span) = absent {
            return Some((Says::Absent, span));
        }
        if self.counts {
            return None;
        }
        let failed = self.closes(&language.closes, language).or_else(|| self.opens(&language.opens));
        let failed = failed.or_else(|| language.holds.iter().find_map(|word| self.find(word)));
        let failed = failed.or_else(|| {
            let span = self.closes(&language.alone, language)?;
            (self.announces && span.start == self.letters[0].0).then_some(span)
        });
        failed.map(|span| (Says::Failed, span))
    }

    /// The longest of these words that it begins with.
    fn opens(&self, words: &[String]) -> Option<Range<usize>> {
        let begins = words.iter().filter_map(|word| self.word_at(0, word));
        begins.max_by_key(ExactSizeIterator::len)
    }

    /// The longest of these words that it ends with.
    fn closes(&self, words: &[String], language: &Language) -> Option<Range<usize>> {
        let at_end = |word: &String| {
            let start = self.letters.len().checked_sub(word.chars().count())?;
            let before: String = self.letters[..start].iter().map(|(_, letter)| *letter).collect();
            let is_digit = |letter: char| letter.is_ascii_digit();
            let counts =
                before.ends_with(is_digit) || before.trim_end().trim_end_matches(is_digit).is_empty();
            let never = |word: &String| before.trim_end().ends_with(word.as_str());
            let follows = start > 0 && counts || language.never_after.iter().any(never);
            self.word_at(start, word).filter(|_| !follows)
        };
        words.iter().filter_map(at_end).max_by_key(ExactSizeIterator::len)
    }

    fn find(&self, word: &str) -> Option<Range<usize>> {
        (0..self.letters.len()).find_map(|at| self.word_at(at, word))
    }

    /// The range of the word, if it is at this position. In scripts without spaces between words no word
    /// boundary is required.
    fn word_at(&self, at: usize, word: &str) -> Option<Range<usize>> {
        let wanted = word.chars();
        let count = wanted.clone().count();
        let here = self.letters.get(at..at + count)?;
        if !here.iter().map(|(_, letter)| *letter).eq(wanted) {
            return None;
        }
        let letter = |at: usize| self.letters.get(at).map(|(_, letter)| *letter);
        let spelt =
            |letter: Option<char>| letter.filter(|letter| letter.is_alphabetic() && *letter < '\u{530}');
        let is_torn =
            |inner: Option<char>, outer: Option<char>| spelt(inner).is_some() && spelt(outer).is_some();
        let before = at.checked_sub(1).and_then(letter);
        if is_torn(letter(at), before) || is_torn(letter(at + count - 1), letter(at + count)) {
            return None;
        }
        let end = self.letters.get(at + count).map_or(self.end, |(end, _)| *end);
        Some(here[0].0..end)
    }
}

/// A letter in lower case, mapped one to one.
fn small(letter: char) -> char {
    match letter {
        '\u{2019}' => '\'',
        '\u{a0}' | '\u{202f}' => ' ',
        _ => letter.to_lowercase().next().unwrap_or(letter),
    }
}

/// Whether a clause ends at this character.
fn is_end(letters: &[(usize, char)], at: usize) -> bool {
    let after = letters.get(at + 1).map(|(_, letter)| *letter);
    let before = at.checked_sub(1).map(|at| letters[at].1);
    let is_set_off = after.is_none_or(char::is_whitespace);
    match letters[at].1 {
        '\n' | '(' | ']' | '\u{2013}' | '\u{2014}' => true,
        '\u{ff08}' | '\u{ff1a}' | '\u{ff0c}' | '\u{3002}' | '\u{ff01}' | '\u{ff1b}' | '\u{ff1f}'
        | '\u{3011}' => true,
        // Not within a path, a number or a name.
        ':' | ',' | ';' | '!' | '?' | '.' => is_set_off || before.is_some_and(|letter| !letter.is_ascii()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_of_each_kind_in_small_letters() {
        for language in LANGUAGES.iter() {
            assert!(language.opens.len() + language.closes.len() > 5, "{}", language.id);
            assert!(!language.alone.is_empty() && !language.absent_closes.is_empty(), "{}", language.id);
            for word in language.words() {
                assert_eq!(*word, word.to_lowercase(), "{}", language.id);
            }
        }
        assert!(says_failure("Fehler beim") && !says_failure("nicht gefunden"));
    }
}
