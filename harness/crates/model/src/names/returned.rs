//! Values in a reply that other calls may use: ids, paths and names, each with its key.
//!
//! The main type is [`ReturnedValue`]. It is bounded, however much a server returns.

use serde_json::{Map, Value, json};

use super::plain_name;
use crate::json::as_text;
use crate::json_schema::types;

/// Keys that hold whatever came back.
const HOLDERS: [&str; 6] = ["result", "results", "items", "data", "values", "list"];
/// A longer text is no id, path or name.
const LONG: usize = 256;
/// A text of more words is a sentence, and no name.
const WORDS: usize = 8;
/// How deep a reply is searched.
const DEPTH: usize = 12;
/// At most this many values are taken from one reply.
const TAKEN: usize = 64;
/// At most this many bytes of a text are read.
const READ: usize = 4_096;

/// One value in a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct ReturnedValue {
    /// The plain name of its key; empty for a word in a text.
    pub key: String,
    /// A text or a number.
    pub value: Value,
}

impl ReturnedValue {
    /// The values in the result of a call, in order.
    pub fn collect(reply: &Value) -> Vec<Self> {
        let mut found = Vec::new();
        look("", reply, DEPTH, &mut found);
        found.truncate(TAKEN);
        found
    }

    /// Whether the value may fit a parameter of this plain name: `noteid` takes the value of `id` or `note`.
    pub fn suits(&self, parameter: &str) -> bool {
        suits(&self.key, parameter)
    }
}

/// The plain name of the key under which the result contains a value, also as text; empty for a word in a text,
/// `None` if it does not contain the value.
pub fn key_of(reply: &Value, value: &Value) -> Option<String> {
    let wanted = as_text(value);
    ReturnedValue::collect(reply)
        .into_iter()
        .find(|returned| as_text(&returned.value) == wanted)
        .map(|found| found.key)
}

/// The values in the result of a call that may fit a parameter, the likeliest first: those under its own name,
/// those under related names, then words in texts. Each has the type that the parameter's schema requires; a list holds one.
pub fn returned_for(reply: &Value, parameter: &str, schema: &Value) -> Vec<Value> {
    if let Some(items) = items_of(schema) {
        let one = parameter.strip_suffix('s').unwrap_or(parameter);
        return each_in_a_list(returned_for(reply, one, items));
    }
    let plain = plain_name(parameter);
    let all = ReturnedValue::collect(reply);
    let rank = |returned: &&ReturnedValue| match returned.key.as_str() {
        key if key == plain => 0,
        "" => 2,
        _ => 1,
    };
    let mut suiting: Vec<&ReturnedValue> = all.iter().filter(|returned| returned.suits(&plain)).collect();
    suiting.sort_by_key(rank);
    typed(suiting.into_iter(), schema)
}

/// The paths and names of files in the result of a call, in order.
pub fn paths_in(reply: &Value) -> Vec<String> {
    let texts = ReturnedValue::collect(reply).into_iter().filter_map(|found| match found.value {
        Value::String(text) => Some(text),
        _ => None,
    });
    let mut found: Vec<String> = Vec::new();
    for text in texts.filter(|text| text.starts_with('/') || is_file_name(text)) {
        if !found.contains(&text) && !text.contains(char::is_whitespace) {
            found.push(text);
        }
    }
    found
}

/// What the result of a call names one by one, whatever it is called: the items of a list, or what stands under the first
/// key of each. Each has the type that a schema asks for; a list holds one.
pub fn entries(reply: &Value, schema: &Value) -> Vec<Value> {
    if let Some(items) = items_of(schema) {
        return each_in_a_list(entries(reply, items));
    }
    let all = ReturnedValue::collect(reply);
    let first = all.first().map(|first| first.key.clone()).unwrap_or_default();
    typed(all.iter().filter(|returned| returned.key == first), schema)
}

/// The schema of the items of a list of texts or numbers.
pub fn items_of(schema: &Value) -> Option<&Value> {
    let items = schema.get("items").filter(|_| types(schema).contains(&"array"))?;
    let kinds = types(items);
    let is_plain = kinds.iter().all(|kind| ["string", "integer", "number"].contains(kind));
    (is_plain && !kinds.is_empty()).then_some(items)
}

fn each_in_a_list(values: Vec<Value>) -> Vec<Value> {
    values.into_iter().map(|value| json!([value])).collect()
}

