//! A finding sent once more: whether the server still shows it.
//!
//! The main function is [`replay`].

use std::cell::RefCell;
use std::collections::BTreeMap;

use tokio::sync::watch;

use crate::condition::CaseId;
use crate::drive::{Assignment, DriveError, InspectedServer, look, unmade, until};
use crate::finding::Finding;
use crate::generate::{Calls, Generator, GeneratorSettings, Relative, ToolFiles};
use crate::rules::{Group, MEMORY_GROWTH};
use crate::server::RunFolders;

use super::execution::{Execution, Executor, ProcessReuse, ReplyWait, ServerStart};
use super::file::FindingFile;
use super::growth;
use super::seed_calls::SeedCalls;
use super::space::{self, FOLDER};
use super::verdict::{CampaignJudge, Key};

/// How often one that showed each time is sent, and one that did not.
const STABLE: usize = 2;
const FLAKY: usize = 10;

/// What became of a finding.
#[derive(Debug)]
pub enum Replayed {
    /// It shows.
    Shows(Box<Finding>),
    /// It shows no more.
    Gone,
}

/// Sends a finding's calls once more, in a fresh process each time, and judges them.
///
/// # Errors
/// When the server could not be exercised at all, or the harness itself is in trouble.
pub async fn replay(
    assignment: &Assignment,
    file: &FindingFile,
    mut interrupt: watch::Receiver<bool>,
) -> Result<Replayed, DriveError> {
    let parent = std::env::temp_dir();
    let run_folders = RunFolders::create_named(&parent, file.seed)
        .map_err(|error| DriveError::Harness(unmade(&parent, &error)))?;
    let replayed =
        until(&mut interrupt.clone(), replay_in(assignment, file, &run_folders, &mut interrupt)).await;
    let removed = run_folders.remove().map_err(|error| DriveError::Harness(error.to_string()));
    let replayed = replayed.ok_or(DriveError::Interrupted)??;
    removed?;
    Ok(replayed)
}

async fn replay_in(
    assignment: &Assignment,
    file: &FindingFile,
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
    let InspectedServer { head, command, deadlines, roots, upstream: _upstream, .. } =
        look(assignment, run_folders, interrupt).await?;
    let tool_files = ToolFiles::at(run_folders.case_folder(&CaseId(FOLDER.to_owned())).to_string_lossy());
    let generators: BTreeMap<String, Generator> = head
        .catalog
        .tools
        .iter()
        .map(|tool| {
            // Who replays a finding asks for exactly these calls.
            let settings = GeneratorSettings {
                class: crate::class::Class::from_tool(tool),
                tool_files: &tool_files,
                calls: Calls::Complete,
                relative: Relative::Elsewhere,
                valid: None,
            };
            (tool.name.clone(), Generator::new(tool, &settings))
        })
        .collect();
    if file.rule == MEMORY_GROWTH.id {
        let start = ServerStart { command, lifecycle: head.lifecycle, roots, deadlines };
        let grown = growth::again(&start, &sequence.steps, &head, &assignment.contract, growth::TIME).await;
        return Ok(grown.map_or(Replayed::Gone, |finding| Replayed::Shows(Box::new(finding))));
    }
    let start = ServerStart { command, lifecycle: head.lifecycle, roots, deadlines };
    let verdicts = RefCell::new(CampaignJudge::new(head, assignment.contract.clone()));
    let bases = SeedCalls::default();
    let mut executor = Executor::new(&start, &verdicts, &generators, &bases, &lay_out);
    if let Some((tool, input)) = control {
        executor
            .send(&super::draw::alone(tool.clone(), input.clone()), ProcessReuse::Fresh, ReplyWait::Full)
            .await;
        let is_known = verdicts.borrow().control(&tool).is_some();
        if let (false, Some((_, before))) = (is_known, sequence.steps.split_last()) {
            // What comes before the call comes before its control too.
            let alone = super::draw::alone(tool, input);
            executor.send(&super::row::after(before, &alone), ProcessReuse::Fresh, ReplyWait::Full).await;
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

/// The finding of the file, or one of its rule and tool: the words of a reply may change and the fault stay.
fn shown<'t>(execution: &'t Execution, file: &FindingFile) -> Option<&'t (Key, Finding)> {
    let of_any_tool = file.finding.tool.is_none();
    execution
        .findings
        .iter()
        .find(|(key, finding)| key.rule == file.rule && (of_any_tool || finding.tool == file.finding.tool))
}
