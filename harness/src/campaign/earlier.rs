//! What an earlier start of the campaign found: it is taken over, and confirmed where that was not done in time.
//!
//! The main type is [`EarlierFindings`].

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tokio::sync::watch;

use crate::finding::Finding;
use crate::placeholder::Folders;

use super::file::{self, FindingFile};
use super::journal::{CampaignRecord, Journal, Line};
use super::ledger::Ledger;
use super::minimizer::{Candidate, Trigger};
use super::replay::{Replayed, replay_with};
use super::sequence::alone;
use super::unwritten::{Purpose, Unwritten};
use super::verdict::{CampaignJudge, Key};
use super::worker_pool::WorkerPool;
use super::{Campaign, INTERRUPTED, KILLED, NO_TIME};

/// A finding of an earlier start.
struct Earlier {
    key: Key,
    file: FindingFile,
    state: EarlierState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EarlierState {
    /// It has a file, and belongs to this campaign.
    Found,
    /// It has a file, and belongs to a campaign that ended.
    OfOther,
    /// It was seen, and is only in the journal.
    Seen,
}

/// The findings of earlier starts.
pub(super) struct EarlierFindings {
    folder: Option<PathBuf>,
    /// Those that are known.
    known: Vec<Earlier>,
    /// Those that are to be confirmed.
    open: RefCell<Vec<Earlier>>,
    /// Ends of processes with several calls in flight, of which one is to blame.
    ended: Vec<FindingFile>,
}

impl EarlierFindings {
    /// Reads the files of the findings, and what the journal says of this campaign if it was killed.
    pub(super) fn read(folder: Option<&Path>, record: Option<&CampaignRecord>, command: &[String]) -> Self {
        let mut earlier = Self {
            folder: folder.map(Path::to_owned),
            known: Vec::new(),
            open: RefCell::default(),
            ended: Vec::new(),
        };
        for file in folder.map(files).unwrap_or_default() {
            let is_same_server = file.server.as_ref().is_some_and(|server| server.command == command);
            let key = Key {
                rule: file.rule.clone(),
                tool: file.finding.tool.clone(),
                mark: file.mark.clone().unwrap_or_default(),
            };
            let state = match record {
                Some(record) if record.id.seed == file.seed => EarlierState::Found,
                _ => EarlierState::OfOther,
            };
            let is_open = is_same_server && is_unconfirmed(&file);
            let one = Earlier { key, file, state };
            match (is_open, state) {
                (true, _) => earlier.open.borrow_mut().push(one),
                (false, EarlierState::Found) => earlier.known.push(one),
                (false, _) => {}
            }
        }
        for (key, file) in record.into_iter().flat_map(|record| &record.seen) {
            if file.exit.is_some() {
                earlier.ended.push(file.clone());
                continue;
            }
            let one = Earlier { key: key.clone(), file: file.clone(), state: EarlierState::Seen };
            match is_unconfirmed(file) {
                true => earlier.open.borrow_mut().push(one),
                // It was only still being shrunk.
                false => earlier.known.push(one),
            }
        }
        earlier
    }

    /// Takes over what is known, so that it is reported, and not looked into again.
    pub(super) fn take_over(
        &self,
        ledger: &mut Ledger,
        judge: &mut CampaignJudge,
        journal: &Journal,
        unwritten: &Unwritten,
    ) {
        for one in &self.known {
            self.restore(one, ledger, judge);
            if one.state == EarlierState::Seen {
                self.write(one, unwritten);
                journal.write(&Line::Settled(one.key.clone()));
            }
        }
        for one in self.open.borrow().iter().filter(|one| one.state == EarlierState::Found) {
            self.restore(one, ledger, judge);
        }
    }

    fn restore(&self, one: &Earlier, ledger: &mut Ledger, judge: &mut CampaignJudge) {
        let arguments = one.file.steps.last().and_then(|step| step.input.value()).unwrap_or_default();
        judge.restore(&one.file.finding, &arguments);
        let replay = self.path(one).map(|path| file::replay(&path));
        ledger.restore(&one.key, Finding { replay, ..one.file.finding.clone() });
    }

    fn path(&self, one: &Earlier) -> Option<PathBuf> {
        self.folder.as_deref().map(|folder| file::path(folder, &one.file.finding))
    }

