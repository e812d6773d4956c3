//! Sends a finding again to see whether the server still shows it.
//!
//! The main function is [`replay`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tokio::sync::watch;

use crate::class::Class;
use crate::condition::CaseId;
use crate::confinement::Confinement;
use crate::drive::{Assignment, Destructive, DriveError, InspectedServer, look, unmade, until};
use crate::finding::Finding;
use crate::generate::{Generator, GeneratorSettings, Input, Sequence, ToolFiles};
use crate::rules::{Group, MEMORY_GROWTH};
use crate::server::RunFolders;

use super::base_calls::BaseCalls;
use super::execution::{Execution, Executor, ProcessReuse, ReplyWait, ServerStart};
use super::file::FindingFile;
use super::growth;
use super::restraint::Restraint;
use super::space::{self, FOLDER};
use super::verdict::{CampaignJudge, Key};

/// How often a stable finding is sent, and a flaky one.
const STABLE: usize = 2;
const FLAKY: usize = 10;

/// The result of a replay.
#[derive(Debug)]
pub enum Replayed {
    /// The finding shows.
    Shows(Box<Finding>),
    /// The finding does not show any more.
    Gone,
}

/// Sends a finding's calls once more, in a fresh process each time, and judges them.
///
/// # Errors
/// When the server could not be exercised at all, or the harness itself is in trouble.
pub async fn replay(
    assignment: &Assignment,
    file: &FindingFile,
    interrupt: watch::Receiver<bool>,
) -> Result<Replayed, DriveError> {
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
) -> Result<Replayed, DriveError> {
    let parent = std::env::temp_dir();
    let run_folders = RunFolders::create_named(&parent, file.seed)
        .map_err(|error| DriveError::Harness(unmade(&parent, &error)))?;
    let replayed =
        until(&mut interrupt.clone(), replay_in(assignment, file, restraint, &run_folders, &mut interrupt))
            .await;
    let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let replayed = replayed.ok_or(DriveError::Interrupted)??;
    removed?;
    Ok(replayed)
}

async fn replay_in(
    assignment: &Assignment,
    file: &FindingFile,
    restraint: Rc<Restraint>,
    run_folders: &RunFolders,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<Replayed, DriveError> {
    let sequence = file.sequence(&run_folders.folders);
    let control = file.control.as_ref().map(|step| step.call(&run_folders.folders));
    let files = {
        let calls = sequence.steps.iter().chain(&control).map(|(_, input)| input.value().unwrap_or_default());
        space::files(run_folders, calls)
    };
    let lay_out = || space::lay_out(run_folders, &files);
    lay_out();
    let mut looked = look(assignment, run_folders, interrupt).await?;
    looked.finish().await;
    let InspectedServer { head, command, deadlines, roots, upstream: _upstream, .. } = looked;
    let tool_files = ToolFiles::at(run_folders.case_folder(&CaseId(FOLDER.to_owned())).to_string_lossy());
    let generators: BTreeMap<String, Generator> = head
        .catalog
        .tools
        .iter()
        .map(|tool| {
            let said = assignment.tools.get(&tool.name).and_then(|said| said.class);
            let class = said.unwrap_or_else(|| Class::from_tool(tool));
            let settings = GeneratorSettings::complete(class, &tool_files);
            (tool.name.clone(), Generator::new(tool, &settings))
        })
        .collect();
    let is_confined = matches!(head.confinement, Confinement::Confined(_));
    if !is_confined && assignment.safety.destructive == Destructive::Withheld {
        stays(&generators, &sequence)?;
    }
    let start = ServerStart { command, lifecycle: head.lifecycle, roots, deadlines, restraint };
    if file.rule == MEMORY_GROWTH.id {
        let grown = growth::again(&start, &sequence.steps, &head, &assignment.contract, growth::TIME).await;
        return Ok(grown.map_or(Replayed::Gone, |finding| Replayed::Shows(Box::new(finding))));
    }
    let judge = RefCell::new(CampaignJudge::new(head, assignment.contract.clone()));
    let base_calls = BaseCalls::default();
    let mut executor = Executor::new(&start, &judge, &generators, &base_calls, &lay_out);
    if let Some((tool, input)) = control {
        executor
            .send(&super::sequence::alone(tool.clone(), input.clone()), ProcessReuse::Fresh, ReplyWait::Full)
            .await;
        let is_known = judge.borrow().control(&tool).is_some();
        if let (false, Some((_, before))) = (is_known, sequence.steps.split_last()) {
            // What must come before the call must come before its control too.
            let alone = super::sequence::alone(tool, input);
            executor
                .send(&super::sequence::after(before, &alone), ProcessReuse::Fresh, ReplyWait::Full)
                .await;
        }
    }
    let tries = if file.finding.stable == Some(false) { FLAKY } else { STABLE };
    let process =
        if Group::of(&file.rule) == Some(Group::Wire) { ProcessReuse::Drained } else { ProcessReuse::Fresh };
    for _ in 0..tries {
        let execution = executor.send(&sequence, process, ReplyWait::Full).await;
        if let Some((_, finding)) = shown(&execution, file) {
            return Ok(Replayed::Shows(Box::new(finding.clone())));
        }
    }
    Ok(Replayed::Gone)
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

/// The finding of the file, or else one of the same rule and tool: the reply's words may have changed although
/// the fault remains.
fn shown<'t>(execution: &'t Execution, file: &FindingFile) -> Option<&'t (Key, Finding)> {
    let of_any_tool = file.finding.tool.is_none();
    execution
        .findings
        .iter()
        .find(|(key, finding)| key.rule == file.rule && (of_any_tool || finding.tool == file.finding.tool))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::sequence::alone;
    use super::*;

    #[test]
    fn a_finding_that_leads_out_of_the_workspace_is_sent_to_a_confined_server_alone() {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let generators = crate::generate::generators(&[("read", &schema)]);
        let sequence = |arguments: Value| {
            let input = Input {
                arguments: arguments.to_string(),
                changes: Vec::new(),
                validity: crate::generate::Validity::Valid,
            };
            alone("read".to_owned(), input)
        };
        assert!(stays(&generators, &sequence(json!({"path": "alpha"}))).is_ok());
        let beyond = stays(&generators, &sequence(json!({"path": "/no-such-folder/absent.txt"})));
        let Err(DriveError::Configuration(why)) = beyond else { panic!("{beyond:?}") };
        assert!(why.contains("/no-such-folder/absent.txt") && why.contains("--allow-destructive"), "{why}");
    }
}
