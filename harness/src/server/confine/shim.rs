//! The shim: confines itself, and becomes the server or starts it.
//!
//! Every measure is required: if the system refuses one, nothing is started.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::process::Signal;

use super::NOT_STARTED;
use super::settings::{MountKind, Root, ShimSettings, ShimTask, VARIABLE};
use super::{handed, keeper, landlock_rules, namespace, privileges, root, syscalls, system};

/// Folders in memory that every server has.
const PRIVATE: [&str; 4] = ["/tmp", "/run", "/var/tmp", "/dev/shm"];

/// See [`super::run_as_helper`].
pub(super) fn run_as_helper() -> Option<ExitCode> {
    let written = std::env::var_os(VARIABLE)?;
    Some(confined(&written).unwrap_or_else(|why| {
        eprintln!("{why}");
        ExitCode::from(NOT_STARTED)
    }))
}

/// Confines this process, and what it becomes or starts, for good.
fn confined(written: &OsString) -> Result<ExitCode, String> {
    let written = written.to_str().ok_or("the requested confinement is not UTF-8")?;
    let settings: ShimSettings = serde_json::from_str(written)
        .map_err(|error| format!("`{VARIABLE}` is set, but its value is not a confinement: {error}"))?;
    system::close_others(&[]).map_err(|error| format!("cannot close inherited files: {error}"))?;
    let root = &settings.root;
    let taker = settings.taker.as_deref().map(handed::reach).transpose()?;
    namespace::enter_own(settings.namespaces)?;
    if let Some(taker) = taker {
        handed::hand_over(&taker, &settings.ports)?;
    }
    let within = || {
        root::enter(root)?;
        privileges::limit()?;
        privileges::give_up()?;
        // Namespaces already keep it from writing elsewhere, so older systems can do without.
        if landlock_rules::are_there() {
            landlock_rules::restrict(&writable(root))?;
        }
        Ok(())
    };
    let start = || {
        let mut command = server();
        syscalls::deny()?;
        match settings.task {
            ShimTask::Start => command.spawn().map(Some).map_err(|error| not_started(&command, &error)),
            ShimTask::Try => Ok(None),
        }
    };
    keeper::keep(within, start)
}

/// The folders that the server may write to.
fn writable(root: &Root) -> Vec<String> {
    let own =
        root.mounts.iter().filter(|mount| mount.kind != MountKind::Read).map(|mount| mount.path.clone());
    own.chain(PRIVATE.map(str::to_owned)).filter(|folder| Path::new(folder).is_dir()).collect()
}

/// The server's command: the words that this program was called with.
fn server() -> Command {
    // A write beyond a limit on files then fails, as on a full disk, and does not end the server.
    system::ignore(&[Signal::XFSZ]);
    let mut words = std::env::args_os().skip(1);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).env_remove(VARIABLE);
    command
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}", command.get_program().display())
}
