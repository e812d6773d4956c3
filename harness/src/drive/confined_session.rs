//! The second session of a run: confined, with its own folders at the same path. It sends the calls that a
//! tool's class forbids without confinement, and those for which the first session found no control. Both are merged into one
//! transcript.
//!
//! The main type is [`ConfinedSession`].

use std::collections::HashMap;
use std::path::Path;

use tokio::sync::watch;

use crate::catalog::Catalog;
use crate::class::Class;
use crate::condition::CaseId;
use crate::confinement::{Confined, Confinement, SecondSessionResult};
use crate::event::Event;
use crate::exchange::{EnvironmentEffect, Exchange, Step};
use crate::generate::{is_an_end, needed_by};
use crate::json::texts;
use crate::pattern;
use crate::plan::{ProbePlan, ProbeScope, SettledCases, probes};
use crate::server::{RunFolders, repository};
use crate::stock::tool_files::ToolFiles;
use crate::transcript::{CaseKind, CaseOutcome, DrivenCase, Head, Transcript, Withheld};

use super::driven::renumber;
use super::service::ServerEnvironment;
use super::{
    Assignment, DriveError, DrivenSession, SecondSession, ServerSpec, SessionPart, drive_in, known, unmade,
};

/// The folder in which, or below which, a server is started whose tools keep to their working folder.
const WORKSPACE: &str = "{workspace}";

/// What the first session leaves for a second, confined one.
pub(super) struct ConfinedSession<'a> {
    assignment: &'a Assignment,
    settled: SettledCases,
    plan: ProbePlan,
}

impl<'a> ConfinedSession<'a> {
    /// What the first session left; `None` if that is nothing, or if no second session was requested.
    pub(super) fn after(assignment: &'a Assignment, first: &Transcript) -> Option<Self> {
        if assignment.safety.second == SecondSession::Unasked || first.interrupted {
            return None;
        }
        let settled = settled(first);
        let plan = probes(known(assignment, &first.head, ProbeScope::Complete(&settled)), &assignment.probes);
        (!plan.tools.is_empty()).then_some(Self { assignment, settled, plan })
    }

    /// Drives the second session and appends it to the first.
    ///
    /// # Errors
    /// When the harness itself is in trouble.
    pub(super) async fn drive(
        self,
        parent: &Path,
        first: &mut Transcript,
        planned_withheld: usize,
        behind: ServerEnvironment,
        interrupt: &mut watch::Receiver<bool>,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), DriveError> {
        let confined = match &self.assignment.safety.second {
            SecondSession::By(safety) => behind.within(safety),
            SecondSession::Missing(why) => Err(why.clone()),
            SecondSession::Unasked => return Ok(()),
        };
        let behind = match confined {
            Ok(behind) => behind,
            Err(why) => {
                first.head.second = Some(SecondSessionResult::Missing(self.left(&why)));
                return Ok(());
            }
        };
        let run_folders = RunFolders::again(&first.head.folders, self.assignment.seed)
            .map_err(|error| DriveError::Harness(unmade(parent, &error)))?;
        let part =
            SessionPart::Second { head: &first.head, settled: &self.settled, earlier: &first.exchanges };
        let mut moved = self.moved(first);
        let assignment = moved.as_ref().unwrap_or(self.assignment);
        let mut driven = Box::pin(drive_in(assignment, &run_folders, &behind, part, interrupt, tell)).await;
        if matches!(driven, Err(DriveError::NotExercised(_))) && moved.take().is_some() {
            super::empty(&run_folders);
            driven = Box::pin(drive_in(self.assignment, &run_folders, &behind, part, interrupt, tell)).await;
        }
        let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
        match driven {
            Ok(driven) => {
                first.head.second = match driven.confinement.clone() {
                    Confinement::Confined(confined) => {
                        let confined = Confined { in_workspace: moved.is_some(), ..confined };
                        Some(SecondSessionResult::Driven(confined))
                    }
                    Confinement::Off | Confinement::Unavailable(_) => None,
                };
                append(first, planned_withheld, driven);
            }
            Err(DriveError::Interrupted) => first.interrupted = true,
            Err(DriveError::NotExercised(why)) => {
                first.head.second = Some(SecondSessionResult::Missing(self.left(&why)));
            }
            Err(error) => return Err(error),
        }
        removed
    }

