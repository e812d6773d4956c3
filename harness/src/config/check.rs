//! Checks a configuration beyond its structure: names that exist, numbers that make sense.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::document::{Document, LoadError, advice};
use crate::roles::{ByHand, Role};
use crate::rules;

use super::{ConfigFile, LONGEST_TIMEOUT, RoleTable};

/// Finds the first mistake in a well-formed file; if there is none, returns the roles.
pub(super) fn check(file: &ConfigFile, document: &Document<'_>) -> Result<BTreeMap<Role, ByHand>, LoadError> {
    let server = &file.server;
    if server.command.as_ref().is_some_and(|words| words.first().is_none_or(String::is_empty)) {
        let cause = "the command is empty: write the program and its arguments, each as its own string";
        return Err(document.wrong_value(&["server", "command"], cause));
    }
    if server.command.is_some() && server.from.is_some() {
        let cause = "`command` and `from` both say how the server is started: remove one";
        return Err(document.wrong_key(&["server", "from"], cause));
    }
    if server.name.is_some() && server.from.is_none() {
        let cause = "`name` is the server's in the file of a host: name that file with `from`";
        return Err(document.wrong_key(&["server", "name"], cause));
    }
    if let Some(name) = server.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        let cause = format!("`{name}` is not a valid variable name");
        return Err(document.wrong_key(&["server", "env", name], cause));
    }
    if server.timeout.is_some_and(|seconds| !(seconds > 0.0 && seconds <= LONGEST_TIMEOUT)) {
        let cause = format!("must be a number of seconds, greater than 0 and at most {LONGEST_TIMEOUT}");
        return Err(document.wrong_value(&["server", "timeout"], cause));
    }
    if file.coverage.tools.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        let cause = "must be a share of the tools: a number from 0 to 1, such as 0.5";
        return Err(document.wrong_value(&["coverage", "tools"], cause));
    }
    if file.codes.contains_key("") {
        return Err(document.wrong_key(&["codes", ""], "a code must not be empty"));
    }
    let is_status = |status: u16| (100..=599).contains(&status);
    if let Some((code, status)) = file.statuses.iter().find(|(_, status)| !is_status(**status)) {
        let cause = format!("{status} is not an HTTP status: use a number from 100 to 599");
        return Err(document.wrong_value(&["statuses", code], cause));
    }
    let roles = file.roles.iter().map(|(name, table)| role(name, table, document));
    let roles = roles.collect::<Result<_, _>>()?;
    let ids: Vec<&str> = rules::all().iter().map(|rule| rule.id).collect();
    if let Some(id) = file.levels.keys().find(|id| !ids.contains(&id.as_str())) {
        let near = advice(id, &ids);
        let near = match near.starts_with(": did") {
            true => near,
            false => ": `mcp-errconf list rules` lists the rules".to_owned(),
        };
        return Err(document.wrong_key(&["levels", id], format!("unknown rule `{id}`{near}")));
    }
    if file.baseline.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        return Err(document.wrong_value(&["baseline"], "the path is empty"));
    }
    if file.contract.as_deref() == Some("") {
        return Err(document.wrong_value(&["contract"], "the contract's name is empty"));
    }
    Ok(roles)
}

/// A role with its tool, and with the tool's names for its parameters, directly or under `parameters`.
fn role(name: &str, table: &RoleTable, document: &Document<'_>) -> Result<(Role, ByHand), LoadError> {
    let Some(role) = Role::PLAYED.into_iter().find(|role| role.to_string() == name) else {
        let roles: Vec<String> = Role::PLAYED.iter().map(Role::to_string).collect();
        let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
        let cause = format!("unknown role `{name}`{}", advice(name, &roles));
        return Err(document.wrong_key(&["roles", name], cause));
    };
    let known: Vec<&str> = ["tool", "parameters"].iter().chain(role.parameters()).copied().collect();
    let mut parameters = BTreeMap::new();
    for (key, value) in &table.0 {
        let place = ["roles", name, key];
        match (key.as_str(), value) {
            ("tool", _) => {}
            ("parameters", Value::Object(members)) => {
                for (parameter, value) in members {
                    let place = ["roles", name, "parameters", parameter];
                    if !role.parameters().contains(&parameter.as_str()) {
                        let cause =
                            format!("unknown key `{parameter}`{}", advice(parameter, role.parameters()));
                        return Err(document.wrong_key(&place, cause));
                    }
                    let of_tool = name_of(value).map_err(|cause| document.wrong_value(&place, cause))?;
                    parameters.insert(parameter.clone(), of_tool);
                }
            }
            ("parameters", _) => {
                return Err(document.wrong_value(&place, "a table of the role's parameters is required here"));
            }
            (parameter, value) if known.contains(&parameter) => {
                let of_tool = name_of(value).map_err(|cause| document.wrong_value(&place, cause))?;
                parameters.entry(key.clone()).or_insert(of_tool);
            }
            (key, _) => {
                return Err(document.wrong_key(&place, format!("unknown key `{key}`{}", advice(key, &known))));
            }
        }
    }
    // Checked after unknown keys, so that a misspelled `tool` is reported as that.
    match table.0.get("tool") {
        Some(Value::String(tool)) if !tool.is_empty() => {
            Ok((role, ByHand { tool: tool.clone(), parameters }))
        }
        Some(_) => Err(document.wrong_value(&["roles", name, "tool"], "the name of a tool is required here")),
        None => Err(document.wrong_key(&["roles", name], "missing key `tool`: which tool plays the role")),
    }
}

fn name_of(value: &Value) -> Result<String, &'static str> {
    match value.as_str() {
        Some(name) if !name.is_empty() => Ok(name.to_owned()),
        _ => Err("the tool's name for this parameter is required here, such as `path` or `edits[].oldText`"),
    }
}
