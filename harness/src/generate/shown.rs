//! Example values in a text: after "e.g.", "Example:", "such as" or "format", quoted, bare or as a block of
//! lines; and series such as `value='#ff0000' source='hex'`, which together make a whole call.
//!
//! The main functions are [`examples`] and [`series`]. The words that announce an example come from many
//! languages. The author of the text may want anything to be sent: [`is_harmless`] decides what may be.

use serde_json::{Map, Value, json};

use crate::json_schema::{flattened, types};
use crate::pattern;
use crate::words;

/// How many bytes of a text are read.
const READ: usize = 8 * 1024;
/// At most this many examples of one text are kept.
const MOST: usize = 12;
/// How far after the announcing word quoted values count as examples, in bytes.
const NEAR: usize = 400;
/// The maximum length of a block.
const BLOCK: usize = 1_500;
/// The maximum length of a word in a list of choices.
const WORD: usize = 24;
/// At most this many series of one text are kept.
const SERIES: usize = 3;

/// The examples in a text without duplicates, the most certain first: quoted ones, then blocks, then bare
/// words.
pub(crate) fn examples(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(READ)];
    let (mut quoted, mut blocks, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for found in pattern!("example/announced").captures_iter(text) {
        let whole = found.get(0).expect("group 0 is the match");
        let rest = &text[whole.end()..];
        if found.name("word").is_some() {
            let is_plural = whole.as_str().ends_with(['s', 'S', 'e', 'E']);
            blocks.extend(block(rest, is_plural));
            let of_rest = quoted_in(paragraph(rest));
            if of_rest.is_empty() {
                bare.extend(unquoted_values(rest));
            }
            quoted.extend(of_rest);
        } else {
            // "format 'x'", "Format: 'x' or 'y'", but nothing further away.
            let run = pattern!("example/run").find(rest);
            quoted.extend(run.map(|run| quoted_in(run.as_str())).into_iter().flatten());
        }
    }
    let mut shown: Vec<String> = Vec::new();
    for value in quoted.into_iter().chain(blocks).chain(bare) {
        if !shown.contains(&value) && shown.len() < MOST {
            shown.push(value);
        }
    }
    shown
}

/// The words that a text offers as choices: `Whether to list the 'local', the 'remote' or 'all' of them`, or, where
/// nothing is quoted, `One of small, large`. Empty if it names fewer than two, or quotes more than words.
pub(crate) fn choices(text: &str) -> Vec<String> {
    let text = &text[..text.floor_char_boundary(READ)];
    let quoted = quoted_in(text);
    if quoted.is_empty() {
        let found = pattern!("value/choices").captures(text);
        let found = found.or_else(|| pattern!("value/alternatives").captures(text));
        let all = found.as_ref().and_then(|found| found.name("all")).map_or("", |all| all.as_str());
        let all = all.replace(", or ", ",").replace(" or ", ",");
        let words = all.split([',', '|', '/']).map(|word| word.split(" (").next().unwrap_or_default().trim());
        return words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
    }
    let is_word = |value: &String| {
        value.len() <= WORD
            && value.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && value.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
    };
    let mut words: Vec<String> = Vec::new();
    for word in quoted.iter().filter(|value| is_word(value)) {
        if !words.contains(word) {
            words.push(word.clone());
        }
    }
    let are_all_words = quoted.iter().all(is_word);
    if are_all_words && (2..=MOST).contains(&words.len()) { words } else { Vec::new() }
}

/// The only values that a parameter takes, as its description says: its choices, unless it gives them as examples or leaves
/// the list open.
pub(crate) fn only_values(description: &str) -> Vec<String> {
    if pattern!("value/open-ended").is_match(description) { Vec::new() } else { choices(description) }
}

/// The text up to the end of the paragraph.
fn paragraph(rest: &str) -> &str {
    let near = &rest[..rest.floor_char_boundary(NEAR)];
    near.find("\n\n").map_or(near, |end| &near[..end])
}

/// The quoted values in a text.
pub(crate) fn quoted_in(text: &str) -> Vec<String> {
    let groups = ["a", "b", "c", "d", "e", "f"];
    let found = pattern!("example/quoted").captures_iter(text);
    found
        .filter_map(|found| groups.iter().find_map(|name| found.name(name)))
        .map(|value| value.as_str().to_owned())
        // A template with an unknown part, such as `<name>`, `{id}` or `...`, is none.
        .filter(|value| !value.trim().is_empty() && !pattern!("example/template").is_match(value))
        .collect()
}

