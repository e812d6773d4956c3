//! Before a campaign: looks for successful calls, as a run does, within a share of the calls, and before the campaign's own
//! time begins.
//!
//! The main function is [`BaseSearch::learn`]. With a corpus, those of earlier campaigns are tried first, and what was learnt is kept for
//! later ones.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::cause;
use crate::condition::CaseId;
use crate::drive::{self, Assignment, DriveError, FirstCall, InspectedServer, ValidCall, ValidCalls, Wanted};
use crate::event::Event;
use crate::generate::Generator;
use crate::judge::{KnownCall, ValidCallSearch};
use crate::placeholder::{Collapser, Folders};
use crate::server::RunFolders;

use super::settings::{CampaignScope, Settings};
use super::tally::Tally;
use super::unwritten::Unwritten;
use super::{space, valid_calls};

/// At most one part in this many of the calls is spent on the search, and as much time before the campaign's own.
const SHARE: u32 = 4;
/// The search gets at least the time of this many server starts.
const STARTS: u32 = 6;
/// The search never takes longer.
pub(super) const LONGEST: Duration = Duration::from_secs(120);
/// One part in this many of the time is for what a run sends besides probes, and of the search's time for starting processes
/// in which to confirm what was found.
const BESIDES: u32 = 8;
/// What a run sends besides probes needs about this many processes.
const PROCESSES: u32 = 8;
/// With fewer calls than this nothing could be found.
const LEAST: usize = 4;

/// What is needed for the search.
pub(super) struct BaseSearch<'a> {
    pub(super) assignment: &'a Assignment,
    pub(super) settings: &'a Settings,
    pub(super) run_folders: &'a RunFolders,
    /// Collects files that could not be written.
    pub(super) unwritten: &'a Unwritten,
}

impl BaseSearch<'_> {
    /// Looks for the calls, and makes the generators derive inputs from them.
    ///
    /// # Errors
    /// When the campaign is interrupted meanwhile.
    pub(super) async fn learn(
        &self,
        looked: &mut InspectedServer,
        generators: &mut BTreeMap<String, Generator>,
        tally: &Tally,
        interrupt: &mut watch::Receiver<bool>,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(ValidCalls, Option<ValidCallSearch>), DriveError> {
        let end = self.settings.end;
        let calls = end.calls.map_or(usize::MAX / 2, |most| {
            usize::try_from(most / u64::from(SHARE)).unwrap_or(usize::MAX / 2)
        });
        let tools: BTreeSet<String> =
            generators.iter().filter(|(_, one)| one.is_complete()).map(|(tool, _)| tool.clone()).collect();
        if tools.is_empty() || calls < LEAST {
            return Ok((ValidCalls::default(), None));
        }
        let corpus = self.settings.corpus.as_deref();
        let folders = looked.head.folders.clone();
        let kept = corpus.map_or(Ok(Vec::new()), |corpus| valid_calls::read(corpus, &folders));
        let kept = kept.map_err(|error| {
            let folder = corpus.map(|corpus| corpus.display().to_string()).unwrap_or_default();
            DriveError::Configuration(format!(
                "cannot use the corpus in {folder}: {}",
                cause::describe(&error)
            ))
        })?;
        let folder = CaseId(space::FOLDER.to_owned());
        let now = Instant::now();
        // A server that starts slowly is still started as often as its tools need.
        let took = looked.took;
        let time = |duration: Duration| (duration / SHARE).max(took * STARTS).min(LONGEST);
        let besides = end.duration.map(|duration| (duration / BESIDES).min(LONGEST));
        let is_too_slow = besides.is_some_and(|besides| besides < took * PROCESSES);
        let processes = |duration: Duration| (time(duration) / BESIDES).as_millis() / took.as_millis().max(1);
        let wanted = Wanted {
            tools: &tools,
            is_confined: self.settings.scope == CampaignScope::Confined,
            folder: &folder,
            calls,
            until: end.duration.map(|duration| now + time(duration)),
            besides: (if self.settings.tools.is_some() || is_too_slow { 0 } else { calls / 2 }, besides),
            processes: end.duration.map_or(usize::MAX, |duration| {
                usize::try_from(processes(duration)).unwrap_or(usize::MAX).max(1)
            }),
            kept: &kept,
        };
        let Self { assignment, run_folders, .. } = self;
        let mut searched = |tried| tell(Event::Learning { tried, tools: tools.len() });
        let search = drive::learn(assignment, run_folders, looked, &wanted, interrupt, &mut searched);
        let learnt = Box::pin(search).await?;
        tally.add_calls(learnt.calls);
        if let Some(corpus) = corpus {
            valid_calls::write(corpus, &folders, &kept, &learnt, self.unwritten);
        }
        for call in &learnt.valid {
            if let Some(generator) = generators.get_mut(&call.tool) {
                generator.base_on(&call.arguments);
            }
        }
        tell(Event::Learnt {
            known: learnt.valid.len(),
            tools: learnt.valid.len() + learnt.unknown.len() + learnt.left.len(),
            calls: learnt.calls,
            stale: learnt.stale.clone(),
        });
        let search = search_report(&learnt, &folders);
        Ok((learnt, (search.tools > 0).then_some(search)))
    }
}

/// The search as it is reported.
fn search_report(learnt: &ValidCalls, folders: &Folders) -> ValidCallSearch {
    let collapser = Collapser::new(folders);
    let tool = |first: &FirstCall| first.tool.clone();
    let known = |call: &ValidCall| KnownCall {
        tool: call.tool.clone(),
        valid: collapser.value(&call.arguments),
        by: call.source,
        words: call.words.clone(),
        first: call.first.iter().chain(call.new.iter().map(|new| &new.maker)).map(tool).collect(),
    };
    let mut known: Vec<KnownCall> = learnt.valid.iter().map(known).collect();
    known.sort_by(|one, other| one.tool.cmp(&other.tool));
    ValidCallSearch {
        tools: learnt.valid.len() + learnt.unknown.len() + learnt.left.len(),
        calls: learnt.calls,
        left: learnt.left.len(),
        known,
        stale: learnt.stale.clone(),
    }
}
