//! The successful call of a tool, sent again while the server can write to no file.
//!
//! A refusal is judged only if the same call succeeds before and after, or if it tells what the system said.

use std::sync::LazyLock;

use regex::Regex;

use crate::class::Class;
use crate::condition::CaseId;
use crate::exchange::{EnvironmentEffect, Outcome, Step};
use crate::expectation::Expected;
use crate::judge::has_succeeded;
use crate::plan::{PlannedStorage, ProbedTool};
use crate::transcript::CaseOutcome;

use super::super::pool::in_words;
use super::control_state::{ProbeControl, Repeatability, SuccessfulCall, Tried};
use super::{Abort, CallBasis, Driver, Position, unread};

/// What the system and a database say when a file cannot be written; nothing else fails like that.
static SAID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\bEFBIG\b|(?i)\b(?:errno|os error) 27\b|\bfile too large\b|\bdisk i/o error\b|\bdisk is full\b",
    )
    .expect("the expression is well-formed")
});
/// Why what happens meanwhile is not judged.
const MEANWHILE: &str = "nothing could be written to the disk at the time, or shortly before";

/// What came of the call of one tool.
pub(in crate::drive) enum StorageResult {
    /// It is no case: no call is known that succeeds at present, or it succeeds all the same.
    Untold,
    /// The system does not let a server's writes fail.
    Unlimited,
    Driven(CaseOutcome),
    /// The server did not answer, which is not judged.
    Lost(CaseOutcome),
}

