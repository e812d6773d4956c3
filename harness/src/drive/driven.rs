//! The outcome of the plan, written into the transcript: cases, probes, and probes of a tool that were left
//! out.

use crate::exchange::{Exchange, Place};
use crate::plan::{Plan, PlannedCase, PlannedProbe, ProbePlan, ProbedTool};
use crate::suite::File;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Withheld};

/// The cases and probes of the plan with their outcomes. `withheld` gets the probes that were not sent.
pub(super) fn driven_cases(
    plan: &Plan,
    probed: &ProbePlan,
    of_cases: Vec<CaseOutcome>,
    of_probes: Vec<CaseOutcome>,
    withheld: &mut Vec<Withheld>,
) -> Vec<DrivenCase> {
    let mut cases: Vec<DrivenCase> = std::iter::zip(&plan.cases, of_cases)
        .map(|(planned, outcome)| driven_case(planned, outcome))
        .collect();
    let mut outcomes = of_probes.into_iter();
    for tool in &probed.tools {
        let driven = std::iter::zip(&tool.probes, outcomes.by_ref());
        let driven: Vec<DrivenCase> =
            driven.map(|(probe, outcome)| driven_probe(tool, probe, outcome)).collect();
        withheld.extend(left_out(tool, &driven));
        cases.extend(driven);
    }
    cases
}

/// A case of the suite with its outcome.
pub(super) fn driven_case(planned: &PlannedCase, outcome: CaseOutcome) -> DrivenCase {
    let script = &planned.case.script;
    DrivenCase {
        id: planned.case.id.clone(),
        title: script.title.clone(),
        kind: CaseKind::Scenario,
        requirements: script.requirements.clone(),
        condition: script.condition.as_ref().map(ToString::to_string),
        tools: planned.tools.clone(),
        files: texts(&script.files),
        outcome,
    }
}

/// The contents of files that are text.
fn texts(files: &[File]) -> Vec<String> {
    files.iter().filter_map(|file| file.content.as_text()).collect()
}

/// A probe of a tool with its outcome.
fn driven_probe(tool: &ProbedTool, probe: &PlannedProbe, outcome: CaseOutcome) -> DrivenCase {
    let condition = probe.condition().map(str::to_owned);
    DrivenCase { condition, ..repeated_case(tool, probe, outcome) }
}

/// A call that was sent again in other circumstances, with its outcome.
pub(super) fn repeated_case<C>(
    tool: &ProbedTool,
    planned: &PlannedProbe<C>,
    outcome: CaseOutcome,
) -> DrivenCase {
    DrivenCase {
        requirements: planned.requirements.clone(),
        condition: planned.expected.condition().map(ToString::to_string),
        tools: vec![tool.name.clone()],
        files: texts(&tool.files),
        ..DrivenCase::probe(planned.id.clone(), &planned.title, outcome)
    }
}

/// Gives an exchange this index, and the exchanges that it refers to those that `moved` tells.
pub(super) fn renumber(exchange: &mut Exchange, index: usize, moved: impl Fn(usize) -> Option<usize>) {
    exchange.index = index;
    let Place { control, follows, twin, .. } = &mut exchange.place;
    for reference in [control, follows, twin] {
        *reference = reference.and_then(&moved);
    }
}

/// The probes of a tool that were not sent, with the reason for the first of them.
fn left_out(tool: &ProbedTool, driven: &[DrivenCase]) -> Option<Withheld> {
    let mut left = driven.iter().filter_map(|probe| match &probe.outcome {
        CaseOutcome::Skipped(why) => Some(why),
        _ => None,
    });
    let why = left.next()?;
    Some(Withheld {
        tool: tool.name.clone(),
        class: tool.class.to_string(),
        why: why.trim_start_matches("withheld: ").to_owned(),
        probes: 1 + left.count(),
    })
}
