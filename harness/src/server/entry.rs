//! What there is below a folder: the kinds of entries, and the parts of a path that stays inside.
//!
//! The main type is [`EntryKind`]. It looks at no file: [`super::beneath`] does.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

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

/// The names of a relative path, in order.
///
/// # Errors
/// When it leads out of the folder that it is relative to.
pub(super) fn parts(path: &Path) -> io::Result<Vec<&OsStr>> {
    let names = path.components().filter(|part| *part != Component::CurDir);
    names.map(|part| if let Component::Normal(name) = part { Ok(name) } else { Err(leaves(path)) }).collect()
}

/// A relative path without its last name, and that name.
///
/// # Errors
/// When it has none.
pub(super) fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| leaves(path))
}

fn leaves(path: &Path) -> io::Error {
    let message = format!("{} is not inside the folders of this run", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
