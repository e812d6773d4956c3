//! The folder of a run, with a mark of its owner.
//!
//! The main type is [`OwnedFolder`]. Its mark is a file that the owner keeps locked for its life: the system
//! releases the lock however the owner ends. [`sweep`] deletes what killed runs have left behind, and nothing
//! without a mark.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::beneath::{Beneath, is_own, is_same, is_there, plain};
use super::rescue;

/// The beginning of the names of runs' folders.
pub(super) const PREFIX: &str = "mcp-errconf-";
const MARK: &str = "owner.lock";
const WORDS: &str =
    "A folder of mcp-errconf. A later run deletes it once the run that locks this file has ended.\n";

/// A folder of its own for a run; deleted when this is dropped.
#[derive(Debug)]
pub(super) struct OwnedFolder {
    /// Its path, without links.
    pub(super) path: PathBuf,
    pub(super) handle: Beneath,
    parent: Beneath,
    name: OsString,
    is_gone: bool,
    /// Kept open, and so locked; `None` once the folder is being deleted.
    lock: Option<File>,
}

impl OwnedFolder {
    /// Makes the folder that `builder` names in another one.
    pub(super) fn create(builder: &tempfile::Builder<'_, '_>, parent: &Path) -> io::Result<Self> {
        // Servers compare resolved paths, so the path that they get must be resolved.
        let parent = plain(parent.canonicalize()?);
        sweep_once(&parent);
        let made = builder.tempdir_in(&parent)?;
        let handle = Beneath::open(made.path())?;
        // It gets its name only once it is locked: an unlocked mark would be taken for a leftover.
        let unlocked = format!("{MARK}.new");
        handle.write(Path::new(&unlocked), WORDS.as_bytes())?;
        let lock = handle.file(OsStr::new(&unlocked))?;
        lock.try_lock()?;
        handle.rename(&unlocked, MARK)?;
        // It is swept as well if the program is ended by a signal.
        rescue::remember(&parent);
        let parent = Beneath::open(&parent)?;
        let path = made.keep();
        let name = path.file_name().unwrap_or_default().to_owned();
        Ok(Self { path, handle, parent, name, is_gone: false, lock: Some(lock) })
    }

    /// Deletes the folder with all its contents.
    pub(super) fn remove(&mut self) -> io::Result<()> {
        if !self.is_gone {
            delete(&self.parent, &self.name, &self.handle, &mut self.lock)?;
            self.is_gone = true;
        }
        Ok(())
    }
}

impl Drop for OwnedFolder {
    fn drop(&mut self) {
        let _ = self.remove();
    }
}

/// Deletes a folder; its mark goes last, so that a later run can finish an interrupted deletion.
fn delete(parent: &Beneath, name: &OsStr, home: &Beneath, lock: &mut Option<File>) -> io::Result<()> {
    home.clear(Some(OsStr::new(MARK)))?;
    // On Windows an open file keeps its name.
    if cfg!(windows) {
        *lock = None;
    }
    home.clear(None)?;
    // Another folder may have this name by now.
    match parent.stat_of(name) {
        Ok(found) if is_same(&found, &home.stat()?) => parent.remove_one(name),
        _ => Ok(()),
    }
}

/// Sweeps a folder, unless this process has already done so.
fn sweep_once(parent: &Path) {
    static SWEPT: LazyLock<Mutex<BTreeSet<PathBuf>>> = LazyLock::new(Mutex::default);
    if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(parent.to_owned()) {
        sweep(parent);
    }
}

/// Deletes the folders of runs that ended without doing so. What cannot be deleted stays.
pub(super) fn sweep(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    let Ok(handle) = Beneath::open(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && let Ok(home) = handle.look_into(&name)
            && let Ok(lock) = claim(&home)
        {
            let _ = delete(&handle, &name, &home, &mut Some(lock));
        }
    }
}

/// Takes the lock of a marked folder that has lost its owner.
fn claim(home: &Beneath) -> io::Result<File> {
    let unmarked = || io::Error::other("it bears no mark");
    let mark = home.file(OsStr::new(MARK))?;
    let mut words = String::new();
    (&mark).take(WORDS.len() as u64 + 1).read_to_string(&mut words)?;
    if words != WORDS || !is_own(home, &mark)? {
        return Err(unmarked());
    }
    mark.try_lock()?;
    // Its owner may have deleted it between the two steps.
    let is_there = home.stat_of(OsStr::new(MARK)).is_ok_and(|found| is_there(&found));
    if is_there { Ok(mark) } else { Err(unmarked()) }
}
