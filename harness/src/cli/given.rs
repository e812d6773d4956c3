//! What a command line gave that the command after it needs too.

use clap::ArgMatches;
use clap::parser::ValueSource;
use mcp_errconf::report::{Given, GivenCommand, ServerGiven};

/// The options by which every command starts the same server.
const STARTING: &[&str] = &["bundled", "from", "server", "config"];
/// The options by which `run` and `fuzz` judge it alike.
const JUDGING: &[&str] = &[
    "contract",
    "strict",
    "baseline",
    "timeout",
    "confine",
    "allow-read",
    "allow-write",
    "env",
    "lifecycle",
    "jobs",
];
/// The options that only `run` or only `fuzz` has, or that mean something else in each.
const OWN: &[&str] = &[
    "isolate",
    "robustness",
    "cases",
    "filter",
    "failed",
    "max-time",
    "max-probes",
    "in-flight",
    "corpus",
    "findings",
    "tools",
    "seed",
    "shard",
    "unset",
    "snapshots",
];

/// What was given to `run` or `fuzz`, with the values as they were written.
pub(super) fn given(command: GivenCommand, matches: &ArgMatches) -> Given {
    let options = |names: &[&str]| names.iter().flat_map(|name| words(name, matches)).collect();
    let server = match is_given("server", matches) {
        true => ServerGiven::Command,
        false => ServerGiven::Elsewhere,
    };
    Given { starting: options(STARTING), judging: options(JUDGING), own: options(OWN), server, command }
}

fn is_given(id: &str, matches: &ArgMatches) -> bool {
    let is_known = matches.try_contains_id(id).is_ok();
    is_known && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// An option as words of a command line, each time that it was given with its value.
fn words(name: &str, matches: &ArgMatches) -> Vec<Vec<String>> {
    let id = match name {
        // The server's command line has the plain id.
        "server" => "from_server".to_owned(),
        name => name.replace('-', "_"),
    };
    if !is_given(&id, matches) {
        return Vec::new();
    }
    let option = format!("--{name}");
    if matches!(matches.try_get_one::<bool>(&id), Ok(Some(_))) {
        return vec![vec![option]];
    }
    let values = matches.get_raw(&id).into_iter().flatten();
    values.map(|value| vec![option.clone(), value.to_string_lossy().into_owned()]).collect()
}
