//! Driving one probe: the tool's control, sent once, and then the call with a single change.

use std::path::Path;

use serde_json::{Value, json};

use crate::argument::{Argument, Arguments};
use crate::cause;
use crate::class::Class;
use crate::condition::CaseId;
use crate::confinement::Confinement;
use crate::exchange::Step;
use crate::expectation::Expected;
use crate::generate::{ToolFiles, texts};
use crate::judge::has_succeeded;
use crate::pattern;
use crate::plan::{PlannedProbe, ProbedTool, role_call};
use crate::roles::Role;
use crate::suite::{File, FileContent};
use crate::transcript::CaseOutcome;

use super::control_state::{ProbeControl, Repeatability};
use super::{Abort, Driver, FolderSnapshots, NumberedSession, Position};

/// At most this many calls with values the schema says nothing about go to a tool without a known valid call:
/// they show little more than the one that was refused.
const BASELESS: usize = 6;
/// At most this many ids that the server returned are tried.
const RETURNED: usize = 4;

/// The contents of a tool's probe folders, which nothing has touched since they were made.
pub(super) struct CleanFolders {
    tool: String,
    seen: FolderSnapshots,
}

/// The control of a call, and its state.
pub(super) struct CallBasis {
    /// The exchange of the call that succeeded, or of the first refused one if none did.
    pub(super) control: Option<usize>,
    /// The arguments of the control.
    pub(super) base: Value,
    /// The exchange in which a control that had succeeded before was refused.
    refused: Option<usize>,
    /// Why no successful call is known.
    unknown: Option<String>,
}

/// Which texts of a call its refusal quotes.
struct Quoted {
    /// A text that only this call contains.
    own: bool,
    /// A text that the call has from its control.
    kept: bool,
}

impl CallBasis {
    /// Whether no successful call is known.
    pub(super) fn is_open(&self) -> bool {
        self.unknown.is_some()
    }

    /// Whether the call succeeds when it is sent again.
    pub(super) fn is_repeatable(&self) -> bool {
        self.unknown.is_none() && self.refused.is_none()
    }
}