    fn write(&self, one: &Earlier, unwritten: &Unwritten) {
        let Some(path) = self.path(one) else { return };
        unwritten.write(&path, Purpose::Finding, one.file.text());
    }

    /// Enters what there was no time to confirm, with the reason.
    pub(super) fn enter_open(&self, campaign: &Campaign<'_>, why: &str) {
        for one in std::mem::take(&mut *self.open.borrow_mut()) {
            self.enter(one, campaign, why);
        }
    }

    /// Enters what was not confirmed, with the reason, unless it has a file already.
    fn enter(&self, mut one: Earlier, campaign: &Campaign<'_>, why: &str) {
        if one.state == EarlierState::Seen {
            one.file.finding.unconfirmed = Some(why.to_owned());
            campaign.ledger.borrow_mut().restore(&one.key, one.file.finding.clone());
            self.write(&one, campaign.unwritten);
            campaign.journal.write(&Line::Settled(one.key));
        }
    }
}

impl Campaign<'_> {
    /// Submits the ends of processes for examination that were seen, but not examined in time.
    pub(super) async fn examine_earlier(&self, pool: &WorkerPool<'_>, folders: &Folders) {
        for file in &self.earlier.ended {
            let Some(exit) = file.exit else { continue };
            let calls = file.sequence(folders).steps.into_iter();
            let in_flight = calls.map(|(tool, input)| alone(tool, input)).collect();
            let cause = Trigger::Ended { exit, in_flight };
            pool.suspect(Candidate { cause, earlier: Vec::new() }).await;
        }
    }

    /// Sends what was not confirmed in time once more.
    pub(super) async fn confirm_earlier(&self) {
        loop {
            let Some((file, place)) = self
                .earlier
                .open
                .borrow()
                .iter()
                .enumerate()
                .find_map(|(place, one)| (!self.is_over_for_good()).then(|| (one.file.clone(), place)))
            else {
                return;
            };
            let (_interrupt, uninterrupted) = watch::channel(false);
            let restraint = Rc::clone(&self.start.restraint);
            let replayed = Box::pin(replay_with(self.assignment, &file, restraint, uninterrupted)).await;
            let mut one = self.earlier.open.borrow_mut().remove(place);
            let shown = match replayed {
                Ok(Replayed::Shows(finding)) => Some(finding),
                Ok(Replayed::Gone) => None,
                // It may not be sent, or the server does not start.
                Err(_) => {
                    self.earlier.enter(one, self, NO_TIME);
                    continue;
                }
            };
            self.settle_earlier(&mut one, shown.as_deref());
        }
    }

    fn is_over_for_good(&self) -> bool {
        self.tally.clock.left().is_some_and(|left| left.is_zero())
    }

    fn settle_earlier(&self, one: &mut Earlier, shown: Option<&Finding>) {
        let finding = &mut one.file.finding;
        finding.unconfirmed = None;
        finding.stable = Some(shown.is_some());
        if let Some(shown) = shown {
            finding.level = shown.level;
        }
        match (one.state, shown) {
            // It was not reported.
            (EarlierState::Seen, None) => {}
            (EarlierState::Seen, Some(_)) => {
                self.ledger.borrow_mut().restore(&one.key, finding.clone());
                self.earlier.write(one, self.unwritten);
            }
            (EarlierState::Found, _) => {
                self.ledger.borrow_mut().confirm(&one.key, finding);
                self.earlier.write(one, self.unwritten);
            }
            (EarlierState::OfOther, _) => self.earlier.write(one, self.unwritten),
        }
        if one.state == EarlierState::Seen {
            self.journal.write(&Line::Settled(one.key.clone()));
        }
    }
}

/// Whether a finding was not confirmed because there was no time.
fn is_unconfirmed(file: &FindingFile) -> bool {
    file.finding.unconfirmed.as_deref().is_some_and(|why| [NO_TIME, INTERRUPTED, KILLED].contains(&why))
}

/// The findings' files in a folder, in the order of their names; others are passed over.
fn files(folder: &Path) -> Vec<FindingFile> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.iter().filter_map(|path| FindingFile::read(path).ok()).collect()
}
