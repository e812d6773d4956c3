//! The journal of a campaign: what it has come to, one line at a time, so that a killed one can go on.
//!
//! The main types are [`Journal`], which is appended to, and [`CampaignRecord`], which is what its lines say. A line that was
//! not written completely is the last one, and is left out.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cause;
use crate::drive::DriveError;
use crate::finding::Finding;
use crate::judge::{SlowCall, ValidCallSearch};
use crate::machine::MachineNames;
use crate::placeholder::Folders;
use crate::transcript::{Head, Withheld};

use super::file::FindingFile;
use super::settings::{Budget, EarlierCampaign};
use super::unwritten::Unwritten;
use super::verdict::Key;

/// The name of the file, beside those of the findings.
pub(crate) const FILE: &str = "campaign.ndjson";
/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// What makes two starts parts of one campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct CampaignId {
    /// The version of the journal's format.
    pub(super) version: u32,
    /// The seed of this shard.
    pub seed: u64,
    /// Which part of the plan it has.
    pub shard: String,
    /// The server's command line, with secrets replaced by their names.
    pub server: Vec<String>,
    /// The contract's id, or `auto`.
    pub contract: String,
    /// The names of the tools that are called; `None` for all.
    pub tools: Option<String>,
    /// Which calls may be sent.
    pub scope: String,
}

impl CampaignId {
    /// In which respects another campaign differs, with both values.
    fn differences(&self, other: &Self) -> String {
        let tools = |id: &Self| id.tools.clone().unwrap_or_else(|| "all".to_owned());
        let pairs = [
            ("version of the journal", self.version.to_string(), other.version.to_string()),
            ("server", self.server.join(" "), other.server.join(" ")),
            ("contract", self.contract.clone(), other.contract.clone()),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            ("shard", self.shard.clone(), other.shard.clone()),
            ("tools", tools(self), tools(other)),
            ("calls", self.scope.clone(), other.scope.clone()),
        ];
        let differing = pairs.into_iter().filter(|(_, one, other)| one != other);
        let named = differing.map(|(name, one, other)| format!("its {name}: `{one}`, now `{other}`"));
        named.collect::<Vec<_>>().join("; ")
    }
}

/// How many calls were sent, and how long that took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallFigures {
    /// Calls that were sent.
    pub calls: u64,
    /// Replies that were errors.
    pub error_replies: u64,
    /// The time that it took.
    pub duration_ms: u64,
}

/// What a campaign brought besides its findings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CampaignEnd {
    pub(crate) looks_like: Option<String>,
    /// Why the findings are no proof of conformance although none counts.
    pub(crate) inconclusive: Option<String>,
    pub(crate) withheld: Vec<Withheld>,
    pub(crate) slow: Vec<SlowCall>,
    /// The search for successful calls; `None` if there was none.
    pub(crate) learnt: Option<ValidCallSearch>,
}

/// The head without what a report needs not.
pub(super) fn bare_head(head: &Head) -> Head {
    Head { folders: Folders::default(), machine: MachineNames::default(), ..head.clone() }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The campaign that the following lines are about.
    Campaign(CampaignId),
    Head(Box<Head>),
    Figures(CallFigures),
    /// A known change whose call was answered.
    Planned(String),
    /// Something that was seen and is to be confirmed, or was confirmed and is to be shrunk.
    Seen(Key, Box<FindingFile>),
    /// It was confirmed or came to nothing.
    Settled(Key),
    /// The findings that have no file: on requests besides calls of tools.
    Besides(Vec<Finding>),
    Ended(Box<CampaignEnd>),
}

impl Line {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("the names of all members are text") + "\n"
    }
}

/// What a journal says of one campaign.
#[derive(Debug, Clone, Default)]
pub(crate) struct CampaignRecord {
    pub(crate) id: CampaignId,
    pub(crate) head: Option<Head>,
    pub(crate) figures: CallFigures,
    /// The known changes whose calls were answered.
    pub(super) planned: BTreeSet<String>,
    pub(super) seen: BTreeMap<Key, FindingFile>,
    pub(crate) besides: Vec<Finding>,
    /// `None` if it was killed or interrupted.
    pub(crate) end: Option<CampaignEnd>,
}

impl CampaignRecord {
    pub(crate) fn new(id: CampaignId) -> Self {
        Self { id, ..Self::default() }
    }

