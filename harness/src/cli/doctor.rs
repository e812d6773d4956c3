//! `doctor`: what this machine can do, what the configuration says, and whether the server starts.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::drive::{self, Assignment, DriveError, SecondSession};
use mcp_errconf::event::Event;
use mcp_errconf::recording::{JudgingPolicy, Recording};
use mcp_errconf::rules;
use mcp_errconf::server::{self as process, ConfinementOptions, Confiner, Installed, System, Unconfinable};
use mcp_errconf::transcript::Head;
use tokio::sync::watch;

use super::confine::SafetyOptions;
use super::failure::Failure;
use super::setup::{self, ConfigOptions, Configured};
use super::{Terminal, console, interrupt, room, run, server};

/// At most this many lines of a failure to start are shown.
const LINES: usize = 4;
/// How long the calls of a run may take; after that it is not known what they would come to.
const REHEARSAL: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing keeps `mcp-errconf run` from working; 2 the configuration, or what was \
    given here, is wrong; 3 the server does not start, or lists no tool; 4 a run would judge nothing on this machine. A \
    server is started only if it is named: after `--`, with `--from`, or in the configuration. If it cannot be sandboxed, \
    it also gets the calls that a run sends then, for at most a minute, to find out whether they can be judged.",
    mut_arg("update_baseline", |option| option.hide(true)),
    mut_arg("accept_new", |option| option.hide(true))
)]
pub(crate) struct DoctorArguments {
    /// Timeout for each call, and for the start if it is over 30 [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = run::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    config: ConfigOptions,
    #[command(flatten)]
    server: server::ServerChoice,
}

/// The run that the server would get, and how its findings would count.
struct PlannedRun<'c> {
    assignment: Assignment,
    configured: &'c Configured,
    policy: JudgingPolicy,
}

/// The results so far, line by line, and the worst exit code.
#[derive(Default)]
struct DoctorReport {
    text: String,
    exit: u8,
    /// The command with which servers can be sandboxed here, if they cannot be now.
    fix: Option<String>,
}

impl DoctorReport {
    fn tell(&mut self, label: &str, text: &str) {
        for (index, line) in text.lines().enumerate() {
            // Writing to a string never fails.
            let _ = writeln!(self.text, "{:<11}{line}", if index == 0 { label } else { "" });
        }
    }

    /// Adds a problem that limits what can be judged, or with an exit code prevents a run; and what to do about
    /// it.
    fn trouble(&mut self, label: &str, text: &str, next: &str, exit: u8) {
        self.tell(label, text);
        self.tell("  next", next);
        self.exit = self.exit.max(exit);
    }
}

/// Checks everything, and prints the results.
pub(crate) fn doctor(arguments: &DoctorArguments, terminal: &Terminal) -> Result<ExitCode, Failure> {
    let mut report = DoctorReport::default();
    system(&mut report);
    let configured = configuration(arguments, terminal, &mut report);
    let planned = configured.as_ref().and_then(|configured| planned(arguments, configured, &mut report));
    let looked = interrupt::run(async |interrupted| {
        runtimes(&mut report).await;
        match &planned {
            Some(planned) => start(planned, &interrupted, &mut report).await,
            None => true,
        }
    })?;
    if !looked {
        return Ok(ExitCode::from(130));
    }
    report.tell(
        "verdict",
        match report.exit {
            0 => "nothing keeps `mcp-errconf run` from working",
            4 => "`mcp-errconf run` works, but judges nothing here: see `next` above",
            _ => "`mcp-errconf run` does not work yet: see `next` above",
        },
    );
    console::print(&report.text)?;
    Ok(ExitCode::from(report.exit))
}

/// Adds a mistake that the user must correct.
fn wrong(report: &mut DoctorReport, label: &str, failure: &Failure) {
    report.trouble(label, &failure.to_string(), "correct this, then try again", failure.exit_code());
}

