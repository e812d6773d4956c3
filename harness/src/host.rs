//! The files in which hosts keep the servers that they start: Claude's, VS Code's, Cursor's and Zed's.
//!
//! The main types are [`HostFile`], a file that was read, and [`Launch`], how one of its servers is started.
//! Variables are replaced as the host would; a variable that only the host knows is reported. Nothing is
//! started here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::{Map, Value};

use crate::cause;
use crate::document::nearest;
use crate::secret::Concealed;

mod expand;
mod launch;

/// A host whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// `.mcp.json`, and other files with `mcpServers`.
    ClaudeCode,
    /// `claude_desktop_config.json`.
    ClaudeDesktop,
    /// `.vscode/mcp.json`, and `mcp` in its settings.
    VsCode,
    /// `.cursor/mcp.json`.
    Cursor,
    /// `context_servers` in its settings.
    Zed,
}

impl Host {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::VsCode => "VS Code",
            Self::Cursor => "Cursor",
            Self::Zed => "Zed",
        }
    }

    /// Whether its files may contain comments and trailing commas.
    fn comments(self) -> Comments {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop => Comments::Refused,
            Self::VsCode | Self::Cursor | Self::Zed => Comments::Taken,
        }
    }
}

/// Why a file, or a server in it, cannot be used: the file, the cause, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(String);

/// What a host knows about the user and the machine when it reads its file.
#[derive(Debug, Clone, Default)]
pub struct HostEnvironment {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The working folder, for files that belong to no project.
    pub working: PathBuf,
    /// The environment.
    pub variables: BTreeMap<String, String>,
}

impl HostEnvironment {
    /// The environment of this process.
    pub fn here() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self {
            home: std::env::home_dir(),
            working: std::env::current_dir().unwrap_or_default(),
            variables: variables.collect(),
        }
    }
}

/// How to start a server, as its host would, with all variables replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The file, as it was named.
    pub file: PathBuf,
    /// The server's name in it.
    pub name: String,
    /// The program and its arguments; never empty.
    pub command: Vec<String>,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// Its working folder; `None` for that of this process.
    pub cwd: Option<PathBuf>,
    /// The secrets in all of these.
    pub concealed: Concealed,
    /// Notes for the user: variables that the host would pass on unchanged.
    pub remarks: Vec<String>,
}

/// A host's file.
#[derive(Debug)]
pub struct HostFile {
    /// The file, as it was named.
    pub path: PathBuf,
    /// The host of the file.
    pub host: Host,
    servers: Map<String, Value>,
    inputs: Vec<Value>,
}

