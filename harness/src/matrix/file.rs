//! The file of `matrix`: a list of servers, with common settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cause;
use crate::document::{Document, LoadError};

/// The content of the file, as it is written.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(title = "The file of `mcp-errconf matrix`"))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) struct MatrixDocument {
    /// The contract to judge all of them by, where one names no other.
    contract: Option<String>,
    /// Options of `run` for all of them, such as `["--max-probes", "100"]`.
    #[serde(default)]
    options: Vec<String>,
    /// Variables to add to the environment of all of them.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The servers: `[[server]]`.
    #[serde(default)]
    server: Vec<MatrixEntry>,
}

/// One server. Once the file is read, it has the common settings too, which come first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "MatrixServer", description = ""))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub struct MatrixEntry {
    /// What it is called in the table.
    pub name: String,
    /// The program and its arguments; `{workspace}` stands for the folder that the harness prepares.
    pub command: Option<Vec<String>>,
    /// The file of a host that says how it is started, instead of `command`; relative to this file.
    pub from: Option<PathBuf>,
    /// Its name in that file, where it is another one.
    pub server: Option<String>,
    /// More arguments, after those of `command` or of the host's file.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables to add to its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Its working folder, relative to this file.
    pub cwd: Option<PathBuf>,
    /// The contract to judge it by.
    pub contract: Option<String>,
    /// Options of `run` for it alone, after those for all.
    #[serde(default)]
    pub options: Vec<String>,
    /// Its place in the file: `matrix.toml:3:1`.
    #[serde(skip)]
    pub place: String,
}

/// Reads the file: the servers to be judged one after another, in its order.
///
/// # Errors
/// When it cannot be read or is wrong; with the place and the nearest word that would have been right.
pub fn load(file: &Path) -> Result<Vec<MatrixEntry>, LoadError> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        let cause = cause::describe(&error);
        LoadError::whole(
            &name,
            format!("cannot be read: {cause}; give a file with a `[[server]]` for each server"),
        )
    })?;
    parse(&name, &text, file.parent().unwrap_or(Path::new("")))
}

fn parse(name: &str, text: &str, folder: &Path) -> Result<Vec<MatrixEntry>, LoadError> {
    let document = Document::parse(name, text)?;
    let file: MatrixDocument = document.read()?;
    if file.server.is_empty() {
        return Err(LoadError::whole(
            name,
            "no server is named: write `[[server]]` with `name` and `command`",
        ));
    }
    let mut servers: Vec<MatrixEntry> = Vec::new();
    for (index, mut server) in file.server.into_iter().enumerate() {
        let number = index.to_string();
        let wrong = |key: &str, cause: &str| document.wrong_key(&["server", &number, key], cause);
        check(&server, &wrong)?;
        if servers.iter().any(|other| other.name == server.name) {
            return Err(wrong("name", &format!("another server is called `{}` too", server.name)));
        }
        let of_contract = server.contract.take().or_else(|| file.contract.clone()).map(|contract| {
            let sibling = folder.join(&contract);
            ["--contract".to_owned(), if sibling.is_dir() { sibling.display().to_string() } else { contract }]
        });
        let options = of_contract.into_iter().flatten().chain(file.options.clone());
        server.options = options.chain(server.options).collect();
        server.env = file.env.clone().into_iter().chain(server.env).collect();
        [&mut server.from, &mut server.cwd]
            .into_iter()
            .flatten()
            .for_each(|path| *path = folder.join(&*path));
        server.place = wrong("name", "").place();
        servers.push(server);
    }
    Ok(servers)
}

fn check(server: &MatrixEntry, wrong: &dyn Fn(&str, &str) -> LoadError) -> Result<(), LoadError> {
    if server.name.trim().is_empty() {
        return Err(wrong("name", "the name is empty"));
    }
    match (&server.command, &server.from) {
        (Some(_), Some(_)) => {
            Err(wrong("from", "`command` and `from` both say how the server is started: remove one"))
        }
        (None, None) => {
            Err(wrong("name", "nothing says how this server is started: add `command = [..]`, or `from`"))
        }
        (Some(command), None) if command.first().is_none_or(String::is_empty) => {
            let cause = "the command is empty: write the program and its arguments, each as its own string";
            Err(wrong("command", cause))
        }
        (Some(_), None) if server.server.is_some() => {
            Err(wrong("server", "`server` is the name in the file of a host: name that file with `from`"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<MatrixEntry>, String> {
        parse("m.toml", text, Path::new("at")).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_shared_comes_before_what_one_says() {
        let servers = read(
            "contract = 'plain'\noptions = ['--strict']\nenv = { A = '1', B = '1' }\n[[server]]\nname = 'new'\ncommand = \
             ['s']\nargs = ['-v']\nenv = { B = '2' }\noptions = ['--seed', '7']\n[[server]]\nname = 'host'\nfrom = \
             'mcp.json'\nserver = 'x'\ncontract = 'auto'\ncwd = 'w'\n",
        )
        .unwrap();
        let [new, host] = &servers[..] else { panic!("{servers:?}") };
        assert_eq!(new.options, ["--contract", "plain", "--strict", "--seed", "7"]);
        assert_eq!(
            (new.env["A"].as_str(), new.env["B"].as_str(), new.args.join(" ")),
            ("1", "2", "-v".into())
        );
        assert_eq!(host.options, ["--contract", "auto", "--strict"]);
        assert_eq!(
            (host.from.as_deref(), host.server.as_deref()),
            (Some(Path::new("at/mcp.json")), Some("x"))
        );
        assert_eq!((host.place.as_str(), host.cwd.as_deref()), ("m.toml:11:1", Some(Path::new("at/w"))));
    }

    #[test]
    fn a_mistake_is_reported_with_its_place() {
        for (text, message) in [
            ("", "m.toml: no server is named"),
            (
                "[[server]]\nname = 'a'\ncomand = ['x']\n",
                "m.toml:3:1: unknown key `comand`: did you mean `command`?",
            ),
            ("[[server]]\nname = 'a'\n", "m.toml:2:1: nothing says how"),
            ("[[server]]\nname = 'a'\ncommand = ['x']\nfrom = 'y'\n", "m.toml:4:1: `command` and `from`"),
            ("[[server]]\nname = 'a'\ncommand = []\n", "m.toml:3:1: the command is empty"),
            ("[[server]]\nname = 'a'\ncommand = ['x']\nserver = 'y'\n", "m.toml:4:1: `server` is the name"),
            ("[[server]]\nname = ' '\ncommand = ['x']\n", "m.toml:2:1: the name is empty"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        let twice = "[[server]]\nname = 'a'\ncommand = ['x']\n".repeat(2);
        assert!(read(&twice).unwrap_err().starts_with("m.toml:5:1: another server"));
    }
}
