//! Combines options and configuration into an assignment: options take precedence over the file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use mcp_errconf::baseline::Baseline;
use mcp_errconf::config::{self, Config, FILE_NAME};
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::drive::{Assignment, DriveOptions, Safety, ServerSpec};
use mcp_errconf::plan::{ProbeChoice, service_faults};
use mcp_errconf::report::Promises;
use mcp_errconf::transcript::Chosen;

use super::baseline_file::{ACCEPT_NEW, BaselineFile, BaselineUpdate};
use super::failure::Failure;
use super::server::{self, ServerChoice, ServerUnderTest, bundled_command};
use super::{Terminal, case_source, console};

/// The deadline of the server's start.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The default deadline of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

/// The options that a configuration can also give, and those that name it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfigOptions {
    /// Configuration file [default: `mcp-errconf.toml` in the working folder, if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// File of accepted findings: these are reported as known and do not fail the run
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Remove from the baseline what has been fixed, and print what was removed
    #[arg(long)]
    update_baseline: bool,
    /// Add everything found now to the baseline, and print what was added; also accept new texts of `--snapshots`
    #[arg(long)]
    accept_new: bool,
}

/// The configuration of a run, and the path of its file.
#[derive(Default)]
pub(crate) struct Configured {
    pub(crate) config: Config,
    pub(crate) file: Option<PathBuf>,
}

impl ConfigOptions {
    /// The configuration to use. With `--bundled` one that is found in the folder is ignored.
    pub(crate) fn configured(
        &self,
        choice: &ServerChoice,
        terminal: &Terminal,
    ) -> Result<Configured, Failure> {
        let found = Path::new(FILE_NAME);
        let file = match &self.config {
            Some(file) => file.clone(),
            None if found.symlink_metadata().is_err() => return Ok(Configured::default()),
            None if choice.bundled => {
                if !terminal.quiet {
                    console::remark(&format!(
                        "`{FILE_NAME}` is ignored, because it is not for the bundled server"
                    ));
                }
                return Ok(Configured::default());
            }
            None => found.to_owned(),
        };
        let mut config = config::load(&file)?;
        let value = |name: &str| std::env::var(name).ok();
        if choice.bundled {
            // What it says about another server's process and tools does not apply to this one.
            (config.server, config.roles, config.tools, config.coverage) = Default::default();
        }
        config.server.expand(&value).map_err(Failure::Usage)?;
        Ok(Configured { config, file: Some(file) })
    }

    /// The baseline to use.
    pub(crate) fn baseline(&self, configured: &Configured) -> Result<BaselineFile, Failure> {
        let path = self.baseline.clone().or_else(|| configured.config.baseline.clone());
        let update = self.update();
        let Some(file) = &path else {
            return Ok(BaselineFile { accepted: Baseline::default(), path, update });
        };
        let accepted = match file.symlink_metadata().is_ok() {
            true => Baseline::load(file)?,
            false if update.adds => Baseline::default(),
            false => {
                return Err(Failure::Usage(format!(
                    "the baseline `{}` does not exist; `{ACCEPT_NEW}` creates it from what is found now",
                    file.display()
                )));
            }
        };
        Ok(BaselineFile { accepted, path, update })
    }

    /// These options, with the configuration of a campaign if these name none. A relative file of these is below `here`.
    pub(crate) fn over(self, campaign: Self, here: &Path) -> Self {
        Self { config: self.config.map(|file| here.join(file)).or(campaign.config), ..self }
    }

    /// How the baseline is to be updated.
    pub(crate) fn update(&self) -> BaselineUpdate {
        BaselineUpdate { removes: self.update_baseline, adds: self.accept_new }
    }
}

/// The server that a command tests, which must be named.
pub(crate) fn server(
    command: &str,
    choice: &ServerChoice,
    configured: &Configured,
) -> Result<ServerUnderTest, Failure> {
    let server = choice.server(&configured.config.server)?;
    server.ok_or_else(|| server::unnamed(command, &server::no_server(configured.file.as_deref())))
}

