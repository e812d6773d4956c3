//! Driving one case: preparations, control, call, and the hints that the reply gives.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::time::Instant;

use crate::class::ToolSetting;
use crate::condition::{CaseId, folder_name};
use crate::confinement::Confinement;
use crate::contract::{Contract, read};
use crate::exchange::{Call, EnvironmentEffect, Exchange, Outcome, Place, Step};
use crate::expectation::{Expected, ExpectedValue};
use crate::judge::{follow_ups, has_succeeded};
use crate::plan::{PlannedCall, PlannedCase, PlannedScript};
use crate::refused;
use crate::roles::Role;
use crate::server::{self, Answered, Prefetch, RunFolders, Upstream, repository};
use crate::suite::{File, FileContent, ProcessChoice};
use crate::transcript::{CaseOutcome, Head};

use super::Isolation;
use super::patience::Responsiveness;
use super::pool::{NumberedSession, ProcessPool, in_words};

mod bounds;
mod cleanup;
mod control;
mod control_state;
mod done_anyway;
mod draws;
mod find_call;
mod first;
mod first_failure;
mod folder;
mod learnt_values;
mod life;
mod listed;
mod maker;
mod measure;
mod obstacle;
mod one_thing;
mod preparation;
mod probe;
mod probe_control;
mod remade;
mod renewal;
mod repairs;
mod service;
mod tool_memory;
mod tried_calls;
mod unlisted;

pub(super) use draws::Draws;
pub(super) use first_failure::FirstFailure;
pub(super) use life::LifeResult;
pub(super) use obstacle::ObstacleResult;
pub(super) use tried_calls::TriedCall;
pub(crate) use tried_calls::{FirstCall, NewThing};

use first::FirstCalls;
use folder::FolderSnapshots;
use learnt_values::LearntValues;
use maker::CreatedFiles;
use measure::CaseSite;
use probe::{CallBasis, CleanFolders};
use renewal::Renewals;
use service::Service;
use tool_memory::ToolMemory;

/// The pause before a call is repeated that the server may accept in a moment.
const PAUSE: Duration = Duration::from_millis(50);

/// Drives cases one after the other.
pub(super) struct Driver<'a> {
    pool: ProcessPool,
    resources: RunResources<'a>,
    contract: &'a Contract,
    head: &'a Head,
    isolation: Isolation,
    /// Whether calls were answered, by tool, since this was last taken.
    responses: Vec<(String, Responsiveness)>,
    /// What has been learnt about each tool.
    tools: ToolMemory,
    /// Generators of calls that may succeed; only for a confined server.
    draws: Option<Draws<'a>>,
    /// Which tools must be called before others.
    firsts: FirstCalls,
    /// The folders of a tool's probes, if the last probe left them as they were made.
    untouched: Option<CleanFolders>,
    /// What is known about calls that use the service behind the server.
    service: Service,
    /// Values that other calls succeeded with.
    learnt: LearntValues,
    /// Files that tools have made.
    makers: CreatedFiles,
    /// How many more processes may be started because of a limit on calls.
    renewals: Renewals,
    /// Why no more processes can be started.
    lost: Option<String>,
    /// Once this many exchanges are recorded, no more controls are tried.
    allowed: usize,
}

/// What the harness has set up around the server, shared by all cases.
#[derive(Clone, Copy)]
pub(super) struct RunResources<'a> {
    pub(super) run_folders: &'a RunFolders,
    /// The files of cases that were made ahead of time.
    pub(super) prefetch: &'a Prefetch,
    /// The HTTP service behind the server, if the server was told its address.
    pub(super) upstream: Option<&'a Upstream>,
    /// Guards the one folder beside the root: a case that reaches into it holds it alone.
    pub(super) outside: &'a RwLock<()>,
    /// What the server is kept from doing.
    pub(super) confinement: &'a Confinement,
    /// What the user says about single tools.
    pub(super) tools: &'a BTreeMap<String, ToolSetting>,
}

/// A case's lock on the folder beside the root.
enum Hold<'l> {
    Alone(#[expect(dead_code, reason = "it is held")] RwLockWriteGuard<'l, ()>),
    WithOthers(#[expect(dead_code, reason = "it is held")] RwLockReadGuard<'l, ()>),
}

/// The place of a call: the case and its step.
#[derive(Clone, Copy)]
struct Position<'a> {
    case: &'a CaseId,
    step: Step,
    control: Option<usize>,
    follows: Option<usize>,
}

