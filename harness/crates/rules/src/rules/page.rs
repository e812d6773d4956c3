//! A rule's page: its metadata, documentation and two examples, in a TOML file beside the rule's source.
//!
//! The main type is [`RulePage`]. It does not know how a rule is checked.

use serde::Deserialize;
use serde_json::json;

use crate::expectation::Expected;
use crate::finding::Level;

use super::handling::Handling;

/// Everything about a rule except its id and check.
#[derive(Debug)]
pub struct RulePage {
    /// When the rule may be judged.
    pub tier: Tier,
    /// The level of its findings, unless the check gives another.
    pub level: Level,
    /// The requirements or specification sentences behind it; a finding names the first unless the check names
    /// another.
    pub requirements: Vec<String>,
    /// How its findings are handled.
    pub handling: Handling,
    /// One sentence: when the rule fires.
    pub summary: String,
    /// In Markdown: why it matters, what counts, what does not, how to fix it.
    pub text: String,
    /// The name of its fix in `fixes.toml`.
    pub fix: String,
    /// An example reply that breaks the rule.
    pub bad: Example,
    /// An example reply to the same call that does not.
    pub good: Example,
}

/// When a rule may be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// On every reply.
    Ungated,
    /// Only with a successful control that differs only in the fault.
    Gated,
    /// With a successful control at its own level, otherwise at level Should.
    Softened,
    /// Over all exchanges of a run.
    Run,
}

/// An exchange that illustrates a rule, for its page and its test. The folders are `/workspace` and `/outside`,
/// and the contract is `bracket-code`, declared by the server, unless `beside` says otherwise.
#[derive(Debug, Clone)]
pub struct Example {
    /// The call as JSON: `{"tool", "arguments"}`; an empty object for none.
    pub call: String,
    /// The line of the reply as it was received; empty if none came.
    pub reply: String,
    /// What is expected of the reply.
    pub expected: Expected,
    /// What else belongs to the exchange, as a JSON object; `{}` for nothing. Its keys are the fields of
    /// `FixtureExtras` in `rules/fixture.rs`.
    pub beside: String,
}

/// The file's contents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageFile {
    tier: Tier,
    level: Level,
    requirements: Vec<String>,
    #[serde(default)]
    handling: toml::Table,
    summary: String,
    page: String,
    fix: String,
    example: ExampleFile,
}

/// The two examples: their common keys, and those of each.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleFile {
    call: String,
    expected: Option<Expected>,
    beside: Option<String>,
    bad: ReplyFile,
    good: ReplyFile,
}

/// A reply: the text of an error or of a success, a whole line, or none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyFile {
    error: Option<String>,
    success: Option<String>,
    reply: Option<String>,
    expected: Option<Expected>,
    beside: Option<String>,
}

impl RulePage {
    /// Reads the file of the rule with this id.
    ///
    /// # Panics
    ///
    /// If the file does not have this form; a test reads the file of every rule.
    pub(super) fn read(id: &str, file: &str) -> Self {
        let group = id.split('/').next().unwrap_or_default();
        let read = || {
            let PageFile { tier, level, requirements, handling, summary, page, fix, example } =
                toml::from_str(file)?;
            let (text, handling) = (page.trim().to_owned(), Handling::of(group, handling)?);
            let (bad, good) = (example.with(&example.bad), example.with(&example.good));
            Ok::<_, toml::de::Error>(Self {
                tier,
                level,
                requirements,
                handling,
                summary,
                text,
                fix,
                bad,
                good,
            })
        };
        read().unwrap_or_else(|error| panic!("the page of {id}: {error}"))
    }
}

impl ExampleFile {
    fn with(&self, own: &ReplyFile) -> Example {
        Example {
            call: self.call.clone(),
            reply: own.line(),
            expected: own.expected.as_ref().or(self.expected.as_ref()).unwrap_or(&Expected::Anything).clone(),
            beside: own.beside.as_ref().or(self.beside.as_ref()).map_or("{}", String::as_str).to_owned(),
        }
    }
}

impl ReplyFile {
    /// The line, with members in the order in which servers usually write them.
    fn line(&self) -> String {
        let content = |text: &str| json!([{"type": "text", "text": text}]);
        let result = match (&self.error, &self.success, &self.reply) {
            (Some(text), None, None) => json!({"content": content(text), "isError": true}),
            (None, Some(text), None) => json!({"content": content(text)}),
            (None, None, line) => return line.clone().unwrap_or_default(),
            _ => panic!("an example has one reply"),
        };
        json!({"jsonrpc": "2.0", "id": 2, "result": result}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::all;

    #[test]
    fn every_page_says_in_a_phrase_when_its_rule_fires_and_in_the_end_how_to_fix_it() {
        for rule in all() {
            let (summary, text) = (&rule.page().summary, &rule.page().text);
            assert!(!summary.is_empty() && !summary.ends_with('.'), "{}", rule.id);
            assert!(text.contains("\n\n**How to fix it:** "), "{}", rule.id);
            assert!(text.contains("\n\n**Counts"), "{}", rule.id);
        }
    }
}