    fn take(&mut self, line: Line) {
        match line {
            Line::Campaign(_) => {}
            Line::Head(head) => self.head = Some(*head),
            Line::Figures(figures) => self.figures = figures,
            Line::Planned(change) => {
                self.planned.insert(change);
            }
            Line::Seen(key, file) => {
                self.seen.insert(key, *file);
            }
            Line::Settled(key) => {
                self.seen.remove(&key);
            }
            Line::Besides(findings) => self.besides = findings,
            Line::Ended(end) => self.end = Some(*end),
        }
    }

    /// The one of two records of the same campaign that got further.
    pub(crate) fn further(self, other: Self) -> Self {
        let rank = |record: &Self| (record.end.is_some(), record.figures, record.text());
        if rank(&self) >= rank(&other) { self } else { other }
    }

    /// The lines that say the same of an ended campaign.
    pub(crate) fn text(&self) -> String {
        let head = self.head.clone().map(|head| Line::Head(Box::new(head)));
        let end = self.end.clone().map(|end| Line::Ended(Box::new(end)));
        let figures = [Line::Figures(self.figures), Line::Besides(self.besides.clone())];
        let lines = [Line::Campaign(self.id.clone())].into_iter().chain(head).chain(figures).chain(end);
        lines.map(|line| line.text()).collect()
    }
}

/// The campaigns of a journal, and how many bytes of it are whole lines of this format.
pub(crate) fn read(text: &str) -> (Vec<CampaignRecord>, usize) {
    let mut records: Vec<CampaignRecord> = Vec::new();
    let mut whole = 0;
    for line in text.split_inclusive('\n') {
        let Some(read) = line.strip_suffix('\n').and_then(|line| serde_json::from_str(line).ok()) else {
            break;
        };
        match (read, records.last_mut()) {
            (Line::Campaign(id), _) => records.push(CampaignRecord::new(id)),
            (line, Some(record)) => record.take(line),
            (_, None) => break,
        }
        whole += line.len();
    }
    (records, whole)
}

/// The seed of the campaign in this folder that did not end, and what it had sent.
pub fn unfinished(folder: &Path) -> Option<(u64, CallFigures)> {
    let text = std::fs::read_to_string(folder.join(FILE)).ok()?;
    let [record] = read(&text).0.try_into().ok()?;
    let record: CampaignRecord = record;
    record.end.is_none().then_some((record.id.seed, record.figures))
}

/// The journal of a campaign that runs. Without a folder nothing is written.
#[derive(Default)]
pub(super) struct Journal {
    path: PathBuf,
    /// Locked while the campaign runs.
    file: RefCell<Option<Rc<File>>>,
    is_dirty: Cell<bool>,
    last: Cell<CallFigures>,
    unwritten: Rc<Unwritten>,
}

