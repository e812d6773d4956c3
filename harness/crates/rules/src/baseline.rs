//! Findings that an author accepts for now: they are reported as known and do not fail a run.
//!
//! The main type is [`Baseline`]. An entry names a rule, a tool and a condition, never a text: rewording a
//! message neither hides a finding nor brings one back. This module is pure except for [`Baseline::load`].

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cause;
use crate::document::quoted;
use crate::document::{Document, LoadError};
use crate::finding::{Finding, FindingPlace, Level, State};
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Transcript};

/// The name of the file when the harness writes it.
pub const FILE_NAME: &str = "mcp-errconf-baseline.toml";

/// Accepted findings, in the order in which they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Baseline {
    /// The accepted findings.
    #[serde(default)]
    pub accepted: BTreeSet<Entry>,
}

/// One accepted finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct Entry {
    /// The rule's id.
    pub rule: String,
    /// The tool; absent where no tool was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The condition or mutation; absent where the call was one that must succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

impl Entry {
    /// The entry that accepts a finding in one of its places.
    fn for_place(finding: &Finding, place: &FindingPlace) -> Self {
        Self { rule: finding.rule.clone(), tool: place.tool.clone(), condition: place.condition.clone() }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.rule)?;
        self.tool.as_ref().map_or(Ok(()), |tool| write!(formatter, ", tool {tool}"))?;
        self.condition.as_ref().map_or(Ok(()), |condition| write!(formatter, ", {condition}"))
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// When it cannot be read or is wrong; with the place.
    pub fn load(file: &Path) -> Result<Self, LoadError> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            LoadError::whole(&name, format!("cannot be read: {}", cause::describe(&error)))
        })?;
        Self::parse(&name, &text)
    }

    /// Reads a baseline from its text.
    ///
    /// # Errors
    /// When it is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, LoadError> {
        Document::parse(file, text)?.read()
    }

    /// The file's text: one entry a paragraph, in a stable order, so that a review shows what was accepted.
    pub fn render(&self) -> String {
        let mut text = String::from(HEADING);
        for entry in &self.accepted {
            text.push_str("\n[[accepted]]\n");
            let members = [
                ("rule", Some(&entry.rule)),
                ("tool", entry.tool.as_ref()),
                ("condition", entry.condition.as_ref()),
            ];
            for (key, value) in members.into_iter().filter_map(|(key, value)| Some((key, value?))) {
                text.push_str(&format!("{key} = {}\n", quoted(value)));
            }
        }
        text
    }

    /// Marks the places and findings that it accepts: a finding is known when all its places are.
    pub fn mark(&self, findings: &mut [Finding]) {
        let state = |known| if known { State::Known } else { State::New };
        for finding in findings {
            let known: Vec<bool> = finding
                .places
                .iter()
                .map(|place| self.accepted.contains(&Entry::for_place(finding, place)))
                .collect();
            for (place, known) in finding.places.iter_mut().zip(&known) {
                place.state = state(*known);
            }
            finding.state = state(!known.is_empty() && known.iter().all(|known| *known));
        }
    }

    /// The entries that no longer accept anything: what they accepted was tried again and is in order, or the
    /// tool is gone. An entry whose call was not sent in this run is not stale.
    pub fn stale(&self, transcript: &Transcript, findings: &[Finding]) -> Vec<Entry> {
        let found: BTreeSet<Entry> = entries(findings).collect();
        let is_stale = |entry: &&Entry| {
            !found.contains(entry) && (is_gone(entry, transcript) || is_tried(entry, transcript))
        };
        self.accepted.iter().filter(is_stale).cloned().collect()
    }

    /// The baseline without its stale entries. Entries whose calls were not sent are kept.
    #[must_use]
    pub fn without_stale(&self, transcript: &Transcript, findings: &[Finding]) -> Self {
        let stale = self.stale(transcript, findings);
        Self { accepted: self.accepted.iter().filter(|entry| !stale.contains(entry)).cloned().collect() }
    }

    /// The entries that another baseline does not have.
    pub fn not_in(&self, other: &Self) -> Vec<Entry> {
        self.accepted.difference(&other.accepted).cloned().collect()
    }

    /// The baseline that also accepts these findings, if they could fail a run.
    #[must_use]
    pub fn extended(&self, findings: &[Finding]) -> Self {
        let counting = findings.iter().filter(|finding| finding.level > Level::Note);
        Self { accepted: self.accepted.iter().cloned().chain(entries(counting)).collect() }
    }
}

