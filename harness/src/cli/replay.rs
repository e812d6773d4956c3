//! `replay`: sends a finding of a campaign again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser};
use mcp_errconf::campaign::{FindingFile, ServerStarted, replay as send_again};
use mcp_errconf::cause;
use mcp_errconf::drive::{Assignment, DriveError};
use mcp_errconf::secret::BEGIN;
use mcp_errconf::transcript::Chosen;

use super::failure::Failure;
use super::fuzz::REPORT_JSON;
use super::setup::{self, ConfigOptions};
use super::{Terminal, confine, console, drive_options, interrupt, json, room, run, server};

#[derive(Debug, Clone, Args)]
#[command(
    mut_arg("isolate", |option| option.hide(true)),
    mut_arg("robustness", |option| option.hide(true)),
    mut_arg("jobs", |option| option.hide(true)),
    mut_arg("update_baseline", |option| option.hide(true)),
    mut_arg("accept_new", |option| option.hide(true))
)]
pub(crate) struct ReplayArguments {
    /// A file written by `fuzz --findings`, or the folder, of which all findings are sent again; without SERVER, the server
    /// is started as in that campaign
    #[arg(value_name = "FINDING")]
    file: PathBuf,
    /// The error contract to judge by, instead of the recorded one
    #[arg(long, value_name = "ID|DIR")]
    contract: Option<String>,
    /// Timeout for each call, and for the start if it is over 30 [default: 10]
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

/// The options of the campaign that wrote a finding's file.
#[derive(Debug, Parser)]
#[command(name = "replay", no_binary_name = true, disable_help_flag = true)]
struct CampaignOptions {
    #[command(flatten)]
    replay: ReplayArguments,
}

/// Sends a finding, or all of a folder, again: exit code 1 while one shows, 0 once none does.
pub(crate) fn replay(arguments: ReplayArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    room::check(1)?;
    if !arguments.file.is_dir() {
        return replay_one(arguments, terminal).map(ExitCode::from);
    }
    let files = findings_in(&arguments.file)?;
    // Each file may name another folder to go on in.
    let here = std::env::current_dir().unwrap_or_default();
    let mut codes = Vec::new();
    for (index, file) in files.iter().enumerate() {
        console::print(&format!("{} of {}: {}", index + 1, files.len(), file.display()))?;
        let _ = std::env::set_current_dir(&here);
        codes.push(replay_one(ReplayArguments { file: file.clone(), ..arguments.clone() }, terminal)?);
    }
    let shown = codes.iter().filter(|code| **code == SHOWS).count();
    console::print(&format!("{shown} of {} findings reproduced", files.len()))?;
    // That a server does not start says nothing about its findings.
    let worst = codes.iter().copied().find(|code| *code > SHOWS).unwrap_or(u8::from(shown > 0) * SHOWS);
    Ok(ExitCode::from(worst))
}

/// The files of the findings in a folder, by name.
fn findings_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::of_file("read", folder, &error, ""))?;
    let is_finding = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "json")
            && path.file_name().is_some_and(|name| name != REPORT_JSON)
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_finding).collect();
    files.sort();
    match files.is_empty() {
        true => Err(Failure::Usage(format!(
            "there is no finding in `{}`; give a folder written by `fuzz --findings DIR`",
            folder.display()
        ))),
        false => Ok(files),
    }
}

