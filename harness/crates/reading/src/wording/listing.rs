//! The valid values that a message lists.

use std::sync::LazyLock;

use regex::Regex;

use super::beginning;
use crate::expression::expression;

/// The values that a text lists, in order and without duplicates, except the bad value itself. A listing has at
/// least two values, or one after words that say it is the only one ("must be").
pub fn listed_values(text: &str, bad: &str) -> Vec<String> {
    let mut best: Vec<String> = Vec::new();
    let text = &beginning(text).replace("\\\"", "\"");
    for found in OPENINGS.captures_iter(text) {
        let whole = found.get(0).expect("group 0 is the match");
        let sole = found.name("sole").is_some();
        let found = items(&text[whole.end()..]);
        // "Only A, B and C are supported": after "only" it is a listing if the sentence says so.
        if whole.as_str().trim_end_matches(':').trim().eq_ignore_ascii_case("only") && !found.says_so {
            continue;
        }
        let values = cleaned(found.items, bad);
        let enough = if sole { 1 } else { 2 };
        if values.len() >= enough && values.len() > best.len() {
            best = values;
        }
    }
    if best.is_empty() {
        best = cleaned(bare_alternatives(text), bad);
    }
    best
}

/// Words that introduce a list of values.
static OPENINGS: LazyLock<Regex> = LazyLock::new(|| {
    expression(concat!(
        r"(?ix) (?: ",
        r" (?: (?:valid|allowed|supported|known|accepted|available|possible|permitted|legal|existing|recogni[sz]ed) (?:\s+[a-z_-]+){0,3} (?: \s+(?:are|is|include) | \s* [:=(] )+ )",
        r" | (?: (?:expected|use|want|choose|select|specify|send|pass|try|is\ not|be|any|either|not) \s+ (?:one\ of|any\ of|either(?:\ of)?) (?:\s+(?:the\ following|these))? (?:\s+(?:values|options|types|modes))? \s*:? )",
        r" | (?: \bone\ of (?:\s+(?:the\ following|these))? (?:\s+(?:values|options|types|modes))? \s*:? )",
        r" | (?: (?:values|options|types|modes|choices|enum(?:eration)?|variants)\x22? (?:\s+are)? \s* [:=] )",
        r" | (?: does\ not\ (?:equal|match)\ any\ of \s*:? )",
        r" | (?P<sole> (?:must|should|has\ to|can\ only|may\ only) \s+ be \s* (?:one\ of|either|set\ to|equal\ to)? \s* :? )",
        r" | (?: expected (?:\s+one\ of)? \s* :? )",
        r" | (?: \bthe\ (?:only\ )?(?:[a-z]+[\ _])?(?:values|options|types|modes|choices)\ (?:are|is) \s*:? )",
        r" | (?: \b(?:choose|select|pick)\ (?:from|between|among|any\ of) \s*:? )",
        r" | (?: \b(?:values|options|types|modes|choices)\ (?:that\ )?(?:are|include) \s*:? )",
        r" | (?: \b(?:pick|choose|select|use)\ (?:one|any)(?:\ of\ (?:these|them|the\ following))? \s*:\s* )",
        r" | (?: \bonly\b ) \s*:?",
        r" | (?: \bis\ not\ in ) \s*:?",
        r" | (?: \bnone\ of | \b(?:i|we)\ (?:only\ )?know | \byou\ have ) \s*:?",
        r" | (?: \b(?:known|existing|available|allowed|valid)\x22? \s* [:=>] )",
        r" | (?: \b(?:use|try|wants?|choose|pick|select|send|give)\b ) \s*:?",
        r" ) \s*",
    ))
});

/// The items at the beginning of a text, and what follows them.
struct Items {
    items: Vec<String>,
    /// Whether the last item is followed by words that they are supported, allowed or valid.
    says_so: bool,
}

