//! Snapshots of error texts for review: what is stored, what a run saw, and how they differ.
//!
//! The main types are [`Snapshots`], which a run is judged against, and [`Comparison`]. All of this is pure:
//! the files are read before a run and written after it; judging a recording again touches no file.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::condition::CaseId;
use crate::contract::{Contract, ErrorChannel, ErrorReply, read};
use crate::escape;
use crate::exchange::{Exchange, Outcome, Step};
use crate::placeholder::Collapser;
use crate::signature::masked;
use crate::transcript::{CaseOutcome, Transcript};
use crate::transcript::{PendingPolicy, SnapshotUpdate, Snapshots, Stored};

pub mod file;
mod name;

pub use crate::transcript::{Ci, Placing, UpdateError};

/// How much of a text is kept, in bytes: a server may answer with megabytes.
const KEPT: usize = 16 * 1024;

/// One distinct error reply of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorText {
    /// The index of the first exchange that showed it.
    pub exchange: usize,
    /// See [`Stored::case`].
    pub case: CaseId,
    /// See [`Stored::tool`].
    pub tool: String,
    /// See [`Stored::text`].
    pub text: String,
    /// The case's title, for reviewers of the file.
    pub title: String,
    /// The call as JSON, for reviewers of the file.
    pub call: String,
}

/// A text that nobody has accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The name of its file, without `.snap.new`.
    pub name: String,
    /// The text of the run.
    pub taken: ErrorText,
    /// The accepted text in its place, if there is one.
    pub before: Option<String>,
}

/// A stored text that the run did not see again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct StaleText {
    /// The file's name without `.snap`.
    pub name: String,
    /// The case.
    pub case: CaseId,
    /// Why it was not seen.
    pub what: StaleKind,
}

/// Why a stored text was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StaleKind {
    /// The case is not in the plan any more.
    Case,
    /// The case was driven, and no reply of it is an error in this place any more.
    Reply,
}

/// The comparison of a run with its snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Texts that equal the accepted ones, with the names of their files.
    pub kept: Vec<(String, ErrorText)>,
    /// Texts that were not accepted yet, in the order of the run.
    pub pending: Vec<Pending>,
    /// Stored texts that were not seen again.
    pub gone: Vec<StaleText>,
}

impl Pending {
    /// Where to write it.
    pub fn placing(&self, snapshots: &Snapshots) -> Placing {
        snapshots.update.placing(self.before.as_deref())
    }
}

/// The snapshots after everything in a run is accepted.
pub fn accepted(transcript: &Transcript, contract: &Contract) -> Snapshots {
    let none = Snapshots {
        update: SnapshotUpdate::Beside,
        pass: PendingPolicy::Usual,
        stored: Vec::new(),
        reserved: BTreeSet::new(),
    };
    let comparison = compare_with(&none, transcript, contract);
    let stored = comparison.pending.into_iter().map(|Pending { name, taken, .. }| Stored {
        name,
        case: taken.case,
        tool: taken.tool,
        text: taken.text,
    });
    Snapshots { stored: stored.collect(), ..none }
}

/// Compares a run with the snapshots in its transcript; `None` if there are none.
pub fn compare(transcript: &Transcript, contract: &Contract) -> Option<Comparison> {
    transcript.head.snapshots.as_ref().map(|snapshots| compare_with(snapshots, transcript, contract))
}

fn compare_with(snapshots: &Snapshots, transcript: &Transcript, contract: &Contract) -> Comparison {
    let mut comparison = Comparison::default();
    let mut unseen: Vec<&Stored> = snapshots.stored.iter().collect();
    let mut names: BTreeSet<String> =
        snapshots.stored.iter().map(|stored| name::folded(&stored.name)).collect();
    names.extend(snapshots.reserved.iter().map(|name| name::folded(name)));
    let mut differing = Vec::new();
    for taken in taken(transcript, contract) {
        match unseen.iter().position(|stored| is_same_place(stored, &taken) && stored.text == taken.text) {
            Some(index) => comparison.kept.push((unseen.remove(index).name.clone(), taken)),
            None => differing.push(taken),
        }
    }
    // A remaining new text replaces a remaining stored one: that is a changed wording.
    for taken in differing {
        let (name, before) = match unseen.iter().position(|stored| is_same_place(stored, &taken)) {
            Some(index) => {
                let stored = unseen.remove(index);
                (stored.name.clone(), Some(stored.text.clone()))
            }
            None => (name::unused(&taken.case, &taken.tool, &mut names), None),
        };
        comparison.pending.push(Pending { name, taken, before });
    }
    let gone = unseen.into_iter().filter_map(|stored| {
        let what = gone(stored, transcript)?;
        Some(StaleText { name: stored.name.clone(), case: stored.case.clone(), what })
    });
    comparison.gone = gone.collect();
    comparison
}

