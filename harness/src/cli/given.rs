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
        let starting = self.server.again().chain(self.config.again()).collect();
        let mut judging = Vec::from_iter(
            [
                option("--contract", self.contract),
                flag("--strict", self.strict),
                option("--baseline", self.config.baseline.as_deref().map(Path::display)),
                option("--timeout", self.timeout.as_ref().map(Duration::as_secs_f64)),
            ]
            .into_iter()
            .flatten(),
        );
        judging.extend(self.safety.again());
        judging.extend(self.drive.again());
        let server = if self.server.is_command() { ServerGiven::Command } else { ServerGiven::Elsewhere };
        Given { starting, judging, own, server, command }
    }
}

/// An option with its value, as words of a command line; `None` if it is not given.
pub(super) fn option(name: &str, value: Option<impl ToString>) -> Option<Vec<String>> {
    value.map(|value| vec![name.to_owned(), value.to_string()])
}

/// An option without a value; `None` if it is not given.
pub(super) fn flag(name: &str, is_given: bool) -> Option<Vec<String>> {
    is_given.then(|| vec![name.to_owned()])
}
