//! The steps before a case's call, which set up what the case needs.

use std::path::Path;

use crate::cause;
use crate::condition::CaseId;
use crate::exchange::Step;
use crate::judge::has_succeeded;
use crate::plan::{PlannedCall, PlannedStep};
use crate::wording::task_id;

use super::{Abort, Driver, NumberedSession, Position};

impl Driver<'_> {
    /// Takes each step; returns the process, and the last task that was started in another session, if any.
    pub(super) async fn steps(
        &mut self,
        numbered: &mut NumberedSession,
        id: &CaseId,
        folder: &Path,
        steps: &[PlannedStep],
    ) -> Result<Option<(NumberedSession, String)>, Abort> {
        let mut elsewhere = None;
        let at = Position { case: id, step: Step::Prepare, control: None, follows: None };
        for step in steps {
            match step {
                PlannedStep::Elsewhere(call, times) => {
                    elsewhere = Some(self.elsewhere(id, call, *times).await?);
                }
                PlannedStep::View(call) => {
                    self.send(numbered, call, at).await?;
                }
                PlannedStep::Call(call, times) => {
                    for _ in 0..*times {
                        let index = self.send(numbered, call, at).await?;
                        if !has_succeeded(&self.pool.exchanges[index], self.contract) {
                            return Err(Abort::PreconditionFailed(
                                self.reason("a preparation step did not succeed", index),
                            ));
                        }
                    }
                }
                PlannedStep::RemoveFile(path) => {
                    let removed = self.resources.run_folders.remove_file(&folder.join(path));
                    removed.map_err(|error| {
                        Abort::Harness(format!("cannot delete {path}: {}", cause::describe(&error)))
                    })?;
                }
            }
        }
        Ok(elsewhere)
    }

    /// Starts tasks in another session; returns its process, which keeps running, and the id of the last task.
    async fn elsewhere(
        &mut self,
        id: &CaseId,
        call: &PlannedCall,
        times: u64,
    ) -> Result<(NumberedSession, String), Abort> {
        let opened = self.pool.open().await;
        let (mut other, _) = opened
            .map_err(|cause| Abort::PreconditionFailed(format!("cannot open another session: {cause}")))?;
        let at = Position { case: id, step: Step::Prepare, control: None, follows: None };
        let mut task = None;
        for _ in 0..times {
            let index = self.send(&mut other, call, at).await?;
            let exchange = &self.pool.exchanges[index];
            if !has_succeeded(exchange, self.contract) {
                return Err(Abort::PreconditionFailed(self.reason(
                    "a preparation step did not \
                    succeed",
                    index,
                )));
            }
            task = task_id::in_reply(&exchange.outcome);
        }
        let task = task.ok_or_else(|| {
            Abort::PreconditionFailed(
                "the reply to starting a background task has no recognisable id".to_owned(),
            )
        })?;
        Ok((other, task))
    }
}