    /// The assignment with the server started in another folder, if its tools refused to work in the one in which it was
    /// started: in the workspace, if they take no path outside it, and in a repository there, if they found none.
    fn moved(&self, first: &Transcript) -> Option<Assignment> {
        let server = &self.assignment.server;
        let workspace = first.head.folders.workspace.as_str();
        let is_kept_to_it = |text: &str| {
            text.contains(workspace)
                && pattern!("cause/elsewhere").is_match(text)
                && pattern!("cause/working-folder").is_match(text)
        };
        let refusals = |refuses: &dyn Fn(&Exchange, &str) -> bool| {
            let is_control = |exchange: &&Exchange| exchange.place.step == Step::Control;
            let mut controls = first.exchanges.iter().filter(is_control);
            controls.any(|control| control.outcome.words().iter().any(|text| refuses(control, text)))
        };
        let is_of_working_folder = |call: &Exchange, text: &str| {
            let is_told = |sent: &str| sent.contains(workspace) || sent.len() > 2 && text.contains(sent);
            pattern!("kind/repository").is_match(text) && !texts(&call.call.arguments).any(is_told)
        };
        let cwd = if refusals(&|_, text| is_kept_to_it(text)) {
            WORKSPACE.to_owned()
        } else if refusals(&is_of_working_folder) && repository::is_possible() {
            format!("{WORKSPACE}/{}", ToolFiles::REPOSITORY)
        } else {
            return None;
        };
        if server.cwd.is_some() || server.streams.is_some() {
            return None;
        }
        let from = std::env::current_dir().ok()?;
        let words = server.command.iter().enumerate();
        let command = words.map(|(at, word)| absolute(word, at == 0, &from)).collect();
        let server = ServerSpec { command, cwd: Some(cwd.into()), ..server.clone() };
        Some(Assignment { server, ..self.assignment.clone() })
    }

    /// What was not tried, and why.
    fn left(&self, why: &str) -> String {
        let tools = self.plan.tools.len();
        let calls: usize = self.plan.tools.iter().map(|tool| tool.probes.len()).sum();
        let (calls, they) =
            if calls == 1 { ("1 call".to_owned(), "it") } else { (format!("{calls} calls"), "they") };
        let tools = if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") };
        format!(
            "{calls} to {tools} were not sent, because {they} could do harm and the server could not be \
             sandboxed: {why}"
        )
    }
}

/// A word of a command line that still means the same file in another working folder, also behind an option's `=`. A program
/// without a slash is looked for on the path.
fn absolute(word: &str, is_program: bool, from: &Path) -> String {
    if let Some((option, value)) = word.split_once('=').filter(|_| word.starts_with('-')) {
        return format!("{option}={}", absolute(value, false, from));
    }
    let path = from.join(word);
    let names_a_path = word.contains('/') || [".", ".."].contains(&word) || !is_program && path.is_file();
    match !word.starts_with('-') && names_a_path && path.exists() {
        true => path.to_string_lossy().into_owned(),
        false => word.to_owned(),
    }
}

/// The cases that a session brought to a verdict, and the tools that it gave up on.
fn settled(first: &Transcript) -> SettledCases {
    let mut settled = SettledCases::default();
    for case in first.cases.iter().filter(|case| case.kind == CaseKind::Probe) {
        match &case.outcome {
            CaseOutcome::Driven | CaseOutcome::Errored(_) => {
                settled.probes.insert(case.id.clone());
            }
            // The tool left calls unanswered: more of them cost a deadline each.
            CaseOutcome::Skipped(_) => settled.tools.extend(case.tools.iter().cloned()),
            CaseOutcome::PreconditionFailed(_) => {}
        }
    }
    settled
}

