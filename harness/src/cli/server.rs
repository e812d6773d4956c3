//! Which server a run is about: the one after `--`, else the bundled one, never one by oversight.

use std::path::{Path, PathBuf};

use clap::Args;
use mcp_errconf::bundled;

use super::fault::Failure;

/// Where a user keeps the configuration, in the working folder.
const CONFIGURATION: &str = "mcp-errconf.toml";

/// The options that choose the server.
#[derive(Debug, Args)]
pub(crate) struct ServerChoice {
    /// Judge the bundled reference server, whatever configuration is here
    #[arg(long, conflicts_with = "server")]
    bundled: bool,
    /// The server's command line; `{workspace}` stands for the folder that the harness prepares
    #[arg(last = true, value_name = "SERVER")]
    server: Vec<String>,
}

/// The server under test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// The user's, by its command line.
    Given(Vec<String>),
    /// The reference server in this very program.
    Bundled,
}

/// Whether a configuration lies in the working folder that is passed over; the run then says so.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// There is none.
    Absent,
    /// It is there, and `--bundled` says that it is not meant.
    PassedOver,
}

impl ServerChoice {
    /// The server that is meant.
    pub(crate) fn server(&self) -> Result<(Server, Configuration), Failure> {
        let has_configuration = Path::new(CONFIGURATION).symlink_metadata().is_ok();
        let server = match self.server.first().map(String::as_str) {
            Some("") => return Err(Failure::Usage("the server's command after `--` is empty".to_owned())),
            Some(_) => Server::Given(self.server.clone()),
            None if std::env::args_os().any(|argument| argument == "--") => {
                return Err(Failure::Usage(
                    "nothing stands after `--`: name the server's command there, or leave `--` out for the \
                     bundled server"
                        .to_owned(),
                ));
            }
            None => Server::Bundled,
        };
        match (has_configuration, self.bundled) {
            (false, _) => Ok((bundled_only_where_it_is_built(server)?, Configuration::Absent)),
            (true, true) => Ok((bundled_only_where_it_is_built(server)?, Configuration::PassedOver)),
            (true, false) => Err(Failure::Usage(refusal(&server))),
        }
    }
}

fn refusal(server: &Server) -> String {
    let next = match server {
        Server::Given(_) => "run from another folder, or move the file away".to_owned(),
        Server::Bundled => {
            "name your server's command after `--` and run from another folder, or say `--bundled` if the bundled \
             server is meant"
                .to_owned()
        }
    };
    format!(
        "`{CONFIGURATION}` lies in this folder, and configuration files are not in this version: it would be \
         ignored; {next}"
    )
}

fn bundled_only_where_it_is_built(server: Server) -> Result<Server, Failure> {
    match server {
        Server::Bundled if cfg!(not(feature = "reference-server")) => Err(Failure::Usage(format!(
            "this lean build has no bundled server: name yours, `mcp-errconf run -- SERVER`, or {LEAN}"
        ))),
        server => Ok(server),
    }
}

/// How to get what a lean build lacks.
pub(crate) const LEAN: &str = "build mcp-errconf with its default features (without `--no-default-features`)";

/// The command line of the bundled server: this very program.
pub(crate) fn bundled_command(contract: &str) -> Result<Vec<String>, Failure> {
    Ok(bundled::command(&this_program()?, contract, None))
}

/// This program's own executable, whose name can be told to it.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Fault(format!("this program's own path cannot be told: {error}")))?;
    match program.to_str() {
        Some(_) => Ok(program),
        None => Err(Failure::Usage(format!(
            "the path of this program is not UTF-8: {}; move it",
            program.display()
        ))),
    }
}
