//! Files of a run that the server may not read, or not write, for a while. Unix only.
//!
//! The main type is [`BarredFiles`].

use std::fs::{File, Permissions};
use std::io;

/// What a server may not do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barred {
    /// Open it for reading.
    Reading,
    /// Open it for writing.
    Writing,
}

/// Files that have their permissions back once this is dropped.
#[derive(Debug)]
pub struct BarredFiles(Vec<(File, Permissions)>);

impl BarredFiles {
    /// Changes the permissions of these files by their handles: a server may put something else in their places.
    ///
    /// # Errors
    /// When the system does not let this program change them.
    pub(super) fn new(files: Vec<File>, barred: Barred) -> io::Result<Self> {
        let mut done = Self(Vec::new());
        for file in files {
            let before = file.metadata()?.permissions();
            let after = without(&before, barred)?;
            file.set_permissions(after)?;
            done.0.push((file, before));
        }
        Ok(done)
    }
}

impl Drop for BarredFiles {
    fn drop(&mut self) {
        for (file, before) in self.0.drain(..) {
            // Its owner may always do that.
            let _ = file.set_permissions(before);
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
fn without(before: &Permissions, barred: Barred) -> io::Result<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    let bits = match barred {
        Barred::Reading => 0o444,
        Barred::Writing => 0o222,
    };
    Ok(Permissions::from_mode(before.mode() & 0o7777 & !bits))
}

#[cfg(not(unix))]
fn without(_: &Permissions, _: Barred) -> io::Result<Permissions> {
    Err(io::ErrorKind::Unsupported.into())
}
