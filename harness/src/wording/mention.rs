//! Whether a text names a value: the path, the count, the pattern or the parameter that was wrong.

use std::sync::LazyLock;

use regex::Regex;

use crate::suite::ExpectedValue;
use crate::transcript::Folders;

use super::echo;

/// A value over so many characters counts by its beginning.
const LONG: usize = 200;
/// So many characters of it.
const BEGINNING: usize = 100;

/// Whether a text names a value, in any form in which servers were seen to give it back.
pub fn mentions(text: &str, value: &ExpectedValue, folders: &Folders) -> bool {
    match value {
        ExpectedValue::Path(path) => names_path(text, path, folders),
        ExpectedValue::Count(count) => names_count(text, *count),
        ExpectedValue::Text(value) => names_text(text, value),
        ExpectedValue::Parameter(name) => names_parameter(text, name),
        // A plan has put a value in their place.
        ExpectedValue::Argument(_) | ExpectedValue::Limit(_) => true,
        ExpectedValue::AnyOf(values) => values.iter().any(|value| mentions(text, value, folders)),
    }
}

/// As sent, resolved, relative to the workspace, or by its last part where that is long enough to be no chance word.
fn names_path(text: &str, path: &str, folders: &Folders) -> bool {
    // Of a path that is longer than a message should be, its beginning is enough.
    if path.char_indices().nth(LONG).is_some()
        && let Some((end, _)) = path.char_indices().nth(BEGINNING)
        && text.contains(&path[..end])
    {
        return true;
    }
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    echo::forms(path, folders).iter().any(|form| {
        let telling = form.contains('/') || form.contains('.') || form.len() >= 8;
        let bare_name = form == name && !telling;
        !bare_name && form.len() > 1 && stands_in(text, form)
    })
}

/// The digits, not within a longer number, a version, a time or a name; digits may be grouped.
fn names_count(text: &str, count: u64) -> bool {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\d+(?:[,_\u{202f}']\d{3})+|\d+").expect("the expression is well-formed")
    });
    let small = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let digits = count.to_string();
    let in_digits = NUMBER.find_iter(text).any(|found| {
        let number: String = found.as_str().chars().filter(char::is_ascii_digit).collect();
        number == digits && is_whole(&text[..found.start()], &text[found.end()..])
    });
    let word = usize::try_from(count).ok().and_then(|count| small.get(count));
    in_digits || word.is_some_and(|word| has_word(&text.to_ascii_lowercase(), word))
}

/// Whether digits between these two texts are a number of their own.
fn is_whole(before: &str, after: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let left = before.chars().next_back();
    let right = after.chars().next();
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let pointed_left =
        left.is_some_and(|c| matches!(c, '.' | ':' | ',')) && digit(before.chars().rev().nth(1));
    let pointed_right = right.is_some_and(|c| matches!(c, '.' | ':' | ',')) && digit(after.chars().nth(1));
    // "3x" and "x3" are ways to write a count.
    let times_right = right == Some('x') && !after.chars().nth(1).is_some_and(joins);
    let negative = left == Some('-') && !before.chars().rev().nth(1).is_some_and(joins);
    let torn_left = left.is_some_and(|c| joins(c) && c != '\u{d7}');
    let torn_right = right.is_some_and(joins) && !times_right;
    !(torn_left || torn_right || pointed_left || pointed_right || negative)
}

fn names_text(text: &str, value: &str) -> bool {
    let cut = value.char_indices().nth(LONG).is_some();
    let value = match value.char_indices().nth(LONG) {
        Some(_) => value.char_indices().nth(BEGINNING).map_or(value, |(end, _)| &value[..end]),
        None => value,
    };
    if value.is_empty() {
        return true;
    }
    let forms = echo::forms(value, &Folders::default());
    // What was cut short may go on in the text.
    forms.iter().any(|form| if cut { text.contains(form.as_str()) } else { stands_in(text, form) })
}

/// Whether a string stands in a text, not within a longer word.
pub fn stands_in(text: &str, form: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(form).any(|(start, part)| {
        let left = text[..start].chars().next_back().is_some_and(word) && form.starts_with(word);
        let right = text[start + part.len()..].chars().next().is_some_and(word) && form.ends_with(word);
        !(left || right)
    })
}

/// Whether a parameter is named as one: within quotation marks, as a path of members, or beside a word that speaks of
/// parameters. The word alone may stand in the fixed part of any message: "the command failed".
pub fn names_parameter(text: &str, name: &str) -> bool {
    let distinct = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    // "Command is required": a sentence begins with a capital letter.
    let mut capital = name.to_owned();
    capital[..name.chars().next().map_or(0, char::len_utf8)].make_ascii_uppercase();
    let places = text.match_indices(name).chain(text.match_indices(&capital).filter(|_| capital != name));
    places.map(|(start, _)| start).any(|start| {
        let (before, after) = (&text[..start], &text[start + name.len()..]);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let joined = before.ends_with(word) || after.starts_with(word);
        !joined && (distinct || is_marked(before, after) || speaks_of_parameters(before, after))
    }) || names_in_other_case(text, name)
}

