//! The variables that a server needs: those that its sources or its own words mention, of the ones that are set here.
//!
//! The main type is [`Variables`]. The sources are read as text, and nothing of them is run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use mcp_errconf::config::{FILE_NAME, WrittenVariable, referenced};
use mcp_errconf::confinement::SecondSessionResult;
use mcp_errconf::exchange::Outcome;
use mcp_errconf::host::Launch;
use mcp_errconf::secret::{is_secret, looks_secret, secret_words};
use mcp_errconf::transcript::Transcript;
use serde::Deserialize;

use crate::cli::sources::{DEPTH, collect};

/// A text with more variables than this lists the environment, and none of them is needed for that.
const MOST: usize = 12;

static WORDS: LazyLock<Words> =
    LazyLock::new(|| toml::from_str(include_str!("variables.toml")).expect("a test reads this file"));

/// The lists of `variables.toml`, which says what is in them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    manifests: Vec<String>,
    runners: Vec<String>,
    of_the_machine: Vec<String>,
    beginnings: Vec<String>,
}

/// How the server is started, and how the configuration says so.
pub(super) struct Variables {
    /// The command line that is started.
    pub(super) command: Vec<String>,
    /// The variables that are given to it.
    pub(super) env: BTreeMap<String, String>,
    /// The variables that are set here and belong to no machine.
    set: BTreeMap<String, String>,
}

impl Variables {
    /// The variables that `env NAME=VALUE` of a command gives, and those of this process that the server's sources mention.
    pub(super) fn of_command(command: &[String]) -> Self {
        let (env, command) = assigned(command);
        Self::new(command, env, &BTreeMap::new())
    }

    /// The variables of this process that the sources of a host's server mention, besides those that the host gives.
    pub(super) fn of_launch(launch: &Launch) -> Self {
        Self::new(launch.command.clone(), BTreeMap::new(), &launch.env)
    }

    fn new(command: Vec<String>, env: BTreeMap<String, String>, given: &BTreeMap<String, String>) -> Self {
        let set = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, value)| {
                !is_of_the_machine(name) && !value.is_empty() && !given.contains_key(name)
            })
            .collect();
        let texts = sources(&command);
        let mut variables = Self { command, env, set };
        variables.add_mentioned(texts.into_iter());
        variables
    }

    /// Adds the variables that the server's error replies and its standard error mention; true if a confined server did not
    /// get one of them, so that it will behave otherwise.
    pub(super) fn add_named(&mut self, transcript: &Transcript) -> bool {
        let before = self.env.clone();
        self.add_mentioned(words(transcript).into_iter());
        self.env.iter().any(|(name, value)| !before.contains_key(name) && looks_secret(name, value))
    }

    fn add_mentioned(&mut self, texts: impl Iterator<Item = String>) {
        for text in texts {
            let mentioned: Vec<_> = self.set.iter().filter(|(name, _)| mentions(&text, name)).collect();
            // A text with many of them lists the environment.
            if mentioned.len() <= MOST {
                for (name, value) in mentioned {
                    self.env.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }

    /// The command line for the configuration: each secret is a reference to a variable.
    pub(super) fn written_command(&self) -> Vec<String> {
        let mut words = self.command.clone();
        for secret in secret_words(&self.command) {
            let (before, value) = self.command[secret.word].split_at(secret.start);
            let same = self.set.iter().find(|(_, known)| *known == value).map(|(name, _)| name.clone());
            let name = same.unwrap_or_else(|| variable_name(&secret.name));
            words[secret.word] = format!("{before}${{{name}}}");
        }
        words
    }

    /// Which variables `mcp-errconf run` needs in its environment, because the configuration does not hold their values.
    pub(super) fn unset(&self) -> Option<String> {
        let (command, env) = (self.written_command(), self.written());
        let given = command.iter().zip(&self.command).filter(|(written, word)| written != word);
        let texts = given.map(|(written, _)| written).chain(env.iter().map(|variable| &variable.value));
        let names: BTreeSet<String> = texts.flat_map(|text| referenced(text)).collect();
        let unset = names.into_iter().filter(|name| !self.set.contains_key(name));
        let unset: Vec<String> = unset.map(|name| format!("`{name}`")).collect();
        (!unset.is_empty()).then(|| {
            format!(
                "set {} before `mcp-errconf run`: no secret was written to `{FILE_NAME}`",
                unset.join(", ")
            )
        })
    }

    /// The variables for the configuration: a secret is a reference to the variable of its name.
    pub(super) fn written(&self) -> Vec<WrittenVariable> {
        let written = self.env.iter().map(|(name, value)| WrittenVariable {
            name: name.clone(),
            value: match is_secret(name, value) || value.contains("${") {
                true => format!("${{{name}}}"),
                false => value.clone(),
            },
            is_address: is_address(value),
        });
        written.collect()
    }
}

/// The variables that a command begins with, `env NAME=VALUE PROGRAM`, and the rest of it.
fn assigned(command: &[String]) -> (BTreeMap<String, String>, Vec<String>) {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let assignment = |word: &String| {
        let (name, value) = word.split_once('=')?;
        is_name(name).then(|| (name.to_owned(), value.to_owned()))
    };
    let Some((program, rest)) = command.split_first() else { return Default::default() };
    let env: Vec<(String, String)> = rest.iter().map_while(assignment).collect();
    let server = &rest[env.len()..];
    // Options of `env` are left to it.
    match program == "env" && server.first().is_some_and(|word| !word.starts_with('-')) {
        true => (env.into_iter().collect(), server.to_vec()),
        false => (BTreeMap::new(), command.to_vec()),
    }
}

/// A name for the variable with the value of an option.
fn variable_name(option: &str) -> String {
    let in_name =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    match option {
        "" => "SERVER_KEY".to_owned(),
        option => option.chars().map(in_name).collect(),
    }
}

fn is_of_the_machine(name: &str) -> bool {
    let is_proxy = name.to_ascii_lowercase().ends_with("_proxy");
    is_proxy
        || name == "_"
        || WORDS.of_the_machine.iter().any(|variable| variable == name)
        || WORDS.beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// Whether a value is the address of a service on another machine.
fn is_address(value: &str) -> bool {
    let Some(rest) = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://")) else {
        return false;
    };
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = place.rsplit('@').next().unwrap_or_default();
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.split(']').next())
        .unwrap_or_else(|| host.split(':').next().unwrap_or_default());
    let is_here = host == "localhost" || host == "::1" || host == "0.0.0.0" || host.starts_with("127.");
    !host.is_empty() && !host.starts_with('{') && !is_here
}

/// Whether a text mentions a variable. A name of one word may be any word, so it counts only as code writes variables: after
/// `.`, `$`, a quotation mark or a bracket.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let is_whole = !before.is_some_and(is_part) && !after.is_some_and(is_part);
        is_whole && (name.contains('_') || before.is_some_and(|letter| ".$\"'`{[".contains(letter)))
    })
}

