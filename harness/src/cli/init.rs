//! `init`: inspects a server, and writes a configuration and a baseline with which the next run succeeds.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mcp_errconf::baseline::{self, Baseline};
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::config::{self, Config, FILE_NAME, Outline, ServerSettings};
use mcp_errconf::confinement::SecondSessionResult;
use mcp_errconf::contract::{self, Contract, SeenCodes};
use mcp_errconf::judge::{Report, ToolVerdict};
use mcp_errconf::recording::{JudgingPolicy, Recording};
use mcp_errconf::report::Promises;
use mcp_errconf::{atomic_file, bundled, escape, rules};

use super::case_source::AUTO;
use super::confine::SafetyOptions;
use super::failure::Failure;
use super::output;
use super::server::ServerUnderTest;
use super::setup::{self, Configured};
use super::{Terminal, console, room, run, server};

mod ci;
mod runtime;
mod variables;

use variables::Variables;

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The error contract to judge by: the id of a built-in one, or a folder with a `contract.toml`
    #[arg(long, value_name = "ID|DIR")]
    contract: Option<String>,
    /// Timeout for each call, and for the start if it is over 30 [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = run::seconds)]
    timeout: Option<Duration>,
    /// Also write a workflow file that runs `mcp-errconf` on this code host on every change; only that file if the
    /// configuration exists already and no SERVER is given
    #[arg(long, value_name = "HOST")]
    ci: Option<ci::CodeHost>,
    #[command(flatten)]
    server: server::ServerChoice,
}

