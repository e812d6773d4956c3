//! The folders that the harness makes for a run, and the files in them.
//!
//! The main type is [`RunFolders`], the folders of a run. Servers can write there, so everything in them is
//! accessed through [`Beneath`].

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::argument::filler;
use crate::cause;
use crate::condition::{CaseId, folder_name};
use crate::placeholder::{CANARY, Folders, OUTSIDE, WORKSPACE};
use crate::suite::{File, FileContent};

use super::barred::{Barred, BarredFiles};
use super::beneath::{Beneath, plain};
use super::entry::{cleaned, leaves, split};
use super::look::{Held, Snapshot};
use super::owned::{OwnedFolder, PREFIX};
use super::repository;

/// The folders of one run, deleted when this is dropped.
pub struct RunFolders {
    /// The folder that contains both.
    home: OwnedFolder,
    /// Their paths, as they stand in a transcript.
    pub folders: Folders,
    /// The names of the cases' folders that were made in the workspace.
    cases: Mutex<BTreeSet<PathBuf>>,
}

impl RunFolders {
    /// Makes `workspace/` and beside it `outside/` with the canary, below the temporary folder. `seed` draws the canary.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn create(seed: u64) -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir(), seed)
    }

    /// The folders below another one than the temporary folder.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn create_in(parent: &Path, seed: u64) -> io::Result<Self> {
        Self::within(OwnedFolder::create(tempfile::Builder::new().prefix(PREFIX), parent)?, seed)
    }

    /// The folders in a folder whose name follows from the seed, so that paths in calls do too; if another run
    /// uses that name, any other name is taken.
    ///
    /// # Errors
    /// When the folders cannot be made.
    pub fn create_named(parent: &Path, seed: u64) -> io::Result<Self> {
        let name = format!("{PREFIX}seed-{seed}");
        match OwnedFolder::create(tempfile::Builder::new().prefix(&name).rand_bytes(0), parent) {
            Ok(home) => Self::within(home, seed),
            Err(_) => Self::create_in(parent, seed),
        }
    }

    /// Makes the folders of an earlier run again, at the same path.
    ///
    /// # Errors
    /// If they cannot be made, for example because something else is there by now.
    pub fn again(earlier: &Folders, seed: u64) -> io::Result<Self> {
        let home = Path::new(&earlier.workspace).parent();
        let names = home.and_then(|home| Some((home.parent()?, home.file_name()?)));
        let (parent, name) = names.ok_or(io::ErrorKind::NotFound)?;
        Self::within(OwnedFolder::create(tempfile::Builder::new().prefix(name).rand_bytes(0), parent)?, seed)
    }

    fn within(home: OwnedFolder, seed: u64) -> io::Result<Self> {
        let folders = Folders {
            workspace: for_servers(&home.path.join(WORKSPACE)),
            outside: for_servers(&home.path.join(OUTSIDE)),
            canary: format!("canary-{:016x}", spread(seed)),
            ..Folders::default()
        };
        let run_folders = Self { home, folders, cases: Mutex::default() };
        run_folders.make(Path::new(&run_folders.folders.workspace))?;
        run_folders.reset_outside()?;
        Ok(run_folders)
    }

    /// A path relative to the run's own folder, whatever links may be on the way.
    fn below(&self, path: &Path) -> io::Result<PathBuf> {
        cleaned(path).strip_prefix(&self.home.path).map(Path::to_owned).map_err(|_| leaves(path))
    }

    fn make(&self, folder: &Path) -> io::Result<Beneath> {
        self.home.handle.make(&self.below(folder)?)
    }

    fn find(&self, folder: &Path) -> io::Result<Beneath> {
        self.home.handle.find(&self.below(folder)?)
    }

    /// Makes the server's own temporary folder, unless it exists.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn make_temporary(&self) -> io::Result<PathBuf> {
        let temporary = PathBuf::from(self.folders.temporary());
        self.make(&temporary)?;
        Ok(temporary)
    }

    /// The folder of a case: `{case}`.
    pub fn case_folder(&self, id: &CaseId) -> PathBuf {
        Path::new(&self.folders.workspace).join(folder_name(id))
    }

    /// Restores `outside/`.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn reset_outside(&self) -> io::Result<()> {
        // It is made again even if a server has moved it away or put something else in its place.
        let outside = self.make(Path::new(&self.folders.outside))?;
        if self.is_intact(&outside) {
            return Ok(());
        }
        outside.clear(None)?;
        outside.write(Path::new(CANARY), self.canary_text().as_bytes())
    }

    /// Whether `outside/` contains the canary and nothing else. Checking is much cheaper than making files
    /// again: file systems search long for a free entry after many deletions.
    fn is_intact(&self, outside: &Beneath) -> bool {
        outside.names(2).is_ok_and(|names| names == [CANARY])
            && outside.has(Path::new(CANARY), self.canary_text().as_bytes())
    }

    fn canary_text(&self) -> String {
        format!("{}\n", self.folders.canary)
    }

    /// Makes the folder of a case with its files; `replace` fills in tokens, `limit` is the server's largest file.
    /// Anything that a server put in the place of one of them is deleted.
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
        let handle = &self.home.handle;
        self.cases.lock().unwrap_or_else(PoisonError::into_inner).insert(folder_name(id).into());
        self.make(&folder)?;
        for file in files {
            let path = self.below(&folder.join(replace(&file.path)))?;
            match &file.content {
                FileContent::Text(text) => handle.write(&path, replace(text).as_bytes())?,
                FileContent::Lines(lines) => handle.write(&path, replace(&lines.text()).as_bytes())?,
                FileContent::BeyondLimit(offset) => {
                    handle.write(&path, filler(limit.saturating_add_signed(*offset)).as_ref())?;
                }
                FileContent::Directory => drop(handle.make(&path)?),
                FileContent::Hex(digits) => handle.write(&path, &bytes_of(digits))?,
                FileContent::Git(commits) => {
                    repository::make(handle, &self.home.path, &path, commits, replace)?;
                }
                FileContent::Link(target) => handle.link(&path, &replace(target))?,
                FileContent::Fifo => handle.fifo(&path)?,
            }
        }
        Ok(folder)
    }

    /// The present contents of one of the folders; a missing one counts as empty.
    pub fn look(&self, folder: &Path) -> Snapshot {
        self.find(folder).map_or_else(|_| Snapshot::default(), |folder| Snapshot::take(&folder))
    }

    /// The present contents of the workspace but for the cases' folders.
    pub(crate) fn look_beside_cases(&self) -> Snapshot {
        let cases = self.cases.lock().unwrap_or_else(PoisonError::into_inner);
        let workspace = self.find(Path::new(&self.folders.workspace));
        workspace.map_or_else(|_| Snapshot::default(), |folder| Snapshot::of_rest(&folder, &cases))
    }

    /// The beginning of a text file in one of the folders; `None` if there is no such file, or it is no text.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        const MOST: u64 = 64 << 10;
        let mut text = String::new();
        self.file(path).ok()?.take(MOST).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// Opens a regular file in one of the folders.
    fn file(&self, path: &Path) -> io::Result<fs::File> {
        let below = self.below(path)?;
        let (above, name) = split(&below)?;
        self.home.handle.find(above)?.file(name)
    }

    /// Keeps the server from reading or writing these files until the result is dropped.
    ///
    /// # Errors
    /// When one of them is no regular file, or the system does not let this program do that.
    pub(crate) fn bar(&self, paths: &[PathBuf], barred: Barred) -> io::Result<BarredFiles> {
        let files = paths.iter().map(|path| self.file(path)).collect::<io::Result<_>>()?;
        BarredFiles::new(files, barred)
    }

    /// Deletes a file that was made for a case.
    ///
    /// # Errors
    /// When it is not there, or cannot be deleted.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.home.handle.remove_file(&self.below(path)?)
    }

    /// Deletes whatever is there, a folder with all its contents; it is no error if nothing is there.
    ///
    /// # Errors
    /// When something is left behind.
    pub(crate) fn take_away(&self, path: &Path) -> io::Result<()> {
        self.home.handle.remove(&self.below(path)?)
    }

    /// Empties a folder, or makes it if it is missing.
    ///
    /// # Errors
    /// When something is left behind.
    pub(crate) fn empty(&self, folder: &Path) -> io::Result<()> {
        self.make(folder)?.clear(None)
    }

    /// Whether these folders together contain at least this many entries or bytes.
    pub(crate) fn exceed(&self, folders: &[PathBuf], entries: usize, bytes: u64) -> bool {
        let mut held = Held::default();
        folders
            .iter()
            .any(|folder| self.find(folder).is_ok_and(|folder| held.exceeds(&folder, entries, bytes, 0)))
    }

    /// Deletes the folders now, so that a failure can be reported.
    ///
    /// # Errors
    /// When something is left behind; the message names the folder.
    pub fn remove(mut self) -> io::Result<()> {
        self.home.remove().map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("cannot delete {}: {}", self.home.path.display(), cause::describe(&error)),
            )
        })
    }
}

