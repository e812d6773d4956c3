//! `replay`: sends a finding of a campaign again.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mcp_errconf::campaign::{FindingFile, Replayed, replay as send_again};
use mcp_errconf::cause;
use mcp_errconf::drive::DriveError;
use mcp_errconf::transcript::Chosen;

use super::confine::{self, ConfineMode};
use super::failure::Failure;
use super::setup::{self, ConfigOptions, Flags};
use super::{Terminal, console, drive_options, interrupt, room, run, server};

#[derive(Debug, Args)]
#[command(
    mut_arg("isolate", |option| option.hide(true)),
    mut_arg("robustness", |option| option.hide(true)),
    mut_arg("jobs", |option| option.hide(true)),
    mut_arg("update_baseline", |option| option.hide(true))
)]
pub(crate) struct ReplayArguments {
    /// A file written by `fuzz --findings`
    #[arg(value_name = "FINDING")]
    file: PathBuf,
    /// The error contract to judge by, instead of the recorded one
    #[arg(long, value_name = "ID|DIR")]
    contract: Option<String>,
    /// Timeout for each call [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = run::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    safety: confine::SafetyOptions,
    #[command(flatten)]
    options: drive_options::DriveFlags,
    #[command(flatten)]
    config: ConfigOptions,
    #[command(flatten)]
    server: server::ServerChoice,
}

/// The exit code if the finding shows.
const SHOWS: u8 = 1;

/// Sends a finding again: exit code 1 while it shows, 0 once it does not.
pub(crate) fn replay(arguments: &ReplayArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    room::check(1)?;
    let place = arguments.file.display();
    let text = std::fs::read_to_string(&arguments.file).map_err(|error| {
        Failure::Usage(format!(
            "cannot read `{place}`: {}; give a file written by `fuzz --findings DIR`",
            cause::describe(&error)
        ))
    })?;
    let file: FindingFile = serde_json::from_str(&text).map_err(|error| {
        Failure::Usage(format!(
            "{place}:{}:{}: not a finding written by `fuzz --findings`: {}",
            error.line(),
            error.column(),
            cause::of_json(&error)
        ))
    })?;
    let configured = arguments.config.configured(&arguments.server, terminal)?;
    if arguments.config.baseline(&configured)?.update == setup::BaselineUpdate::Asked {
        return Err(Failure::Usage(
            "`--update-baseline` is for `run` and `fuzz`: `replay` only sends one finding again".to_owned(),
        ));
    }
    let server = setup::server(&arguments.server, &configured, arguments.config.named_baseline())?;
    let flags = Flags {
        contract: arguments.contract.as_deref().or(file.contract.as_deref()),
        cases: None,
        timeout: arguments.timeout,
        seed: file.seed,
        options: arguments.options.options(),
        max_probes: 0,
        safety: arguments.safety.safety(ConfineMode::Auto, &configured.config, &server)?,
    };
    let mut assignment = setup::assignment(&flags, &configured, server)?;
    if arguments.contract.is_none() {
        // The contract counts as declared if the campaign took it for declared.
        assignment.chosen = if file.declared { Chosen::Flag } else { Chosen::Default };
    }
    let replayed = interrupt::run(async |interrupted| send_again(&assignment, &file, interrupted).await)?;
    match replayed {
        Ok(Replayed::Shows(finding)) => {
            let tool = finding.tool.as_ref().map_or(String::new(), |tool| format!(", tool {tool}"));
            let mut text = format!(
                "reproduced: {}[{}]{tool}: \
                {}\n",
                finding.level, finding.rule, finding.message
            );
            text.push_str(&format!("  sent      {}\n", file.input));
            if let Some(evidence) = &finding.evidence {
                text.push_str(&format!("  reply     {}\n", evidence.text));
            }
            text.push_str(&format!("  help      {}", finding.help));
            console::print(&text)?;
            Ok(ExitCode::from(SHOWS))
        }
        Ok(Replayed::Gone) => {
            console::print(&format!("not reproduced: {}", file.rule))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(DriveError::NotExercised(why)) => {
            console::error(&why);
            Ok(ExitCode::from(3))
        }
        Err(DriveError::Interrupted) => Ok(ExitCode::from(130)),
        Err(DriveError::Configuration(why)) => Err(Failure::Usage(why)),
        Err(DriveError::Harness(why)) => Err(Failure::Fault(why)),
    }
}
