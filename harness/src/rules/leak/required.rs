//! What a text must hold for an expression to match at all: a handful of plain strings, of which one is there.
//!
//! The main function is [`required`]. It errs on the safe side: where nothing can be said, nothing is required.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// More strings than this are no help: they would be met everywhere.
const MOST: usize = 160;

/// Strings in lower case, one of which every match of the expression holds, compared without case; none where nothing
/// is required, or only what is too short to tell anything.
pub(super) fn required(regex: &str) -> Option<Vec<String>> {
    let hir = ParserBuilder::new().unicode(false).utf8(false).build().parse(regex).ok()?;
    let found = parts(&hir);
    let exact = found.exact.filter(|strings| worth(strings) > 0);
    better(exact, found.inner).filter(|strings| worth(strings) > 0)
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
    let plain = bytes.iter().all(|byte| byte.is_ascii() && *byte != crate::wording::echo::FILL);
    plain.then(|| bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect())
}

fn of_class(class: &Class) -> Option<Vec<String>> {
    let Class::Bytes(class) = class else { return None };
    let mut bytes: Vec<u8> = Vec::new();
    for range in class.ranges() {
        if usize::from(range.end() - range.start()) > 8 {
            return None;
        }
        bytes.extend(range.start()..=range.end());
    }
    let mut strings: Vec<String> = bytes.iter().map(|byte| text(&[*byte])).collect::<Option<_>>()?;
    strings.sort();
    strings.dedup();
    (strings.len() <= 8).then_some(strings)
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
            run = next;
            continue;
        }
        whole = false;
        best = better(best, run.take());
        run = part.exact.clone().or_else(|| Some(vec![String::new()]));
        best = better(best, part.strings());
    }
    if whole {
        return Parts { exact: run, inner: None };
    }
    Parts { exact: None, inner: better(best, run) }
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

/// How seldom one of these strings is met by chance: above all by the length of the shortest.
fn worth(strings: &[String]) -> usize {
    let shortest = strings.iter().map(String::len).min().unwrap_or_default();
    // One or two characters stand in every text.
    if shortest < 3 { 0 } else { shortest.min(12) * 1_000 - strings.len().min(999) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(regex: &str, expected: &[&str]) {
        let mut found = required(regex).unwrap_or_default();
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
        check("a*(?:bcd)+e", &["bcd"]);
    }

    #[test]
    fn where_nothing_certain_is_long_enough_nothing_is_required() {
        check(r"\w+: \d+", &[]);
        check("abcdef|[a-z]+", &[]);
        check("\\x1abc", &[]);
    }
}