/// What became of the process after a case.
#[derive(Clone, Copy)]
enum ProcessState {
    Lives,
    /// It did not answer, or has ended.
    Lost,
}

/// Why a case was not driven to its end.
enum Abort {
    /// The process is lost; holds the index of the exchange that shows it.
    Lost(usize),
    /// A step that the case depends on failed, with the reason.
    PreconditionFailed(String),
    /// The harness itself failed.
    Harness(String),
}

impl<'a> Driver<'a> {
    pub(super) fn new(
        pool: ProcessPool,
        resources: RunResources<'a>,
        contract: &'a Contract,
        head: &'a Head,
        isolation: Isolation,
    ) -> Self {
        Self {
            pool,
            resources,
            contract,
            head,
            isolation,
            responses: Vec::new(),
            tools: ToolMemory::default(),
            draws: None,
            firsts: FirstCalls::default(),
            untouched: None,
            service: Service::default(),
            learnt: LearntValues::default(),
            makers: CreatedFiles::default(),
            renewals: Renewals::default(),
            lost: None,
            allowed: usize::MAX,
        }
    }

    /// Makes this the driver of a confined server, which also draws calls that may succeed.
    #[must_use]
    pub(super) fn drawing(self, draws: Draws<'a>) -> Self {
        Self { draws: Some(draws), ..self }
    }

    pub(super) fn is_drawing(&self) -> bool {
        self.draws.is_some()
    }

    /// This driver and `count - 1` more for the same run, each with processes of its own.
    pub(super) fn with_siblings(self, count: usize) -> Vec<Self> {
        let sibling =
            || Self::new(self.pool.sibling(), self.resources, self.contract, self.head, self.isolation);
        let siblings: Vec<_> = (1..count).map(|_| sibling()).collect();
        std::iter::once(self).chain(siblings).collect()
    }

    /// Ends the shared process, so that the next call starts a new one.
    pub(super) async fn renew(&mut self) {
        self.pool.renew().await;
    }

    /// Whether this tool succeeds only with made-up answers of the service behind the server.
    pub(super) fn invents_for(&self, tool: &str) -> bool {
        self.service.is_invented_for(tool)
    }

    /// A pool for the same server that has no process yet.
    pub(super) fn sibling_pool(&self) -> ProcessPool {
        self.pool.sibling()
    }

    /// All exchanges recorded so far.
    pub(super) fn exchanges(&self) -> &[Exchange] {
        &self.pool.exchanges
    }

    /// Takes all exchanges out, once no more will be recorded.
    pub(super) fn take_exchanges(&mut self) -> Vec<Exchange> {
        std::mem::take(&mut self.pool.exchanges)
    }

    /// Takes the responses recorded since the last call of this function, and why no more processes can be
    /// started.
    pub(super) fn take_responses(&mut self) -> (Vec<(String, Responsiveness)>, Option<String>) {
        (std::mem::take(&mut self.responses), self.lost.take())
    }

    /// Shuts the server down properly. After an interruption the driver is dropped instead, because a call was
    /// in flight.
    pub(super) async fn finish(&mut self) {
        self.pool.finish().await;
    }

    /// The process that is running, if any, for what comes next.
    pub(super) fn take_running(&mut self) -> Option<NumberedSession> {
        self.pool.take_running()
    }

    /// Drives one case.
    pub(super) async fn case(&mut self, planned: &PlannedCase) -> CaseOutcome {
        let script = match &planned.script {
            Ok(script) => script,
            Err(reason) => return CaseOutcome::Skipped(reason.clone()),
        };
        let is_repository = |file: &File| matches!(file.content, FileContent::Git(_));
        if planned.case.script.files.iter().any(is_repository) && !repository::is_possible() {
            return CaseOutcome::Skipped(
                "it needs a git repository, but git is not installed here".to_owned(),
            );
        }
        let process = match self.isolation {
            Isolation::ByCase => ProcessChoice::Own,
            Isolation::WhereNeeded => planned.case.script.process,
        };
        let numbered = match process {
            ProcessChoice::Shared => self.pool.shared().await,
            ProcessChoice::Own => self.pool.open().await.map(|(numbered, _)| numbered),
        };
        let mut numbered = match numbered {
            Ok(numbered) => numbered,
            Err(cause) => {
                let reason = format!("cannot start another process: {cause}");
                self.lost = Some(reason.clone());
                return CaseOutcome::Errored(reason);
            }
        };
        let outcome = self.script(&mut numbered, planned, script).await;
        let fate = self.clean_up(&mut numbered, &planned.case.id, script, &outcome).await;
        self.take_away(planned);
        self.settle(numbered, process, fate).await;
        self.outcome(outcome)
    }

