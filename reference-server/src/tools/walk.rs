//! The files below a directory, as `grep` and `glob` see them: sorted, without `.git`, without what a `.gitignore`
//! below the directory names, and without what a deny pattern closes.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::types::Types;
use ignore::{DirEntry, WalkBuilder};

use crate::cause::{self, Operation};
use crate::failure::Failure;
use crate::file;
use crate::limits::Limits;

/// What was found, and how many directories or files could not be looked at.
pub(super) struct Found {
    root: PathBuf,
    pub(super) entries: Vec<DirEntry>,
    pub(super) unreadable: usize,
}

impl Found {
    /// A line for the reply where something could not be looked at.
    pub(super) fn note(&self) -> Option<String> {
        (self.unreadable > 0)
            .then(|| format!("({} entries could not be read and were left out)", self.unreadable))
    }

    /// The regular files, each with its path below the root.
    pub(super) fn files(&self) -> impl Iterator<Item = (&DirEntry, &Path)> {
        let files = self.entries.iter().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
        files.filter_map(|entry| Some((entry, entry.path().strip_prefix(&self.root).ok()?)))
    }
}

/// The directory to search, which was sent as `sent`.
pub(super) fn directory(sent: &str, limits: &Limits) -> Result<PathBuf, Failure> {
    let root = limits.scope.resolve(sent)?;
    match file::look_at(&root, sent, Operation::Search)?.is_dir() {
        true => Ok(root),
        false => Err(cause::could_not(Operation::Search, sent, "it is a file, not a directory")
            .hint("Give the path of its directory.")),
    }
}

/// Everything below `root` but `root` itself, which was sent as `sent`. Links are listed and never followed.
pub(super) fn below(
    root: &Path,
    sent: &str,
    limits: &Limits,
    types: Option<Types>,
) -> Result<Found, Failure> {
    // A directory inside that cannot be read is left out; where it is the root, nothing was searched.
    fs::read_dir(root).map_err(|error| cause::on_path(error, Operation::Search, sent))?;
    let scope = limits.scope.clone();
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        // Only rules inside the searched directory count: the same search gives the same answer on every machine.
        .parents(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .sort_by_file_name(std::cmp::Ord::cmp)
        .filter_entry(move |entry| entry.file_name() != ".git" && scope.permits(entry.path()));
    if let Some(types) = types {
        builder.types(types);
    }
    let mut found = Found { root: root.to_owned(), entries: Vec::new(), unreadable: 0 };
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.depth() > 0 => found.entries.push(entry),
            Ok(_) => {}
            Err(_) => found.unreadable += 1,
        }
    }
    Ok(found)
}
