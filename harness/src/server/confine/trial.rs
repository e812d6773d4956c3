//! What is possible on this machine, found by trying: the shim sets up the confinement and ends. Versions are
//! not checked.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cause;
use crate::confinement::Network;

use super::super::owned::{OwnedFolder, PREFIX};
use super::settings::{
    ConfinementLayers, Mount, MountKind, Namespaces, Root, ShimSettings, ShimTask, VARIABLE,
};

/// How namespaces can be created here; if they cannot, the reason, and what is possible without them.
pub(super) fn namespaces(shim: &Path) -> Result<Namespaces, String> {
    let folder = OwnedFolder::create(tempfile::Builder::new().prefix(PREFIX), &std::env::temp_dir());
    let folder = folder
        .map_err(|error| format!("cannot create a folder to try it in: {}", cause::describe(&error)))?;
    let name = folder.path.to_string_lossy().into_owned();
    let root = Root {
        base: name.clone(),
        mounts: ["/usr", &name].map(|path| Mount { path: path.to_owned(), kind: kind_of(path) }).into(),
        cwd: name.clone(),
        ..Root::default()
    };
    let all = |namespaces| ConfinementLayers::All { namespaces, root: root.clone() };
    let any = attempt(shim, &folder.path, all(Namespaces::OfAnyUser));
    let Err(why) = any else { return Ok(Namespaces::OfAnyUser) };
    if attempt(shim, &folder.path, all(Namespaces::OfRoot)).is_ok() {
        return Ok(Namespaces::OfRoot);
    }
    let some = ConfinementLayers::Some { network: Network::Ports, write: vec![name] };
    match attempt(shim, &folder.path, some) {
        Ok(()) => Err(format!(
            "{why}; Landlock, the system call filter and the limits are available here, but these alone do \
             not confine a server"
        )),
        Err(alone) if alone == why => Err(why),
        Err(alone) => Err(format!("{why}; {alone}")),
    }
}

fn kind_of(path: &str) -> MountKind {
    if path == "/usr" { MountKind::Read } else { MountKind::Write }
}

/// Tries this confinement.
fn attempt(shim: &Path, folder: &Path, layers: ConfinementLayers) -> Result<(), String> {
    let settings = ShimSettings { task: ShimTask::Try, layers, ports: Vec::new(), taker: None };
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
    match tried.status.success() {
        true => Ok(()),
        false if message.is_empty() => Err(format!("the trial ended with {}", tried.status)),
        false => Err(message),
    }
}
