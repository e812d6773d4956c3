//! Something to harm, and the server that tries to, confined or not.
#![expect(unsafe_code, reason = "shared memory is asked of the system directly")]

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};

use mcp_errconf::server::{Command, ConfinementOptions, Confiner, Transport};

/// Whether the server is confined.
#[derive(Clone, Copy)]
pub(crate) enum Confinement {
    None,
    All,
}

/// Lays out what may come to harm, starts the server, and prints what it said and what came to harm.
pub(crate) fn try_out(shim: &Path, confinement: Confinement) {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = scratch.path().canonicalize().expect("it is there");
    let place = |name: &str| folder.join(name);
    for name in ["home/.ssh", "server", "workspace", "outside", "temporary"] {
        fs::create_dir_all(place(name)).expect("it is ours");
    }
    for name in ["victim", "doomed", "named", "home/diary", "server/package.json"] {
        fs::write(place(name), "text\n").expect("it is ours");
    }
    let server = place("server/attempts");
    fs::copy(std::env::current_exe().expect("this program has a name"), &server).expect("it is copied");
    let _listeners = (
        UnixListener::bind(place("socket")).expect("a socket can be made"),
        UnixListener::bind(place("server/socket")).expect("a socket can be made"),
        UnixDatagram::bind(place("log")).expect("a socket can be made"),
    );
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port is free");
    let hidden = format!("attempts-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&hidden).expect("it is short");
    let _abstract = UnixListener::bind_addr(&address).expect("nobody has it");
    let (shared, queue) = (Shared::new(), Queue::new());
    let inherited = fs::File::open(place("victim")).expect("it is there");
    rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).expect("it is open");

    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let port =
        |address: std::io::Result<std::net::SocketAddr>| address.expect("it is bound").port().to_string();
    let home = text(place("home"));
    let output = [
        ("GROUND", text(folder.clone())),
        ("HOME", home.clone()),
        ("VICTIM", text(place("victim"))),
        ("SERVER", text(place("server"))),
        ("WORKSPACE", text(place("workspace"))),
        ("OUTSIDE", text(place("outside"))),
        ("SOCKET", text(place("socket"))),
        ("LOG", text(place("log"))),
        ("ABSTRACT", hidden),
        ("PORT", port(tcp.local_addr())),
        ("UDP_PORT", port(udp.local_addr())),
        ("HARNESS", std::process::id().to_string()),
        ("SHARED", shared.key.to_string()),
        ("QUEUE", queue.key.to_string()),
        ("INHERITED", inherited.as_raw_fd().to_string()),
        ("USER_ID", rustix::process::geteuid().as_raw().to_string()),
    ];
    let output: Vec<String> = output.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    fs::write(place("server/told"), output.concat()).expect("it is ours");
    let openings = ConfinementOptions::default();
    let run_confinement = match confinement {
        Confinement::None => None,
        Confinement::All => {
            let confiner = Confiner::try_out(shim, openings).expect("this machine can confine");
            Some(confiner.run_confinement(&[&place("workspace"), &place("outside")], &place("temporary")))
        }
    };
    let command = Command {
        words: vec![text(server), "make".to_owned()],
        cwd: Some(place("server")),
        env: vec![("HOME".to_owned(), home), ("TMPDIR".to_owned(), text(place("temporary")))],
        run_confinement,
        ..Command::default()
    };
    said(&command);
    for (name, text) in
        [("victim", "text\n"), ("doomed", "text\n"), ("named", "text\n"), ("home/diary", "text\n")]
    {
        let is_whole = fs::read_to_string(place(name)).is_ok_and(|found| found == text);
        println!("whole {name} {}", if is_whole { "yes" } else { "no" });
    }
    for name in ["made", "renamed", "home/made", "server/made"] {
        println!("came {name} {}", if place(name).exists() { "yes" } else { "no" });
    }
}

/// Prints what the server says.
fn said(command: &Command) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut server = Transport::open(command).expect("it starts");
        while let Some(line) = server.next_line().await {
            println!("{}", String::from_utf8_lossy(&line.bytes));
        }
        eprint!("{}", server.take_stderr());
    });
}

/// A piece of shared memory that this user owns.
struct Shared {
    key: i32,
    id: i32,
}

impl Shared {
    fn new() -> Self {
        let key = std::process::id().cast_signed() ^ 0x4d43_0000;
        // SAFETY: makes a piece of memory and attaches nothing.
        let id = unsafe { libc::shmget(key, 4096, libc::IPC_CREAT | 0o600) };
        Self { key, id }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody is attached.
        unsafe { libc::shmctl(self.id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

/// A message queue that this user owns.
struct Queue {
    key: i32,
    id: i32,
}

impl Queue {
    fn new() -> Self {
        let key = std::process::id().cast_signed() ^ 0x4d51_0000;
        // SAFETY: makes a queue.
        let id = unsafe { libc::msgget(key, libc::IPC_CREAT | 0o600) };
        Self { key, id }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: it is ours.
        unsafe { libc::msgctl(self.id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}
