//! Values that could be executed are drawn from a small grammar of harmless ones, whatever a server does with
//! them.
//!
//! The main type is [`ExecutableKind`]: the kind of thing that a parameter's value is when a server executes,
//! opens or sends it. [`executable_kind`] derives it from the names and descriptions of a tool and a parameter;
//! [`ExecutableKind::draw`] makes a value. In doubt a parameter counts as executable: that costs variety, while
//! the opposite mistake would cost files. This module knows nothing of sessions, or of why a value is sent.

use serde::Deserialize;
use serde_json::Value;

use crate::catalog::Tool;
use crate::roles::{Binding, Role};

mod grammar;
mod recognise;

pub use recognise::executable_kind;

/// An array that needs more items than this is drawn too short.
const MANY: usize = 1_000;

/// Returns a number below the given one, which is never zero: the source of all randomness here.
pub type Chooser<'c> = &'c mut dyn FnMut(usize) -> usize;

/// The way in which a server executes, opens or sends a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutableKind {
    /// A command line for a shell, or input lines of a process.
    Command,
    /// A program and its arguments, as an array of texts.
    Words,
    /// Arguments for a program that is given elsewhere.
    Flags,
    /// The name of a program.
    Program,
    /// Source code that is evaluated.
    Code(CodeLanguage),
    /// A statement for a database.
    Sql,
    /// An address that is opened.
    Url,
    /// A host to connect to.
    Host,
    /// A port to connect to.
    Port,
    /// A recipient of mail.
    Mail,
    /// A phone number to call.
    Phone,
    /// A package or an image that is fetched and run.
    Package,
    /// A text in which expressions are evaluated.
    Template,
}

/// The language of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CodeLanguage {
    /// Python.
    Python,
    /// JavaScript or TypeScript.
    JavaScript,
    /// A query of GraphQL.
    GraphQl,
    /// A query of Cypher.
    Cypher,
    /// An unknown or other language: expressions that most languages share.
    Other,
}

/// What drawn values may refer to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawReferences<'g> {
    /// Absolute paths of files and folders that the harness made in the workspace.
    pub files: &'g [String],
    /// The address of the harness's own HTTP stub, such as `http://127.0.0.1:40000`.
    pub upstream: Option<&'g str>,
}

/// Like [`executable_kind`], but also considers the tool's role: the parameter bound to a shell's command is
/// executed, whatever its name.
pub fn bound_executable_kind(
    tool: &Tool,
    bindings: &[Binding],
    parameter: &str,
    schema: &Value,
) -> Option<ExecutableKind> {
    let shell = bindings.iter().find(|binding| binding.role == Role::Shell && binding.tool == tool.name);
    let place = shell.and_then(|binding| binding.parameters.get("command"));
    let name = |place: &String| place.trim_end_matches("[]").rsplit('.').next() == Some(parameter);
    if place.is_some_and(name) {
        return Some(if recognise::is_array(schema) {
            ExecutableKind::Words
        } else {
            ExecutableKind::Command
        });
    }
    executable_kind(tool, parameter, schema)
}

impl ExecutableKind {
    /// Its name in `harmless.toml` and `kinds.toml`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Words => "words",
            Self::Flags => "flag",
            Self::Program => "program",
            Self::Code(CodeLanguage::Python) => "python",
            Self::Code(CodeLanguage::JavaScript) => "javascript",
            Self::Code(CodeLanguage::GraphQl) => "graphql",
            Self::Code(CodeLanguage::Cypher) => "cypher",
            Self::Code(CodeLanguage::Other) => "code",
            Self::Sql => "sql",
            Self::Url => "url",
            Self::Host => "host",
            Self::Port => "port",
            Self::Mail => "mail",
            Self::Phone => "phone",
            Self::Package => "package",
            Self::Template => "template",
        }
    }

    /// A value of this kind: often one that works, sometimes one that must fail, never one that does harm. It
    /// is an array with a suitable number of items if the schema requires one, and a number for a port that is
    /// declared as a number.
    pub fn draw(self, schema: &Value, references: &DrawReferences<'_>, choose: Chooser<'_>) -> Value {
        let one = |choose: Chooser<'_>| grammar::text(self, references, choose);
        match self {
            Self::Words => {
                let mut words = grammar::words(references, choose);
                words.truncate(most_items(schema));
                Value::from(words)
            }
            Self::Port if !recognise::is_text(schema) => {
                one(choose).parse::<u16>().unwrap_or_default().into()
            }
            _ if recognise::is_array(schema) => {
                let least = bound(schema, "minItems").unwrap_or(0).min(MANY);
                let count = (1 + choose(3)).max(least).min(most_items(schema));
                (0..count).map(|_| Value::from(one(choose))).collect()
            }
            _ => Value::from(one(choose)),
        }
    }

    /// The plainest value of this kind, used when minimizing.
    pub fn plainest(self, schema: &Value) -> Value {
        self.draw(schema, &DrawReferences::default(), &mut |_| 0)
    }
}

/// How many items an array may have.
fn most_items(schema: &Value) -> usize {
    bound(schema, "maxItems").unwrap_or(usize::MAX)
}

