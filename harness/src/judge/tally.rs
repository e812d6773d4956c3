//! Counting: what each case came to, and the figures of the summary.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::contract::{Contract, ErrorReply};
use crate::exchange::{Exchange, Expected};
use crate::finding::{Finding, Level, State};
use crate::transcript::{Course, DrivenCase, Head, Transcript};

use super::disguise::Disguise;
use super::{
    BindingInfo, CaseCounts, CaseVerdict, Charge, FindingCounts, Mendable, ServerInfo, Status, Strictness,
    has_succeeded,
};

/// What each case came to.
pub(super) fn cases(
    transcript: &Transcript,
    findings: &[Finding],
    strictness: Strictness,
) -> Vec<CaseVerdict> {
    let disguise = Disguise::new(&transcript.head.folders);
    transcript.cases.iter().map(|driven| verdict(driven, findings, strictness, &disguise)).collect()
}

fn verdict(
    driven: &DrivenCase,
    findings: &[Finding],
    strictness: Strictness,
    disguise: &Disguise<'_>,
) -> CaseVerdict {
    let shows =
        |finding: &Finding| finding.places.iter().any(|place| place.case.as_ref() == Some(&driven.id));
    let own: Vec<usize> = (0..findings.len()).filter(|index| shows(&findings[*index])).collect();
    let counts = |finding: &Finding| finding.state == State::New && strictness.counts(finding.level);
    let fails = own.iter().any(|index| counts(&findings[*index]));
    let (status, reason) = match &driven.course {
        Course::Errored(reason) => (Status::Errored, Some(reason)),
        Course::Skipped(reason) => (Status::Skipped, Some(reason)),
        // What else it would have shown is not known: the reason says why.
        Course::Ungrounded(reason) if fails => (Status::Failed, Some(reason)),
        Course::Driven if fails => (Status::Failed, None),
        Course::Ungrounded(reason) => (Status::NotJudged, Some(reason)),
        Course::Driven => (Status::Passed, None),
    };
    CaseVerdict {
        id: driven.id.clone(),
        title: driven.title.clone(),
        kind: driven.kind,
        status,
        reason: reason.map(|reason| disguise.text(reason)),
        requirements: driven.requirements.clone(),
        tools: driven.tools.clone(),
        findings: own,
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

/// The headline: of the error replies that a caller could act on, and that were judged, how many tell it how.
pub(super) fn mendable(
    transcript: &Transcript,
    contract: &Contract,
    errors: &[Option<ErrorReply>],
    charges: &[Charge],
) -> Mendable {
    let counted = |exchange: &&Exchange| {
        errors[exchange.index].is_some()
            && can_be_mended(contract, exchange)
            && is_controlled(transcript, contract, exchange)
    };
    let of_messages = charges.iter().filter(|charge| charge.rule.id.starts_with("message/"));
    let charged: HashSet<usize> = of_messages
        .map(|charge| transcript.exchanges[charge.exchange].place.follows.unwrap_or(charge.exchange))
        .collect();
    let judged: Vec<&Exchange> = transcript.exchanges.iter().filter(counted).collect();
    Mendable {
        of: judged.len(),
        held: judged.iter().filter(|exchange| !charged.contains(&exchange.index)).count(),
    }
}

fn can_be_mended(contract: &Contract, exchange: &Exchange) -> bool {
    let Expected::Failure(failure) = &exchange.place.expected else { return false };
    contract.is_mendable(&failure.condition)
}

fn is_controlled(transcript: &Transcript, contract: &Contract, exchange: &Exchange) -> bool {
    exchange.place.control.is_some_and(|index| has_succeeded(&transcript.exchanges[index], contract))
}

/// What is known of the server under test.
pub(crate) fn server(head: &Head) -> ServerInfo {
    ServerInfo {
        command: head.command.clone(),
        bundled: head.bundled,
        name: head.server_name.clone(),
        version: head.server_version.clone(),
        protocol_version: head.protocol_version.clone(),
        lifecycle: head.lifecycle,
        confinement: head.confinement.clone(),
    }
}

/// Which tool played which role.
pub(crate) fn bindings(head: &Head) -> Vec<BindingInfo> {
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
