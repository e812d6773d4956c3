//! A pending text beside the accepted one, with the differing words marked.

use maud::{Markup, html};

use crate::finding::PendingText;

/// With more pairs of words than this, the longest common subsequence is not computed, and the whole text is
/// marked.
const PAIRS: usize = 250_000;

/// Whether a word or a line occurs in both texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Shared {
    Yes,
    No,
}

/// The element that marks a word that the other text lacks.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Removed,
    Added,
}

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
                    @let (in_before, in_after) = compare(&before, &after);
                    figure { figcaption { "Accepted" } pre { (marked(&before, &in_before, Mark::Removed)) } }
                    figure { figcaption { "New" } pre { (marked(&after, &in_after, Mark::Added)) } }
                },
            }
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

/// For each word or line of both texts, whether it is in the longest common subsequence.
pub(in crate::report) fn compare(before: &[&str], after: &[&str]) -> (Vec<Shared>, Vec<Shared>) {
    let head = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (rest, other_rest) = (&before[head..], &after[head..]);
    let tail = rest.iter().rev().zip(other_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (middle, other_middle) = (&rest[..rest.len() - tail], &other_rest[..other_rest.len() - tail]);
    let mut in_before = vec![Shared::Yes; before.len()];
    let mut in_after = vec![Shared::Yes; after.len()];
    in_before[head..head + middle.len()].fill(Shared::No);
    in_after[head..head + other_middle.len()].fill(Shared::No);
    if middle.len().saturating_mul(other_middle.len()) <= PAIRS {
        for (one, other) in common(middle, other_middle) {
            in_before[head + one] = Shared::Yes;
            in_after[head + other] = Shared::Yes;
        }
    }
    (in_before, in_after)
}

/// The longest common subsequence, as pairs of positions.
fn common(before: &[&str], after: &[&str]) -> Vec<(usize, usize)> {
    let width = after.len() + 1;
    // The length of the longest common subsequence from each pair of positions on.
    let mut lengths = vec![0_u32; (before.len() + 1) * width];
    for one in (0..before.len()).rev() {
        for other in (0..after.len()).rev() {
            lengths[one * width + other] = match before[one] == after[other] {
                true => lengths[(one + 1) * width + other + 1] + 1,
                false => lengths[(one + 1) * width + other].max(lengths[one * width + other + 1]),
            };
        }
    }
    let (mut one, mut other, mut row) = (0, 0, Vec::new());
    while one < before.len() && other < after.len() {
        if before[one] == after[other] {
            row.push((one, other));
            one += 1;
            other += 1;
        } else if lengths[(one + 1) * width + other] >= lengths[one * width + other + 1] {
            one += 1;
        } else {
            other += 1;
        }
    }
    row
}

/// The text with the words that the other one lacks in this element.
fn marked(words: &[&str], shared: &[Shared], mark: Mark) -> Markup {
    let runs = shared.chunk_by(|one, other| one == other).scan(0, |at, run| {
        let from = *at;
        *at += run.len();
        Some((run[0], words[from..*at].concat()))
    });
    html! {
        @for (shared, text) in runs {
            @match (shared, mark) {
                (Shared::Yes, _) => { (text) },
                (Shared::No, Mark::Removed) => { del { (text) } },
                (Shared::No, Mark::Added) => { ins { (text) } },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accepted: &str, seen: &str, expected: [&str; 2]) {
        let (before, after) = (words(accepted), words(seen));
        let (in_before, in_after) = compare(&before, &after);
        let shown = [marked(&before, &in_before, Mark::Removed), marked(&after, &in_after, Mark::Added)];
        assert_eq!(shown.map(Markup::into_string), expected);
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

    #[test]
    fn long_texts_are_compared_in_bounded_time() {
        let (accepted, seen) = ("a ".repeat(8_000), "b ".repeat(8_000));
        let (before, after) = (words(&accepted), words(&seen));
        let (in_before, _) = compare(&before, &after);
        assert!(in_before[0] == Shared::No && in_before.last() == Some(&Shared::Yes));
    }
}
