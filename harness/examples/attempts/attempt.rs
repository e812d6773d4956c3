//! The attempts.
#![expect(unsafe_code, reason = "a server that means harm asks the system directly")]

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

type Attempt = fn() -> bool;

/// What must succeed in confinement too: a server lives there.
const ALLOWED: &[(&str, Attempt)] = &[
    ("workspace", || fs::write(place("WORKSPACE").join("made"), "x").is_ok()),
    ("outside", || fs::write(place("OUTSIDE").join("made"), "x").is_ok()),
    ("temporary", || fs::write(std::env::temp_dir().join("made"), "x").is_ok()),
    ("write-in-home", || fs::write(place("HOME").join("made"), "x").is_ok()),
    ("write-beside-itself", || fs::write(place("SERVER").join("made"), "x").is_ok()),
    ("read-beside-itself", || fs::read(place("SERVER").join("package.json")).is_ok()),
    // It does not come to be, though it seems so.
    ("write-elsewhere", || {
        fs::create_dir_all(place("GROUND"))
            .and_then(|()| fs::write(place("GROUND").join("made"), "x"))
            .is_ok()
    }),
    ("null", || fs::write("/dev/null", "x").is_ok()),
    ("random", || File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut [0; 8])).is_ok()),
    ("own-loopback", own_loopback),
    ("own-socket", || UnixDatagram::bind(place("WORKSPACE").join("own.sock")).is_ok()),
    ("child", || Command::new("true").status().is_ok_and(|status| status.success())),
    ("end-child", end_child),
    ("processors", || std::thread::available_parallelism().is_ok() && fs::read("/proc/cpuinfo").is_ok()),
    ("parent-is-not-1", || {
        rustix::process::getppid().is_none_or(|parent| parent.as_raw_nonzero().get() != 1)
    }),
    ("user-is-itself", || rustix::process::geteuid().as_raw().to_string() == variable("USER_ID")),
];

/// What must succeed for a server that is not confined, and not in confinement.
const FORBIDDEN: &[(&str, Attempt)] = &[
    // Files.
    ("append-to-a-file", || append(&place("VICTIM"))),
    ("delete-a-file", || fs::remove_file(place("GROUND").join("doomed")).is_ok()),
    ("rename-a-file", || fs::rename(place("GROUND").join("named"), place("GROUND").join("renamed")).is_ok()),
    ("write-through-a-link", || {
        let link = place("WORKSPACE").join("link");
        symlink(place("VICTIM"), &link).is_ok() && append(&link)
    }),
    ("hard-link-a-file", || fs::hard_link(place("VICTIM"), place("WORKSPACE").join("hard")).is_ok()),
    ("change-the-mode", || fs::set_permissions(place("VICTIM"), fs::Permissions::from_mode(0o640)).is_ok()),
    ("change-the-owner", || std::os::unix::fs::chown(place("VICTIM"), Some(user()), None).is_ok()),
    ("change-the-times", || {
        File::options()
            .write(true)
            .open(place("VICTIM"))
            .or_else(|_| File::open(place("VICTIM")))
            .is_ok_and(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH).is_ok())
    }),
    ("set-an-attribute", || {
        rustix::fs::setxattr(place("VICTIM"), "user.x", b"x", rustix::fs::XattrFlags::empty()).is_ok()
    }),
    ("read-the-home", || fs::read(place("HOME").join("diary")).is_ok()),
    ("list-the-home", || {
        fs::read_dir(place("HOME"))
            .is_ok_and(|mut found| found.any(|entry| entry.is_ok_and(|entry| entry.file_name() == ".ssh")))
    }),
    ("read-another-file", || fs::read(place("VICTIM")).is_ok()),
    ("read-a-secret-variable", || std::env::var_os("ATTEMPT_API_TOKEN").is_some()),
    ("make-a-huge-file", huge_file),
    ("use-an-inherited-file", || {
        let path = fs::read_link(format!("/proc/self/fd/{}", variable("INHERITED")));
        path.is_ok_and(|path| path == place("VICTIM"))
    }),
    // Whoever else is there.
    ("connect-to-a-unix-socket", || UnixStream::connect(place("SOCKET")).is_ok()),
    ("connect-to-a-unix-socket-beside-itself", || {
        UnixStream::connect(place("SERVER").join("socket")).is_ok()
    }),
    ("send-to-a-unix-socket", || {
        UnixDatagram::unbound().and_then(|socket| socket.send_to(b"x", place("LOG"))).is_ok()
    }),
    ("connect-to-an-abstract-socket", || {
        SocketAddr::from_abstract_name(variable("ABSTRACT"))
            .and_then(|address| UnixStream::connect_addr(&address))
            .is_ok()
    }),
    ("connect-by-tcp", || TcpStream::connect(format!("127.0.0.1:{}", variable("PORT"))).is_ok()),
    ("send-by-udp", || {
        // Where nobody listens the second one is refused.
        let sent = UdpSocket::bind("127.0.0.1:0").and_then(|socket| {
            socket.connect(format!("127.0.0.1:{}", variable("UDP_PORT")))?;
            socket.send(b"x")?;
            std::thread::sleep(std::time::Duration::from_millis(20));
            socket.send(b"x")
        });
        sent.is_ok()
    }),
    ("signal-the-harness", || succeeds(unsafe { libc::kill(harness(), 0) })),
    ("limit-the-harness", limit_the_harness),
    ("slow-the-harness", || {
        // To its own niceness: only a privileged user may set a lower one.
        let harness = harness().cast_unsigned();
        let niceness = unsafe { libc::getpriority(libc::PRIO_PROCESS, harness) };
        succeeds(unsafe { libc::setpriority(libc::PRIO_PROCESS, harness, niceness) })
    }),
    ("move-the-harness", move_the_harness),
    ("read-the-memory-of-the-harness", || File::open(format!("/proc/{}/mem", harness())).is_ok()),
    ("read-the-environment-of-the-harness", || fs::read(format!("/proc/{}/environ", harness())).is_ok()),
    ("read-the-command-line-of-the-harness", || fs::read(format!("/proc/{}/cmdline", harness())).is_ok()),
    ("take-a-file-of-the-harness", || fs::read_dir(format!("/proc/{}/fd", harness())).is_ok()),
    ("attach-shared-memory", || {
        let key: i32 = variable("SHARED").parse().unwrap_or(-1);
        succeeds(unsafe { libc::shmget(key, 0, 0) })
    }),
    ("take-a-message-queue", || {
        let key: i32 = variable("QUEUE").parse().unwrap_or(-1);
        succeeds(unsafe { libc::msgget(key, 0) })
    }),
    // The system.
    ("trace", || of_child(|| succeeds(unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) }))),
    ("add-a-key", add_key),
    ("leave-for-a-user-namespace", || of_child(|| succeeds(unsafe { libc::unshare(libc::CLONE_NEWUSER) }))),
    ("set-io-rings-up", || {
        let mut parameters = [0_u8; 256];
        let made = unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, parameters.as_mut_ptr()) };
        made >= 0
    }),
    ("write-core-files", || rustix::process::getrlimit(rustix::process::Resource::Core).maximum != Some(0)),
];

