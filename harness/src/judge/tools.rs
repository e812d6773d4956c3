//! How far each tool of a server was judged, and why not further.
//!
//! The main function is [`tools`].

use crate::class::Class;
use crate::contract::Contract;
use crate::exchange::Step;
use crate::transcript::{CaseKind, Transcript};

use super::disguise::Disguise;
use super::follow::has_succeeded;
use super::report::{CaseVerdict, Status, ToolVerdict};

/// Each listed tool, in the order of the list. `cases` are the verdicts on the transcript's cases, in their order.
pub(super) fn tools(transcript: &Transcript, contract: &Contract, cases: &[CaseVerdict]) -> Vec<ToolVerdict> {
    let head = &transcript.head;
    let disguise = Disguise::new(&head.folders);
    let of_tool = |name: &str| {
        let withheld = transcript.withheld.iter().find(|left| left.tool == name);
        let calls = |case: &&CaseVerdict| case.tools.iter().any(|tool| tool == name);
        let own: Vec<&CaseVerdict> = cases.iter().filter(calls).collect();
        let judged = own.iter().filter(|case| is_judged(case)).count();
        // A probe that was skipped is among those that are told as withheld.
        let sent = own.iter().filter(|case| !is_skipped_probe(case)).count();
        let left = transcript.withheld.iter().filter(|left| left.tool == name).map(|left| left.probes);
        let planned = sent + left.sum::<usize>();
        let valid = transcript.exchanges.iter().rev().find(|exchange| {
            exchange.tool() == Some(name)
                && exchange.place.step == Step::Control
                && has_succeeded(exchange, contract)
        });
        let class = head.catalog.tool(name).map_or(Class::Unknown, Class::of);
        let mut conditions: Vec<String> = Vec::new();
        for case in transcript.cases.iter().filter(|case| case.tools.iter().any(|tool| tool == name)) {
            conditions.extend(
                case.condition
                    .iter()
                    .filter(|condition| !conditions.contains(condition))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        ToolVerdict {
            name: name.to_owned(),
            class: withheld.map_or_else(|| class.to_string(), |left| left.class.clone()),
            planned,
            judged,
            valid: valid.map(|exchange| disguise.value(&exchange.call.arguments)),
            conditions,
            why: (judged < planned).then(|| why(&own, withheld.map(|left| left.why.as_str()))).flatten(),
        }
    };
    head.catalog.tools.iter().map(|tool| of_tool(&tool.name)).collect()
}

fn is_judged(case: &CaseVerdict) -> bool {
    matches!(case.status, Status::Passed | Status::Failed)
}

fn is_skipped_probe(case: &CaseVerdict) -> bool {
    case.kind == CaseKind::Probe && case.status == Status::Skipped
}

/// Why a tool was not judged further: the reason that most of its probes share, else that of a scenario, else why the rest
/// was not sent.
fn why(own: &[&CaseVerdict], withheld: Option<&str>) -> Option<String> {
    let reasons = |kind: CaseKind| {
        let open = own.iter().filter(move |case| case.kind == kind && !is_judged(case));
        let reasons: Vec<&str> = open.filter_map(|case| case.reason.as_deref()).collect();
        let count = |reason: &str| reasons.iter().filter(|other| **other == reason).count();
        // Of several that are as frequent the first one stands.
        reasons.iter().rev().max_by_key(|reason| count(reason)).map(|reason| (*reason).to_owned())
    };
    let by_probes = reasons(CaseKind::Probe);
    by_probes.or_else(|| withheld.map(str::to_owned)).or_else(|| reasons(CaseKind::Scenario))
}
