//! What is asked of the system directly: the calls for which no safe function is at hand.
//!
//! With [`rescue::signal`](super::super::rescue) the only file of this crate with unsafe blocks. The shim has one thread, so that
//! what each call demands holds.

use std::ffi::CString;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::{io, mem};

use rustix::process::{Pid, Signal};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Of `linux/mount.h`.
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

/// Which side of a fork this is.
pub(super) enum Fork {
    Child,
    Parent(Pid),
}

/// Leaves namespaces for new ones.
#[expect(unsafe_code, reason = "the call is told as unsafe for a flag that is not among these")]
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    debug_assert!(!flags.contains(UnshareFlags::FILES), "the table of file descriptors stays shared");
    // SAFETY: the table of file descriptors stays shared.
    Ok(unsafe { unshare_unsafe(flags) }?)
}

/// Splits this process in two.
#[expect(
    unsafe_code,
    reason = "a child with several threads' memory may do little; this process has one thread"
)]
pub(super) fn fork() -> io::Result<Fork> {
    // SAFETY: called by the shim alone, before there is a second thread: no lock is held by a thread that the child lacks.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        child => Pid::from_raw(child).map(Fork::Parent).ok_or_else(|| io::Error::other("no process id")),
    }
}

/// Closes every descriptor but the three standard streams and `kept`.
#[expect(unsafe_code, reason = "descriptors are closed by number")]
pub(super) fn close_others(kept: &[&dyn std::os::fd::AsFd]) -> io::Result<()> {
    let mut kept: Vec<u32> = kept.iter().map(|kept| kept.as_fd().as_raw_fd().cast_unsigned()).collect();
    kept.sort_unstable();
    let mut first = 3;
    for end in kept.into_iter().map(Some).chain([None]) {
        let last = end.map_or(u32::MAX, |end| end.saturating_sub(1));
        if first <= last {
            // SAFETY: nothing in this process owns a descriptor above the standard streams but those that are left open.
            if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        first = end.map_or(u32::MAX, |end| end.saturating_add(1));
    }
    Ok(())
}

/// Makes what is mounted at a path, and below it, read-only, without devices and without programs that change the user.
pub(super) fn seal_below(path: &Path) -> io::Result<()> {
    set_attributes(path, READ_ONLY | NO_SETUID | NO_DEVICES, libc::AT_RECURSIVE)
}

/// Makes a mount read-only, without what is mounted below it.
pub(super) fn seal(path: &Path) -> io::Result<()> {
    set_attributes(path, READ_ONLY | NO_SETUID | NO_DEVICES, 0)
}

/// Forbids devices, and programs that change the user, in what is mounted at a path and below it.
pub(super) fn blunt(path: &Path) -> io::Result<()> {
    set_attributes(path, NO_SETUID | NO_DEVICES, libc::AT_RECURSIVE)
}

#[expect(unsafe_code, reason = "no library at hand has this call")]
fn set_attributes(path: &Path, set: u64, flags: libc::c_int) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attributes = Attributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    // SAFETY: the path ends with a zero byte, and the structure is as large as is said; both outlive the call.
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

/// Lets signals pass that are meant for the server.
#[expect(unsafe_code, reason = "how a signal is met is asked of the system directly")]
pub(super) fn ignore(signals: &[Signal]) {
    for signal in signals {
        // SAFETY: ignoring a signal runs no code of this program.
        unsafe { libc::signal(signal.as_raw(), libc::SIG_IGN) };
    }
}

/// Meets a signal as every new program does.
#[expect(unsafe_code, reason = "how a signal is met is asked of the system directly")]
pub(super) fn meet_as_usual(signal: Signal) {
    // SAFETY: what the system does by itself runs no code of this program.
    unsafe { libc::signal(signal.as_raw(), libc::SIG_DFL) };
}
