//! Files that are written completely or not at all: the data is written to a temporary file, which then
//! replaces the file.
//!
//! The main type is [`AtomicFile`]. Anything but a regular file, such as a device or a pipe, is written to
//! directly.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::server::{self, PART};

/// Folders with special files, which are written to directly.
const SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// A file that appears at its path only on the first flush. If writing fails, the temporary file is deleted,
/// and the old file stays unless it was replaced before.
#[derive(Debug)]
pub struct AtomicFile {
    /// `None` if writing has failed.
    file: Option<File>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The data is in the temporary file.
    Beside { part: PathBuf, place: PathBuf },
    /// The temporary file has replaced the file; more data may follow.
    Placed(PathBuf),
    /// The file is written directly: it is a device, or no file can be created in its folder.
    Itself { is_fresh: bool },
}

impl AtomicFile {
    /// Opens a file for writing, so that a failure is reported early; an existing file stays for now.
    ///
    /// # Errors
    /// If neither the file nor a temporary one beside it can be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        // The target of a link is written, and the link stays. Some targets have no name, such as that of
        // `/dev/stdout`.
        let led =
            path.symlink_metadata().is_ok_and(|found| found.is_symlink()).then(|| fs::canonicalize(path));
        let place = led.and_then(Result::ok).unwrap_or_else(|| path.to_owned());
        let there = match OpenOptions::new().write(true).open(&place) {
            Ok(there) => Some(there),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let found = there.as_ref().map(File::metadata).transpose()?;
        if let Some(found) =
            found.as_ref().filter(|found| !found.is_file() || SYSTEM.iter().any(|one| path.starts_with(one)))
        {
            return Ok(Self { file: there, state: State::Itself { is_fresh: found.is_file() } });
        }
        let part = sibling(&place);
        server::remember(
            part.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        );
        let file = match (OpenOptions::new().write(true).create_new(true).open(&part), there) {
            (Ok(file), _) => file,
            (Err(_), Some(there)) => {
                return Ok(Self { file: Some(there), state: State::Itself { is_fresh: true } });
            }
            (Err(error), None) => return Err(error),
        };
        let whole = Self { file: Some(file), state: State::Beside { part, place } };
        if let (Some(file), Some(found)) = (&whole.file, found) {
            file.set_permissions(found.permissions())?;
        }
        Ok(whole)
    }

    /// Deletes what was written so far, because the rest cannot be written.
    fn fail(&mut self) {
        self.file = None;
        match &self.state {
            State::Beside { part: path, .. } | State::Placed(path) => {
                // If it cannot be deleted either, the error that is returned names the file.
                let _ = fs::remove_file(path);
            }
            State::Itself { .. } => {}
        }
    }

    fn written(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("it could not be written before"))?;
        if let State::Itself { is_fresh: is_fresh @ true } = &mut self.state {
            file.set_len(0)?;
            *is_fresh = false;
        }
        file.write(bytes)
    }

    fn placed(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.flush()?;
        if let State::Beside { part, place } = &self.state {
            fs::rename(part, place)?;
            self.state = State::Placed(place.clone());
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.written(bytes);
        if written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.fail();
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let placed = self.placed();
        if placed.is_err() {
            self.fail();
        }
        placed
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let State::Beside { part, .. } = &self.state {
            // The temporary file was not used; failing to delete it is no error.
            let _ = fs::remove_file(part);
        }
    }
}

/// Writes a file completely or not at all.
///
/// # Errors
/// If it cannot be written; then an existing file is unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut whole = AtomicFile::open(path)?;
    whole.write_all(bytes)?;
    whole.flush()
}

/// Writes a file completely or not at all, also if the machine crashes: once this returns, the file is on the disk.
///
/// # Errors
/// If it cannot be written; then an existing file is unchanged.
pub fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut whole = AtomicFile::open(path)?;
    whole.write_all(bytes)?;
    // The system writes the data to the disk before it gets its name.
    if let (Some(file), State::Beside { .. }) = (&whole.file, &whole.state) {
        file.sync_data()?;
    }
    whole.flush()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Some systems do not open folders, and write names without being told.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Deletes the temporary files in a folder whose programs were killed while they wrote.
pub fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_abandoned = server::writer_of(&entry.file_name().to_string_lossy())
            .is_some_and(|writer| !server::is_running(writer));
        if is_abandoned {
            // Another program may have deleted it.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// An unused name in the same folder.
fn sibling(place: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(format!(".{}-{number}{PART}", std::process::id()));
    place.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_stood_there_stays_until_the_whole_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut whole = AtomicFile::open(&path).unwrap();
        whole.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        whole.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        whole.write_all(b" and more").unwrap();
        drop(whole);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new and more");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["report"]);
    }

    #[test]
    fn what_is_not_flushed_never_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report");
        let mut whole = AtomicFile::open(&path).unwrap();
        whole.write_all(b"half").unwrap();
        drop(whole);
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("report"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        symlink(&path, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        write_synced(&path, b"newer").unwrap();
        assert_eq!(fs::read_to_string(&link).unwrap(), "newer");
        write(Path::new("/dev/null"), b"new").unwrap();
        write_synced(Path::new("/dev/null"), b"new").unwrap();
        let full = write(Path::new("/dev/full"), b"new").unwrap_err();
        assert_eq!(full.raw_os_error(), Some(28), "{full}");
        assert_eq!(names(folder.path()), ["link", "report"]);
    }

    #[test]
    fn a_folder_that_is_not_there_and_one_in_the_place_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let missing = write(&folder.path().join("none/report"), b"").unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        let taken = write(folder.path(), b"").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::IsADirectory);
    }
}
