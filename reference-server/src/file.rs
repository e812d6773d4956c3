//! Reading and writing whole text files within the size limit.
//!
//! Writing is atomic: the new content gets its place by a rename, so that a call that fails leaves the old file.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::path::Path;

use crate::cause::{self, Operation};
use crate::failure::{Code, Failure, Quoted};

/// Mode of a new file, before the process's umask.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

/// How a file is created that is to have these permissions, or those of a new file.
fn creation(permissions: Option<&Permissions>) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(permissions.map_or(NEW_FILE_MODE, PermissionsExt::mode));
    }
    // Elsewhere a file that may be written has none of its own.
    #[cfg(not(unix))]
    let _ = permissions;
    options
}

/// What stands at a path, for an operation that needs it to exist.
pub(crate) fn look_at(path: &Path, sent: &str, operation: Operation) -> Result<Metadata, Failure> {
    fs::metadata(path).map_err(|error| cause::on_path(error, operation, sent))
}

/// The text of a regular file of at most `limit` bytes.
pub(crate) fn read(path: &Path, sent: &str, limit: u64) -> Result<String, Failure> {
    let metadata = look_at(path, sent, Operation::Read)?;
    regular(&metadata, sent, Operation::Read)?;
    within(metadata.len(), sent, limit)?;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| cause::on_path(error, Operation::Read, sent))?;
    // A file under /proc tells no size, and any file may have grown since it was looked at.
    within(bytes.len() as u64, sent, limit)?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Failure::new(
            Code::NotText,
            format!("{} is not a UTF-8 text file, the byte at offset {offset} does not fit", Quoted(sent)),
        )
        .about(sent)
        .hint("Look at it with bash, for example with `xxd` or `file`.")
    })
}

/// Refuses anything but a regular file, in particular what a read would wait on for ever.
pub(crate) fn regular(metadata: &Metadata, sent: &str, operation: Operation) -> Result<(), Failure> {
    if metadata.is_dir() {
        Err(cause::could_not(operation, sent, "it is a directory")
            .hint("Give the path of a file; view lists what is in a directory."))
    } else if !metadata.is_file() {
        Err(cause::could_not(operation, sent, "it is a device, a pipe or a socket, not a regular file")
            .hint("Give the path of a regular file."))
    } else {
        Ok(())
    }
}

/// Refuses a file over the limit; one of exactly the limit is fine.
pub(crate) fn within(size: u64, sent: &str, limit: u64) -> Result<(), Failure> {
    if size <= limit {
        return Ok(());
    }
    Err(Failure::new(
        Code::FileTooLarge,
        format!("{} has {size} bytes, over the limit of {limit} bytes for a file", Quoted(sent)),
    )
    .about(sent)
    .hint("Take a part of it with bash, for example with `head -c` or `sed -n 1,100p`."))
}

/// Refuses content that would make a file over the limit.
pub(crate) fn within_content(content: &str, sent: &str, limit: u64) -> Result<(), Failure> {
    let size = content.len() as u64;
    if size <= limit {
        return Ok(());
    }
    Err(Failure::new(
        Code::FileTooLarge,
        format!(
            "The content for {} has {size} bytes, over the limit of {limit} bytes for a file",
            Quoted(sent)
        ),
    )
    .about(sent)
    .hint("Spread it over several smaller files."))
}

/// Writes the whole content, and makes the directories above it. Returns whether a file was there before.
pub(crate) fn write(path: &Path, sent: &str, content: &str) -> Result<Before, Failure> {
    let failed = |error| cause::on_path(error, Operation::Write, sent);
    let (before, permissions) = match fs::metadata(path) {
        Ok(metadata) => {
            regular(&metadata, sent, Operation::Write)?;
            if metadata.permissions().readonly() {
                return Err(cause::could_not(Operation::Write, sent, "the file is read-only"));
            }
            (Before::Existed, Some(metadata.permissions()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (Before::Absent, None),
        Err(error) => return Err(failed(error)),
    };
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(|error| match error.kind() {
        // What is in the way is a file where a directory was meant to be.
        std::io::ErrorKind::AlreadyExists => {
            cause::on_path(std::io::ErrorKind::NotADirectory.into(), Operation::Write, sent)
        }
        _ => failed(error),
    })?;
    // Opened and written through the plain file: what tempfile opens and writes itself fails without an error number.
    let create = |path: &Path| creation(permissions.as_ref()).open(path);
    let mut file = tempfile::Builder::new().prefix(".new-").make_in(parent, create).map_err(failed)?;
    file.as_file_mut().write_all(content.as_bytes()).map_err(failed)?;
    if let Some(permissions) = permissions {
        // The umask took its part of the mode when the file was created; the old mode is kept whole.
        file.as_file().set_permissions(permissions).map_err(failed)?;
    }
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(before)
}

/// What was at the path before a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    Absent,
    Existed,
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn check<T: std::fmt::Debug>(result: Result<T, Failure>, code: Code, words: &str) {
        let failure = result.expect_err("it fails");
        let message = format!("{}: {}", failure.what, failure.reason.unwrap_or_default());
        assert_eq!(failure.code, code);
        assert!(message.contains(words), "{message}");
    }

    #[test]
    fn a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, "a", 5).unwrap(), "12345");
        check(read(&path, "a", 4), Code::FileTooLarge, "'a' has 5 bytes, over the limit of 4 bytes");
    }

    #[test]
    fn what_is_no_text_file_is_refused_in_plain_words() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("raw"), b"ok\xff\xfe").unwrap();
        check(read(&folder.path().join("raw"), "raw", 9), Code::NotText, "offset 2");
        check(read(folder.path(), ".", 9), Code::IoError, "Could not read '.': it is a directory");
        check(read(Path::new("/dev/zero"), "zero", 9), Code::IoError, "not a regular file");
        check(read(&folder.path().join("no"), "no", 9), Code::PathNotFound, "exists at 'no'");
    }

    #[test]
    fn writing_makes_directories_keeps_the_mode_and_leaves_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x/y/run.sh");
        assert_eq!(write(&path, "x/y/run.sh", "one").unwrap(), Before::Absent);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        assert_eq!(write(&path, "x/y/run.sh", "two").unwrap(), Before::Existed);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_directory_a_read_only_file_and_a_file_in_the_way_are_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        check(write(folder.path(), "d", ""), Code::IoError, "Could not write 'd': it is a directory");
        fs::write(&path, "").unwrap();
        check(write(&path.join("b/c"), "a/b/c", ""), Code::PathNotFound, "a part of the path is a file");
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        check(write(&path, "a", ""), Code::IoError, "the file is read-only");
    }
}