/// A path in the form given to servers: with slashes, also on Windows, where both kinds work. This makes paths
/// the same on all systems.
fn for_servers(path: &Path) -> String {
    let path = path.to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}

/// A path with all links resolved, in the form given to servers.
///
/// # Errors
/// When nothing is there.
pub(crate) fn resolved(path: &str) -> io::Result<String> {
    Ok(for_servers(&plain(Path::new(path).canonicalize()?)))
}

/// The bytes that hexadecimal digits stand for; the loader has checked that they are pairs.
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

#[cfg(test)]
mod tests {
    use crate::exchange::FileChangeKind;

    use super::*;

    fn text(path: &str, text: &str) -> File {
        File { path: path.into(), content: FileContent::Text(text.into()) }
    }

    #[test]
    fn changed_deleted_and_new_files_are_reported_by_their_bytes() {
        let run_folders = RunFolders::create(1).unwrap();
        let id = CaseId("replace/x".into());
        let files = [text("a.txt", "a"), text("sub/b.txt", "b"), text("c.txt", "c"), text("same.txt", "s")];
        let folder = run_folders.lay_out(&id, &files, 0, &str::to_owned).unwrap();
        let before = run_folders.look(&folder);
        fs::write(folder.join("a.txt"), "A").unwrap();
        fs::write(folder.join("same.txt"), "s").unwrap();
        fs::remove_file(folder.join("sub/b.txt")).unwrap();
        fs::write(folder.join("c.txt.bak"), "c").unwrap();
        let changes = before.changes(&run_folders.look(&folder), "{case}", false);
        let kinds: Vec<_> = changes.into_iter().map(|change| (change.path, change.change)).collect();
        assert_eq!(
            kinds,
            [
                ("{case}/a.txt".to_owned(), FileChangeKind::Modified),
                ("{case}/sub/b.txt".to_owned(), FileChangeKind::Deleted),
                ("{case}/c.txt.bak".to_owned(), FileChangeKind::Created { earlier_content: true }),
            ]
        );
    }

