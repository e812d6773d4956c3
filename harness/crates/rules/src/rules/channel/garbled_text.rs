//! `channel/garbled-text`: a reply repeats a text of the call with other characters.

use std::ops::Range;

use regex::Regex;

use crate::finding::{Diagnostic, Evidence};
use crate::json::texts;
use crate::rules::{Context, Rule};
use crate::wording::passages;

/// A76: what a reply repeats of the call.
pub(crate) static RULE: Rule =
    Rule::of_reply("channel/garbled-text", include_str!("garbled_text.toml"), check);

/// What decoders put in the place of bytes that they cannot read.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
/// A text with fewer letters beyond ASCII may look garbled by chance.
const LETTERS: usize = 3;
/// At most this many ASCII characters after the last of them are compared.
const AFTER: usize = 8;
/// A text that is cut within a character is recognised by this many characters before the cut.
const BEFORE_CUT: usize = 8;
/// A text with more characters is recognised at a cut alone.
const LONG: usize = 200;

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let sent: Vec<&str> = texts(context.arguments()).filter(|text| !text.is_ascii()).collect();
    // Arguments that are no object were sent as raw JSON, which may contain half a character.
    let is_whole = context.arguments().is_object() && sent.iter().all(|text| !text.contains(REPLACEMENT));
    if !is_whole {
        return Vec::new();
    }
    let sent: Vec<&str> = sent.into_iter().filter(|text| has_letters(text)).collect();
    let passages = context.texts().into_iter().flat_map(passages);
    let found = passages.into_iter().find_map(|passage| {
        let span = sent.iter().find_map(|sent| garbled(sent, &passage.text))?;
        Some((passage.text.into_owned(), span))
    });
    let Some((text, span)) = found else { return Vec::new() };
    let message = format!("`{}` repeats a text of the call with other characters", context.called());
    let help = "Use UTF-8 on the whole way: standard input and output, files, other programs, databases. Cut a text only between \
        characters.";
    vec![Diagnostic::new(message, help).evidence(Evidence::marked(text, span))]
}

/// Whether a text has several letters or emoji beyond ASCII, and nothing else beyond it, such as what directs or hides text:
/// a server may well replace that.
fn has_letters(text: &str) -> bool {
    let is_mark = |letter: char| ('\u{300}'..='\u{36f}').contains(&letter);
    let is_emoji = |letter: char| ('\u{1f300}'..='\u{1faff}').contains(&letter);
    let mut letters = text.chars().filter(|letter| !letter.is_ascii());
    letters.clone().count() >= LETTERS
        && letters.all(|letter| letter.is_alphabetic() || is_mark(letter) || is_emoji(letter))
}

/// Where a reply repeats a text that was sent, but garbled.
fn garbled(sent: &str, reply: &str) -> Option<Range<usize>> {
    let short = (sent.chars().count() <= LONG).then_some(sent);
    short.and_then(|sent| misread(sent, reply).or_else(|| replaced(sent, reply))).or_else(|| cut(sent, reply))
}

/// The bytes of letters, each read as a character of Latin-1: `Ã©` for `é`.
fn misread(sent: &str, reply: &str) -> Option<Range<usize>> {
    // Windows-1252 has the same characters from 0xa0 on.
    let is_same = |letter: &char| letter.to_string().bytes().all(|byte| byte >= 0xa0);
    let start = sent.find(|letter: char| is_same(&letter))?;
    let letters: String = sent[start..].chars().take_while(is_same).collect();
    let misread: String = letters.bytes().map(char::from).collect();
    let at = (letters.chars().count() > 1).then(|| reply.find(&misread))??;
    Some(at..at + misread.len())
}

/// A mark in the place of letters: `\u{fffd}`, or `?` where ASCII letters of the text are around it.
fn replaced(sent: &str, reply: &str) -> Option<Range<usize>> {
    let start = sent.find(|letter: char| !letter.is_ascii())?;
    let end = sent.rfind(|letter: char| !letter.is_ascii())?;
    let last = sent[end..].chars().next().map_or(0, char::len_utf8);
    let after: String = sent[end + last..].chars().take(AFTER).collect();
    let whole = format!("{}{after}", &sent[start..end + last]);
    let ascii = whole.chars().filter(char::is_ascii_alphanumeric).count();
    let marks = if ascii > 1 { format!("[?{REPLACEMENT}]") } else { REPLACEMENT.to_string() };
    let of_letter = |letter: char| {
        let own = regex::escape(&letter.to_string());
        // As many as the letter has bytes.
        if letter.is_ascii() { own } else { format!("(?:{own}|{marks}{{1,4}})") }
    };
    let garbled = whole.chars().map(of_letter).collect::<String>();
    let garbled = Regex::new(&garbled).ok()?;
    let mut matches = garbled.find_iter(reply);
    // Marks alone may stand for any text.
    let is_garbled = |text: &str| text != whole && text.chars().any(|letter| letter != REPLACEMENT);
    matches.find(|found| is_garbled(found.as_str())).map(|found| found.range())
}

/// `\u{fffd}` where the text was cut within a character.
fn cut(sent: &str, reply: &str) -> Option<Range<usize>> {
    let at = reply.find(REPLACEMENT)?;
    let start = reply[..at].char_indices().rev().nth(BEFORE_CUT - 1)?.0;
    sent.contains(&reply[start..at]).then(|| at..at + REPLACEMENT.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was sent, a reply, and the part of it that is garbled.
    #[derive(serde::Deserialize)]
    struct Case {
        sent: String,
        reply: String,
        garbled: Option<String>,
    }

    #[test]
    fn letters_that_were_misread_or_replaced_are_found_and_others_are_not() {
        for line in include_str!("garbled_text.jsonl").lines() {
            let Case { sent, reply, garbled: expected } =
                serde_json::from_str(line).expect("a line is a case");
            let found = Some(&sent).filter(|sent| has_letters(sent)).and_then(|sent| garbled(sent, &reply));
            assert_eq!(found.map(|span| &reply[span]), expected.as_deref(), "{line}");
        }
    }
}
