//! Finds a program, and whether it can be started, before it is started.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The extensions that Windows shells try, in order. The system itself only tries the first.
const ENDINGS: [&str; 4] = ["exe", "com", "bat", "cmd"];

/// The file to start for a program as typed in a Windows shell: `npx` is `npx.cmd` in one of the folders of
/// `path`. A program with an extension, or for which no extension leads to a file, is returned unchanged.
pub(super) fn with_ending(program: &str, cwd: Option<&Path>, path: Option<&OsStr>) -> PathBuf {
    let typed = PathBuf::from(program);
    if typed.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
    {
        return typed;
    }
    let folders: Vec<PathBuf> = match program.contains(['/', '\\']) {
        true => vec![cwd.map(Path::to_owned).unwrap_or_default()],
        false => path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default(),
    };
    let files = folders
        .iter()
        .flat_map(|folder| ENDINGS.iter().map(|ending| folder.join(format!("{program}.{ending}"))));
    files.into_iter().find(|file| file.is_file()).unwrap_or(typed)
}

/// The file of this name in one of the folders of PATH.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

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

/// On this system the extension of the name decides.
#[cfg(not(unix))]
fn may_be_started(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_found_without_its_ending_as_shells_of_windows_find_it() {
        let folder = tempfile::tempdir().unwrap();
        let (empty, full) = (folder.path().join("empty"), folder.path().join("full"));
        for made in [&empty, &full] {
            std::fs::create_dir(made).unwrap();
        }
        for name in ["npx.cmd", "npx", "node.exe", "node.cmd"] {
            std::fs::write(full.join(name), "").unwrap();
        }
        let path = std::env::join_paths([&empty, &full]).unwrap();
        let check = |program: &str, expected: PathBuf| {
            assert_eq!(with_ending(program, Some(folder.path()), Some(&path)), expected, "{program}");
        };
        check("npx", full.join("npx.cmd"));
        check("node", full.join("node.exe"));
        check("node.exe", "node.exe".into());
        check("full/npx", full.join("npx.cmd"));
        check("no-such-program", "no-such-program".into());
    }

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
