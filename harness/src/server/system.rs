//! The operating system: its name and version, and what this program cannot do on it.
//!
//! The main type is [`System`].

/// The note for every system but one: this program was not tried there.
const UNTRIED: &str =
    "mcp-errconf is tested on Linux; on this system it was hardly tried: please report what goes wrong";

/// The operating system of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// Its name, such as `Linux`, `Darwin` or `Windows`.
    pub name: String,
    /// Its release, such as `6.1.0`; empty if unknown.
    pub release: String,
    /// The processor's architecture, such as `x86_64`.
    pub architecture: String,
    /// The machine's name in its network; empty if unknown.
    pub node: String,
}

impl System {
    /// The system that this program runs on.
    #[cfg(unix)]
    pub fn here() -> Self {
        let uname = rustix::system::uname();
        let word = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        Self {
            name: word(uname.sysname()),
            release: word(uname.release()),
            architecture: word(uname.machine()),
            node: word(uname.nodename()),
        }
    }

    /// The system that this program runs on.
    #[cfg(windows)]
    pub fn here() -> Self {
        Self {
            name: "Windows".to_owned(),
            release: String::new(),
            architecture: std::env::consts::ARCH.to_owned(),
            node: std::env::var("COMPUTERNAME").unwrap_or_default(),
        }
    }

    /// What this program does on Linux but not here, and other notes, each as a sentence without its full stop.
    pub fn missing(&self) -> &'static [&'static str] {
        if cfg!(target_os = "linux") {
            &[]
        } else if cfg!(unix) {
            &[
                "a child that leaves its server's process group is not ended with it",
                "the memory of servers is not measured, and not bounded",
                UNTRIED,
            ]
        } else {
            &[
                "a server is ended by its job object, without a signal before that asks it to end",
                "the memory of servers is not measured, and not bounded",
                "files of cases are reached by their paths, so that a server may lay a link in between",
                "cases with symbolic links need the right to make them (Developer Mode)",
                UNTRIED,
            ]
        }
    }
}
