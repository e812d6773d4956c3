//! What there is below a folder: the kinds of entries, and the parts of a path that stays inside.
//!
//! The main type is [`EntryKind`]. Files are looked at through [`Beneath`] alone.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::beneath::{Beneath, kind_of};

/// The kind of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Folder,
    File,
    /// A symbolic link; on Windows also a junction.
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

/// What is the same on all systems.
impl Beneath {
    /// Opens an existing folder without changing anything.
    pub(super) fn find(&self, path: &Path) -> io::Result<Self> {
        parts(path)?.into_iter().try_fold(self.again()?, |folder, name| folder.look_into(name))
    }

    /// The parent folder of a path, created if missing, and the path's last name.
    pub(super) fn place<'p>(&self, path: &'p Path) -> io::Result<(Self, &'p OsStr)> {
        let (above, name) = split(path)?;
        Ok((self.make(above)?, name))
    }

    /// The kind of an entry.
    pub(super) fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
        Ok(kind_of(&self.stat_of(name)?))
    }

    /// Whether a path is that of a regular file.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        let found = split(path).and_then(|(above, name)| self.find(above)?.kind(name));
        found.is_ok_and(|kind| kind == EntryKind::File)
    }

    /// Whether a path is that of a regular file with these bytes; on Unix also, with no other name.
    pub(super) fn has(&self, path: &Path, bytes: &[u8]) -> bool {
        split(path).is_ok_and(|(above, name)| self.find(above).is_ok_and(|folder| folder.holds(name, bytes)))
    }
}

/// The names of a relative path, in order.
///
/// # Errors
/// When it leads out of the folder that it is relative to.
pub(super) fn parts(path: &Path) -> io::Result<Vec<&OsStr>> {
    let names = path.components().filter(|part| *part != Component::CurDir);
    names.map(|part| if let Component::Normal(name) = part { Ok(name) } else { Err(leaves(path)) }).collect()
}

/// The path without `.` and `..`, whatever links may be on the way.
pub(super) fn cleaned(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

/// A relative path without its last name, and that name.
///
/// # Errors
/// When it has none.
pub(super) fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| leaves(path))
}

/// The error of a path that leads out of the folders of a run.
pub(super) fn leaves(path: &Path) -> io::Error {
    let message = format!("{} is not inside the folders of this run", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