impl Journal {
    /// Opens the journal in the folder of the findings; with what it says of this campaign, if that did not end.
    ///
    /// # Errors
    /// If another campaign is in that folder, or the file cannot be written.
    pub(super) fn open(
        folder: Option<&Path>,
        id: &CampaignId,
        earlier: EarlierCampaign,
        unwritten: Rc<Unwritten>,
    ) -> Result<(Self, Option<CampaignRecord>), DriveError> {
        let Some(folder) = folder else { return Ok((Self::default(), None)) };
        let (place, path) = (folder.display(), folder.join(FILE));
        let unopened = |error: io::Error| {
            let cause = cause::describe(&error);
            DriveError::Configuration(format!(
                "cannot write `{}`: {cause}; give another folder with `--findings`",
                path.display()
            ))
        };
        let mut file = File::options().read(true).append(true).create(true).open(&path).map_err(unopened)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(DriveError::Configuration(format!(
                    "another campaign is writing to `{place}`: give each campaign its own folder with `--findings`, and \
                     `mcp-errconf merge` them"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unopened(error)),
        }
        let mut text = String::new();
        // What is no text was not written by this program, and is replaced.
        let _ = file.read_to_string(&mut text);
        let (mut records, whole) = read(&text);
        if earlier == EarlierCampaign::Continue {
            if records.len() > 1 {
                return Err(DriveError::Configuration(format!(
                    "`{place}` holds what several campaigns were merged into; give another folder with `--findings`, or \
                     `--fresh` to start over there"
                )));
            }
            if let Some(record) = records.pop().filter(|record| record.end.is_none()) {
                if record.id != *id {
                    return Err(DriveError::Configuration(format!(
                        "`{place}` holds a campaign that did not end, and it is another one ({}); give another folder with \
                         `--findings`, or `--fresh` to start over there",
                        record.id.differences(id)
                    )));
                }
                file.set_len(whole as u64).map_err(unopened)?;
                let (file, last) = (RefCell::new(Some(Rc::new(file))), Cell::new(record.figures));
                return Ok((Self { path, file, last, unwritten, ..Self::default() }, Some(record)));
            }
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(unopened)?;
        let file = RefCell::new(Some(Rc::new(file)));
        let journal = Self { path, file, unwritten, ..Self::default() };
        journal.write(&Line::Campaign(id.clone()));
        Ok((journal, None))
    }

    /// Appends a line. After a failure nothing more is written.
    pub(super) fn write(&self, line: &Line) {
        let mut place = self.file.borrow_mut();
        let Some(file) = place.as_ref() else { return };
        if !self.unwritten.append(&self.path, file, line.text()) {
            *place = None;
        }
        self.is_dirty.set(true);
    }

    pub(super) fn is_kept(&self) -> bool {
        self.file.borrow().is_some()
    }

    /// Notes the figures so far, and has the system write all lines to the disk.
    pub(super) fn beat(&self, figures: CallFigures) {
        if figures.calls != self.last.replace(figures).calls {
            self.write(&Line::Figures(figures));
        }
        if self.is_dirty.replace(false)
            && let Some(file) = self.file.borrow().as_ref()
        {
            // What a crash of the machine loses is no more than without this.
            let _ = file.sync_data();
        }
    }
}

/// What is left of a budget after this much.
pub(super) fn rest(end: Budget, before: CallFigures) -> Budget {
    Budget {
        duration: end.duration.map(|whole| whole.saturating_sub(Duration::from_millis(before.duration_ms))),
        calls: end.calls.map(|whole| whole.saturating_sub(before.calls)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(seed: u64) -> CampaignId {
        let [contract, scope, shard] = ["bracket-code", "all", "1/1"].map(str::to_owned);
        CampaignId { version: VERSION, seed, shard, server: Vec::new(), contract, tools: None, scope }
    }

    fn open(folder: &Path, id: &CampaignId) -> Result<(Journal, Option<CampaignRecord>), String> {
        let opened = Journal::open(Some(folder), id, EarlierCampaign::Continue, Rc::default());
        opened.map_err(|error| error.to_string())
    }

    #[test]
    fn a_journal_cut_anywhere_gives_a_beginning_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, none) = open(folder.path(), &id(1)).unwrap();
        assert!(none.is_none());
        for calls in 1..4 {
            journal.write(&Line::Planned(format!("change {calls}")));
            journal.beat(CallFigures { calls, error_replies: 0, duration_ms: 10 * calls });
        }
        let path = folder.path().join(FILE);
        let text = std::fs::read_to_string(&path).unwrap();
        drop(journal);
        let mut before = 0;
        for cut in 0..=text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            let (_, found) = open(folder.path(), &id(1)).unwrap();
            let lines = found
                .map_or(0, |record| record.planned.len() + usize::try_from(record.figures.calls).unwrap());
            assert!(lines >= before, "{cut}");
            before = lines;
            let left = std::fs::read_to_string(&path).unwrap();
            assert!(left.ends_with('\n') && left.lines().count() >= 1, "no half line stays: {left}");
        }
        assert_eq!(before, 6);
    }

    #[test]
    fn only_the_same_campaign_is_continued_and_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = open(folder.path(), &id(1)).unwrap();
        let Err(locked) = open(folder.path(), &id(1)) else { panic!("two write to one folder") };
        assert!(locked.contains("another campaign is writing"), "{locked}");
        drop(journal);
        assert_eq!(unfinished(folder.path()).map(|(seed, _)| seed), Some(1));
        let Err(other) = open(folder.path(), &id(2)) else { panic!("another one is continued") };
        assert!(other.contains("its seed: `1`, now `2`") && other.contains("--fresh"), "{other}");
        let (journal, continued) = open(folder.path(), &id(1)).unwrap();
        assert!(continued.is_some());
        journal.write(&Line::Ended(Box::default()));
        drop(journal);
        assert_eq!(unfinished(folder.path()), None);
        assert!(open(folder.path(), &id(2)).unwrap().1.is_none(), "an ended one is replaced");
    }
}