/// What is forbidden where it is root that runs the server: nobody else may in the first place.
const FORBIDDEN_TO_ROOT: &[(&str, Attempt)] = &[
    ("read-a-guarded-file-of-the-system", || fs::read("/etc/shadow").is_ok_and(|text| !text.is_empty())),
    ("change-the-mode-of-a-system-file", || {
        let path = "/etc/passwd";
        fs::metadata(path).is_ok_and(|found| fs::set_permissions(path, found.permissions()).is_ok())
    }),
    ("open-the-shim", || {
        let exists = |number: &i32| PathBuf::from(format!("/proc/{number}/exe")).symlink_metadata().is_ok();
        let process = [harness(), 1].into_iter().find(exists).unwrap_or(1);
        File::open(format!("/proc/{process}/exe")).is_ok()
    }),
    ("put-input-into-a-terminal", || put_input(libc::TIOCSTI)),
    // The kernel reads the lower half alone.
    ("put-input-by-a-long-number", || put_input(libc::TIOCSTI + (1 << 32))),
    ("open-a-file-system", || succeeds(unsafe { libc::syscall(libc::SYS_fsopen, c"tmpfs".as_ptr(), 0) })),
    ("move-the-workspace", || {
        let away = place("WORKSPACE").with_file_name("away");
        let moved = fs::rename(place("WORKSPACE"), &away).is_ok();
        moved && fs::rename(away, place("WORKSPACE")).is_ok()
    }),
    ("open-a-setting-of-the-kernel", || {
        OpenOptions::new().write(true).open("/proc/sys/kernel/hostname").is_ok()
    }),
    ("mount", || {
        of_child(|| {
            let target = CString::new(place("WORKSPACE").join("mount").to_string_lossy().into_owned());
            let target = target.unwrap_or_default();
            let _ = fs::create_dir(place("WORKSPACE").join("mount"));
            let left = succeeds(unsafe { libc::unshare(libc::CLONE_NEWNS) });
            let name = c"tmpfs".as_ptr();
            left && succeeds(unsafe { libc::mount(name, target.as_ptr(), name, 0, std::ptr::null()) })
        })
    }),
    ("change-the-root", || of_child(|| succeeds(unsafe { libc::chroot(c"/tmp".as_ptr()) }))),
    ("make-a-device", || {
        let path = CString::new(place("WORKSPACE").join("device").to_string_lossy().into_owned());
        let path = path.unwrap_or_default();
        succeeds(unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o600, libc::makedev(1, 3)) })
    }),
    ("open-a-packet-socket", || succeeds(unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW, 0) })),
    ("name-the-computer", || {
        let name = rustix::system::uname();
        let name = name.nodename().to_owned();
        of_child(|| rustix::system::sethostname(name.as_bytes()).is_ok())
    }),
    ("open-a-file-by-handle", open_by_handle),
    ("read-messages-of-the-kernel", || File::open("/dev/kmsg").is_ok()),
];

