//! Counts: the status of each case, and the figures of the summary.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::condition::CaseId;
use crate::contract::{Contract, ErrorReply};
use crate::exchange::Exchange;
use crate::expectation::Expected;
use crate::finding::{Finding, Level, State};
use crate::transcript::{CaseOutcome, DrivenCase, Head, Transcript};

use super::left_open::left_open;
use super::tried;
use super::verdict::Reason;
use super::{
    BindingInfo, CaseCounts, CaseVerdict, FindingCounts, Mendable, RuleHit, ServerInfo, SlowCase, Status,
    Strictness,
};
use crate::placeholder::Collapser;

/// The verdict on each case. `open` gives the exchanges whose reply is not judged, with the reason.
pub(super) fn cases(
    transcript: &Transcript,
    contract: &Contract,
    errors: &[Option<ErrorReply>],
    findings: &[Finding],
    open: &HashMap<usize, Reason>,
    strictness: Strictness,
) -> Vec<CaseVerdict> {
    let collapser = Collapser::new(&transcript.head.folders);
    let left_open = left_open(transcript, contract, errors, open);
    let tried = tried::of_cases(&transcript.exchanges);
    let shown = shown_in_cases(findings);
    let verdict = |driven: &DrivenCase| CaseVerdict {
        tried: tried.get(&driven.id).map(|tried| collapser.text(tried)),
        ..verdict(driven, shown.get(&driven.id).map_or(&[], Vec::as_slice), strictness, &collapser)
    };
    let mut verdicts: Vec<CaseVerdict> = transcript.cases.iter().map(verdict).collect();
    for verdict in verdicts.iter_mut().filter(|verdict| verdict.status == Status::Passed) {
        if let Some(reason) = left_open.get(&verdict.id).filter(|_| verdict.findings.is_empty()) {
            // Nobody who writes a server could have it judged.
            let is_out_of_reach = *reason == Reason::AnsweredBySdk;
            verdict.status = if is_out_of_reach { Status::Skipped } else { Status::NotJudged };
            verdict.reason = Some(reason.to_string());
        }
    }
    verdicts
}

/// A finding that shows in a case.
struct ShownFinding {
    index: usize,
    /// Its highest level where it is new; see [`Finding::is_new_in`].
    new: Option<Level>,
}

/// The findings that show in each case, in their order.
fn shown_in_cases(findings: &[Finding]) -> HashMap<&CaseId, Vec<ShownFinding>> {
    let mut shown: HashMap<&CaseId, Vec<ShownFinding>> = HashMap::new();
    for (index, finding) in findings.iter().enumerate() {
        for place in &finding.places {
            let Some(case) = &place.case else { continue };
            let new = (place.state == State::New).then(|| finding.level_in(place));
            let of_case = shown.entry(case).or_default();
            match of_case.last_mut().filter(|last| last.index == index) {
                Some(last) => last.new = last.new.max(new),
                None => of_case.push(ShownFinding { index, new }),
            }
        }
    }
    shown
}

fn verdict(
    driven: &DrivenCase,
    shown: &[ShownFinding],
    strictness: Strictness,
    collapser: &Collapser<'_>,
) -> CaseVerdict {
    let fails = shown.iter().filter_map(|shown| shown.new).any(|level| strictness.counts(level));
    let (status, reason) = match &driven.outcome {
        CaseOutcome::Errored(reason) => (Status::Errored, Some(reason)),
        CaseOutcome::Skipped(reason) => (Status::Skipped, Some(reason)),
        // The case failed on what could be judged; the reason says why the rest could not.
        CaseOutcome::PreconditionFailed(reason) if fails => (Status::Failed, Some(reason)),
        CaseOutcome::Driven if fails => (Status::Failed, None),
        CaseOutcome::PreconditionFailed(reason) => (Status::NotJudged, Some(reason)),
        CaseOutcome::Driven => (Status::Passed, None),
    };
    CaseVerdict {
        id: driven.id.clone(),
        title: driven.title.clone(),
        tried: None,
        kind: driven.kind,
        status,
        reason: reason.map(|reason| collapser.text(reason)),
        requirements: driven.requirements.clone(),
        tools: driven.tools.clone(),
        condition: driven.condition.clone(),
        findings: shown.iter().map(|shown| shown.index).collect(),
    }
}

