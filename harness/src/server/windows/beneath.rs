//! Access to files below a folder in which a server may have put anything, by their paths.
//!
//! The main type is [`Beneath`]. Each path is checked before each step, and a link found there is not followed.
//! That is weaker than folder handles on Unix: a server that creates a link between check and step is not
//! stopped.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::windows::fs::{FileTypeExt as _, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::server::entry::{EntryKind, parts, split};

/// How often an entry is created again if the server keeps putting something else in its place.
const ATTEMPTS: usize = 8;

/// A folder by its path, which contained no link when it was checked.
#[derive(Debug)]
pub(crate) struct Beneath(PathBuf);

/// The metadata of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    kind: EntryKind,
    size: u64,
    created: Option<SystemTime>,
}

impl Beneath {
    /// Opens a folder by a path that the server cannot change; its last part must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match kind(&path.symlink_metadata()?) {
            EntryKind::Folder => Ok(Self(path.to_owned())),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// A second handle of the same folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Self::open(&self.0)
    }

    /// The metadata of the folder itself.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(stat(&self.0.symlink_metadata()?))
    }

    /// The metadata of an entry; of a link itself, not of its target.
    pub(crate) fn stat_of(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(stat(&self.0.join(name).symlink_metadata()?))
    }

    /// Opens the folder of this name without changing anything.
    pub(crate) fn look_into(&self, name: &OsStr) -> io::Result<Self> {
        Self::open(&self.0.join(name))
    }

    /// Opens a folder, and creates it and its parents if missing. Anything else in the place of one of them is
    /// deleted.
    pub(crate) fn make(&self, path: &Path) -> io::Result<Self> {
        parts(path)?.into_iter().try_fold(self.again()?, |folder, name| folder.make_one(name))
    }

    /// Writes a file, replacing whatever is there. A file that already has these bytes is left.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        if folder.holds(name, bytes) {
            return Ok(());
        }
        let file = folder.0.join(name);
        let mut made = folder.anew(name, || OpenOptions::new().write(true).create_new(true).open(&file))?;
        made.write_all(bytes)
    }

    /// Creates a link, replacing whatever is there. The system allows this only to some users.
    pub(crate) fn link(&self, path: &Path, target: &str) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        if folder.target(name).is_ok_and(|found| found == target) {
            return Ok(());
        }
        let link = folder.0.join(name);
        let to_folder = folder.0.join(target).is_dir();
        folder.anew(name, || match to_folder {
            true => symlink_dir(target, &link),
            false => symlink_file(target, &link),
        })
    }

    /// Creates nothing: there are no named pipes among files.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "on Unix they are needed")]
    pub(crate) fn fifo(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// The target of a link, as it is written in the link.
    pub(crate) fn target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(self.0.join(name).read_link()?.into_os_string())
    }

    /// Opens a regular file for reading.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        match self.kind(name)? {
            EntryKind::File => File::open(self.0.join(name)),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
        }
    }

    /// Whether an entry is a regular file with these bytes.
    pub(crate) fn holds(&self, name: &OsStr, bytes: &[u8]) -> bool {
        let length = bytes.len() as u64;
        if !self.stat_of(name).is_ok_and(|found| found.kind == EntryKind::File && found.size == length) {
            return false;
        }
        let mut held = Vec::new();
        let read = self.file(name).and_then(|file| file.take(length + 1).read_to_end(&mut held));
        read.is_ok() && held == bytes
    }

    /// Deletes a file, as a user would: a folder or a missing file is an error.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (above, name) = split(path)?;
        fs::remove_file(self.find(above)?.0.join(name))
    }

    /// Deletes whatever is there, a folder with all its contents. It is no error if nothing is there, or if the
    /// path does not lead through folders only.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        let (above, name) = split(path)?;
        match self.find(above) {
            Ok(folder) => folder.remove_one(name),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(()),
                _ => Err(error),
            },
        }
    }

    /// Renames an entry.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// At most `most` names of entries, in the order of the file system.
    pub(crate) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
        self.0.read_dir()?.take(most).map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Deletes everything in the folder except the entry `kept`.
    pub(crate) fn clear(&self, kept: Option<&OsStr>) -> io::Result<()> {
        let mut trouble = None;
        for name in self.names(usize::MAX)?.iter().filter(|name| Some(name.as_os_str()) != kept) {
            if let Err(error) = self.remove_one(name) {
                trouble = Some(error);
            }
        }
        trouble.map_or(Ok(()), Err)
    }

    pub(crate) fn remove_one(&self, name: &OsStr) -> io::Result<()> {
        let path = self.0.join(name);
        let found = match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        match kind(&found) {
            EntryKind::Folder => fs::remove_dir_all(&path),
            EntryKind::Link if found.file_type().is_symlink_dir() => fs::remove_dir(&path),
            _ => fs::remove_file(&path),
        }
    }

    /// Creates something under a name, after deleting whatever else is there.
    fn anew<T>(&self, name: &OsStr, make: impl Fn() -> io::Result<T>) -> io::Result<T> {
        for _ in 0..ATTEMPTS {
            self.remove_one(name)?;
            match make() {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made,
            }
        }
        Err(io::Error::other("something else keeps appearing in its place"))
    }

    fn make_one(&self, name: &OsStr) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            match self.look_into(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => self.remove_one(name)?,
                entered => return entered,
            }
            match fs::create_dir(self.0.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Err(io::Error::other("something else keeps appearing in its place"))
    }
}

fn stat(found: &Metadata) -> Stat {
    Stat { kind: kind(found), size: found.len(), created: found.created().ok() }
}

fn kind(found: &Metadata) -> EntryKind {
    let sort = found.file_type();
    match (sort.is_symlink(), sort.is_dir(), sort.is_file()) {
        (true, _, _) => EntryKind::Link,
        (_, true, _) => EntryKind::Folder,
        (_, _, true) => EntryKind::File,
        _ => EntryKind::Other,
    }
}

pub(crate) fn kind_of(found: &Stat) -> EntryKind {
    found.kind
}

/// The size in bytes.
pub(crate) fn size(found: &Stat) -> u64 {
    found.size
}

/// Whether both are the same folder or file, judged by their creation times.
pub(crate) fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.kind, one.created) == (other.kind, other.created)
}

/// Whether it still has a name; without one it would not have been found.
pub(crate) fn is_there(_: &Stat) -> bool {
    true
}

/// The temporary folder always belongs to the user.
#[expect(clippy::unnecessary_wraps, reason = "on Unix the system is asked")]
pub(crate) fn is_own(_: &Beneath, _: &File) -> io::Result<bool> {
    Ok(true)
}

/// A resolved path in the form given to servers: without the prefix for long paths.
pub(crate) fn plain(path: PathBuf) -> PathBuf {
    let short = path.to_str().and_then(|path| path.strip_prefix(r"\\?\"));
    match short.filter(|path| path.as_bytes().get(1) == Some(&b':')) {
        Some(short) => PathBuf::from(short),
        None => path,
    }
}
