//! What became of the plan, as the transcript tells it: a case, a probe, and what was left out of a tool's probes.

use crate::expectation::Expected;
use crate::plan::{PlannedCase, PlannedProbe, ProbedTool};
use crate::suite::File;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Withheld};

/// A case of the suite with what became of it.
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

/// The texts that files hold.
pub(super) fn texts(files: &[File]) -> Vec<String> {
    files.iter().filter_map(|file| file.content.as_text()).collect()
}

/// A probe of a tool with what became of it.
pub(super) fn driven_probe(tool: &ProbedTool, probe: &PlannedProbe, outcome: CaseOutcome) -> DrivenCase {
    let condition = match &probe.expected {
        Expected::Failure(failure) => failure.condition.to_string(),
        _ => probe.change.mutation.kind.slug().to_owned(),
    };
    DrivenCase {
        id: probe.id.clone(),
        title: probe.title.clone(),
        kind: CaseKind::Probe,
        requirements: probe.requirements.clone(),
        condition: Some(condition),
        tools: vec![tool.name.clone()],
        files: texts(&tool.files),
        outcome,
    }
}

/// The probes of a tool that were not sent, and why the first of them was not.
pub(super) fn left_out(tool: &ProbedTool, driven: &[DrivenCase]) -> Option<Withheld> {
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
