//! What a process may not do whoever runs it: capabilities, privileges that a program would bring, and limits.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};

/// The most capabilities that a system may have.
const CAPABILITIES: u32 = 64;
/// The largest file, in bytes.
const FILE: u64 = 2 << 30;
/// Memory that one process writes to, in bytes. What a runtime only sets aside does not count.
const DATA: u64 = 8 << 30;
/// How many processes a user may have in a user namespace.
const PROCESSES: u64 = 4096;

/// Gives up every capability for good, also those that a program of root's would bring.
pub(super) fn give_up() -> Result<(), String> {
    let failed = |error: Errno| format!("cannot drop capabilities: {error}");
    // Where the system has no ambient ones, none are held.
    let _ = clear_ambient_capability_set();
    for number in 0..CAPABILITIES {
        let Some(one) = CapabilitySet::from_bits(1 << number) else { continue };
        match remove_capability_from_bounding_set(one) {
            // The system has no such one, or this process has no say over it: then it holds none.
            Ok(()) | Err(Errno::INVAL | Errno::PERM) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, none).map_err(failed)?;
    set_no_new_privs(true).map_err(failed)
}

/// Sets limits for this process and those that it starts; what is lower already stays.
pub(super) fn limit() -> Result<(), String> {
    for (resource, most) in
        [(Resource::Fsize, FILE), (Resource::Data, DATA), (Resource::Nproc, PROCESSES), (Resource::Core, 0)]
    {
        let now = getrlimit(resource).maximum.unwrap_or(u64::MAX).min(most);
        setrlimit(resource, Rlimit { current: Some(now), maximum: Some(now) })
            .map_err(|error| format!("cannot set a limit: {error}"))?;
    }
    Ok(())
}
