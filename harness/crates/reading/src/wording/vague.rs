//! Whether a text only says that something failed.

use std::borrow::Cow;

use serde_json::Value;

use super::{hint, mention, passages, words};
use crate::exchange::Outcome;
use crate::names::name_words;
use crate::pattern;
use crate::words;

/// Whether a message, including its hints and data, only says that it failed. An empty message is not vague;
/// the name of the called tool adds nothing.
pub fn is_vague(message: &str, tool: Option<&str>) -> bool {
    /// What programs print for a missing value.
    const NOTHING: [&str; 7] = ["undefined", "null", "none", "nil", "<nil>", "nan", "[object object]"];
    let message = message.trim();
    let bare = message.trim_end_matches('.').to_ascii_lowercase();
    let bare = bare.strip_prefix("error: ").unwrap_or(&bare);
    if NOTHING.contains(&bare) {
        return true;
    }
    let found = passages(message);
    let mut said = false;
    let mut unknown = false;
    for passage in found.iter().filter(|passage| !passage.names_a_kind()) {
        let Some(read) = read(&passage.text, tool) else { return false };
        said |= read.said;
        unknown |= read.names_what_is_unknown;
    }
    // "Unknown tool" and "tool not found" say what was wrong.
    said && !unknown || found.is_empty() && holds_no_word(message)
}

/// Whether a text is the name of an HTTP status, and nothing else: "Error: Forbidden", "HTTP 502: Bad Gateway".
pub fn is_status_alone(text: &str) -> bool {
    let plain = pattern!("text/status-phrase").replace_all(text, "");
    plain.len() < text.len() && plain.split(|c: char| !c.is_alphanumeric()).all(is_empty_of_status)
}

/// Whether a word beside the name of a status says nothing more.
fn is_empty_of_status(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "" | "error" | "failed" | "failure" | "http" | "status" | "code"
    ) || word.len() == 3 && word.starts_with(['4', '5']) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a result is only the word for no value, such as `null`.
pub fn is_null(outcome: &Outcome) -> bool {
    let (texts, structured) =
        (outcome.texts(), outcome.result().and_then(|result| result.get("structuredContent")));
    let is_nothing = |value: &Value| {
        value
            .as_object()
            .map_or(value.is_null(), |members| !members.is_empty() && members.values().all(Value::is_null))
    };
    (!texts.is_empty() || structured.is_some())
        && texts.iter().all(|text| pattern!("state/null").is_match(text))
        && structured.is_none_or(is_nothing)
}

/// Whether a text names one of these parameters, which shows what the fault is about, however common the word
/// is. A function word must be marked as a name: "no answer from the server" does not mean `from`. A JSON
/// member with the message does not mean `message`.
pub fn names_a_parameter<'a>(text: &str, parameters: impl IntoIterator<Item = &'a str>) -> bool {
    let found = passages(text);
    let texts = || found.iter().filter(|passage| !passage.names_a_kind()).map(|passage| &*passage.text);
    parameters.into_iter().any(|name| {
        let is_a_word = !words::is_of_grammar(&name.to_lowercase());
        texts().any(|text| {
            mention::names_parameter(text, name)
                || misses_the_thing_of(text, name)
                || is_a_word && mention::stands_as_word(text, name)
                || is_of_the_clock(name)
                    && ["time", "times"].iter().any(|word| mention::stands_as_word(text, word))
        })
    })
}

/// Whether a text says that the thing of a parameter does not exist: "Request not found" for `requestId`.
pub fn misses_the_thing_of(text: &str, name: &str) -> bool {
    pattern!("name/not-found").find_iter(text).any(|found| mention::holds_noun(found.as_str(), name, &[]))
}

/// Whether a parameter is part of a time: "Invalid time values" is about the hour, the minute and the second.
fn is_of_the_clock(name: &str) -> bool {
    const PARTS: [&str; 8] = ["hour", "hours", "minute", "minutes", "second", "seconds", "clock", "timezone"];
    name_words(name).iter().any(|word| PARTS.contains(&word.as_str()))
}

/// Whether a message is JSON that only says yes or no: `{"ok": false}`.
fn holds_no_word(message: &str) -> bool {
    let members: Option<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(message).ok();
    members.is_some_and(|members| !members.is_empty() && members.values().all(serde_json::Value::is_boolean))
}

/// The findings on a text that says nothing specific.
struct Read {
    /// Whether it contains any words.
    said: bool,
    /// Whether it says that a tool or a method is unknown.
    names_what_is_unknown: bool,
}

/// Words that make a text about a failure, so that words of the tool's name in it only say what failed.
const FAILING: [&str; 8] = ["failed", "fail", "fails", "failure", "error", "errors", "unable", "exception"];

/// Words that say what is wrong with the thing in the tool's name: "Error: item not found" for `get_item`.
const MISSED: [&str; 9] =
    ["found", "unknown", "invalid", "exist", "exists", "already", "duplicate", "such", "no"];