const HEADING: &str = "\
# Findings that are accepted for now: `mcp-errconf` reports them as known, and they do not fail a run.
# Written by `mcp-errconf init`. `--accept-new` adds entries, `--update-baseline` removes those that are fixed.
";

fn entries<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> impl Iterator<Item = Entry> {
    findings
        .into_iter()
        .flat_map(|finding| finding.places.iter().map(|place| Entry::for_place(finding, place)))
}

/// Whether the tool is no longer listed. An entry may intentionally name an unlisted tool, for which a case is
/// planned.
fn is_gone(entry: &Entry, transcript: &Transcript) -> bool {
    entry.tool.as_ref().is_some_and(|tool| {
        !transcript.head.catalog.tools.is_empty()
            && transcript.head.catalog.tool(tool).is_none()
            && !transcript.cases.iter().any(|case| case.tools.contains(tool))
    })
}

/// What a call is planned as where a schema says nothing of its fault, and what once the schema forbids it, for the whole tool:
/// an accepted finding is fixed that way too.
const FORBIDDEN_SINCE: [(&str, &str); 1] = [("misspelt", "unknown-argument")];

/// Whether this run sent a call that would have shown the finding. Where only some cases were run, what a probe shows may be
/// missing for want of what other probes made.
fn is_tried(entry: &Entry, transcript: &Transcript) -> bool {
    let since = FORBIDDEN_SINCE.iter().find(|(silent, _)| entry.condition.as_deref() == Some(*silent));
    let is_meant = |condition: &Option<String>| {
        *condition == entry.condition
            || since.is_some_and(|(_, forbidden)| condition.as_deref() == Some(*forbidden))
    };
    let is_of_tool = |case: &&DrivenCase| entry.tool.as_ref().is_none_or(|tool| case.tools.contains(tool));
    let is_selection = transcript.head.is_selection;
    let is_whole = |case: &&DrivenCase| !is_selection || case.kind != CaseKind::Probe;
    let driven = transcript.cases.iter().filter(|case| case.outcome == CaseOutcome::Driven);
    let mut driven = driven.filter(is_of_tool).filter(is_whole);
    // A call that must succeed is the control of any case, too.
    driven.any(|case| entry.condition.is_none() && !is_selection || is_meant(&case.condition))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(rule: &str, tool: &str, condition: &str) -> Entry {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Entry { rule: rule.to_owned(), tool: some(tool), condition: some(condition) }
    }

    #[test]
    fn the_order_is_stable_and_absent_members_are_not_written() {
        let accepted = [
            entry("leak/panic", "read", ""),
            entry("code/missing", "write", "path-not-found"),
            entry("code/missing", "", ""),
        ];
        let text = Baseline { accepted: accepted.into() }.render();
        let (_, entries) = text.split_once("\n\n").unwrap();
        insta::assert_snapshot!(entries);
    }

    #[test]
    fn a_mistake_is_reported_with_its_place() {
        let error = |text: &str| Baseline::parse("b.toml", text).unwrap_err().to_string();
        assert_eq!(
            error("[[accepted]]\nrule = 'x/y'\ntol = 'z'\n"),
            "b.toml:3:1: unknown key `tol`: did you mean `tool`?"
        );
        assert_eq!(error("[[accepted]]\ntool = 'z'\n"), "b.toml:1:1: missing key `rule`");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(accepted in proptest::collection::btree_set(
            (".*", proptest::option::of(".*"), proptest::option::of(".*")), 0..5
        )) {
            let accepted = accepted.into_iter().map(|(rule, tool, condition)| Entry { rule, tool, condition });
            let baseline = Baseline { accepted: accepted.collect() };
            prop_assert_eq!(Baseline::parse("b.toml", &baseline.render()), Ok(baseline));
        }
    }
}
