//! The folders that the harness makes for a run, and what a call changed in them.
//!
//! The main types are [`Sandbox`], the folders of a run, and [`Snapshot`], what one of them held at a moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::exchange::{Change, FileChange};
use crate::plan::folder_name;
use crate::suite::{CaseId, Content, File, filler};
use crate::transcript::Folders;

use super::repository;

/// How deep and how many files a snapshot looks; a server that writes more than this into a case's folder is not
/// looked at further.
const DEPTH: usize = 8;
const ENTRIES: usize = 2_000;

/// The folders of one run, deleted when this is dropped.
pub struct Sandbox {
    /// Holds both folders.
    home: TempDir,
    /// Their names, as a transcript tells them.
    pub folders: Folders,
}

impl Sandbox {
    /// Makes `workspace/` and beside it `outside/` with the canary, below the temporary folder. `seed` draws the canary.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn create(seed: u64) -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir(), seed)
    }

    /// The same below another folder.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn create_in(parent: &Path, seed: u64) -> io::Result<Self> {
        let home = tempfile::Builder::new().prefix("mcp-errconf-").tempdir_in(parent)?;
        Self::within(home, seed)
    }

    /// The same in a folder whose name follows from the seed, so that paths in what is sent do too; where another run has
    /// that one, in any.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn create_named(parent: &Path, seed: u64) -> io::Result<Self> {
        let name = format!("mcp-errconf-seed-{seed}");
        match tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(parent) {
            Ok(home) => Self::within(home, seed),
            Err(_) => Self::create_in(parent, seed),
        }
    }

    /// Makes the folders of an earlier one anew, at the same place.
    ///
    /// # Errors
    /// When they cannot be made, as where something stands there by now.
    pub fn again(earlier: &Folders, seed: u64) -> io::Result<Self> {
        let home = Path::new(&earlier.workspace).parent();
        let names = home.and_then(|home| Some((home.parent()?, home.file_name()?)));
        let (parent, name) = names.ok_or(io::ErrorKind::NotFound)?;
        let home = tempfile::Builder::new().prefix(name).rand_bytes(0).tempdir_in(parent)?;
        Self::within(home, seed)
    }

    fn within(home: TempDir, seed: u64) -> io::Result<Self> {
        // Servers compare resolved paths: what they are told must be one.
        let root = home.path().canonicalize()?;
        let folders = Folders {
            workspace: root.join("workspace").to_string_lossy().into_owned(),
            outside: root.join("outside").to_string_lossy().into_owned(),
            canary: format!("canary-{:016x}", spread(seed)),
            ..Folders::default()
        };
        fs::create_dir(&folders.workspace)?;
        fs::create_dir(&folders.outside)?;
        let sandbox = Self { home, folders };
        sandbox.reset_outside()?;
        Ok(sandbox)
    }

    /// Makes the temporary folder that the server has to itself, unless it is there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_temporary(&self) -> io::Result<PathBuf> {
        let temporary = PathBuf::from(self.folders.temporary());
        fs::create_dir_all(&temporary)?;
        Ok(temporary)
    }

    /// The folder of a case: `{case}`.
    pub fn case_folder(&self, id: &CaseId) -> PathBuf {
        Path::new(&self.folders.workspace).join(folder_name(id))
    }

    /// Puts `outside/` back as it was.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn reset_outside(&self) -> io::Result<()> {
        let outside = Path::new(&self.folders.outside);
        if self.is_intact(outside) {
            return Ok(());
        }
        for entry in fs::read_dir(outside)? {
            let path = entry?.path();
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        fs::write(outside.join("canary.txt"), self.canary_text())
    }

    /// Whether `outside/` holds the canary and nothing else. Looking is much cheaper than making files anew: file systems
    /// search long for a free entry where many were deleted shortly before.
    fn is_intact(&self, outside: &Path) -> bool {
        let Ok(entries) = fs::read_dir(outside) else { return false };
        let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names == ["canary.txt"] && holds(&outside.join("canary.txt"), self.canary_text().as_bytes())
    }

    fn canary_text(&self) -> String {
        format!("{}\n", self.folders.canary)
    }

    /// Makes the folder of a case with its files; `replace` fills in tokens, `limit` is the server's largest file.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn lay_out(
        &self,
        id: &CaseId,
        files: &[File],
        limit: u64,
        replace: &dyn Fn(&str) -> String,
    ) -> io::Result<PathBuf> {
        let folder = self.case_folder(id);
        fill(&folder, files, limit, replace)?;
        Ok(folder)
    }

    /// Where the folders of cases stand before their turn; no server is told of it.
    pub(super) fn ahead(&self) -> PathBuf {
        self.home.path().join("ahead")
    }

    /// Deletes the folders now, so that trouble can be told.
    ///
    /// # Errors
    /// When something is left behind; the message names the folder.
    pub fn remove(self) -> io::Result<()> {
        let path = self.home.path().to_owned();
        self.home.close().map_err(|error| {
            io::Error::new(error.kind(), format!("{} could not be deleted: {error}", path.display()))
        })
    }
}

