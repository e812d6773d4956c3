//! What is possible on this machine, found by trying: the shim sets up the confinement and ends. Versions are
//! not checked.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cause;

use super::super::owned::{OwnedFolder, PREFIX};
use super::NOT_STARTED;
use super::restriction::{Restrictions, Unconfinable};
use super::settings::{Mount, MountKind, Namespaces, Root, ShimSettings, ShimTask, VARIABLE};

/// How namespaces can be created here; if they cannot, the reason, and what would allow them.
pub(super) fn namespaces(shim: &Path) -> Result<Namespaces, Unconfinable> {
    let broken = |why| Unconfinable { why, fix: None };
    let folder = OwnedFolder::create(tempfile::Builder::new().prefix(PREFIX), &std::env::temp_dir());
    let folder = folder.map_err(|error| {
        broken(format!("cannot create a folder to try it in: {}", cause::describe(&error)))
    })?;
    let name = folder.path.to_string_lossy().into_owned();
    let root = Root {
        base: name.clone(),
        mounts: [("/usr", MountKind::Read), (&*name, MountKind::Write)]
            .map(|(path, kind)| Mount { path: path.to_owned(), kind })
            .into(),
        cwd: name.clone(),
        ..Root::default()
    };
    let tried = attempt(shim, &folder.path, Namespaces::OfAnyUser, &root).map_err(broken)?;
    let Some(why) = tried else { return Ok(Namespaces::OfAnyUser) };
    match attempt(shim, &folder.path, Namespaces::OfRoot, &root).map_err(broken)? {
        None => Ok(Namespaces::OfRoot),
        Some(_) => Err(Unconfinable { why, fix: Restrictions::here().fix() }),
    }
}

/// Tries these namespaces; returns what the system refused, if it refused any of it.
///
/// # Errors
/// If the shim did not come to try it.
fn attempt(
    shim: &Path,
    folder: &Path,
    namespaces: Namespaces,
    root: &Root,
) -> Result<Option<String>, String> {
    let settings =
        ShimSettings { task: ShimTask::Try, namespaces, root: root.clone(), ports: Vec::new(), taker: None };
    let tried = Command::new(shim)
        .env(VARIABLE, settings.written()?)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    let tried =
        tried.map_err(|error| format!("cannot start this program again: {}", cause::describe(&error)))?;
    let message = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    match tried.status.code() {
        Some(0) => Ok(None),
        Some(code) if code == i32::from(NOT_STARTED) && !message.is_empty() => Ok(Some(message)),
        _ if message.is_empty() => Err(format!("the trial ended with {}", tried.status)),
        _ => Err(message),
    }
}
