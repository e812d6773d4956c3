//! Escapes a server's text for the place where it is shown.
//!
//! A reply may hold anything: sequences that recolour a terminal or rewrite its title, a carriage return that
//! hides the beginning of a line, bidirectional controls. They become visible escapes.

use std::borrow::Cow;
use std::io;

use unicode_width::UnicodeWidthChar as _;

/// Text as one harmless line: control characters including line breaks, and invisible or bidirectional
/// characters, are escaped.
pub fn line(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, char| {
        push(&mut shown, char);
        shown
    })
}

/// The text cut after this many columns, with `…` if something was cut.
pub fn line_within(text: &str, columns: usize) -> String {
    let mut shown = String::new();
    let mut width = 0;
    for (count, char) in text.chars().enumerate() {
        width += columns_of(char);
        if width > columns || count >= most_characters(columns) {
            shown.push('…');
            return shown;
        }
        push(&mut shown, char);
    }
    shown
}

/// Lines of which none begins with a workflow command, because CI runners execute these from standard output,
/// whoever wrote them.
pub fn no_workflow_command(lines: &str) -> String {
    let harmless = |line: &str| {
        let words = line.trim_start();
        let margin = &line[..line.len() - words.len()];
        match words.chars().next() {
            Some(sign) if words.starts_with("::") || words.starts_with("##[") => {
                format!("{margin}\\u{{{:x}}}{}", u32::from(sign), &words[1..])
            }
            _ => line.to_owned(),
        }
    };
    lines.split('\n').map(harmless).collect::<Vec<_>>().join("\n")
}

/// A JSON document without raw control characters. The serializer has escaped C0; DEL and C1 are legal in JSON
/// but interpreted by terminals, and do not occur outside of strings.
pub fn json(document: &str) -> Cow<'_, str> {
    let raw = |char: char| matches!(char, '\u{7f}'..='\u{9f}');
    if !document.contains(raw) {
        return Cow::Borrowed(document);
    }
    let shown = document.chars().fold(String::with_capacity(document.len()), |mut shown, char| {
        match raw(char) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(char))),
            false => shown.push(char),
        }
        shown
    });
    Cow::Owned(shown)
}

/// Writes a JSON document without raw control characters, like [`json`]. Every write must end between two characters.
pub struct JsonWriter<W>(pub W);

impl<W: io::Write> io::Write for JsonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_all(json(text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The number of columns of an escaped character.
pub fn columns_of(char: char) -> usize {
    if is_harmless(char) { char.width().unwrap_or(0) } else { escaped(char).len() }
}

/// The most characters that fit in this many columns: combining marks take no column, and a server may send a
/// million of them.
pub fn most_characters(columns: usize) -> usize {
    columns * 4
}

/// Adds a character, escaped if necessary.
pub fn push(shown: &mut String, char: char) {
    if is_harmless(char) {
        shown.push(char);
    } else {
        shown.push_str(&escaped(char));
    }
}

fn escaped(char: char) -> String {
    match char {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        other => format!("\\u{{{:x}}}", u32::from(other)),
    }
}

fn is_harmless(char: char) -> bool {
    let unseen = matches!(char,
        // Bidirectional marks, embeddings, overrides and isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Line and paragraph separators, at which some terminals break the line.
        | '\u{2028}' | '\u{2029}'
        // Characters without a shape: soft hyphens, zero-width spaces, shorthand and music controls, tags.
        | '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
        // The last two are not characters, and XML forbids them.
        | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}');
    !char.is_control() && !unseen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_becomes_visible_and_what_people_write_stays() {
        for (text, expected) in [
            ("a\u{1b}[31mred\u{7}\u{8}", "a\\u{1b}[31mred\\u{7}\\u{8}"),
            ("\u{9b}31m\u{85}", "\\u{9b}31m\\u{85}"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
            ("ab\u{202e}txt\u{2066}", "ab\\u{202e}txt\\u{2066}"),
            ("日本語 e\u{301} 👩\u{200d}🚀", "日本語 e\u{301} 👩\u{200d}🚀"),
        ] {
            assert_eq!(line(text), expected);
        }
    }

    #[test]
    fn a_cut_is_marked_and_counts_columns() {
        assert_eq!(line_within("日本語", 4), "日本…");
        assert_eq!(line_within("abc", 3), "abc");
        assert_eq!(line_within("a\u{1b}c", 3), "a…");
    }

    #[test]
    fn no_line_is_a_workflow_command() {
        assert_eq!(
            no_workflow_command("a ::b\n  ::error::x\n##[x]"),
            "a ::b\n  \\u{3a}:error::x\n\\u{23}#[x]"
        );
    }

    #[test]
    fn json_keeps_its_meaning_without_raw_controls() {
        let text = "\u{1b}\u{7f}\u{9b}31m";
        let document = serde_json::to_string(text).expect("a string serializes");
        let shown = json(&document);
        assert_eq!(shown, r#""\u001b\u007f\u009b31m""#);
        assert_eq!(serde_json::from_str::<String>(&shown).expect("it is still JSON"), text);
    }
}
