//! Options as `--help` tells them; the configuration's keys and the report's fields as the JSON Schemas describe them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::program::{folder, stdout};

use super::{Pages, read};

pub(super) fn pages() -> Pages {
    let config = schema("config");
    let events = schema("ndjson");
    let lead = "`mcp-errconf.toml` lies beside the server's sources. Flags override it; paths in it are relative to its own \
                folder; and every mistake is reported with file, line, column and the nearest known key. Made from \
                [`config.schema.json`](../../../schema/config.schema.json).";
    let mut configuration = format!("# Configuration\n\n{lead}\n\n");
    object(&mut configuration, "The file", &config);
    definitions(&mut configuration, &config, &config);
    let lead = "`--report json` writes one document. `schema_version` is 1; added fields do not change it. Made from \
                [`ndjson.schema.json`](../../../schema/ndjson.schema.json), whose last event holds this document.";
    let mut report = format!("# The JSON report\n\n{lead}\n\n");
    let of_report = &events["$defs"]["Report"];
    object(&mut report, "The document", of_report);
    definitions(&mut report, &events, of_report);
    Pages::from([
        ("reference/options.md".to_owned(), options()),
        ("reference/configuration.md".to_owned(), configuration),
        ("reference/json-report.md".to_owned(), report),
    ])
}

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(format!("{name}.schema.json"));
    serde_json::from_str(&read(&path)).expect("it is JSON")
}

fn help(words: &[&str]) -> String {
    stdout(&folder().run(words).code(0)).trim_end().to_owned()
}

/// The names of the subcommands, as the help lists them.
pub(super) fn subcommands() -> Vec<String> {
    let help = help(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

fn options() -> String {
    let mut text = format!(
        "# Options\n\nAs `--help` shows them. The packages have man pages of the same.\n\n```text\n{}\n```\n",
        help(&["--help"])
    );
    for name in subcommands() {
        let _ = write!(text, "\n## {name}\n\n```text\n{}\n```\n", help(&[&name, "--help"]));
    }
    text
}

/// The definitions that an object leads to, each once, in the order in which they are met.
fn definitions(text: &mut String, document: &Value, from: &Value) {
    let (mut seen, mut waiting) = (BTreeSet::new(), references(from));
    while !waiting.is_empty() {
        let name = waiting.remove(0);
        if !seen.insert(name.clone()) {
            continue;
        }
        let definition = &document["$defs"][&name];
        object(text, &name, definition);
        waiting.extend(references(definition));
    }
}

/// The names of definitions that are referred to, in their order.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| *key != "$defs")
            .flat_map(|(key, member)| match member.as_str().and_then(|to| to.strip_prefix("#/$defs/")) {
                Some(name) if key == "$ref" => vec![name.to_owned()],
                _ => references(member),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// One object as a table of its members, or one enumeration as a list.
fn object(text: &mut String, name: &str, schema: &Value) {
    let _ = write!(text, "## {name}\n\n");
    if let Some(described) = schema["description"].as_str() {
        let _ = write!(text, "{}\n\n", described.replace('\n', " "));
    }
    if let Some(members) = schema["properties"].as_object() {
        text.push_str("| key | type | what it says |\n|---|---|---|\n");
        for (key, member) in members {
            let mut says = cell(member["description"].as_str().unwrap_or_default());
            if let Some(default) = member.get("default").filter(|default| !is_empty(default)) {
                let _ = write!(says, " Default: `{default}`.");
            }
            let _ = writeln!(text, "| `{key}` | {} | {} |", cell(&kind(member)), says.trim());
        }
        text.push('\n');
    } else if let Some(choices) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        for choice in choices {
            let described = choice["description"].as_str().unwrap_or_default().replace('\n', " ");
            let colon = if described.is_empty() { "" } else { ": " };
            let _ = writeln!(text, "- {}{colon}{described}", kind(choice));
        }
        text.push('\n');
    } else {
        let _ = write!(text, "{}\n\n", capital(&kind(schema)));
    }
}

fn capital(words: &str) -> String {
    words.chars().take(1).flat_map(char::to_uppercase).chain(words.chars().skip(1)).collect::<String>() + "."
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Null => true,
        _ => false,
    }
}

/// What a value is, in a few words; other objects by a link to theirs.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|to| to.strip_prefix("#/$defs/")) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(only) = schema.get("const") {
        return format!("`{only}`");
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", ");
    }
    if let Some(choices) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    let of = |name: &str| match name {
        "array" if schema["prefixItems"].is_array() => {
            let items = schema["prefixItems"].as_array().expect("it is an array");
            format!("array of {}", items.iter().map(kind).collect::<Vec<_>>().join(" and "))
        }
        "array" => format!("array of {}", kind(&schema["items"])),
        "object" => match schema.get("additionalProperties").filter(|member| member.is_object()) {
            Some(member) => format!("object with values: {}", kind(member)),
            None => members(schema),
        },
        other => other.to_owned(),
    };
    match &schema["type"] {
        Value::String(name) => of(name),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(of).collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

/// An object with its members' names.
fn members(schema: &Value) -> String {
    let Some(members) = schema["properties"].as_object() else { return "object".to_owned() };
    let names: Vec<String> =
        members.iter().map(|(name, member)| format!("`{name}`: {}", kind(member))).collect();
    format!("object with {}", names.join(", "))
}

fn cell(words: &str) -> String {
    words.replace('\n', " ").replace('|', "\\|")
}