/// The head, reduced to the tools that the second session lists in the same way: verdicts rest on the first
/// list.
pub(super) fn narrowed(first: &Head, listed: &Catalog) -> Head {
    let mut head = first.clone();
    head.catalog.tools.retain(|tool| listed.tools.contains(tool));
    head
}

/// Sorts the tools into the order in which they are probed: those that read come first, before others change
/// anything; those that delete come last, and among these the one that deletes what the others work on is the
/// very last.
pub(super) fn order(plan: &mut ProbePlan, catalog: &Catalog) {
    let taken_along = |name: &str| {
        let ending = catalog.tool(name).filter(|_| is_an_end(name));
        ending.map_or(0, |tool| needed_by(tool, &catalog.tools))
    };
    plan.tools.sort_by_cached_key(|tool| {
        let class = match tool.class {
            Class::Read => 0,
            Class::Write => 1,
            Class::Unknown => 2,
            Class::Effect => 3,
        };
        (is_an_end(&tool.name), taken_along(&tool.name), class)
    });
}

/// Appends a second session to the first: its exchanges are renumbered, and its cases replace those that the
/// first one did not bring to a verdict.
pub(super) fn append(first: &mut Transcript, planned_withheld: usize, further: DrivenSession) {
    let DrivenSession { transcript: second, planned_withheld: planned_again, tools, .. } = further;
    let exchanges = first.exchanges.len();
    let processes = first.exchanges.iter().map(|exchange| exchange.process + 1).max().unwrap_or_default();
    first.exchanges.extend(second.exchanges.into_iter().map(|mut exchange| {
        let index = exchange.index + exchanges;
        renumber(&mut exchange, index, |index| Some(index + exchanges));
        exchange.process += processes;
        if exchange.environment.is_none() {
            exchange.environment = EnvironmentEffect::Confined;
        }
        exchange
    }));
    let places: HashMap<CaseId, usize> =
        first.cases.iter().enumerate().map(|(at, case)| (case.id.clone(), at)).collect();
    let mut withheld = second.withheld;
    let mut second_withheld = withheld.split_off(planned_again);
    for case in second.cases {
        match places.get(&case.id) {
            Some(at) if replaces(&case, &first.cases[*at]) => first.cases[*at] = case,
            Some(_) => forget(&mut second_withheld, &case),
            None => first.cases.push(case),
        }
    }
    // What the plan of the first session withheld, the second session has planned again.
    let mut number = 0;
    first.withheld.retain(|left| {
        number += 1;
        number > planned_withheld || !tools.contains(&left.tool)
    });
    first.withheld.extend(withheld);
    first.withheld.extend(second_withheld);
    first.interrupted |= second.interrupted;
}

/// Whether the outcome of a case in the second session says more than that in the first.
fn replaces(second: &DrivenCase, first: &DrivenCase) -> bool {
    match (&second.outcome, &first.outcome) {
        (CaseOutcome::Driven, _) => true,
        // A server that crashed in confinement did answer in the first session, and that answer was judged.
        (CaseOutcome::Errored(_), CaseOutcome::Skipped(_) | CaseOutcome::Errored(_)) => true,
        // In confinement more was tried.
        (CaseOutcome::PreconditionFailed(_), CaseOutcome::PreconditionFailed(_)) => true,
        _ => false,
    }
}

/// Takes a probe off the count of unsent ones, because the first session has sent it.
fn forget(withheld: &mut Vec<Withheld>, case: &DrivenCase) {
    if case.kind != CaseKind::Probe || !matches!(case.outcome, CaseOutcome::Skipped(_)) {
        return;
    }
    // The last entry of a session for a tool counts the tool's skipped probes.
    let of_tool = |left: &&mut Withheld| case.tools.contains(&left.tool);
    if let Some(left) = withheld.iter_mut().rev().find(of_tool) {
        left.probes = left.probes.saturating_sub(1);
    }
    withheld.retain(|left| left.probes > 0);
}