/// The unquoted values that follow: `2024-01-31, 2024-02-01)`.
fn unquoted_values(rest: &str) -> Vec<String> {
    let Some(run) = pattern!("example/bare").captures(rest).and_then(|found| found.name("run")) else {
        return Vec::new();
    };
    let is_one = |part: &str| {
        let is_spaced = part.contains(' ');
        let has_mark = part.contains(|letter: char| letter.is_ascii_digit() || "=:/[{_#".contains(letter));
        !part.is_empty() && (!is_spaced || has_mark && part.split(' ').count() < 4)
    };
    // Commas in brackets do not separate values.
    let parts: Vec<&str> = match run.as_str().contains(['[', '{']) {
        true => vec![run.as_str()],
        false => run.as_str().split(", ").collect(),
    };
    let trimmed = parts.into_iter().map(|part| part.trim().trim_end_matches(['.', ',', ':']));
    trimmed.take_while(|part| is_one(part)).take(4).map(str::to_owned).collect()
}

/// The lines after a word at the end of its line: the whole block, and for several examples each line. A fenced
/// block ends with its fence.
fn block(rest: &str, is_plural: bool) -> Vec<String> {
    let Some((end, below)) = rest.split_once('\n') else { return Vec::new() };
    if !end.trim_matches([':', '\u{ff1a}', ' ', '\r', ')', '*']).is_empty() {
        return Vec::new();
    }
    let below = below.trim_start_matches('\n');
    let fenced = below.trim_start().strip_prefix("```").and_then(|inner| {
        let (_, inner) = inner.split_once('\n')?;
        inner.split_once("```").map(|(inner, _)| inner)
    });
    let lines: Vec<&str> = match fenced {
        Some(inner) => inner.lines().collect(),
        None => below.lines().take_while(|line| !line.trim().is_empty()).collect(),
    };
    let indented = |line: &&str| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indented).min().unwrap_or(0);
    let text: Vec<&str> = lines.iter().map(|line| line.get(least..).unwrap_or("").trim_end()).collect();
    let whole = text.join("\n");
    if whole.trim().is_empty() || whole.len() > BLOCK {
        return Vec::new();
    }
    let is_even = lines.iter().all(|line| indented(line) == least);
    let single = || {
        let plain = text.iter().map(|line| line.trim_start_matches(['-', '*', '\u{2022}', ' ']).to_owned());
        plain.filter(|line| line.len() > 1).take(4).collect::<Vec<_>>()
    };
    match (is_plural && is_even && fenced.is_none(), text.len()) {
        (true, _) | (_, 1) => single(),
        (false, _) => vec![whole],
    }
}

/// The calls that a text shows as series of names and values, `value='100' unit_from='miles'` or `{"value":
/// "100"}`, those with the most names first. The values are converted to the types in a tool's schema.
pub(crate) fn series(text: &str, schema: &Value) -> Vec<Map<String, Value>> {
    let text = &text[..text.floor_char_boundary(READ)];
    let whole = flattened(schema, schema);
    let Some(properties) = whole.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let mut found: Vec<Map<String, Value>> = Vec::new();
    for line in text.lines() {
        let mut members = Map::new();
        for pair in pattern!("example/pair").captures_iter(line) {
            let name = &pair["name"];
            let Some(parameter) = properties.get(name).filter(|_| !members.contains_key(name)) else {
                continue;
            };
            let parameter = flattened(parameter, schema);
            let value = match (pair.name("a").or(pair.name("b")).or(pair.name("c")), pair.name("n")) {
                (Some(text), _) => Value::from(text.as_str()),
                (None, Some(plain)) => {
                    serde_json::from_str(&plain.as_str().to_lowercase()).unwrap_or_default()
                }
                (None, None) => pair
                    .name("l")
                    .and_then(|list| serde_json::from_str(&list.as_str().replace('\'', "\"")).ok())
                    .unwrap_or_default(),
            };
            if let Some(value) = of_type(value, &parameter) {
                members.insert(name.to_owned(), value);
            }
        }
        let is_new = !found.contains(&members);
        if members.len() > usize::from(properties.len() > 1) && is_new {
            found.push(members);
        }
    }
    found.sort_by_key(|members| std::cmp::Reverse(members.len()));
    found.truncate(SERIES);
    found
}

/// A value in the schema's type: a quoted number becomes a number if the schema requires one.
fn of_type(value: Value, schema: &Value) -> Option<Value> {
    let types = types(schema);
    let takes = |kind: &str| types.is_empty() || types.contains(&kind);
    match value {
        Value::String(text) if takes("string") => Some(Value::String(text)),
        Value::String(text) => {
            let parsed = serde_json::from_str::<Value>(&text).ok()?;
            (!parsed.is_string()).then(|| of_type(parsed, schema)).flatten()
        }
        Value::Number(number) => {
            let is_taken = takes("number") || takes("integer") && !number.is_f64();
            if is_taken {
                Some(Value::Number(number))
            } else {
                takes("string").then(|| Value::String(number.to_string()))
            }
        }
        Value::Bool(_) if takes("boolean") => Some(value),
        Value::Array(_) if takes("array") => Some(value),
        _ => None,
    }
}

