//! What one change to the server most likely fixes: the cause of a finding.
//!
//! The main type is [`CauseKeys`]: what a finding shares with others of its rule. Findings that share
//! a key have one cause. Which keys a finding has depends on what its rule judges: a text is written in one
//! place of the server, a way of reporting errors is one place too if most tools share it, and a tool that
//! behaves wrongly is a place of its own.

use std::borrow::Cow;
use std::collections::BTreeSet;

use regex::Captures;

use crate::catalog::Catalog;
use crate::condition::{self, ConditionTrait};
use crate::finding::{Finding, Layer, Shared};
use crate::judge::fold::without_circumstance;
use crate::names::name_words;
use crate::pattern;
use crate::rules::handling;
use crate::rules::handling::Subject;
use crate::signature::{one_text, unnumbered};
use crate::wording::vague::is_status_alone;

/// The tools of a server, for deciding what most of them do.
#[derive(Debug, Clone, Copy)]
pub struct Peers<'a> {
    /// The tools that the server lists.
    pub catalog: &'a Catalog,
    /// The listed tools that are known to report errors.
    pub speaking: &'a BTreeSet<&'a str>,
}

impl Peers<'_> {
    /// Whether so many tools do something that it is the server's general behaviour: at least two, and more
    /// than the number of error-reporting tools that do not.
    pub(super) fn is_servers_way(self, doing: &BTreeSet<&str>) -> bool {
        let is_listed = |tool: &str| self.catalog.tools.is_empty() || self.catalog.tool(tool).is_some();
        let doing: BTreeSet<&str> = doing.iter().copied().filter(|tool| is_listed(tool)).collect();
        doing.len() > 1 && doing.len() > self.speaking.difference(&doing).count()
    }
}

/// The keys that a finding shares with others of its rule. The first one names the cause if no other
/// finding shares any.
pub(super) struct CauseKeys(pub(super) Vec<(Shared, String)>);

impl CauseKeys {
    /// The keys of a finding; `is_servers_way` is whether most tools break this rule, `is_raw` whether the server passes on
    /// a text that a runtime wrote.
    pub(super) fn new(
        finding: &Finding,
        is_servers_way: bool,
        is_raw: bool,
        nouns: &BTreeSet<String>,
    ) -> Self {
        if finding.layer == Some(Layer::Sdk) {
            return Self(vec![(Shared::Validation, String::new())]);
        }
        let tool = || finding.tool.clone().unwrap_or_default();
        let words = || (Shared::Words, words(&finding.signature, nouns));
        let is_of_all = finding.tool.is_none() && finding.places.iter().any(|place| place.tool.is_some());
        Self(match handling(&finding.rule).subject {
            // By decision the finding stands for many tools, with this fault.
            _ if is_of_all => vec![(Shared::Fault, fault(finding))],
            Subject::Words if is_raw => vec![(Shared::Fault, "a runtime's text".to_owned())],
            Subject::Words => vec![words()],
            Subject::Text => vec![(Shared::Tool, format!("{} {}", tool(), fault(finding))), words()],
            Subject::Bug => vec![match is_of_schema(finding) {
                true => (Shared::Fault, fault(finding)),
                false => words(),
            }],
            Subject::Fault | Subject::Code => vec![(Shared::Fault, fault(finding))],
            Subject::Manner if is_servers_way => vec![(Shared::Server, String::new())],
            Subject::Manner => vec![(Shared::Tool, tool()), words()],
            Subject::Tool => vec![(Shared::Tool, format!("{} {}", tool(), fault(finding)))],
            Subject::Review => vec![(Shared::Words, format!("{} {}", tool(), finding.signature))],
        })
    }

    /// Whether a rule judges how errors are reported, so that the number of tools that break it matters.
    pub(super) fn depend_on_peers(rule: &str) -> bool {
        handling(rule).subject == Subject::Manner
    }
}

/// The words of a signature. A value that was sent empty leaves no trace in a message, so that values do not count, nor do
/// marks with nothing between them, nor the nouns of what does not exist: "Source note not found" and "Target note not found"
/// lack the same. Nor does the ending of a file's name ("Unsupported file type: .txt" and "Unsupported file type: "), nor the name
/// of the HTTP status that a service answered with.
fn words(signature: &str, nouns: &BTreeSet<String>) -> String {
    let text = one_text(signature).replace("<value>", " ");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let without_nouns = |found: &Captures<'_>| {
        let is_other = |word: &&str| !nouns.contains(&word.to_lowercase());
        found[0].split(' ').filter(is_other).collect::<Vec<_>>().join(" ")
    };
    let text = pattern!("name/file-ending").replace_all(&text, "");
    let text = if is_status_alone(&text) { Cow::Borrowed("") } else { text };
    pattern!("name/absent-thing").replace_all(&text, without_nouns).into_owned()
}

/// The words of which a server makes the names of its tools and parameters.
pub(super) fn nouns(catalog: &Catalog) -> BTreeSet<String> {
    let names = catalog
        .tools
        .iter()
        .flat_map(|tool| std::iter::once(tool.name.as_str()).chain(tool.parameters().map(|(name, _)| name)));
    names.flat_map(name_words).collect()
}

/// Whether the tool's own schema forbids the call that shows the finding.
fn is_of_schema(finding: &Finding) -> bool {
    let conditions = finding.places.iter().filter_map(|place| place.condition.as_deref());
    conditions.into_iter().any(|condition| condition::has(condition, ConditionTrait::Schema))
}

/// The message without the tool's name, what was so at the time, the condition in findings about a schema's own keyword, and
/// numbers that differ from call to call.
fn fault(finding: &Finding) -> String {
    const BY_SCHEMA: &str = "its own schema forbids the arguments";
    let mut message = without_circumstance(&finding.message).to_owned();
    let tools = finding.places.iter().filter_map(|place| place.tool.as_deref());
    let tools: BTreeSet<&str> = tools.chain(finding.tool.as_deref()).collect();
    for tool in tools {
        message = message.replace(&format!("`{tool}`"), "`TOOL`");
    }
    if message.ends_with(BY_SCHEMA) {
        return BY_SCHEMA.to_owned();
    }
    // A number in a JSON-RPC code says what is wrong; a line, edit or byte number only says where.
    match handling(&finding.rule).subject {
        Subject::Code => message,
        _ => unnumbered(&message, "N").into_owned(),
    }
}
