//! Whether a text is in English, whose words the rules can read, or in another language.
//!
//! The main function is [`is_foreign`]. The words of other languages are data in `languages.toml`; other
//! scripts need none.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::words;
use crate::document::entries;

/// The words that identify one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the words for their reader"))]
    id: String,
    words: String,
}

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| entries(include_str!("languages.toml")));

static WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| LANGUAGES.iter().flat_map(|language| language.words.split_whitespace()).collect());

/// Whether a text is in another language than English. Quotations, echoes and names must be removed before, and
/// `is_name` recognises further names, in lower case. A few words without evidence could be in any language.
pub(super) fn is_foreign(text: &str, is_name: impl Fn(&str) -> bool) -> bool {
    /// Fewer words could be in any language.
    const ENOUGH: usize = 3;
    // "non-empty" is English.
    let lower = text.to_lowercase().replace("non-", " ");
    let parts = lower.split(|c: char| !(c.is_alphabetic() || matches!(c, '\'' | '\u{2019}')));
    let (mut count, mut english, mut shared, mut foreign) = (0_usize, 0_usize, 0_usize, 0_usize);
    let (mut latin, mut other) = (0_usize, 0_usize);
    for word in parts.map(|part| part.trim_matches(['\'', '\u{2019}'])).filter(|part| !part.is_empty()) {
        if is_name(word) {
            continue;
        }
        let of_other_script = word.chars().filter(|c| *c >= '\u{250}' && c.is_alphabetic()).count();
        other += of_other_script;
        latin += word.chars().count() - of_other_script;
        let is_english = words::is_empty(word) || words::is_of_an_error(word);
        // A single letter is not a word of an error.
        let is_word = word.chars().nth(1).is_some();
        let is_of_another = is_word && WORDS.contains(word) || of_french(word);
        count += usize::from(is_word);
        english += usize::from(is_english && !WORDS.contains(word));
        shared += usize::from(is_english && WORDS.contains(word));
        foreign += usize::from(!is_english && (is_of_another || word.chars().any(is_accented)));
    }
    let in_other_script = other > 1 && (other * 2 >= latin || english == 0);
    in_other_script || foreign > english || english + shared == 0 && count >= ENOUGH
}

/// "l'article", "n'existe": the word before the apostrophe has lost its vowel.
fn of_french(word: &str) -> bool {
    let elided = word.split_once(['\'', '\u{2019}']);
    elided.is_some_and(|(head, _)| ["l", "d", "n", "j", "qu", "c", "s", "m", "t"].contains(&head))
}

/// Whether a letter is Latin but not in the English alphabet.
fn is_accented(letter: char) -> bool {
    matches!(letter, '\u{c0}'..='\u{24f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_that_only_it_would_use() {
        for language in LANGUAGES.iter() {
            let own = language.words.split_whitespace().filter(|word| !words::is_empty(word));
            assert!(own.count() > 30, "{}", language.id);
        }
    }
}
