//! Draws a text that a parameter of this name and description may accept.

use regex::RegexBuilder;
use serde_json::Value;

use super::kind::ParameterKind;
use super::names::plain_name;
use super::shown::{choices, examples, is_harmless};
use super::tool_files::ToolFiles;

/// Longer texts are not drawn.
const LONG: u64 = 4_096;

/// Values for formats that are not kinds of parameters. The addresses lead nowhere.
const FORMATS: [(&str, &str); 2] = [("uri", "https://example.invalid/"), ("hostname", "example.invalid")];

/// Texts that are tried if a `pattern` refuses the plain one.
const OTHERS: [&str; 12] = [
    "a",
    "A",
    "1",
    "abc-123",
    "notes.txt",
    "en",
    "US",
    "12:00",
    "2026-01-31",
    "#000000",
    "1.0.0",
    "someone@example.invalid",
];

/// A text for a parameter; different turns give different ones if there are several.
pub(super) fn text(name: &str, schema: &Value, tool_files: &ToolFiles, turn: usize) -> Option<String> {
    let number = |key: &str| schema.get(key).and_then(Value::as_u64);
    let (least, most) = (number("minLength").unwrap_or(0), number("maxLength").unwrap_or(LONG));
    if least > LONG || most < least {
        return None;
    }
    let pattern = schema
        .get("pattern")
        .and_then(Value::as_str)
        .map(|pattern| RegexBuilder::new(pattern).size_limit(1 << 20).build().ok());
    let fits = |text: &str| {
        let length = text.chars().count() as u64;
        let matches = match &pattern {
            None => true,
            Some(pattern) => pattern.as_ref().is_some_and(|pattern| pattern.is_match(text)),
        };
        (least..=most).contains(&length) && matches
    };
    let plain = plain(name, schema, tool_files, turn);
    let padded: String = plain
        .chars()
        .chain(std::iter::repeat('a'))
        .take(most.min(least.max(plain.chars().count() as u64)) as usize)
        .collect();
    [plain, padded].into_iter().chain(OTHERS.map(str::to_owned)).find(|text| fits(text))
}

