//! A server with a dozen bad tools whose error messages all contain what the caller sent, each in another way: raw, escaped,
//! as hexadecimal digits, cut off, reversed, in the wrong encoding, or among names, counters and times.
//!
//! ```text
//! cargo run -p mcp-errconf --example flood
//! ```
//!
//! It speaks on stdio. A campaign on it must report one finding for each fault and not one for each value. With
//! `templates` it prints one line for each fault instead: the tool and what stays the same in its message.

use std::collections::BTreeSet;
use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

/// A tool with its only parameter, and how it refuses or carries out a call.
struct Tool {
    name: &'static str,
    parameter: &'static str,
    /// What stays the same in its messages, one for each fault; that it wants a text comes on top.
    templates: &'static [&'static str],
    takes: Takes,
}

/// What a tool's parameter must be, and what becomes of one that is.
#[derive(Clone, Copy)]
enum Takes {
    /// A text; anything else is refused.
    Text(fn(&str, &mut Store) -> Answer),
    /// An object; the tool itself refuses what is none.
    Object(fn(&Value) -> Answer),
}

enum Answer {
    Success(String),
    /// An error without `isError`.
    Disguised(String),
    Refusal(String),
}

/// What the server remembers.
#[derive(Default)]
struct Store {
    titles: BTreeSet<String>,
    calls: u64,
}

use Answer::{Disguised, Refusal, Success};
use Takes::{Object, Text};

const TOOLS: [Tool; 12] = [
    Tool {
        name: "add_note",
        parameter: "title",
        templates: &["note rejected: title must not be empty", "title is characters long"],
        takes: Text(|text, store| match text {
            "" => Refusal(format!(
                "note #{} rejected at 2026-11-26T20:{:02}:{:02}.{:03}Z: title must not be empty",
                store.calls,
                store.calls / 60_000 % 60,
                store.calls / 1_000 % 60,
                store.calls % 1_000
            )),
            title if title.chars().count() > 40 => Refusal(format!(
                "title \"{}…\" is {} characters long (request {})",
                beginning(title, 12),
                title.chars().count(),
                uuid(store.calls)
            )),
            title => {
                if store.titles.len() < 50 {
                    store.titles.insert(title.to_owned());
                }
                Success("added".to_owned())
            }
        }),
    },
    Tool {
        name: "get_note",
        parameter: "title",
        templates: &["no such note; notes:"],
        takes: Text(|text, store| match text {
            title if store.titles.contains(title) => Success("a note".to_owned()),
            title => {
                let titles: Vec<_> = store.titles.iter().map(|title| format!("'{title}'")).collect();
                Refusal(format!("no such note: '{title}'; notes: {}", titles.join(", ")))
            }
        }),
    },
    Tool {
        name: "decode",
        parameter: "document",
        templates: &[
            "SyntaxError: Unexpected token is not valid JSON",
            "SyntaxError: Unexpected end of JSON input",
        ],
        takes: Text(|document, _| match serde_json::from_str::<Value>(document) {
            Ok(_) => Success("decoded".to_owned()),
            Err(error) => match document.chars().nth(error.column().saturating_sub(1)) {
                Some(letter) => Refusal(format!(
                    "SyntaxError: Unexpected token '{letter}', \"{}\"... is not valid JSON",
                    beginning(document, 10)
                )),
                None => Refusal("SyntaxError: Unexpected end of JSON input".to_owned()),
            },
        }),
    },
    Tool {
        name: "parse_number",
        parameter: "number",
        templates: &["ValueError: invalid literal for int() with base 10:"],
        takes: Text(|number, _| match (number, number.trim().parse::<i64>()) {
            (_, Ok(_)) => Success("a number".to_owned()),
            (number, Err(_)) => Refusal(format!(
                "ValueError: invalid literal for int() with base 10: '{}'",
                number.escape_default()
            )),
        }),
    },
    Tool {
        name: "publish",
        parameter: "body",
        templates: &["cannot publish"],
        takes: Text(|text, _| match text {
            "ok" | "alpha" => Success("published".to_owned()),
            // The bytes of UTF-8, read as Latin-1.
            body => Refusal(format!("cannot publish {}", body.bytes().map(char::from).collect::<String>())),
        }),
    },
    Tool {
        name: "open_link",
        parameter: "link",
        templates: &["cannot open the link"],
        takes: Text(|link, _| Refusal(format!("cannot open the link {}", unquoted(link)))),
    },
    Tool {
        name: "store_data",
        parameter: "data",
        templates: &["bad byte at offset in"],
        takes: Text(|data, _| match data.bytes().position(|byte| !byte.is_ascii_alphanumeric()) {
            None => Success("stored".to_owned()),
            Some(offset) => {
                let dump: Vec<String> = data.bytes().take(24).map(|byte| format!("{byte:02x}")).collect();
                let byte = data.as_bytes()[offset];
                Refusal(format!("bad byte 0x{byte:02x} at offset {offset} in {}", dump.join(" ")))
            }
        }),
    },
    Tool {
        name: "configure",
        parameter: "settings",
        templates: &["unknown keys:", "TypeError: settings must be an object, not"],
        takes: Object(|value| match value.as_object() {
            None => Refusal(format!("TypeError: settings must be an object, not {value}")),
            Some(settings) if settings.is_empty() => Success("nothing to do".to_owned()),
            Some(settings) => {
                let mut keys: Vec<String> = settings.keys().map(|key| key.to_uppercase()).collect();
                keys.sort();
                Refusal(format!("unknown keys: {}", keys.join(", ")))
            }
        }),
    },
    Tool {
        name: "tag",
        parameter: "name",
        templates: &["invalid character at position"],
        takes: Text(|name, _| {
            match (name, name.chars().enumerate().find(|(_, letter)| !letter.is_ascii_lowercase())) {
                (_, None) => Success("tagged".to_owned()),
                (_, Some((position, letter))) => {
                    Refusal(format!("invalid character U+{:04X} at position {position}", u32::from(letter)))
                }
            }
        }),
    },
    Tool {
        name: "draw",
        parameter: "shape",
        templates: &["failed:"],
        takes: Text(|text, _| match text {
            "circle" => Success("drawn".to_owned()),
            shape => {
                let reversed: String = shape.chars().rev().collect();
                Refusal(format!("\u{1b}[31mfailed\u{1b}[0m: {reversed}"))
            }
        }),
    },
    Tool {
        name: "search",
        parameter: "pattern",
        templates: &["error parsing regexp: missing closing ):"],
        takes: Text(|text, _| match text {
            pattern if pattern.chars().all(|letter| letter.is_ascii_alphanumeric()) => {
                Success("no match".to_owned())
            }
            pattern => {
                let folded = pattern.split_whitespace().collect::<Vec<_>>().join("_").to_lowercase();
                Refusal(format!("error parsing regexp: missing closing ): `{folded}`"))
            }
        }),
    },
    Tool {
        name: "load",
        parameter: "file",
        templates: &["Error: ENOENT: no such file or directory, open"],
        takes: Text(|file, _| {
            let name: String =
                file.chars().map(|letter| if letter.is_ascii_graphic() { letter } else { '_' }).collect();
            Disguised(format!("Error: ENOENT: no such file or directory, open '/srv/app/data/{name}.json'"))
        }),
    },
];

