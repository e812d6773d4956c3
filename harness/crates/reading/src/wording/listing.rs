//! The valid values that a message lists.

use super::beginning;
use crate::pattern;
use crate::words;

/// The values that a text lists, in order and without duplicates, except the bad value itself. A listing has at
/// least two values, or one after words that say it is the only one ("must be").
pub fn listed_values(text: &str, bad: &str) -> Vec<String> {
    let mut best: Vec<String> = Vec::new();
    let text = &beginning(text).replace("\\\"", "\"");
    for found in pattern!("value/opening").captures_iter(text) {
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
    let mut rest = text;
    let mut items = Vec::new();
    // Go prints a list as `[a b c]`.
    if let Some(found) = pattern!("value/spaced").captures(text) {
        let items = found[1].split_whitespace().map(str::to_owned).collect();
        return Items { items, says_so: false };
    }
    while items.len() < 200 {
        let Some(found) = pattern!("value/item").captures(rest) else { break };
        let name = ["a", "b", "c", "d", "e", "f"].into_iter().find_map(|name| found.name(name));
        let Some(item) = name else { break };
        let bare = found.name("f").is_some();
        // "content and count, not sideways": here the list has ended.
        if bare && ends_the_list(item.as_str()) {
            break;
        }
        items.push(item.as_str().trim_end_matches('.').to_owned());
        rest = &rest[found.get(0).expect("group 0 is the match").end()..];
        let gap = if item.as_str().ends_with('.') { None } else { pattern!("value/between").find(rest) };
        // "one of content, count to proceed": a word that continues the sentence is not an item.
        let Some(gap) = gap.or_else(|| pattern!("value/next-line").find(rest)) else {
            let runs_on = rest.starts_with(' ') && bare && !rest.trim_start().starts_with(['(', '-']);
            if runs_on && items.len() == 1 {
                items.pop();
            }
            break;
        };
        rest = &rest[gap.end()..];
    }
    Items { items, says_so: pattern!("value/supported").is_match(rest) }
}

/// Words after a list with which a message continues about the bad value.
fn ends_the_list(word: &str) -> bool {
    words!("messages/listing-words")
        .contains(&word.trim_end_matches(['.', ':']).to_ascii_lowercase().as_str())
}

/// `content | files_with_matches | count`, `"a"|"b"`: bars between words are a list by themselves.
fn bare_alternatives(text: &str) -> Vec<String> {
    let Some(found) = pattern!("value/bars").find(text) else { return Vec::new() };
    found.as_str().split('|').map(|item| item.trim().trim_matches(['"', '\'', '`']).to_owned()).collect()
}

fn cleaned(items: Vec<String>, bad: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for item in items {
        let plain = item.trim();
        let counts = !plain.is_empty()
            && plain != bad
            && !words!("messages/listing-no-values").contains(&plain.to_ascii_lowercase().as_str());
        if counts && !values.iter().any(|value| value == plain) {
            values.push(plain.to_owned());
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_up_to_its_two_hundredth_value() {
        let values: Vec<String> = (0..300).map(|number| format!("v{number}")).collect();
        let listed = listed_values(&format!("valid values: {}", values.join(", ")), "bad");
        assert_eq!(listed, values[..200]);
    }
}
