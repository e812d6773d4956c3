//! What language decides: a text in which none of the words of an English error stands is not judged by its words.

use std::sync::LazyLock;

use regex::Regex;

use super::Asked;
use super::view::View;
use crate::expression::expression;
use crate::wording::words;

/// Whether only the grammar of an unknown language would tell what a text says.
pub(super) fn is_foreign(view: &View<'_>, asked: &Asked<'_>) -> bool {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r#"["`][^"`\n]*["`]|\x{201c}[^\x{201d}\n]*\x{201d}|\x{ab}[^\x{bb}\n]*\x{bb}|\x{300c}[^\x{300d}\n]*\x{300d}"#,
            r"|[^\s]*[\x1a_/\\.@:][^\s]+",
        ))
    });
    /// Fewer words may be of any language.
    const ENOUGH: usize = 3;
    let text = NAMES.replace_all(&view.echoed, " ");
    let is_latin = |c: char| c < '\u{250}';
    let (latin, other) = text
        .chars()
        .filter(|c| c.is_alphabetic())
        .fold((0, 0), |(latin, other), c| if is_latin(c) { (latin + 1, other) } else { (latin, other + 1) });
    if other > 1 && other * 2 >= latin {
        return true;
    }
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphabetic() || c == '\'')).map(|word| word.trim_matches('\''));
    let known = |word: &str| {
        asked.parameters.iter().any(|name| name.eq_ignore_ascii_case(word))
            || asked.tool.eq_ignore_ascii_case(word)
    };
    let mut count = 0;
    for word in words.filter(|word| word.chars().nth(1).is_some() && !known(word)) {
        if words::is_empty(word) || words::is_of_an_error(word) {
            return false;
        }
        count += 1;
    }
    count >= ENOUGH
}
