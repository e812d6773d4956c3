//! The folder of snapshots: read before a run, written after it, and reviewed without cargo.
//!
//! A stub package is written too, because cargo-insta looks for snapshots in a Cargo package.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::atomic_file;
use crate::cause;
use crate::condition::CaseId;

use crate::snapshot::file::{SnapshotFile, parse, render};
use crate::snapshot::{Comparison, ErrorText, Placing};
use crate::transcript::{PendingPolicy, SnapshotUpdate, Snapshots, Stored};

const STORED: &str = ".snap";
const PENDING: &str = ".snap.new";

/// The folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the snapshots: `{place}` {problem}: {}", cause::describe(.error))]
pub struct FolderError {
    place: String,
    problem: &'static str,
    error: io::Error,
}

impl FolderError {
    /// What turns the system's error at this path into one of the folder.
    fn at(path: &Path, problem: &'static str) -> impl Fn(io::Error) -> Self {
        let place = path.display().to_string();
        move |error| Self { place: place.clone(), problem, error }
    }
}

/// What was done to the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderWrites {
    /// How many pending texts were written.
    pub pending: usize,
    /// How many texts were accepted at once.
    pub accepted: usize,
    /// The stub package that was made for cargo-insta, if any.
    pub stub: Option<PathBuf>,
}

/// A pending text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The file's name without `.snap.new`.
    pub name: String,
    /// The accepted text in its place, if there is one.
    pub before: Option<String>,
    /// The text.
    pub text: String,
}

/// Reads the accepted texts of the cases that `is_selected` selects; none if the folder does not exist.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub fn read(
    folder: &Path,
    update: SnapshotUpdate,
    pass: PendingPolicy,
    is_selected: &dyn Fn(&CaseId) -> bool,
) -> Result<Snapshots, FolderError> {
    let mut snapshots = Snapshots { update, pass, stored: Vec::new(), reserved: BTreeSet::new() };
    for name in names(folder, STORED)? {
        match content(&file(folder, &name, STORED))? {
            Some(content) if is_selected(&CaseId(content.case.clone())) => {
                let SnapshotFile { case, tool, text } = content;
                snapshots.stored.push(Stored { name, case: CaseId(case), tool, text });
            }
            _ => {
                snapshots.reserved.insert(name);
            }
        }
    }
    Ok(snapshots)
}

/// Writes the texts of a run. Obsolete pending files are deleted; those of cases that were not driven are kept.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    folder: &Path,
    snapshots: &Snapshots,
    comparison: &Comparison,
    is_driven: &dyn Fn(&CaseId) -> bool,
) -> Result<FolderWrites, FolderError> {
    let mut writes = FolderWrites::default();
    if snapshots.update == SnapshotUpdate::Nowhere {
        return Ok(writes);
    }
    let mut waiting = BTreeSet::new();
    for pending in &comparison.pending {
        match pending.placing(snapshots) {
            Placing::InPlace => {
                store(folder, &pending.name, STORED, &pending.taken, &mut writes)?;
                writes.accepted += 1;
            }
            Placing::Beside => {
                store(folder, &pending.name, PENDING, &pending.taken, &mut writes)?;
                writes.pending += 1;
                waiting.insert(pending.name.as_str());
            }
            Placing::Nowhere => {}
        }
    }
    if snapshots.update == SnapshotUpdate::Force {
        for (name, taken) in &comparison.kept {
            store(folder, name, STORED, taken, &mut writes)?;
        }
    }
    for name in names(folder, PENDING)?.into_iter().filter(|name| !waiting.contains(name.as_str())) {
        let path = file(folder, &name, PENDING);
        if content(&path)?.is_some_and(|content| is_driven(&CaseId(content.case))) {
            fs::remove_file(&path).map_err(FolderError::at(&path, "cannot be removed"))?;
        }
    }
    Ok(writes)
}

