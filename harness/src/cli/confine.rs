//! The options that keep a server from doing harm: `--confine`, `--allow-write`, `--allow-destructive`,
//! `--env`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mcp_errconf::config::Config;
use mcp_errconf::drive::{Confine, Destructive, Safety, SecondSession};
use mcp_errconf::server::{Bounds, ConfinementOptions, Confiner, container};

use super::failure::Failure;
use super::server::{self, ServerUnderTest};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SafetyOptions {
    /// Keep the server from doing harm (Linux only): it sees only system files, its own program files and the
    /// workspace; its writes elsewhere are discarded; it reaches nothing but its own loopback; and it gets no
    /// environment variable that looks like a secret. `auto` confines where the machine allows it: `run` then adds a
    /// second, confined session in which every tool gets complete calls; where it cannot confine, `fuzz` sends complete
    /// calls only to read-only tools
    #[arg(long, value_enum, value_name = "WHEN")]
    confine: Option<ConfineMode>,
    /// A further folder that a confined server may read; without this it sees nothing of HOME except its own program
    /// files
    #[arg(long, value_name = "DIR")]
    allow_read: Vec<PathBuf>,
    /// A further folder that a confined server may write to
    #[arg(long, value_name = "DIR")]
    allow_write: Vec<PathBuf>,
    /// Send calls that may change something even if `--confine auto` could not confine the server
    #[arg(long)]
    allow_destructive: bool,
    /// Pass this environment variable to a confined server even if it looks like a secret
    #[arg(long, value_name = "NAME")]
    pub(crate) env: Vec<String>,
}

/// When a server is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConfineMode {
    Auto,
    On,
    Off,
}

impl SafetyOptions {
    /// When the server is confined.
    fn mode(&self) -> ConfineMode {
        self.confine.unwrap_or(ConfineMode::Auto)
    }

    /// The requested safety, tested on this machine.
    pub(crate) fn safety(&self, config: &Config, server: &ServerUnderTest) -> Result<Safety, Failure> {
        let (confine, usual) = match self.mode() {
            ConfineMode::Off => {
                self.refuse_without_confinement()?;
                (Confine::Off, Bounds::default())
            }
            mode => match self.confiner(server)? {
                Ok(confiner) => (Confine::By(confiner), Bounds::usual()),
                Err(why) if mode == ConfineMode::On => {
                    return Err(Failure::Usage(format!(
                        "`--confine on`: the server cannot be confined here: {why}; `--confine auto` goes on \
                         with read-only tools"
                    )));
                }
                Err(why) => (Confine::Unavailable(why), Bounds::default()),
            },
        };
        Ok(Safety {
            confine,
            destructive: if self.allow_destructive { Destructive::Allowed } else { Destructive::Withheld },
            bounds: config.bounds.or(usual),
            second: SecondSession::Unasked,
        })
    }

    /// The safety of a run. With `auto` the server is driven twice: without confinement, and then, if
    /// available, in confinement with the calls that the first session withholds.
    pub(crate) fn safety_of_a_run(
        &self,
        config: &Config,
        server: &ServerUnderTest,
    ) -> Result<Safety, Failure> {
        let safety = self.safety(config, server)?;
        if self.mode() == ConfineMode::On {
            return Ok(safety);
        }
        let second = match &safety.confine {
            Confine::By(_) => SecondSession::By(Box::new(safety.clone())),
            Confine::Unavailable(why) => SecondSession::Missing(why.clone()),
            Confine::Off => SecondSession::Missing("`--confine off` was given".to_owned()),
        };
        Ok(Safety { confine: Confine::Off, bounds: config.bounds, second, ..safety })
    }

    /// These options, and beneath them the given ones of a campaign. Relative folders of these are below `here`.
    pub(crate) fn over(self, campaign: Self, here: &Path) -> Self {
        let joined = |own: Vec<PathBuf>, campaign: Vec<PathBuf>| {
            campaign.into_iter().chain(own.iter().map(|folder| here.join(folder))).collect()
        };
        Self {
            confine: self.confine.or(campaign.confine),
            allow_read: joined(self.allow_read, campaign.allow_read),
            allow_write: joined(self.allow_write, campaign.allow_write),
            allow_destructive: self.allow_destructive || campaign.allow_destructive,
            env: campaign.env.into_iter().chain(self.env).collect(),
        }
    }

    /// Refuses options that widen a confinement if there is none.
    fn refuse_without_confinement(&self) -> Result<(), Failure> {
        let given = [
            ("--allow-read", !self.allow_read.is_empty()),
            ("--allow-write", !self.allow_write.is_empty()),
            ("--env", !self.env.is_empty()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::Usage(format!(
                "`{option}` gives a confined server more access, but this one is not confined; add \
                 `--confine on`"
            ))),
            None => Ok(()),
        }
    }

    /// A confiner that works on this machine and for this server, or the reason why there is none.
    fn confiner(&self, server: &ServerUnderTest) -> Result<Result<Confiner, String>, Failure> {
        let openings = ConfinementOptions {
            allow_read: resolved("--allow-read", &self.allow_read)?,
            allow_write: resolved("--allow-write", &self.allow_write)?,
            env: self.env.clone(),
        };
        if let Some(words) = container(server.words()) {
            return Ok(Err(format!(
                "`{words}` starts the server in a container, which belongs to the container engine and \
                 cannot be confined from here"
            )));
        }
        let tried = Confiner::try_out(&server::this_program()?, openings);
        Ok(tried.map_err(|unconfinable| unconfinable.to_string()))
    }
}

/// The folders in an option, with all links resolved.
fn resolved(option: &str, folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let found = folders.iter().map(|folder| {
        let found = folder.canonicalize().ok().filter(|found| found.is_dir());
        found.ok_or_else(|| {
            Failure::Usage(format!(
                "`{option} {}`: there is no such folder; create it \
                first",
                folder.display()
            ))
        })
    });
    found.collect()
}