/// Reads a text that says nothing specific; `None` if some word in it does.
fn read(text: &str, tool: Option<&str>) -> Option<Read> {
    let without_tool = tool.map_or_else(|| text.to_lowercase(), |tool| without_tool(text, tool));
    if pattern!("text/named").is_match(&without_tool) {
        return None;
    }
    // "Tool foo: not found" is about the tool, and about no status.
    let has_status = |text: &str| !text.contains("not found") || text.contains(|c: char| c.is_ascii_digit());
    let without_status = match is_status_alone(&without_tool) || has_status(&without_tool) {
        true => pattern!("text/status-phrase").replace_all(&without_tool, " "),
        false => Cow::Borrowed(without_tool.as_str()),
    };
    let polite = hint::without_courtesies(&without_status);
    let plain = pattern!("text/status").replace_all(&polite, " $behind");
    let unable: Vec<&str> = pattern!("text/unable")
        .captures_iter(&plain)
        .map(|found| found.get(1).map_or("", |verb| verb.as_str()))
        .collect();
    let words: Vec<&str> = plain
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .collect();
    let fails =
        words.iter().any(|word| FAILING.contains(word)) && !words.iter().any(|word| MISSED.contains(word));
    let tells_nothing = |(index, word): (usize, &&str)| {
        words::is_empty(word)
            || unable.contains(word)
            // As in "Command failed: null".
            || index > 0 && index + 1 == words.len() && matches!(*word, "null" | "undefined" | "nil")
            || fails && tool.is_some_and(|tool| is_part(tool, word))
    };
    let has = |word: &str| words.contains(&word);
    words.iter().enumerate().all(tells_nothing).then(|| Read {
        said: without_tool.contains(char::is_alphanumeric)
            || text.contains(char::is_alphanumeric) && tool.is_some(),
        names_what_is_unknown: ["tool", "method", "command", "function"].into_iter().any(has)
            && (has("unknown") || has("found")),
    })
}

/// A text in lower case without the tool's name, if that is used as a name: a tool may be called by an ordinary
/// word.
fn without_tool(text: &str, tool: &str) -> String {
    let lower = text.to_lowercase();
    if mention::is_made_up(tool) {
        let mut names: Vec<String> = mention::tool_names(tool).map(str::to_lowercase).collect();
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        return names.iter().fold(lower, |text, name| text.replace(name.as_str(), " "));
    }
    let tool = tool.to_lowercase();
    let leads = ["tool ", "executing ", "calling ", "running ", "tool: ", "'", "\"", "`"];
    let mut plain = String::with_capacity(lower.len());
    let mut rest = 0;
    for (start, part) in lower.match_indices(&tool) {
        let (before, after) = (&lower[..start], &lower[start + part.len()..]);
        let torn = before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        let led = [" failed", " error", " returned an error"].iter().any(|end| after.starts_with(end))
            || before.is_empty() && after.starts_with(':')
            || leads.iter().any(|lead| before.ends_with(lead));
        if !torn && led && !tool.is_empty() {
            plain.push_str(lower[rest..start].trim_end_matches(['\'', '"', '`']));
            rest = start + part.len();
            rest += lower[rest..].len() - lower[rest..].trim_start_matches(['\'', '"', '`']).len();
        }
    }
    plain.push_str(&lower[rest..]);
    plain
}

/// Whether a word is part of a tool's name, or derived from a part or the whole: "Git stash failed", "Booking
/// failed", and "Failed to get usage statistics" for `get_usage_stats`.
fn is_part(tool: &str, word: &str) -> bool {
    /// A shorter stem would begin too many words.
    const STEM: usize = 4;
    let lower = tool.to_lowercase();
    let is_made_from = |part: &str| {
        let stem = part.trim_end_matches(['e', 's']);
        let is_form = word.strip_prefix(stem) == Some("ing")
            || stem.len() >= STEM && word.starts_with(stem) && word != part;
        is_form || word == part && lower.contains(['_', '-'])
    };
    lower.split(['_', '-']).any(is_made_from)
}

/// Whether a message is so short that it may consist only of echoes; searching for these takes longer than most
/// rules.
pub fn may_give_back(message: &str) -> bool {
    const WORDS: usize = 12;
    message.split_ascii_whitespace().nth(WORDS).is_none()
}

/// Whether a message contains values of the call and otherwise only says that something failed; `blank` is the
/// message with each byte of a value replaced by `fill`.
pub fn gives_back(blank: &str, fill: u8, tool: Option<&str>) -> bool {
    let lower = blank.to_lowercase();
    let lower = tool.map_or(lower.clone(), |tool| lower.replace(&tool.to_lowercase(), " "));
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    blank.bytes().filter(|byte| *byte == fill).count() >= 2
        && words.all(|word| words!("messages/vague-failed").contains(&word))
}

/// Whether a text beside a message contains nothing: it is empty, or JSON without a word.
pub fn is_bare(text: &str) -> bool {
    !passages(text).iter().any(|passage| passage.text.contains(char::is_alphanumeric)) || is_empty_json(text)
}

fn is_empty_json(text: &str) -> bool {
    ["{}", "[]", "null"].contains(&text.trim())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_value_alone_does_not_say_what_was_wrong_with_it() {
        let gives_back =
            |text: &str| super::gives_back(&text.replace("/nope", "#####"), b'#', Some("git_status"));
        for text in [
            "/nope",
            "'/nope'.",
            "Error executing tool git_status: /nope",
            "git_status failed: /nope",
            "Could not process /nope",
            "Error with /nope",
        ] {
            assert!(gives_back(text), "{text}");
        }
        for text in [
            "Error",
            "",
            "Invalid: /nope",
            "No /nope",
            "Failed to read /nope",
            "/nope: not found",
            "Error: /x",
        ] {
            assert!(!gives_back(text), "{text}");
        }
    }
}
