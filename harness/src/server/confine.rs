//! A server that is kept from harm: it writes in the workspace alone, and reaches nobody but itself. Linux only.
//!
//! The main type is [`Confiner`], which was tried out on this machine before anything depends on it. A confined server is
//! started by this program itself, called again in another role: the shim confines itself and then becomes the server, so
//! that process group, signals, marks and exit status are the server's own. Nothing is done between fork and exec.

use std::path::{Path, PathBuf};

use crate::confinement::{Confined, Network};

mod environment;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod shim;
#[cfg(target_os = "linux")]
mod trial;

use environment::kept_back;

/// What may be asked of a confinement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Openings {
    /// Folders below which the server may write too.
    pub allow_write: Vec<PathBuf>,
    /// Environment variables that are handed on though they look like secrets.
    pub env: Vec<String>,
}

/// A way to confine servers that works on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confiner {
    /// The program that is the shim: this one.
    shim: PathBuf,
    network: Network,
    /// The harness's own ports, for which the port rules have a hole; the loopback of a namespace has them not.
    ports: Vec<u16>,
    openings: Openings,
    kept_back: Vec<String>,
}

impl Confiner {
    /// Tries out on this machine what can be had. `shim` is the program whose `main` begins with [`enter`].
    ///
    /// # Errors
    /// When a server cannot be confined here; with the reason.
    #[cfg(target_os = "linux")]
    pub fn try_out(shim: &Path, openings: Openings) -> Result<Self, String> {
        let network = trial::network(shim)?;
        Ok(Self::of(shim, network, openings))
    }

    /// Elsewhere there is no Landlock.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn try_out(_: &Path, _: Openings) -> Result<Self, String> {
        Err("a server can be confined on Linux alone".to_owned())
    }

    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing can be confined there"))]
    fn of(shim: &Path, network: Network, openings: Openings) -> Self {
        let variables = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        let kept_back = kept_back(variables, &openings.env);
        Self { shim: shim.to_owned(), network, ports: Vec::new(), openings, kept_back }
    }

    /// The same by port rules, where servers are to reach these ports of this computer: the harness's own.
    ///
    /// # Errors
    /// When there are no port rules on this machine; with the reason.
    #[cfg(target_os = "linux")]
    pub fn by_ports(self, ports: Vec<u16>) -> Result<Self, String> {
        trial::attempt(&self.shim, Network::Ports)?;
        Ok(Self { network: Network::Ports, ports, ..self })
    }

    /// Elsewhere there are none.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn by_ports(self, _: Vec<u16>) -> Result<Self, String> {
        Err("a server can be confined on Linux alone".to_owned())
    }

    /// What will be in force.
    pub fn confined(&self) -> Confined {
        let allowed = self.openings.allow_write.iter();
        Confined {
            network: self.network,
            allow_write: allowed.map(|folder| folder.display().to_string()).collect(),
            kept_back: self.kept_back.clone(),
        }
    }

    /// The walls of one run: the server may write below `workspace` and `temporary`.
    pub fn enclosure(&self, workspace: &Path, temporary: &Path) -> Enclosure {
        Enclosure { confiner: self.clone(), workspace: workspace.to_owned(), temporary: temporary.to_owned() }
    }
}

/// The walls around the servers of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enclosure {
    confiner: Confiner,
    workspace: PathBuf,
    /// A temporary folder that nobody else has.
    temporary: PathBuf,
}

#[cfg(target_os = "linux")]
impl Enclosure {
    /// Begins the command that starts a server within the walls: the server's own words follow as arguments.
    pub(super) fn builder(&self) -> Result<tokio::process::Command, String> {
        let folders =
            [&self.workspace, &self.temporary].into_iter().chain(&self.confiner.openings.allow_write);
        let write = folders.map(|folder| match folder.to_str() {
            Some(folder) => Ok(folder.to_owned()),
            None => Err(format!("the name of the folder {} is not UTF-8", folder.display())),
        });
        let settings = settings::Settings {
            task: settings::Task::Start,
            network: self.confiner.network,
            write: write.collect::<Result<_, _>>()?,
            ports: self.confiner.ports.clone(),
        };
        let mut builder = tokio::process::Command::new(&self.confiner.shim);
        for name in &self.confiner.kept_back {
            builder.env_remove(name);
        }
        builder.env("TMPDIR", &self.temporary).env(settings::VARIABLE, settings.written()?);
        Ok(builder)
    }
}

#[cfg(not(target_os = "linux"))]
impl Enclosure {
    /// Nobody can have one there.
    pub(super) fn builder(&self) -> Result<tokio::process::Command, String> {
        Err("a server can be confined on Linux alone".to_owned())
    }
}

/// Becomes the server that this program was called again for, confined; gives the exit status where that cannot be done.
/// None where it was called for something else. It must come first in `main`: a process with several threads cannot leave
/// its namespaces.
#[cfg(target_os = "linux")]
pub fn enter() -> Option<std::process::ExitCode> {
    shim::enter()
}

/// Elsewhere it never is.
#[cfg(not(target_os = "linux"))]
pub fn enter() -> Option<std::process::ExitCode> {
    None
}
