//! `message/control-character`: a message contains characters that control a terminal or hide words.

use std::ops::Range;

use serde_json::Value;

use crate::finding::{Diagnostic, Evidence, Level};
use crate::json::texts;
use crate::roles::Role;
use crate::rules::{Context, Rule, leak};
use crate::wording::echo::FILL;

/// A57: which characters a message must not contain.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/control-character", include_str!("control_character.toml"), check);

/// The effect of a character, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Escapes,
    Reverses,
    Hides,
    Controls,
    Unseen,
}

impl Effect {
    fn of(letter: char) -> Option<Self> {
        match letter {
            '\u{1b}' | '\u{9b}' | '\u{9d}' => Some(Self::Escapes),
            '\t' | '\n' | '\r' => None,
            // The byte that stands for an echo.
            letter if letter == char::from(FILL) => None,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Self::Reverses),
            '\u{e0001}'..='\u{e007f}' => Some(Self::Hides),
            letter if letter.is_control() => Some(Self::Controls),
            '\u{200b}' | '\u{2060}' | '\u{ad}' | '\u{feff}' => Some(Self::Unseen),
            _ => None,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Escapes => "an escape sequence, which steers a terminal",
            Self::Reverses => "a character that changes the direction of writing",
            Self::Hides => "letters that nobody sees, which a model reads",
            Self::Controls => "a control character",
            Self::Unseen => "a character that nobody sees",
        }
    }
}

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|_| !context.plays(Role::Shell)) else { return Vec::new() };
    // The message of a JSON object without JSON escapes, and every text as it was received.
    let texts = std::iter::once(error.message()).chain(context.texts());
    let suspects = texts.filter(|text| first(text).is_some());
    let found = suspects.filter_map(|text| {
        let blank = context.echo().blank_in_leak(&leak::sent_besides(context), text);
        // A character that the caller sent may come back without its value: "no such digit: ..".
        first(&without_letters(&blank, &context.exchange.call.arguments))
            .map(|(effect, span)| (effect, span, text))
    });
    let Some((effect, span, text)) = found.min_by_key(|(effect, ..)| *effect) else { return Vec::new() };
    let letter = text[span.clone()].chars().next().map_or(0, u32::from);
    let message = format!("the error message contains {} (U+{letter:04X})", effect.in_words());
    let help = match letter {
        0x1b => "Switch colours off where the text comes from, and escape what is not the server's own.",
        0x80..=0x9f => {
            "Read what comes from elsewhere as UTF-8: read byte by byte, letters become such characters."
        }
        _ => "Escape what is not the server's own.",
    };
    let diagnostic = Diagnostic::new(message, help).evidence(Evidence::marked(text, span));
    vec![if effect == Effect::Unseen { diagnostic.level(Level::Note) } else { diagnostic }]
}

/// The text with each control character that the call contains replaced by a filler of the same length.
fn without_letters(text: &str, arguments: &Value) -> String {
    let sent: Vec<&str> = texts(arguments).collect();
    let is_sent = |letter| Effect::of(letter).is_some() && sent.iter().any(|text| text.contains(letter));
    let filled = text.chars().map(|letter| match is_sent(letter) {
        true => char::from(FILL).to_string().repeat(letter.len_utf8()),
        false => letter.to_string(),
    });
    filled.collect()
}

/// The gravest character of a text; the first of several.
fn first(text: &str) -> Option<(Effect, Range<usize>)> {
    // Most texts are ASCII without control characters except line ends.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return None;
    }
    let steering = text.char_indices().filter_map(|(start, letter)| {
        let effect = Effect::of(letter)?;
        let is_used = match effect {
            // Region flags consist of tag characters after a black flag; a byte-order mark begins a file.
            Effect::Hides => is_flag(&text[..start]),
            Effect::Unseen => letter == '\u{feff}' && start == 0,
            _ => false,
        };
        (!is_used).then_some((effect, start..start + letter.len_utf8()))
    });
    steering.min_by_key(|(effect, _)| *effect)
}

/// Whether the tag characters at the end of a text, if any, follow a black flag.
fn is_flag(before: &str) -> bool {
    before.trim_end_matches(|letter| Effect::of(letter) == Some(Effect::Hides)).ends_with('\u{1f3f4}')
}
