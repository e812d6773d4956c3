//! The sessions of a run, and what each will send.

use crate::event::Event;
use crate::exchange::Exchange;
use crate::plan::{Known, Plan, PlannedCase, ProbePlan, ProbeScope, SettledCases, plan, probes};
use crate::transcript::{DrivenCase, Head};

use super::options::Robustness;
use super::safety::{Confine, SecondSession};
use super::service::ServerEnvironment;
use super::{Assignment, confined_session, malformed};

/// Which session of a run this is.
#[derive(Clone, Copy)]
pub(super) enum SessionPart<'a> {
    /// The first, or the only one.
    First,
    /// The one after it, in confinement: what the first one has settled is not sent again, and what its
    /// calls have taught is known.
    Second { head: &'a Head, settled: &'a SettledCases, earlier: &'a [Exchange] },
}

/// What is known about a server when its probes are planned.
pub(super) fn known<'a>(assignment: &'a Assignment, head: &'a Head, scope: ProbeScope<'a>) -> Known<'a> {
    Known {
        catalog: &head.catalog,
        bindings: &head.bindings,
        limits: &head.limits,
        folders: &head.folders,
        contract: &assignment.contract,
        settings: &assignment.tools,
        scope,
    }
}

/// The plan of a session.
pub(super) fn planned(
    assignment: &Assignment,
    head: &Head,
    part: SessionPart<'_>,
    scope: ProbeScope<'_>,
) -> (Plan, ProbePlan) {
    let plan = match part {
        SessionPart::First => Plan { cases: cases(assignment, head) },
        SessionPart::Second { .. } => Plan { cases: Vec::new() },
    };
    let mut probed = probes(known(assignment, head, scope), &assignment.probes);
    if matches!(scope, ProbeScope::Complete(_)) {
        confined_session::order(&mut probed, &head.catalog);
    }
    (plan, probed)
}

/// The cases of the suite that may be sent.
pub(super) fn cases(assignment: &Assignment, head: &Head) -> Vec<PlannedCase> {
    let mut cases = plan(&assignment.suite, &head.catalog, &head.bindings, &head.limits, &head.folders).cases;
    let setting = |name: &str| assignment.tools.get(name).cloned();
    assignment.safety.withhold(&mut cases, &head.catalog, setting);
    cases
}

/// Which calls a session may use as probes.
pub(super) fn scope<'a>(
    assignment: &Assignment,
    behind: &ServerEnvironment,
    part: SessionPart<'a>,
    nothing: &'a SettledCases,
) -> ProbeScope<'a> {
    match (part, &behind.safety.confine) {
        (SessionPart::Second { settled, .. }, _) => ProbeScope::Complete(settled),
        (SessionPart::First, Confine::By(_)) => ProbeScope::Complete(nothing),
        (SessionPart::First, Confine::Off | Confine::Unavailable(_)) => match assignment.safety.second {
            SecondSession::By(_) => ProbeScope::ReadAlone,
            SecondSession::Unasked | SecondSession::Missing(_) => ProbeScope::ByClass,
        },
    }
}

/// Reports how much a session will send.
pub(super) fn tell_planned(
    part: SessionPart<'_>,
    head: &Head,
    plan: &Plan,
    probed: &ProbePlan,
    robustness: Robustness,
    tell: &mut dyn FnMut(Event),
) {
    let malformed = match robustness {
        Robustness::Tried => malformed::malformed_lines().len(),
        Robustness::Untried => 0,
    };
    let probes = probed.tools.iter().map(|tool| tool.probes.len()).sum::<usize>();
    tell(match part {
        SessionPart::First => {
            Event::Started { head: Box::new(head.clone()), planned: plan.cases.len() + probes + malformed }
        }
        SessionPart::Second { .. } => Event::ConfinedSession { planned: probes },
    });
}

/// Reports the outcomes of cases.
pub(super) fn tell_driven(cases: &[DrivenCase], tell: &mut dyn FnMut(Event)) {
    for case in cases {
        tell(Event::Driven { case: case.id.clone(), outcome: case.outcome.clone() });
    }
}
