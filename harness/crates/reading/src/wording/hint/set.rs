//! Several valid values, or existing names, side by side.

use regex::Captures;

use super::Asked;
use super::view::View;
use crate::pattern;
use crate::words;

/// Whether a text lists unsent values or names.
pub(super) fn lists(view: &View<'_>, asked: &Asked<'_>) -> bool {
    lists_quoted(&view.text, asked)
        || lists_between_bars(&view.echoed)
        || lists_in_braces(&view.text, asked)
        || lists_behind_a_word(&view.plain, asked)
        || lists_behind_a_colon(&view.plain)
        || enumerates(&view.plain)
        || sets_against_each_other(&view.echoed, asked)
        || puts_in_order(&view.echoed, asked)
}

/// "branch, or tag": if the combination of arguments is wrong, or one of them is needed, this says that one is enough.
fn sets_against_each_other(text: &str, asked: &Asked<'_>) -> bool {
    let is_missing = asked.condition == "missing-argument";
    let is_absent = |name: &str| is_missing && asked.arguments.get(name).is_none();
    let mut meant = asked.wrong.to_vec();
    meant.extend(asked.parameters.iter().filter(|name| is_absent(name)));
    let is_wrong = |word: &str| meant.iter().any(|name| name.eq_ignore_ascii_case(word));
    (asked.wrong.len() > 1 || is_missing)
        && pattern!("value/either").captures_iter(text).any(|found| {
            is_wrong(&found["one"]) && is_wrong(&found["other"]) && found["one"] != found["other"]
        })
}

/// "to >= from", "start before end": if the combination of arguments is wrong, this says how they lie to each other.
fn puts_in_order(text: &str, asked: &Asked<'_>) -> bool {
    let is_wrong = |word: &str| asked.wrong.iter().any(|name| name.eq_ignore_ascii_case(word));
    asked.wrong.len() > 1
        && pattern!("value/before").captures_iter(text).any(|found| {
            is_wrong(&found["one"]) && is_wrong(&found["other"]) && found["one"] != found["other"]
        })
}

fn is_running(word: &str) -> bool {
    words!("messages/set-running").iter().copied().any(|running| running == word)
        || word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"))
}

fn is_sent(item: &str) -> bool {
    !item.is_empty() && item.chars().all(|c| c == super::view::SENT)
}

/// As in `'fast' or 'slow'`, in any language.
fn lists_quoted(text: &str, asked: &Asked<'_>) -> bool {
    pattern!("value/quoted-list").find_iter(text).any(|list| {
        let items = pattern!("value/quoted").find_iter(list.as_str()).map(|item| {
            let mut letters = item.as_str().chars();
            letters.next();
            letters.next_back();
            letters.as_str().trim()
        });
        let items: Vec<&str> = items.collect();
        let is_new = |item: &&&str| {
            let names = asked.arguments.as_object();
            !item.is_empty() && !is_sent(item) && !names.is_some_and(|names| names.contains_key(**item))
        };
        let new = items.iter().filter(is_new).count();
        new > 1 || items.len() > 2 && new > 0
    })
}

/// As in `content | count`.
fn lists_between_bars(text: &str) -> bool {
    pattern!("value/bars").is_match(text)
}

/// As in `(m, km, mi)`, `[a b]` or `{low, high}`.
fn lists_in_braces(text: &str, asked: &Asked<'_>) -> bool {
    pattern!("value/in-brackets").captures_iter(text).any(|found| are_values(&found[1], asked))
}

/// As in "sort accepts asc or desc": after a word that introduces values, up to the end of the clause.
fn lists_behind_a_word(text: &str, asked: &Asked<'_>) -> bool {
    // "Use fast or slow for mode": what goes on behind the values names the parameter.
    let is_whole =
        |found: &Captures<'_>| found.name("of").is_none_or(|name| asked.parameters.contains(&name.as_str()));
    pattern!("value/behind-word")
        .captures_iter(text)
        .any(|found| is_whole(&found) && are_values(&found["items"], asked))
}

/// Whether at least two items are unsent values, and none continues the sentence.
fn are_values(items: &str, asked: &Asked<'_>) -> bool {
    let words = items.split(|c: char| matches!(c, ',' | '|' | '/') || c.is_whitespace());
    let words: Vec<String> = words
        .map(|word| word.trim_matches(['"', '\'', '`', ':', '.']).to_ascii_lowercase())
        .filter(|word| !word.is_empty() && word != "or" && word != "and")
        .collect();
    // The names of the wrong arguments are not values: "could not use branch and tag".
    let is_wrong = |word: &str| asked.wrong.iter().any(|name| name.eq_ignore_ascii_case(word));
    let is_new =
        |word: &&String| !is_sent(word) && !word.bytes().all(|byte| byte.is_ascii_digit()) && !is_wrong(word);
    !words.iter().any(|word| is_running(word)) && words.iter().filter(is_new).count() > 1
}

/// As in "Running tasks: 3, 4", "two branches: main-v1 and main-v2" or "Allowed: none".
fn lists_behind_a_colon(text: &str) -> bool {
    pattern!("value/behind-colon").captures_iter(text).any(|found| {
        if pattern!("value/other-heading").is_match(&found["head"]) {
            return false;
        }
        let bare = |item: &str| {
            item.trim_matches([' ', '"', '\'', '`', '[', ']', '(', ')', '{', '}', ':', '.'])
                .to_ascii_lowercase()
        };
        let items: Vec<String> =
            pattern!("value/mark").split(&found["items"]).map(bare).filter(|item| !item.is_empty()).collect();
        if items.first().is_some_and(|first| words!("messages/set-nothing").contains(&first.as_str())) {
            return false;
        }
        let new = items
            .iter()
            .filter(|item| !is_sent(item) && !words!("messages/set-nothing").contains(&item.as_str()))
            .count();
        let short = |item: &String| item.len() <= 40 && item.matches(' ').count() < 2;
        new > 0 && pattern!("value/heading").is_match(&found["head"]) || new > 1 && items.iter().all(short)
    })
}

/// Three or more words side by side: "s, m, l and xl".
fn enumerates(text: &str) -> bool {
    pattern!("value/words").captures_iter(text).any(|found| {
        let items = found["items"].to_ascii_lowercase();
        let words: Vec<&str> = items
            .split([',', ' '])
            .map(|word| word.trim_matches(['"', '\'', '`']))
            .filter(|word| !word.is_empty() && *word != "and" && *word != "or")
            .collect();
        let Some((last, others)) = words.split_last() else { return false };
        let in_words = words.iter().any(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
        in_words
            && !others.iter().any(|word| {
                words!("messages/set-running").iter().copied().any(|running| running == *word)
                    || word.ends_with("ed")
            })
            && (last.len() == 1
                || !words!("messages/set-running").iter().copied().any(|running| running == *last))
    })
}