    /// Returns the process to the pool, or ends it.
    async fn settle(&mut self, numbered: NumberedSession, process: ProcessChoice, fate: ProcessState) {
        match (fate, process) {
            (ProcessState::Lost, _) => numbered.session.kill().await,
            (ProcessState::Lives, ProcessChoice::Shared) => self.pool.give_back(numbered),
            (ProcessState::Lives, ProcessChoice::Own) => self.pool.close(numbered).await,
        }
    }

    async fn script(
        &mut self,
        numbered: &mut NumberedSession,
        planned: &PlannedCase,
        script: &PlannedScript,
    ) -> Result<CaseOutcome, Abort> {
        let id = &planned.case.id;
        let outside = self.resources.outside;
        let hold = match self.reaches_outside(planned, script) {
            true => Hold::Alone(outside.write().await),
            false => Hold::WithOthers(outside.read().await),
        };
        self.ask_for_bounds(numbered, id, &hold).await?;
        let folder = self.lay_out(planned)?;
        let at = |step, control, follows| Position { case: id, step, control, follows };

        let elsewhere = self.steps(numbered, id, &folder, &script.prepare).await?;
        let mut failed_control = None;
        // For a tool that does not exist no call can succeed: the list of tools takes the place of a control.
        let is_absent = planned.case.script.call.role == Role::Absent;
        let mut control = self.pool.listing.filter(|_| is_absent);
        if let Some(call) = &script.control {
            let (index, refused) = self.control(numbered, call, id, &folder).await?;
            control = Some(index);
            failed_control = refused;
        }
        let script = &self.addressed_script(script);
        let with_task = elsewhere.as_ref().map(|(_, task)| script.call.with_task(task));
        let the_call = with_task.as_ref().unwrap_or(&script.call);
        self.steps(numbered, id, &folder, &script.meanwhile).await?;

        let before = self.snapshots(&folder);
        let accepted_within = planned.case.script.expect.accepted_within;
        let index = self.call(numbered, the_call, at(Step::Call, control, None), accepted_within).await?;
        let changes = self.changes(&before, &folder);
        if matches!(hold, Hold::Alone(_)) || changes.iter().any(|change| change.outside) {
            self.resources.run_folders.reset_outside().map_err(|error| Abort::Harness(error.to_string()))?;
        }
        self.pool.exchanges[index].changes = changes;
        self.note_date(index, id);

        let has_elsewhere = elsewhere.is_some();
        if let Some((other, _)) = elsewhere {
            self.pool.close(other).await;
        }
        let refused = self.pool.exchanges[index].environment.cause().map(str::to_owned);
        let unread = || unread(&self.pool.exchanges[index].outcome);
        if let Some(reason) = refused.or(failed_control).or_else(unread) {
            return Ok(CaseOutcome::PreconditionFailed(reason));
        }
        for call in follow_ups(self.contract, &self.pool.exchanges[index], the_call) {
            let before = self.snapshots(&folder);
            let follow = self.send(numbered, &call, at(Step::Follow, control, Some(index))).await?;
            self.pool.exchanges[follow].changes = self.changes(&before, &folder);
        }
        for call in &script.again {
            // A call without an expectation is sent only for the order of calls.
            let (step, expects) = match call.expected {
                Expected::Anything => (Step::Prepare, None),
                _ => (Step::Again, control),
            };
            self.send(numbered, call, at(step, expects, None)).await?;
        }
        if !has_elsewhere {
            let site = CaseSite { numbered, planned, script, folder: &folder };
            Box::pin(self.measure_case(site, index)).await?;
        }
        Ok(CaseOutcome::Driven)
    }

