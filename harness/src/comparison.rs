//! Two reports of one server, before and after a change: what is new, what is gone, which texts are others, and whether the
//! messages have become better.
//!
//! The main type is [`ReportDelta`]. Findings are distinguished as a baseline does, by rule, tool and case and never by their texts,
//! so that another grouping of the same places is no change.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::{Finding, Level, State};
use crate::judge::{FindingCounts, Mended, Report, Status, Strictness};

mod human;
mod markdown;

/// What became of a server between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportDelta {
    /// 1.
    pub schema_version: u32,
    /// The first report.
    pub before: ReportSide,
    /// The second.
    pub after: ReportSide,
    /// What makes the two hard to compare: another contract, another server.
    pub remarks: Vec<String>,
    /// What only the second one has.
    pub new: Vec<FindingChange>,
    /// What only the first one has.
    pub gone: Vec<FindingChange>,
    /// What both have, with another text.
    pub changed: Vec<ChangedText>,
    /// How many findings are the same.
    pub unchanged: usize,
    /// The share of the wrong calls that the messages alone mend.
    pub mended: Trend,
}

/// One of the two reports, in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportSide {
    /// The server's name by its own word.
    pub server: String,
    /// Its version.
    pub version: String,
    /// The contract's id.
    pub contract: String,
    /// Findings by level.
    pub findings: FindingCounts,
    /// The measure of messages.
    pub mended: Mended,
}

/// A finding that one of the two has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingChange {
    /// The rule.
    pub rule: String,
    /// How severe.
    pub level: Level,
    /// Whether a baseline accepts it.
    pub state: State,
    /// The tool.
    pub tool: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The text that shows it.
    pub text: Option<String>,
    /// In this many places only this report has it.
    pub places: usize,
    /// In this many places the other one has it too.
    pub elsewhere: usize,
    /// Of what is gone: in this many of its places the second report judged nothing, so that nobody knows.
    pub unjudged: usize,
}

/// A finding that both have, with its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedText {
    /// The rule.
    pub rule: String,
    /// The tool.
    pub tool: Option<String>,
    /// A case in which it shows.
    pub case: String,
    /// The text of the first report.
    pub before: String,
    /// The text of the second.
    pub after: String,
}

/// Which way a figure went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// The second report has more.
    Up,
    /// It has less.
    Down,
    /// They have the same.
    Same,
    /// One of them measured nothing.
    Unmeasured,
}

/// What makes a place the same in both reports; what stands outside cases is distinguished by its signature.
type Key<'r> = (&'r str, Option<&'r str>, &'r str);

impl ReportDelta {
    /// Compares two reports.
    pub fn between(before: &Report, after: &Report) -> Self {
        let (old, new) = (places(before), places(after));
        let is_judged = |key: &Key<'_>| {
            let case = after.cases.iter().find(|case| case.id.0 == key.2);
            case.is_some_and(|case| matches!(case.status, Status::Passed | Status::Failed))
        };
        let mut unchanged = 0;
        let mut changes = |report: &Report, other: &BTreeMap<Key<'_>, &Finding>, is_gone: bool| {
            let mut changes = Vec::new();
            for finding in &report.findings {
                let keys = keys(finding);
                // What was a lesser finding there before is new as this one; what has become a lesser one is not gone.
                let is_alone = |key: &&Key<'_>| {
                    other.get(*key).is_none_or(|known| !is_gone && known.level < finding.level)
                };
                let alone: Vec<&Key<'_>> = keys.iter().filter(is_alone).collect();
                if alone.is_empty() {
                    unchanged += usize::from(!is_gone);
                    continue;
                }
                let unjudged = alone.iter().filter(|key| is_gone && !is_judged(key)).count();
                changes.push(change(finding, alone.len(), keys.len() - alone.len(), unjudged));
            }
            changes
        };
        let added = changes(after, &old, false);
        let gone = changes(before, &new, true);
        Self {
            schema_version: 1,
            before: side(before),
            after: side(after),
            remarks: remarks(before, after),
            new: added,
            gone,
            changed: changed(before, &new),
            unchanged,
            mended: trend(before.summary.mended, after.summary.mended),
        }
    }

    /// Whether the second report is worse: it has a new finding that counts, or one that was a lesser one before; with
    /// [`Strictness::Should`] also where the messages mend a smaller share of the calls.
    pub fn is_worse(&self, strictness: Strictness) -> bool {
        let counts = |change: &FindingChange| change.state == State::New && strictness.counts(change.level);
        let fewer = strictness == Strictness::Should && self.mended == Trend::Down;
        self.new.iter().any(counts) || fewer
    }

    /// For people, on a terminal.
    pub fn human(&self) -> String {
        human::render(self)
    }

    /// For a comment on a pull request: every word of a server stands in code.
    pub fn markdown(&self) -> String {
        markdown::render(self)
    }
}

