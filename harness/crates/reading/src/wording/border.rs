//! Where words end, also next to other scripts and in the quotation marks of any language.

/// Whether two adjacent characters belong to one word. A letter of a script that is written without spaces, or
/// that attaches particles to foreign words, ends a Latin word.
pub(super) fn joins(ours: char, other: char) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    is_part(ours) && is_part(other) && is_spaceless(ours) == is_spaceless(other)
}

/// Whether a letter belongs to a script without spaces between words, or without spaces before particles.
pub(super) fn is_spaceless(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{1dff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..)
}

/// Whether the inner text is only part of a longer word.
pub(super) fn is_torn(before: &str, inner: &str, after: &str) -> bool {
    let meets = |left: Option<char>, right: Option<char>| left.zip(right).is_some_and(|(l, r)| joins(l, r));
    meets(before.chars().next_back(), inner.chars().next())
        || meets(inner.chars().next_back(), after.chars().next())
}

/// Opening quotation marks.
const OPEN: [char; 13] = [
    '\'', '"', '`', '\u{2018}', '\u{201c}', '\u{201e}', '\u{201a}', '\u{ab}', '\u{bb}', '\u{300c}',
    '\u{300e}', '\u{300a}', '\u{2039}',
];
/// Closing quotation marks; some of them are opening marks in other languages.
const CLOSE: [char; 13] = [
    '\'', '"', '`', '\u{2019}', '\u{201d}', '\u{201c}', '\u{2018}', '\u{bb}', '\u{ab}', '\u{300d}',
    '\u{300f}', '\u{300b}', '\u{203a}',
];
/// Spaces that French puts between the mark and the quotation.
const INNER: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

/// Whether a text ends with an opening quotation mark.
pub(super) fn opens_quotation(before: &str) -> bool {
    let spaced = before.strip_suffix(INNER).is_some_and(|text| text.ends_with('\u{ab}'));
    before.ends_with(OPEN) || spaced
}

/// Whether a text begins with a closing quotation mark.
pub(super) fn closes_quotation(after: &str) -> bool {
    let spaced = after.strip_prefix(INNER).is_some_and(|text| text.starts_with('\u{bb}'));
    after.starts_with(CLOSE) || spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latin_word_ends_beside_a_letter_of_a_script_without_spaces() {
        for (before, inner, after) in [
            ("\u{53c2}\u{6570}", "mode", "\u{7684}"),
            ("", "sofa-9", "\u{b97c}"),
            ("\u{7b2c}", "2", "\u{9879}"),
            ("no ", "mode", ""),
            ("(", "mode", ")"),
        ] {
            assert!(!is_torn(before, inner, after), "{before}{inner}{after}");
        }
        for (before, inner, after) in [
            ("com", "mode", ""),
            ("", "mode", "l"),
            ("\u{e9}", "mode", ""),
            ("", "mode", "_x"),
            ("\u{53c2}", "\u{6570}", ""),
        ] {
            assert!(is_torn(before, inner, after), "{before}{inner}{after}");
        }
    }

    #[test]
    fn a_quotation_has_the_marks_of_its_language() {
        for text in
            ["'x'", "\u{201e}x\u{201c}", "\u{ab} x \u{bb}", "\u{bb}x\u{ab}", "\u{300c}x\u{300d}", "`x`"]
        {
            let (before, after) = text.split_once('x').expect("it is there");
            assert!(opens_quotation(before) && closes_quotation(after), "{text}");
        }
        for text in [" x ", "(x)", "x"] {
            let (before, after) = text.split_once('x').expect("it is there");
            assert!(!opens_quotation(before) && !closes_quotation(after), "{text}");
        }
    }
}
