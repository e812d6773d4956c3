//! Confinement of a server: it can read the system, its own files and the workspace, writes only to temporary
//! places, and reaches no network. Linux only.
//!
//! The main type is [`Confiner`], which is tested on this machine before anything depends on it. A confined
//! server is started through this program in another role, the shim: it sets up the confinement and starts the
//! server in it, so that process group, signals, marks and exit status are the server's own. Everything between
//! fork and exec is done by the shim, which has a single thread.

use std::path::{Path, PathBuf};

use crate::confinement::{Confined, Home, Network};
#[cfg(target_os = "linux")]
use crate::secret;

mod container;
#[cfg(target_os = "linux")]
mod handed;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod landlock_rules;
mod launcher;
#[cfg(target_os = "linux")]
mod layout;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod origin;
#[cfg(target_os = "linux")]
mod packages;
#[cfg(target_os = "linux")]
mod privileges;
mod restriction;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod shim;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod trial;

pub use container::container;
pub use launcher::launched;
pub use restriction::Unconfinable;

/// The exit status of a shim that did not start the server, as in shells.
#[cfg(target_os = "linux")]
const NOT_STARTED: u8 = 126;

/// The user's options for the confinement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfinementOptions {
    /// Folders below which the server may read too, with all links resolved.
    pub allow_read: Vec<PathBuf>,
    /// Folders below which the server may write too, with all links resolved.
    pub allow_write: Vec<PathBuf>,
    /// Environment variables that are passed on although they look like secrets.
    pub env: Vec<String>,
}

/// A way of confining servers that works on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confiner {
    /// The program that acts as the shim: this one.
    shim: PathBuf,
    #[cfg(target_os = "linux")]
    namespaces: settings::Namespaces,
    /// The ports of the harness's own services that a confined server can reach.
    ports: Vec<u16>,
    /// The socket that receives listeners for these ports from the server's own network.
    taker: Option<String>,
    openings: ConfinementOptions,
    home: Home,
    kept_back: Vec<String>,
}

impl Confiner {
    /// Tests which confinement is possible on this machine. `shim` is the program whose `main` begins with
    /// [`run_as_helper`](super::run_as_helper).
    ///
    /// # Errors
    /// When a server cannot be confined here; with the reason, and what would allow it.
    #[cfg(target_os = "linux")]
    pub fn try_out(shim: &Path, openings: ConfinementOptions) -> Result<Self, Unconfinable> {
        let namespaces = trial::namespaces(shim)?;
        let variables = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        let kept_back = secret::kept_back(variables, &openings.env);
        let (shim, home) = (shim.to_owned(), Home::Hidden);
        Ok(Self { shim, namespaces, ports: Vec::new(), taker: None, openings, home, kept_back })
    }

    /// Other systems have no namespaces.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn try_out(_: &Path, _: ConfinementOptions) -> Result<Self, Unconfinable> {
        Err(Unconfinable { why: "a server can be confined only on Linux".to_owned(), fix: None })
    }

    /// The confinement of servers that must reach these ports on this machine, which belong to the harness.
    /// Whoever waits at `taker` gets a listener for each port in the network of each server.
    #[must_use]
    pub fn reaching(&self, ports: Vec<u16>, taker: &Taker) -> Self {
        Self { ports, taker: Some(taker.name().to_owned()), ..self.clone() }
    }

    /// The confinement with the whole home folder readable; writes there are discarded at the end. `None` if it
    /// is readable already.
    pub fn with_home(&self) -> Option<Self> {
        (self.home == Home::Hidden).then(|| Self { home: Home::Dropped, ..self.clone() })
    }

    /// The measures that will be in force.
    pub fn confined(&self) -> Confined {
        let names = |folders: &[PathBuf]| folders.iter().map(|folder| folder.display().to_string()).collect();
        Confined {
            network: Network::Namespace,
            home: self.home,
            allow_read: names(&self.openings.allow_read),
            allow_write: names(&self.openings.allow_write),
            kept_back: self.kept_back.clone(),
            in_workspace: false,
        }
    }

    /// The confinement of one run: the server may write below `folders`, which the harness made, and below
    /// `temporary`.
    pub fn run_confinement(&self, folders: &[&Path], temporary: &Path) -> RunConfinement {
        RunConfinement {
            confiner: self.clone(),
            folders: folders.iter().map(|folder| (*folder).to_owned()).collect(),
            temporary: temporary.to_owned(),
        }
    }
}