/// The assignment of a run with all cases and the usual number of probes.
pub(crate) fn assignment(
    flag: Option<&str>,
    timeout: Option<Duration>,
    safety: Safety,
    configured: &Configured,
    server: ServerUnderTest,
) -> Result<Assignment, Failure> {
    let config = &configured.config;
    let (mut contract, chosen) = contract(flag, config)?;
    config.document(&mut contract);
    let bundled = server == ServerUnderTest::Bundled;
    let suite = case_source::suite(None)?;
    let mut env = config.server.env.clone();
    let mut concealed = config.server.concealed.clone();
    let mut cwd = config.server.cwd.clone();
    let command = match server {
        ServerUnderTest::Given(command) => command,
        ServerUnderTest::From(launch) => {
            for remark in &launch.remarks {
                console::remark(remark);
            }
            concealed.extend(&launch.concealed);
            // The configuration takes precedence for the same server.
            for (name, value) in launch.env {
                env.entry(name).or_insert(value);
            }
            cwd = cwd.or(launch.cwd);
            launch.command
        }
        // The bundled server cannot keep a contract from a folder; it is judged by that anyway.
        ServerUnderTest::Bundled => bundled_command(mcp_errconf::bundled::kept_contract(&contract.id))?,
    };
    let timeout = timeout.or(config.server.timeout).unwrap_or(CALL_TIMEOUT);
    Ok(Assignment {
        server: ServerSpec { command, bundled, cwd, env, concealed, streams: None }.with_inherited(),
        unset: Vec::new(),
        contract,
        chosen: if bundled { Chosen::Flag } else { chosen },
        limits: if bundled { mcp_errconf::bundled::limits() } else { config.limits.clone() },
        roles: config.roles.clone(),
        tools: config.tools.clone(),
        levels: config.levels.clone(),
        probes: ProbeChoice { most: ProbeChoice::USUAL, filter: None, faults: service_faults(&suite) },
        suite,
        timeout,
        // Whoever gives a slow server time for each call expects no less for its start.
        start_timeout: timeout.max(START_TIMEOUT),
        seed: 0,
        options: DriveOptions::default(),
        safety,
    })
}

/// The contract given by the option, or the configuration, or else the default one.
pub(crate) fn contract(flag: Option<&str>, config: &Config) -> Result<(Contract, Chosen), Failure> {
    let (contract, chosen) = chosen_contract(flag, config)?;
    let named = flag.or(config.contract.as_ref().map(|(name, _)| name.as_str()));
    let checked = match named {
        // Any of them may be detected.
        Some(case_source::AUTO) => config.check_statuses(contract::builtin()),
        _ => config.check_statuses([&contract]),
    };
    checked.map_err(Failure::Usage)?;
    Ok((contract, chosen))
}

fn chosen_contract(flag: Option<&str>, config: &Config) -> Result<(Contract, Chosen), Failure> {
    match (flag, &config.contract) {
        (None, Some((name, place))) if name != case_source::AUTO => {
            let (contract, _) = case_source::contract(Some(name)).map_err(|failure| match failure {
                Failure::Usage(cause) => Failure::Usage(format!("{place}: {cause}")),
                other => other,
            })?;
            Ok((contract, Chosen::Config))
        }
        (flag, _) => case_source::contract(flag),
    }
}

/// Whether the contract is to be detected from the replies.
pub(crate) fn is_auto(flag: Option<&str>, configured: &Configured) -> bool {
    let named = configured.config.contract.as_ref().map(|(name, _)| name.as_str());
    flag.or(named) == Some(case_source::AUTO)
}

/// The sentences behind the requirements of the contract, or if it is to be detected, of every contract.
pub(crate) fn promises(is_auto: bool, contract: &Contract) -> Promises {
    match is_auto {
        true => Promises::of_each(contract::builtin()),
        false => Promises::new(contract),
    }
}
