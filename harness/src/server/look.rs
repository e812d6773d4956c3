//! The contents of a folder at one moment, and what a call changed in it.
//!
//! The main type is [`Snapshot`]. A server may have put anything there, so the size of what is examined is
//! bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::exchange::{FileChange, FileChangeKind};

use super::beneath::{Beneath, kind_of, size};
use super::entry::EntryKind;

/// How many levels, and how many files, a snapshot covers; if a server writes more into a case's folder, the
/// rest is ignored.
const DEPTH: usize = 8;
const ENTRIES: usize = 2_000;
/// At most this many bytes of all files together are read. Of a larger file both ends are read, and its length
/// and time stand for the rest.
const BYTES: u64 = 64 << 20;
const END: u64 = 64 << 10;

/// The contents of a folder at one moment: a digest of each file, by its path in the folder. Created or deleted
/// folders are not reported as changes, but make two snapshots unequal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<PathBuf, u64>,
    folders: BTreeSet<PathBuf>,
}

impl Snapshot {
    /// Takes a snapshot of a folder; what cannot be read counts as empty.
    pub(super) fn take(folder: &Beneath) -> Self {
        let mut snapshot = Self::default();
        let mut left = BYTES;
        snapshot.look(folder, PathBuf::new(), &BTreeSet::new(), &mut left);
        snapshot
    }

    /// The same without what is at these paths, and with both ends of each file alone.
    pub(super) fn of_rest(folder: &Beneath, left_out: &BTreeSet<PathBuf>) -> Self {
        let mut snapshot = Self::default();
        snapshot.look(folder, PathBuf::new(), left_out, &mut 0);
        snapshot
    }

    fn look(&mut self, folder: &Beneath, below: PathBuf, left_out: &BTreeSet<PathBuf>, left: &mut u64) {
        for name in folder.names(ENTRIES).unwrap_or_default() {
            if self.entries.len() + self.folders.len() >= ENTRIES {
                return;
            }
            let path = below.join(&name);
            if left_out.contains(&path) {
                continue;
            }
            match folder.kind(&name) {
                // Git keeps its own records there, and may update them whenever it runs.
                Ok(EntryKind::Folder) if below.components().count() < DEPTH && name != ".git" => {
                    if let Ok(inner) = folder.look_into(&name) {
                        self.look(&inner, path, left_out, left);
                    }
                }
                Ok(EntryKind::Folder) => {
                    self.folders.insert(path);
                }
                Ok(EntryKind::Link) => {
                    let target = folder.target(&name).unwrap_or_default();
                    let mut hasher = DefaultHasher::new();
                    hasher.write(target.as_encoded_bytes());
                    self.entries.insert(path, hasher.finish());
                }
                Ok(EntryKind::File) => {
                    let digest = folder.file(&name).and_then(|file| digest(file, left));
                    self.entries.insert(path, digest.unwrap_or_else(|_| DefaultHasher::new().finish()));
                }
                Ok(EntryKind::Other) | Err(_) => {}
            }
        }
        self.folders.insert(below);
    }

    /// The changes in `later`, by path; `name` is the folder's name in the report.
    pub fn changes(&self, later: &Self, name: &str, outside: bool) -> Vec<FileChange> {
        let change =
            |path: &Path, change| FileChange { path: format!("{name}/{}", path.display()), change, outside };
        let gone_or_modified =
            self.entries.iter().filter_map(|(path, digest)| match later.entries.get(path) {
                None => Some(change(path, FileChangeKind::Deleted)),
                Some(after) if after != digest => Some(change(path, FileChangeKind::Modified)),
                Some(_) => None,
            });
        let created = later.entries.iter().filter(|(path, _)| !self.entries.contains_key(*path));
        let created = created.map(|(path, digest)| {
            let earlier_content = self.entries.values().any(|before| before == digest);
            change(path, FileChangeKind::Created { earlier_content })
        });
        gone_or_modified.chain(created).collect()
    }
}

fn digest(mut file: File, left: &mut u64) -> io::Result<u64> {
    let found = file.metadata()?;
    let length = found.len();
    let mut hasher = DefaultHasher::new();
    if length <= *left {
        *left -= length;
        feed(&mut hasher, &file, length)?;
        return Ok(hasher.finish());
    }
    (length, found.modified().ok()).hash(&mut hasher);
    feed(&mut hasher, &file, END)?;
    file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
    feed(&mut hasher, &file, END)?;
    Ok(hasher.finish())
}

/// Reads at most this many bytes, because a file may grow meanwhile.
fn feed(hasher: &mut DefaultHasher, file: &File, most: u64) -> io::Result<()> {
    let mut file = file.take(most);
    let mut buffer = vec![0; usize::try_from(most.clamp(1, END)).unwrap_or(1)];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            read => hasher.write(&buffer[..read]),
        }
    }
}

/// Counts what is below a folder, up to a bound.
#[derive(Debug, Default)]
pub(super) struct Held {
    entries: usize,
    bytes: u64,
}

impl Held {
    /// Whether a folder contains more than this, or is nested deeper than any ordinary tool makes it; `depth` is its own.
    pub(super) fn exceeds(&mut self, folder: &Beneath, entries: usize, bytes: u64, depth: usize) -> bool {
        const DEEPEST: usize = 64;
        for name in folder.names(entries).unwrap_or_default() {
            self.entries += 1;
            let Ok(found) = folder.stat_of(&name) else { continue };
            if kind_of(&found) != EntryKind::Folder {
                self.bytes = self.bytes.saturating_add(size(&found));
            } else if let Ok(inner) = folder.look_into(&name)
                && (depth >= DEEPEST || self.exceeds(&inner, entries, bytes, depth + 1))
            {
                return true;
            }
            if self.entries >= entries || self.bytes >= bytes {
                return true;
            }
        }
        false
    }
}
