//! Driving one case: preparations, control, call, and the hints that the reply gives.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tokio::sync::RwLock;
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
use crate::server::{self, Answered, RunFolders, Upstream, repository};
use crate::suite::{File, FileContent, ProcessChoice};
use crate::transcript::{CaseOutcome, Head};

use super::Isolation;
use super::patience::{Patience, Responsiveness};
use super::pool::{NumberedSession, ProcessPool, in_words};

mod comparison;
mod draws;
mod find_call;
mod first;
mod first_failure;
mod learnt_values;
mod life;
mod measure;
mod obstacle;
mod probe;
mod probe_control;
mod reissued;
mod renewal;
mod scenario;
mod service;
mod statement;
mod tried_calls;

pub(super) use draws::Draws;
pub(super) use first_failure::FirstFailure;
pub(super) use obstacle::ObstacleResult;
pub(crate) use service::made_up;
pub(super) use tried_calls::TriedCall;
pub(crate) use tried_calls::{FirstCall, NewThing};

use first::{CreatedFiles, FirstCalls};
use learnt_values::LearntValues;
use probe::{CallBasis, CleanFolders};
use probe_control::ToolMemory;
use reissued::ReissuedValues;
use renewal::Renewals;
use scenario::FolderSnapshots;
use service::Service;

/// The pause before a call is repeated that the server may accept in a moment.
const PAUSE: Duration = Duration::from_millis(50);

/// Drives cases one after the other.
pub(super) struct Driver<'a> {
    pool: ProcessPool,
    resources: RunResources<'a>,
    contract: &'a Contract,
    head: &'a Head,
    isolation: Isolation,
    /// The case to which the calls belong that are sent at present.
    case: CaseId,
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
    /// Values of an earlier process, such as session ids, each with what the running process returned in its place.
    reissued: ReissuedValues,
    /// How many more processes may be started because of a limit on calls.
    renewals: Renewals,
    /// Why no more processes can be started.
    lost: Option<String>,
    /// Once this many exchanges are recorded, no more controls are tried.
    allowed: usize,
    /// Whether no other driver works in the workspace at the same time.
    is_alone: bool,
}

/// What the harness has set up around the server, shared by all cases.
#[derive(Clone, Copy)]
pub(super) struct RunResources<'a> {
    pub(super) run_folders: &'a RunFolders,
    /// The HTTP service behind the server, if the server was told its address.
    pub(super) upstream: Option<&'a Upstream>,
    /// Guards the one folder beside the root: a case that reaches into it holds it alone.
    pub(super) outside: &'a RwLock<()>,
    /// What the server is kept from doing.
    pub(super) confinement: &'a Confinement,
    /// What the user says about single tools.
    pub(super) tools: &'a BTreeMap<String, ToolSetting>,
}

/// The place of a call in its case.
#[derive(Clone, Copy)]
struct Position {
    step: Step,
    control: Option<usize>,
    follows: Option<usize>,
}

