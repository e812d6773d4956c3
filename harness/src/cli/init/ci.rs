//! The file with which a code host runs `mcp-errconf` on each change.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use mcp_errconf::config::{self, Config, FILE_NAME};

use crate::cli::failure::Failure;
use crate::cli::server::launch;

use super::runtime::Runtime;
use super::write;

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

/// Where the program is built from until it is published. The packages that `.ci/release` makes know the address.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// What stands for the address where it is unknown.
const SOME_REPOSITORY: &str = "https://github.com/OWNER/NAME";

/// GitHub refuses secrets whose names begin with this, except for the token that it makes itself.
const OF_GITHUB: &str = "GITHUB_";
const TOKEN_OF_GITHUB: &str = "GITHUB_TOKEN";

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
    fn text(self, runtime: Option<&Runtime>, variables: &BTreeSet<String>) -> String {
        let template = match self {
            Self::Github => include_str!("github.yml"),
            Self::Gitlab => include_str!("gitlab.yml"),
        };
        let (repository, unpublished) = match REPOSITORY {
            "" => (SOME_REPOSITORY, ": replace OWNER/NAME below by its repository"),
            known => (known, ""),
        };
        let setup = runtime.map_or("", |runtime| &runtime.language.github_step);
        template
            .replace("{version}", env!("CARGO_PKG_VERSION"))
            .replace("{repository}", repository)
            .replace("{unpublished}", unpublished)
            .replace("{setup}", setup)
            .replace("{image}", &image(runtime))
            .replace("{install}", &self.install(runtime))
            .replace("{secrets}", &self.secrets(variables))
    }

    /// The steps that install or build the server.
    fn install(self, runtime: Option<&Runtime>) -> String {
        const UNKNOWN: &str =
            "# Install or build the server here, so that the command in mcp-errconf.toml starts it.\n";
        let commands = runtime.and_then(|runtime| runtime.commands.as_deref());
        let indent = match self {
            Self::Github => "      ",
            Self::Gitlab => "    ",
        };
        match (self, commands) {
            (_, None) => format!("{indent}{UNKNOWN}"),
            (_, Some([])) => String::new(),
            (Self::Github, Some(commands)) => {
                let lines = commands.iter().map(|command| format!("{indent}    {command}\n"));
                format!("{indent}- name: Install the server\n{indent}  run: |\n{}", lines.collect::<String>())
            }
            (Self::Gitlab, Some(commands)) => {
                commands.iter().map(|command| format!("{indent}- {command}\n")).collect()
            }
        }
    }

    /// Where the values of the variables come from.
    fn secrets(self, variables: &BTreeSet<String>) -> String {
        if variables.is_empty() {
            return String::new();
        }
        match self {
            Self::Github => {
                let lines = variables
                    .iter()
                    .map(|name| format!("          {name}: ${{{{ secrets.{} }}}}\n", self.secret(name)));
                format!("        env:\n{}", lines.collect::<String>())
            }
            Self::Gitlab => {
                let names = Vec::from_iter(variables.iter().map(String::as_str)).join(", ");
                format!("  # These are masked CI/CD variables of the project: {names}.\n")
            }
        }
    }

    /// The name of the secret with the value of a variable.
    fn secret(self, variable: &str) -> &str {
        match self {
            Self::Github if variable != TOKEN_OF_GITHUB => {
                variable.strip_prefix(OF_GITHUB).unwrap_or(variable)
            }
            Self::Github | Self::Gitlab => variable,
        }
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

    /// Writes the file for the server of the configuration; returns what was written and what is left to do.
    pub(super) fn write(self) -> Result<String, Failure> {
        let config = config::load(Path::new(FILE_NAME))?;
        let cwd = config.server.cwd.clone().filter(|cwd| cwd.is_dir()).unwrap_or_default();
        let runtime = Runtime::of(&command(&config), Path::new(""), &cwd);
        let variables = config.server.env.values().flat_map(|value| config::referenced(value)).collect();
        let name = self.file();
        write(name, &self.text(runtime.as_ref(), &variables))?;
        Ok(self.told(name, runtime.as_ref(), &variables))
    }

    /// What was written, and what is left to do.
    fn told(self, name: &str, runtime: Option<&Runtime>, variables: &BTreeSet<String>) -> String {
        let mut message = format!("wrote `{name}`: commit it with the configuration\n");
        if runtime.is_none_or(|runtime| runtime.commands.is_none()) {
            message
                .push_str("first add the step that installs or builds the server, where a comment says so\n");
        }
        if REPOSITORY.is_empty() {
            message.push_str("mcp-errconf is not published yet: replace OWNER/NAME by its repository\n");
        }
        if !variables.is_empty() {
            let secrets: Vec<&str> = variables.iter().map(|name| self.secret(name)).collect();
            let _ = writeln!(message, "set these secrets on the code host: {}", secrets.join(", "));
        }
        if name == GITLAB_PART {
            let _ = writeln!(message, "and in `{GITLAB}`, under `include:`, add `- local: {GITLAB_PART}`");
        }
        if !Path::new(".git").exists() {
            message.push_str(
                "it is read only at the root of a repository, which this folder is not: move it there, and \
                 let its job work in this folder\n",
            );
        }
        message
    }
}

/// The server's command line; empty if it is unknown here.
fn command(config: &Config) -> Vec<String> {
    match &config.server.from {
        // What a host's file lacks on this machine says nothing about the code host.
        Some((file, name)) => launch(file, name.as_deref()).map(|launch| launch.command).unwrap_or_default(),
        None => config.server.command.clone(),
    }
}

/// GitLab's image with the server's runtime.
fn image(runtime: Option<&Runtime>) -> String {
    match runtime {
        Some(runtime) => format!("  image: {}\n", runtime.language.image),
        None => "  # Put an image here that has what the server needs.\n  image: debian:bookworm-slim\n"
            .to_owned(),
    }
}

fn is_there(file: &str) -> bool {
    Path::new(file).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_the_name_of_its_variable_unless_github_refuses_it() {
        let names = ["API_KEY", "GITHUB_PERSONAL_ACCESS_TOKEN", "GITHUB_TOKEN"].map(str::to_owned);
        let lines = CodeHost::Github.secrets(&names.into());
        for (variable, secret) in [
            ("API_KEY", "API_KEY"),
            ("GITHUB_PERSONAL_ACCESS_TOKEN", "PERSONAL_ACCESS_TOKEN"),
            ("GITHUB_TOKEN", "GITHUB_TOKEN"),
        ] {
            let line = format!("{variable}: ${{{{ secrets.{secret} }}}}\n");
            assert!(lines.contains(&line), "{lines}");
        }
    }
}
