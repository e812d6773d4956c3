//! The report of a campaign: the same document as for a run, without cases.
//!
//! The main function is [`report`].

use crate::finding::{Finding, Level, State};
use crate::judge::{
    ContractInfo, FindingCounts, HarnessInfo, Peers, Report, SCHEMA_VERSION, Strictness, Summary, gathered,
    most_urgent_first, server_info,
};
use crate::transcript::Head;

use super::journal::{CallFigures, CampaignEnd};

/// The report: `besides` are the findings of requests other than tool calls, already gathered.
pub(super) fn report(
    head: &Head,
    sent: CallFigures,
    end: CampaignEnd,
    besides: Vec<Finding>,
    findings: Vec<Finding>,
) -> Report {
    // It is not recorded which tools report errors, so any of them may.
    let speaking = head.catalog.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut findings = gathered(findings, Peers { catalog: &head.catalog, speaking: &speaking });
    findings.extend(besides);
    most_urgent_first(&mut findings);
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    Report {
        tools: Vec::new(),
        coverage: None,
        schema_version: SCHEMA_VERSION,
        harness: HarnessInfo { version: env!("CARGO_PKG_VERSION").to_owned() },
        server: server_info(head),
        contract: ContractInfo { id: head.contract.clone(), chosen: head.chosen, looks_like: end.looks_like },
        seed: head.seed,
        summary: Summary {
            findings: FindingCounts {
                must: count(Level::Must),
                should: count(Level::Should),
                note: count(Level::Note),
            },
            calls: usize::try_from(sent.calls).unwrap_or(usize::MAX),
            error_replies: usize::try_from(sent.error_replies).unwrap_or(usize::MAX),
            duration_ms: sent.duration_ms,
            ..Summary::default()
        },
        bindings: crate::judge::binding_info(head),
        withheld: end.withheld,
        cases: Vec::new(),
        findings,
        stopped_after_ms: None,
        slow: end.slow,
        learnt: end.learnt,
    }
}

/// How many findings count for the exit code.
pub(super) fn counting(report: &Report, strictness: Strictness) -> usize {
    let counts = |finding: &&Finding| finding.state == State::New && strictness.counts(finding.level);
    report.findings.iter().filter(counts).count()
}