fn bound(schema: &Value, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const KINDS: [ExecutableKind; 17] = [
        ExecutableKind::Command,
        ExecutableKind::Words,
        ExecutableKind::Flags,
        ExecutableKind::Program,
        ExecutableKind::Code(CodeLanguage::Python),
        ExecutableKind::Code(CodeLanguage::JavaScript),
        ExecutableKind::Code(CodeLanguage::GraphQl),
        ExecutableKind::Code(CodeLanguage::Cypher),
        ExecutableKind::Code(CodeLanguage::Other),
        ExecutableKind::Sql,
        ExecutableKind::Url,
        ExecutableKind::Host,
        ExecutableKind::Port,
        ExecutableKind::Mail,
        ExecutableKind::Phone,
        ExecutableKind::Package,
        ExecutableKind::Template,
    ];

    /// Words that must not occur in any draw, whatever surrounds them.
    const DESTRUCTIVE: [&str; 52] = [
        "rm", "rmdir", "unlink", "mv", "cp", "dd", "mkfs", "kill", "pkill", "killall", "shutdown", "reboot",
        "halt", "poweroff", "chmod", "chown", "ln", "tee", "truncate", "shred", "curl", "wget", "nc", "ssh",
        "scp", "sudo", "su", "eval", "exec", "source", "crontab", "at", "nohup", "find", "xargs", "sed",
        "drop", "delete", "insert", "update", "alter", "create", "grant", "attach", "copy", "merge",
        "import", "require", "open", "system", "fetch", "process",
    ];

    fn texts(value: &Value) -> Vec<String> {
        match value {
            Value::Array(items) => items.iter().flat_map(texts).collect(),
            Value::String(text) => vec![text.clone()],
            other => vec![other.to_string()],
        }
    }

    fn drawn(kind: ExecutableKind, schema: &Value, picks: &[u32]) -> Value {
        let files = ["/w/s/notes.txt".to_owned(), "/w/s/it's sub".to_owned()];
        let references = DrawReferences { files: &files, upstream: Some("http://127.0.0.1:40000") };
        let mut picks = picks.iter().copied().cycle();
        kind.draw(schema, &references, &mut |below| picks.next().map_or(0, |pick| pick as usize % below))
    }

    /// The paths in a text: anything that begins with a slash after neither a letter nor a slash.
    fn paths(text: &str) -> Vec<&str> {
        let begins = |(at, _): &(usize, &str)| {
            !text[..*at].ends_with(|before: char| {
                before.is_alphanumeric() || matches!(before, '/' | ':' | ']' | '.' | '#')
            })
        };
        text.match_indices('/').filter(begins).map(|(at, _)| &text[at..]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_drawn_does_harm(picks in prop::collection::vec(any::<u32>(), 1..40), array in any::<bool>()) {
            let schema = if array { json!({"type": "array"}) } else { json!({"type": "string"}) };
            for kind in KINDS {
                for text in texts(&drawn(kind, &schema, &picks)) {
                    let lower = text.to_lowercase();
                    let words = lower.split(|letter: char| !letter.is_alphanumeric());
                    for word in words {
                        prop_assert!(!DESTRUCTIVE.contains(&word), "{kind:?}: {text}");
                    }
                    if matches!(kind, ExecutableKind::Command | ExecutableKind::Words | ExecutableKind::Flags | ExecutableKind::Program) {
                        prop_assert!(!text.contains(['>', '<', '`', '~', '*']), "a redirect: {text}");
                        prop_assert!(!text.contains("$(") && !text.contains(".."), "{text}");
                        prop_assert!(!text.replace("&&", "").contains('&'), "something goes on: {text}");
                        prop_assert!(!text.replace("||", "").contains('|'), "a pipe: {text}");
                        for path in paths(&text) {
                            prop_assert!(path.starts_with("/w/s/"), "a path outside the workspace: {text}");
                        }
                    }
                }
            }
        }

        #[test]
        fn addresses_lead_to_this_computer_and_nobody_is_written_to(picks in prop::collection::vec(any::<u32>(), 1..20)) {
            let schema = json!({"type": "string"});
            for text in texts(&drawn(ExecutableKind::Url, &schema, &picks)) {
                let place = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
                let place = place.split(['/', '?', '#']).next().unwrap_or_default();
                let place = place.rsplit('@').next().unwrap_or_default();
                let leads_home = ["127.0.0.1", "[::1]", "localhost"].iter().any(|home| place.starts_with(home));
                prop_assert!(leads_home || place.is_empty(), "{text}");
            }
            for text in texts(&drawn(ExecutableKind::Mail, &schema, &picks)) {
                let domain = text.rsplit('@').next().unwrap_or_default().trim_end_matches('>');
                prop_assert!(domain.is_empty() || domain.ends_with("example.invalid"), "{text}");
            }
        }
    }

    #[test]
    fn draws_differ_and_the_plainest_is_always_the_same() {
        for kind in KINDS {
            let schema = json!({"type": "string"});
            let different: BTreeSet<String> = (0..200u32)
                .map(|pick| drawn(kind, &schema, &[pick, pick / 7, pick / 3]).to_string())
                .collect();
            assert!(different.len() >= 3, "{kind:?}: {different:?}");
            assert_eq!(kind.plainest(&schema), kind.plainest(&schema));
        }
    }

    #[test]
    fn a_command_is_recognised_where_a_role_says_so_alone() {
        let tool = Tool::named("go", json!({"properties": {"text": {"type": "string"}}}));
        let schema = tool.parameter("text").unwrap();
        assert_eq!(executable_kind(&tool, "text", schema), None);
        let binding = Binding::of(Role::Shell, "go", [("command", "text")]);
        assert_eq!(bound_executable_kind(&tool, &[binding], "text", schema), Some(ExecutableKind::Command));
    }
}