fn is_same_place(stored: &Stored, taken: &ErrorText) -> bool {
    stored.case == taken.case && stored.tool == taken.tool
}

/// Why a stored text was not seen, if this run can tell.
fn gone(stored: &Stored, transcript: &Transcript) -> Option<StaleKind> {
    let planned = transcript.cases.iter().find(|case| escape::line(&case.id.0) == stored.case.0);
    // Without a list of tools there was no plan, and a limit on probes leaves some of them out.
    let is_whole = !transcript.head.catalog.tools.is_empty() && !transcript.interrupted;
    let may_be_left_out = stored.case.0.starts_with("probe/") && !transcript.withheld.is_empty();
    match planned {
        None => (is_whole && !may_be_left_out).then_some(StaleKind::Case),
        Some(case) => (is_whole && case.outcome == CaseOutcome::Driven).then_some(StaleKind::Reply),
    }
}

/// Every distinct error reply to a tool's call, in the order of the run.
fn taken(transcript: &Transcript, contract: &Contract) -> Vec<ErrorText> {
    let mut all: Vec<ErrorText> = Vec::new();
    let mut seen = BTreeSet::new();
    for exchange in &transcript.exchanges {
        let (Some(case), Some(tool)) = (&exchange.place.case, exchange.tool()) else { continue };
        // The reader's calls change with the message.
        if matches!(exchange.place.step, Step::Malformed | Step::Mend | Step::Cleanup | Step::Disturb) {
            continue;
        }
        let Some(error) = read(contract, exchange) else { continue };
        let (case, tool) = (CaseId(escape::line(&case.0)), escape::line(tool));
        let text = text(&error, exchange, transcript);
        if !seen.insert((case.0.clone(), tool.clone(), text.clone())) {
            continue;
        }
        let driven = transcript.cases.iter().find(|driven| Some(&driven.id) == exchange.place.case.as_ref());
        let arguments = Collapser::new(&transcript.head.folders).value(&exchange.call.arguments);
        all.push(ErrorText {
            exchange: exchange.index,
            title: driven.map(|driven| escape::line(&driven.title)).unwrap_or_default(),
            call: escape::line_within(&format!("{tool} {arguments}"), 400),
            case,
            tool,
            text,
        });
    }
    all
}

/// The code on a line of its own, so that another code makes another text in every contract, followed by what
/// the caller reads.
fn text(error: &ErrorReply, exchange: &Exchange, transcript: &Transcript) -> String {
    let code = match (&exchange.outcome, error.channel) {
        (Outcome::Error(error), ErrorChannel::Protocol) => format!("{} (JSON-RPC)", error.code),
        _ => error.code().unwrap_or("none").to_owned(),
    };
    let mut text = format!("code: {code}\n");
    for part in std::iter::once(&error.text).chain(&error.more) {
        text.push('\n');
        for line in masked(part, exchange, &transcript.head.folders).split('\n') {
            text.push_str(&escape::line(&evened(line)));
            text.push('\n');
        }
    }
    if text.len() > KEPT {
        text.truncate(text.floor_char_boundary(KEPT));
        text.push_str(" [...]");
    }
    text.truncate(text.trim_end().len());
    text
}

/// A line with its indentation and single spaces, because padding depends on the length of masked values.
fn evened(line: &str) -> String {
    let words = line.trim_start();
    let indentation = &line[..line.len() - words.len()];
    format!("{}{}", indentation.replace('\t', "    "), words.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
