//! Draws texts that match a schema's `pattern`.
//!
//! The main type is [`Sampler`]. Letters are taken from ASCII if possible. The result is checked by the
//! schema's validator, which reads expressions like JavaScript.

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::rng::Rng;

/// Longer expressions are not read.
const LONG: usize = 2_000;
/// An unbounded repetition is drawn at most this many times more than required.
const MORE: u32 = 4;
/// Texts do not grow longer than this.
const DRAWN: usize = 4_096;

/// An expression prepared for drawing.
#[derive(Debug)]
pub(super) struct Sampler {
    hir: Hir,
    regex: Regex,
}

impl Sampler {
    /// Parses an expression; `None` if it is invalid or too expensive.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        if pattern.len() > LONG {
            return None;
        }
        let hir = ParserBuilder::new().nest_limit(50).build().parse(pattern).ok()?;
        let regex = RegexBuilder::new(pattern).size_limit(1 << 20).build().ok()?;
        Some(Self { hir, regex })
    }

    /// A text that matches in most cases.
    pub(super) fn draw(&self, rng: &mut Rng) -> String {
        let mut text = String::new();
        draw(&self.hir, rng, &mut text);
        text
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

fn draw(hir: &Hir, rng: &mut Rng, text: &mut String) {
    if text.len() > DRAWN {
        return;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(class) => text.extend(letter(class, rng)),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.map_or(MORE, |most| (most - repetition.min).min(MORE));
            let count = repetition.min + rng.below(most as usize + 1) as u32;
            for _ in 0..count {
                if text.len() > DRAWN {
                    return;
                }
                draw(&repetition.sub, rng, text);
            }
        }
        HirKind::Capture(capture) => draw(&capture.sub, rng, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| draw(part, rng, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = rng.pick(parts) {
                draw(part, rng, text);
            }
        }
    }
}

/// A character of a class: a readable ASCII one if possible.
fn letter(class: &Class, rng: &mut Rng) -> Option<char> {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
        Class::Bytes(class) => {
            class.ranges().iter().map(|range| (range.start().into(), range.end().into())).collect()
        }
    };
    let within = |least: u32, most: u32| -> Vec<(u32, u32)> {
        ranges
            .iter()
            .map(|(start, end)| ((*start).max(least), (*end).min(most)))
            .filter(|(start, end)| start <= end)
            .collect()
    };
    let readable = within(0x21, 0x7e);
    let (start, end) = *rng.pick(if readable.is_empty() { &ranges } else { &readable })?;
    let drawn = start + rng.below((end - start) as usize + 1) as u32;
    char::from_u32(drawn).or_else(|| char::from_u32(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_matches() {
        let mut rng = Rng::seeded(1);
        for pattern in [
            r"^[A-Z]{2}-\d{3,}$",
            r"^(a|bc)+x?$",
            r"^\p{Greek}$",
            r"^#\/[a-f0-9]{6}$",
            r"never",
            r"^[^a]$",
            r"^$",
        ] {
            let sampler = Sampler::parse(pattern).unwrap();
            for _ in 0..50 {
                let text = sampler.draw(&mut rng);
                assert!(sampler.matches(&text), "{pattern}: {text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_or_has_no_end_is_not_drawn() {
        assert!(Sampler::parse("(?=a)b").is_none());
        assert!(Sampler::parse("(a{1000}){1000}").is_none());
        let long = Sampler::parse("a{900}").unwrap().draw(&mut Rng::seeded(1));
        assert_eq!(long.len(), 900);
    }
}
