//! `--from FILE --server NAME`: the server is taken from a host's file.

use std::path::{Path, PathBuf};

use clap::Args;
use mcp_errconf::host::{HostEnvironment, HostFile, Launch};

use super::failure::Failure;

/// The options that take the server from a host's file.
#[derive(Debug, Clone, Args)]
pub(crate) struct FromOptions {
    /// Take the server from the file of a host: `.mcp.json`, `claude_desktop_config.json`, `.vscode/mcp.json`,
    /// `.cursor/mcp.json`, or Zed's `settings.json`
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    from: Option<PathBuf>,
    /// Which server of that file, by its name; not needed if there is only one
    #[arg(long = "server", id = "from_server", value_name = "NAME", requires = "from")]
    name: Option<String>,
}

impl FromOptions {
    /// Whether a host's file is given.
    pub(crate) fn is_given(&self) -> bool {
        self.from.is_some()
    }

    /// The options as words of a command line, each with its value.
    pub(crate) fn again(&self) -> Vec<Vec<String>> {
        let file =
            self.from.iter().map(|file| vec!["--from".to_owned(), file.to_string_lossy().into_owned()]);
        let name = self.name.iter().map(|name| vec!["--server".to_owned(), name.clone()]);
        file.chain(name).collect()
    }

    /// The server that is named, where one is.
    pub(crate) fn launch(&self) -> Result<Option<Launch>, Failure> {
        self.from.as_deref().map(|file| launch(file, self.name.as_deref())).transpose()
    }
}

/// How to start a server of a host's file on this machine.
pub(crate) fn launch(file: &Path, name: Option<&str>) -> Result<Launch, Failure> {
    let read = HostFile::read(file).and_then(|file| file.launch(name, &HostEnvironment::here()));
    read.map_err(|error| Failure::Usage(error.to_string()))
}
