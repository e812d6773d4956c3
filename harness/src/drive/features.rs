//! Requests for what a server offers besides its tools: resources, templates of them, prompts.
//!
//! The main type is [`FeatureDriver`]; [`request_features`] sends the same for a campaign. Both use a process
//! of their own, and none if the server offers no such thing.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::catalog::Catalog;
use crate::class::Class;
use crate::condition::{CaseId, folder_name};
use crate::contract::Contract;
use crate::exchange::{Exchange, Outcome, Place, Step};
use crate::expectation::Expected;
use crate::generate::ToolFiles;
use crate::judge::has_succeeded;
use crate::placeholder::Folders;
use crate::plan::{FeatureGroup, FeatureProbe, FeatureRequest, OfferedFeatures, ProbeChoice, may_match};
use crate::repair::{CalledTool, NextCall, Reader};
use crate::server::RunFolders;
use crate::suite::{File, FileContent};
use crate::transcript::{CaseOutcome, DrivenCase, Lifecycle};

use super::pool::{ProcessPool, in_words};
use super::restarted_process::{LOST, RestartedProcess};
use super::session_trials::SessionTrials;
use super::{Assignment, DriveError, InspectedServer, until};

/// At most this many pages of a list are requested.
const PAGES: usize = 10;
/// At most this many cases are driven.
pub(super) const MOST: usize = 150;
/// At most this many requests are derived from refusals.
const MAX_REPAIRS: usize = 3;
/// The name of the folder to which the paths in prompts lead.
const FOLDER: &str = "features";

/// What is needed to send these requests, except the processes.
pub(super) struct FeatureDriver<'a> {
    pub(super) contract: &'a Contract,
    pub(super) folders: &'a Folders,
    pub(super) run_folders: &'a RunFolders,
    pub(super) choice: &'a ProbeChoice,
    /// At most this many cases are driven.
    pub(super) most: usize,
    /// When no more groups are begun.
    pub(super) until: Option<Instant>,
    pub(super) lifecycle: Lifecycle,
    /// Further groups of requests.
    pub(super) more: Vec<FeatureGroup>,
    /// What is tried last in the same process.
    pub(super) trials: Option<SessionTrials<'a>>,
}

/// The bounds of the feature requests in a campaign.
pub(crate) struct CampaignFeatures {
    /// At most this many requests are sent.
    pub(crate) most: usize,
    /// About when the last request is sent.
    pub(crate) until: Option<Instant>,
}

/// Requests what a server offers besides its tools, as a run does, and calls a tool that does not exist.
/// Returns the cases, and the exchanges with those of the inspection in front.
///
/// # Errors
/// When it is interrupted meanwhile.
pub(crate) async fn request_features(
    assignment: &Assignment,
    run_folders: &RunFolders,
    looked: &mut InspectedServer,
    wanted: CampaignFeatures,
    interrupt: &mut watch::Receiver<bool>,
) -> Result<(Vec<DrivenCase>, Vec<Exchange>), DriveError> {
    let choice = ProbeChoice::default();
    let mut pool = looked.pool.sibling();
    pool.running = looked.pool.running.take();
    let bare = FeatureGroup::of_optional_arguments(&looked.head.catalog.tools, &assignment.tools);
    let driver = FeatureDriver {
        contract: &assignment.contract,
        folders: &looked.head.folders,
        run_folders,
        choice: &choice,
        most: wanted.most,
        until: wanted.until,
        lifecycle: looked.head.lifecycle,
        more: std::iter::once(FeatureGroup::of_unknown_tool()).chain(bare).collect(),
        trials: None,
    };
    let work = Box::pin(driver.drive(&mut pool));
    let cases = until(interrupt, work).await.ok_or(DriveError::Interrupted)?;
    Ok((cases, pool.exchanges))
}

