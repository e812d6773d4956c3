//! Descriptions of parameters within the description of a tool, as written by servers that derive schemas from
//! function signatures: `Args:` with a line for each, `:param name:`, a list.
//!
//! The main function is [`described`].

use serde_json::{Map, Value};

/// At most this many bytes of a description are read.
const READ: usize = 16 * 1024;
/// The maximum length of a parameter's description.
const LONG: usize = 2_000;

/// The descriptions of these parameters that have a line of their own, including continuation lines.
pub(super) fn described<'n>(
    description: &str,
    names: impl Iterator<Item = &'n str>,
) -> Vec<(&'n str, String)> {
    let description = &description[..description.floor_char_boundary(READ)];
    let names: Vec<&str> = names.collect();
    let mut found: Vec<(&str, String)> = Vec::new();
    // The parameter whose lines are being read, and their indentation.
    let mut open: Option<(usize, usize)> = None;
    for line in description.lines() {
        let indented = line.len() - line.trim_start().len();
        let bare = line.trim();
        if let Some((name, description)) = beginning(bare, &names) {
            let is_new = !found.iter().any(|(known, _)| *known == name);
            open = is_new.then_some((found.len(), indented));
            if is_new {
                found.push((name, description.to_owned()));
            }
            continue;
        }
        let Some((at, depth)) = open else { continue };
        let is_below = indented > depth || indented == depth && !is_heading(bare);
        if bare.is_empty() || !is_below || found[at].1.len() > LONG {
            open = None;
            continue;
        }
        let description = &mut found[at].1;
        if !description.is_empty() {
            description.push('\n');
        }
        description.push_str(bare);
    }
    found.retain(|(_, description)| !description.trim().is_empty());
    found
}

/// The properties completed from the description where the schema says nothing about a parameter; `None` if
/// that adds nothing.
pub(super) fn filled(description: &str, properties: &Map<String, Value>) -> Option<Map<String, Value>> {
    let is_silent = |schema: &Value| {
        schema.is_object() && schema.get("description").and_then(Value::as_str).is_none_or(str::is_empty)
    };
    let silent = properties.iter().filter(|(_, schema)| is_silent(schema));
    let silent: Vec<&str> = silent.map(|(name, _)| name.as_str()).collect();
    if silent.is_empty() || description.is_empty() {
        return None;
    }
    // The lines of other parameters end those of the undescribed ones.
    let descriptions = described(description, properties.keys().map(String::as_str));
    let mut filled = properties.clone();
    let mut is_changed = false;
    for (name, descriptions) in descriptions.into_iter().filter(|(name, _)| silent.contains(name)) {
        if let Some(schema) = filled.get_mut(name).and_then(Value::as_object_mut) {
            schema.insert("description".to_owned(), Value::String(descriptions));
            is_changed = true;
        }
    }
    is_changed.then_some(filled)
}

/// The parameter whose description begins on this line, and the description.
fn beginning<'n, 'l>(line: &'l str, names: &[&'n str]) -> Option<(&'n str, &'l str)> {
    let line = line.trim_start_matches(['-', '*', '\u{2022}', '+', ' ']);
    let line = [":param ", ":parameter ", ":arg ", "@param "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line);
    let line = line.trim_start_matches(['`', '*', '"', '\'']);
    // If one name is the beginning of another, the longer one is meant.
    let mut begins: Vec<&str> = names.iter().copied().filter(|name| line.starts_with(name)).collect();
    begins.sort_by_key(|name| std::cmp::Reverse(name.len()));
    begins.into_iter().find_map(|name| {
        let rest = line[name.len()..].trim_start_matches(['`', '*', '"', '\'']).trim_start();
        // As in `name (str, optional): ..` or `name [required]: ..`.
        let rest = match (rest.chars().next(), rest.find([')', ']'])) {
            (Some('(' | '['), Some(end)) if end < 80 => rest[end + 1..].trim_start(),
            _ => rest,
        };
        let marks = [":", "\u{ff1a}", "- ", "-- ", "\u{2013} ", "\u{2014} "];
        let description = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
        Some((name, description.trim_start_matches('*').trim()))
    })
}

/// Whether a line is a heading such as "Returns:" or "Examples:".
fn is_heading(line: &str) -> bool {
    line.ends_with([':', '\u{ff1a}']) && line.split_whitespace().count() < 3 || line.starts_with("---")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_description_tells_of_the_parameters_of_its_line() {
        for line in include_str!("docstring.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let description = case["description"].as_str().expect("a description");
            let found = described(description, ["path", "path_to", "limit"].into_iter());
            assert_eq!(json!(found), case["found"], "{line}");
        }
    }

    #[test]
    fn what_the_schema_says_itself_stays() {
        let properties = json!({"path": {"type": "string"}, "limit": {"description": "own"}});
        let filled = filled("path: A file\nlimit: other", properties.as_object().unwrap()).unwrap();
        assert_eq!(
            Value::Object(filled),
            json!({"path": {"type": "string", "description": "A file"}, "limit": {"description": "own"}})
        );
        assert!(super::filled("limit: other", properties.as_object().unwrap()).is_none());
    }
}
