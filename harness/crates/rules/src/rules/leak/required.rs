//! The plain strings of which a text must contain one for an expression to match.
//!
//! The main function is [`required`]. If nothing is certain, nothing is required.

use std::cell::OnceCell;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Dot, Hir, HirKind, Look};

use crate::wording::echo::FILL;

use super::needle::Needle;
use super::rarity::{is_everywhere, worth};

/// With more strings than this a requirement does not help, because every text would contain one.
const MOST: usize = 160;

/// A class of at most this many bytes is split into single bytes, however common they are.
const FEW: usize = 10;
/// A class of more bytes than this, counting both cases of letters, says nothing.
const MOST_OF_CLASS: usize = 80;

/// Strings of which every match of the expression contains one; `None` if nothing is required, or only what is
/// too common to help.
pub(super) fn required(hir: &Hir) -> Option<Vec<Needle>> {
    parts(hir).strings().filter(|strings| strings.rank().0 > 0.0).map(|strings| strings.needles)
}

/// The bytes with which a match of the expression can end; `None` if it may end in an echo, or if nothing is
/// certain.
pub(super) fn last_bytes(hir: &Hir) -> Option<Vec<u8>> {
    last(hir)
}

/// Whether no match of the expression contains a line end or depends on the ends of the text: then each line
/// can be searched by itself.
pub(super) fn keeps_to_a_line(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Literal(literal) => !literal.0.contains(&b'\n'),
        HirKind::Class(class) => bytes_of(class).is_some_and(|bytes| !bytes.contains(&b'\n')),
        HirKind::Look(look) => !matches!(look, Look::Start | Look::End),
        HirKind::Repetition(repetition) => keeps_to_a_line(&repetition.sub),
        HirKind::Capture(capture) => keeps_to_a_line(&capture.sub),
        HirKind::Alternation(parts) | HirKind::Concat(parts) => parts.iter().all(keeps_to_a_line),
    }
}

/// The parsed expression. One that does not parse requires nothing; a test forbids such expressions.
pub(super) fn parsed(regex: &str) -> Hir {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(regex);
    parsed.unwrap_or_else(|_| Hir::dot(Dot::AnyByte))
}

fn last(hir: &Hir) -> Option<Vec<u8>> {
    let bytes = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => return None,
        HirKind::Literal(literal) => literal.0.last().copied().into_iter().collect(),
        HirKind::Class(class) => bytes_of(class)?,
        HirKind::Capture(capture) => last(&capture.sub)?,
        HirKind::Repetition(repetition) if repetition.min > 0 => last(&repetition.sub)?,
        HirKind::Repetition(_) => return None,
        HirKind::Alternation(choices) => {
            choices.iter().map(last).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        HirKind::Concat(row) => last_of_row(row)?,
    };
    (!bytes.contains(&FILL)).then_some(bytes)
}

/// The bytes of a class; `None` if it contains other characters than single bytes.
fn bytes_of(class: &Class) -> Option<Vec<u8>> {
    let class = match class {
        Class::Bytes(class) => class.clone(),
        // A choice of single letters becomes one of these classes.
        Class::Unicode(class) => class.to_byte_class()?,
    };
    Some(class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect())
}

/// The bytes with which a match of a sequence can end; `None` if it may be empty.
fn last_of_row(row: &[Hir]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for hir in row.iter().rev() {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Repetition(repetition) if repetition.min == 0 => bytes.extend(last(&repetition.sub)?),
            _ => {
                bytes.extend(last(hir)?);
                return Some(bytes);
            }
        }
    }
    None
}

/// What is known about a part of an expression.
struct Parts {
    /// Every string that it matches, if these are few.
    exact: Option<Vec<Needle>>,
    /// Strings of which every match contains one.
    inner: Option<Strings>,
}

/// Strings, with how useful it is to search for them.
struct Strings {
    needles: Vec<Needle>,
    rank: OnceCell<(f64, Option<usize>)>,
}

impl Strings {
    fn new(needles: Vec<Needle>) -> Self {
        Self { needles, rank: OnceCell::new() }
    }

