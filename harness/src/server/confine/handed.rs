//! Listeners in the network of a confined server, handed to the harness: only that server can reach them.
//!
//! A socket belongs to the network in which it was made, whoever holds it. The shim makes the listeners in the
//! server's network, on the ports that the harness uses outside, and sends them through a Unix socket. That
//! socket has an abstract name, and is connected before the networks are separated.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// At most this many listeners are handed over.
const MOST: usize = 4;

/// Listens on a socket with this abstract name, which nobody can guess.
pub(super) fn taker(name: &str) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)
}

/// Connects to the socket, which is only possible before the networks are separated.
pub(super) fn reach(name: &str) -> Result<UnixStream, String> {
    SocketAddr::from_abstract_name(name)
        .and_then(|address| UnixStream::connect_addr(&address))
        .map_err(|error| format!("cannot ask the harness to serve the server's network: {error}"))
}

/// Listens on these ports of the loopback and hands the listeners over.
pub(super) fn hand_over(taker: &UnixStream, ports: &[u16]) -> Result<(), String> {
    let send = || {
        let listeners = ports.iter().take(MOST).map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)));
        let listeners = listeners.collect::<io::Result<Vec<_>>>()?;
        let handed: Vec<_> = listeners.iter().map(TcpListener::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&handed));
        sendmsg(taker, &[IoSlice::new(b"l")], &mut ancillary, SendFlags::empty())?;
        Ok(())
    };
    send().map_err(|error: io::Error| {
        format!("the harness's service is not available in the server's network: {error}")
    })
}

/// Receives the listeners that a shim hands over.
pub(super) fn take(from: impl AsFd) -> io::Result<Vec<TcpListener>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(from, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut listeners = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(handed) = message {
            listeners.extend(handed.map(|handed: OwnedFd| TcpListener::from(handed)));
        }
    }
    Ok(listeners)
}