/// The paths of hosts' files in a project's folder, with `/` as separator.
const PROJECT_FILES: [&str; 5] =
    [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", ".zed/settings.json", "claude_desktop_config.json"];

/// The hosts' files in a folder that name servers.
pub fn in_folder(folder: &Path) -> Vec<HostFile> {
    let there = PROJECT_FILES.iter().map(|file| folder.join(file)).filter(|file| file.is_file());
    let read = there.filter_map(|file| HostFile::read(file.strip_prefix(folder).unwrap_or(&file)).ok());
    read.filter(|file| !file.servers.is_empty()).collect()
}

impl HostFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is not valid for its host, or has no place for servers; with the position.
    pub fn read(path: &Path) -> Result<Self, HostError> {
        let place = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            HostError(format!(
                "cannot read `{place}`: {}; give a host's file, such as `.mcp.json`",
                cause::describe(&error)
            ))
        })?;
        Self::parse(path, &text)
    }

    /// Parses the text of a file.
    fn parse(path: &Path, text: &str) -> Result<Self, HostError> {
        let place = path.display();
        let wrong = |error: &ParseError, problem: &str| {
            HostError(format!("{place}:{}:{}: {problem}", error.line_display(), error.column_display()))
        };
        let root = json(text, Comments::Taken)
            .map_err(|error| wrong(&error, &format!("not JSON: {}", error.kind())))?;
        let Some((host, servers)) = found(path, &root) else {
            return Err(HostError(format!(
                "`{place}` has no servers: they are expected under `mcpServers` (Claude, Cursor), `servers` (VS \
                 Code) or `context_servers` (Zed)"
            )));
        };
        if host.comments() == Comments::Refused
            && let Err(error) = json(text, Comments::Refused)
        {
            let feature = match error.kind() {
                ParseErrorKind::TrailingCommasNotAllowed => "comma before a closing bracket",
                _ => "comments",
            };
            let problem = format!("{} reads plain JSON, which has no {feature}: remove it", host.name());
            return Err(wrong(&error, &problem));
        }
        let Value::Object(servers) = servers else {
            return Err(HostError(format!("`{place}`: the servers are not an object of names")));
        };
        let inputs = root.get("inputs").or_else(|| root.get("mcp")?.get("inputs"));
        let inputs = inputs.and_then(Value::as_array).cloned().unwrap_or_default();
        Ok(Self { path: path.to_owned(), host, servers: servers.clone(), inputs })
    }

    /// The servers' names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// How to start the server of this name, or the only one.
    ///
    /// # Errors
    /// If there is no such server, or several and no name; if it is reached by URL; if a variable has no value
    /// here.
    pub fn launch(&self, name: Option<&str>, environment: &HostEnvironment) -> Result<Launch, HostError> {
        let place = self.path.display();
        let all = || format!("choose one with `--server NAME`:\n{}", self.listed());
        let name = match (name, self.servers.len()) {
            (Some(name), _) if self.servers.contains_key(name) => name,
            (_, 0) => return Err(HostError(format!("`{place}` has no server"))),
            (Some(name), _) => {
                let near = nearest(name, self.names())
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                return Err(HostError(format!("`{place}` has no server `{name}`{near}; {}", all())));
            }
            (None, 1) => self.names().next().unwrap_or_default(),
            (None, count) => return Err(HostError(format!("`{place}` has {count} servers; {}", all()))),
        };
        launch::launch(self, name, &self.servers[name], environment)
    }

    /// A line for each server: its name and its command.
    fn listed(&self) -> String {
        let width = self.names().map(|name| name.chars().count()).max().unwrap_or_default();
        let mut lines = String::new();
        for (name, entry) in &self.servers {
            // Writing to a string never fails.
            let _ = writeln!(lines, "  {name:width$}  {}", launch::shown(entry));
        }
        lines.trim_end().to_owned()
    }

    /// The folder of the project that the file belongs to; `None` for a file in the user's own settings.
    fn project(&self, environment: &HostEnvironment) -> Option<PathBuf> {
        let file = environment.working.join(&self.path);
        let folder = file.parent()?;
        let is_hosts = |name: &str| [".vscode", ".cursor", ".zed"].contains(&name);
        let project = match folder.file_name().and_then(|name| name.to_str()) {
            Some(name) if is_hosts(name) => folder.parent()?,
            _ if file.file_name().is_some_and(|name| name == ".mcp.json") => folder,
            _ => return None,
        };
        (environment.home.as_deref() != Some(project)).then(|| project.to_owned())
    }
}

/// What becomes of comments and trailing commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comments {
    Taken,
    Refused,
}

/// The JSON in a text, which may begin with a byte-order mark.
fn json(text: &str, comments: Comments) -> Result<Value, ParseError> {
    let is_taken = comments == Comments::Taken;
    let options = ParseOptions {
        allow_comments: is_taken,
        allow_trailing_commas: is_taken,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_serde_value(text.strip_prefix('\u{feff}').unwrap_or(text), &options)
}

/// The host of a file, and the object with its servers.
fn found<'v>(path: &Path, root: &'v Value) -> Option<(Host, &'v Value)> {
    let named = |part: Option<&std::ffi::OsStr>, name: &str| part.is_some_and(|part| part == name);
    if let Some(servers) = root.get("context_servers") {
        return Some((Host::Zed, servers));
    }
    if let Some(servers) = root.get("servers").or_else(|| root.get("mcp")?.get("servers")) {
        return Some((Host::VsCode, servers));
    }
    let host = match path.parent().and_then(Path::file_name) {
        _ if named(path.file_name(), "claude_desktop_config.json") => Host::ClaudeDesktop,
        folder if named(folder, ".cursor") => Host::Cursor,
        _ => Host::ClaudeCode,
    };
    root.get("mcpServers").map(|servers| (host, servers))
}

#[cfg(test)]
mod tests;
