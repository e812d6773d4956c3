//! What the user said on the command line that the next command needs too.
//!
//! The main type is [`Given`]. A report proposes a command that is ready to be typed: without these it would meet another
//! server, or judge it by other rules.

use super::words::shell_word;

/// The options of a command line, each with its value, by which further commands know them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// Those of every command that starts the server, such as `--config FILE`.
    pub starting: Vec<Vec<String>>,
    /// Those of every command that judges it, such as `--contract ID`.
    pub judging: Vec<Vec<String>>,
    /// Those that the same command alone knows, such as `--unset NAME`.
    pub own: Vec<Vec<String>>,
    /// How the server was named.
    pub server: ServerGiven,
    /// The command itself.
    pub command: GivenCommand,
}

/// Which command was given: their options differ, so that each is continued by its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GivenCommand {
    /// `run`, or another that judges cases.
    #[default]
    Run,
    /// `fuzz`.
    Fuzz,
}

/// How the server was named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServerGiven {
    /// By its command line, after `--`.
    #[default]
    Command,
    /// By an option, or in the configuration.
    Elsewhere,
}

/// Which command comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextKind {
    /// One that only starts the server.
    Starting,
    /// One that judges it.
    Judging,
    /// One case of it alone.
    Case,
    /// The same once more.
    Same,
}

/// The options that choose among all cases, or keep something of each.
const OF_ALL_CASES: [&str; 3] = ["--filter", "--failed", "--snapshots"];

impl Given {
    /// The options that a next command needs beside these words of its own, a blank before each.
    pub(super) fn options(&self, next: NextKind, own: &str) -> String {
        let judging = (next != NextKind::Starting).then_some(&self.judging);
        let same = matches!(next, NextKind::Same | NextKind::Case).then_some(&self.own);
        let options = [Some(&self.starting), judging, same].into_iter().flatten().flatten();
        let is_of_all = |name: &String| next == NextKind::Case && OF_ALL_CASES.contains(&name.as_str());
        let is_said = |option: &&Vec<String>| {
            option.first().is_some_and(|name| own.split(' ').any(|word| word == name) || is_of_all(name))
        };
        let words = options.filter(|option| !is_said(option)).flatten();
        words.map(|word| format!(" {}", shell_word(word))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_next_command_gets_the_options_that_it_knows_and_says_none_twice() {
        let option = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let given = Given {
            starting: vec![option(&["--from", "my hosts.json"]), option(&["--server", "acme"])],
            judging: vec![option(&["--contract", "plain"])],
            own: vec![option(&["--unset", "ACME_KEY"]), option(&["--max-probes", "7"])],
            server: ServerGiven::Elsewhere,
            command: GivenCommand::Run,
        };
        let check = |next, own: &str, expected: &str| assert_eq!(given.options(next, own), expected, "{own}");
        check(NextKind::Starting, "doctor", " --from 'my hosts.json' --server acme");
        check(NextKind::Judging, "fuzz", " --from 'my hosts.json' --server acme --contract plain");
        check(
            NextKind::Same,
            "run --max-probes 50",
            " --from 'my hosts.json' --server acme --contract plain --unset ACME_KEY",
        );
        assert_eq!(Given::default().options(NextKind::Same, "run"), "");
    }
}