/// Makes a folder with these files; see [`Sandbox::lay_out`].
pub(super) fn fill(
    folder: &Path,
    files: &[File],
    limit: u64,
    replace: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for file in files {
        let path = folder.join(replace(&file.path));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match &file.content {
            Content::Text(text) => write_text(&path, &replace(text))?,
            Content::Lines(lines) => write_text(&path, &replace(&lines.text()))?,
            Content::BeyondLimit(offset) => {
                fs::write(path, filler(limit.saturating_add_signed(*offset)))?;
            }
            Content::Directory => fs::create_dir_all(path)?,
            Content::Hex(digits) => fs::write(path, bytes_of(digits))?,
            Content::Git(commits) => repository::make(&path, commits, replace)?,
            Content::Link(target) => std::os::unix::fs::symlink(replace(target), path)?,
        }
    }
    Ok(())
}

/// Writes a file, unless it is there already as it should be: each probe of a tool finds the same files.
fn write_text(path: &Path, text: &str) -> io::Result<()> {
    if holds(path, text.as_bytes()) { Ok(()) } else { fs::write(path, text) }
}

/// Whether a path is a plain file with these bytes.
fn holds(path: &Path, bytes: &[u8]) -> bool {
    let is_file =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64);
    is_file && fs::read(path).is_ok_and(|found| found == bytes)
}

/// What hexadecimal digits stand for; the loader has seen that they are pairs.
fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2).filter_map(|at| digits.get(at..at + 2));
    pairs.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect()
}

/// Spreads a small seed over all bits (the finaliser of SplitMix64).
fn spread(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// What a folder holds at a moment: a digest of each file, by its path below the folder. Folders are no change that is
/// told, but two looks that found other ones are not equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    entries: BTreeMap<PathBuf, u64>,
    folders: BTreeSet<PathBuf>,
}

impl Snapshot {
    /// Looks at a folder; what cannot be read counts as empty.
    pub fn of(folder: &Path) -> Self {
        let mut snapshot = Self::default();
        snapshot.look(folder, PathBuf::new(), 0);
        snapshot
    }

