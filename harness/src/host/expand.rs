//! The variables of hosts: `${NAME}`, `${env:NAME}`, `${workspaceFolder}`, `${input:ID}` and the like.
//!
//! The main type is [`Expander`].

use std::path::Path;

use serde_json::Value;

use crate::secret::{Concealed, conceal, is_secret};

use super::{Host, HostEnvironment, HostError};

/// The prefix of the variable with the value of an input, followed by its id in capitals.
const INPUT: &str = "MCP_ERRCONF_INPUT_";

/// Replaces the variables in the words of one server as its host would.
pub(super) struct Expander<'a> {
    pub(super) host: Host,
    /// The file and the server, for messages.
    pub(super) place: String,
    pub(super) project: &'a Path,
    pub(super) environment: &'a HostEnvironment,
    pub(super) inputs: &'a [Value],
    pub(super) concealed: Concealed,
    pub(super) remarks: Vec<String>,
}

impl Expander<'_> {
    /// The text with its variables replaced.
    pub(super) fn expand(&mut self, text: &str) -> Result<String, HostError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let Some(length) = rest[start..].find('}') else { break };
            let variable = &rest[start + 2..start + length];
            expanded.push_str(&rest[..start]);
            match self.value(variable)? {
                Some(value) => expanded.push_str(&value),
                None => {
                    let whole = &rest[start..=start + length];
                    self.remark(&format!(
                        "{} does not replace `{whole}`: it is passed as it is",
                        self.host.name()
                    ));
                    expanded.push_str(whole);
                }
            }
            rest = &rest[start + length + 1..];
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    /// The value of a variable; `None` if the host leaves it unchanged.
    fn value(&mut self, variable: &str) -> Result<Option<String>, HostError> {
        match self.host {
            Host::ClaudeCode => self.with_default(variable),
            Host::ClaudeDesktop | Host::Zed => Ok(None),
            Host::VsCode | Host::Cursor => self.of_editor(variable),
        }
    }

    /// The value for `NAME` or `NAME:-default`.
    fn with_default(&mut self, variable: &str) -> Result<Option<String>, HostError> {
        let (name, default) = match variable.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (variable, None),
        };
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return Ok(None);
        }
        match self.of_environment(name).or(default.map(str::to_owned)) {
            Some(value) => Ok(Some(value)),
            None => Err(self.error(&format!(
                "the variable `{name}` is not set, and `${{{name}}}` has no default: set it, or write \
                 `${{{name}:-DEFAULT}}`; {} does not start the server without it either",
                self.host.name()
            ))),
        }
    }

    /// The value of one of VS Code's variables, some of which Cursor has too.
    fn of_editor(&mut self, variable: &str) -> Result<Option<String>, HostError> {
        let is_vs_code = self.host == Host::VsCode;
        let folder = |folder: &Path| folder.to_string_lossy().into_owned();
        if let Some(name) = variable.strip_prefix("env:") {
            let value = self.of_environment(name).unwrap_or_else(|| {
                self.remark(&format!("the variable `{name}` is not set: `${{{variable}}}` is empty"));
                String::new()
            });
            return Ok(Some(value));
        }
        if let Some(id) = variable.strip_prefix("input:").filter(|_| is_vs_code) {
            return self.of_input(id).map(Some);
        }
        let known_to_editor = ["config:", "command:", "workspaceFolder:"];
        if is_vs_code && known_to_editor.iter().any(|start| variable.starts_with(start)) {
            return Err(self.error(&format!(
                "only VS Code itself knows what `${{{variable}}}` stands for: write the value instead, or give \
                 the server's command after `--`"
            )));
        }
        Ok(match variable {
            "workspaceFolder" => Some(folder(self.project)),
            "workspaceFolderBasename" => {
                Some(self.project.file_name().map_or(String::new(), |name| folder(Path::new(name))))
            }
            "userHome" => self.environment.home.as_deref().map(folder),
            "pathSeparator" | "/" => Some("/".to_owned()),
            "cwd" if is_vs_code => Some(folder(self.project)),
            _ => None,
        })
    }

    /// The value of an input that the user would be asked for.
    fn of_input(&mut self, id: &str) -> Result<String, HostError> {
        let Some(input) = self.inputs.iter().find(|input| input["id"] == id) else {
            return Err(self.error(&format!("`${{input:{id}}}` is not among the file's `inputs`")));
        };
        let in_name =
            |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
        let variable: String = INPUT.chars().chain(id.chars().map(in_name)).collect();
        let is_password = input["password"] == true;
        let default = input["default"].as_str().filter(|_| !is_password);
        let Some(value) = self.environment.variables.get(&variable).map(String::as_str).or(default) else {
            let about = input["description"].as_str().map_or(String::new(), |about| format!(" ({about})"));
            return Err(self.error(&format!(
                "VS Code asks for `${{input:{id}}}`{about}: give its value in the variable `{variable}`"
            )));
        };
        if is_password || is_secret(id, value) {
            conceal(&format!("input:{id}"), value, &mut self.concealed);
        }
        Ok(value.to_owned())
    }

    fn of_environment(&mut self, name: &str) -> Option<String> {
        let value = self.environment.variables.get(name)?;
        if is_secret(name, value) {
            conceal(name, value, &mut self.concealed);
        }
        Some(value.clone())
    }

    /// Adds a note, once.
    fn remark(&mut self, problem: &str) {
        let remark = format!("{}: {problem}", self.place);
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// The error that the server cannot be started as its host would.
    pub(super) fn error(&self, problem: &str) -> HostError {
        HostError(format!("{}: {problem}", self.place))
    }
}
