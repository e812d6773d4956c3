//! Writes a configuration for an inspected server, with further options as comments.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;

use crate::document::quoted;
use crate::escape;
use crate::judge::{Report, ToolVerdict, inline, key_of, laid_out};

/// What to write besides the server's command.
#[derive(Debug, Clone, Copy)]
pub struct Outline<'a> {
    /// The contract's id or folder.
    pub contract: &'a str,
    /// The deadline of a call, if the author gave one.
    pub timeout: Option<Duration>,
    /// The baseline's file.
    pub baseline: &'a str,
    /// The host's file from which the server was taken, and its name there.
    pub from: Option<(&'a str, &'a str)>,
    /// The command line, without secrets.
    pub command: &'a [String],
    /// The variables of its environment.
    pub env: &'a [WrittenVariable],
}

/// A variable of `[server.env]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenVariable {
    /// Its name.
    pub name: String,
    /// Its value, or `${NAME}` for a secret.
    pub value: String,
    /// Whether it is the address of a service, for which the harness could stand in.
    pub is_address: bool,
}

/// The text of a configuration for judging the server of a report again.
pub fn render(report: &Report, outline: &Outline<'_>) -> String {
    let words: Vec<String> = outline.command.iter().map(|word| quoted(word)).collect();
    let started = match outline.from {
        Some((file, name)) => format!(
            "# The server as a host starts it, by that host's file.\nfrom = {}\nname = {}",
            quoted(file),
            quoted(name)
        ),
        None => format!(
            "# `{{workspace}}` stands for the folder that the harness prepares for a run.\ncommand = [{}]",
            words.join(", ")
        ),
    };
    let mut text = format!(
        "# What `mcp-errconf run` knows about this server. Written by `mcp-errconf init`; you may change any \
         key.\n\n# Findings that are accepted for now.\nbaseline = {}\n",
        quoted(outline.baseline)
    );
    // Writing to a string never fails.
    let _ = writeln!(
        text,
        "\n# How the server promises to report errors; `mcp-errconf list contracts` lists the contracts.\n\
         contract = {}",
        quoted(outline.contract)
    );
    let _ = writeln!(text, "\n[server]\n{started}");
    if outline.env.is_empty() {
        let _ = writeln!(text, "# env = {{ LOG_LEVEL = \"error\", ROOT = \"{{workspace}}\" }}");
    }
    let _ = writeln!(text, "# cwd = \".\"");
    let _ = match outline.timeout {
        Some(timeout) => writeln!(text, "timeout = {}", timeout.as_secs_f64()),
        None => writeln!(text, "# timeout = 10"),
    };
    environment(&mut text, outline.env);
    roles(&mut text, report);
    tell(&mut text, &report.tools);
    text.push_str(REST);
    text
}

/// The variables that the server needs.
fn environment(text: &mut String, variables: &[WrittenVariable]) {
    if variables.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n# Variables that were set, and that the server's sources or messages mention.\n[server.env]"
    );
    for WrittenVariable { name, value, is_address } in variables {
        if value.contains("${") {
            let _ = writeln!(text, "# A secret, which is taken from the environment of `mcp-errconf`.");
        }
        let _ = writeln!(text, "{} = {}", key_of(name), quoted(value));
        if *is_address {
            let _ = writeln!(
                text,
                "# Or, in its place, an HTTP service of `mcp-errconf`, which also fails on purpose:\n# {} = \"{{upstream}}\"",
                key_of(name)
            );
        }
    }
}

/// The roles as they were found, as comments to change.
fn roles(text: &mut String, report: &Report) {
    text.push_str("\n# Which tool plays which role, as detected. To set it yourself, remove the `#`:\n");
    for bound in &report.bindings {
        let _ = writeln!(text, "# [roles.{}]\n# tool = {}", bound.role, quoted(&bound.tool));
        for (parameter, name) in bound.parameters.as_object().into_iter().flatten() {
            let _ = writeln!(text, "# {parameter} = {}", quoted(name.as_str().unwrap_or_default()));
        }
    }
    if report.bindings.is_empty() {
        text.push_str("# [roles.read]\n# tool = \"read_file\"\n# path = \"path\"\n");
    }
}

