//! Converts one server's entry in a host's file to a command line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::cause;
use crate::secret::{Concealed, conceal_environment, conceal_words, shown_words};

use super::expand::Expander;
use super::{Host, HostEnvironment, HostError, HostFile, Launch};

/// The longest command line that a list shows, in characters.
const SHOWN: usize = 60;

/// How to start a server.
pub(super) fn launch(
    file: &HostFile,
    name: &str,
    entry: &Value,
    environment: &HostEnvironment,
) -> Result<Launch, HostError> {
    let project = file.project(environment);
    let working = &environment.working;
    let mut expander = Expander {
        host: file.host,
        place: format!("`{}`, server `{name}`", file.path.display()),
        project: project.as_deref().unwrap_or(working),
        environment,
        inputs: &file.inputs,
        concealed: Concealed::default(),
        remarks: Vec::new(),
    };
    let words = words(entry, &expander)?;
    let mut command = words.iter().map(|word| expander.expand(word)).collect::<Result<Vec<_>, _>>()?;
    if file.host == Host::Zed
        && let (Some(below), Some(home)) = (command[0].strip_prefix("~/"), &environment.home)
    {
        command[0] = home.join(below).to_string_lossy().into_owned();
    }
    let mut env = environment_file(entry, &mut expander)?;
    for (variable, value) in variables(entry, &expander)? {
        env.insert(variable, expander.expand(&value)?);
    }
    let cwd = match entry.get("cwd").map(|cwd| cwd.as_str().ok_or(cwd)) {
        None => project.clone(),
        Some(Ok(cwd)) => {
            let below = expander.expand(cwd)?;
            Some(expander.project.join(below))
        }
        Some(Err(cwd)) => return Err(expander.error(&format!("`cwd` is not a text: {cwd}"))),
    };
    let Expander { mut concealed, remarks, .. } = expander;
    conceal_environment(&env, &mut concealed);
    conceal_words(&command, &mut concealed);
    if let (Host::ClaudeCode, Some(project)) = (file.host, &project) {
        let folder = project.to_string_lossy().into_owned();
        env.entry("CLAUDE_PROJECT_DIR".to_owned()).or_insert(folder);
    }
    Ok(Launch {
        file: file.path.clone(),
        name: name.to_owned(),
        command,
        env,
        // If it is the working folder anyway, it is not mentioned.
        cwd: cwd.filter(|cwd| cwd != working),
        concealed,
        remarks,
    })
}

/// A server's command for a list.
pub(super) fn shown(entry: &Value) -> String {
    if let Some(url) = url(entry) {
        return format!("{url} (by URL: not in this version)");
    }
    let Some(words) = written(entry) else { return "(started by the host alone)".to_owned() };
    let line = shown_words(&words, &Concealed::default()).join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// The program and its arguments, as they are written. Zed may have them in an object.
fn written(entry: &Value) -> Option<Vec<String>> {
    let (program, arguments) = match &entry["command"] {
        Value::Object(command) => (command.get("path"), command.get("args")),
        _ => (entry.get("command"), entry.get("args")),
    };
    let program = program?.as_str()?.to_owned();
    let arguments = arguments.and_then(Value::as_array).into_iter().flatten();
    // Numbers and booleans are passed as they are written.
    let text = |argument: &Value| argument.as_str().map_or_else(|| argument.to_string(), str::to_owned);
    Some([program].into_iter().chain(arguments.map(text)).collect())
}

fn words(entry: &Value, expander: &Expander<'_>) -> Result<Vec<String>, HostError> {
    if let Some(url) = url(entry) {
        return Err(expander.error(&format!(
            "it is reached by URL ({url}), which is not in this version: only servers that are started here, and \
             speak over standard input and output, can be tested; if it has such a form, give its command after `--`"
        )));
    }
    let unusable =
        |problem: &str| expander.error(&format!("{problem}; give the server's command after `--` instead"));
    let of_extension = entry["source"] == "extension" || entry.get("settings").is_some();
    match written(entry) {
        Some(words) if words[0].is_empty() => Err(unusable("its `command` is empty")),
        Some(words) => Ok(words),
        None if expander.host == Host::Zed && of_extension => {
            Err(unusable("an extension of Zed starts it, and the file does not say how"))
        }
        None => Err(unusable("it has no `command`")),
    }
}

/// The address of a server that is not started here, without what may be a secret.
fn url(entry: &Value) -> Option<String> {
    let url = ["url", "serverUrl", "httpUrl"].iter().find_map(|key| entry.get(key)?.as_str());
    let by_url = |kind: &str| matches!(kind, "http" | "sse" | "streamable-http" | "streamableHttp" | "ws");
    match url {
        Some(url) => {
            let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let host = host.rsplit('@').next().unwrap_or_default();
            Some(if scheme.is_empty() { host.to_owned() } else { format!("{scheme}://{host}") })
        }
        None => entry["type"].as_str().filter(|kind| by_url(kind)).map(str::to_owned),
    }
}

/// The variables of the entry.
fn variables(entry: &Value, expander: &Expander<'_>) -> Result<Vec<(String, String)>, HostError> {
    let env = match (&entry["command"], entry.get("env")) {
        (Value::Object(command), None) => command.get("env"),
        (_, env) => env,
    };
    let mut variables = Vec::new();
    for (name, value) in env.and_then(Value::as_object).into_iter().flatten() {
        match value {
            Value::String(text) => variables.push((name.clone(), text.clone())),
            Value::Number(_) | Value::Bool(_) => variables.push((name.clone(), value.to_string())),
            // In VS Code this unsets the variable; here there is nothing to unset.
            Value::Null => {}
            Value::Array(_) | Value::Object(_) => {
                return Err(expander.error(&format!("`env.{name}` is not a text")));
            }
        }
    }
    Ok(variables)
}

/// The variables in a file that the entry names, one on each line, in the format of VS Code and Cursor.
fn environment_file(
    entry: &Value,
    expander: &mut Expander<'_>,
) -> Result<BTreeMap<String, String>, HostError> {
    let reads = matches!(expander.host, Host::VsCode | Host::Cursor);
    let Some(name) = entry["envFile"].as_str().filter(|_| reads) else { return Ok(BTreeMap::new()) };
    let name = expander.expand(name)?;
    let path: PathBuf = expander.project.join(name);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        expander.error(&format!("cannot read `envFile` `{}`: {}", path.display(), cause::describe(&error)))
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='));
    let unquoted = |value: &str| {
        let value = value.trim();
        let quote = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
        quote('"').or_else(|| quote('\'')).unwrap_or(value).to_owned()
    };
    Ok(pairs.map(|(name, value)| (name.trim().to_owned(), unquoted(value))).collect())
}
