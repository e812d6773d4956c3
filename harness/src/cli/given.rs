//! What a command line gave that the command after it needs too.

use std::path::Path;
use std::time::Duration;

use mcp_errconf::report::{Given, GivenCommand, ServerGiven};

use super::confine::SafetyOptions;
use super::drive_options::DriveFlags;
use super::server::ServerChoice;
use super::setup::ConfigOptions;

/// The options that `run` and `fuzz` have in common.
pub(super) struct SharedOptions<'a> {
    pub(super) server: &'a ServerChoice,
    pub(super) config: &'a ConfigOptions,
    pub(super) contract: Option<&'a str>,
    pub(super) strict: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) safety: &'a SafetyOptions,
    pub(super) drive: &'a DriveFlags,
}

impl SharedOptions<'_> {
    /// What was given to this command, with options of its own.
    pub(super) fn given(&self, command: GivenCommand, own: Vec<Vec<String>>) -> Given {
        let mut starting = self.server.again();
        starting.extend(pairs(&self.config.again()));
        let mut judging: Vec<Vec<String>> = Vec::new();
        judging.extend(self.contract.map(|contract| option("--contract", contract)));
        judging.extend(flag("--strict", self.strict));
        judging.extend(self.config.named_baseline().map(|file| path("--baseline", file)));
        judging.extend(self.timeout.map(|timeout| option("--timeout", &timeout.as_secs_f64().to_string())));
        judging.extend(pairs(&self.safety.again()));
        judging.extend(self.drive.again());
        let server = if self.server.is_command() { ServerGiven::Command } else { ServerGiven::Elsewhere };
        Given { starting, judging, own, server, command }
    }
}

/// An option with its value.
pub(super) fn option(name: &str, value: &str) -> Vec<String> {
    vec![name.to_owned(), value.to_owned()]
}

/// An option with a path.
pub(super) fn path(name: &str, value: &Path) -> Vec<String> {
    option(name, &value.to_string_lossy())
}

/// An option without a value, where it is given.
pub(super) fn flag(name: &str, is_given: bool) -> Option<Vec<String>> {
    is_given.then(|| vec![name.to_owned()])
}

/// Words of which each second one is the value of the option before it.
fn pairs(words: &[String]) -> Vec<Vec<String>> {
    words.chunks(2).map(<[String]>::to_vec).collect()
}