/// Names all of them.
pub(crate) fn list() {
    for (name, _) in ALLOWED.iter().chain(FORBIDDEN).chain(FORBIDDEN_TO_ROOT) {
        println!("{name}");
    }
}

/// Makes each of them and says whether it succeeded.
pub(crate) fn make_all() {
    // A file that grows too large is an error and no end.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let of_root: &[(&str, Attempt)] = if variable("USER_ID") == "0" { FORBIDDEN_TO_ROOT } else { &[] };
    for (kind, attempts) in [("allowed", ALLOWED), ("forbidden", FORBIDDEN), ("forbidden", of_root)] {
        for (name, attempt) in attempts {
            println!("{kind} {name} {}", if attempt() { "yes" } else { "no" });
        }
    }
    println!("end");
}

/// What it was told of its prey, in a file beside it.
fn variable(name: &str) -> String {
    let beside = std::env::current_exe().map(|program| program.with_file_name("told")).unwrap_or_default();
    let output = fs::read_to_string(beside).unwrap_or_default();
    let mut lines = output.lines().filter_map(|line| line.split_once('='));
    lines.find(|(output, _)| *output == name).map(|(_, value)| value.to_owned()).unwrap_or_default()
}

fn place(name: &str) -> PathBuf {
    PathBuf::from(variable(name))
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

fn harness() -> i32 {
    variable("HARNESS").parse().unwrap_or(-1)
}

fn succeeds(returned: impl Into<i64>) -> bool {
    returned.into() >= 0
}

fn append(path: &PathBuf) -> bool {
    OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(b"x")).is_ok()
}

/// In a process of its own: what it changes of itself is over with it.
fn of_child(attempt: impl FnOnce() -> bool) -> bool {
    let _ = std::io::stdout().flush();
    match unsafe { libc::fork() } {
        0 => unsafe { libc::_exit(i32::from(!attempt())) },
        child if child > 0 => {
            let mut status = 0;
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            status == 0
        }
        _ => false,
    }
}

fn own_loopback() -> bool {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| TcpStream::connect(listener.local_addr()?)).is_ok()
}

fn end_child() -> bool {
    let child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn();
    child.is_ok_and(|mut child| child.kill().is_ok() && child.wait().is_ok())
}

fn huge_file() -> bool {
    let path = place("WORKSPACE").join("huge");
    let grown = File::create(&path).is_ok_and(|file| file.set_len(1 << 40).is_ok());
    let _ = fs::remove_file(path);
    grown
}

fn limit_the_harness() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let none = std::ptr::null();
    let read = unsafe { libc::prlimit(harness(), libc::RLIMIT_NOFILE, none, &raw mut limit) };
    let none = std::ptr::null_mut();
    succeeds(read)
        && succeeds(unsafe { libc::prlimit(harness(), libc::RLIMIT_NOFILE, &raw const limit, none) })
}

fn move_the_harness() -> bool {
    let mut processors: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = std::mem::size_of::<libc::cpu_set_t>();
    let read = unsafe { libc::sched_getaffinity(harness(), size, &raw mut processors) };
    succeeds(read) && succeeds(unsafe { libc::sched_setaffinity(harness(), size, &raw const processors) })
}

fn put_input(request: libc::c_ulong) -> bool {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/ptmx");
    terminal
        .is_ok_and(|terminal| succeeds(unsafe { libc::ioctl(terminal.as_raw_fd(), request, c"x".as_ptr()) }))
}

fn add_key() -> bool {
    // The keyring of this process.
    const OWN: i64 = -2;
    let (kind, name) = (c"user".as_ptr(), c"mcp-errconf-attempt".as_ptr());
    let key = unsafe { libc::syscall(libc::SYS_add_key, kind, name, name, 4_usize, OWN) };
    key >= 0
}

fn open_by_handle() -> bool {
    #[repr(C)]
    struct Handle {
        bytes: u32,
        kind: i32,
        handle: [u8; 128],
    }
    let mut handle = Handle { bytes: 128, kind: 0, handle: [0; 128] };
    let mut mount = 0;
    let at = libc::AT_FDCWD;
    let (handle, mount) = (&raw mut handle, &raw mut mount);
    let named = unsafe { libc::syscall(libc::SYS_name_to_handle_at, at, c"/usr".as_ptr(), handle, mount, 0) };
    let Ok(root) = File::open("/") else { return false };
    named >= 0
        && unsafe { libc::syscall(libc::SYS_open_by_handle_at, root.as_raw_fd(), handle, libc::O_RDONLY) }
            >= 0
}
