//! Which server a run is about: the one after `--`, or else the bundled one, but never by mistake.

use std::path::{Path, PathBuf};

use clap::Args;
use mcp_errconf::bundled;
use mcp_errconf::host::Launch;

use super::failure::Failure;
use super::from::{self, FromOptions};

/// The options that choose the server.
#[derive(Debug, Args)]
pub(crate) struct ServerChoice {
    /// Judge the bundled reference server, even if there is a configuration file
    #[arg(long, conflicts_with_all = ["server", "from"])]
    bundled: bool,
    #[command(flatten)]
    from: FromOptions,
    /// The server's command line; `{workspace}` stands for the folder that the harness prepares, `{upstream}` for the
    /// address of its HTTP stub
    #[arg(last = true, value_name = "SERVER")]
    server: Vec<String>,
}

/// The server under test.
#[derive(Debug, PartialEq, Eq)]
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
}

impl ServerUnderTest {
    /// The host's file that it was taken from, and its name there.
    pub(crate) fn taken(&self) -> Option<(PathBuf, String)> {
        match self {
            Self::From(launch) => Some((launch.file.clone(), launch.name.clone())),
            Self::Given(_) | Self::Bundled => None,
        }
    }
}

/// Other sources for a server besides the command line, and signs that one was forgotten.
pub(crate) struct ServerSources<'a> {
    /// `[server] command` of the configuration.
    pub(crate) command: &'a [String],
    /// `[server] from` and `name` of the configuration.
    pub(crate) from: Option<&'a (PathBuf, Option<String>)>,
    /// The configuration's file, if there is one.
    pub(crate) configuration: Option<&'a Path>,
    /// The baseline's file, if there is one.
    pub(crate) baseline: Option<&'a Path>,
}

impl ServerChoice {
    /// Whether the bundled server was requested.
    pub(crate) fn is_bundled(&self) -> bool {
        self.bundled
    }

    /// Whether a server was given in any way.
    pub(crate) fn is_given(&self) -> bool {
        self.bundled || self.from.is_given() || !self.server.is_empty()
    }

    /// The options that name it as words of a command line, each with its value.
    pub(crate) fn again(&self) -> Vec<Vec<String>> {
        let bundled = self.bundled.then(|| vec!["--bundled".to_owned()]);
        bundled.into_iter().chain(self.from.again()).collect()
    }

    /// Its command line is given.
    pub(crate) fn is_command(&self) -> bool {
        !self.server.is_empty()
    }

    /// The server that is meant: never the bundled one by oversight.
    pub(crate) fn server(&self, sources: &ServerSources<'_>) -> Result<ServerUnderTest, Failure> {
        if let Some(launch) = self.from.launch()? {
            return Ok(ServerUnderTest::From(Box::new(launch)));
        }
        match self.server.first().map(String::as_str) {
            Some("") => Err(Failure::Usage("the server's command after `--` is empty".to_owned())),
            Some(_) => Ok(ServerUnderTest::Given(self.server.clone())),
            None if std::env::args_os().any(|argument| argument == "--") => Err(Failure::Usage(
                "there is nothing after `--`: put the server's command there, or leave out `--` to use the \
                 bundled server"
                    .to_owned(),
            )),
            None if self.bundled => bundled_only_where_it_is_built(ServerUnderTest::Bundled),
            None if !sources.command.is_empty() => Ok(ServerUnderTest::Given(sources.command.to_vec())),
            None if sources.from.is_some() => {
                let launch =
                    sources.from.map(|(file, name)| from::launch(file, name.as_deref())).transpose()?;
                launch.map_or_else(
                    || bundled_only_where_it_is_built(ServerUnderTest::Bundled),
                    |launch| Ok(ServerUnderTest::From(Box::new(launch))),
                )
            }
            None => match sources.configuration.or(sources.baseline) {
                Some(file) => Err(Failure::Usage(refusal(file, sources.configuration.is_some()))),
                None => bundled_only_where_it_is_built(ServerUnderTest::Bundled),
            },
        }
    }
}

fn refusal(file: &Path, is_configuration: bool) -> String {
    let (problem, next) = match is_configuration {
        true => ("names no server", "add `[server] command = [..]` to it, name your server after `--`"),
        false => ("is for a server, but no server is named", "name your server's command after `--`"),
    };
    format!("`{}` {problem}: {next}, or pass `--bundled` if you mean the bundled server", file.display())
}

fn bundled_only_where_it_is_built(server: ServerUnderTest) -> Result<ServerUnderTest, Failure> {
    match server {
        ServerUnderTest::Bundled if cfg!(not(feature = "reference-server")) => Err(Failure::Usage(format!(
            "this build has no bundled server: name yours, `mcp-errconf run -- SERVER`, or {LEAN}"
        ))),
        server => Ok(server),
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