    fn look(&mut self, folder: &Path, below: PathBuf, depth: usize) {
        let Ok(entries) = fs::read_dir(folder.join(&below)) else { return };
        for entry in entries.flatten() {
            if self.entries.len() + self.folders.len() >= ENTRIES {
                return;
            }
            let path = below.join(entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                // Git keeps its own books there, and may put them in order whenever it is asked something.
                if depth < DEPTH && entry.file_name() != ".git" {
                    self.look(folder, path, depth + 1);
                } else {
                    self.folders.insert(path);
                }
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path()).unwrap_or_default();
                self.entries.insert(path, digest(target.as_os_str().as_encoded_bytes()));
            } else if kind.is_file() {
                self.entries.insert(path, digest(&fs::read(entry.path()).unwrap_or_default()));
            }
        }
        self.folders.insert(below);
    }

    /// What differs in `later`, by path; `name` is how the folder is called in a report.
    pub fn changes(&self, later: &Self, name: &str, outside: bool) -> Vec<FileChange> {
        let told =
            |path: &Path, change| FileChange { path: format!("{name}/{}", path.display()), change, outside };
        let gone_or_modified =
            self.entries.iter().filter_map(|(path, digest)| match later.entries.get(path) {
                None => Some(told(path, Change::Deleted)),
                Some(after) if after != digest => Some(told(path, Change::Modified)),
                Some(_) => None,
            });
        let created = later.entries.iter().filter(|(path, _)| !self.entries.contains_key(*path));
        let created = created.map(|(path, digest)| {
            let earlier_content = self.entries.values().any(|before| before == digest);
            told(path, Change::Created { earlier_content })
        });
        gone_or_modified.chain(created).collect()
    }
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str, text: &str) -> File {
        File { path: path.into(), content: Content::Text(text.into()) }
    }

    #[test]
    fn changed_deleted_and_new_files_are_told_by_their_bytes() {
        let sandbox = Sandbox::create(1).unwrap();
        let id = CaseId("replace/x".into());
        let files = [text("a.txt", "a"), text("sub/b.txt", "b"), text("c.txt", "c"), text("same.txt", "s")];
        let folder = sandbox.lay_out(&id, &files, 0, &str::to_owned).unwrap();
        let before = Snapshot::of(&folder);
        fs::write(folder.join("a.txt"), "A").unwrap();
        fs::write(folder.join("same.txt"), "s").unwrap();
        fs::remove_file(folder.join("sub/b.txt")).unwrap();
        fs::write(folder.join("c.txt.bak"), "c").unwrap();
        let changes = before.changes(&Snapshot::of(&folder), "{case}", false);
        let told: Vec<_> = changes.into_iter().map(|change| (change.path, change.change)).collect();
        assert_eq!(
            told,
            [
                ("{case}/a.txt".to_owned(), Change::Modified),
                ("{case}/sub/b.txt".to_owned(), Change::Deleted),
                ("{case}/c.txt.bak".to_owned(), Change::Created { earlier_content: true }),
            ]
        );
    }

    #[test]
    fn a_folder_that_came_or_went_is_no_change_that_is_told_and_yet_seen() {
        let sandbox = Sandbox::create(1).unwrap();
        let folder = sandbox.lay_out(&CaseId("read/x".into()), &[], 0, &str::to_owned).unwrap();
        let before = Snapshot::of(&folder);
        fs::create_dir(folder.join("new")).unwrap();
        let with_new = Snapshot::of(&folder);
        assert!(before != with_new && before.changes(&with_new, "{case}", false).is_empty());
        fs::remove_dir_all(&folder).unwrap();
        assert_ne!(before, Snapshot::of(&folder), "it is gone itself");
    }

    #[test]
    fn a_file_beyond_the_limit_has_exactly_so_many_bytes() {
        let sandbox = Sandbox::create(1).unwrap();
        let id = CaseId("read/x".into());
        let files = [
            File { path: "over".into(), content: Content::BeyondLimit(1) },
            File { path: "under".into(), content: Content::BeyondLimit(-1) },
        ];
        let folder = sandbox.lay_out(&id, &files, 1000, &str::to_owned).unwrap();
        assert_eq!(fs::metadata(folder.join("over")).unwrap().len(), 1001);
        assert_eq!(fs::metadata(folder.join("under")).unwrap().len(), 999);
    }

    #[test]
    fn the_outside_is_put_back_and_everything_is_deleted_in_the_end() {
        let sandbox = Sandbox::create(1).unwrap();
        let outside = PathBuf::from(&sandbox.folders.outside);
        let before = Snapshot::of(&outside);
        fs::write(outside.join("canary.txt"), "gone").unwrap();
        fs::write(outside.join("new.txt"), "new").unwrap();
        assert_eq!(before.changes(&Snapshot::of(&outside), "{outside}", true).len(), 2);
        sandbox.reset_outside().unwrap();
        assert_eq!(Snapshot::of(&outside), before);
        sandbox.remove().unwrap();
        assert!(!outside.exists());
    }
}
