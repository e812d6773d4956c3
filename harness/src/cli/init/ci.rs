//! The file with which a code host runs `mcp-errconf` on each change.

use std::fs;
use std::path::Path;

use mcp_errconf::{atomic_file, cause};

use crate::cli::failure::Failure;

/// A code host that runs CI files of a repository.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum CodeHost {
    Github,
    Gitlab,
}

/// GitLab's main CI file.
const GITLAB: &str = ".gitlab-ci.yml";
/// Our own file for GitLab, if the main file exists.
const GITLAB_PART: &str = ".gitlab/mcp-errconf.yml";

impl CodeHost {
    /// The file to write: GitLab reads only one, so a second file is written if that exists.
    fn file(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/mcp-errconf.yml",
            Self::Gitlab if is_there(GITLAB) => GITLAB_PART,
            Self::Gitlab => GITLAB,
        }
    }

    /// The text of the file, for this version of the program.
    fn text(self) -> String {
        let text = match self {
            Self::Github => include_str!("github.yml"),
            Self::Gitlab => include_str!("gitlab.yml"),
        };
        text.replace("{version}", env!("CARGO_PKG_VERSION"))
    }

    /// Checks that no file would be overwritten.
    pub(super) fn check(self) -> Result<(), Failure> {
        let file = self.file();
        if !is_there(file) {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "`{file}` already exists, and `init` never overwrites a file: move it away first, or leave out `--ci`"
        )))
    }

    /// Writes the file; returns what was written and what is left to do.
    pub(super) fn write(self) -> Result<String, Failure> {
        let name = self.file();
        let file = Path::new(name);
        file.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| unwritten(name, &error))?;
        atomic_file::write(file, self.text().as_bytes()).map_err(|error| unwritten(name, &error))?;
        let mut message = format!(
            "wrote `{name}`: add the steps that build or install the server, and commit it with the \
             configuration\n"
        );
        if name == GITLAB_PART {
            message.push_str(&format!("and in `{GITLAB}`, under `include:`, add `- local: {GITLAB_PART}`\n"));
        }
        if !Path::new(".git").exists() {
            message.push_str(
                "it is read only at the root of a repository, which this folder is not: move it there, and \
                 let its job work in this folder\n",
            );
        }
        Ok(message)
    }
}

fn is_there(file: &str) -> bool {
    Path::new(file).symlink_metadata().is_ok()
}

fn unwritten(name: &str, error: &std::io::Error) -> Failure {
    Failure::Usage(format!(
        "cannot write `{name}`: {}; run this in a folder that you can write to",
        cause::describe(error)
    ))
}
