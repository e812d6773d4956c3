//! Which server a command is about. It is always named: where none is, that is a mistake, and no server is assumed.

use std::path::{Path, PathBuf};

use clap::Args;
use mcp_errconf::bundled;
use mcp_errconf::config::{FILE_NAME, ServerSettings};
use mcp_errconf::host::{self, HostEnvironment, HostFile, Launch};
use mcp_errconf::secret::BEGIN;

use super::failure::Failure;

/// The options that choose the server.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServerChoice {
    /// Use the bundled reference server, even if there is a configuration file
    #[arg(long, conflicts_with_all = ["server", "from"])]
    pub(crate) bundled: bool,
    /// Take the server from the file of a host: `.mcp.json`, `claude_desktop_config.json`, `.vscode/mcp.json`,
    /// `.cursor/mcp.json`, or Zed's `settings.json`
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    from: Option<PathBuf>,
    /// Which server of that file, by its name; not needed if there is only one
    #[arg(long = "server", id = "from_server", value_name = "NAME", requires = "from")]
    name: Option<String>,
    /// The server's command line; `{workspace}` stands for the folder that the harness prepares, `{upstream}` for the
    /// address of its HTTP stub
    #[arg(last = true, value_name = "SERVER")]
    server: Vec<String>,
}

/// The server under test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ServerUnderTest {
    /// The user's server, by its command line.
    Given(Vec<String>),
    /// The user's server, from the file of a host.
    From(Box<Launch>),
    /// The reference server in this program.
    Bundled,
}

impl ServerUnderTest {
    /// The user's command line; empty for the bundled server.
    pub(crate) fn words(&self) -> &[String] {
        match self {
            Self::Given(command) => command,
            Self::From(launch) => &launch.command,
            Self::Bundled => &[],
        }
    }

    /// The host's file that it was taken from, and its name there.
    pub(crate) fn taken(&self) -> Option<(PathBuf, String)> {
        match self {
            Self::From(launch) => Some((launch.file.clone(), launch.name.clone())),
            Self::Given(_) | Self::Bundled => None,
        }
    }
}

impl ServerChoice {
    /// Whether a server was given in any way.
    pub(crate) fn is_given(&self) -> bool {
        self.bundled || self.from.is_some() || !self.server.is_empty()
    }

    /// The same with this command line.
    pub(crate) fn with_command(self, server: Vec<String>) -> Self {
        Self { server, ..self }
    }

    /// The server that is named on the command line, or else in the configuration; `None` if neither names one.
    pub(crate) fn server(&self, configured: &ServerSettings) -> Result<Option<ServerUnderTest>, Failure> {
        if let Some(file) = &self.from {
            return Ok(Some(ServerUnderTest::From(Box::new(launch(file, self.name.as_deref())?))));
        }
        match self.server.first().map(String::as_str) {
            Some("") => Err(Failure::Usage("the server's command after `--` is empty".to_owned())),
            Some(_) if self.server.iter().any(|word| word.contains(BEGIN)) => Err(Failure::Usage(format!(
                "the server's command has a secret's name, `{BEGIN}..}}`, as reports show it: write the secret itself"
            ))),
            Some(_) => Ok(Some(ServerUnderTest::Given(self.server.clone()))),
            None if lacks_command() => Err(Failure::Usage(
                "there is nothing after `--`: put the server's command there, or leave out `--`".to_owned(),
            )),
            None if self.bundled && cfg!(not(feature = "reference-server")) => Err(Failure::Usage(format!(
                "this build has no bundled server: name yours after `--`, or {LEAN}"
            ))),
            None if self.bundled => Ok(Some(ServerUnderTest::Bundled)),
            None if !configured.command.is_empty() => {
                Ok(Some(ServerUnderTest::Given(configured.command.clone())))
            }
            None => {
                let launch = configured.from.as_ref().map(|(file, name)| launch(file, name.as_deref()));
                Ok(launch.transpose()?.map(|launch| ServerUnderTest::From(Box::new(launch))))
            }
        }
    }
}

/// How to start a server of a host's file on this machine.
pub(crate) fn launch(file: &Path, name: Option<&str>) -> Result<Launch, Failure> {
    let read = HostFile::read(file).and_then(|file| file.launch(name, &HostEnvironment::here()));
    read.map_err(|error| Failure::Usage(error.to_string()))
}

/// Whether nothing follows `--`, as when a variable of the shell is empty.
pub(crate) fn lacks_command() -> bool {
    std::env::args_os().next_back().is_some_and(|argument| argument == "--")
}

/// The refusal of a command that names no server: how to name one, with the hosts' files in the working folder. None of
/// their servers is started. `command` is the subcommand with its arguments.
pub(crate) fn unnamed(command: &str, problem: &str) -> Failure {
    let mut message = format!("{problem}. Name one:\n");
    let mut way = |label: &str, options: &str| {
        message.push_str(&format!("  {label:<22} mcp-errconf {command} {options}\n"));
    };
    way("your server", "-- ./my-server");
    let files = host::in_folder(Path::new(""));
    match files.first().and_then(|file| Some((file, file.names().next()?))) {
        Some((file, name)) => {
            way("a host's file", &format!("--from {} --server {name}", file.path.display()));
        }
        None => way("a host's file", "--from FILE --server NAME"),
    }
    #[cfg(feature = "reference-server")]
    way("the reference server", "--bundled");
    for file in &files {
        let names: Vec<&str> = file.names().collect();
        let (path, host) = (file.path.display(), file.host.name());
        message.push_str(&format!("`{path}` ({host}) names: {}\n", names.join(", ")));
    }
    Failure::Usage(message.trim_end().to_owned())
}

/// The problem that `unnamed` is told of for a command that may have a configuration.
pub(crate) fn no_server(configuration: Option<&Path>) -> String {
    match configuration {
        Some(file) => format!("no server is named, and `{}` has no `[server] command`", file.display()),
        None => format!("no server is named, and there is no `{FILE_NAME}` here"),
    }
}

/// How to get what a lean build lacks.
pub(crate) const LEAN: &str = "build mcp-errconf with its default features (without `--no-default-features`)";

/// The command line of the bundled server, which is this program.
pub(crate) fn bundled_command(contract: &str) -> Result<Vec<String>, Failure> {
    Ok(bundled::command(&this_program()?, contract, None))
}

/// The path of this program, if it can be passed on as an argument.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::Fault(format!("cannot determine this program's own path: {error}")))?;
    match program.to_str() {
        Some(_) => Ok(program),
        None => Err(Failure::Usage(format!(
            "the path of this program is not UTF-8: {}; move the program",
            program.display()
        ))),
    }
}