fn is_marked(before: &str, after: &str) -> bool {
    let open = ['\'', '"', '`', '\u{2018}', '\u{201c}', '[', '<', '.', '$', '-', '/', '*', '('];
    let close = ['\'', '"', '`', '\u{2019}', '\u{201d}', ']', '>', ':', '=', '*', ')'];
    let line_alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with('\n');
    line_alone
        || (before.ends_with(open) && (after.is_empty() || after.starts_with(close)))
        || after.starts_with([':', '='])
}

fn speaks_of_parameters(before: &str, after: &str) -> bool {
    static AFTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\A[\x22'`]?[,;]?\s+(?:(?:parameter|argument|field|option|property|value|input|string)s?\b|(?:(?:is|are|was|were|has|have|must|may|can|should|cannot|needs?|got|expected|required|missing|empty|wants?|not)\b))").expect("the expression is well-formed")
    });
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:parameters?|arguments?|fields?|options?|property|properties|keys?|missing|required|requires?|no|at|provide|specify|give|send|pass|set|supply|needs?|empty|without|invalid|for|in)[:,]?\s+(?:(?:a|an|the|your|non-empty|valid)\s+)*[\x22'`\[(]*\z").expect("the expression is well-formed")
    });
    let tail = before.char_indices().rev().nth(60).map_or(before, |(start, _)| &before[start..]);
    AFTER.is_match(after) || BEFORE.is_match(tail)
}

/// `oldText` for `old_text`, where the name has more than one part.
fn names_in_other_case(text: &str, name: &str) -> bool {
    let flat =
        |word: &str| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase();
    let parts = name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase);
    let wanted = flat(name);
    parts
        && text
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .any(|word| flat(word) == wanted)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> Folders {
        Folders { workspace: "/workspace".into(), outside: "/outside".into(), canary: "canary".into() }
    }

    fn check(text: &str, value: &ExpectedValue, expected: bool) {
        assert_eq!(mentions(text, value, &folders()), expected, "{value:?} in {text:?}");
    }

    #[test]
    fn a_path_counts_as_sent_resolved_and_relative() {
        let path = || ExpectedValue::Path("/workspace/a/../sub/missing.txt".into());
        check("no /workspace/a/../sub/missing.txt", &path(), true);
        check("no /workspace/sub/missing.txt", &path(), true);
        check("no sub/missing.txt", &path(), true);
        check("no missing.txt there", &path(), true);
        check("no such file", &path(), false);
    }

    #[test]
    fn the_last_part_of_a_path_counts_only_where_it_is_telling() {
        check("no file in it", &ExpectedValue::Path("/workspace/file".into()), false);
        check("no /workspace/file", &ExpectedValue::Path("/workspace/file".into()), true);
    }

    #[test]
    fn a_count_is_a_whole_number() {
        check("found 3 matches", &ExpectedValue::Count(3), true);
        check("found 3.", &ExpectedValue::Count(3), true);
        check("found three matches", &ExpectedValue::Count(3), true);
        check("occurs 3x", &ExpectedValue::Count(3), true);
        check("limit of 2,048 bytes", &ExpectedValue::Count(2048), true);
        for text in ["found 13", "version 1.3.0", "port 127.0.0.1:3", "v3", "code -3", "at 12:3:4"] {
            check(text, &ExpectedValue::Count(3), false);
        }
    }

    #[test]
    fn a_text_counts_escaped_and_by_its_beginning_where_it_is_long() {
        check(r#"no task "a\"b""#, &ExpectedValue::Text("a\"b".into()), true);
        check("no task ab", &ExpectedValue::Text("a".into()), false);
        let long = "ab".repeat(150);
        check(&format!("'{}...' is too long", "ab".repeat(60)), &ExpectedValue::Text(long), true);
    }

    #[test]
    fn a_parameter_is_named_as_one() {
        for text in [
            "'command' is required",
            "missing argument: command",
            "command must not be empty",
            "\"command\" is missing",
            "missing field `command`",
            "No command was given",
            "Command is required, current value: undefined",
            "Invalid input at command",
        ] {
            check(text, &ExpectedValue::Parameter("command".into()), true);
        }
        for text in ["command failed", "the command could fail", "bad commandline", "Invalid arguments"] {
            check(text, &ExpectedValue::Parameter("command".into()), false);
        }
        check("pass oldText", &ExpectedValue::Parameter("old_text".into()), true);
    }
}
