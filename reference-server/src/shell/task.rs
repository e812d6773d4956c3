//! Background tasks: started, counted, asked for their output.
//!
//! The main type is [`Tasks`]. A task counts against the limit while its shell runs, and not a moment longer.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::group::Group;
use super::{Ending, Output, Shell};
use crate::failure::{Code, Failure, Quoted};
use crate::success::Success;

/// Finished tasks whose output is kept; the oldest is forgotten first.
const FINISHED_KEPT: usize = 100;

/// How many ids a message lists.
const IDS_SHOWN: usize = 20;

/// The background tasks of one session.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    started: u64,
    tasks: BTreeMap<u64, Arc<Task>>,
}

#[derive(Debug)]
struct Task {
    process: Option<Group>,
    output: Output,
    /// Set when the shell has exited and its output is complete.
    ending: OnceLock<Ending>,
}

/// Which tasks the limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Running,
    Started,
}

impl Task {
    fn is_running(&self) -> bool {
        self.ending.get().is_none() && self.process.is_some_and(|process| !process.has_exited())
    }
}

impl Tasks {
    /// Starts a task, if fewer than `limit` are there, and returns its id.
    pub(crate) fn start(
        &self,
        shell: &Arc<Shell>,
        command: &str,
        workdir: &Path,
        limit: usize,
        counted: Counted,
    ) -> Result<String, Failure> {
        // The lock is held over the start, so that two calls at once cannot both take the last place.
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let against_limit: Vec<u64> = table
            .tasks
            .iter()
            .filter(|(_, task)| counted == Counted::Started || task.is_running())
            .map(|(number, _)| *number)
            .collect();
        if against_limit.len() >= limit {
            return Err(full(limit, &against_limit));
        }
        let mut running = shell.start(command, workdir)?;
        let task =
            Arc::new(Task { process: running.group(), output: running.output(), ending: OnceLock::new() });
        table.started += 1;
        let number = table.started;
        table.tasks.insert(number, Arc::clone(&task));
        table.forget_oldest();
        tokio::spawn(async move {
            let ending = running.exited().await;
            running.drained().await;
            let _ = task.ending.set(ending);
        });
        Ok(id(number))
    }

    /// What a task has printed so far, and how it ended if it has.
    pub(crate) fn report(&self, task_id: &str) -> Result<Success, Failure> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = table.tasks.keys().find(|number| id(**number) == task_id);
        let Some(task) = number.and_then(|number| table.tasks.get(number)) else {
            return Err(unknown(task_id, &table));
        };
        let ending = task.ending.get().copied();
        let (status, line) = match ending {
            Some(ending) => ("finished", format!("\n{}", ending.line())),
            None => ("running", String::new()),
        };
        Ok(task.output.told_after(format!("status: {status}{line}"), ending).with("status", status))
    }
}

impl Table {
    fn forget_oldest(&mut self) {
        let finished: Vec<u64> = self
            .tasks
            .iter()
            .filter(|(_, task)| task.ending.get().is_some())
            .map(|(number, _)| *number)
            .collect();
        for number in &finished[..finished.len().saturating_sub(FINISHED_KEPT)] {
            self.tasks.remove(number);
        }
    }
}

fn id(number: u64) -> String {
    format!("task-{number}")
}

fn listed(numbers: &[u64]) -> String {
    let shown: Vec<_> = numbers.iter().take(IDS_SHOWN).map(|number| id(*number)).collect();
    let more = if numbers.len() > IDS_SHOWN { ", ..." } else { "" };
    shown.join(", ") + more
}

fn full(limit: usize, running: &[u64]) -> Failure {
    Failure::new(
        Code::BashTaskLimit,
        format!("The limit of {limit} background tasks is reached, so this one was not started"),
    )
    .about(limit.to_string())
    .hint(format!(
        "Wait until one ends, which task_output reports, or run the command in the foreground. Running: {}.",
        listed(running)
    ))
}

fn unknown(task_id: &str, table: &Table) -> Failure {
    let known: Vec<u64> = table.tasks.keys().copied().collect();
    let hint = if known.is_empty() {
        "No task was started in this session; call bash with \"run_in_background\": true to start one."
            .to_owned()
    } else {
        format!("Use the id that bash returned. Known: {}.", listed(&known))
    };
    Failure::new(Code::BashTaskNotFound, format!("There is no background task {}", Quoted(task_id)))
        .about(task_id)
        .hint(hint)
}