/// What a text parameter is, as far as its name and schema say so.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextRole {
    /// One of [`FORMATS`], with its value.
    Format(&'static str),
    /// A path of the file system.
    Path,
    /// A revision of a git repository, with one that exists.
    Revision(&'static str),
    /// A pattern for names of files.
    Glob,
    /// An address, by its name.
    Address,
    /// A kind of the table.
    Kind(&'static ParameterKind),
    /// Nothing in particular.
    Plain,
}

impl TextRole {
    /// The role of a text parameter of this name, by its schema with references followed.
    pub(super) fn of(name: &str, schema: &Value, tool_files: &ToolFiles) -> Self {
        let keyword = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let format = keyword("format");
        if let Some((_, text)) = FORMATS.iter().find(|(known, _)| *known == format) {
            return Self::Format(text);
        }
        if let Some(kind) = ParameterKind::of_format(format).filter(|kind| kind.valid(0).is_some()) {
            return Self::Kind(kind);
        }
        let (plain, lower) = (plain_name(name), keyword("description").to_lowercase());
        if tool_files.takes_path(&plain, &lower) {
            return Self::Path;
        }
        if let Some(revision) = tool_files.revision(&plain) {
            return Self::Revision(revision);
        }
        if plain.contains("glob") || lower.contains("glob pattern") {
            return Self::Glob;
        }
        if plain.ends_with("url") || plain.ends_with("uri") {
            return Self::Address;
        }
        ParameterKind::of_text(name, schema, tool_files.around()).map_or(Self::Plain, Self::Kind)
    }
}

fn plain(name: &str, schema: &Value, tool_files: &ToolFiles, turn: usize) -> String {
    let keyword = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    let role = TextRole::of(name, schema, tool_files);
    let description = keyword("description");
    match role {
        TextRole::Format(text) | TextRole::Revision(text) => return text.to_owned(),
        TextRole::Path => return tool_files.path(&plain_name(name), &description.to_lowercase(), turn),
        TextRole::Glob => return "*".to_owned(),
        TextRole::Kind(kind) if kind.is_of_format(keyword("format")) => {
            return kind.valid(turn).unwrap_or("alpha").to_owned();
        }
        TextRole::Address | TextRole::Kind(_) | TextRole::Plain => {}
    }
    let shown: Vec<String> = examples(description).into_iter().filter(|shown| is_harmless(shown)).collect();
    if let Some(example) = shown.get(turn).or_else(|| shown.first()) {
        return example.clone();
    }
    let kind = ParameterKind::of_text(name, schema, tool_files.around());
    if kind.is_none()
        && let words = choices(description)
        && let Some(word) = words.get(turn % words.len().max(1))
        && is_harmless(word)
    {
        return word.clone();
    }
    if matches!(role, TextRole::Address) {
        return "https://example.invalid/".to_owned();
    }
    // A tool may use another notation than its parameter's name suggests. With several right values, the other
    // turns give those.
    let kind = kind.filter(|kind| turn.is_multiple_of(2) || kind.valid(0) != kind.valid(1));
    kind.and_then(|kind| kind.valid(turn)).unwrap_or("alpha").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(name: &str, schema: &Value, expected: Option<&str>) {
        assert_eq!(text(name, schema, &ToolFiles::at("/w/c"), 0).as_deref(), expected, "{name}: {schema}");
    }

    #[test]
    fn a_text_is_what_name_format_and_description_ask_for() {
        check("path", &json!({}), Some("/w/c/notes.txt"));
        check("directory", &json!({}), Some("/w/c/sub"));
        check("when", &json!({"format": "date"}), Some("2026-01-31"));
        check("when", &json!({"format": "time"}), Some("12:00:00Z"));
        let zone = json!({"description": "IANA timezone name (e.g., 'America/New_York', 'Europe/London')"});
        check("timezone", &zone, Some("America/New_York"));
        check("time", &json!({"description": "24-hour format (HH:MM)"}), Some("12:00"));
        check("query", &json!({}), Some("alpha"));
        let object = Some(r#"{"alpha": 1}"#);
        check("json_string", &json!({}), object);
        check("json_a", &json!({}), object);
        check("csv1", &json!({}), Some("alpha,beta\n1,2\n"));
        check("data", &json!({"description": "A valid JSON object"}), object);
        check("expression", &json!({}), Some("1 + 1"));
        let path = json!({"description": "JSON path, such as a.b"});
        check("json_path", &path, Some("a.b"));
        check("json_file", &json!({}), Some("/w/c/notes.txt"));
        check("file_path2", &json!({}), Some("/w/c/notes.txt"));
        check(
            "input",
            &json!({"description": "\u{538b}\u{7f29}\u{6587}\u{4ef6}\u{8def}\u{5f84}"}),
            Some("/w/c/notes.txt"),
        );
        check("source", &json!({"description": "Source file path"}), Some("/w/c/notes.txt"));
        check("source", &json!({"description": "Start node of the graph"}), Some("alpha"));
        let kinds =
            json!({"description": "Whether to list local ('local'), remote ('remote') or all ('all')."});
        check("branch_type", &kinds, Some("local"));
        for (text, first) in [
            ("One of small, large", "small"),
            ("Its size: one of small, medium or large.", "small"),
            ("Either up | down", "up"),
            ("One of the sizes, or none of them", "alpha"),
            ("One of our customers", "alpha"),
        ] {
            check("marker", &json!({ "description": text }), Some(first));
        }
        check("title", &json!({"description": "A name; \"it's 'good'\" is one"}), Some("alpha"));
        assert_eq!(text("yaml", &json!({}), &ToolFiles::at("/w/c"), 1).as_deref(), Some("alpha"));
    }

    #[test]
    fn bounds_and_patterns_are_kept_or_nothing_is_drawn() {
        check("q", &json!({"minLength": 8}), Some("alphaaaa"));
        check("q", &json!({"maxLength": 3}), Some("alp"));
        check("q", &json!({"minLength": 1_000_000_000}), None);
        check("q", &json!({"pattern": "^[A-Z]+$"}), Some("A"));
        check("q", &json!({"pattern": "^(a{1000}){1000}$"}), None);
        check("q", &json!({"pattern": "^never-in-a-list$"}), None);
    }
}