const WRONG_TYPE: &str = "TypeError: expected a string, not";

impl Takes {
    fn answer(self, value: &Value, store: &mut Store) -> Answer {
        match (self, value.as_str()) {
            (Text(answer), Some(text)) => answer(text, store),
            (Text(_), None) => Refusal(format!("{WRONG_TYPE} {value}")),
            (Object(answer), _) => answer(value),
        }
    }

    /// Its type in JSON Schema.
    fn kind(self) -> &'static str {
        match self {
            Text(_) => "string",
            Object(_) => "object",
        }
    }
}

fn beginning(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

fn uuid(number: u64) -> String {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{mixed:012x}",
        mixed as u32,
        mixed >> 48,
        number % 4096,
        mixed % 4096
    )
    .chars()
    .take(36)
    .collect()
}

/// A text with its `%00` and `\u0000` replaced by their characters.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let (mark, digits) = match letter {
            '%' => (1, 2),
            '\\' if rest[1..].starts_with('u') => (2, 4),
            _ => (0, 0),
        };
        let code = (digits > 0).then(|| rest.get(mark..mark + digits)).flatten();
        match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
            Some(decoded) => {
                out.push(decoded);
                rest = &rest[mark + digits..];
            }
            None => {
                out.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    out
}

/// What a method answers; `None` if there is no such method.
fn result(method: &str, params: &Value, store: &mut Store) -> Option<Value> {
    match method {
        "initialize" => Some(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "flood", "version": "1"},
        })),
        "ping" => Some(json!({})),
        "tools/list" => {
            let listed = TOOLS.iter().map(|tool| {
                json!({"name": tool.name, "inputSchema": {
                    "type": "object",
                    "properties": {tool.parameter: {"type": tool.takes.kind()}},
                    "required": [tool.parameter],
                }})
            });
            Some(json!({"tools": listed.collect::<Vec<_>>()}))
        }
        "tools/call" => {
            let tool = TOOLS.iter().find(|tool| params["name"] == tool.name)?;
            store.calls += 1;
            let (words, is_error) = match tool.takes.answer(&params["arguments"][tool.parameter], store) {
                Success(words) | Disguised(words) => (words, false),
                Refusal(words) => (words, true),
            };
            Some(json!({"content": [{"type": "text", "text": words}], "isError": is_error}))
        }
        _ => None,
    }
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if std::env::args().nth(1).as_deref() == Some("templates") {
        for tool in &TOOLS {
            let wrong_type = matches!(tool.takes, Text(_)).then_some(&WRONG_TYPE);
            for template in tool.templates.iter().chain(wrong_type) {
                writeln!(out, "{} {template}", tool.name)?;
            }
        }
        return Ok(());
    }
    let mut store = Store::default();
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        let Ok(request) = serde_json::from_slice::<Value>(&line) else {
            let error = json!({"code": -32700, "message": "Parse error"});
            writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": null, "error": error}))?;
            continue;
        };
        let (Some(id), Some(method)) = (request.get("id"), request["method"].as_str()) else { continue };
        let reply = match result(method, &request["params"], &mut store) {
            Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            None => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
            }
        };
        writeln!(out, "{reply}")?;
        out.flush()?;
    }
    Ok(())
}