impl FeatureDriver<'_> {
    /// Sends everything; returns a case for each request.
    pub(super) async fn drive(&self, pool: &mut ProcessPool) -> Vec<DrivenCase> {
        if !self.may_choose() {
            return Vec::new();
        }
        let mut offers = offers(&pool.exchanges);
        let mut process = RestartedProcess::new(pool);
        for list in offers.lists() {
            list_all(&mut process, list, &mut offers).await;
        }
        let mut cases = Vec::new();
        for group in self.chosen(&offers) {
            if self.until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            self.group(&mut process, &group, &mut cases).await;
        }
        if let Some(trials) = &self.trials {
            cases.extend(Box::pin(trials.drive(&mut process)).await);
        }
        process.pool.renew().await;
        cases
    }

    /// Whether anything may be requested at all.
    fn may_choose(&self) -> bool {
        const GROUPS: [&str; 5] = ["resource/", "prompt/", "completion/", "protocol/", "session/"];
        let may_select = |glob: &str| GROUPS.iter().any(|group| may_match(glob, group));
        self.choice.most > 0
            && self.choice.filter.as_ref().is_none_or(|filter| may_select(filter.glob().glob()))
    }

    /// The groups from which something is requested.
    fn chosen(&self, offers: &OfferedFeatures) -> Vec<FeatureGroup> {
        let files = self.files();
        let mut left = self.most;
        let mut groups = offers.groups(&files);
        groups.push(FeatureGroup::of_protocol(self.lifecycle, offers));
        groups.extend(self.more.iter().cloned());
        for group in &mut groups {
            group.probes.retain(|probe| self.choice.selects(&probe.id));
            group.probes.truncate(left);
            left -= group.probes.len();
        }
        groups.retain(|group| !group.probes.is_empty());
        groups
    }

    /// The files in the folder that paths in requests refer to.
    fn files(&self) -> ToolFiles {
        let id = CaseId(FOLDER.to_owned());
        let text = |path: &str, text: &str| File {
            path: path.to_owned(),
            content: FileContent::Text(text.to_owned()),
        };
        let files = [
            text(ToolFiles::FILE, ToolFiles::TEXT),
            text(&format!("{}/{}", ToolFiles::FOLDER, ToolFiles::FILE), ToolFiles::TEXT),
        ];
        // If the files are missing, a prompt says so, and is not judged.
        drop(self.run_folders.lay_out(&id, &files, 0, &str::to_owned));
        self.at()
    }

    /// The folder that paths in requests refer to.
    fn at(&self) -> ToolFiles {
        let place = Path::new(&self.folders.workspace).join(folder_name(&CaseId(FOLDER.to_owned())));
        let files = ToolFiles::at(place.to_string_lossy());
        match self.folders.upstream.is_empty() {
            true => files,
            false => files.with_upstream(&self.folders.upstream),
        }
    }

    /// Looks for the group's control, and sends the requests derived from it.
    async fn group(
        &self,
        process: &mut RestartedProcess<'_>,
        group: &FeatureGroup,
        cases: &mut Vec<DrivenCase>,
    ) {
        let case = group.probes.first().map(|probe| probe.id.clone());
        let control = self.control(process, group, case.as_ref()).await;
        let (index, request) = match &control {
            Ok((index, request)) => (Some(*index), Some(request)),
            Err(_) => (None, None),
        };
        // Each silence lasts as long as a request may take, and the next one of the kind would be as silent.
        let mut is_silent = false;
        for probe in &group.probes {
            if is_silent {
                let why = "withheld: an earlier request of this kind got no reply";
                cases.push(driven(probe, CaseOutcome::Skipped(why.to_owned())));
                continue;
            }
            let place = Place::at(Some(&probe.id), Step::Call, probe.expected.clone(), index);
            if let Some(cancelled) = &probe.cancelled {
                cancel(process, cancelled).await;
            }
            let sent = process.send(&probe.on(request), place).await;
            let outcome = sent.map(|index| &process.pool.exchanges[index].outcome);
            is_silent = matches!(outcome, Some(Outcome::NoReply { .. }));
            let outcome = match (sent, &control) {
                (None, _) => CaseOutcome::Skipped(format!(
                    "withheld: {LOST} requests for resources or prompts ended the session, or no process \
                     could be started for them"
                )),
                (Some(_), Ok(_)) => CaseOutcome::Driven,
                (Some(_), Err(why)) => CaseOutcome::PreconditionFailed(why.clone()),
            };
            cases.push(driven(probe, outcome));
        }
    }

    /// A successful request and its exchange: one of those listed, or one that their refusals lead to.
    async fn control(
        &self,
        process: &mut RestartedProcess<'_>,
        group: &FeatureGroup,
        case: Option<&CaseId>,
    ) -> Result<(usize, FeatureRequest), String> {
        let mut why = "the server lists nothing of this kind that could be asked for first".to_owned();
        let mut tries: VecDeque<FeatureRequest> = group.tries.iter().cloned().collect();
        let mut mended = 0;
        while let Some(request) = tries.pop_front() {
            let place = Place::at(case, Step::Control, Expected::Anything, None);
            let Some(index) = process.send(&request, place).await else { break };
            let exchange = &process.pool.exchanges[index];
            if has_succeeded(exchange, self.contract) {
                return Ok((index, request));
            }
            why = format!("no `{}` is known that succeeds; {}", request.method, in_words(&exchange.outcome));
            if mended < MAX_REPAIRS
                && let Some(next) = self.repaired(group, &request, exchange)
            {
                mended += 1;
                tries.push_front(next);
            }
        }
        Err(why)
    }

    /// The next request of a reader who has only the refusal of a prompt.
    fn repaired(
        &self,
        group: &FeatureGroup,
        request: &FeatureRequest,
        refused: &Exchange,
    ) -> Option<FeatureRequest> {
        let prompt = group.prompt.as_ref()?;
        let tool_files = self.at().called(&prompt.name);
        let catalog = Catalog::default();
        let reader = Reader::new(CalledTool {
            catalog: &catalog,
            bindings: &[],
            tool: prompt,
            class: Class::Read,
            tool_files: &tool_files,
            has_repository: false,
            workspace: &self.folders.workspace,
            meant: None,
        });
        let Outcome::Error(error) = &refused.outcome else { return None };
        let sent = request.arguments()?;
        match reader.next(sent, &[&error.message], &[])?.next {
            NextCall::Arguments(arguments) if arguments != *sent => Some(request.with_arguments(&arguments)),
            NextCall::Arguments(_) | NextCall::Before(_) => None,
        }
    }
}