    /// What the strings are worth, then how long the shortest is. It is compared often and takes long to find out.
    fn rank(&self) -> (f64, Option<usize>) {
        let least = || self.needles.iter().map(|needle| needle.bytes().len()).min();
        *self.rank.get_or_init(|| (worth(&self.needles), least()))
    }
}

impl Parts {
    fn exact(strings: Vec<Needle>) -> Self {
        Self { exact: Some(strings), inner: None }
    }

    fn unknown() -> Self {
        Self { exact: None, inner: None }
    }

    fn strings(self) -> Option<Strings> {
        better(self.exact.map(Strings::new), self.inner)
    }
}

fn parts(hir: &Hir) -> Parts {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Parts::exact(vec![Needle::default()]),
        HirKind::Literal(literal) => {
            plain(&literal.0).map_or_else(Parts::unknown, |needle| Parts::exact(vec![needle]))
        }
        HirKind::Class(class) => of_class(class).map_or_else(Parts::unknown, Parts::exact),
        HirKind::Capture(capture) => parts(&capture.sub),
        HirKind::Repetition(repetition) => {
            let sub = parts(&repetition.sub);
            match (repetition.min, repetition.max, sub.exact) {
                (1, Some(1), exact) => Parts { exact, inner: sub.inner },
                (0, Some(1), Some(mut exact)) => {
                    exact.push(Needle::default());
                    Parts::exact(exact)
                }
                (0, ..) => Parts::unknown(),
                (_, _, exact) => Parts { exact: None, inner: better(exact.map(Strings::new), sub.inner) },
            }
        }
        HirKind::Alternation(choices) => of_choices(choices),
        HirKind::Concat(row) => of_row(row),
    }
}

/// A needle for plain ASCII; the byte for an echo is not text.
fn plain(bytes: &[u8]) -> Option<Needle> {
    Needle::exact(bytes).filter(|_| !bytes.contains(&FILL))
}

fn of_class(class: &Class) -> Option<Vec<Needle>> {
    let bytes = bytes_of(class)?;
    if bytes.len() > MOST_OF_CLASS {
        return None;
    }
    let has_both =
        |byte: u8| bytes.contains(&byte.to_ascii_lowercase()) && bytes.contains(&byte.to_ascii_uppercase());
    let mut reported = Vec::new();
    let mut needles = Vec::new();
    for byte in &bytes {
        let is_capital = byte.is_ascii_uppercase();
        let in_either = byte.is_ascii_alphabetic() && has_both(*byte);
        if is_capital && in_either {
            continue;
        }
        reported.push(*byte);
        needles.push(if in_either { Needle::either_case(*byte) } else { plain(&[*byte])? });
    }
    (needles.len() <= FEW || !is_everywhere(&reported)).then_some(needles)
}

fn of_choices(choices: &[Hir]) -> Parts {
    let (mut exact, mut inner) = (Some(Vec::new()), Some(Vec::<Needle>::new()));
    for choice in choices {
        let Parts { exact: one_exact, inner: one_inner } = parts(choice);
        exact = exact.zip(one_exact.clone()).map(|(mut all, one)| {
            all.extend(one);
            all
        });
        inner = inner.zip(better(one_exact.map(Strings::new), one_inner)).map(|(mut all, one)| {
            all.extend(one.needles);
            all
        });
    }
    let few = |strings: &Vec<Needle>| strings.len() <= MOST;
    Parts { exact: exact.filter(few), inner: inner.filter(few).map(Strings::new) }
}

fn of_row(row: &[Hir]) -> Parts {
    let mut best: Option<Strings> = None;
    let mut run = Some(vec![Needle::default()]);
    let mut whole = true;
    for (at, hir) in row.iter().enumerate() {
        let part = parts(hir);
        let next = run.as_ref().zip(part.exact.as_ref()).and_then(|(run, exact)| crossed(run, exact));
        if next.is_some() {
            best = better(best, run.take().map(Strings::new));
            run = next;
            continue;
        }
        whole = false;
        best = better(best, run.clone().map(Strings::new));
        // A repetition begins and ends with one round of what is repeated.
        let round = round(hir);
        let begun = run.take().zip(round.as_ref()).and_then(|(run, round)| crossed(&run, round));
        best = better(best, begun.map(Strings::new));
        run = part.exact.clone().or(round).or_else(|| {
            let behind = last_of_row(&row[..=at]).map(|bytes| Needle::behind(&bytes));
            Some(vec![behind.unwrap_or_default()])
        });
        best = better(best, part.strings());
    }
    if whole {
        return Parts { exact: run, inner: best };
    }
    Parts { exact: None, inner: better(best, run.map(Strings::new)) }
}

