//! Sends a finding again to see whether the server still shows it.
//!
//! The main function is [`replay`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tokio::sync::watch;

use crate::class::Class;
use crate::confinement::Confinement;
use crate::drive::{Assignment, Destructive, DriveError, InspectedServer, look, made_up, until};
use crate::finding::Finding;
use crate::generate::{Generator, GeneratorSettings, Input, Sequence};
use crate::rules::{Group, MEMORY_GROWTH};
use crate::server::RunFolders;

use super::base_calls::BaseCalls;
use super::execution::{Executor, ProcessReuse, ReplyWait, ServerStart, ServerUnderTest};
use super::file::FindingFile;
use super::growth;
use super::restraint::Restraint;
use super::sequence::{after, alone};
use super::space::{self, Space};
use super::verdict::CampaignJudge;

/// How often a stable finding is sent, and a flaky one.
const STABLE: usize = 2;
const FLAKY: usize = 10;

/// Sends a finding's calls once more, in a fresh process each time, and judges them; `None` if it does not show any more.
///
/// # Errors
/// When the server could not be exercised at all, or the harness itself is in trouble.
pub async fn replay(
    assignment: &Assignment,
    file: &FindingFile,
    interrupt: watch::Receiver<bool>,
) -> Result<Option<Finding>, DriveError> {
    // Who replays a finding asks for exactly these calls.
    replay_with(assignment, file, Rc::default(), interrupt).await
}

/// The same, within a campaign that calls some tools with restraint.
///
/// # Errors
/// As [`replay`].
pub(super) async fn replay_with(
    assignment: &Assignment,
    file: &FindingFile,
    restraint: Rc<Restraint>,
    mut interrupt: watch::Receiver<bool>,
) -> Result<Option<Finding>, DriveError> {
    space::within(file.seed, async |run_folders| {
        let mut ended = interrupt.clone();
        let replayed = replay_in(assignment, file, restraint, run_folders, &mut interrupt);
        until(&mut ended, replayed).await.ok_or(DriveError::Interrupted)?
    })
    .await
}

async fn replay_in(
    assignment: &Assignment,
    file: &FindingFile,
    restraint: Rc<Restraint>,
    run_folders: &RunFolders,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<Option<Finding>, DriveError> {
    let sequence = file.sequence(&run_folders.folders);
    let control = file.control.as_ref().map(|step| step.call(&run_folders.folders));
    let calls = sequence.steps.iter().chain(&control).map(|(_, input)| input.value().unwrap_or_default());
    let space = Space::new(run_folders, calls);
    space.lay_out();
    let mut looked = look(assignment, run_folders, interrupt).await?;
    looked.finish().await;
    let InspectedServer { head, command, deadlines, roots, upstream, .. } = looked;
    if let Some(upstream) = &upstream {
        upstream.set_stand_in(made_up());
    }
    let tool_files = space::tool_files(run_folders);
    let generators: BTreeMap<String, Generator> = head
        .catalog
        .tools
        .iter()
        .map(|tool| {
            let settings = GeneratorSettings::complete(Class::of(tool, &assignment.tools), &tool_files);
            (tool.name.clone(), Generator::new(tool, &settings))
        })
        .collect();
    let is_confined = matches!(head.confinement, Confinement::Confined(_));
    if !is_confined && assignment.safety.destructive == Destructive::Withheld {
        stays(&generators, &sequence)?;
    }
    let contract = assignment.contract.clone();
    let judge = RefCell::new(CampaignJudge::new(head.clone(), contract.clone()));
    let start = ServerStart { command, lifecycle: head.lifecycle, roots, deadlines, restraint };
    let base_calls = BaseCalls::default();
    let server = ServerUnderTest { start, head, contract, generators, base_calls, space, judge };
    if file.rule == MEMORY_GROWTH.id {
        return Ok(growth::again(&server, &sequence.steps, growth::TIME).await);
    }
    let mut executor = Executor::new(&server);
    if let Some((tool, input)) = control {
        let alone = alone(tool.clone(), input);
        executor.send(&alone, ProcessReuse::Fresh, ReplyWait::Full).await;
        let is_known = server.judge.borrow().control(&tool).is_some();
        if let (false, Some((_, before))) = (is_known, sequence.steps.split_last()) {
            // What must come before the call must come before its control too.
            executor.send(&after(before, &alone), ProcessReuse::Fresh, ReplyWait::Full).await;
        }
    }
    let tries = if file.finding.stable == Some(false) { FLAKY } else { STABLE };
    let process =
        if Group::of(&file.rule) == Some(Group::Wire) { ProcessReuse::Drained } else { ProcessReuse::Fresh };
    // The reply's words may have changed although the fault remains.
    let of_any_tool = file.finding.tool.is_none();
    let is_it = |found: &Finding| found.rule == file.rule && (of_any_tool || found.tool == file.finding.tool);
    for _ in 0..tries {
        let execution = executor.send(&sequence, process, ReplyWait::Full).await;
        let found = execution.findings.into_iter().find(|(_, found)| is_it(found));
        if let Some((_, finding)) = found {
            return Ok(Some(finding));
        }
    }
    Ok(None)
}

/// # Errors
/// If a call leads out of the harness's folders, as some do that a campaign sends to a confined server.
fn stays(generators: &BTreeMap<String, Generator>, sequence: &Sequence) -> Result<(), DriveError> {
    let leads_out = |(tool, input): &&(String, Input)| {
        generators.get(tool).is_some_and(|generator| !generator.allows(input))
    };
    match sequence.steps.iter().find(leads_out) {
        None => Ok(()),
        Some((tool, input)) => Err(DriveError::Configuration(format!(
            "the call `{tool} {}` of this finding leads out of the workspace, and the server is not confined; \
             `--allow-destructive` sends it all the same",
            input.arguments
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::corpus::tests::valid;
    use super::*;

    #[test]
    fn a_finding_that_leads_out_of_the_workspace_is_sent_to_a_confined_server_alone() {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let generators = crate::generate::generators(&[("read", &schema)]);
        let sequence = |arguments: Value| alone("read".to_owned(), valid(&arguments.to_string()));
        assert!(stays(&generators, &sequence(json!({"path": "alpha"}))).is_ok());
        let beyond = stays(&generators, &sequence(json!({"path": "/no-such-folder/absent.txt"})));
        let Err(DriveError::Configuration(why)) = beyond else { panic!("{beyond:?}") };
        assert!(why.contains("/no-such-folder/absent.txt") && why.contains("--allow-destructive"), "{why}");
    }
}
