//! Quotes a reply with a part of it underlined, however long the reply is.

use std::ops::Range;

use crate::escape;
use crate::finding::Evidence;

/// If a line is cut, at most this many columns before the marked part are kept.
const BEFORE: usize = 32;

/// A line of at most so many columns is underlined unless all of it is meant.
const SHORT: usize = 24;

/// A line of the quotation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Quoted {
    /// A part of the reply, escaped.
    Text(String),
    /// The underline of the line before.
    Marks(String),
    /// A remark on what is left out.
    Remark(String),
}

/// Quotes a text around its span, in at most so many columns and lines; underlines are not counted.
pub(super) fn quote(evidence: &Evidence, columns: usize, most: usize) -> Vec<Quoted> {
    let text = evidence.text.as_str();
    if text.is_empty() {
        return vec![Quoted::Remark("(an empty text)".to_owned())];
    }
    let span = evidence.span.and_then(|(start, end)| without_blanks(text, start..end));
    let lines = lines(text);
    let shown = window(&lines, span.as_ref(), most);
    let mut quoted = Vec::new();
    if shown.start > 0 {
        quoted.push(omitted(shown.start, "above"));
    }
    for line in &lines[shown.clone()] {
        let marked = span.as_ref().and_then(|span| within(span, line));
        quote_line(&text[line.clone()], marked, columns, &mut quoted);
    }
    if shown.end < lines.len() {
        quoted.push(omitted(lines.len() - shown.end, "below"));
    }
    quoted
}

/// The span without the blanks and line ends around it, unless it is outside the text or not on character boundaries.
fn without_blanks(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let part = text.get(span.clone())?;
    let start = span.start + part.len() - part.trim_start().len();
    Some(match part.trim() {
        "" => span,
        kept => start..start + kept.len(),
    })
}

/// The ranges of the lines without their line ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let ranges = text.split('\n').map(|line| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    });
    let mut ranges: Vec<_> = ranges.collect();
    // An empty line after the last line end is not shown.
    if ranges.len() > 1 && ranges.last().is_some_and(Range::is_empty) {
        ranges.pop();
    }
    ranges
}

/// The lines to show: those of the span with one before and after, or the first ones.
fn window(lines: &[Range<usize>], span: Option<&Range<usize>>, most: usize) -> Range<usize> {
    let touched = |line: &Range<usize>| span.is_some_and(|span| within(span, line).is_some());
    let first = lines.iter().position(touched).unwrap_or(0);
    let last = lines.iter().rposition(touched).map_or(most - 1, |last| last + 1);
    let start = first.saturating_sub(1);
    start..(last + 1).min(start + most).min(lines.len())
}

/// The part of a span within a line, relative to the line's beginning; the line end counts as one position.
fn within(span: &Range<usize>, line: &Range<usize>) -> Option<Range<usize>> {
    let touches = span.start <= line.end && (span.end > line.start || span.start == line.start);
    touches
        .then(|| span.start.max(line.start) - line.start..span.end.clamp(line.start, line.end) - line.start)
}

fn omitted(lines: usize, place: &str) -> Quoted {
    let noun = if lines == 1 { "line" } else { "lines" };
    Quoted::Remark(format!("({lines} more {noun} {place})"))
}

