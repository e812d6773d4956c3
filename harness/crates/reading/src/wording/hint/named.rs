//! Names known from the call: a missing or empty parameter, one that was not sent, another tool.
//!
//! The schema and the list of tools give the names, so most of this needs no language.

use serde_json::{Map, Value};

use super::Asked;
use super::sign::is_distinct;
use super::view::{SENT, View};
use crate::pattern;
use crate::wording::border::{closes_quotation, is_torn, opens_quotation};
use crate::wording::mention;

/// Whether a parameter that was not sent is named, so that the reader knows what to add.
pub(super) fn names_an_unsent_parameter(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let sent = sent(asked.arguments);
    let text = &view.echoed;
    let lower = text.to_ascii_lowercase();
    asked.parameters.iter().filter(|name| name.len() > 1 && !sent.contains(name)).any(|name| {
        // For other conditions it may be an ordinary word: "no such path".
        let needed = asked.condition == "missing-argument" && asked.required.contains(name);
        let places = words(&lower, &name.to_ascii_lowercase()).collect::<Vec<_>>();
        places.into_iter().any(|start| {
            let (before, after) = (&text[..start], &text[start + name.len()..]);
            needed && !is_what_was_looked_for(after)
                || is_distinct(name)
                || is_marked(before, after)
                || speaks_of_it(before, after)
        })
    })
}

/// The names that were sent, at any depth: naming one that was null only says which one was wrong.
fn sent(arguments: &Value) -> Vec<&str> {
    fn collect<'a>(value: &'a Value, names: &mut Vec<&'a str>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
            Value::Object(members) => {
                members.iter().for_each(|(name, value)| {
                    names.push(name);
                    collect(value, names);
                });
            }
            _ => {}
        }
    }
    let mut names = Vec::new();
    collect(arguments, &mut names);
    names
}

/// The offsets at which a name stands as a whole word.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let places = text.match_indices(name).map(|(start, _)| start);
    places.filter(move |start| !is_torn(&text[..*start], name, &text[start + name.len()..]))
}

/// Whether the text after a name says that a thing was not found, as in "path not found", which is about the
/// thing and not the parameter.
fn is_what_was_looked_for(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with("not found")
        || after.starts_with("does not exist")
        || after.starts_with("doesn't exist")
}

/// Whether a name is in quotation marks, on its own line, or before a colon.
fn is_marked(before: &str, after: &str) -> bool {
    let opens = before.ends_with(['[', '<', '.', '$', '-', '/', '*', '(']) || opens_quotation(before);
    let closes = after.starts_with([']', '>', ':', '=', '*', ')', '\u{ff1a}']) || closes_quotation(after);
    let alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with('\n');
    alone || opens && (after.is_empty() || closes) || after.starts_with([':', '=', '\u{ff1a}'])
}

fn speaks_of_it(before: &str, after: &str) -> bool {
    let tail = before.char_indices().rev().nth(60).map_or(before, |(start, _)| &before[start..]);
    pattern!("name/parameter-behind").is_match(after) || pattern!("name/parameter-before").is_match(tail)
}

/// Whether something is called missing or empty by its name.
pub(super) fn names_what_is_missing(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let parameters = asked.parameters;
    const GENERIC: &str = "input field value argument arguments parameter parameters it this that not message and or which string text request";
    let text = &view.echoed;
    let names_one = || {
        let lower = text.to_ascii_lowercase();
        let stands = |name: &&str| mention::stands_in(&lower, &name.to_ascii_lowercase());
        parameters.is_empty() || parameters.iter().any(stands)
    };
    let required = || {
        pattern!("name/required").captures_iter(text).any(|found| {
            let subject = found[1].to_ascii_lowercase();
            match subject.as_str() {
                // "The argument is missing: path": the rest of the text shows whether it is named.
                "the" | "a" | "an" | "required" => names_one(),
                subject => !GENERIC.split(' ').any(|word| word == subject),
            }
        })
    };
    let missing = || {
        pattern!("name/missing").captures_iter(text).any(|found| {
            match found.name("next").map(|next| next.as_str().to_ascii_lowercase()) {
                Some(next) if ["is", "are", "was", "were"].contains(&next.as_str()) => names_one(),
                Some(next) => !["not", "in", "at", "for", "found"].contains(&next.as_str()),
                None => true,
            }
        })
    };
    pattern!("name/none-given").is_match(&view.plain)
        || says_what_is_empty(text, asked)
        || calls_the_wrong_one_empty(text, asked)
        || required()
        || missing()
        || is_missing_by_name(text, parameters)
}

