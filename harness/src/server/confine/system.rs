//! Direct system calls, for which there is no safe function.
//!
//! With [`rescue::signal`](super::super::rescue) the only file of this crate with unsafe blocks. The shim has a
//! single thread, so the requirements of each call hold.

use std::ffi::CString;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::{io, mem};

use rustix::process::{Pid, Signal};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Constants of `linux/mount.h`.
const READ_ONLY: u64 = 1;
const NO_SETUID: u64 = 2;
const NO_DEVICES: u64 = 4;

/// `struct mount_attr` of `linux/mount.h`.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// The side of a fork.
pub(super) enum Fork {
    Child,
    Parent(Pid),
}

/// Moves this process into new namespaces.
#[expect(unsafe_code, reason = "the call is told as unsafe for a flag that is not among these")]
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    debug_assert!(!flags.contains(UnshareFlags::FILES), "the table of file descriptors stays shared");
    // SAFETY: the table of file descriptors stays shared.
    Ok(unsafe { unshare_unsafe(flags) }?)
}

/// Forks this process.
#[expect(
    unsafe_code,
    reason = "a child with several threads' memory may do little; this process has one thread"
)]
pub(super) fn fork() -> io::Result<Fork> {
    // SAFETY: only the shim calls this, before it has a second thread, so no lock is held by a thread that the
    // child lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        child => Pid::from_raw(child).map(Fork::Parent).ok_or_else(|| io::Error::other("no process id")),
    }
}

/// Closes every descriptor except the three standard streams and `kept`.
#[expect(unsafe_code, reason = "descriptors are closed by number")]
pub(super) fn close_others(kept: &[&dyn std::os::fd::AsFd]) -> io::Result<()> {
    let mut kept: Vec<u32> = kept.iter().map(|kept| kept.as_fd().as_raw_fd().cast_unsigned()).collect();
    kept.sort_unstable();
    let mut first = 3;
    for end in kept.into_iter().map(Some).chain([None]) {
        let last = end.map_or(u32::MAX, |end| end.saturating_sub(1));
        if first <= last {
            // SAFETY: nothing in this process owns a descriptor above the standard streams except those that
            // stay open.
            if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        first = end.map_or(u32::MAX, |end| end.saturating_add(1));
    }
    Ok(())
}

/// Makes the mounts at and below a path read-only, without devices and setuid programs.
pub(super) fn seal_below(path: &Path) -> io::Result<()> {
    set_attributes(path, READ_ONLY | NO_SETUID | NO_DEVICES, libc::AT_RECURSIVE)
}

/// Makes a single mount read-only.
pub(super) fn seal(path: &Path) -> io::Result<()> {
    set_attributes(path, READ_ONLY | NO_SETUID | NO_DEVICES, 0)
}

/// Forbids devices and setuid programs in the mounts at and below a path.
pub(super) fn blunt(path: &Path) -> io::Result<()> {
    set_attributes(path, NO_SETUID | NO_DEVICES, libc::AT_RECURSIVE)
}

#[expect(unsafe_code, reason = "no library at hand has this call")]
fn set_attributes(path: &Path, set: u64, flags: libc::c_int) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attributes = Attributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    // SAFETY: the path ends with a zero byte, and the structure has the given size; both outlive the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            mem::size_of::<Attributes>(),
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Ignores signals that are meant for the server.
#[expect(unsafe_code, reason = "how a signal is met is asked of the system directly")]
pub(super) fn ignore(signals: &[Signal]) {
    for signal in signals {
        // SAFETY: ignoring a signal runs no code of this program.
        unsafe { libc::signal(signal.as_raw(), libc::SIG_IGN) };
    }
}

/// Restores the default action of a signal.
#[expect(unsafe_code, reason = "how a signal is met is asked of the system directly")]
pub(super) fn meet_as_usual(signal: Signal) {
    // SAFETY: the default action runs no code of this program.
    unsafe { libc::signal(signal.as_raw(), libc::SIG_DFL) };
}
