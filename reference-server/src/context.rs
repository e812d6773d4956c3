//! What stands in a file around the places that a failure is about, for the contracts that show it.
//!
//! The main type is [`Context`]. It is the file's own text, byte for byte and without line numbers; how it is shown is
//! the business of `contract`.

/// How many lines are shown around one place.
const WINDOW: usize = 12;
/// How many places are shown.
const PLACES: usize = 5;
/// How much of the file's text is shown in all, in bytes: a reply is read by a model that pays for every word.
const TEXT: usize = 6 * 1024;

/// Parts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// Where there is no place to show: the file's beginning.
    pub beginning: Option<String>,
    /// The places, in the file's order.
    pub spots: Vec<Spot>,
    /// How many more there are.
    pub more: usize,
}

/// One place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// From 1.
    pub line: usize,
    /// The lines around it.
    pub snippet: String,
}

impl Context {
    /// The first lines of a file.
    pub fn beginning(text: &str) -> Self {
        Self { beginning: Some(window(text, 0, TEXT)), spots: Vec::new(), more: 0 }
    }

    /// Every place where a text begins, five at most.
    pub fn places_of(sought: &str, text: &str) -> Self {
        let starts: Vec<usize> = text.match_indices(sought).map(|(start, _)| start).collect();
        let shown = starts.iter().take(PLACES).map(|start| {
            let line = text[..*start].matches('\n').count();
            Spot { line: line + 1, snippet: window(text, line, TEXT / PLACES) }
        });
        Self { beginning: None, spots: shown.collect(), more: starts.len().saturating_sub(PLACES) }
    }
}

/// The lines around one of them, by its number from 0; whole lines, as many as fit.
fn window(text: &str, line: usize, bytes: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last_first = lines.len().saturating_sub(WINDOW);
    let first = line.saturating_sub(WINDOW / 2).min(last_first);
    let mut first = first;
    let mut end = (first + WINDOW).min(lines.len());
    let size = |first: usize, end: usize| lines[first..end].iter().map(|line| line.len()).sum::<usize>();
    while size(first, end) > bytes && end - first > 1 {
        if end - 1 > line { end -= 1 } else { first += 1 }
    }
    let shown = lines[first..end].concat();
    let cut = (0..=bytes.min(shown.len())).rev().find(|at| shown.is_char_boundary(*at)).unwrap_or_default();
    shown[..cut].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: usize) -> String {
        (1..=lines).map(|number| format!("line {number}\n")).collect()
    }

    #[test]
    fn a_window_holds_twelve_lines_and_fewer_where_the_file_ends() {
        for (lines, line, expected) in [(100, 50, 12), (100, 0, 12), (100, 99, 12), (5, 2, 5), (1, 0, 1)] {
            let text = numbered(lines);
            let shown = window(&text, line, TEXT);
            assert_eq!(shown.lines().count(), expected, "line {line} of {lines}");
            assert!(text.contains(&shown) && shown.contains(&format!("line {}\n", line + 1)), "{shown}");
        }
    }

    #[test]
    fn five_places_are_shown_with_their_lines_and_the_rest_is_counted() {
        let context = Context::places_of("line", &numbered(200));
        let lines: Vec<usize> = context.spots.iter().map(|spot| spot.line).collect();
        assert_eq!((lines, context.more), (vec![1, 2, 3, 4, 5], 195));
    }

    #[test]
    fn long_lines_do_not_make_it_long() {
        let text = format!("{}\n", "ä".repeat(5000)).repeat(200);
        let context = Context::places_of("ää", &text);
        let size: usize = context.spots.iter().map(|spot| spot.snippet.len()).sum();
        assert!(size <= TEXT, "{size}");
        assert!(context.spots.iter().all(|spot| text.contains(&spot.snippet)));
    }
}
