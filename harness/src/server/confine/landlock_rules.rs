//! What Landlock keeps a program from: writing elsewhere, signals and sockets that lead out, and where there is no network
//! namespace the network.

use landlock::{
    ABI, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

/// What every program may write to: nothing of it stays.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/pts"];

/// The network, as far as Landlock has a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NetworkAccess<'a> {
    /// Whatever is there: the namespace holds nothing.
    Namespace,
    /// By TCP these ports alone.
    Ports(&'a [u16]),
}

/// What is denied but where a rule allows it: everything that changes a file or a folder. Reading is not touched.
fn writes() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V3)
}

/// Whether this system has Landlock, as far as it is needed here.
pub(super) fn are_there() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(writes());
    ruleset.and_then(Ruleset::create).is_ok()
}

/// Writes below these folders alone; a few parts that newer systems have are taken where they are there. From here on there
/// is no way back.
pub(super) fn restrict(write: &[String], access: NetworkAccess<'_>) -> Result<(), String> {
    let unavailable = |error: &dyn std::fmt::Display| {
        format!("this system has no Landlock to keep a program from writing: {error}")
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(writes())
        .map_err(|error| unavailable(&error))?;
    if let NetworkAccess::Ports(_) = access {
        ruleset = ruleset
            .handle_access(AccessNet::ConnectTcp)
            .map_err(|error| format!("this system has no way to keep a program off the network: {error}"))?;
    }
    let ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::ResolveUnix)
        .and_then(|ruleset| ruleset.scope(Scope::Signal | Scope::AbstractUnixSocket))
        .and_then(Ruleset::create)
        .map_err(|error| unavailable(&error))?;
    let ruleset = allowed(ruleset, write, access)?;
    let status = ruleset.restrict_self().map_err(|error| unavailable(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(unavailable(&"it is not enforced"));
    }
    Ok(())
}

fn allowed(
    mut ruleset: RulesetCreated,
    write: &[String],
    access: NetworkAccess<'_>,
) -> Result<RulesetCreated, String> {
    for folder in write {
        let opened = PathFd::new(folder)
            .map_err(|error| format!("cannot open the folder {folder} for writing: {error}"))?;
        let rule = PathBeneath::new(opened, writes() | AccessFs::ResolveUnix);
        ruleset =
            ruleset.add_rule(rule).map_err(|error| format!("cannot open {folder} for writing: {error}"))?;
    }
    for device in DEVICES {
        // What is not there needs no rule.
        let Ok(opened) = PathFd::new(device) else { continue };
        let rule = PathBeneath::new(opened, AccessFs::WriteFile | AccessFs::Truncate);
        ruleset = ruleset.add_rule(rule).map_err(|error| format!("cannot open {device}: {error}"))?;
    }
    if let NetworkAccess::Ports(ports) = access {
        for port in ports {
            let rule = NetPort::new(*port, AccessNet::ConnectTcp);
            ruleset = ruleset.add_rule(rule).map_err(|error| format!("cannot open port {port}: {error}"))?;
        }
    }
    Ok(ruleset)
}