pub(super) fn case_counts(cases: &[CaseVerdict]) -> CaseCounts {
    let count = |status| cases.iter().filter(|case| case.status == status).count();
    CaseCounts {
        total: cases.len(),
        passed: count(Status::Passed),
        failed: count(Status::Failed),
        not_judged: count(Status::NotJudged),
        skipped: count(Status::Skipped),
        errored: count(Status::Errored),
    }
}

pub(super) fn finding_counts(findings: &[Finding]) -> FindingCounts {
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    FindingCounts { must: count(Level::Must), should: count(Level::Should), note: count(Level::Note) }
}

/// The headline: of the judged error replies that a caller could act on, how many say how.
pub(super) fn mendable(
    transcript: &Transcript,
    contract: &Contract,
    errors: &[Option<ErrorReply>],
    succeeded: &[bool],
    hits: &[RuleHit],
    open: &HashMap<usize, Reason>,
) -> Mendable {
    let counted = |exchange: &&Exchange| {
        errors[exchange.index].is_some()
            && can_be_repaired(contract, exchange)
            && !open.contains_key(&exchange.index)
            && exchange.place.control.is_some_and(|index| succeeded[index])
    };
    let of_messages = hits.iter().filter(|hit| hit.rule.page().handling.denies_hint);
    let blamed: HashSet<usize> = of_messages
        .map(|hit| transcript.exchanges[hit.exchange].place.follows.unwrap_or(hit.exchange))
        .collect();
    let judged: Vec<&Exchange> = transcript.exchanges.iter().filter(counted).collect();
    Mendable {
        of: judged.len(),
        held: judged.iter().filter(|exchange| !blamed.contains(&exchange.index)).count(),
    }
}

fn can_be_repaired(contract: &Contract, exchange: &Exchange) -> bool {
    let Expected::Failure(failure) = &exchange.place.expected else { return false };
    contract.can_be_repaired(failure)
}

/// The server under test, for the report.
pub fn server(head: &Head) -> ServerInfo {
    ServerInfo {
        command: head.command.clone(),
        bundled: head.bundled,
        name: head.server_name.clone(),
        version: head.server_version.clone(),
        protocol_version: head.protocol_version.clone(),
        lifecycle: head.lifecycle,
        root: head.limits.root_origin.clone(),
        confinement: head.confinement.clone(),
        second: head.second.clone(),
    }
}

/// Which tool played which role, for the report.
pub fn bindings(head: &Head) -> Vec<BindingInfo> {
    let info = |binding: &crate::roles::Binding| {
        let parameters: Map<String, Value> =
            binding.parameters.iter().map(|(name, slot)| (name.clone(), slot.clone().into())).collect();
        BindingInfo {
            role: binding.role,
            tool: binding.tool.clone(),
            parameters: Value::Object(parameters),
            why: binding.why.clone(),
        }
    };
    head.bindings.iter().map(info).collect()
}

/// The cases whose calls took over five seconds, the slowest first.
pub fn slow_cases(exchanges: &[Exchange]) -> Vec<SlowCase> {
    const LONG: u64 = 5_000;
    let mut taken: HashMap<&CaseId, u64> = HashMap::new();
    for exchange in exchanges {
        if let Some(case) = &exchange.place.case {
            *taken.entry(case).or_default() += exchange.elapsed_ms;
        }
    }
    let slow = taken.into_iter().filter(|(_, taken_ms)| *taken_ms > LONG);
    let mut slow: Vec<_> = slow.map(|(case, taken_ms)| SlowCase { case: case.clone(), taken_ms }).collect();
    slow.sort_by(|a, b| b.taken_ms.cmp(&a.taken_ms).then_with(|| a.case.cmp(&b.case)));
    slow
}
