//! The words that every format shares: counts, lists, times and words of a command line.

use crate::escape;

/// A count with its word.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with its thousands separated.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Some names in a row; those beyond `most` are only counted.
pub(super) fn listed(names: impl IntoIterator<Item = impl AsRef<str>>, most: usize) -> String {
    let names: Vec<_> = names.into_iter().collect();
    let shown: Vec<String> =
        names.iter().take(most).map(|name| escape::line_within(name.as_ref(), 80)).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Escaped text that keeps its line breaks.
pub(super) fn lines(text: &str) -> String {
    text.split('\n').map(escape::line).collect::<Vec<_>>().join("\n")
}

/// A reason of several lines as one.
pub(super) fn in_one_line(why: &str) -> String {
    why.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// A number of milliseconds in readable units.
pub(super) fn time(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..10_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        10_000..100_000 => format!("{} s", milliseconds / 1_000),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

/// A word of a command line as it would be typed.
pub fn shell_word(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=@%+,{}".contains(char);
    let shown = escape::line_within(word, 200);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => shown,
        false => format!("'{}'", shown.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_are_counted() {
        assert_eq!(listed(["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(listed(["a", "b"], 2), "a, b");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 12, 999, 1_000, 1_234_567].map(grouped), ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