    #[test]
    fn what_is_beside_the_cases_is_seen_without_their_folders() {
        let run_folders = RunFolders::create(1).unwrap();
        let folder = run_folders.lay_out(&CaseId("read/x".into()), &[], 0, &str::to_owned).unwrap();
        let before = run_folders.look_beside_cases();
        fs::write(folder.join("a.txt"), "a").unwrap();
        assert_eq!(run_folders.look_beside_cases(), before);
        fs::write(Path::new(&run_folders.folders.workspace).join("alpha.md"), "a").unwrap();
        let changes = before.changes(&run_folders.look_beside_cases(), "{workspace}", false);
        let paths: Vec<_> = changes.into_iter().map(|change| change.path).collect();
        assert_eq!(paths, ["{workspace}/alpha.md"]);
    }

    #[test]
    fn a_folder_that_came_or_went_is_no_change_that_is_reported_and_yet_seen() {
        let run_folders = RunFolders::create(1).unwrap();
        let folder = run_folders.lay_out(&CaseId("read/x".into()), &[], 0, &str::to_owned).unwrap();
        let before = run_folders.look(&folder);
        fs::create_dir(folder.join("new")).unwrap();
        let with_new = run_folders.look(&folder);
        assert!(before != with_new && before.changes(&with_new, "{case}", false).is_empty());
        fs::remove_dir_all(&folder).unwrap();
        assert_ne!(before, run_folders.look(&folder), "it is gone itself");
    }

    #[test]
    fn a_file_beyond_the_limit_has_exactly_so_many_bytes() {
        let run_folders = RunFolders::create(1).unwrap();
        let id = CaseId("read/x".into());
        let files = [
            File { path: "over".into(), content: FileContent::BeyondLimit(1) },
            File { path: "under".into(), content: FileContent::BeyondLimit(-1) },
        ];
        let folder = run_folders.lay_out(&id, &files, 1000, &str::to_owned).unwrap();
        assert_eq!(fs::metadata(folder.join("over")).unwrap().len(), 1001);
        assert_eq!(fs::metadata(folder.join("under")).unwrap().len(), 999);
    }

    #[test]
    fn the_outside_is_put_back_and_everything_is_deleted_in_the_end() {
        let run_folders = RunFolders::create(1).unwrap();
        let outside = PathBuf::from(&run_folders.folders.outside);
        let before = run_folders.look(&outside);
        fs::write(outside.join("canary.txt"), "gone").unwrap();
        fs::write(outside.join("new.txt"), "new").unwrap();
        assert_eq!(before.changes(&run_folders.look(&outside), "{outside}", true).len(), 2);
        run_folders.reset_outside().unwrap();
        assert_eq!(run_folders.look(&outside), before);
        run_folders.remove().unwrap();
        assert!(!outside.exists());
    }
}