/// The confinement of one run's servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunConfinement {
    confiner: Confiner,
    folders: Vec<PathBuf>,
    /// A temporary folder for this run alone.
    temporary: PathBuf,
}

#[cfg(target_os = "linux")]
pub use linux::Taker;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::io;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex, PoisonError};

    use super::origin::ServerCommand;
    use super::settings::{Root, ShimSettings, ShimTask, VARIABLE};
    use super::{RunConfinement, handed, layout};

    /// Receives listeners in the networks of confined servers.
    #[derive(Debug)]
    pub struct Taker {
        name: String,
        listener: UnixListener,
    }

    impl Taker {
        /// A new taker with a name of its own.
        ///
        /// # Errors
        /// If no socket can be created.
        pub fn new() -> io::Result<Self> {
            static NUMBER: AtomicU64 = AtomicU64::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("mcp-errconf-{}-{number}-{:016x}", std::process::id(), fastrand::u64(..));
            let listener = handed::taker(&name)?;
            Ok(Self { name, listener })
        }

        /// Its name in the abstract socket namespace.
        pub(crate) fn name(&self) -> &str {
            &self.name
        }

        /// Starts listening for connections of the shims.
        ///
        /// # Errors
        /// If the socket cannot be awaited.
        pub(crate) fn listening(self) -> io::Result<ListenerHandover> {
            self.listener.set_nonblocking(true)?;
            Ok(ListenerHandover(tokio::net::UnixListener::from_std(self.listener)?))
        }
    }

    /// The socket at which the shims of confined servers hand over listeners.
    pub(crate) struct ListenerHandover(tokio::net::UnixListener);

    impl ListenerHandover {
        /// The listeners that the next shim hands over, which are in the network of its server.
        ///
        /// # Errors
        /// If it hands nothing over.
        pub(crate) async fn next(&self) -> io::Result<Vec<tokio::net::TcpListener>> {
            let (from, _) = self.0.accept().await?;
            let listeners = from.async_io(tokio::io::Interest::READABLE, || handed::take(&from)).await?;
            let usable = listeners.into_iter().map(|listener| {
                listener.set_nonblocking(true)?;
                tokio::net::TcpListener::from_std(listener)
            });
            usable.collect()
        }
    }

    /// Variables that tell launchers that there is no network.
    const WITHOUT_NETWORK: [(&str, &str); 6] = [
        ("npm_config_offline", "true"),
        ("npm_config_update_notifier", "false"),
        ("UV_OFFLINE", "1"),
        ("GOPROXY", "off"),
        ("CARGO_NET_OFFLINE", "true"),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ];

    /// A committer's name for git, because the confined home contains none.
    const COMMITTER: [(&str, &str); 4] = [
        ("GIT_AUTHOR_NAME", "mcp-errconf"),
        ("GIT_AUTHOR_EMAIL", "mcp-errconf@example.com"),
        ("GIT_COMMITTER_NAME", "mcp-errconf"),
        ("GIT_COMMITTER_EMAIL", "mcp-errconf@example.com"),
    ];

    /// The root of the last server that was started; most servers are started many times.
    static LAST: Mutex<Option<(ServerCommand, RunConfinement, Arc<Root>)>> = Mutex::new(None);

    impl RunConfinement {
        /// Builds the command that starts a confined server; the server's own words follow as arguments.
        pub(in super::super) fn builder(
            &self,
            command: &super::super::Command,
        ) -> Result<tokio::process::Command, String> {
            let confiner = &self.confiner;
            let settings = ShimSettings {
                task: ShimTask::Start,
                namespaces: confiner.namespaces,
                root: Root::clone(&*self.root(&start(command, self)?)?),
                ports: confiner.ports.clone(),
                taker: confiner.taker.clone(),
            };
            let mut builder = tokio::process::Command::new(&confiner.shim);
            for name in &confiner.kept_back {
                // The harness's own service takes any key: what is made up lets the server get as far as its requests.
                let value = std::env::var(name).ok().filter(|_| !confiner.ports.is_empty());
                match value.as_deref().and_then(crate::secret::made_up) {
                    Some(made_up) => builder.env(name, made_up),
                    None => builder.env_remove(name),
                };
            }
            // Makes launchers take packages from their cache instead of waiting for a network.
            builder
                .envs(WITHOUT_NETWORK)
                .envs(COMMITTER)
                .env("TMPDIR", &self.temporary)
                .env(VARIABLE, settings.written()?);
            Ok(builder)
        }

        fn root(&self, start: &ServerCommand) -> Result<Arc<Root>, String> {
            let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, _, root)) = last.as_ref().filter(|(of, within, _)| of == start && within == self)
            {
                return Ok(Arc::clone(root));
            }
            let openings = &self.confiner.openings;
            let opened = layout::OpenedPaths {
                read: &openings.allow_read,
                write: &openings.allow_write,
                run: &start.own,
                base: &self.temporary,
                home: self.confiner.home,
            };
            let root = Arc::new(layout::root(start, opened)?);
            *last = Some((start.clone(), self.clone(), Arc::clone(&root)));
            Ok(root)
        }
    }

    fn start(command: &super::super::Command, within: &RunConfinement) -> Result<ServerCommand, String> {
        let cwd = match &command.cwd {
            Some(cwd) => cwd.canonicalize(),
            None => std::env::current_dir().and_then(|cwd| cwd.canonicalize()),
        };
        let cwd = cwd.map_err(|error| format!("cannot find the server's working folder: {error}"))?;
        let set = |name: &str| {
            command.env.iter().rev().find(|(set, _)| set == name).map(|(_, value)| OsString::from(value))
        };
        let variable = |name: &str| set(name).or_else(|| std::env::var_os(name));
        let home = variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let path = variable("PATH").unwrap_or_default();
        Ok(ServerCommand {
            words: command.words.clone(),
            values: command.env.iter().map(|(_, value)| value.clone()).collect(),
            cwd,
            home: home.and_then(|home| home.canonicalize().ok()),
            path: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            own: within.folders.iter().chain([&within.temporary]).cloned().collect(),
        })
    }
}

