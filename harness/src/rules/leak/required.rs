//! What a text must hold for an expression to match at all: a handful of plain strings, of which one is there.
//!
//! The main function is [`required`]. It errs on the safe side: where nothing can be said, nothing is required.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Dot, Hir, HirKind, Look};

use crate::wording::echo::FILL;

/// More strings than this are no help: they would be met everywhere.
const MOST: usize = 160;

/// A class of more bytes than this, capitals and small letters taken together, tells nothing: `\w` is just within.
const MOST_OF_CLASS: usize = 40;

/// Strings in lower case, one of which every match of the expression holds, compared without case; none where nothing
/// is required, or only what is too common to tell anything.
pub(super) fn required(hir: &Hir) -> Option<Vec<String>> {
    parts(hir).strings().filter(|strings| worth(strings) > 0)
}

/// The bytes with one of which every match of the expression ends; none where it may end in an echo, or where nothing
/// can be said.
pub(super) fn last_bytes(hir: &Hir) -> Option<Vec<u8>> {
    last(hir)
}

/// Whether no match of the expression holds a line's end or depends on where the text begins and ends: then each line
/// can be searched by itself.
pub(super) fn keeps_to_a_line(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Literal(literal) => !literal.0.contains(&b'\n'),
        HirKind::Class(Class::Bytes(class)) => {
            !class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&b'\n'))
        }
        HirKind::Class(Class::Unicode(_)) => false,
        HirKind::Look(look) => !matches!(look, Look::Start | Look::End),
        HirKind::Repetition(repetition) => keeps_to_a_line(&repetition.sub),
        HirKind::Capture(capture) => keeps_to_a_line(&capture.sub),
        HirKind::Alternation(parts) | HirKind::Concat(parts) => parts.iter().all(keeps_to_a_line),
    }
}

/// What an expression is made of; one that does not parse requires nothing, and a test forbids it.
pub(super) fn parsed(regex: &str) -> Hir {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(regex);
    parsed.unwrap_or_else(|_| Hir::dot(Dot::AnyByte))
}

fn last(hir: &Hir) -> Option<Vec<u8>> {
    let bytes = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => return None,
        HirKind::Literal(literal) => literal.0.last().copied().into_iter().collect(),
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect()
        }
        HirKind::Class(Class::Unicode(_)) => return None,
        HirKind::Capture(capture) => last(&capture.sub)?,
        HirKind::Repetition(repetition) if repetition.min > 0 => last(&repetition.sub)?,
        HirKind::Repetition(_) => return None,
        HirKind::Alternation(choices) => {
            choices.iter().map(last).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        HirKind::Concat(row) => last(row.last()?)?,
    };
    (!bytes.contains(&FILL)).then_some(bytes)
}

/// What is known of one part of an expression.
struct Parts {
    /// Every string that it matches, where these are few.
    exact: Option<Vec<String>>,
    /// Strings, one of which it holds.
    inner: Option<Vec<String>>,
}

impl Parts {
    fn exact(strings: Vec<String>) -> Self {
        Self { exact: Some(strings), inner: None }
    }

    fn unknown() -> Self {
        Self { exact: None, inner: None }
    }

    fn strings(self) -> Option<Vec<String>> {
        better(self.exact, self.inner)
    }
}

fn parts(hir: &Hir) -> Parts {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Parts::exact(vec![String::new()]),
        HirKind::Literal(literal) => {
            text(&literal.0).map_or_else(Parts::unknown, |text| Parts::exact(vec![text]))
        }
        HirKind::Class(class) => of_class(class).map_or_else(Parts::unknown, Parts::exact),
        HirKind::Capture(capture) => parts(&capture.sub),
        HirKind::Repetition(repetition) => {
            let sub = parts(&repetition.sub);
            match (repetition.min, repetition.max, sub.exact) {
                (1, Some(1), exact) => Parts { exact, inner: sub.inner },
                (0, Some(1), Some(mut exact)) => {
                    exact.push(String::new());
                    Parts::exact(exact)
                }
                (0, ..) => Parts::unknown(),
                (_, _, exact) => Parts { exact: None, inner: better(exact, sub.inner) },
            }
        }
        HirKind::Alternation(choices) => of_choices(choices),
        HirKind::Concat(row) => of_row(row),
    }
}

/// Plain ASCII in lower case; what stands for an echo is no text.
fn text(bytes: &[u8]) -> Option<String> {
    let plain = bytes.iter().all(|byte| byte.is_ascii() && *byte != FILL);
    plain.then(|| bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect())
}

fn of_class(class: &Class) -> Option<Vec<String>> {
    let Class::Bytes(class) = class else { return None };
    let mut bytes: Vec<u8> = Vec::new();
    for range in class.ranges() {
        if usize::from(range.end() - range.start()) > MOST_OF_CLASS {
            return None;
        }
        bytes.extend(range.start()..=range.end());
    }
    let mut strings: Vec<String> = bytes.iter().map(|byte| text(&[*byte])).collect::<Option<_>>()?;
    strings.sort();
    strings.dedup();
    (strings.len() <= MOST_OF_CLASS).then_some(strings)
}

