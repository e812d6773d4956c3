//! The files below a directory, as `grep` and `glob` see them: sorted, without `.git`, without what a `.gitignore`
//! below the directory names, and without what a deny pattern closes.

use std::fs;
use std::path::Path;

use ignore::types::Types;
use ignore::{DirEntry, WalkBuilder};

use crate::cause::{self, Operation};
use crate::failure::Failure;
use crate::limits::Limits;

/// What was found, and how many directories or files could not be looked at.
pub(super) struct Found {
    pub(super) entries: Vec<DirEntry>,
    pub(super) unreadable: usize,
}

impl Found {
    /// A line for the reply where something could not be looked at.
    pub(super) fn note(&self) -> Option<String> {
        (self.unreadable > 0)
            .then(|| format!("({} entries could not be read and were left out)", self.unreadable))
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
    let mut found = Found { entries: Vec::new(), unreadable: 0 };
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.depth() > 0 => found.entries.push(entry),
            Ok(_) => {}
            Err(_) => found.unreadable += 1,
        }
    }
    Ok(found)
}