/// The texts that wait for a review, in the order of their names.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub fn waiting(folder: &Path) -> Result<Vec<Waiting>, FolderError> {
    // A folder that is named here must exist.
    fs::read_dir(folder).map_err(FolderError::at(folder, "cannot be read"))?;
    let mut waiting = Vec::new();
    for name in names(folder, PENDING)? {
        let Some(new) = content(&file(folder, &name, PENDING))? else { continue };
        let stored = file(folder, &name, STORED);
        let before = if stored.exists() { content(&stored)?.map(|content| content.text) } else { None };
        waiting.push(Waiting { name, before, text: new.text });
    }
    Ok(waiting)
}

/// Accepts a pending text.
///
/// # Errors
/// When it cannot be renamed.
pub fn accept(folder: &Path, waiting: &Waiting) -> Result<(), FolderError> {
    let path = file(folder, &waiting.name, PENDING);
    fs::rename(&path, file(folder, &waiting.name, STORED))
        .map_err(FolderError::at(&path, "cannot be renamed"))
}

/// Deletes a pending text.
///
/// # Errors
/// When it cannot be removed.
pub fn reject(folder: &Path, waiting: &Waiting) -> Result<(), FolderError> {
    let path = file(folder, &waiting.name, PENDING);
    fs::remove_file(&path).map_err(FolderError::at(&path, "cannot be removed"))
}

fn file(folder: &Path, name: &str, ending: &str) -> PathBuf {
    folder.join(format!("{name}{ending}"))
}

/// The names, without the ending, of the files with this ending.
fn names(folder: &Path, ending: &str) -> Result<Vec<String>, FolderError> {
    let unreadable = FolderError::at(folder, "cannot be read");
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(&unreadable)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(&unreadable)?;
        let name = entry.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(ending));
        names.extend(stem.filter(|_| entry.path().is_file()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// The contents of a file; `None` if it is not ours.
fn content(path: &Path) -> Result<Option<SnapshotFile>, FolderError> {
    let bytes = fs::read(path).map_err(FolderError::at(path, "cannot be read"))?;
    Ok(std::str::from_utf8(&bytes).ok().and_then(parse))
}

fn store(
    folder: &Path,
    name: &str,
    ending: &str,
    taken: &ErrorText,
    writes: &mut FolderWrites,
) -> Result<(), FolderError> {
    if writes.pending + writes.accepted == 0 {
        fs::create_dir_all(folder).map_err(FolderError::at(folder, "cannot be created"))?;
        writes.stub = stub(folder)?;
    }
    let path = file(folder, name, ending);
    atomic_file::write(&path, render(taken).as_bytes()).map_err(FolderError::at(&path, "cannot be written"))
}

/// A stub package for the snapshots: cargo-insta looks for them in a package, and refuses a virtual workspace.
/// Its own `[workspace]` keeps it out of any workspace above.
const MANIFEST: &str = r#"# Written by mcp-errconf: `cargo insta review` looks for snapshots in a Cargo package.
[package]
name = "mcp-errconf-snapshots"
version = "0.0.0"
edition = "2021"
publish = false

[lib]
path = "lib.rs"

[workspace]
"#;

const LIBRARY: &str =
    "//! Deliberately empty: this package only exists so that cargo-insta finds the snapshots next to it.\n";

/// Writes the stub package, unless the folder is in a package; returns its manifest if it was written.
fn stub(folder: &Path) -> Result<Option<PathBuf>, FolderError> {
    let place = folder.canonicalize().map_err(FolderError::at(folder, "cannot be found"))?;
    let nearest = place.ancestors().map(|above| above.join("Cargo.toml")).find(|manifest| manifest.is_file());
    let manifest = folder.join("Cargo.toml");
    // A virtual workspace in this very folder belongs to somebody else.
    if nearest.is_some_and(|manifest| is_package(&manifest)) || manifest.exists() {
        return Ok(None);
    }
    for (name, text) in [("Cargo.toml", MANIFEST), ("lib.rs", LIBRARY)] {
        let path = folder.join(name);
        if !path.exists() {
            atomic_file::write(&path, text.as_bytes())
                .map_err(FolderError::at(&path, "cannot be written"))?;
        }
    }
    Ok(Some(manifest))
}

/// Whether a manifest is that of a package; an unreadable one is left to cargo.
fn is_package(manifest: &Path) -> bool {
    let text = fs::read_to_string(manifest).unwrap_or_default();
    text.lines().any(|line| line.trim_start().starts_with("[package]"))
}
