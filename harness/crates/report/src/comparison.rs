//! Compares two reports of one server, before and after a change: new findings, gone findings, changed texts,
//! and whether messages have improved.
//!
//! The main type is [`ReportDelta`]. Findings are distinguished as a baseline does, by rule, tool and case and
//! never by their texts, so that grouping the same places differently is not a change.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::finding::{Finding, Level, State};
use crate::judge::{FindingCounts, Mended, Report, Status, Strictness};

mod shown;

/// The differences between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportDelta {
    schema_version: u32,
    before: ReportSide,
    after: ReportSide,
    /// Why the two are hard to compare: another contract, another server.
    remarks: Vec<String>,
    new: Vec<FindingChange>,
    gone: Vec<FindingChange>,
    /// Findings in both, with another text.
    changed: Vec<ChangedText>,
    /// How many findings are the same.
    unchanged: usize,
    /// The trend of the share of wrong calls that can be repaired from messages alone.
    mended: Trend,
}

/// One of the two reports, in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ReportSide {
    server: String,
    version: String,
    contract: String,
    findings: FindingCounts,
    mended: Mended,
}

/// A finding that only one of the reports has.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct FindingChange {
    rule: String,
    level: Level,
    state: State,
    tool: Option<String>,
    message: String,
    text: Option<String>,
    /// In how many places only this report has it.
    places: usize,
    /// In how many places the other report has it too.
    elsewhere: usize,
    /// For a gone finding: in how many of its places the second report judged nothing, so that it may still be
    /// there.
    unjudged: usize,
}

/// A finding that both have, with its texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ChangedText {
    rule: String,
    tool: Option<String>,
    /// A case in which it shows.
    case: String,
    before: String,
    after: String,
}

/// The trend of a figure from the first report to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Trend {
    Up,
    Down,
    Same,
    /// One of them measured nothing.
    Unmeasured,
}

/// Identifies a place in both reports; outside of cases the signature is used.
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
                // A finding that was less severe before counts as new; one that has become less severe is not
                // gone.
                let is_alone = |key: &&Key<'_>| {
                    other.get(*key).is_none_or(|known| !is_gone && known.level < finding.level)
                };
                let alone: Vec<&Key<'_>> = keys.iter().filter(is_alone).collect();
                if alone.is_empty() {
                    unchanged += usize::from(!is_gone);
                    continue;
                }
                let unjudged = alone.iter().filter(|key| is_gone && !is_judged(key)).count();
                changes.push(FindingChange {
                    rule: finding.rule.clone(),
                    level: finding.level,
                    state: finding.state,
                    tool: finding.tool.clone(),
                    message: finding.message.clone(),
                    text: finding.evidence.as_ref().map(|evidence| evidence.text.clone()),
                    places: alone.len(),
                    elsewhere: keys.len() - alone.len(),
                    unjudged,
                });
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

    /// Whether the second report is worse: it has a new finding that counts, or one that was less severe
    /// before; with [`Strictness::Should`] also if a smaller share of the calls can be repaired from messages.
    pub fn is_worse(&self, strictness: Strictness) -> bool {
        let counts = |change: &FindingChange| change.state == State::New && strictness.counts(change.level);
        let fewer = strictness == Strictness::Should && self.mended == Trend::Down;
        self.new.iter().any(counts) || fewer
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

/// Each place with its finding, the gravest if a rule has several there.
fn places(report: &Report) -> BTreeMap<Key<'_>, &Finding> {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| finding.level);
    findings
        .into_iter()
        .flat_map(|finding| keys(finding).into_iter().map(move |key| (key, finding)))
        .collect()
}

/// Findings whose text has changed, not only its values. The text of a finding is that of its first case.
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
    let pairs = [
        ("servers", &before.server.name, &after.server.name),
        ("contracts", &before.contract.id, &after.contract.id),
        ("versions of mcp-errconf", &before.harness.version, &after.harness.version),
    ];
    let differing = pairs.into_iter().filter(|(_, was, is)| was != is);
    differing.map(|(what, was, is)| format!("the {what} differ: {was} and {is}")).collect()
}

/// The trend, without division: 2 of 3 and 4 of 6 are equal.
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

/// The measure of messages of both reports, in a line.
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

/// Findings by level of both reports, in a line.
fn figures(comparison: &ReportDelta) -> String {
    let counts = |counts: FindingCounts| {
        format!("{} Must, {} Should, {} Note", counts.must, counts.should, counts.note)
    };
    format!("{}; before {}", counts(comparison.after.findings), counts(comparison.before.findings))
}

/// Notes on the places of a change.
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