/// The list or object that a text shows as an example: `e.g. [[1, 2], [3, 4]]`.
pub(crate) fn shown_json(text: &str, kind: &str) -> Option<Value> {
    let open = if kind == "array" { '[' } else { '{' };
    let text = &text[..text.floor_char_boundary(READ)];
    pattern!("example/announced").find_iter(text).find_map(|found| {
        let rest = &text[found.end()..];
        let at = rest.find(open).filter(|at| *at < 24)?;
        let mut values = serde_json::Deserializer::from_str(&rest[at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let is_filled = value.as_array().is_some_and(|items| !items.is_empty())
            || value.as_object().is_some_and(|members| !members.is_empty());
        is_filled.then_some(value)
    })
}

/// The JSON objects with members that stand in a text, wherever, without those within others.
pub(crate) fn objects(text: &str) -> Vec<Value> {
    let text = &text[..text.floor_char_boundary(READ)];
    let mut found: Vec<Value> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{').filter(|_| found.len() < MOST) {
        let mut read = serde_json::Deserializer::from_str(&rest[at..]).into_iter::<Map<String, Value>>();
        let end = match read.next() {
            Some(Ok(object)) => {
                let object = Value::Object(object);
                if object != json!({}) && !found.contains(&object) {
                    found.push(object);
                }
                read.byte_offset()
            }
            _ => closing(&rest[at..]),
        };
        rest = &rest[at + end..];
    }
    found
}

/// Where the brace is closed with which a text begins, and after the brace if it is not closed.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    1
}

/// Whether an example may be sent as a plain text: not a command, address, path out of our folders, or personal
/// name.
pub(crate) fn is_harmless(text: &str) -> bool {
    let is_harmful =
        |word: &str| words!("messages/shown-harmful").contains(&word.to_ascii_lowercase().as_str());
    text.len() <= BLOCK
        && !text.split(|letter: char| !letter.is_alphanumeric()).any(is_harmful)
        && ![pattern!("example/place"), pattern!("example/shell"), pattern!("example/path")]
            .iter()
            .any(|pattern| pattern.is_match(text))
        && !text.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// Texts, and what is found in them.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Cases {
        examples: Vec<(String, Vec<String>)>,
        only_values: Vec<(String, Vec<String>)>,
        series: Vec<(String, Value)>,
        harmless: Vec<String>,
        harmful: Vec<String>,
    }

    fn cases() -> Cases {
        toml::from_str(include_str!("shown/cases.toml")).expect("the cases are TOML")
    }

    #[test]
    fn what_is_shown_in_a_text_is_found() {
        let cases = cases();
        for (text, expected) in cases.examples {
            assert_eq!(examples(&text), expected, "{text}");
        }
        for (text, expected) in cases.only_values {
            assert_eq!(only_values(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_series_of_names_and_values_is_a_call() {
        let schema = json!({"properties": {"value": {"type": "string"}, "source": {"type": "string"},
                            "target": {"type": "string"}, "count": {"type": "integer"}}});
        for (text, expected) in cases().series {
            let shown: Vec<Value> = series(&text, &schema).into_iter().map(Value::Object).collect();
            assert_eq!(Value::from(shown), expected, "{text}");
        }
    }

    #[test]
    fn the_objects_in_a_text_are_found_without_those_within_others() {
        let text = r#"Ops: ``{"op": "add", "in": {"a": 1}}``, {"op": "set", "to": ...} or {"op": {"x": }, "in": {"b": 2}}; {} {id} {"op":
            "end"} {"#;
        assert_eq!(objects(text), [json!({"op": "add", "in": {"a": 1}}), json!({"op": "end"})]);
    }

    #[test]
    fn a_list_that_is_shown_is_one() {
        assert_eq!(shown_json("Rows (e.g. [[1, 2], [3, 4]])", "array"), Some(json!([[1, 2], [3, 4]])));
        assert_eq!(shown_json("Options, e.g. {\"a\": 1}.", "object"), Some(json!({"a": 1})));
        assert_eq!(shown_json("Rows [1]", "array"), None);
    }

    #[test]
    fn an_example_that_could_do_harm_is_not_sent() {
        let Cases { harmless, harmful, .. } = cases();
        let taken: Vec<&String> = harmless.iter().chain(&harmful).filter(|text| is_harmless(text)).collect();
        assert_eq!(taken, harmless.iter().collect::<Vec<_>>());
    }
}