/// "Empty expression": says what was empty, for a call that sent something empty.
fn says_what_is_empty(text: &str, asked: &Asked<'_>) -> bool {
    const GENERIC: &str = "input field value argument arguments parameter parameters string text message request response result reply";
    asked.condition.starts_with("empty-")
        && pattern!("name/empty")
            .captures_iter(text)
            .any(|found| !GENERIC.split(' ').any(|word| word.eq_ignore_ascii_case(&found[1])))
}

/// "name empty", "Name: this field cannot be left blank": says which parameter was empty, for a call that sent
/// nothing in it.
fn calls_the_wrong_one_empty(text: &str, asked: &Asked<'_>) -> bool {
    let sent_nothing = ["empty-", "null-", "missing-"].iter().any(|kind| asked.condition.starts_with(kind));
    let lower = text.to_ascii_lowercase();
    let is_denied = |name: &str| {
        let name = name.to_ascii_lowercase();
        words(&lower, &name).any(|start| lower[..start].trim_end_matches(['\'', '"', '`']).ends_with("no "))
    };
    sent_nothing
        && asked.wrong.iter().any(|name| {
            is_denied(name)
                || pattern!("name/empty-or-missing").is_match(text) && mention::stands_as_word(text, name)
        })
}

/// As in "missing path" or "path missing".
fn is_missing_by_name(text: &str, parameters: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    parameters.iter().filter(|name| name.len() > 1).any(|name| {
        let name = name.to_ascii_lowercase();
        words(&lower, &name).any(|start| {
            let (before, after) = (&lower[..start], &lower[start + name.len()..]);
            before.ends_with("missing ")
                || before.ends_with("empty ")
                || after.starts_with(" missing")
                || before.ends_with("no ") && (after.starts_with(" given") || after.starts_with(" was"))
        })
    })
}

/// Whether another tool of the server is named.
pub(super) fn names_another_tool(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let text = &view.echoed;
    asked.tools.iter().filter(|name| name.len() > 1 && **name != asked.tool).any(|name| {
        words(text, name).any(|start| {
            let (before, after) = (&text[..start], &text[start + name.len()..]);
            let torn = before.ends_with(['.', '-', '/'])
                || after.starts_with(['-', '/', '(']) && !after.starts_with("()");
            let quoted = before.ends_with(['\'', '"', '`', '\u{300c}']);
            let called = || {
                after.trim_start_matches(['\'', '"', '`']).starts_with(" tool")
                    || pattern!("name/tool-before").is_match(before)
            };
            !torn && (is_distinct(name) || quoted || called())
        })
    })
}

/// A compound name that was not sent, used like a tool or a parameter: "list_folder shows what exists".
pub(super) fn names_an_identifier(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let text = &view.plain;
    let sent = sent(asked.arguments);
    let arguments = || asked.arguments.as_object().into_iter().flat_map(Map::keys);
    pattern!("name/identifier").find_iter(text).any(|found| {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        let torn = is_torn(before, found.as_str(), after)
            || before.ends_with(['.', '/', '-', ':', SENT])
            || after.starts_with(['/', '-', '(', SENT])
            || after.starts_with('.') && after[1..].starts_with(|c: char| c.is_alphanumeric());
        let known = sent.contains(&found.as_str()) || arguments().any(|name| name == found.as_str());
        let alone = before.ends_with('(') && after.starts_with(')');
        !torn
            && !known
            && (alone
                || pattern!("name/identifier-behind").is_match(after)
                || pattern!("name/identifier-before").is_match(before))
    })
}
