//! What a process may not do, whichever user runs it: capabilities, privileges gained from programs, and
//! limits.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};

/// The highest number of capabilities on any system.
const CAPABILITIES: u32 = 64;
/// The largest file, in bytes.
const FILE: u64 = 2 << 30;
/// The memory that one process may write to, in bytes. Memory that a runtime only reserves does not count.
const DATA: u64 = 8 << 30;
/// The number of processes that a user may have in a user namespace.
const PROCESSES: u64 = 4096;

/// Gives up every capability for good, including those that a setuid program would bring.
pub(super) fn give_up() -> Result<(), String> {
    let failed = |error: Errno| format!("cannot drop capabilities: {error}");
    // A system without ambient capabilities holds none.
    let _ = clear_ambient_capability_set();
    for number in 0..CAPABILITIES {
        let Some(one) = CapabilitySet::from_bits(1 << number) else { continue };
        match remove_capability_from_bounding_set(one) {
            // The system does not have this capability, or this process may not drop it, which means that it
            // does not hold it.
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

/// Sets limits for this process and its children; lower limits are kept.
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
