//! `mcp-errconf.toml`: what a server's author says of the server once, instead of on every command line.
//!
//! The main type is [`Config`]: a file that was read, checked, and whose paths are resolved against its own
//! folder. What depends on the server, such as whether a tool exists, is checked later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::cause;
use crate::class::ToolSetting;
use crate::contract::{Code, CodeClass, Contract};
use crate::document::{Document, LoadError, advice};
use crate::finding::LevelSetting;
use crate::roles::{ByHand, Role};
use crate::secret::Concealed;
use crate::server::Bounds;
use crate::transcript::{Limits, RootOrigin, RootReach, RootSource};

mod check;
#[cfg(test)]
mod mistakes;
mod render;
mod variables;

pub use render::{Outline, WrittenVariable, lines_for_valid, render};
pub use variables::referenced;

/// The default name of the file.
pub const FILE_NAME: &str = "mcp-errconf.toml";

/// A checked configuration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// How the server is started.
    pub server: ServerSettings,
    /// The contract's id or folder, and where it is given: `mcp-errconf.toml:3:12`.
    pub contract: Option<(String, String)>,
    /// Codes that the server documents beyond the contract's catalogue, each with its meaning.
    pub codes: BTreeMap<String, String>,
    /// The HTTP status that the server uses for a code, if it is not the contract's (A23), and where it is
    /// given.
    pub statuses: BTreeMap<String, (u16, String)>,
    /// The roles that are assigned to tools.
    pub roles: BTreeMap<Role, ByHand>,
    /// What is known about the server's limits.
    pub limits: Limits,
    /// Bounds on what the server's processes hold together.
    pub bounds: Bounds,
    /// The settings of single tools.
    pub tools: BTreeMap<String, ToolSetting>,
    /// The share of the tools that must be judged.
    pub coverage: Option<f64>,
    /// The level of single rules, by their id.
    pub levels: BTreeMap<String, LevelSetting>,
    /// The baseline's file.
    pub baseline: Option<PathBuf>,
}

/// How the server is started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerSettings {
    /// The command line, with tokens not replaced; empty if none is given.
    pub command: Vec<String>,
    /// A host's file that says how to start the server, and the server's name there.
    pub from: Option<(PathBuf, Option<String>)>,
    /// Variables added to its environment, with tokens not replaced.
    pub env: BTreeMap<String, String>,
    /// Its working folder, with tokens not replaced.
    pub cwd: Option<PathBuf>,
    /// The deadline of a call.
    pub timeout: Option<Duration>,
    /// The variables that the command and `env` take from the environment, `${NAME}`, each with its place in the file.
    pub references: BTreeMap<String, String>,
    /// Those of their values that are secrets.
    pub concealed: Concealed,
}

/// The longest allowed deadline, in seconds: a day.
pub const LONGEST_TIMEOUT: f64 = 86_400.0;

/// The content of the file, as it is written.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "mcp-errconf.toml"))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) struct ConfigFile {
    /// How the server is started.
    #[serde(default)]
    server: ServerTable,
    /// The contract to judge by: the id of a built-in one, or a folder with a `contract.toml`.
    contract: Option<String>,
    /// Codes that the server documents beyond the contract's catalogue: `CODE = "when it is sent"`.
    #[serde(default)]
    codes: BTreeMap<String, String>,
    /// The HTTP status that the server uses for a code, if it is not the contract's: `CODE = 400`.
    #[serde(default)]
    statuses: BTreeMap<String, u16>,
    /// Which tool plays a role, if the harness does not detect it: `[roles.read]`.
    #[serde(default)]
    roles: BTreeMap<String, RoleTable>,
    /// What is known about the server's limits.
    #[serde(default)]
    limits: LimitsTable,
    /// What is known about individual tools: `[tools.NAME]`.
    #[serde(default)]
    tools: BTreeMap<String, ToolSetting>,
    /// How much of the server must be judged; a run that judges less fails.
    #[serde(default)]
    coverage: CoverageTable,
    /// The level of individual rules: `"message/vague" = "off"`.
    #[serde(default)]
    levels: BTreeMap<String, LevelSetting>,
    /// The file of accepted findings, relative to this one.
    baseline: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Server"))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) struct ServerTable {
    /// The program and its arguments; `{workspace}` stands for the folder that the harness prepares.
    command: Option<Vec<String>>,
    /// The file of a host that says how the server is started, instead of `command`: `.mcp.json` and the like;
    /// relative to this file.
    from: Option<PathBuf>,
    /// The server's name in that file; not needed if there is only one.
    name: Option<String>,
    /// Variables to add to its environment; in their values `{workspace}` and `{upstream}` are replaced, and `${NAME}` by the
    /// variable of this name in the environment of `mcp-errconf`, so that no secret need be written here.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The server's working folder, relative to this file; `{workspace}` for the folder that is prepared for
    /// it, if it works in the folder in which it is started. Default: the folder in which `mcp-errconf` is
    /// started.
    cwd: Option<PathBuf>,
    /// The timeout for each call, in seconds.
    timeout: Option<f64>,
}