/// The successful calls that refusals led to, so that later runs need not search for them.
fn tell(text: &mut String, tools: &[ToolVerdict]) {
    if let Some(laid) = laid_out(tools) {
        let _ = writeln!(
            text,
            "\n# What a run lays out in the workspace, each in the folder of the tool whose call leads there:\n# {}",
            escape::line(&laid)
        );
    }
    let mut is_first = true;
    for tool in tools {
        let (Some(valid), Some(words)) = (&tool.valid, &tool.words) else { continue };
        if holds_null(valid) {
            continue;
        }
        if is_first {
            text.push_str(
                "\n# Arguments with which a call succeeds; others were refused before, with these words:\n",
            );
            is_first = false;
        }
        let words = escape::line(words);
        let (name, valid) = (key_of(&tool.name), inline(valid));
        let _ = match &tool.rests_on {
            None => writeln!(text, "[tools.{name}]\n# {words}\nvalid = {valid}"),
            // The thing in the call is different in the next run, which searches again.
            Some(maker) => writeln!(
                text,
                "# [tools.{name}]\n# {words}\n# valid = {valid}  # works only after `{}`, with a value from its reply",
                escape::line(maker)
            ),
        };
    }
    let mut left = tools.iter().filter_map(lines_for_valid).peekable();
    if left.peek().is_some() {
        text.push_str(
            "\n# Tools that are not judged yet. Give each a call that succeeds, and remove the `#` before its lines:\n",
        );
    }
    for line in left.flat_map(str::lines) {
        let _ = writeln!(text, "# {}", escape::line(line));
    }
}

/// The lines that give a tool which is not judged a call that succeeds; `None` if nothing like that would help.
pub fn lines_for_valid(tool: &ToolVerdict) -> Option<&str> {
    let is_written = tool.valid.is_some() && tool.words.is_some();
    let lines = tool.next.as_deref().filter(|_| tool.own == 0 && !is_written)?;
    (lines.starts_with("[tools.") && lines.contains("\nvalid = ")).then_some(lines)
}

/// Whether a value contains null, which TOML cannot express.
fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(holds_null),
        Value::Object(members) => members.values().any(holds_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// What else a configuration may say, as comments.
const REST: &str = include_str!("rest.toml");

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_refusals_said_is_written_so_that_it_is_read_again() {
        let tool = |name: &str, valid: Value, words: Option<&str>| ToolVerdict {
            name: name.to_owned(),
            class: "read".to_owned(),
            planned: 1,
            judged: 1,
            own: 0,
            valid: Some(valid),
            laid: Vec::new(),
            words: words.map(str::to_owned),
            rests_on: None,
            mended: crate::judge::Mended::default(),
            replies: Vec::new(),
            conditions: Vec::new(),
            why: None,
            next: None,
        };
        let tools = vec![
            tool(
                "plan.it",
                json!({"when": "2026-01-31", "of": {"a": [1]}}),
                Some("use\u{1b}[31m YYYY-MM-DD"),
            ),
            tool("other", json!({"when": null}), Some("no")),
            ToolVerdict {
                rests_on: Some("create_note".to_owned()),
                ..tool("get_note", json!({"id": "n-1"}), Some("the notes are n-1"))
            },
            ToolVerdict {
                laid: vec!["data.csv".to_owned()],
                ..tool("drawn", json!({"a": "{workspace}/probe-drawn/data.csv"}), None)
            },
        ];
        let mut text = String::new();
        super::tell(&mut text, &tools);
        let config =
            crate::config::parse("mcp-errconf.toml", &text, std::path::Path::new("")).expect("it is right");
        assert_eq!(config.tools.len(), 1, "{text}");
        assert!(text.contains("\n# `data.csv` (1 tool)\n"), "{text}");
        assert!(text.contains(r#"# valid = { id = "n-1" }  # works only after `create_note`"#), "{text}");
        assert!(config.tools["plan.it"].valid.is_some() && !text.contains('\u{1b}'), "{text}");
    }

    /// The comments are examples: with the `#` removed they are valid.
    #[test]
    fn the_examples_in_the_comments_are_right() {
        let plain: Vec<&str> = super::REST
            .lines()
            .map(|line| {
                line.strip_prefix("# ")
                    .filter(|line| line.contains(" = ") || line.starts_with('['))
                    .unwrap_or("")
            })
            .collect();
        let config = crate::config::parse("mcp-errconf.toml", &plain.join("\n"), std::path::Path::new(""));
        let config = config.expect("the examples are right");
        assert!(
            config.limits.root
                && config.coverage == Some(0.5)
                && config.tools.len() == 2
                && config.levels.len() == 1
                && config.codes.len() == 1
        );
    }
}