/// Quotes one line, cut on both sides around the marked part.
fn quote_line(line: &str, marked: Option<Range<usize>>, most: usize, quoted: &mut Vec<Quoted>) {
    let from = marked.as_ref().map_or(0, |marked| cut_before(line, marked.start, most));
    let mut shown = String::new();
    let mut marks = String::new();
    let mut columns = 0;
    if from > 0 {
        shown.push('…');
        columns += 1;
    }
    for (count, (offset, char)) in line[from..].char_indices().enumerate() {
        let offset = from + offset;
        let width = escape::columns_of(char);
        if columns + width > most || count >= escape::most_characters(most) {
            shown.push('…');
            break;
        }
        if marked.as_ref().is_some_and(|marked| marked.contains(&offset)) {
            mark(&mut marks, columns, width);
        }
        escape::push(&mut shown, char);
        columns += width;
    }
    quoted.push(Quoted::Text(shown));
    // Where the whole line is meant, or nearly all of a long one, an underline says nothing.
    let is_most = columns > SHORT && marks.trim_start().len() * 4 > columns * 3;
    let is_whole =
        |marked: &Range<usize>| line.get(marked.clone()).is_some_and(|part| part.trim() == line.trim());
    if let Some(marked) = marked.filter(|marked| !is_most && !is_whole(marked)) {
        if marks.is_empty() {
            // A mark between two characters, or on a character without width, still needs one column.
            let before: usize = line[from..marked.start].chars().map(escape::columns_of).sum();
            mark(&mut marks, before + usize::from(from > 0), 1);
        }
        quoted.push(Quoted::Marks(marks));
    }
}

/// The position from which a line is shown, so that the marked part is visible.
fn cut_before(line: &str, marked: usize, most: usize) -> usize {
    let width: usize = line[..marked].chars().map(escape::columns_of).sum();
    if width <= most / 2 {
        return 0;
    }
    let mut kept = 0;
    let before = line[..marked].char_indices().rev().take_while(|(_, char)| {
        kept += escape::columns_of(*char);
        kept <= BEFORE
    });
    before.last().map_or(marked, |(offset, _)| offset)
}

fn mark(marks: &mut String, column: usize, width: usize) {
    while marks.len() < column {
        marks.push(' ');
    }
    marks.extend(std::iter::repeat_n('^', width));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, span: Option<(usize, usize)>, expected: &[&str]) {
        let evidence = Evidence { span, ..Evidence::whole(text) };
        let lines = quote(&evidence, 120, 8).into_iter().map(|quoted| match quoted {
            Quoted::Text(text) | Quoted::Marks(text) | Quoted::Remark(text) => text,
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_span_is_underlined_unless_it_is_the_whole_line() {
        check("[OOPS] it failed", Some((1, 5)), &["[OOPS] it failed", " ^^^^"]);
        check("ab\ncd\nef", Some((1, 4)), &["ab", " ^", "cd", "^", "ef"]);
        check("日本\u{1b}x", Some((3, 8)), &["日本\\u{1b}x", "  ^^^^^^^^^"]);
        check("it failed\nbadly", Some((0, 9)), &["it failed", "badly"]);
        check("Error: it failed because of that", Some((7, 32)), &["Error: it failed because of that"]);
        check("it failed:\n  at a\n", Some((10, 17)), &["it failed:", "  at a"]);
        // A place between characters has one mark.
        check("ab", Some((1, 1)), &["ab", " ^"]);
        check("ab", Some((2, 2)), &["ab", "  ^"]);
    }

    #[test]
    fn a_text_without_a_fitting_span_is_only_quoted() {
        check("it failed", None, &["it failed"]);
        check("", Some((0, 0)), &["(an empty text)"]);
        check("日", Some((1, 2)), &["日"]);
        check("ab", Some((1, 9)), &["ab"]);
    }

    #[test]
    fn lines_around_the_span_are_shown_and_the_others_counted() {
        let text = "one\ntwo\nthree\nfour\nfive\nsix";
        let start = text.find("four").expect("it stands there");
        let expected = ["(2 more lines above)", "three", "four", "^^", "five", "(1 more line below)"];
        check(text, Some((start, start + 2)), &expected);
    }

    #[test]
    fn a_long_line_is_cut_around_the_span() {
        let text = format!("{}HERE{}", "a".repeat(500), "b".repeat(500));
        let shown = format!("…{}HERE{}…", "a".repeat(32), "b".repeat(83));
        let marks = format!("{}^^^^", " ".repeat(33));
        check(&text, Some((500, 504)), &[&shown, &marks]);
    }
}
