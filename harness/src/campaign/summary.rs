//! The report of a campaign: the same document as for a run, without cases.
//!
//! The main function is [`report`].

use crate::drive::Assignment;
use crate::finding::{Finding, Level};
use crate::judge::{
    ContractInfo, FindingCounts, HarnessInfo, Peers, Report, SCHEMA_VERSION, SlowCall, Summary,
    ValidCallSearch, Withheld, gathered, most_urgent_first, server_info,
};
use crate::transcript::Head;

use super::journal::CallFigures;

/// The figures of a campaign.
#[derive(Default)]
pub(super) struct Figures {
    pub(super) sent: CallFigures,
    pub(super) looks_like: Option<String>,
    pub(super) slow: Vec<SlowCall>,
    /// The search for successful calls; `None` if there was none.
    pub(super) learnt: Option<ValidCallSearch>,
    /// The findings of requests other than tool calls, already gathered.
    pub(super) feature_findings: Vec<Finding>,
}

pub(super) fn report(
    head: &Head,
    figures: Figures,
    withheld: Vec<Withheld>,
    findings: Vec<Finding>,
) -> Report {
    // It is not recorded which tools report errors, so any of them may.
    let speaking = head.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut findings = gathered(findings, Peers { catalog: &head.catalog, speaking: &speaking });
    findings.extend(figures.feature_findings);
    most_urgent_first(&mut findings);
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    Report {
        tools: Vec::new(),
        coverage: None,
        schema_version: SCHEMA_VERSION,
        harness: HarnessInfo { version: env!("CARGO_PKG_VERSION").to_owned() },
        server: server_info(head),
        contract: ContractInfo {
            id: head.contract.clone(),
            chosen: head.chosen,
            looks_like: figures.looks_like,
        },
        seed: head.seed,
        summary: Summary {
            findings: FindingCounts {
                must: count(Level::Must),
                should: count(Level::Should),
                note: count(Level::Note),
            },
            calls: usize::try_from(figures.sent.calls).unwrap_or(usize::MAX),
            error_replies: usize::try_from(figures.sent.error_replies).unwrap_or(usize::MAX),
            duration_ms: figures.sent.duration_ms,
            ..Summary::default()
        },
        bindings: crate::judge::binding_info(head),
        withheld,
        cases: Vec::new(),
        findings,
        stopped_after_ms: None,
        slow: figures.slow,
        learnt: figures.learnt,
    }
}

/// The report of a campaign that did not come about.
pub(super) fn unexercised(assignment: &Assignment) -> Report {
    let head = assignment.empty_head();
    report(&head, Figures::default(), Vec::new(), Vec::new())
}
