//! The shim: confines itself, and becomes the server.
//!
//! What is asked of the system is asked as a hard requirement: where a part is refused nothing is started. A few parts
//! that newer systems have are taken where they are there: signals and sockets that lead out of the confinement.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use landlock::{
    ABI, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use crate::confinement::Network;

use super::namespace;
use super::settings::{Settings, Task, VARIABLE};

/// The exit status of a shim that did not become the server, as shells have it.
const NOT_STARTED: u8 = 126;

/// What every program may write to: nothing of it stays.
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/console",
];

/// See [`super::enter`].
pub(super) fn enter() -> Option<ExitCode> {
    let written = std::env::var_os(VARIABLE)?;
    Some(match confine(&written) {
        Ok(Task::Try) => ExitCode::SUCCESS,
        Ok(Task::Start) => failed(&become_server()),
        Err(why) => failed(&why),
    })
}

fn failed(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(NOT_STARTED)
}

/// Confines this process for good.
fn confine(written: &OsString) -> Result<Task, String> {
    let written = written.to_str().ok_or("the confinement that was asked for is not UTF-8")?;
    let settings: Settings = serde_json::from_str(written)
        .map_err(|error| format!("`{VARIABLE}` is set, and holds no confinement: {error}"))?;
    if settings.network == Network::Namespace {
        namespace::enter_own()?;
    }
    restrict(&settings)?;
    Ok(settings.task)
}

/// Becomes the server; gives why that could not be done.
fn become_server() -> String {
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next() else { return "no server was named".to_owned() };
    let error = Command::new(&program).args(words).env_remove(VARIABLE).exec();
    format!("`{}` could not be started: {error}", program.display())
}

/// What is denied but where a rule allows it: everything that changes a file or a folder. Reading is not touched.
fn writes() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V3)
}

/// Writes, privileges, and where there is no namespace the network. From here on there is no way back.
fn restrict(settings: &Settings) -> Result<(), String> {
    let unavailable = |error: &dyn std::fmt::Display| {
        format!("this system has no Landlock that keeps a program from writing: {error}")
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(writes())
        .map_err(|error| unavailable(&error))?;
    if settings.network == Network::Ports {
        ruleset = ruleset.handle_access(AccessNet::ConnectTcp).map_err(|error| {
            format!("there is no way to keep a program from the network on this system: {error}")
        })?;
    }
    let ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::ResolveUnix)
        .and_then(|ruleset| ruleset.scope(Scope::Signal | Scope::AbstractUnixSocket))
        .and_then(Ruleset::create)
        .map_err(|error| unavailable(&error))?;
    let ruleset = allowed(ruleset, settings)?;
    let status = ruleset.restrict_self().map_err(|error| unavailable(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(unavailable(&"it is not enforced"));
    }
    Ok(())
}

fn allowed(mut ruleset: RulesetCreated, settings: &Settings) -> Result<RulesetCreated, String> {
    for folder in &settings.write {
        let opened = PathFd::new(folder)
            .map_err(|error| format!("the folder {folder} cannot be opened for writing: {error}"))?;
        let rule = PathBeneath::new(opened, writes() | AccessFs::ResolveUnix);
        ruleset = ruleset
            .add_rule(rule)
            .map_err(|error| format!("{folder} cannot be opened for writing: {error}"))?;
    }
    for device in DEVICES {
        // What is not there needs no rule.
        let Ok(opened) = PathFd::new(device) else { continue };
        let rule = PathBeneath::new(opened, AccessFs::WriteFile | AccessFs::Truncate);
        ruleset = ruleset.add_rule(rule).map_err(|error| format!("{device} cannot be opened: {error}"))?;
    }
    if settings.network == Network::Ports {
        for port in &settings.ports {
            let rule = NetPort::new(*port, AccessNet::ConnectTcp);
            ruleset =
                ruleset.add_rule(rule).map_err(|error| format!("port {port} cannot be opened: {error}"))?;
        }
    }
    Ok(ruleset)
}