/// The program, the kernel, and the confinement.
fn system(report: &mut DoctorReport) {
    let bundled = if cfg!(feature = "reference-server") { "with" } else { "without" };
    report.tell(
        "program",
        &format!("mcp-errconf {}, {bundled} the reference server", env!("CARGO_PKG_VERSION")),
    );
    let system = System::here();
    let name = format!("{} {}", system.name, system.release);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    report.tell(
        "system",
        &format!(
            "{}, {}; processors: {processors}; temporary folder: {}",
            name.trim_end(),
            system.architecture,
            std::env::temp_dir().display()
        ),
    );
    if !system.missing().is_empty() {
        report.tell("  limits", &system.missing().join("\n"));
    }
    if let Err(failure) = room::check(1) {
        wrong(report, "files", &failure);
    }
    let confiner = server::this_program()
        .map_err(|failure| Unconfinable { why: failure.to_string(), fix: None })
        .and_then(|program| Confiner::try_out(&program, ConfinementOptions::default()));
    match confiner {
        Ok(_) => report.tell("confine", "complete: root, processes, network and system calls"),
        Err(Unconfinable { why, fix }) => {
            let then = "without it, `run` sends complete calls only to tools that change nothing";
            let next = match &fix {
                Some(fix) => format!("{fix}\n{then}"),
                None => format!("{then}; SECURITY.md says what it needs"),
            };
            report.trouble("confine", &format!("not possible: {why}"), &next, 0);
            report.fix = fix;
        }
    }
}

/// Adds git, and the programs that servers are started with.
async fn runtimes(report: &mut DoctorReport) {
    let describe = |installed: &Installed| match &installed.version {
        Some(version) => format!("{} {version}", installed.program),
        None => format!("{} (no version told)", installed.program),
    };
    match process::git().await {
        Some(git) => report.tell("git", &describe(&git)),
        None => report.trouble("git", "not installed", "install it, if the server works on repositories", 0),
    }
    let found: Vec<String> = process::runtimes().await.iter().map(describe).collect();
    match found.is_empty() {
        true => report.tell("runtimes", "none of those that servers are commonly started with"),
        false => report.tell("runtimes", &found.join(", ")),
    }
}

/// Adds the configuration, and returns it if it can be read.
fn configuration(
    arguments: &DoctorArguments,
    terminal: &Terminal,
    report: &mut DoctorReport,
) -> Option<Configured> {
    let configured = arguments.config.configured(&arguments.server, terminal);
    let configured = configured.map_err(|failure| wrong(report, "config", &failure)).ok()?;
    let Some(file) = &configured.file else {
        report.tell("config", "no `mcp-errconf.toml` here; `mcp-errconf init` writes one");
        return Some(configured);
    };
    let config = &configured.config;
    let contract = config.contract.as_ref().map_or("the default contract", |(name, _)| name.as_str());
    let mut line = format!("{}: {contract}", file.display());
    for (count, label) in
        [(config.tools.len(), "tools"), (config.roles.len(), "roles"), (config.levels.len(), "levels")]
    {
        if count > 0 {
            let _ = write!(line, ", {label}: {count}");
        }
    }
    if let Some(share) = config.coverage {
        let _ = write!(line, ", coverage asked for: {share}");
    }
    let baseline = arguments.config.baseline(&configured);
    if let Ok(baseline) = &baseline
        && baseline.path.is_some()
    {
        let _ = write!(line, ", accepted findings: {}", baseline.accepted.accepted.len());
    }
    report.tell("config", &line);
    if let Err(failure) = baseline {
        wrong(report, "baseline", &failure);
    }
    Some(configured)
}

/// The run of the server that is given, if one is.
fn planned<'c>(
    arguments: &DoctorArguments,
    configured: &'c Configured,
    report: &mut DoctorReport,
) -> Option<PlannedRun<'c>> {
    let server = arguments.server.server(&configured.config.server);
    let server = server.map_err(|failure| wrong(report, "server", &failure)).ok()?;
    let Some(server) = server else {
        let next = "name yours, such as `mcp-errconf doctor -- ./my-server`";
        report.trouble("server", "none is named", next, 0);
        return None;
    };
    let safety = SafetyOptions::default().safety_of_a_run(&configured.config, &server);
    let assignment =
        safety.and_then(|safety| setup::assignment(None, arguments.timeout, safety, configured, server));
    let assignment = assignment.map_err(|failure| wrong(report, "server", &failure)).ok()?;
    // A baseline that cannot be read was reported with the configuration.
    let baseline =
        arguments.config.baseline(configured).map(|baseline| baseline.accepted).unwrap_or_default();
    let policy = JudgingPolicy { strict: false, baseline, coverage: configured.config.coverage };
    Some(PlannedRun { assignment, configured, policy })
}

