//! A pending text beside the accepted one, with the differing words marked.

use maud::{Markup, html};

use crate::finding::PendingText;
use crate::report::diff::{Run, runs};

/// Both texts, the accepted one first.
pub(super) fn show(pending: &PendingText) -> Markup {
    html! {
        div.pair {
            p { "Snapshot " code { (pending.snapshot) } }
            @match &pending.accepted {
                None => {
                    figure { figcaption { "New, not accepted yet" } pre { (pending.seen) } }
                },
                Some(accepted) => {
                    @let (before, after) = (words(accepted), words(&pending.seen));
                    @let runs = runs(&before, &after);
                    figure { figcaption { "Accepted" } pre { (old(&runs)) } }
                    figure { figcaption { "New" } pre { (new(&runs)) } }
                },
            }
        }
    }
}

/// The accepted text with the words marked that the new one lacks.
fn old(runs: &[Run<'_>]) -> Markup {
    html! {
        @for run in runs.iter().filter(|run| !run.before.is_empty()) {
            @if run.is_kept { (run.before.concat()) } @else { del { (run.before.concat()) } }
        }
    }
}

/// The new text with the words marked that the accepted one lacks.
fn new(runs: &[Run<'_>]) -> Markup {
    html! {
        @for run in runs.iter().filter(|run| !run.after.is_empty()) {
            @if run.is_kept { (run.after.concat()) } @else { ins { (run.after.concat()) } }
        }
    }
}

/// The words, runs of white space and single signs of a text; joined they are the text.
fn words(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        letter if letter.is_alphanumeric() => 0,
        letter if letter.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let goes_on = letters.peek().is_some_and(|(_, next)| kind(*next) == kind(letter) && kind(letter) < 2);
        if !goes_on {
            words.push(&text[start..end]);
            start = end;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accepted: &str, seen: &str, expected: [&str; 2]) {
        let (before, after) = (words(accepted), words(seen));
        let runs = runs(&before, &after);
        assert_eq!([old(&runs), new(&runs)].map(Markup::into_string), expected);
    }

    #[test]
    fn words_that_only_one_text_has_are_marked() {
        check(
            "code: A\n\n<value> was not found",
            "code: A\n\n<value> is not here",
            [
                "code: A\n\n&lt;value&gt; <del>was</del> not <del>found</del>",
                "code: A\n\n&lt;value&gt; <ins>is</ins> not <ins>here</ins>",
            ],
        );
    }

    #[test]
    fn a_text_that_goes_on_is_marked_at_its_end() {
        check("It failed.", "It failed. List it.", ["It failed.", "It failed.<ins> List it.</ins>"]);
        check("", "new", ["", "<ins>new</ins>"]);
    }
}
