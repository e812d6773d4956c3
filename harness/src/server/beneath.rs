//! Access to files below a folder in which a server may have put anything, through folder handles.
//!
//! The main type is [`Beneath`]. No link is followed, only regular files are opened, and each system call takes
//! a single name, so that nothing outside the folder can be reached. It knows nothing of what a folder is for.
//! Unix only; the Windows counterpart is `server/windows/beneath`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use rustix::fs::mknodat;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, mkdirat, openat, readlinkat, renameat,
    statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::entry::{EntryKind, parts, split};

/// How often an entry is created again if the server keeps putting something else in its place.
const ATTEMPTS: usize = 8;
/// At most this many names of a folder are held in memory while it is emptied.
const BATCH: usize = 4_096;
/// At most this many entries are deleted from one folder; otherwise a server that keeps creating files would
/// never let this end.
const MOST: usize = 20_000_000;

/// A folder by its handle, which stays the same folder even if it is moved.
#[derive(Debug)]
pub(crate) struct Beneath(OwnedFd);

impl Beneath {
    /// Opens a folder by a path that the server cannot change; its last part must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, folder_flags(), Mode::empty())?))
    }

    /// A second handle of the same folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// The metadata of the folder itself.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(fstat(&self.0)?)
    }

    /// The metadata of an entry; of a link itself, not of its target.
    pub(crate) fn stat_of(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Opens the folder of this name without changing anything.
    pub(crate) fn look_into(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, folder_flags(), Mode::empty())?))
    }

    /// Opens a folder, and creates it and its parents if missing. Anything else in the place of one of them is
    /// deleted.
    pub(crate) fn make(&self, path: &Path) -> io::Result<Self> {
        self.permit()?;
        parts(path)?.into_iter().try_fold(self.again()?, |folder, name| folder.make_one(name))
    }

    /// Writes a file, replacing whatever is there; never into a file that has another name elsewhere. A file
    /// that already has these bytes is left, because file systems search long for a free entry after many
    /// deletions.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        if folder.holds(name, bytes) {
            return Ok(());
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made =
            folder.anew(name, || openat(&folder.0, name, flags, Mode::from_raw_mode(0o666)).map(File::from));
        made?.write_all(bytes)
    }

    /// Creates a link, replacing whatever is there.
    pub(crate) fn link(&self, path: &Path, target: &str) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        if folder.target(name).is_ok_and(|found| found.as_bytes() == target.as_bytes()) {
            return Ok(());
        }
        folder.anew(name, || symlinkat(target, &folder.0, name))
    }

    /// Creates a named pipe, replacing whatever is there.
    #[cfg(target_os = "linux")]
    pub(crate) fn fifo(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        folder.anew(name, || mknodat(&folder.0, name, FileType::Fifo, Mode::from_raw_mode(0o666), 0))
    }

    /// Creates nothing: there is no such call for a folder's handle.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "on Linux they are needed")]
    pub(crate) fn fifo(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// The target of a link, as it is written in the link.
    pub(crate) fn target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(readlinkat(&self.0, name, Vec::new())?.into_bytes()))
    }

    /// Opens a regular file for reading. Anything else is refused without waiting for it.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        if kind_of(&self.stat_of(name)?) != EntryKind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        // Something else may have taken its place since it was checked.
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
        }
    }

    /// Whether an entry is a regular file with these bytes and no other name.
    pub(crate) fn holds(&self, name: &OsStr, bytes: &[u8]) -> bool {
        let expected = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        let like = |found: &Stat| {
            kind_of(found) == EntryKind::File && found.st_nlink == 1 && found.st_size == expected
        };
        if !self.stat_of(name).is_ok_and(|found| like(&found)) {
            return false;
        }
        let mut held = Vec::new();
        let most = bytes.len() as u64 + 1;
        self.file(name).is_ok_and(|file| file.take(most).read_to_end(&mut held).is_ok()) && held == bytes
    }

    /// Deletes a file, as a user would: a folder or a missing file is an error.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (above, name) = split(path)?;
        Ok(unlinkat(&self.find(above)?.0, name, AtFlags::empty())?)
    }

    /// Deletes whatever is there, a folder with all its contents. It is no error if nothing is there, or if the
    /// path does not lead through folders only.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        let (above, name) = split(path)?;
        let mut folder = self.again()?;
        for part in parts(above)? {
            folder = match folder.enter(part) {
                Err(error) if is_absent(&error) || is_no_folder(&error) => return Ok(()),
                entered => entered?,
            };
        }
        folder.remove_one(name)
    }

    /// Renames an entry.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// At most `most` names of entries, in the order of the file system.
    pub(crate) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
            if names.len() >= most {
                break;
            }
        }
        Ok(names)
    }

    /// Deletes everything in the folder except the entry `kept`.
    ///
    /// Nested folders are moved up into this one before they are emptied, each of them once, so that three
    /// handles are enough for a tree of any depth.
    pub(crate) fn clear(&self, kept: Option<&OsStr>) -> io::Result<()> {
        self.permit()?;
        let mut moved = 0;
        self.batches(kept, |name| self.dissolve(name, &mut moved))
    }

    /// Deletes an entry after moving its own folders up into this one.
    fn dissolve(&self, name: &OsStr, moved: &mut usize) -> io::Result<()> {
        if self.unlink(name)? {
            return Ok(());
        }
        let folder = self.enter(name)?;
        folder.batches(None, |inner| {
            if folder.unlink(inner)? {
                return Ok(());
            }
            // A folder without write permission cannot be moved either.
            folder.enter(inner)?;
            loop {
                *moved += 1;
                match renameat(&folder.0, inner, &self.0, format!("moved-up-{moved}")) {
                    Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) if *moved < MOST => {}
                    done => return Ok(done?),
                }
            }
        })?;
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Calls `away` for every entry except `kept`, in batches, until none is left.
    fn batches(
        &self,
        kept: Option<&OsStr>,
        mut delete: impl FnMut(&OsStr) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut deleted = 0;
        loop {
            let mut names = self.names(BATCH)?;
            names.retain(|name| Some(name.as_os_str()) != kept);
            let mut trouble = None;
            let before = deleted;
            for name in &names {
                match delete(name) {
                    Ok(()) => deleted += 1,
                    Err(error) => trouble = Some(error),
                }
            }
            match trouble {
                _ if names.is_empty() => return Ok(()),
                Some(error) if deleted == before => return Err(error),
                _ if deleted > MOST => {
                    return Err(io::Error::other(
                        "files appear faster than they can be \
                    deleted",
                    ));
                }
                _ => {}
            }
        }
    }

    /// Deletes an entry unless it is a non-empty folder; returns whether it is gone.
    fn unlink(&self, name: &OsStr) -> io::Result<bool> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(true),
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        match unlinkat(&self.0, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn remove_one(&self, name: &OsStr) -> io::Result<()> {
        if self.unlink(name)? {
            return Ok(());
        }
        self.enter(name)?.clear(None)?;
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Creates something under a name, after deleting whatever else is there.
    fn anew<T>(&self, name: &OsStr, make: impl Fn() -> Result<T, Errno>) -> io::Result<T> {
        for _ in 0..ATTEMPTS {
            self.remove_one(name)?;
            match make() {
                Err(Errno::EXIST) => {}
                made => return Ok(made?),
            }
        }
        Err(io::Error::other("something else keeps appearing in its place"))
    }

    fn make_one(&self, name: &OsStr) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            match self.enter(name) {
                Err(error) if is_absent(&error) => {}
                Err(error) if is_no_folder(&error) => self.remove_one(name)?,
                entered => return entered,
            }
            match mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::other("something else keeps appearing in its place"))
    }

    /// Opens the folder of this name and gives its owner full permissions.
    fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let folder = match openat(&self.0, name, folder_flags(), Mode::empty()) {
            Err(Errno::ACCESS) => {
                self.unlock(name)?;
                self.look_into(name)?
            }
            opened => Self(opened?),
        };
        folder.permit()?;
        Ok(folder)
    }

    fn permit(&self) -> io::Result<()> {
        let mode = Mode::from_raw_mode(self.stat()?.st_mode);
        if mode.contains(Mode::RWXU) { Ok(()) } else { Ok(fchmod(&self.0, mode | Mode::RWXU)?) }
    }

    /// Gives the owner access to a folder that cannot be opened; through a handle, because a link may take its
    /// place.
    #[cfg(target_os = "linux")]
    fn unlock(&self, name: &OsStr) -> io::Result<()> {
        use std::os::fd::AsRawFd;

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = openat(&self.0, name, flags, Mode::empty())?;
        Ok(rustix::fs::chmod(format!("/proc/self/fd/{}", handle.as_raw_fd()), Mode::RWXU)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn unlock(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::chmodat(&self.0, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC
}

pub(crate) fn kind_of(found: &Stat) -> EntryKind {
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Directory => EntryKind::Folder,
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

/// The size in bytes.
pub(crate) fn size(found: &Stat) -> u64 {
    u64::try_from(found.st_size).unwrap_or(0)
}

/// Whether both are the same folder or file.
pub(crate) fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// Whether it still has a name.
pub(crate) fn is_there(found: &Stat) -> bool {
    found.st_nlink > 0
}

/// Whether a folder, and a file in it, belong to the user of this process.
pub(crate) fn is_own(folder: &Beneath, file: &File) -> io::Result<bool> {
    let user = geteuid().as_raw();
    Ok(folder.stat()?.st_uid == user && file.metadata()?.uid() == user)
}

/// A resolved path in the form given to servers.
pub(crate) fn plain(path: PathBuf) -> PathBuf {
    path
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_no_folder(error: &io::Error) -> bool {
    [Errno::NOTDIR, Errno::LOOP].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}
