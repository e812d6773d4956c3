//! Namespaces of the server's own: users, mounts, processes, IPC, host name, control groups, and a network with
//! only the loopback.

use std::fs;

use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use super::settings::Namespaces;
use super::system;

/// The index of the loopback in a new network namespace, where it is the first and only interface.
const LOOPBACK: i32 = 1;

/// Constants of `linux/rtnetlink.h`, `linux/netlink.h` and `linux/if.h`.
const NEW_LINK: u16 = 16;
const REQUEST_WITH_ANSWER: u16 = 1 | 4;
const ERROR: u16 = 2;
const UP: u32 = 1;
/// The message's length in bytes: a header of 16 and a link description of 16.
const MESSAGE: u32 = 32;

/// Leaves the namespaces of this machine; the next child is the first process of its own PID namespace. The
/// loopback is up.
pub(super) fn enter_own(namespaces: Namespaces) -> Result<(), String> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let own = UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    match namespaces {
        Namespaces::OfAnyUser => {
            system::unshare(own | UnshareFlags::NEWUSER)
                .map_err(|error| format!("user namespaces are not available here: {error}"))?;
            // User and group stay the same, so that files keep their owners.
            let map = |file: &str, text: &str| {
                fs::write(format!("/proc/self/{file}"), text).map_err(|error| {
                    format!("user namespaces are not available here: cannot write {file}: {error}")
                })
            };
            map("setgroups", "deny")?;
            map("uid_map", &format!("{user} {user} 1"))?;
            map("gid_map", &format!("{group} {group} 1"))?;
        }
        Namespaces::OfRoot => {
            system::unshare(own).map_err(|error| format!("namespaces are not available here: {error}"))?;
        }
    }
    // Hides the name of this machine.
    let _ = rustix::system::sethostname(b"confined");
    raise_loopback().map_err(|error| format!("cannot bring up the loopback of a new network: {error}"))
}

/// Brings the loopback up by a netlink message, and waits for the answer.
fn raise_loopback() -> rustix::io::Result<()> {
    // Protocol 0 is `NETLINK_ROUTE`: routes and links.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let mut message = Vec::with_capacity(MESSAGE as usize);
    message.extend(MESSAGE.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ANSWER.to_ne_bytes());
    // Sequence number and port id: only one message is ever sent.
    message.extend(1u32.to_ne_bytes());
    message.extend(0u32.to_ne_bytes());
    // The address family and the link's type are left unspecified.
    message.extend([0u8; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    sendto(&socket, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0u8; 256];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    let error = answer.get(16..20).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, error) {
        (Some(ERROR), Some(0)) if length >= 20 => Ok(()),
        (Some(ERROR), Some(error)) if length >= 20 => Err(rustix::io::Errno::from_raw_os_error(-error)),
        _ => Err(rustix::io::Errno::PROTO),
    }
}