/// The items at the beginning of a text: words or quoted strings separated by commas, bars, slashes, "or" and
/// "and", or one on each line, each with an optional remark ("content (default)", "'content' - matching
/// lines").
fn items(text: &str) -> Items {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"\A\s*(?:[-*\x{2022}]\s+)?[\[({]?\s*(?:"(?P<a>[^"\n]{1,60})"|'(?P<b>[^'\n]{1,60})'|`(?P<c>[^`\n]{1,60})`|\x{2018}(?P<d>[^\x{2019}\n]{1,60})\x{2019}|\x{201c}(?P<e>[^\x{201d}\n]{1,60})\x{201d}|(?P<f>[A-Za-z0-9_*][A-Za-z0-9_.*+-]{0,59}))"#,
        )
    });
    static SPACED: LazyLock<Regex> = LazyLock::new(|| expression(r"\A\[([\w-]+(?: [\w-]+)+)\]"));
    static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\A(?:[ \t]*\((?:the )?default\))?(?:\s*(?:,|;|\||/)\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+)",
        )
    });
    // The remark after an item on its own line, and the mark before the next one.
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"\A(?:[ \t]*[(:\x{2013}\x{2014}-][^\n]*|[ \t]*[,;])?[ \t]*\n(?:[ \t]*[-*\x{2022}][ \t]+|[ \t]+)",
        )
    });
    static SAYS_SO: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\A[\])}]?\s+(?:are|is) (?:supported|allowed|valid|accepted|possible|permitted|known|available)",
        )
    });
    let mut rest = text;
    let mut items = Vec::new();
    // Go prints a list as `[a b c]`.
    if let Some(found) = SPACED.captures(text) {
        let items = found[1].split_whitespace().map(str::to_owned).collect();
        return Items { items, says_so: false };
    }
    while items.len() < 200 {
        let Some(found) = ITEM.captures(rest) else { break };
        let name = ["a", "b", "c", "d", "e", "f"].into_iter().find_map(|name| found.name(name));
        let Some(item) = name else { break };
        let bare = found.name("f").is_some();
        // "content and count, not sideways": here the list has ended.
        if bare && ends_the_list(item.as_str()) {
            break;
        }
        items.push(item.as_str().trim_end_matches('.').to_owned());
        rest = &rest[found.get(0).expect("group 0 is the match").end()..];
        let gap = if item.as_str().ends_with('.') { None } else { BETWEEN.find(rest) };
        // "one of content, count to proceed": a word that continues the sentence is not an item.
        let Some(gap) = gap.or_else(|| LINE.find(rest)) else {
            let runs_on = rest.starts_with(' ') && bare && !rest.trim_start().starts_with(['(', '-']);
            if runs_on && items.len() == 1 {
                items.pop();
            }
            break;
        };
        rest = &rest[gap.end()..];
    }
    Items { items, says_so: SAYS_SO.is_match(rest) }
}

/// Words after a list with which a message continues about the bad value.
fn ends_the_list(word: &str) -> bool {
    const WORDS: [&str; 13] = [
        "not", "got", "but", "received", "found", "instead", "you", "was", "given", "the", "which", "see",
        "please",
    ];
    WORDS.contains(&word.trim_end_matches(['.', ':']).to_ascii_lowercase().as_str())
}

/// `content | files_with_matches | count`, `"a"|"b"`: bars between words are a list by themselves.
fn bare_alternatives(text: &str) -> Vec<String> {
    static BARS: LazyLock<Regex> = LazyLock::new(|| {
        expression(r#"["'`]?[A-Za-z0-9_-]{1,40}["'`]?(?:\s?\|\s?["'`]?[A-Za-z0-9_-]{1,40}["'`]?)+"#)
    });
    let Some(found) = BARS.find(text) else { return Vec::new() };
    found.as_str().split('|').map(|item| item.trim().trim_matches(['"', '\'', '`']).to_owned()).collect()
}

fn cleaned(items: Vec<String>, bad: &str) -> Vec<String> {
    const NO_VALUES: [&str; 24] = [
        "a",
        "an",
        "the",
        "one",
        "of",
        "in",
        "it",
        "at",
        "least",
        "most",
        "between",
        "string",
        "strings",
        "number",
        "integer",
        "boolean",
        "object",
        "array",
        "positive",
        "non-empty",
        "valid",
        "absolute",
        "greater",
        "less",
    ];
    let mut values: Vec<String> = Vec::new();
    for item in items {
        let plain = item.trim();
        let counts =
            !plain.is_empty() && plain != bad && !NO_VALUES.contains(&plain.to_ascii_lowercase().as_str());
        if counts && !values.iter().any(|value| value == plain) {
            values.push(plain.to_owned());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(listed_values(text, "bad"), expected, "{text}");
    }

    #[test]
    fn values_are_found_as_validators_list_them() {
        check("unknown variant `bad`, expected `text` or `json`", &["text", "json"]);
        check(
            "unknown variant `bad`, expected one of `name`, `size`, `modified`",
            &["name", "size", "modified"],
        );
        check("Invalid option: expected one of \"a1\"|\"b1\"", &["a1", "b1"]);
        check(r#"[{"code":"invalid_value","values":["r","w"],"path":["mode"]}]"#, &["r", "w"]);
        check(
            r#"{"received":"bad","code":"invalid_enum_value","options":["file","directory"]}"#,
            &["file", "directory"],
        );
        check(
            "Input should be 'file' or 'directory' [type=literal_error, input_value='bad']",
            &["file", "directory"],
        );
        check("'bad' is not one of ['file', 'directory']", &["file", "directory"]);
        check(
            "enum: bad does not equal any of: [view str_replace create]",
            &["view", "str_replace", "create"],
        );
    }

    #[test]
    fn a_listing_is_read_up_to_its_two_hundredth_value() {
        let values: Vec<String> = (0..300).map(|number| format!("v{number}")).collect();
        let listed = listed_values(&format!("valid values: {}", values.join(", ")), "bad");
        assert_eq!(listed, values[..200]);
    }

    #[test]
    fn of_two_listings_the_longer_one_counts_and_of_equals_the_first() {
        check("valid values: x1, x2. Allowed values: y1, y2, y3", &["y1", "y2", "y3"]);
        check("valid values: x1, x2. Allowed values: y1, y2", &["x1", "x2"]);
        check("valid values: x1, x2, x1, , x2", &["x1", "x2"]);
    }
}