/// What the server offers, from the exchange that opened its first session.
fn offers(exchanges: &[Exchange]) -> OfferedFeatures {
    let result = exchanges
        .iter()
        .find_map(|exchange| exchange.outcome.result().filter(|result| result.get("capabilities").is_some()));
    result.map(OfferedFeatures::of_capabilities).unwrap_or_default()
}

/// Requests every page of a list.
async fn list_all(process: &mut RestartedProcess<'_>, method: &'static str, offers: &mut OfferedFeatures) {
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        let place = Place::at(None, Step::Lifecycle, Expected::Anything, None);
        let request = FeatureRequest { method, params, tool: None };
        let Some(index) = process.send(&request, place).await else { return };
        let Some(result) = process.pool.exchanges[index].outcome.result() else { return };
        offers.add_page(result);
        let next = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        if next.is_none() || next == cursor {
            return;
        }
        cursor = next;
    }
}

/// Sends a request and takes it back once it was answered; nothing if no process is open. One that is still in
/// flight is not taken back: servers of good SDKs may answer it twice and end, some times and others not.
async fn cancel(process: &mut RestartedProcess<'_>, request: &FeatureRequest) {
    if let Some(numbered) = &mut process.pool.running {
        let answer = numbered.session.call(request.method, &request.params.to_string()).await;
        numbered.session.take_back(answer.id).await;
    }
}

fn driven(probe: &FeatureProbe, outcome: CaseOutcome) -> DrivenCase {
    DrivenCase {
        condition: probe.expected.condition().map(ToString::to_string),
        tools: probe.tool().into_iter().map(str::to_owned).collect(),
        ..DrivenCase::probe(probe.id.clone(), &probe.title, outcome)
    }
}