/// Inspects, writes the files, and shows what to fix first.
pub(crate) fn init(arguments: &InitArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let is_named = arguments.server.is_given();
    if let Some(ci) = arguments.ci {
        ci.check()?;
        if !is_named && Path::new(FILE_NAME).exists() {
            console::print(&ci.write()?)?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let given = arguments.server.server(&ServerSettings::default())?;
    let problem = match Path::new(FILE_NAME).exists() {
        true => "no server is named".to_owned(),
        false => server::no_server(None),
    };
    let given = given.ok_or_else(|| server::unnamed("init", &problem))?;
    room::check(1)?;
    check_unwritten()?;
    let taken = given.taken().map(|(file, name)| (file.to_string_lossy().into_owned(), name));
    let (mut variables, given) = match given {
        ServerUnderTest::From(launch) => (Variables::of_launch(&launch), ServerUnderTest::From(launch)),
        // The next run knows it by its command.
        ServerUnderTest::Given(command) => by_command(&command),
        ServerUnderTest::Bundled => {
            let contract = arguments.contract.as_deref().unwrap_or(contract::DEFAULT);
            by_command(&server::bundled_command(bundled::kept_contract(contract))?)
        }
    };
    let mut recording = inspect(arguments, given.clone(), &variables, terminal)?;
    if variables.add_named(&recording.transcript) {
        // Confined, it lacked a variable that it will have.
        recording = inspect(arguments, given, &variables, terminal)?;
    }
    let contract = WrittenContract::settle(arguments.contract.as_deref(), &mut recording);
    let (report, conclusion) = recording.judge(rules::all());
    if !conclusion.is_complete() {
        match &conclusion {
            Conclusion::NotExercised(why) => console::error(&format!("{why}\nNothing was written.")),
            Conclusion::Interrupted => {
                console::error("interrupted before the whole server was inspected; nothing was written");
            }
            _ => {}
        }
        return Ok(ExitCode::from(conclusion.exit_code()));
    }
    let accepted = Baseline::default().extended(&report.findings);
    let outline = Outline {
        contract: &contract.name,
        timeout: arguments.timeout,
        baseline: baseline::FILE_NAME,
        from: taken.as_ref().map(|(file, name)| (file.as_str(), name.as_str())),
        command: &variables.written_command(),
        env: &variables.written(),
    };
    let accepted_count = accepted.accepted.len();
    write(baseline::FILE_NAME, &accepted.render())?;
    write(FILE_NAME, &config::render(&report, &outline))?;
    recording.policy.baseline = accepted;
    let (_, next) = recording.judge(rules::all());
    let promises = Promises::new(&recording.contract);
    console::print(&summary(&report, accepted_count, &contract, &next, &promises))?;
    if let Some(SecondSessionResult::Missing(why)) = &report.server.second {
        console::print(&format!(
            "not sandboxed: {}\na run in a sandbox may find more than this baseline accepts\n",
            escape::line(why)
        ))?;
    }
    if let Some(unset) = variables.unset() {
        console::print(&unset)?;
    }
    if let Some(ci) = arguments.ci {
        console::print(&ci.write()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The variables of a server, and the server by the command without those that it assigns.
fn by_command(command: &[String]) -> (Variables, ServerUnderTest) {
    let variables = Variables::of_command(command);
    let server = ServerUnderTest::Given(variables.command.clone());
    (variables, server)
}

/// The tools of which no error was judged, and what to do about it.
fn unjudged(tools: &[ToolVerdict]) -> Option<String> {
    let called: Vec<&ToolVerdict> = tools.iter().filter(|tool| tool.planned > 0).collect();
    let unjudged: Vec<String> = called
        .iter()
        .filter(|tool| config::lines_for_valid(tool).is_some())
        .map(|tool| escape::line_within(&tool.name, 80))
        .collect();
    (!unjudged.is_empty()).then(|| {
        format!(
            "not judged yet: {} of {} tools ({}): the lines for them stand in `{FILE_NAME}` as comments\n",
            unjudged.len(),
            called.len(),
            unjudged.join(", ")
        )
    })
}

/// Refuses to go on if one of the files to write exists already.
fn check_unwritten() -> Result<(), Failure> {
    for file in [FILE_NAME, baseline::FILE_NAME] {
        if Path::new(file).symlink_metadata().is_ok() {
            return Err(Failure::Usage(format!(
                "`{file}` already exists, and `init` never overwrites a file: move it away first, or go on \
                 with `mcp-errconf run`"
            )));
        }
    }
    Ok(())
}

/// Drives the server as the next run will, without a configuration or a baseline.
fn inspect(
    arguments: &InitArguments,
    given: ServerUnderTest,
    variables: &Variables,
    terminal: &Terminal,
) -> Result<Recording, Failure> {
    let mut configured = Configured::default();
    configured.config.server.env.clone_from(&variables.env);
    // The next run will have two sessions if possible, so the baseline must cover both.
    let contract = arguments.contract.as_deref();
    let safety = SafetyOptions::default().safety_of_a_run(&configured.config, &given)?;
    let assignment = setup::assignment(contract, arguments.timeout, safety, &configured, given)?;
    run::check_conditions(&assignment.suite, &assignment.contract)?;
    let mut outputs = output::progress_alone(terminal);
    let (transcript, not_run) = run::driven(&assignment, Duration::MAX, &mut |event| outputs.tell(event))?;
    drop(outputs);
    Ok(Recording { transcript, contract: assignment.contract, policy: JudgingPolicy::default(), not_run })
}

/// Writes a file, of which it was checked before that it does not exist.
fn write(name: &str, text: &str) -> Result<(), Failure> {
    let file = Path::new(name);
    file.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| atomic_file::write(file, text.as_bytes()))
        .map_err(|error| {
            Failure::of_file("write", file, &error, "run this in a folder that you can write to")
        })
}

/// What was written, the contract, the result of the next run, and the one finding to fix first.
fn summary(
    report: &Report,
    accepted: usize,
    contract: &WrittenContract,
    next: &Conclusion,
    promises: &Promises,
) -> String {
    let entries = if accepted == 1 { "entry" } else { "entries" };
    let mut text =
        format!("wrote `{FILE_NAME}` and `{}` ({accepted} accepted {entries})\n", baseline::FILE_NAME);
    text.push_str(&format!("contract `{}`, {}\n", contract.name, contract.why));
    text.push_str(match next {
        Conclusion::Conformant => "`mcp-errconf run` passes now; a new Must finding will fail it\n",
        Conclusion::Inconclusive(_) => {
            "`mcp-errconf run` judges no error written by a tool itself, so it exits with 4; its report says \
             what to add\n"
        }
        _ => "`mcp-errconf run` has nothing to judge: no call was answered with an error\n",
    });
    match report.findings.first() {
        None => text.push_str("nothing was found\n"),
        Some(first) => {
            let case = first.case.as_ref().map_or("outside any case".to_owned(), ToString::to_string);
            let tool = first.tool.as_ref().map_or(String::new(), |tool| format!(", tool {tool}"));
            text.push_str(&format!("\nfix first: {}[{}]: {}\n", first.level, first.rule, first.message));
            text.push_str(&format!("  --> {case}{tool}\n"));
            if let Some(evidence) = &first.evidence {
                text.push_str(&format!("  reply     {}\n", evidence.text.lines().next().unwrap_or_default()));
            }
            if let Some(promise) = promises.sentence(&first.requirement) {
                text.push_str(&format!("  expected  {promise} ({})\n", first.requirement));
            }
            text.push_str(&format!("  help      {}\n", first.help));
            text.push_str(&format!("then remove its entries from `{}`\n", baseline::FILE_NAME));
        }
    }
    text.push_str(&unjudged(&report.tools).unwrap_or_default());
    text
}

/// A contract for the configuration.
struct WrittenContract {
    /// Its id or folder, as it is written.
    name: String,
    /// Why this one, to follow its name.
    why: String,
}

impl WrittenContract {
    /// The contract for a server, by which the recording is judged from now on.
    ///
    /// The recorded run was planned by the default contract. No other built-in one plans more, so the next run
    /// finds nothing that this one could not.
    fn settle(given: Option<&str>, recording: &mut Recording) -> Self {
        let config = Config::default();
        if let Some(name) = given {
            if name == AUTO {
                recording.detect_contract(&config);
            }
            return Self { name: name.to_owned(), why: "as given with `--contract`".to_owned() };
        }
        let seen = contract::seen_codes(&recording.transcript.exchanges);
        if let Some(contract) = seen.contract.or_else(contract::without_codes) {
            recording.judge_by(contract, &config);
        }
        Self { name: recording.contract.id.clone(), why: why(&seen) }
    }
}

fn why(SeenCodes { contract, coded, replies }: &SeenCodes) -> String {
    match (contract.map(|contract: &Contract| &contract.id), replies) {
        (None, 0) => "because no tool answered with an error".to_owned(),
        (None, 1) => "because the one error reply has no code of a known contract".to_owned(),
        (None, replies) => format!("because none of {replies} error replies has a code of a known contract"),
        (Some(_), 1) => "because the one error reply has one of its codes".to_owned(),
        (Some(_), replies) => format!("because {coded} of {replies} error replies have one of its codes"),
    }
}
