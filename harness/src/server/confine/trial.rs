//! What can be had on this machine, tried out: the shim confines itself and ends. No version is asked.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::confinement::Network;

use super::settings::{Settings, Task, VARIABLE};

/// The better of the two ways to keep the network away that works here.
pub(super) fn network(shim: &Path) -> Result<Network, String> {
    let own = attempt(shim, Network::Namespace);
    match own {
        Ok(()) => Ok(Network::Namespace),
        Err(namespace) => attempt(shim, Network::Ports)
            .map(|()| Network::Ports)
            .map_err(|ports| if namespace == ports { ports } else { format!("{namespace}; {ports}") }),
    }
}

/// Tries one of them.
pub(super) fn attempt(shim: &Path, network: Network) -> Result<(), String> {
    let folder = tempfile::Builder::new().prefix("mcp-errconf-").tempdir();
    let folder = folder.map_err(|error| format!("no folder could be made to try it out: {error}"))?;
    let write = folder.path().to_string_lossy().into_owned();
    let settings = Settings { task: Task::Try, network, write: vec![write], ports: Vec::new() };
    let tried = Command::new(shim)
        .env(VARIABLE, settings.written()?)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    let tried = tried.map_err(|error| format!("this program could not be started again: {error}"))?;
    let told = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    match tried.status.success() {
        true => Ok(()),
        false if told.is_empty() => Err(format!("the trial ended with {}", tried.status)),
        false => Err(told),
    }
}