impl From<Step> for Position {
    fn from(step: Step) -> Self {
        Self { step, control: None, follows: None }
    }
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
            case: CaseId(String::new()),
            responses: Vec::new(),
            tools: ToolMemory::default(),
            draws: None,
            firsts: FirstCalls::default(),
            untouched: None,
            service: Service::behind(resources.upstream),
            learnt: LearntValues::default(),
            makers: CreatedFiles::default(),
            reissued: ReissuedValues::default(),
            renewals: Renewals::default(),
            lost: None,
            allowed: usize::MAX,
            is_alone: true,
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
        let all = std::iter::once(self).chain(siblings);
        all.map(|driver| Self { is_alone: count <= 1, ..driver }).collect()
    }

    /// Shuts the shared process down properly, so that the next call starts a new one. After an interruption the driver is
    /// dropped instead, because a call was in flight.
    pub(super) async fn renew(&mut self) {
        self.calm_service();
        self.pool.renew().await;
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

    /// Counts the responses recorded since they were last taken; returns why no more processes can be started, if so.
    pub(super) fn record_responses(&mut self, patience: &mut Patience) -> Option<String> {
        let (responses, lost) = self.take_responses();
        for (tool, response) in responses {
            patience.record(&tool, response);
        }
        lost
    }

    /// The process that is running, if any, for what comes next.
    pub(super) fn take_running(&mut self) -> Option<NumberedSession> {
        self.pool.running.take()
    }

    /// Drives one case.
    pub(super) async fn case(&mut self, planned: &PlannedCase) -> CaseOutcome {
        let script = match &planned.script {
            Ok(script) => script,
            Err(reason) => return CaseOutcome::Skipped(reason.clone()),
        };
        self.case.clone_from(&planned.case.id);
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
        let shared = match process {
            ProcessChoice::Shared => None,
            ProcessChoice::Own => self.pool.running.take(),
        };
        let outcome = match self.ready().await {
            Ok(_) => {
                let outcome = self.script(planned, script).await;
                self.clean_up(script, &outcome).await;
                self.take_away(planned);
                outcome
            }
            Err(abort) => Err(abort),
        };
        if process == ProcessChoice::Own {
            self.pool.renew().await;
            self.pool.running = shared;
        }
        self.outcome(outcome)
    }

    async fn script(&mut self, planned: &PlannedCase, script: &PlannedScript) -> Result<CaseOutcome, Abort> {
        let outside = self.resources.outside;
        // A case that reaches into the folder beside the root holds it alone.
        let reaches_outside = self.reaches_outside(planned, script);
        let _alone = if reaches_outside { Some(outside.write().await) } else { None };
        let _with_others = if reaches_outside { None } else { Some(outside.read().await) };
        if reaches_outside {
            self.ask_for_bounds().await?;
        }
        let folder = self.lay_out(planned)?;
        let at = |step, control, follows| Position { step, control, follows };

        let elsewhere = self.steps(&folder, &script.prepare).await?;
        let mut failed_control = None;
        // For a tool that does not exist no call can succeed: the list of tools takes the place of a control.
        let is_absent = planned.case.script.call.role == Role::Absent;
        let mut control = self.pool.listing.filter(|_| is_absent);
        if let Some(call) = &script.control {
            let (index, refused) = self.control(call, &folder).await?;
            control = Some(index);
            failed_control = refused;
        }
        let script = &self.addressed_script(script);
        let with_task = elsewhere.as_ref().map(|(_, task)| script.call.with_task(task));
        let the_call = with_task.as_ref().unwrap_or(&script.call);
        self.steps(&folder, &script.meanwhile).await?;

        let (before, beside) = (self.snapshots(&folder), self.files_beside_cases());
        let accepted_within = planned.case.script.expect.accepted_within;
        let index = self.call(the_call, at(Step::Call, control, None), accepted_within).await?;
        let changes = self.changes(&before, &folder);
        if reaches_outside || changes.iter().any(|change| change.outside) {
            self.reset_outside()?;
        }
        self.pool.exchanges[index].changes = changes;
        if self.is_alone {
            self.note_changes_beside(&beside, index);
        }
        self.note_date(index, &format!("/{}/", folder_name(&self.case)));

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
            self.send_watched(&call, at(Step::Follow, control, Some(index)), &folder).await?;
        }
        for call in &script.again {
            // A call without an expectation is sent only for the order of calls.
            let (step, expects) = match call.expected {
                Expected::Anything => (Step::Prepare, None),
                _ => (Step::Again, control),
            };
            self.send(call, at(step, expects, None)).await?;
        }
        if !has_elsewhere {
            Box::pin(self.measure_case(planned, script, &folder, index)).await?;
        }
        Ok(CaseOutcome::Driven)
    }

    /// Sends the case's call. While it is refused with a promise that it may be accepted shortly, sends it
    /// again; the last reply counts.
    async fn call(
        &mut self,
        call: &PlannedCall,
        at: Position,
        accepted_within: Option<u64>,
    ) -> Result<usize, Abort> {
        let deadline = Instant::now() + Duration::from_secs(accepted_within.unwrap_or_default());
        let mut numbered = self.process().await?;
        let sent = loop {
            let answer = self.answer(&mut numbered, call).await;
            // What the contract takes for an error is one, whether or not `isError` is set.
            let exchange = Exchange::alone(Some(&call.tool), call.arguments.clone(), answer.outcome.clone());
            let refused = read(self.contract, &exchange).is_some();
            if !refused || Instant::now() >= deadline {
                break self.record(&numbered, call, at, answer);
            }
            tokio::time::sleep(PAUSE).await;
        };
        self.kept(numbered, sent).await
    }

    /// Sends a call to the process that is running, or to a new one.
    async fn send(&mut self, call: &PlannedCall, at: impl Into<Position>) -> Result<usize, Abort> {
        let mut numbered = self.process().await?;
        let sent = self.send_to(&mut numbered, call, at).await;
        self.kept(numbered, sent).await
    }

    /// Sends a call, and records what it changes in this folder and beside the root.
    async fn send_watched(
        &mut self,
        call: &PlannedCall,
        at: impl Into<Position>,
        folder: &Path,
    ) -> Result<usize, Abort> {
        let before = self.snapshots(folder);
        let index = self.send(call, at).await?;
        self.pool.exchanges[index].changes = self.changes(&before, folder);
        Ok(index)
    }

    async fn send_to(
        &mut self,
        numbered: &mut NumberedSession,
        call: &PlannedCall,
        at: impl Into<Position>,
    ) -> Result<usize, Abort> {
        let answer = self.answer(numbered, call).await;
        self.record(numbered, call, at.into(), answer)
    }

    /// Starts a process unless one is running; returns its number.
    async fn ready(&mut self) -> Result<usize, Abort> {
        let numbered = self.process().await?;
        let number = numbered.process;
        self.pool.running = Some(numbered);
        Ok(number)
    }

    async fn process(&mut self) -> Result<NumberedSession, Abort> {
        if self.pool.number().is_none() {
            self.calm_service();
        }
        self.pool.take().await.map_err(|cause| {
            let reason = format!("cannot start another process: {cause}");
            self.lost = Some(reason.clone());
            Abort::Harness(reason)
        })
    }

    /// Keeps the process, or ends it if the call was lost.
    async fn kept(&mut self, numbered: NumberedSession, sent: Result<usize, Abort>) -> Result<usize, Abort> {
        self.pool.keep(numbered, matches!(sent, Err(Abort::Lost(_)))).await;
        sent
    }

    /// Records the exchange. A process that did not answer is not used again.
    fn record(
        &mut self,
        numbered: &NumberedSession,
        call: &PlannedCall,
        at: Position,
        answer: Answered,
    ) -> Result<usize, Abort> {
        let expected = resolved(expected_at(at.step, &call.expected));
        let place = Place::at(Some(&self.case), at.step, expected, at.control);
        let place = Place { follows: at.follows, ..place };
        let sent = Call::of("tools/call", Some(&call.tool), call.arguments.clone());
        let gone = matches!(answer.outcome, Outcome::NoReply { .. } | Outcome::Ended(_));
        self.responses.push((call.tool.clone(), Responsiveness::from_outcome(&answer.outcome)));
        let index = self.pool.record(numbered.process, place, sent, answer);
        self.mark(index);
        if gone { Err(Abort::Lost(index)) } else { Ok(index) }
    }

    /// Marks an exchange whose reply comes from the confinement, or from made-up data. This is noted here because rules have no
    /// access to the disk and the service.
    fn mark(&mut self, index: usize) {
        // Where the service fails, the server was meant to run into this.
        let exchange = &self.pool.exchanges[index];
        if self.service.is_failing() || has_succeeded(exchange, self.contract) {
            return;
        }
        if let Some(why) = self.service.unusable(exchange) {
            self.pool.exchanges[index].environment = EnvironmentEffect::Service(why.to_owned());
            return;
        }
        let Confinement::Confined(confined) = &self.resources.confinement else { return };
        // An SDK may hide the cause, which then stands only in the server's log.
        let texts = exchange.outcome.words().into_iter().chain([exchange.stderr.as_str()]);
        let reached =
            |text: &str| refused::reached(text, &exchange.call.arguments, confined, &self.head.folders);
        let denied = texts.filter(|text| !text.is_empty()).find_map(reached);
        let unset = || {
            exchange
                .outcome
                .words()
                .into_iter()
                .find_map(|text| refused::unset(text, &exchange.call.arguments, confined))
        };
        let denied = denied.or_else(unset);
        if let Some(denied) = denied {
            self.pool.exchanges[index].environment = EnvironmentEffect::Denied(denied);
        }
    }

    /// Notes the date that the service behind the server gave below this path. This is done here because rules have no clock.
    fn note_date(&mut self, index: usize, path: &str) {
        let date = self.resources.upstream.and_then(|upstream| upstream.date(path));
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
