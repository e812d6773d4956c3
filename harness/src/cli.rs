//! The command line: the options, and which file handles each subcommand. The only module that knows clap.

use std::panic;
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use mcp_errconf::report::{self, Given, GivenCommand};

mod baseline_file;
mod case_source;
mod compare;
mod completions;
mod confine;
mod console;
mod doctor;
mod drive_options;
mod duration;
mod explain;
mod failure;
mod fuzz;
mod given;
mod init;
mod interrupt;
mod json;
mod judge;
mod list;
mod matrix;
mod merge;
mod output;
mod replay;
mod room;
mod run;
mod selftest;
mod serve;
mod server;
mod setup;
mod shard;
mod snapshots;
mod sources;

/// A conformance harness for the error replies of MCP servers.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    terminal: Terminal,
    #[command(subcommand)]
    command: Command,
}

/// The text at the end of every subcommand's help.
const AFTER_HELP: &str = "\
Exit codes:
  0    conformant
  1    findings that count: Must, and with --strict also Should; or `[coverage]` was not reached
  2    bad usage, configuration or case file
  3    the server could not be exercised
  4    nothing was selected, or no error written by a tool itself was judged
  70   mcp-errconf itself failed; worth a retry, as is 137 (killed from outside), unlike 1 to 4
  130  interrupted; what was found so far is still reported";

/// The terminal options.
#[derive(Debug, Clone, Args)]
pub(crate) struct Terminal {
    /// When to colour the human report; `auto` respects NO_COLOR and the terminal
    #[arg(long, global = true, display_order = 101, value_name = "WHEN", default_value = "auto")]
    color: Color,
    /// Print no progress and no notices on standard error
    #[arg(short, long, global = true, display_order = 102)]
    quiet: bool,
    /// Print lists in full, and say why each tool plays its role
    #[arg(short, long, global = true, display_order = 103)]
    verbose: bool,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the cases against a server and judge its error replies
    Run(Box<run::RunArguments>),
    /// Fuzz a server with generated calls and judge every reply
    Fuzz(Box<fuzz::FuzzArguments>),
    /// Replay one finding of a campaign: exits 1 while it reproduces, 0 once it no longer does
    Replay(Box<replay::ReplayArguments>),
    /// Judge a recording, or plain request/response pairs, without starting a server
    Judge(judge::JudgeArguments),
    /// Inspect a server, and write `mcp-errconf.toml` and a baseline for it
    Init(init::InitArguments),
    /// Check this machine, the configuration and the start of the server, and say what to do about each problem
    Doctor(doctor::DoctorArguments),
    /// Compare two JSON reports of a server: what is new, what is gone, which texts changed
    Compare(compare::CompareArguments),
    /// Run several servers, or versions of one, one after another, and show them side by side
    Matrix(matrix::MatrixArguments),
    /// Merge what several machines wrote: campaigns, corpora, or parts of a matrix
    Merge(merge::MergeArguments),
    /// Work on the inputs that campaigns kept
    Corpus(merge::CorpusArguments),
    /// Run the reference server on standard input and output
    Serve(serve::ServeArguments),
    /// Test the rules: the clean reference server triggers none, and each of its defects triggers exactly the rules it
    /// declares
    Selftest(selftest::SelftestArguments),
    /// Review the error texts that `run --snapshots` left pending (no cargo needed)
    Snapshots(snapshots::SnapshotsArguments),
    /// List cases, rules, contracts, roles or requirements
    List(list::ListArguments),
    /// Explain a rule, an error code or a case
    Explain(explain::ExplainArguments),
    /// Print a shell completion script
    Completions(completions::CompletionsArguments),
    /// Write the man pages, and the completions of every shell, for a package
    #[command(hide = true)]
    Manual(completions::ManualArguments),
}

/// Parses the command line, also for the command after this one; help, version and mistakes are handled here.
fn parse() -> Result<(Cli, Given), ExitCode> {
    let parsed = Cli::command().try_get_matches().and_then(|matches| {
        let given = match matches.subcommand() {
            Some(("run", own)) => given::given(GivenCommand::Run, own),
            Some(("fuzz", own)) => given::given(GivenCommand::Fuzz, own),
            _ => Given::default(),
        };
        Ok((Cli::from_arg_matches(&matches)?, given))
    });
    parsed.map_err(|error| {
        match with_dashes(&error) {
            Some(command) => console::error(&format!(
                "the server's command is missing its `--`; put `--` before it: {command}"
            )),
            // Help goes to standard output, which may be closed.
            None => {
                let _ = error.print();
            }
        }
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
    })
}

/// The command line with `--` before a server's command that stands without it; `None` if that is not the mistake.
fn with_dashes(error: &clap::Error) -> Option<String> {
    let value = |kind| error.get(kind).map(ToString::to_string);
    let unexpected = value(ContextKind::InvalidArg).filter(|word| !word.starts_with('-'))?;
    let takes_server = value(ContextKind::Usage).is_some_and(|usage| usage.contains("-- <SERVER>"));
    if error.kind() != ErrorKind::UnknownArgument || !takes_server {
        return None;
    }
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let server = words.iter().position(|word| *word == unexpected)?;
    words.insert(server, "--".to_owned());
    let words: Vec<String> = words.iter().map(|word| report::shell_word(word)).collect();
    Some(format!("mcp-errconf {}", words.join(" ")))
}

/// Runs the program; a panic in it becomes an exit code of its own. The stack is unwound, so that open sessions end
/// their servers.
pub(crate) fn run_contained() -> ExitCode {
    let run = || parse().map_or_else(|exit| exit, |(cli, given)| cli.dispatch(given));
    panic::catch_unwind(run).unwrap_or_else(|_| {
        console::error(
            "mcp-errconf itself failed, not the server: the message above says where; please report it \
             together with the command line",
        );
        ExitCode::from(failure::FAULT)
    })
}

impl Cli {
    /// Runs the subcommand, and reports on standard error why it failed.
    fn dispatch(self, given: Given) -> ExitCode {
        let terminal = &self.terminal;
        let success = |()| ExitCode::SUCCESS;
        let done = match self.command {
            Command::Run(arguments) => run::run(&arguments, given, terminal),
            Command::Serve(arguments) => serve::serve(&arguments).map(success),
            Command::Selftest(arguments) => selftest::selftest(&arguments, terminal),
            Command::List(arguments) => list::list(&arguments).map(success),
            Command::Explain(arguments) => explain::explain(&arguments).map(success),
            Command::Fuzz(arguments) => fuzz::fuzz(&arguments, given, terminal),
            Command::Replay(arguments) => replay::replay(*arguments, terminal),
            Command::Judge(arguments) => judge::judge(&arguments, terminal),
            Command::Init(arguments) => init::init(&arguments, terminal),
            Command::Compare(arguments) => compare::compare(&arguments),
            Command::Matrix(arguments) => matrix::matrix(&arguments, terminal),
            Command::Merge(arguments) => merge::merge(&arguments, terminal),
            Command::Corpus(arguments) => merge::corpus(&arguments).map(success),
            Command::Completions(arguments) => completions::completions(&arguments).map(success),
            Command::Manual(arguments) => completions::manual(&arguments).map(success),
            Command::Doctor(arguments) => doctor::doctor(&arguments, terminal),
            Command::Snapshots(arguments) => snapshots::snapshots(&arguments).map(success),
        };
        done.unwrap_or_else(|failure| {
            console::error(&failure.to_string());
            ExitCode::from(failure.exit_code())
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
