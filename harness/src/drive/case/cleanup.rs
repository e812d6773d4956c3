//! What is sent when a case is over, so that nothing of it is left on the server.

use crate::condition::CaseId;
use crate::exchange::Step;
use crate::plan::{PlannedCase, PlannedScript};
use crate::suite::{File, FileContent, ProcessChoice};
use crate::transcript::CaseOutcome;

use super::{Abort, Driver, NumberedSession, Position, ProcessState};

impl Driver<'_> {
    /// Sends the calls that release what the case took from the server, and returns the state of the process.
    /// State may outlive a process, so if it is gone the calls go to a new one.
    pub(super) async fn clean_up(
        &mut self,
        numbered: &mut NumberedSession,
        id: &CaseId,
        script: &PlannedScript,
        outcome: &Result<CaseOutcome, Abort>,
    ) -> ProcessState {
        let is_gone = matches!(outcome, Err(Abort::Lost(_)));
        if !is_gone {
            return self.give_back(numbered, id, script).await;
        }
        if !script.cleanup.is_empty()
            && let Ok((mut fresh, _)) = self.pool.open().await
        {
            let fate = self.give_back(&mut fresh, id, script).await;
            self.settle(fresh, ProcessChoice::Own, fate).await;
        }
        ProcessState::Lost
    }

    /// Deletes the folder of a case that contains links or bytes that are not text: a tool that walks through
    /// the workspace may stumble over them, and every later call would fail for that reason. A case whose fault
    /// is in these files sends nothing there again.
    pub(super) fn take_away(&self, planned: &PlannedCase) {
        let stumbling = |file: &File| matches!(file.content, FileContent::Link(_) | FileContent::Hex(_));
        if planned.case.script.files.iter().any(stumbling) {
            let run_folders = self.resources.run_folders;
            // What cannot be deleted costs a verdict at most, and goes with the workspace.
            let _ = run_folders.take_away(&run_folders.case_folder(&planned.case.id));
        }
    }

    async fn give_back(
        &mut self,
        numbered: &mut NumberedSession,
        id: &CaseId,
        script: &PlannedScript,
    ) -> ProcessState {
        let at = Position { case: id, step: Step::Cleanup, control: None, follows: None };
        for call in &script.cleanup {
            if self.send(numbered, &self.addressed(call), at).await.is_err() {
                return ProcessState::Lost;
            }
        }
        ProcessState::Lives
    }
}
