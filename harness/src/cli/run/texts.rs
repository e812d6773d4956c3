//! `--snapshots DIR`: reads the accepted texts before the run, and writes the new ones after it.

use std::path::{Path, PathBuf};

use mcp_errconf::condition::CaseId;
use mcp_errconf::contract::Contract;
use mcp_errconf::snapshot::{Ci, Comparison, Pending, Placing, UpdateError};
use mcp_errconf::snapshot_folder::{FolderWrites, read, write};
use mcp_errconf::suite::filter;
use mcp_errconf::transcript::{CaseOutcome, PendingPolicy, SnapshotUpdate, Snapshots, Transcript};

use crate::cli::baseline_file::{BaselineUpdate, listed};
use crate::cli::failure::Failure;
use crate::cli::{Terminal, console};

/// The folder and its contents.
pub(super) struct Texts {
    folder: PathBuf,
    /// What asks for new texts to be accepted.
    accepts_by: &'static str,
    pub(super) snapshots: Snapshots,
}

impl Texts {
    /// Reads the folder, if there is one: the texts of the selected cases.
    pub(super) fn read(
        folder: Option<&Path>,
        filter_by: Option<&str>,
        baseline: BaselineUpdate,
    ) -> Result<Option<Self>, Failure> {
        let Some(folder) = folder else { return Ok(None) };
        let (by_variable, pass) = chosen().map_err(|error| Failure::Usage(error.to_string()))?;
        let (update, accepts_by) = match (baseline.adds, by_variable) {
            (true, SnapshotUpdate::Force) | (false, _) => (by_variable, "INSTA_UPDATE"),
            (true, _) => (SnapshotUpdate::InPlace, "`--accept-new`"),
        };
        if folder.exists() && !folder.is_dir() {
            return Err(Failure::Usage(format!(
                "`--snapshots {}` is a file; give a folder, which is created if it does not exist",
                folder.display()
            )));
        }
        let matcher = filter_by.map(filter).transpose();
        let matcher = matcher.map_err(|error| Failure::Usage(format!("`--filter`: {error}")))?;
        let is_selected = |case: &CaseId| matcher.as_ref().is_none_or(|matcher| matcher.is_match(&case.0));
        let snapshots =
            read(folder, update, pass, &is_selected).map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(Some(Self { folder: folder.to_owned(), accepts_by, snapshots }))
    }

    /// Writes the texts of the run, and reports that.
    pub(super) fn write(
        &self,
        transcript: &Transcript,
        contract: &Contract,
        terminal: &Terminal,
    ) -> Result<(), Failure> {
        let comparison = mcp_errconf::snapshot::compare(transcript, contract).unwrap_or_default();
        let is_driven = |id: &CaseId| {
            transcript.cases.iter().any(|case| case.id == *id && case.outcome == CaseOutcome::Driven)
                && !transcript.interrupted
        };
        let writes = write(&self.folder, &self.snapshots, &comparison, &is_driven)
            .map_err(|error| Failure::Fault(error.to_string()))?;
        if !terminal.quiet {
            self.tell(&writes, &comparison);
        }
        Ok(())
    }

    fn tell(&self, writes: &FolderWrites, comparison: &Comparison) {
        let folder = self.folder.display();
        if let Some(manifest) = &writes.stub {
            console::remark(&format!(
                "{folder} is not in a Cargo package, where cargo-insta looks for snapshots: `{}` and an \
                 empty `lib.rs` were written next to them",
                manifest.display()
            ));
        }
        if writes.pending > 0 {
            let place = match self.folder.join("Cargo.toml").is_file() {
                true => format!(" --manifest-path {folder}/Cargo.toml"),
                false => String::new(),
            };
            console::remark(&format!(
                "{} pending in {folder}: review with `mcp-errconf snapshots review {folder}` or `cargo insta \
                 review{place}`; `--accept-new` accepts them all",
                texts(writes.pending)
            ));
        }
        if writes.accepted > 0 {
            let title =
                format!("{} accepted in {folder}, because of {}", texts(writes.accepted), self.accepts_by);
            let is_accepted = |pending: &&Pending| pending.placing(&self.snapshots) == Placing::InPlace;
            let names: Vec<_> =
                comparison.pending.iter().filter(is_accepted).map(|pending| pending.name.as_str()).collect();
            console::remark(&listed(&title, &names));
        }
        if !comparison.gone.is_empty() {
            let names: Vec<_> =
                comparison.gone.iter().take(5).map(|gone| format!("{}.snap", gone.name)).collect();
            let more = comparison.gone.len() - names.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            console::remark(&format!(
                "not seen again in {folder}; delete them if that is intended: {}{more}",
                names.join(", ")
            ));
        }
        if self.snapshots.update == SnapshotUpdate::Nowhere && !comparison.pending.is_empty() {
            console::remark(&format!(
                "{} new or changed but not written to {folder}, because this is CI or because of \
                 INSTA_UPDATE",
                texts(comparison.pending.len())
            ));
        }
    }
}

fn texts(count: usize) -> String {
    if count == 1 { "1 error text is".to_owned() } else { format!("{count} error texts are") }
}

/// How to treat new and changed texts, according to the environment.
fn chosen() -> Result<(SnapshotUpdate, PendingPolicy), UpdateError> {
    let value = |name: &str| std::env::var(name).ok();
    let ci = Ci::from_values(value("CI").as_deref(), value("TF_BUILD").as_deref());
    Ok((
        SnapshotUpdate::from_variable(value("INSTA_UPDATE").as_deref(), ci)?,
        PendingPolicy::from_variable(value("INSTA_FORCE_PASS").as_deref())?,
    ))
}
