//! Files below a folder in which a server may have put anything, by handles of folders.
//!
//! The main type is [`Beneath`]. No link is followed, whoever laid it, nothing but a plain file is opened, and no path is
//! longer than one name: what happens below a folder stays below it. What a folder means is not known here. Unix only; what
//! stands in its place on Windows is `server/windows/beneath`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fchmod, fstat, mkdirat, openat, readlinkat, renameat,
    statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

/// How often something is laid anew that a server puts something else in the place of at the same moment.
const ATTEMPTS: usize = 8;
/// At most this many names of a folder are held in memory while it is emptied.
const BATCH: usize = 4_096;
/// No more than this is deleted from one folder: a server that makes files faster than they go would never be done with.
const MOST: usize = 20_000_000;

/// A folder by its handle: it stays the same one, whatever is moved.
#[derive(Debug)]
pub(crate) struct Beneath(OwnedFd);

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Folder,
    File,
    Link,
    /// A FIFO, a socket, a device.
    Other,
}

impl Beneath {
    /// A folder by a path that the server has no hand in; its last part must be no link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, folder_flags(), Mode::empty())?))
    }

    /// Another handle of the folder.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// What the system tells of the folder itself.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(fstat(&self.0)?)
    }

    /// What the system tells of a name in it, of a link and not of what it leads to.
    pub(crate) fn stat_of(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// A folder that is there, looked at and not changed.
    pub(crate) fn find(&self, path: &Path) -> io::Result<Self> {
        parts(path)?.into_iter().try_fold(self.again()?, |folder, name| folder.look_into(name))
    }

    /// The folder of this name, as it is.
    pub(crate) fn look_into(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, folder_flags(), Mode::empty())?))
    }

    /// A folder, made with those above it as far as they are missing. What stands in the place of one of them is deleted.
    pub(crate) fn make(&self, path: &Path) -> io::Result<Self> {
        self.permit()?;
        parts(path)?.into_iter().try_fold(self.again()?, |folder, name| folder.make_one(name))
    }

    /// Writes a file, in the place of whatever is there; never into a file that has another name elsewhere. One that holds
    /// these bytes already is left: file systems search long for a free entry where many were deleted shortly before.
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

    /// Lays a link, in the place of whatever is there.
    pub(crate) fn link(&self, path: &Path, target: &str) -> io::Result<()> {
        let (folder, name) = self.place(path)?;
        if folder.target(name).is_ok_and(|found| found.as_bytes() == target.as_bytes()) {
            return Ok(());
        }
        folder.anew(name, || symlinkat(target, &folder.0, name))
    }

    /// Where a link leads to, by its own words.
    pub(crate) fn target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(readlinkat(&self.0, name, Vec::new())?.into_bytes()))
    }

    /// Opens a plain file to be read. One that is no plain file is refused, and never waited for.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        if kind_of(&self.stat_of(name)?) != EntryKind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        // Between the two looks another thing may have come in its place.
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
        }
    }

    /// Whether a path leads to a plain file.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        let found = split(path)
            .and_then(|(above, name)| self.find(above)?.stat_of(name).map(|found| kind_of(&found)));
        found.is_ok_and(|kind| kind == EntryKind::File)
    }

    /// Whether a path leads to a plain file with these bytes and no other name.
    pub(crate) fn has(&self, path: &Path, bytes: &[u8]) -> bool {
        split(path).is_ok_and(|(above, name)| self.find(above).is_ok_and(|folder| folder.holds(name, bytes)))
    }

    fn holds(&self, name: &OsStr, bytes: &[u8]) -> bool {
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

    /// Deletes a file, as a user would: a folder is not one, and one that is missing is trouble.
    pub(crate) fn remove_file(&self, path: &Path) -> io::Result<()> {
        let (above, name) = split(path)?;
        Ok(unlinkat(&self.find(above)?.0, name, AtFlags::empty())?)
    }

    /// Deletes whatever stands there, a folder with all that is in it. What is not there need not be deleted; nor what
    /// would have to be reached through something else than folders.
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

    /// Moves a folder from here to a place below another handle, where nothing but an empty folder may stand.
    pub(crate) fn move_to(&self, name: &OsStr, other: &Self, to: &OsStr) -> io::Result<()> {
        renameat(&self.0, name, &other.0, to)?;
        // In its place may have been anything.
        match other.look_into(to) {
            Ok(_) => Ok(()),
            Err(error) => other.remove_one(to).and(Err(error)),
        }
    }

    /// Gives another name to an entry.
    pub(crate) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// At most `most` names in it, in the order of the file system.
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

    /// What stands under a name.
    pub(crate) fn kind(&self, name: &OsStr) -> io::Result<EntryKind> {
        Ok(kind_of(&self.stat_of(name)?))
    }

    /// Deletes all that is in it but the entry `kept`.
    ///
    /// Folders in folders in it are moved up to it before they are emptied in their turn, each of them once: however deep
    /// a tree is, three handles do.
    pub(crate) fn clear(&self, kept: Option<&OsStr>) -> io::Result<()> {
        self.permit()?;
        let mut moved = 0;
        self.batches(kept, |name| self.dissolve(name, &mut moved))
    }

    /// Deletes an entry whose own folders come to stand in this one.
    fn dissolve(&self, name: &OsStr, moved: &mut usize) -> io::Result<()> {
        if self.unlink(name)? {
            return Ok(());
        }
        let folder = self.enter(name)?;
        folder.batches(None, |inner| {
            if folder.unlink(inner)? {
                return Ok(());
            }
            // One that may not be written to cannot be moved either.
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

    /// Does away with every entry but `kept`, some at a time, until none is left.
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

    /// Deletes an entry unless it is a folder in which something is; whether it is gone.
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

    /// Makes something under a name at which nothing else may stand.
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

    /// The folder in which a path's last name stands, made where it is missing.
    fn place<'p>(&self, path: &'p Path) -> io::Result<(Self, &'p OsStr)> {
        let (above, name) = split(path)?;
        Ok((self.make(above)?, name))
    }

    /// The folder of this name, in which its owner may do everything from now on.
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

    /// Lets the owner into a folder which may not be opened; through a handle, for a link may come in its place.
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

/// How many bytes it has.
pub(crate) fn size(found: &Stat) -> u64 {
    u64::try_from(found.st_size).unwrap_or(0)
}

/// Whether both are the same folder or file.
pub(crate) fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// Whether it has a name still.
pub(crate) fn is_there(found: &Stat) -> bool {
    found.st_nlink > 0
}

/// Whether a folder, and a file in it, belong to the user of this process.
pub(crate) fn is_own(folder: &Beneath, file: &File) -> io::Result<bool> {
    let user = geteuid().as_raw();
    Ok(folder.stat()?.st_uid == user && file.metadata()?.uid() == user)
}

/// A resolved path as servers are told it.
pub(crate) fn plain(path: PathBuf) -> PathBuf {
    path
}

fn is_absent(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_no_folder(error: &io::Error) -> bool {
    [Errno::NOTDIR, Errno::LOOP].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// The names of a path that leads nowhere but down.
fn parts(path: &Path) -> io::Result<Vec<&OsStr>> {
    let names = path.components().filter(|part| *part != Component::CurDir);
    names.map(|part| if let Component::Normal(name) = part { Ok(name) } else { Err(leaves(path)) }).collect()
}

fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| leaves(path))
}

fn leaves(path: &Path) -> io::Error {
    let message = format!("{} is not inside the folders of this run", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
