//! Driving one probe: the tool's control, sent once, and then the call with a single change.

use std::path::Path;

use serde_json::{Value, json};

use crate::argument::{Argument, Arguments};
use crate::cause;
use crate::class::Class;
use crate::confinement::Confinement;
use crate::exchange::{Outcome, Step};
use crate::expectation::Expected;
use crate::generate::{ToolFiles, makes};
use crate::json::texts;
use crate::judge::has_succeeded;
use crate::pattern;
use crate::plan::{PlannedCall, PlannedProbe, ProbedTool, role_call};
use crate::roles::Role;
use crate::suite::FileContent;
use crate::transcript::CaseOutcome;

use super::comparison::TakenProbe;
use super::probe_control::{ProbeControl, Repeatability, SuccessfulCall, Tried};
use super::{Abort, Driver, FolderSnapshots, Position};

/// At most this many calls with values the schema says nothing about go to a tool without a known valid call:
/// they show little more than the one that was refused.
const BASELESS: usize = 6;
/// At most this many ids that the server returned are tried.
const RETURNED: usize = 4;
/// At most this many calls of a tool that ended a process are sent to a new one.
const SENT_ALONE: usize = 3;

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
        self.case.clone_from(&probe.id);
        let outcome = match self.probe_control(tool).await {
            // The one call that there is was the control.
            Ok(ProbeControl::Found(_)) if probe.change.is_plain() => Ok(CaseOutcome::Driven),
            Ok(ProbeControl::Unknown { why, .. }) if probe.change.is_plain() => {
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
        let is_of_pipe = probe.change.id == ToolFiles::FIFO;
        if is_of_pipe && self.tools.waits_for_pipe {
            let why = "withheld: another tool waits for ever for such a file, and each would take as long";
            return Ok(CaseOutcome::Skipped(why.to_owned()));
        }
        if probe.change.id == "unlisted-item" && self.invents_for(&tool.name) {
            let why = "the service behind the server is simulated: it has everything that it is asked for";
            return Ok(CaseOutcome::PreconditionFailed(why.to_owned()));
        }
        let stand = self.stand(tool, probe_control).await?;
        if let Some(why) = stand.unknown.as_ref().filter(|_| probe.change.owed.is_none()) {
            let sent = self.tools.baseless.entry(tool.name.clone()).or_default();
            *sent += 1;
            if *sent > BASELESS {
                return Ok(CaseOutcome::Skipped(format!("withheld: {why}")));
            }
        }
        let folder = self.resources.run_folders.case_folder(&tool.folder);
        let listed = self.listed_before(tool, &probe.expected).await?;
        let call = self.addressed(&tool.broken(probe, &stand.base));
        if self.supply(tool, &call.arguments) {
            self.untouched = None;
        }
        let mut before = self.untouched_files(tool, &folder)?;
        self.call_firsts(tool).await?;
        if self.has_firsts(tool) {
            before = self.snapshots(&folder);
        }
        let beside = self.files_beside_cases();
        let at = Position { control: stand.control, ..Step::Call.into() };
        let sent = self.send(&call, at).await;
        self.tools.waits_for_pipe |= is_of_pipe && matches!(sent, Err(Abort::Lost(_)));
        let after = self.snapshots(&folder);
        let had_traps = self.take_traps_away(tool);
        let depends_on_process = self.has_firsts(tool)
            || matches!(probe_control, ProbeControl::Found(found) if matches!(found.repeatability, Repeatability::Remade { .. }));
        if let (Err(Abort::Lost(lost)), false) = (&sent, depends_on_process) {
            // What goes wrong on the way shows in the exchanges.
            let _ = self.sent_alone(tool, &call, at, *lost).await;
        }
        let sent = sent?;
        self.pool.exchanges[sent].changes = before.changes(&after);
        self.note_changes_beside(&beside, sent);
        if before == after && !had_traps {
            self.untouched = Some(CleanFolders { tool: tool.name.clone(), seen: after });
        } else {
            self.reset_outside()?;
        }
        let is_taken = has_succeeded(&self.pool.exchanges[sent], self.contract);
        // In a confined server, whatever the call does is harmless.
        let is_open = !matches!(self.resources.confinement, Confinement::Confined(_));
        if is_open && tool.class != Class::Read && is_taken {
            self.tools.taken.insert(tool.name.clone());
        }
        // What goes wrong on the way shows in the exchanges.
        if self.tools.taken.contains(&tool.name) {
            // It gets no more calls.
        } else if is_taken {
            let _ = Box::pin(self.compare(TakenProbe { tool, probe, stand: &stand, sent })).await;
        } else if listed.is_some() {
            let _ = Box::pin(self.listed_after(tool, sent, listed)).await;
        } else {
            let _ = Box::pin(self.sent_again(tool, sent)).await;
        }
        if tool.class != Class::Read && is_taken {
            self.doubt(tool);
        }
        let outcome = self.grounded(tool, &stand, sent);
        let is_sound = match probe.change.id {
            "given" | "all-given" => true,
            "absent" => makes(&tool.name),
            _ => false,
        };
        if stand.is_open() && is_sound {
            // What goes wrong on the way shows in the exchanges.
            let _ = self.adopt(tool, sent).await;
        }
        Ok(outcome)
    }

    /// Sends a call that ended the process to a new one: if it is answered there, an earlier call ended the process.
    async fn sent_alone(
        &mut self,
        tool: &ProbedTool,
        call: &PlannedCall,
        at: Position,
        lost: usize,
    ) -> Result<(), Abort> {
        let count = self.tools.ended.entry(tool.name.clone()).or_default();
        let is_ended = matches!(self.pool.exchanges[lost].outcome, Outcome::Ended(_));
        if !is_ended || self.draws.is_none() || *count == SENT_ALONE {
            return Ok(());
        }
        *count += 1;
        let call = PlannedCall::plain(&tool.name, call.arguments.clone(), Expected::Anything);
        let at = Position { step: Step::Again, follows: Some(lost), ..at };
        self.placed(tool, call, at).await.map(drop)
    }

    /// Takes a probe that breaks nothing and succeeded, twice, for the valid call of a tool of which none is known.
    async fn adopt(&mut self, tool: &ProbedTool, sent: usize) -> Result<(), Abort> {
        if self.draws.is_none() || !has_succeeded(&self.pool.exchanges[sent], self.contract) {
            return Ok(());
        }
        let arguments = self.own_arguments(&tool.name, sent);
        if let Tried::Succeeded(control) = self.tried(tool, &arguments).await? {
            self.keep(tool, ProbeControl::Found(SuccessfulCall::new(control, arguments)));
        }
        Ok(())
    }

    /// Deletes the pipes and the links out of a tool's folder: whatever walks through it later would block on the pipes, and
    /// leave the root through the links. Returns whether there were any.
    fn take_traps_away(&mut self, tool: &ProbedTool) -> bool {
        let run_folders = self.resources.run_folders;
        let folder = run_folders.case_folder(&tool.folder);
        let supplied = self.tools.supplied.entry(tool.name.clone()).or_default();
        let count = supplied.len();
        supplied.retain(|file| {
            let is_trap = matches!(file.content, FileContent::Fifo) || file.path == ToolFiles::DOOR;
            if is_trap {
                // What cannot be deleted goes with the workspace.
                let _ = run_folders.take_away(&folder.join(&file.path));
            }
            !is_trap
        });
        supplied.len() < count
    }

    /// The basis of a call that is not the tool's control.
    pub(super) async fn stand(
        &mut self,
        tool: &ProbedTool,
        probe_control: &ProbeControl,
    ) -> Result<CallBasis, Abort> {
        Ok(match probe_control {
            ProbeControl::Found(found) => {
                let found = self.tested(tool, found.clone()).await?;
                let base = match found.repeatability {
                    Repeatability::Remade { turn } => self.remade(tool, &found, turn).await?,
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
                base: tool.tries.first().cloned().unwrap_or_else(|| json!({})),
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
        let known: Vec<&str> = texts(&base).chain(texts(&stand.base)).collect();
        let exchange = &self.pool.exchanges[sent];
        let words = exchange.outcome.words();
        let mut quoted = Quoted { own: false, kept: false };
        for text in texts(&exchange.call.arguments) {
            let is_quoted = text.len() >= SHORTEST && words.iter().any(|words| words.contains(text));
            let is_kept = known.contains(&text);
            quoted.own |= is_quoted && !is_kept;
            quoted.kept |= is_quoted && is_kept;
        }
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
        self.reset_outside()?;
        Ok(self.snapshots(folder))
    }

    /// For the tool that returns the output of a background task: arguments with the ids that the server
    /// returns when a task is started. The task does nothing.
    pub(super) async fn returned_tasks(&mut self, tool: &ProbedTool) -> Result<Vec<Value>, Abort> {
        let Some(parameter) = &tool.takes_task else { return Ok(Vec::new()) };
        let shell = self.head.bindings.iter().find(|binding| binding.role == Role::Shell);
        let nothing = [("command", json!("true")), ("background", json!(true))];
        let nothing = nothing.map(|(name, value)| (name.to_owned(), Argument::Json(value)));
        let Some(start) = shell.and_then(|shell| role_call(shell, &Arguments(nothing.into()))) else {
            return Ok(Vec::new());
        };
        let index = self.send(&start, Step::Prepare).await?;
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
        let files = self.tools.files_of(tool);
        let made = self.resources.run_folders.lay_out(&tool.folder, &files, 0, &str::to_owned);
        made.map(drop).map_err(|error| {
            Abort::Harness(format!("cannot create the files of {}: {}", tool.folder, cause::describe(&error)))
        })
    }
}
