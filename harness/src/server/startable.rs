//! Whether a program can be started, asked before another program is told to become it.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Looks for a program as the system would: by its path from `cwd`, or by its name in the folders of `path`.
pub(super) fn startable(program: &str, cwd: Option<&Path>, path: Option<&OsStr>) -> Result<(), ErrorKind> {
    let from = |file: PathBuf| match cwd {
        Some(cwd) => cwd.join(file),
        None => file,
    };
    if program.contains('/') {
        return executable(&from(PathBuf::from(program)));
    }
    let folders = std::env::split_paths(path.unwrap_or(OsStr::new("/bin:/usr/bin")));
    let mut denied = false;
    for folder in folders {
        match executable(&from(folder.join(program))) {
            Ok(()) => return Ok(()),
            Err(kind) => denied |= kind == ErrorKind::PermissionDenied,
        }
    }
    Err(if denied { ErrorKind::PermissionDenied } else { ErrorKind::NotFound })
}

fn executable(file: &Path) -> Result<(), ErrorKind> {
    let found = file.metadata().map_err(|error| error.kind())?;
    match found.is_file() && may_be_started(&found) {
        true => Ok(()),
        false => Err(ErrorKind::PermissionDenied),
    }
}

#[cfg(unix)]
fn may_be_started(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

/// The name says so elsewhere.
#[cfg(not(unix))]
fn may_be_started(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_name_or_its_path_and_a_folder_is_none() {
        assert_eq!(startable("sh", None, Some(OsStr::new("/usr/bin:/bin"))), Ok(()));
        assert_eq!(startable("sh", None, Some(OsStr::new("/no-such-folder"))), Err(ErrorKind::NotFound));
        assert_eq!(startable("/bin/sh", None, None), Ok(()));
        assert_eq!(startable("./sh", Some(Path::new("/bin")), None), Ok(()));
        assert_eq!(startable("/bin", None, None), Err(ErrorKind::PermissionDenied));
        assert_eq!(startable("./none", None, None), Err(ErrorKind::NotFound));
    }
}
