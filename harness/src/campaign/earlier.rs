//! What an earlier start of the campaign found: it is taken over, and confirmed where that was not done in time.
//!
//! The main type is [`EarlierFindings`].

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::finding::Finding;

use super::file::{self, FindingFile};
use super::journal::{CampaignRecord, Line};
use super::minimizer::Candidate;
use super::sequence::alone;
use super::unwritten::Purpose;
use super::verdict::Key;
use super::worker_pool::WorkerPool;
use super::{Beginning, Campaign, INTERRUPTED, KILLED, NO_TIME};

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
#[derive(Default)]
pub(super) struct EarlierFindings {
    /// Those that are known.
    known: Vec<Earlier>,
    /// Those that are to be confirmed.
    open: RefCell<VecDeque<Earlier>>,
    /// Ends of processes with several calls in flight, of which one is to blame.
    ended: Vec<FindingFile>,
}

impl EarlierFindings {
    /// Reads the files of the findings, and what the journal says of this campaign if it was killed.
    pub(super) fn read(folder: Option<&Path>, record: Option<&CampaignRecord>, command: &[String]) -> Self {
        let mut earlier = Self::default();
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
                (true, _) => earlier.open.get_mut().push_back(one),
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
                true => earlier.open.get_mut().push_back(one),
                // It was only still being shrunk.
                false => earlier.known.push(one),
            }
        }
        earlier
    }
}

impl Campaign<'_> {
    /// Takes over what is known, so that it is reported, and not looked into again.
    pub(super) fn take_over_earlier(&self) {
        let Beginning { earlier, journal, .. } = self.begun;
        for one in &earlier.known {
            self.restore_earlier(one);
            if one.state == EarlierState::Seen {
                self.write_earlier(one);
                journal.write(&Line::Settled(one.key.clone()));
            }
        }
        for one in earlier.open.borrow().iter().filter(|one| one.state == EarlierState::Found) {
            self.restore_earlier(one);
        }
    }

    fn restore_earlier(&self, one: &Earlier) {
        let arguments = one.file.steps.last().and_then(|step| step.input.value()).unwrap_or_default();
        self.server.judge.borrow_mut().restore(&one.file.finding, &arguments);
        let replay = self.earlier_path(one).map(|path| file::replay(&path));
        self.ledger.borrow_mut().restore(&one.key, Finding { replay, ..one.file.finding.clone() });
    }

    fn earlier_path(&self, one: &Earlier) -> Option<PathBuf> {
        let folder = self.begun.settings.findings.as_deref();
        folder.map(|folder| file::path(folder, &one.file.finding))
    }

    fn write_earlier(&self, one: &Earlier) {
        if let Some(path) = self.earlier_path(one) {
            self.begun.unwritten.write(&path, Purpose::Finding, one.file.text());
        }
    }

    /// Submits the ends of processes for examination that were seen, but not examined in time.
    pub(super) async fn examine_earlier(&self, pool: &WorkerPool<'_>) {
        for file in &self.begun.earlier.ended {
            let Some(exit) = file.exit else { continue };
            let calls = file.sequence(&self.server.head.folders).steps.into_iter();
            let in_flight = calls.map(|(tool, input)| alone(tool, input)).collect();
            pool.suspect(Candidate::Ended { exit, in_flight, earlier: Vec::new() }).await;
        }
    }

    /// Sends what was not confirmed in time once more.
    pub(super) async fn confirm_earlier(&self) {
        while !self.tally.clock.left().is_some_and(|left| left.is_zero()) {
            let open = &self.begun.earlier.open;
            let Some(file) = open.borrow().front().map(|one| one.file.clone()) else { return };
            let replayed = self.replay(&file).await;
            let Some(mut one) = open.borrow_mut().pop_front() else { return };
            match replayed {
                Ok(shown) => self.settle_earlier(&mut one, shown.as_ref()),
                // It may not be sent, or the server does not start.
                Err(_) => self.enter_earlier(one, NO_TIME),
            }
        }
    }

    /// Enters what there was no time to confirm, with the reason.
    pub(super) fn enter_open_earlier(&self, why: &str) {
        for one in self.begun.earlier.open.take() {
            self.enter_earlier(one, why);
        }
    }

    /// Enters what was not confirmed, with the reason, unless it has a file already.
    fn enter_earlier(&self, mut one: Earlier, why: &str) {
        if one.state == EarlierState::Seen {
            one.file.finding.unconfirmed = Some(why.to_owned());
            self.ledger.borrow_mut().restore(&one.key, one.file.finding.clone());
            self.write_earlier(&one);
            self.begun.journal.write(&Line::Settled(one.key));
        }
    }

    fn settle_earlier(&self, one: &mut Earlier, shown: Option<&Finding>) {
        let finding = &mut one.file.finding;
        finding.unconfirmed = None;
        finding.stable = Some(shown.is_some());
        if let Some(shown) = shown {
            finding.level = shown.level;
        }
        match one.state {
            EarlierState::Seen if shown.is_some() => {
                self.ledger.borrow_mut().restore(&one.key, finding.clone());
            }
            EarlierState::Found => self.ledger.borrow_mut().confirm(&one.key, finding),
            EarlierState::Seen | EarlierState::OfOther => {}
        }
        // What was only seen, and does not show, was not reported.
        if shown.is_some() || one.state != EarlierState::Seen {
            self.write_earlier(one);
        }
        if one.state == EarlierState::Seen {
            self.begun.journal.write(&Line::Settled(one.key.clone()));
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