/// These values, each once and with a type that the schema takes; what has none is left out.
fn typed<'r>(returned: impl Iterator<Item = &'r ReturnedValue>, schema: &Value) -> Vec<Value> {
    let kinds = types(schema);
    let typed = |value: &Value| match value {
        _ if kinds.is_empty() => Some(value.clone()),
        Value::Number(number) if !kinds.contains(&"integer") && !kinds.contains(&"number") => {
            Some(json!(number.to_string()))
        }
        Value::String(text) if !kinds.contains(&"string") => text.parse::<i64>().ok().map(Value::from),
        value => Some(value.clone()),
    };
    let mut found: Vec<Value> = Vec::new();
    for value in returned.filter_map(|returned| typed(&returned.value)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Whether a value with this key may fit the parameter; both are plain names.
pub fn suits(key: &str, parameter: &str) -> bool {
    match key {
        "" => names_one(parameter),
        key => {
            key == parameter
                || parameter.ends_with(key)
                || key.ends_with(parameter)
                || is_of(parameter, key)
                || ["id", "identifier", "name"]
                    .iter()
                    .any(|end| parameter.strip_suffix(end).is_some_and(|thing| is_of(thing, key)))
                || names_one(key) && names_one(parameter)
        }
    }
}

/// Whether a key is called like a thing, or like many of it.
fn is_of(thing: &str, key: &str) -> bool {
    let is_in_ies = || thing.strip_suffix('y').is_some_and(|stem| key.strip_suffix("ies") == Some(stem));
    !thing.is_empty()
        && (key.strip_prefix(thing).is_some_and(|rest| ["", "s", "es"].contains(&rest)) || is_in_ies())
}

/// Whether a plain name says that its value stands for one thing out of many: what one tool calls its `id`, another one
/// asks for as `reference`.
pub fn names_one(plain: &str) -> bool {
    ["id", "identifier", "key", "ref", "reference", "handle", "token", "name"]
        .iter()
        .any(|end| plain.ends_with(end))
}

fn look(key: &str, value: &Value, depth: usize, found: &mut Vec<ReturnedValue>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if found.len() >= TAKEN {
        return;
    }
    match value {
        Value::Object(members) => {
            // Of the structured content the name says nothing either.
            let key = if key == "structuredcontent" { "" } else { key };
            if are_alike(members) {
                let room = TAKEN.saturating_sub(found.len());
                let names = members.keys().filter(|name| !name.is_empty() && name.len() <= LONG).take(room);
                found.extend(names.map(|name| ReturnedValue { key: key.to_owned(), value: json!(name) }));
            }
            for (name, value) in members {
                let name = plain_name(name);
                // What holds a mere list of texts says nothing of them.
                let is_list = value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
                let says_nothing = is_list && HOLDERS.contains(&name.as_str());
                look(if says_nothing { key } else { &name }, value, depth, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| look(key, item, depth, found)),
        // Members of a content item that describe it, and are not results.
        Value::String(_) if ["type", "mimetype", "role"].contains(&key) => {}
        Value::String(text) if key == "text" => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() => look("", &inner, depth, found),
            _ => read(text, found),
        },
        Value::String(text) if !text.is_empty() && text.len() <= LONG && !is_sentence(text) => {
            found.push(ReturnedValue { key: key.to_owned(), value: value.clone() });
        }
        Value::Number(_) => found.push(ReturnedValue { key: key.to_owned(), value: value.clone() }),
        Value::String(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Whether the members of an object are several objects with the same members: then their keys are the names of things.
fn are_alike(members: &Map<String, Value>) -> bool {
    let mut objects = members.values().map(Value::as_object);
    let Some(Some(first)) = objects.next() else { return false };
    let is_like_first = |other: &Map<String, Value>| {
        other.len() == first.len() && other.keys().all(|name| first.contains_key(name))
    };
    members.len() > 1 && !first.is_empty() && objects.all(|other| other.is_some_and(is_like_first))
}

fn is_sentence(text: &str) -> bool {
    text.split_whitespace().nth(WORDS).is_some()
}

/// The word with which an item of a list begins; one with a digit is found anyway.
fn item_of(line: &str, is_item: bool) -> Option<ReturnedValue> {
    let line = line.trim();
    let item = line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' '));
    let word = item.or(is_item.then_some(line))?.split_whitespace().next()?;
    let word = word.trim_matches(|letter: char| "\"'`,.:;".contains(letter));
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let is_word = !word.is_empty() && word.len() <= LONG && word.chars().all(is_name) && !has_digit;
    is_word.then(|| ReturnedValue { key: String::new(), value: json!(word) })
}

/// The `key: value` of a line; where the whole line is none, those of its clauses, and each `key=value` in it.
fn pairs(line: &str) -> Vec<ReturnedValue> {
    if let Some(whole) = pair(line) {
        return vec![whole];
    }
    let clauses = line.split([',', ';', '|', '(', ')']);
    let of_clause = |clause: &str| match pair(clause) {
        Some(found) => vec![found],
        None => clause.split_whitespace().filter(|word| word.contains('=')).filter_map(pair).collect(),
    };
    clauses.flat_map(of_clause).collect()
}

/// A `key: value` or `key=value` whose value is one word.
fn pair(text: &str) -> Option<ReturnedValue> {
    let (key, value) = text.split_once([':', '='])?;
    let is_around = |letter: char| letter.is_whitespace() || "\"'`,.*".contains(letter);
    let value = value.trim_matches(is_around);
    let is_word = !value.is_empty() && value.len() <= LONG && !value.contains(char::is_whitespace);
    let key = Some(plain_name(key)).filter(|plain| is_word && key.len() <= 40 && !plain.is_empty())?;
    Some(ReturnedValue { key, value: json!(value) })
}

/// Whether a word ends like the name of a file.
fn is_file_name(word: &str) -> bool {
    let is_ending = |ending: &str| {
        (2..=5).contains(&ending.len())
            && ending.starts_with(|letter: char| letter.is_ascii_lowercase())
            && ending.bytes().all(|letter| letter.is_ascii_alphanumeric())
    };
    const OF_DOMAINS: [&str; 8] = ["com", "org", "net", "edu", "gov", "dev", "app", "info"];
    let is_ending = |ending: &str| is_ending(ending) && !OF_DOMAINS.contains(&ending);
    !word.contains(':') && word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_ending(end))
}

/// Looks for `key: value`, for paths, for the items of lists and for words with a digit in them.
fn read(text: &str, found: &mut Vec<ReturnedValue>) {
    let end = (0..=READ.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let lines = || text[..end].lines().map(str::trim).filter(|line| !line.is_empty());
    let is_list = lines().count() > 1 && lines().all(|line| !line.contains(char::is_whitespace));
    for line in text[..end].lines() {
        found.extend(item_of(line, is_list).filter(|_| found.len() < TAKEN));
        found.extend(pairs(line));
        for word in line.split(|letter: char| letter.is_whitespace() || "\"'`,;()[]{}<>".contains(letter)) {
            let word = word.trim_matches(['.', ':', '!', '?']);
            let digits = word.strip_prefix('#').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            if digits.is_some_and(|digits| !digits.is_empty()) && found.len() < TAKEN {
                // The parameter's type may show whether the sign belongs to the value.
                found.push(ReturnedValue { key: String::new(), value: json!(word) });
            }
            let word = word.trim_matches('#');
            let is_name = |letter: char| {
                letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':' | '/')
            };
            if found.len() >= TAKEN || word.is_empty() || word.len() > LONG || !word.chars().all(is_name) {
                continue;
            }
            if word.starts_with('/') && word.len() > 1 {
                found.push(ReturnedValue { key: "path".to_owned(), value: json!(word) });
            } else if let Ok(number) = word.parse::<i64>() {
                found.push(ReturnedValue { key: String::new(), value: json!(number) });
            } else if word.bytes().any(|byte| byte.is_ascii_digit()) {
                found.push(ReturnedValue { key: String::new(), value: json!(word) });
            } else if is_file_name(word) {
                found.push(ReturnedValue { key: "file".to_owned(), value: json!(word) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reply: &Value, expected: &[(&str, Value)]) {
        let found: Vec<(String, Value)> = ReturnedValue::collect(reply)
            .into_iter()
            .map(|returned| (returned.key, returned.value))
            .collect();
        let expected: Vec<(String, Value)> =
            expected.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        assert_eq!(found, expected, "{reply}");
    }

    #[test]
    fn ids_and_paths_are_found_in_structure_in_json_text_and_in_prose() {
        check(&json!({"structuredContent": {"note": {"id": 7, "done": false}}}), &[("id", json!(7))]);
        let content = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        check(&content(r#"{"note_id":"n-1"}"#), &[("noteid", json!("n-1"))]);
        check(&content("Kept #12."), &[("", json!("#12")), ("", json!(12))]);
        check(
            &content("Created note n-12 in /w/notes.\nTask ID: t_9"),
            &[("", json!("n-12")), ("path", json!("/w/notes")), ("taskid", json!("t_9")), ("", json!("t_9"))],
        );
    }

    #[test]
    fn pairs_within_a_line_and_names_of_files_are_found() {
        let content = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        let text = json!({"type": "string"});
        for (reply, parameter, expected) in [
            ("Session opened (session id: quiet-fox, mode: fast)", "session_id", "quiet-fox"),
            ("Started: job=busy-owl state=running", "job_id", "busy-owl"),
            ("**Ticket key:** OPS-x", "ticket_key", "OPS-x"),
            ("Saved as chart.svg.", "file", "chart.svg"),
        ] {
            let found = returned_for(&content(reply), parameter, &text);
            assert_eq!(found.first(), Some(&json!(expected)), "{reply}");
        }
        assert!(returned_for(&content("Saved, i.e. kept at x.y in example.Com"), "file", &text).is_empty());
    }

    #[test]
    fn the_items_of_plain_lists_are_found() {
        let content = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        let id = json!({"type": "string"});
        for reply in [
            content(r#"["apple", "pear"]"#),
            content("apple\npear"),
            content("Skus:\n- apple\n- pear (two left)"),
            json!({"structuredContent": {"result": ["apple", "pear"]}}),
            json!({"structuredContent": {"skus": ["apple", "pear"]}}),
        ] {
            assert_eq!(returned_for(&reply, "sku_id", &id), [json!("apple"), json!("pear")], "{reply}");
            assert_eq!(entries(&reply, &id), [json!("apple"), json!("pear")], "{reply}");
        }
        let objects = content(r#"[{"sku": "apple", "price": 1}, {"sku": "pear", "price": 2}]"#);
        assert_eq!(entries(&objects, &id), [json!("apple"), json!("pear")]);
        assert!(returned_for(&content("Stored the note."), "note_id", &id).is_empty());
        let with_sentence = content(r#"{"skus": ["apple", "pear | a fruit that has the form of a bell"]}"#);
        assert_eq!(returned_for(&with_sentence, "sku", &id), [json!("apple")]);
    }

    #[test]
    fn the_keys_of_objects_that_are_alike_are_names() {
        let text = json!({"type": "string"});
        let fields = json!({"fields": ["title"], "rows": 2});
        let reply = json!({"structuredContent": {"entities": {"Todos": fields, "Users": fields}}});
        assert_eq!(returned_for(&reply, "entity", &text), [json!("Todos"), json!("Users")]);
        for other in [json!({"Todos": fields}), json!({"Todos": fields, "page": {"size": 2, "next": 3}})] {
            let reply = json!({"structuredContent": {"entities": other}});
            assert!(returned_for(&reply, "entity", &text).is_empty(), "{reply}");
        }
    }

    #[test]
    fn what_a_parameter_may_take_is_of_its_type_and_the_likeliest_comes_first() {
        let reply =
            json!({"content": [{"type": "text", "text": r#"{"id": 7, "list_id": 3, "title": "a1"}"#}]});
        let number = json!({"type": "integer"});
        assert_eq!(returned_for(&reply, "list_id", &number), [json!(3), json!(7)]);
        assert_eq!(returned_for(&reply, "note_id", &json!({"type": "string"})), [json!("7"), json!("3")]);
        assert_eq!(key_of(&reply, &json!("7")).as_deref(), Some("id"));
        assert_eq!(key_of(&reply, &json!(8)), None);
        let reply = json!({"content": [{"type": "text", "text": "Created note n-12."}]});
        assert_eq!(returned_for(&reply, "noteId", &json!({})), [json!("n-12")]);
        assert!(returned_for(&reply, "noteId", &number).is_empty());
        assert!(returned_for(&reply, "content", &json!({})).is_empty());
        assert_eq!(key_of(&reply, &json!("n-12")).as_deref(), Some(""));
    }

    #[test]
    fn a_reply_without_end_is_read_within_bounds() {
        let long = "n-1 ".repeat(100_000);
        assert!(ReturnedValue::collect(&json!({"content": [{"type": "text", "text": long}]})).len() <= TAKEN);
        let mut deep = json!(1);
        for _ in 0..60 {
            deep = json!([deep]);
        }
        assert_eq!(ReturnedValue::collect(&deep), []);
        let wide = "é".repeat(5_000);
        assert_eq!(ReturnedValue::collect(&json!({ "text": wide })), []);
    }

    #[test]
    fn a_key_suits_the_parameters_that_are_called_like_it() {
        for line in include_str!("returned.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let text = |name: &str| case[name].as_str().expect("a text");
            assert_eq!(suits(text("key"), text("parameter")), case["suits"], "{line}");
        }
    }
}