/// Listeners cannot be taken on this system.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct Taker(std::convert::Infallible);

#[cfg(not(target_os = "linux"))]
impl Taker {
    /// Always fails.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> std::io::Result<Self> {
        Err(std::io::Error::other("a server can be confined only on Linux"))
    }

    /// Cannot be called.
    pub(crate) fn name(&self) -> &str {
        match self.0 {}
    }

    /// Cannot be called.
    pub(crate) fn listening(self) -> std::io::Result<Self> {
        match self.0 {}
    }

    /// Cannot be called.
    pub(crate) async fn next(&self) -> std::io::Result<Vec<tokio::net::TcpListener>> {
        match self.0 {}
    }
}

#[cfg(not(target_os = "linux"))]
impl RunConfinement {
    /// Always fails: there is no confinement on this system.
    pub(super) fn builder(&self, _: &super::Command) -> Result<tokio::process::Command, String> {
        Err("a server can be confined only on Linux".to_owned())
    }
}

/// Becomes the confined server that this program was started for, or starts it; see [`super::run_as_helper`].
#[cfg(target_os = "linux")]
pub(super) fn run_as_helper() -> Option<std::process::ExitCode> {
    shim::run_as_helper()
}

/// This program is never a shim on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn run_as_helper() -> Option<std::process::ExitCode> {
    None
}