/// Starts the server as a run does, then again in confinement. Returns false if the user interrupted it.
async fn start(
    planned: &PlannedRun<'_>,
    interrupted: &watch::Receiver<bool>,
    report: &mut DoctorReport,
) -> bool {
    let assignment = &planned.assignment;
    report.tell("server", &assignment.shown_command().join(" "));
    let begun = Instant::now();
    let looked = drive::inspect(assignment, interrupted.clone()).await;
    let took = begun.elapsed().as_secs_f64();
    match looked {
        Ok(head) => started(&head, took, report),
        Err(DriveError::Interrupted) => return false,
        Err(error) => {
            let next = "start it by hand with the same command, and read what it says; `--from`, `[server] env` and \
                `cwd` give what it lacks";
            let code = match &error {
                DriveError::NotExercised(_) | DriveError::Interrupted => 3,
                DriveError::Configuration(_) => 2,
                DriveError::Harness(_) => super::failure::FAULT,
            };
            report.trouble("  starts", &format!("no: {}", outer_lines(&error.to_string())), next, code);
            return true;
        }
    }
    let SecondSession::By(safety) = &assignment.safety.second else {
        return rehearse(planned, interrupted, report).await;
    };
    let confined = Assignment { safety: (**safety).clone(), ..assignment.clone() };
    match drive::inspect(&confined, interrupted.clone()).await {
        Ok(_) => report.tell("  confined", "starts too: every tool gets complete calls there"),
        Err(DriveError::Interrupted) => return false,
        Err(error) => {
            let why = format!("does not start: {}", outer_lines(&error.to_string()));
            let next =
                "`--allow-read DIR`, `--allow-write DIR` and `--env NAME` of `run` give it what it needs";
            report.trouble("  confined", &why, next, 0);
            return rehearse(planned, interrupted, report).await;
        }
    }
    true
}

/// Sends what a run sends to a server that cannot be sandboxed, and says whether that judges anything. Returns
/// false if the user interrupted it.
async fn rehearse(
    PlannedRun { assignment, configured, policy }: &PlannedRun<'_>,
    interrupted: &watch::Receiver<bool>,
    report: &mut DoctorReport,
) -> bool {
    if report.exit > 0 {
        // What keeps a run from working at all was reported.
        return true;
    }
    let (stop, stopped) = watch::channel(false);
    let mut by_user = interrupted.clone();
    let stopping = async {
        // Either of the two ends the run, which then returns.
        let _ = tokio::time::timeout(REHEARSAL, by_user.wait_for(|interrupted| *interrupted)).await;
        stop.send_replace(true);
        std::future::pending().await
    };
    let mut tell = |_: &Event| Ok(());
    let driven = tokio::select! {
        driven = run::driven_until(stopped, assignment, Duration::MAX, &mut tell) => driven,
        never = stopping => never,
    };
    if *interrupted.borrow() {
        return false;
    }
    let (transcript, not_run) = match driven {
        Ok(driven) => driven,
        Err(failure) => {
            wrong(report, "  run", &failure);
            return true;
        }
    };
    let (contract, policy) = (assignment.contract.clone(), policy.clone());
    let mut recording = Recording { transcript, contract, policy, not_run };
    if setup::is_auto(None, configured) {
        recording.detect_contract(&configured.config);
    }
    let (judged, conclusion) = recording.judge(rules::all());
    let why: &str = match &conclusion {
        Conclusion::Interrupted => {
            let late = format!("takes longer than {} s without a sandbox", REHEARSAL.as_secs());
            report.tell("  run", &format!("{late}: whether it judges anything is not known"));
            return true;
        }
        Conclusion::NothingJudged => "no error reply could be judged",
        Conclusion::Inconclusive(why) | Conclusion::NothingSelected(why) => why,
        _ => {
            let tools = judged.tools.iter().filter(|tool| tool.judged > 0).count();
            let all = judged.tools.len();
            report.tell("  run", &format!("judges {tools} of {all} tools without a sandbox"));
            return true;
        }
    };
    let class = "for each tool that changes nothing, add `class = \"read\"` under `[tools.NAME]`";
    let next = report.fix.as_ref().map_or(class.to_owned(), |fix| format!("{fix}\nor {class}"));
    let exit = conclusion.exit_code();
    report.trouble("  run", &format!("would exit with {exit} without a sandbox: {why}"), &next, exit);
    true
}

fn started(head: &Head, took: f64, report: &mut DoctorReport) {
    let tools = head.catalog.tools.len();
    let name = format!("{} {}, MCP {}", head.server_name, head.server_version, head.protocol_version);
    report.tell(
        "  starts",
        &format!("in {took:.1} s: {}; tools: {tools}, with a role: {}", name.trim(), head.bindings.len()),
    );
    if tools == 0 {
        let next = "there is nothing to judge: see how the server registers its tools";
        report.trouble("  tools", "it lists none", next, 3);
    }
}

/// The first line and the last ones: what a program says in the end is most often why it ended.
fn outer_lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() > LINES {
        lines.drain(1..=lines.len() - LINES);
    }
    lines.join("\n")
}