fn of_choices(choices: &[Hir]) -> Parts {
    let (mut exact, mut inner) = (Some(Vec::new()), Some(Vec::new()));
    for choice in choices {
        let Parts { exact: one_exact, inner: one_inner } = parts(choice);
        exact = exact.zip(one_exact.clone()).map(|(mut all, one)| {
            all.extend(one);
            all
        });
        inner = inner.zip(better(one_exact, one_inner)).map(|(mut all, one)| {
            all.extend(one);
            all
        });
    }
    let few = |strings: &Vec<String>| strings.len() <= MOST;
    Parts { exact: exact.filter(few), inner: inner.filter(few) }
}

fn of_row(row: &[Hir]) -> Parts {
    let mut best: Option<Vec<String>> = None;
    let mut run = Some(vec![String::new()]);
    let mut whole = true;
    for hir in row {
        let part = parts(hir);
        let next = run.as_ref().zip(part.exact.as_ref()).and_then(|(run, exact)| crossed(run, exact));
        if next.is_some() {
            best = better(best, run.take());
            run = next;
            continue;
        }
        whole = false;
        best = better(best, run.clone());
        // What repeats begins and ends with a round of its own.
        let round = round(hir);
        let begun = run.take().zip(round.as_ref()).and_then(|(run, round)| crossed(&run, round));
        best = better(best, begun);
        run = part.exact.clone().or(round).or_else(|| Some(vec![String::new()]));
        best = better(best, part.strings());
    }
    if whole {
        return Parts { exact: run, inner: best };
    }
    Parts { exact: None, inner: better(best, run) }
}

/// Every string that one round of a repetition matches, where there is a round and these are few.
fn round(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            parts(&repetition.sub).exact.filter(|strings| strings.len() <= 10)
        }
        _ => None,
    }
}

fn crossed(heads: &[String], tails: &[String]) -> Option<Vec<String>> {
    (heads.len() * tails.len() <= MOST).then(|| {
        heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect()
    })
}

fn better(left: Option<Vec<String>>, right: Option<Vec<String>>) -> Option<Vec<String>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if worth(&right) > worth(&left) { right } else { left }),
        (left, right) => left.or(right),
    }
}

/// How seldom one of these strings is met by chance: above all by the commonest of them.
fn worth(strings: &[String]) -> usize {
    /// What is commoner than this stands in every text.
    const COMMON: usize = 5;
    /// What is rarer than this is met in no clean text: then fewer strings are worth more.
    const RARE: usize = 10;
    let rarity = |text: &String| text.bytes().map(rarity).sum::<usize>();
    match strings.iter().map(rarity).min().unwrap_or_default() {
        least if least < COMMON => 0,
        least if least <= RARE => (10 * least).saturating_sub(strings.len() / 3).max(1),
        least => (10 * RARE + 3 * (least - RARE).min(60)).saturating_sub(strings.len()).max(1),
    }
}

/// How seldom a byte is met in messages, prose and listings.
pub(super) fn rarity(byte: u8) -> usize {
    match byte {
        b' ' | b'.' | b',' | b':' | b'-' | b'/' => 1,
        b'q' | b'x' | b'z' => 3,
        b'a'..=b'z' | b'0'..=b'9' | b'_' => 2,
        b'\'' | b'"' | b'`' | b'\n' | b'\t' => 3,
        b'(' | b')' => 4,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(regex: &str, expected: &[&str]) {
        let mut found = required(&parsed(regex)).unwrap_or_default();
        found.sort();
        assert_eq!(found, expected, "{regex}");
    }

    #[test]
    fn a_plain_text_is_required_whole_and_in_lower_case() {
        check(r"\(os Error \d+\)", &["(os error "]);
        check("(?i)Broken Pipe", &["broken pipe"]);
    }

    #[test]
    fn of_a_choice_one_is_required_and_what_is_optional_is_not() {
        check("(?:open|stat)file [^:]+: x", &["openfile ", "statfile "]);
        check("(?:thread )?panicked", &["panicked", "thread panicked"]);
        check("a*(?:bcd)+e", &["bcde"]);
    }

    #[test]
    fn a_rare_byte_with_its_neighbours_is_enough() {
        check("#<[A-C]", &["#<a", "#<b", "#<c"]);
        check(r"\w+ => \w+", &[" => "]);
        check(r"[A-Z]\w+\{", &["{"]);
    }

    #[test]
    fn the_bytes_that_end_a_match_are_known_unless_it_may_end_in_an_echo() {
        assert_eq!(last_bytes(&parsed(r"'\w+'|x[ab]+")), Some(b"'ab".to_vec()));
        assert_eq!(last_bytes(&parsed(r"'[^ ]")), None);
        assert_eq!(last_bytes(&parsed("a?")), None);
    }

    #[test]
    fn where_nothing_certain_is_long_enough_nothing_is_required() {
        check(r"\w+: \d+", &[]);
        check("abcdef|[a-z]+", &[]);
        check("\\x1abc", &[]);
    }
}
