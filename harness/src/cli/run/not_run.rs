//! The transcript of a run in which nothing could be sent: every case is skipped, with the reason. It is judged
//! and reported like any other.

use mcp_errconf::drive::Assignment;
use mcp_errconf::suite::Case;
use mcp_errconf::transcript::{CaseKind, CaseOutcome, DrivenCase, Transcript};

/// The transcript of a run that did not come about.
pub(in crate::cli) fn not_run(assignment: &Assignment, why: &str) -> Transcript {
    Transcript::of(
        assignment.empty_head(),
        assignment.suite.cases.iter().map(|case| skipped(case, why)).collect(),
        Vec::new(),
    )
}

fn skipped(case: &Case, why: &str) -> DrivenCase {
    DrivenCase {
        id: case.id.clone(),
        title: case.script.title.clone(),
        kind: CaseKind::Scenario,
        requirements: case.script.requirements.clone(),
        condition: case.script.condition.as_ref().map(ToString::to_string),
        tools: Vec::new(),
        files: Vec::new(),
        outcome: CaseOutcome::Skipped(why.to_owned()),
    }
}