impl Driver<'_> {
    /// Sends the successful call of a tool while nothing can be written.
    pub(in crate::drive) async fn storage(
        &mut self,
        tool: &ProbedTool,
        planned: &PlannedStorage,
    ) -> StorageResult {
        let since = self.pool.exchanges.len();
        let result = match self.call_without_storage(tool, planned).await {
            Ok((judged, result)) => {
                self.excuse(since, judged);
                return result;
            }
            Err(Abort::Harness(cause)) => StorageResult::Driven(CaseOutcome::Errored(cause)),
            Err(Abort::Lost(_) | Abort::PreconditionFailed(_)) => StorageResult::Untold,
        };
        self.excuse(since, None);
        result
    }

    /// Sends it; also returns the exchange that is judged, if any is.
    async fn call_without_storage(
        &mut self,
        tool: &ProbedTool,
        planned: &PlannedStorage,
    ) -> Result<(Option<usize>, StorageResult), Abort> {
        let id = &planned.id;
        let Some(stand) = self.usable_stand(tool, id).await? else {
            return Ok((None, StorageResult::Untold));
        };
        self.untouched = None;
        self.supply(tool, &stand.base);
        self.lay_out_for(tool)?;
        let mut numbered = self.process_for(tool, id).await?;
        let Some(storage) = numbered.session.storage().filter(|storage| storage.fail()) else {
            self.pool.give_back(numbered);
            return Ok((None, StorageResult::Unlimited));
        };
        let call = self.addressed(&tool.call(stand.base.clone(), planned.expected.clone()));
        let at = Position { case: id, step: Step::Call, control: stand.control, follows: None };
        let sent = self.send(&mut numbered, &call, at).await;
        storage.recover();
        let index = match self.kept(numbered, sent).await {
            Ok(index) => index,
            Err(Abort::Lost(index)) => {
                let words = in_words(&self.pool.exchanges[index].outcome);
                let why = format!("while nothing could be written to the disk, {words}");
                return Ok((None, StorageResult::Lost(CaseOutcome::PreconditionFailed(why))));
            }
            Err(abort) => return Err(abort),
        };
        let exchange = &mut self.pool.exchanges[index];
        // The server was meant to run into this, so it is not the confinement's doing.
        exchange.environment = EnvironmentEffect::None;
        if has_succeeded(exchange, self.contract) || unread(&exchange.outcome).is_some() {
            exchange.place.step = Step::Prepare;
            exchange.place.expected = Expected::Anything;
            return Ok((Some(index), StorageResult::Untold));
        }
        let succeeds_again = match self.succeeded_now(tool, id).await {
            Err(Abort::Lost(_)) => false,
            again => again?.is_some(),
        };
        let tells = self.tells_of_storage(index);
        if !tells && ends_in_a_colon(&self.pool.exchanges[index].outcome) {
            let why = format!(
                "a program that `{}` starts seems to have ended at the limit without a word",
                tool.name
            );
            return Ok((None, StorageResult::Driven(CaseOutcome::PreconditionFailed(why))));
        }
        if succeeds_again || tells {
            if !succeeds_again {
                // What it keeps may be ruined; a new process may begin anew.
                self.renew().await;
            }
            return Ok((Some(index), StorageResult::Driven(CaseOutcome::Driven)));
        }
        let last = self.pool.exchanges.len() - 1;
        self.renew().await;
        if self.are_refused_alike(index, last) {
            // It was refused for what was so before.
            return Ok((None, StorageResult::Untold));
        }
        let why = format!(
            "`{}` refused the same call once it could write again, so its refusal may have another cause",
            tool.name
        );
        Ok((None, StorageResult::Driven(CaseOutcome::PreconditionFailed(why))))
    }

    /// The call to send: one that succeeds at present, if that is known. A server that has lost what it kept may find
    /// it again in a new process.
    async fn usable_stand(&mut self, tool: &ProbedTool, id: &CaseId) -> Result<Option<CallBasis>, Abort> {
        let Some(ProbeControl::Found(found)) = self.tools.probe_controls.get(&tool.name).cloned() else {
            return Ok(None);
        };
        match found.repeatability {
            Repeatability::Spent { .. } => return Ok(None),
            // Each call of it needs another thing, or another name.
            Repeatability::Renamed { .. } | Repeatability::Remade { .. } => {}
            Repeatability::Steady | Repeatability::Untested if tool.class == Class::Read => {}
            Repeatability::Steady | Repeatability::Untested => {
                if self.succeeded_now(tool, id).await?.is_none() {
                    self.renew().await;
                    let Some(control) = self.succeeded_now(tool, id).await? else { return Ok(None) };
                    let found = SuccessfulCall { control, repeatability: Repeatability::Steady, ..found };
                    self.keep(tool, ProbeControl::Found(found));
                }
            }
        }
        let Some(probe_control) = self.tools.probe_controls.get(&tool.name).cloned() else { return Ok(None) };
        Ok(Some(self.stand(tool, id, &probe_control).await?))
    }

    /// Sends the tool's call as it can be repeated; the exchange if it succeeds.
    async fn succeeded_now(&mut self, tool: &ProbedTool, id: &CaseId) -> Result<Option<usize>, Abort> {
        let Some(ProbeControl::Found(found)) = self.tools.probe_controls.get(&tool.name).cloned() else {
            return Ok(None);
        };
        let arguments = match found.repeatability {
            Repeatability::Remade { turn } => self.remade(tool, id, &found, turn).await?,
            _ => self.base(tool, &found),
        };
        let control = match self.tried(tool, id, &arguments).await? {
            Tried::Succeeded(control) => control,
            Tried::Refused(_) | Tried::Lost(_) => return Ok(None),
        };
        if found.repeatability == Repeatability::Untested {
            let found = SuccessfulCall { control, repeatability: Repeatability::Steady, ..found };
            self.keep(tool, ProbeControl::Found(found));
        }
        Ok(Some(control))
    }

    /// Whether a refusal, or what the server wrote to its log meanwhile, has the system's words.
    fn tells_of_storage(&self, index: usize) -> bool {
        let exchange = &self.pool.exchanges[index];
        let texts = exchange.outcome.words().into_iter().chain([exchange.stderr.as_str()]);
        texts.into_iter().any(|text| SAID.is_match(text))
    }

    /// Marks what failed since then, but for the exchange that is judged: the server may have lost what it kept.
    fn excuse(&mut self, since: usize, judged: Option<usize>) {
        for exchange in &mut self.pool.exchanges[since..] {
            let is_gone = matches!(exchange.outcome, Outcome::Ended(_) | Outcome::NoReply { .. });
            let is_judged = judged == Some(exchange.index) && !is_gone;
            if !is_judged && !has_succeeded(exchange, self.contract) {
                exchange.environment = EnvironmentEffect::Storage(MEANWHILE.to_owned());
            }
        }
    }
}

/// Whether a reply announces what another program said, and nothing follows. A program that the server starts does not
/// ignore the signal at the limit, so it ends there.
fn ends_in_a_colon(outcome: &Outcome) -> bool {
    outcome.texts().first().is_some_and(|text| text.trim_end().ends_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_for_a_file_that_cannot_be_written_are_known() {
        for text in [
            "[Errno 27] File too large: '/w/notes.json'",
            "EFBIG: file too large, write",
            "(sqlite3.OperationalError) disk I/O error",
            "database or disk is full",
            "cannot save: File too large (os error 27)",
        ] {
            assert!(SAID.is_match(text), "{text}");
        }
        for text in ["no note 27", "the title is too long", "Errno 270", "internal error"] {
            assert!(!SAID.is_match(text), "{text}");
        }
    }
}