fn replay_one(arguments: ReplayArguments, terminal: &Terminal) -> Result<u8, Failure> {
    let next = "give a file written by `fuzz --findings DIR`";
    let file: FindingFile = json::read(&arguments.file, "a finding written by `fuzz --findings`", next)?;
    let started = file.server.as_ref().filter(|_| !arguments.server.is_given() && !server::lacks_command());
    let arguments = match started {
        Some(started) => as_in_the_campaign(arguments, started, terminal)?,
        None => arguments,
    };
    let place = arguments.file.display();
    let configured = arguments.config.configured(&arguments.server, terminal)?;
    if let Some(option) = arguments.config.update().option() {
        return Err(Failure::Usage(format!(
            "`{option}` is for `run` and `fuzz`: `replay` only sends one finding again"
        )));
    }
    // A file that cannot be read is refused, although no finding is accepted here.
    arguments.config.baseline(&configured)?;
    let server = arguments.server.server(&configured.config.server)?.ok_or_else(|| {
        let problem = match started {
            Some(_) => format!("the server's command in `{place}` lacks a secret, which is never recorded"),
            None => format!("`{place}` does not say how its server is started"),
        };
        server::unnamed(&format!("replay {place}"), &problem)
    })?;
    let contract = arguments.contract.as_deref().or(file.contract.as_deref());
    let safety = arguments.safety.safety(&configured.config, &server)?;
    let mut assignment = setup::assignment(contract, arguments.timeout, safety, &configured, server)?;
    (assignment.seed, assignment.options) = (file.seed, arguments.options.options());
    assignment.probes.most = 0;
    if let Some(name) = started.and_then(|started| unset(started, &assignment)) {
        return Err(Failure::Usage(format!(
            "the campaign gave the server the variable `{name}`, whose value is not in `{place}`: set it first"
        )));
    }
    if arguments.contract.is_none() {
        // The contract counts as declared if the campaign took it for declared.
        assignment.chosen = if file.declared { Chosen::Flag } else { Chosen::Default };
    }
    let replayed = interrupt::run(async |interrupted| send_again(&assignment, &file, interrupted).await)?;
    match replayed {
        Ok(Some(finding)) => {
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
            Ok(SHOWS)
        }
        Ok(None) => {
            console::print(&format!("not reproduced: {}", file.rule))?;
            Ok(0)
        }
        Err(DriveError::NotExercised(why)) => {
            console::error(&why);
            Ok(3)
        }
        Err(DriveError::Interrupted) => Ok(130),
        Err(DriveError::Configuration(why)) => Err(Failure::Usage(why)),
        Err(DriveError::Harness(why)) => Err(Failure::Fault(why)),
    }
}

/// The arguments, beneath them the options of the campaign, and its server. The program goes on in the folder in which
/// the campaign ran.
fn as_in_the_campaign(
    given: ReplayArguments,
    started: &ServerStarted,
    terminal: &Terminal,
) -> Result<ReplayArguments, Failure> {
    let place = given.file.display();
    let words = [given.file.to_string_lossy().into_owned()].into_iter().chain(started.options.clone());
    let campaign = CampaignOptions::try_parse_from(words).map_err(|error| {
        Failure::Usage(format!(
            "`{place}`: `server.options`: {}",
            error.to_string().trim_start_matches("error: ")
        ))
    })?;
    let mut campaign = campaign.replay;
    let has_secret = started.command.iter().any(|word| word.contains(BEGIN));
    if !campaign.server.is_given() && !has_secret {
        campaign.server = campaign.server.with_command(started.command.clone());
    }
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(&given.file).parent().unwrap_or(&here).join(&started.folder);
    std::env::set_current_dir(&folder).map_err(|error| {
        Failure::Usage(format!(
            "`{place}`: the campaign ran in `{}`, which cannot be entered: {}; name the server after `--`",
            folder.display(),
            cause::describe(&error)
        ))
    })?;
    if !terminal.quiet {
        console::remark(&format!("the server is started as in the campaign: {}", started.command.join(" ")));
    }
    let contract = given.contract.map(|contract| match here.join(&contract).is_dir() {
        true => here.join(contract).to_string_lossy().into_owned(),
        false => contract,
    });
    Ok(ReplayArguments {
        contract: contract.or(campaign.contract),
        timeout: given.timeout.or(campaign.timeout),
        safety: given.safety.over(campaign.safety, &here),
        config: given.config.over(campaign.config, &here),
        server: campaign.server,
        ..given
    })
}

/// A variable that the server had in the campaign and does not have now.
fn unset<'s>(started: &'s ServerStarted, assignment: &Assignment) -> Option<&'s String> {
    let is_set = |name: &String| assignment.server.env.contains_key(name) || std::env::var_os(name).is_some();
    started.env.iter().find(|name| !is_set(name))
}