/// The server's own words: its error replies, its standard error, and why it did not start in confinement.
fn words(transcript: &Transcript) -> Vec<String> {
    let exchanges = transcript.exchanges.iter();
    let replies = exchanges.clone().map(|exchange| &exchange.outcome);
    let replies = replies.filter(|outcome| outcome.is_tool_error() || matches!(outcome, Outcome::Error(_)));
    let replies = replies.flat_map(Outcome::words).map(str::to_owned);
    let printed = exchanges.map(|exchange| exchange.stderr.clone());
    let unstarted = transcript.head.second.iter().filter_map(|second| match second {
        SecondSessionResult::Missing(why) => Some(why.clone()),
        SecondSessionResult::Driven(_) => None,
    });
    replies.chain(printed).chain(unstarted).collect()
}

/// The texts of the server's sources.
fn sources(command: &[String]) -> Vec<String> {
    let Ok(here) = Path::new(".").canonicalize() else { return Vec::new() };
    // A script on the command line is a source too.
    let scripts = command.iter().filter(|word| word.contains([' ', '\n'])).cloned();
    let mut texts: Vec<String> = scripts.collect();
    let mut folders = Vec::new();
    for file in named(command, &here) {
        texts.extend(std::fs::read_to_string(&file).ok());
        let parent = file.parent().unwrap_or(&here).to_owned();
        let project = parent
            .ancestors()
            .take_while(|folder| folder.starts_with(&here))
            .find(|folder| is_project(folder));
        folders.push((parent.clone(), 0));
        folders.extend(project.map(|folder| (folder.to_owned(), DEPTH)));
    }
    let program = command.first().and_then(|program| Path::new(program).file_stem()).and_then(OsStr::to_str);
    if folders.is_empty()
        && program.is_some_and(|program| WORDS.runners.iter().any(|runner| runner == program))
        && is_project(&here)
    {
        folders.push((here, DEPTH));
    }
    let mut files = Vec::new();
    for (folder, depth) in folders {
        collect(&folder, depth, &mut files);
    }
    texts.extend(files.iter().filter_map(|file| std::fs::read_to_string(file).ok()));
    texts
}

/// The files below this folder that a command names.
fn named(command: &[String], here: &Path) -> Vec<PathBuf> {
    let module = command.iter().position(|word| word == "-m").and_then(|at| command.get(at + 1));
    let of_module = module.into_iter().flat_map(|name| {
        let path = name.replace('.', "/");
        [format!("{path}.py"), format!("{path}/__main__.py"), format!("src/{path}/__main__.py")]
    });
    let words = command.iter().cloned().chain(of_module);
    let files = words.filter_map(|word| here.join(word).canonicalize().ok());
    files.filter(|file| file.is_file() && file.starts_with(here)).collect()
}

fn is_project(folder: &Path) -> bool {
    WORDS.manifests.iter().any(|manifest| folder.join(manifest).is_file())
}
