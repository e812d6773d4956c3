//! What Landlock denies: writing elsewhere, and signals and sockets to the outside.

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

/// Devices that every program may write to, because they keep nothing.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/pts"];

/// The access that is denied unless a rule allows it: everything that changes a file or folder. Reading is not
/// restricted.
fn writes() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V3)
}

/// Whether this system has Landlock with the features needed.
pub(super) fn are_there() -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(writes());
    ruleset.and_then(Ruleset::create).is_ok()
}

/// Restricts writing to these folders, and adds features of newer systems where available. This cannot be
/// undone.
pub(super) fn restrict(write: &[String]) -> Result<(), String> {
    let unavailable = |error: &dyn std::fmt::Display| {
        format!("this system has no Landlock to keep a program from writing: {error}")
    };
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(writes())
        .map_err(|error| unavailable(&error))?;
    let ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::ResolveUnix)
        .and_then(|ruleset| ruleset.scope(Scope::Signal | Scope::AbstractUnixSocket))
        .and_then(Ruleset::create)
        .map_err(|error| unavailable(&error))?;
    let ruleset = allowed(ruleset, write)?;
    let status = ruleset.restrict_self().map_err(|error| unavailable(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(unavailable(&"it is not enforced"));
    }
    Ok(())
}

fn allowed(mut ruleset: RulesetCreated, write: &[String]) -> Result<RulesetCreated, String> {
    for folder in write {
        let opened = PathFd::new(folder)
            .map_err(|error| format!("cannot open the folder {folder} for writing: {error}"))?;
        let rule = PathBeneath::new(opened, writes() | AccessFs::ResolveUnix);
        ruleset =
            ruleset.add_rule(rule).map_err(|error| format!("cannot open {folder} for writing: {error}"))?;
    }
    for device in DEVICES {
        // A device that does not exist needs no rule.
        let Ok(opened) = PathFd::new(device) else { continue };
        let rule = PathBeneath::new(opened, AccessFs::WriteFile | AccessFs::Truncate);
        ruleset = ruleset.add_rule(rule).map_err(|error| format!("cannot open {device}: {error}"))?;
    }
    Ok(ruleset)
}