/// `tool`, and the tool's name for each of the role's parameters, directly or under `parameters`.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct RoleTable(BTreeMap<String, serde_json::Value>);

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Limits"))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) struct LimitsTable {
    /// Whether the server stays within the workspace. Without this key it does where its command line names
    /// `{workspace}` or another folder as its root; `false` switches the cases about paths outside it off.
    root: Option<bool>,
    /// Patterns of paths inside the root that it refuses.
    #[serde(default)]
    deny: Vec<String>,
    /// The largest file that it reads, in bytes.
    max_file_size: Option<u64>,
    /// How many background tasks may run at once.
    background_tasks: Option<u64>,
    /// How much memory its processes may use together, in bytes; if they use more, they are stopped (Linux). For a
    /// confined server the default is 4 GiB.
    memory: Option<u64>,
    /// How many processes it may have; if it has more, they are stopped (Linux). For a confined server the default is
    /// 256.
    processes: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Coverage"))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) struct CoverageTable {
    /// The share of the tools that must be judged, from 0 to 1: of the tools for which a run plans any calls, those
    /// with a case that passed or failed.
    #[cfg_attr(test, schemars(range(min = 0.0, max = 1.0)))]
    tools: Option<f64>,
}

/// Reads a configuration.
///
/// # Errors
/// When it cannot be read or is wrong; with the place and the nearest word that would have been right.
pub fn load(file: &Path) -> Result<Config, LoadError> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        let cause = cause::describe(&error);
        LoadError::whole(&name, format!("cannot be read: {cause}; `mcp-errconf init` writes one"))
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    parse(&name, &text, folder)
}

/// Reads a configuration from its text; relative paths in it lead from `folder`.
///
/// # Errors
/// See [`load`].
pub fn parse(file: &str, text: &str, folder: &Path) -> Result<Config, LoadError> {
    let document = Document::parse(file, text)?;
    let file: ConfigFile = document.read()?;
    let roles = check::check(&file, &document)?;
    let statuses = file.statuses.into_iter().map(|(code, status)| {
        let place = document.wrong_key(&["statuses", &code], "").place();
        (code, (status, place))
    });
    let statuses = statuses.collect();
    let contract = file.contract.map(|contract| {
        let place = document.wrong_value(&["contract"], "");
        let sibling = folder.join(&contract);
        let named = if sibling.is_dir() { sibling.display().to_string() } else { contract };
        (named, place.place())
    });
    let references = variables::references(&file.server, &document);
    Ok(Config {
        roles,
        server: ServerSettings {
            command: file.server.command.unwrap_or_default(),
            from: file.server.from.map(|from| (folder.join(from), file.server.name)),
            env: file.server.env,
            // The folder made for the server is not relative to the user's.
            cwd: file
                .server
                .cwd
                .map(|cwd| if cwd.starts_with("{workspace}") { cwd } else { folder.join(cwd) }),
            timeout: file.server.timeout.map(Duration::from_secs_f64),
            references,
            concealed: Concealed::default(),
        },
        contract,
        codes: file.codes,
        statuses,
        limits: Limits {
            root: file.limits.root == Some(true),
            root_origin: file.limits.root.map(|root| RootOrigin {
                source: RootSource::Configuration,
                given: format!("root = {root}"),
                reach: RootReach::Workspace,
            }),
            deny: file.limits.deny,
            max_file_size: file.limits.max_file_size,
            background_tasks: file.limits.background_tasks,
        },
        bounds: Bounds { memory: file.limits.memory, processes: file.limits.processes },
        tools: file.tools,
        coverage: file.coverage.tools,
        levels: file.levels,
        baseline: file.baseline.map(|baseline| folder.join(baseline)),
    })
}

impl Config {
    /// Adds the codes that the server documents to those of the contract, and gives the codes the server's statuses.
    pub fn document(&self, contract: &mut Contract) {
        for (name, meaning) in &self.codes {
            if contract.code(name).is_none() {
                let (name, meaning) = (name.clone(), meaning.clone());
                contract.codes.push(Code {
                    name,
                    class: CodeClass::Internal,
                    retryable: None,
                    status: None,
                    recourse: None,
                    meaning,
                    is_extra: true,
                });
            }
        }
        for code in &mut contract.codes {
            code.status = self.statuses.get(&code.name).map(|(status, _)| *status).or(code.status);
        }
    }

    /// Checks that each code with a status is one of the server's own or of one of these contracts.
    ///
    /// # Errors
    /// For a code that is not, with the place and the nearest known code.
    pub fn check_statuses<'c>(
        &self,
        contracts: impl IntoIterator<Item = &'c Contract>,
    ) -> Result<(), String> {
        let of_contracts = contracts.into_iter().flat_map(|contract| &contract.codes);
        let known = of_contracts.map(|code| code.name.as_str()).chain(self.codes.keys().map(String::as_str));
        let known: Vec<&str> = known.collect();
        match self.statuses.iter().find(|(code, _)| !known.contains(&code.as_str())) {
            Some((code, (_, place))) => {
                Err(format!("{place}: unknown code `{code}`{}", advice(code, &known)))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
impl schemars::JsonSchema for RoleTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Role".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "object",
            "description": "`tool`, and the tool's name for each of the role's parameters, directly or under \
                `parameters`.",
            "required": ["tool"],
            "properties": {
                "tool": {"type": "string", "minLength": 1},
                "parameters": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
            },
            "additionalProperties": {"type": "string", "minLength": 1}
        })
    }
}