fn side(report: &Report) -> ReportSide {
    ReportSide {
        server: report.server.name.clone(),
        version: report.server.version.clone(),
        contract: report.contract.id.clone(),
        findings: report.summary.findings,
        mended: report.summary.mended,
    }
}

fn keys(finding: &Finding) -> Vec<Key<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    for place in &finding.places {
        let case = place.case.as_ref().map_or(finding.signature.as_str(), |case| case.0.as_str());
        let key = (finding.rule.as_str(), place.tool.as_deref().or(finding.tool.as_deref()), case);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    if keys.is_empty() {
        keys.push((finding.rule.as_str(), finding.tool.as_deref(), finding.signature.as_str()));
    }
    keys
}

/// Each place with its finding, the gravest where a rule has several there.
fn places(report: &Report) -> BTreeMap<Key<'_>, &Finding> {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| finding.level);
    findings
        .into_iter()
        .flat_map(|finding| keys(finding).into_iter().map(move |key| (key, finding)))
        .collect()
}

fn change(finding: &Finding, places: usize, elsewhere: usize, unjudged: usize) -> FindingChange {
    FindingChange {
        rule: finding.rule.clone(),
        level: finding.level,
        state: finding.state,
        tool: finding.tool.clone(),
        message: finding.message.clone(),
        text: finding.evidence.as_ref().map(|evidence| evidence.text.clone()),
        places,
        elsewhere,
        unjudged,
    }
}

/// Findings with another text than before, where values are not what differs. A text is that of a finding's first case.
fn changed(before: &Report, after: &BTreeMap<Key<'_>, &Finding>) -> Vec<ChangedText> {
    let mut changed: Vec<ChangedText> = Vec::new();
    for old in &before.findings {
        let Some(case) = &old.case else { continue };
        let key =
            (old.rule.as_str(), old.places.first().and_then(|place| place.tool.as_deref()), case.0.as_str());
        let Some(new) = after.get(&key).filter(|new| new.signature != old.signature && new.case == old.case)
        else {
            continue;
        };
        let (Some(was), Some(is)) = (&old.evidence, &new.evidence) else { continue };
        if was.text != is.text
            && !changed.iter().any(|known| known.before == was.text && known.after == is.text)
        {
            changed.push(ChangedText {
                rule: old.rule.clone(),
                tool: old.tool.clone(),
                case: case.0.clone(),
                before: was.text.clone(),
                after: is.text.clone(),
            });
        }
    }
    changed
}

fn remarks(before: &Report, after: &Report) -> Vec<String> {
    let mut remarks = Vec::new();
    if before.server.name != after.server.name {
        remarks.push(format!("the servers differ: {} and {}", before.server.name, after.server.name));
    }
    if before.contract.id != after.contract.id {
        remarks.push(format!("the contracts differ: {} and {}", before.contract.id, after.contract.id));
    }
    if before.harness.version != after.harness.version {
        let (was, is) = (&before.harness.version, &after.harness.version);
        remarks.push(format!("the versions of mcp-errconf differ: {was} and {is}"));
    }
    remarks
}

/// Shares are compared without division: of 3 mended 2, of 6 mended 4 is the same.
fn trend(before: Mended, after: Mended) -> Trend {
    if before.of == 0 || after.of == 0 {
        return Trend::Unmeasured;
    }
    let (was, is) = ((before.one + before.two) * after.of, (after.one + after.two) * before.of);
    match is.cmp(&was) {
        std::cmp::Ordering::Greater => Trend::Up,
        std::cmp::Ordering::Less => Trend::Down,
        std::cmp::Ordering::Equal => Trend::Same,
    }
}

/// The measure of messages of both, in a line.
fn measure(comparison: &ReportDelta) -> String {
    let fixed = |mended: Mended| format!("{} of {}", mended.one + mended.two, mended.of);
    let (was, is) = (fixed(comparison.before.mended), fixed(comparison.after.mended));
    let way = match comparison.mended {
        Trend::Up => "better",
        Trend::Down => "worse",
        Trend::Same => "the same",
        Trend::Unmeasured => return "not measured in both reports".to_owned(),
    };
    format!("{way}: the message alone corrects {is} wrong calls; before, {was}")
}

/// Findings by level of both, in a line.
fn figures(comparison: &ReportDelta) -> String {
    let counts = |counts: FindingCounts| {
        format!("{} Must, {} Should, {} Note", counts.must, counts.should, counts.note)
    };
    format!("{}; before {}", counts(comparison.after.findings), counts(comparison.before.findings))
}

/// What is to be known of the places of a change.
fn where_it_shows(change: &FindingChange) -> String {
    let mut text = match change.places {
        1 => "1 place".to_owned(),
        places => format!("{places} places"),
    };
    if change.elsewhere > 0 {
        text.push_str(&format!(", in {} others as before", change.elsewhere));
    }
    if change.unjudged > 0 {
        text.push_str(&format!(", {} of them not judged this time", change.unjudged));
    }
    if change.state == State::Known {
        text.push_str(", in the baseline");
    }
    text
}