    /// Sends the case's call. While it is refused with a promise that it may be accepted shortly, sends it
    /// again; the last reply counts.
    async fn call(
        &mut self,
        numbered: &mut NumberedSession,
        call: &PlannedCall,
        at: Position<'_>,
        accepted_within: Option<u64>,
    ) -> Result<usize, Abort> {
        let deadline = Instant::now() + Duration::from_secs(accepted_within.unwrap_or_default());
        loop {
            let answer = self.answer(numbered, call, at.case).await;
            // What the contract takes for an error is one, whether or not `isError` is set.
            let exchange = Exchange::alone(Some(&call.tool), call.arguments.clone(), answer.outcome.clone());
            let refused = read(self.contract, &exchange).is_some();
            if !refused || Instant::now() >= deadline {
                return self.record(numbered, call, at, answer);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn send(
        &mut self,
        numbered: &mut NumberedSession,
        call: &PlannedCall,
        at: Position<'_>,
    ) -> Result<usize, Abort> {
        let answer = self.answer(numbered, call, at.case).await;
        self.record(numbered, call, at, answer)
    }

    /// Records the exchange. A process that did not answer is not used again.
    fn record(
        &mut self,
        numbered: &NumberedSession,
        call: &PlannedCall,
        at: Position<'_>,
        answer: Answered,
    ) -> Result<usize, Abort> {
        let place = Place {
            case: Some(at.case.clone()),
            step: at.step,
            expected: resolved(expected_at(at.step, &call.expected)),
            control: at.control,
            follows: at.follows,
            twin: None,
            words: None,
        };
        let sent = Call {
            method: "tools/call".to_owned(),
            tool: Some(call.tool.clone()),
            arguments: call.arguments.clone(),
            line: String::new(),
        };
        let gone = matches!(answer.outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
        self.responses.push((call.tool.clone(), Responsiveness::from_outcome(&answer.outcome)));
        let index = self.pool.record(numbered.process, place, sent, answer);
        self.mark(index);
        if gone { Err(Abort::Lost(index)) } else { Ok(index) }
    }

    /// Marks an exchange whose reply comes from the confinement. This is noted here because rules have no
    /// access to the disk.
    fn mark(&mut self, index: usize) {
        let Confinement::Confined(confined) = &self.resources.confinement else { return };
        if self.service.is_failing() {
            // The server was meant to run into this, so it is not the confinement's doing.
            return;
        }
        let exchange = &self.pool.exchanges[index];
        if has_succeeded(exchange, self.contract) {
            return;
        }
        // An SDK may hide the cause, which then stands only in the server's log.
        let texts = exchange.outcome.words().into_iter().chain([exchange.stderr.as_str()]);
        let reached =
            |text: &str| refused::reached(text, &exchange.call.arguments, confined, &self.head.folders);
        let denied = texts.filter(|text| !text.is_empty()).find_map(reached);
        if let Some(denied) = denied {
            self.pool.exchanges[index].environment = EnvironmentEffect::Denied(denied);
        }
    }

    /// Notes the date that the service behind the server gave. This is done here because rules have no clock.
    fn note_date(&mut self, index: usize, id: &CaseId) {
        let date = self.resources.upstream.and_then(|up| up.date(&format!("/{}/", folder_name(id))));
        let Expected::Failure(failure) = &mut self.pool.exchanges[index].place.expected else { return };
        let wait = failure.recovery.as_mut().and_then(|recovery| recovery.wait.as_mut());
        if let Some(wait) = wait {
            wait.until = date;
        }
    }

    fn reason(&self, prefix: &str, index: usize) -> String {
        let tool = self.pool.exchanges[index].tool().unwrap_or_default();
        format!("{prefix}: `{tool}`: {}", self.failed_in_words(index))
    }

    /// What became of a request that did not succeed, as part of a sentence.
    fn failed_in_words(&self, index: usize) -> String {
        in_words(&self.pool.exchanges[index].outcome)
    }
}

/// Adds the resolved form of each expected path, since a server may well name the target of a symbolic link
/// (A7).
fn resolved(mut expected: Expected) -> Expected {
    if let Expected::Failure(failure) = &mut expected
        && let Some(ExpectedValue::Path(path)) = &failure.value
        && let Ok(real) = server::resolved(path)
        && real != *path
    {
        let real = ExpectedValue::Path(real);
        failure.value = Some(ExpectedValue::AnyOf(vec![ExpectedValue::Path(path.clone()), real]));
    }
    expected
}

/// Why a reply can be read neither as a success nor as an error.
fn unread(outcome: &Outcome) -> Option<String> {
    matches!(outcome, Outcome::InputRequired(_) | Outcome::Oversized(_)).then(|| in_words(outcome))
}

/// What is expected of a reply at a step. No contract promises that a preparation succeeds: if it fails, the
/// case is not judged.
fn expected_at(step: Step, expected: &Expected) -> Expected {
    match step {
        Step::Call | Step::Follow | Step::Again | Step::Control | Step::Mend => expected.clone(),
        Step::Lifecycle | Step::Prepare | Step::Twin | Step::Malformed | Step::Cleanup | Step::Disturb => {
            Expected::Anything
        }
    }
}