impl Driver<'_> {
    /// Drives one probe.
    pub(in crate::drive) async fn probe(&mut self, tool: &ProbedTool, probe: &PlannedProbe) -> CaseOutcome {
        if self.tools.taken.contains(&tool.name) {
            return CaseOutcome::Skipped(format!(
                "withheld: `{}` carried out a call in which every required argument was invalid, while not \
                 confined",
                tool.name
            ));
        }
        let outcome = match self.probe_control(tool, &probe.id).await {
            // The one call that there is was the control.
            Ok(ProbeControl::Found(_)) if probe.change.mutation.is_plain() => Ok(CaseOutcome::Driven),
            Ok(ProbeControl::Unknown { why, .. }) if probe.change.mutation.is_plain() => {
                Ok(CaseOutcome::PreconditionFailed(why))
            }
            Ok(probe_control) => self.broken_call(tool, probe, &probe_control).await,
            Err(abort) => Err(abort),
        };
        self.outcome(outcome)
    }

    async fn broken_call(
        &mut self,
        tool: &ProbedTool,
        probe: &PlannedProbe,
        probe_control: &ProbeControl,
    ) -> Result<CaseOutcome, Abort> {
        let is_of_pipe = probe.change.mutation.id == ToolFiles::FIFO;
        if is_of_pipe && self.tools.waits_for_pipe {
            let why = "withheld: another tool waits for ever for such a file, and each would take as long";
            return Ok(CaseOutcome::Skipped(why.to_owned()));
        }
        let stand = self.stand(tool, &probe.id, probe_control).await?;
        if let Some(why) = stand.unknown.as_ref().filter(|_| probe.change.mutation.owed.is_none()) {
            let sent = self.tools.baseless.entry(tool.name.clone()).or_default();
            *sent += 1;
            if *sent > BASELESS {
                return Ok(CaseOutcome::Skipped(format!("withheld: {why}")));
            }
        }
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let listed = self.listed_before(tool, &probe.id, &probe.expected).await?;
        let call = self.addressed(&tool.broken(probe, &stand.base));
        if self.supply(tool, &call.arguments) {
            self.untouched = None;
        }
        let mut before = self.untouched_files(tool, &folder)?;
        let mut numbered = self.process_for(tool, &probe.id).await?;
        if self.has_firsts(tool) {
            before = self.snapshots(&folder);
        }
        let at = Position { case: &probe.id, step: Step::Call, control: stand.control, follows: None };
        let sent = self.send(&mut numbered, &call, at).await;
        if is_of_pipe {
            self.take_pipes_away(tool);
            self.tools.waits_for_pipe |= matches!(sent, Err(Abort::Lost(_)));
        }
        let sent = self.kept(numbered, sent).await?;
        let after = self.snapshots(&folder);
        self.pool.exchanges[sent].changes = before.changes(&after);
        if before == after {
            self.untouched = Some(CleanFolders { tool: tool.name.clone(), seen: after });
        } else {
            self.resources.run_folders.reset_outside().map_err(|error| Abort::Harness(error.to_string()))?;
        }
        // In a confined server, whatever the call does is harmless.
        let is_open = !matches!(self.resources.confinement, Confinement::Confined(_));
        if is_open && tool.class != Class::Read && has_succeeded(&self.pool.exchanges[sent], self.contract) {
            self.tools.taken.insert(tool.name.clone());
        }
        // What goes wrong on the way shows in the exchanges.
        if has_succeeded(&self.pool.exchanges[sent], self.contract) {
            let _ = Box::pin(self.compare(tool, probe, &stand, sent)).await;
        } else if listed.is_some() {
            let _ = Box::pin(self.listed_after(tool, &probe.id, sent, listed)).await;
        }
        if tool.class != Class::Read && has_succeeded(&self.pool.exchanges[sent], self.contract) {
            self.doubt(tool);
        }
        Ok(self.grounded(tool, &stand, sent))
    }

    /// Deletes the pipes of a tool's folder: whatever walks through it later would wait for them.
    fn take_pipes_away(&mut self, tool: &ProbedTool) {
        let run_folders = self.resources.run_folders;
        let folder = run_folders.case_folder(&tool.folder);
        let supplied = self.tools.supplied.entry(tool.name.clone()).or_default();
        supplied.retain(|file| {
            let is_pipe = matches!(file.content, FileContent::Fifo);
            if is_pipe {
                // What cannot be deleted goes with the workspace.
                let _ = run_folders.take_away(&folder.join(&file.path));
            }
            !is_pipe
        });
    }

    /// The basis of a call that is not the tool's control.
    pub(super) async fn stand(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
        probe_control: &ProbeControl,
    ) -> Result<CallBasis, Abort> {
        Ok(match probe_control {
            ProbeControl::Found(found) => {
                let found = self.tested(tool, case, found.clone()).await?;
                let base = match found.repeatability {
                    Repeatability::Remade { turn } => self.remade(tool, case, &found, turn).await?,
                    _ => self.base(tool, &found),
                };
                CallBasis {
                    control: Some(found.control),
                    base,
                    refused: found.repeatability.refused(),
                    unknown: None,
                }
            }
            ProbeControl::Unknown { why, refused } => CallBasis {
                control: *refused,
                base: first_try(tool),
                refused: None,
                unknown: Some(why.clone()),
            },
        })
    }

    /// Whether the reply to such a call can be judged.
    pub(super) fn grounded(&mut self, tool: &ProbedTool, stand: &CallBasis, sent: usize) -> CaseOutcome {
        if let Some(cause) = self.pool.exchanges[sent].environment.cause() {
            return CaseOutcome::PreconditionFailed(cause.to_owned());
        }
        // A tool that refuses everything shows nothing about this value, whatever is expected.
        if let Some(why) = &stand.unknown {
            if let Some(refused) = self.refused_control(tool, sent) {
                self.pool.exchanges[sent].place.control = Some(refused);
            }
            return CaseOutcome::PreconditionFailed(why.clone());
        }
        // A control that was refused later counts if the refusal is about a value that this call shares with
        // it.
        let again = self.tools.refused_again.get(&tool.name).into_iter().flatten().rev();
        let known = stand.refused.map(|refused| (refused, false));
        let known = known.into_iter().chain(again.map(|refused| (*refused, true)));
        let mut quoted = None;
        let mut alike = known.filter(|(refused, must_keep)| {
            self.are_refused_alike(*refused, sent) && {
                let quoted = quoted.get_or_insert_with(|| self.quoted(tool, stand, sent));
                !quoted.own && (quoted.kept || !must_keep)
            }
        });
        match alike.next().map(|(refused, _)| refused) {
            None => CaseOutcome::Driven,
            Some(refused) => {
                self.pool.exchanges[sent].place.control = Some(refused);
                CaseOutcome::PreconditionFailed(format!(
                    "`{}` refused this call with the same words as a call that it accepted earlier, so they \
                     say nothing about the fault: {}",
                    tool.name,
                    self.failed_in_words(sent)
                ))
            }
        }
    }

    /// The newest refused attempt at a control of the same tool whose refusal has the words of this one: the
    /// words are then about something other than the fault.
    fn refused_control(&self, tool: &ProbedTool, sent: usize) -> Option<usize> {
        const COMPARED: usize = 24;
        let is_control = |index: &usize| {
            let exchange = &self.pool.exchanges[*index];
            exchange.place.step == Step::Control && exchange.tool() == Some(tool.name.as_str())
        };
        let controls = (0..sent).rev().filter(is_control).take(COMPARED);
        controls.into_iter().find(|index| self.are_refused_alike(*index, sent))
    }

    /// Which texts a refusal quotes: those that only this call contains, and those from its control.
    fn quoted(&self, tool: &ProbedTool, stand: &CallBasis, sent: usize) -> Quoted {
        const SHORTEST: usize = 4;
        let base = self.addressed(&tool.call(stand.base.clone(), Expected::Anything)).arguments;
        let mut known = Vec::new();
        texts(&base, &mut |text| known.push(text));
        texts(&stand.base, &mut |text| known.push(text));
        let exchange = &self.pool.exchanges[sent];
        let words = exchange.outcome.words();
        let mut quoted = Quoted { own: false, kept: false };
        texts(&exchange.call.arguments, &mut |text| {
            let is_quoted = text.len() >= SHORTEST && words.iter().any(|words| words.contains(text));
            let is_kept = known.contains(&text);
            quoted.own |= is_quoted && !is_kept;
            quoted.kept |= is_quoted && is_kept;
        });
        quoted
    }

    /// Makes the files of a tool's probes, unless the last probe is known to have left them untouched, and
    /// returns their contents.
    pub(super) fn untouched_files(
        &mut self,
        tool: &ProbedTool,
        folder: &Path,
    ) -> Result<FolderSnapshots, Abort> {
        if let Some(untouched) = self.untouched.take().filter(|untouched| untouched.tool == tool.name) {
            return Ok(untouched.seen);
        }
        self.lay_out_for(tool)?;
        self.resources.run_folders.reset_outside().map_err(|error| Abort::Harness(error.to_string()))?;
        Ok(self.snapshots(folder))
    }

    /// For the tool that returns the output of a background task: arguments with the ids that the server
    /// returns when a task is started. The task does nothing.
    pub(super) async fn returned_tasks(
        &mut self,
        tool: &ProbedTool,
        case: &CaseId,
    ) -> Result<Vec<Value>, Abort> {
        let Some(parameter) = &tool.takes_task else { return Ok(Vec::new()) };
        let shell = self.head.bindings.iter().find(|binding| binding.role == Role::Shell);
        let nothing = [("command", json!("true")), ("background", json!(true))];
        let nothing = nothing.map(|(name, value)| (name.to_owned(), Argument::Json(value)));
        let Some(start) = shell.and_then(|shell| role_call(shell, &Arguments(nothing.into()))) else {
            return Ok(Vec::new());
        };
        let mut numbered = self.process().await?;
        let at = Position { case, step: Step::Prepare, control: None, follows: None };
        let sent = self.send(&mut numbered, &start, at).await;
        let index = self.kept(numbered, sent).await?;
        let started = &self.pool.exchanges[index];
        if !has_succeeded(started, self.contract) {
            return Ok(Vec::new());
        }
        let texts = started.outcome.texts();
        let words =
            texts.iter().flat_map(|text| pattern!("text/id").find_iter(text)).map(|found| found.as_str());
        let ids = words.filter(|id| id.contains(|letter: char| letter.is_ascii_digit())).take(RETURNED);
        Ok(ids.map(|id| json!({ parameter: id })).collect())
    }

    pub(super) fn lay_out_for(&self, tool: &ProbedTool) -> Result<(), Abort> {
        let supplied = self.tools.supplied.get(&tool.name);
        let files: Vec<File> = tool.files.iter().chain(supplied.into_iter().flatten()).cloned().collect();
        let made = self.resources.run_folders.lay_out(&tool.folder, &files, 0, &str::to_owned);
        made.map(drop).map_err(|error| {
            Abort::Harness(format!("cannot create the files of {}: {}", tool.folder, cause::describe(&error)))
        })
    }

    pub(super) async fn process(&mut self) -> Result<NumberedSession, Abort> {
        self.pool.shared().await.map_err(|cause| {
            let reason = format!("cannot start another process: {cause}");
            self.lost = Some(reason.clone());
            Abort::Harness(reason)
        })
    }

    /// Keeps the process, or ends it if the call was lost.
    pub(super) async fn kept(
        &mut self,
        numbered: NumberedSession,
        sent: Result<usize, Abort>,
    ) -> Result<usize, Abort> {
        match &sent {
            Err(Abort::Lost(_)) => numbered.session.kill().await,
            _ => self.pool.give_back(numbered),
        }
        sent
    }
}

/// The arguments that are tried first.
fn first_try(tool: &ProbedTool) -> Value {
    tool.tries.first().cloned().unwrap_or_else(|| json!({}))
}