/// Every string that one round of a repetition matches, if at least one round is required and these are few.
fn round(hir: &Hir) -> Option<Vec<Needle>> {
    match hir.kind() {
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            parts(&repetition.sub).exact.filter(|strings| strings.len() <= 10)
        }
        _ => None,
    }
}

fn crossed(heads: &[Needle], tails: &[Needle]) -> Option<Vec<Needle>> {
    (heads.len() * tails.len() <= MOST)
        .then(|| heads.iter().flat_map(|head| tails.iter().map(move |tail| head.and(tail))).collect())
}

/// The alternative that is worth more, or else the longer one.
fn better(left: Option<Strings>, right: Option<Strings>) -> Option<Strings> {
    match (left, right) {
        (Some(left), Some(right)) => Some(if right.rank() > left.rank() { right } else { left }),
        (left, right) => left.or(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rules::leak::needle::EITHER_CASE;

    /// The needle as text; a letter in either case is shown as a capital after `~`.
    fn shown(needle: &Needle) -> String {
        let letter = |byte: &u8| match byte & EITHER_CASE {
            0 => char::from(*byte).to_string(),
            _ => format!("~{}", char::from((byte & !EITHER_CASE).to_ascii_uppercase())),
        };
        needle.bytes().iter().map(letter).collect()
    }

    /// An expression, and the strings of which each match has one.
    #[derive(serde::Deserialize)]
    struct Case {
        why: String,
        regex: String,
        needles: Vec<String>,
    }

    #[test]
    fn each_expression_requires_the_strings_of_its_line() {
        for line in include_str!("required.jsonl").lines() {
            let Case { why, regex, needles } = serde_json::from_str(line).expect("a line is a case");
            let mut found: Vec<String> =
                required(&parsed(&regex)).unwrap_or_default().iter().map(shown).collect();
            found.sort();
            assert_eq!(found, needles, "{why}: {regex}");
        }
    }

    #[test]
    fn an_expression_keeps_to_a_line_where_it_knows_of_no_end() {
        for (regex, keeps) in [
            (r"\bab[^\n]+(?:c|d)?", true),
            ("", true),
            ("a\n", false),
            ("[^a]", false),
            (r"(?:a|(b\s))", false),
            (r"a\z", false),
            (r"\Aa", false),
            ("(?m)^a$", true),
        ] {
            assert_eq!(keeps_to_a_line(&parsed(regex)), keeps, "{regex}");
        }
    }

    #[test]
    fn what_stands_right_before_a_string_is_required_with_it() {
        let is_met = |regex: &str, text: &str| {
            let found = required(&parsed(regex)).unwrap_or_default();
            (0..text.len())
                .any(|start| found.iter().any(|needle| needle.end(text.as_bytes(), start).is_some()))
        };
        for (regex, yes, no) in [
            (r"[A-Z]\w*\{", "a{", " {"),
            (r"\w+\b(?: ?\(\))?\{", "a(){", "-(){"),
            (r"(?:x|y)z?\{", "y{", "a{"),
        ] {
            assert!(is_met(regex, yes) && !is_met(regex, no), "{regex}");
        }
        // What the caller sent may stand there, or nothing.
        assert!(is_met(r"[^ ]\{", " {") && is_met(r"\w*\{", " {"));
    }

    #[test]
    fn the_bytes_that_end_a_match_are_known_unless_it_may_end_in_an_echo() {
        assert_eq!(last_bytes(&parsed(r"'\w+'|x[ab]+")), Some(b"'ab".to_vec()));
        assert_eq!(last_bytes(&parsed(r"'[^ ]")), None);
        assert_eq!(last_bytes(&parsed("a?")), None);
        assert_eq!(last_bytes(&parsed("ab?c*")), Some(b"cba".to_vec()));
        assert_eq!(last_bytes(&parsed(r"ab\b")), Some(b"b".to_vec()));
    }
}
