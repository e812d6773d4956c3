//! `fuzz`: runs a campaign on a server, writes its report, and a file for each finding.

use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use globset::{Glob, GlobMatcher};
use mcp_errconf::campaign::{
    self, Budget, CampaignResult, CampaignScope, EarlierCampaign, FailureCriteria, ServerStarted, Settings,
};
use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::config::Config;
use mcp_errconf::drive::{Assignment, Confine, Destructive, DriveError, Safety};
use mcp_errconf::event::Event;
use mcp_errconf::judge::Strictness;
use mcp_errconf::report::{self, Given, ReportFormat};
use mcp_errconf::shard::Shard;
use mcp_errconf::{cause, contract, rules};

use super::baseline_file::{ACCEPT_NEW, UPDATE_BASELINE, is_whole};
use super::confine;
use super::duration::duration;
use super::failure::{FAULT, Failure};
use super::setup::{self, ConfigOptions};
use super::shard::ShardOption;
use super::{Terminal, case_source, console, drive_options, interrupt, output, room, run, server};

/// The default duration of a campaign.
const USUAL: Duration = Duration::from_secs(60);
/// How many calls are in flight where nobody says another number.
const USUAL_IN_FLIGHT: u64 = 16;
/// More calls in flight than this measure queues and not the server.
const MOST_IN_FLIGHT: u64 = 1024;

#[derive(Debug, Args)]
#[command(
    after_help = "Without SERVER, the server that the configuration names is fuzzed.",
    mut_arg("update_baseline", |option| option.hide(true)),
    mut_arg("accept_new", |option| {
        option.help("Add everything found now to the baseline, and print what was added")
    }),
    mut_arg("isolate", |option| option.hide(true)),
    mut_arg("robustness", |option| option.hide(true)),
    mut_arg("jobs", |option| option.help("Number of server processes that share the calls"))
)]
pub(crate) struct FuzzArguments {
    #[arg(long, value_name = "TIME", value_parser = duration, help = duration_help())]
    duration: Option<Duration>,
    /// Stop after N calls; findings are then confirmed with a few more, within 10 s
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_calls: Option<u64>,
    /// Number of concurrent calls per process; with 1, and a single job, the seed alone determines what is sent
    #[arg(long, value_name = "N", default_value_t = USUAL_IN_FLIGHT, value_parser = clap::value_parser!(u64).range(1..=MOST_IN_FLIGHT))]
    in_flight: u64,
    /// Folder in which to keep the inputs that led to something new, for the next campaign
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Folder that several campaigns on one server share: each puts its inputs that led to something new there, and sends
    /// those of the others
    #[arg(long, value_name = "DIR")]
    sync: Option<PathBuf>,
    /// Folder in which to write each finding to its own file, for `mcp-errconf replay`
    #[arg(long, value_name = "DIR")]
    findings: Option<PathBuf>,
    /// Start over where the folder of the findings has a campaign that did not end, instead of going on with it
    #[arg(long)]
    fresh: bool,
    /// Keep at most SIZE of inputs in the folder of the corpus: `500M`, `2G`
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_disk: Option<u64>,
    /// Call only tools whose name matches
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    tools: Option<GlobMatcher>,
    /// The error contract to judge by: the id of a built-in one, a folder with a `contract.toml`, or `auto` to infer it
    /// from the first replies
    #[arg(long, value_name = "ID|DIR|auto")]
    contract: Option<String>,
    /// Fail the campaign on Should findings, too
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    reports: output::ReportOptions,
    /// Timeout for each call, and for the start if it is over 30 [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = run::seconds)]
    timeout: Option<Duration>,
    /// Seed for all random choices; if not given, a random one is used and printed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    shard: ShardOption,
    #[command(flatten)]
    safety: confine::SafetyOptions,
    #[command(flatten)]
    options: drive_options::DriveFlags,
    #[command(flatten)]
    config: ConfigOptions,
    #[command(flatten)]
    server: server::ServerChoice,
}

fn duration_help() -> String {
    format!(
        "How long to generate calls: `90s`, `20m`, `8h`. Before that, a call that succeeds is searched for each tool, for 2 \
         minutes at most. Findings are afterwards confirmed and shrunk for up to {} \
         s more; any that there was no time for are reported as not confirmed. Ctrl-C stops at once and \
         still writes everything [default: {} s, unless --max-calls is given]",
        campaign::AFTERWARDS.as_secs(),
        USUAL.as_secs()
    )
}

/// Parses a number of bytes such as `500M`; a bare number is in bytes.
fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'M')) => (&text[..at], 1 << 20),
        Some((at, 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| format!("`{text}` is not a size: write `500M` or `2G`"))
}

fn glob(text: &str) -> Result<GlobMatcher, String> {
    Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| error.to_string())
}

/// Runs a campaign, and returns the exit code of its result.
pub(crate) fn fuzz(
    arguments: &FuzzArguments,
    mut given: Given,
    terminal: &Terminal,
) -> Result<ExitCode, Failure> {
    room::check(arguments.options.options().jobs)?;
    let (shard, seed, remark) = part(arguments)?;
    // The engine whose variables `auto` stands for may not start the next command.
    given.own.retain(|option| option[0] != "--shard" || !shard.is_whole());
    for option in given.own.iter_mut().filter(|option| option[0] == "--shard") {
        option[1] = shard.to_string();
    }
    let configured = arguments.config.configured(&arguments.server, terminal)?;
    let server = setup::server("fuzz", &arguments.server, &configured)?;
    let mut baseline = arguments.config.baseline(&configured)?;
    if baseline.update.removes && !baseline.update.adds {
        return Err(Failure::Usage(format!(
            "a campaign removes nothing from a baseline, because what it did not find may still be there: \
             `{ACCEPT_NEW}` adds what it finds, `run {UPDATE_BASELINE}` removes what is fixed"
        )));
    }
    baseline.check_named()?;
    if let Some(option) = arguments.options.of_cases() {
        return Err(Failure::Usage(format!(
            "`fuzz` does not support `{option}`: it generates calls and has no cases; leave it out, or use `run`"
        )));
    }
    let contract = arguments.contract.as_deref();
    let is_auto = setup::is_auto(contract, &configured);
    let taken = server.taken();
    let safety = arguments.safety.safety(&configured.config, &server)?;
    let mut assignment = setup::assignment(contract, arguments.timeout, safety, &configured, server)?;
    (assignment.seed, assignment.options) = (seed, arguments.options.options());
    assignment.probes.most = 0;
    let promises = setup::promises(is_auto, &assignment.contract);
    let strictness = if arguments.strict { Strictness::Should } else { Strictness::Must };
    let beside = arguments.findings.as_deref().map(reports_in).transpose()?;
    let server = server_started(arguments, &given, &assignment, taken);
    let mut outputs = output::open(
        &beside.map_or_else(|| arguments.reports.clone(), |beside| arguments.reports.with(beside)),
        None,
        &promises,
        strictness,
        output::anchor(configured.file.as_deref(), &assignment.server.command),
        given,
        terminal,
    )?;
    let file = baseline.open()?;
    if !terminal.quiet {
        console::remark(&remark);
    }
    let detect = (is_auto && !assignment.server.bundled).then(|| configured.config.clone());
    let settings = settings(arguments, shard, detect, server, &assignment.safety);
    let measure = FailureCriteria { baseline: &baseline.accepted, strictness };
    // A full disk is reported once, whichever file does not fit.
    let mut is_full = false;
    let fuzzed = fuzzed(&assignment, &settings, measure, &mut |event| {
        is_full |= matches!(event, Event::Unwritten(_));
        outputs.tell(event)
    })?;
    let CampaignResult { mut report, mut conclusion, unkept } = fuzzed;
    if assignment.server.bundled
        && let Some(program) = report.server.command.first_mut()
    {
        run::PROGRAM.clone_into(program);
    }
    if let Some(file) = file
        && is_whole(&conclusion)
    {
        baseline.extend(file, &report.findings, terminal)?;
        baseline.accepted.mark(&mut report.findings);
        conclusion = match conclusion {
            Conclusion::Findings(_) => Conclusion::Conformant,
            other => other,
        };
    }
    let exit = conclusion.exit_code();
    match outputs.tell(&Event::Judged { report: Box::new(report), conclusion }) {
        Err(Failure::Fault(_)) if is_full => return Ok(ExitCode::from(FAULT)),
        other => other?,
    }
    Ok(ExitCode::from(if unkept > 0 { FAULT } else { exit }))
}

/// Runs a campaign; if nothing was called, gives the reason.
fn fuzzed(
    assignment: &Assignment,
    settings: &Settings,
    measure: FailureCriteria<'_>,
    tell_all: &mut dyn FnMut(&Event) -> Result<(), Failure>,
) -> Result<CampaignResult, Failure> {
    rules::warm_up_beside();
    let mut result = Ok(());
    let mut tell =
        |event: Event| result = std::mem::replace(&mut result, Ok(())).and_then(|()| tell_all(&event));
    let fuzzed = interrupt::run(async |interrupted| {
        campaign::fuzz(assignment, settings, measure, interrupted, &mut tell).await
    })?;
    result?;
    match fuzzed {
        Ok(fuzzed) => Ok(fuzzed),
        Err(DriveError::NotExercised(why)) => {
            Ok(campaign::unexercised(assignment, Conclusion::NotExercised(why)))
        }
        Err(DriveError::Interrupted) => Ok(campaign::unexercised(assignment, Conclusion::Interrupted)),
        Err(DriveError::Configuration(why)) => Err(Failure::Usage(why)),
        Err(DriveError::Harness(why)) => Err(Failure::Fault(why)),
    }
}

fn settings(
    arguments: &FuzzArguments,
    shard: Shard,
    detect: Option<Config>,
    server: ServerStarted,
    safety: &Safety,
) -> Settings {
    let usual = (arguments.duration.is_none() && arguments.max_calls.is_none()).then_some(USUAL);
    Settings {
        end: Budget { duration: arguments.duration.or(usual), calls: arguments.max_calls },
        shard,
        earlier: if arguments.fresh { EarlierCampaign::Forget } else { EarlierCampaign::Continue },
        max_disk: arguments.max_disk,
        in_flight: usize::try_from(arguments.in_flight).unwrap_or(1),
        corpus: arguments.corpus.clone(),
        sync: arguments.sync.clone(),
        findings: arguments.findings.clone(),
        server,
        detect,
        tools: arguments.tools.clone(),
        scope: match (&safety.confine, safety.destructive) {
            (Confine::By(_), _) => CampaignScope::Confined,
            (_, Destructive::Allowed) => CampaignScope::Opened,
            (_, Destructive::Withheld) => CampaignScope::ReadOnly,
        },
    }
}

/// The name of the JSON report in the folder of findings.
pub(super) const REPORT_JSON: &str = "report.json";

/// The reports that are written to the folder of findings, which is made.
fn reports_in(folder: &Path) -> Result<Vec<(&'static ReportFormat, PathBuf)>, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let (folder, cause) = (folder.display(), cause::describe(&error));
        Failure::Usage(format!("cannot create the folder `--findings {folder}`: {cause}"))
    })?;
    Ok(vec![
        (&report::json::FORMAT, folder.join(REPORT_JSON)),
        (&report::html::FORMAT, folder.join("report.html")),
    ])
}

/// The options of a campaign with which a finding is sent again.
const REPEATED: [&str; 7] =
    ["--timeout", "--confine", "--allow-read", "--allow-write", "--env", "--config", "--bundled"];

/// How the server is started, for the files of findings.
fn server_started(
    arguments: &FuzzArguments,
    given: &Given,
    assignment: &Assignment,
    taken: Option<(PathBuf, String)>,
) -> ServerStarted {
    let is_repeated = |option: &&Vec<String>| match option[0].as_str() {
        // A built-in contract is named in the finding's file, even a detected one.
        "--contract" => option[1] != case_source::AUTO && contract::builtin_ids().all(|id| id != option[1]),
        name => REPEATED.contains(&name),
    };
    let bundled = assignment.server.bundled;
    let mut command = assignment.shown_command();
    if bundled {
        run::PROGRAM.clone_into(&mut command[0]);
    }
    let given = given.judging.iter().chain(&given.starting).filter(is_repeated);
    let mut options: Vec<String> = given.flatten().cloned().collect();
    if let Some((file, name)) = taken {
        options.extend(["--from".to_owned(), file.display().to_string(), "--server".to_owned(), name]);
    }
    ServerStarted {
        command,
        folder: campaign_folder(arguments.findings.as_deref()),
        options,
        env: arguments.safety.env.iter().chain(assignment.server.env.keys()).cloned().collect(),
    }
}

/// The working folder, relative to the folder of the findings if that lies below, so that both can be moved together.
pub(super) fn campaign_folder(findings: Option<&Path>) -> PathBuf {
    let below = findings.filter(|folder| {
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        folder.components().all(is_plain) && !folder.ancestors().any(Path::is_symlink)
    });
    match below {
        Some(folder) => {
            let named = folder.components().filter(|part| matches!(part, Component::Normal(_)));
            named.map(|_| "..").collect()
        }
        None => std::env::current_dir().unwrap_or_default(),
    }
}

/// The shard, its seed, and what is said of them: a campaign that did not end keeps its own.
fn part(arguments: &FuzzArguments) -> Result<(Shard, u64, String), Failure> {
    let shard = arguments.shard.shard()?;
    let given = arguments.seed.map(|seed| shard.seed(seed));
    let folder = arguments.findings.as_deref().filter(|_| !arguments.fresh);
    match folder.and_then(campaign::unfinished) {
        Some((before, sent)) => {
            let remark = format!(
                "going on with the campaign that was stopped after {} calls and {} s; `--fresh` starts over",
                sent.calls,
                sent.duration_ms / 1_000
            );
            Ok((shard, given.unwrap_or(before), remark))
        }
        None => {
            let seed = arguments.seed.unwrap_or_else(drawn_seed);
            let (of_shard, option) = match shard.is_whole() {
                true => (String::new(), String::new()),
                false => (format!(", shard {shard}"), format!(" --shard {shard}")),
            };
            let remark =
                format!("seed {seed}{of_shard}: `--seed {seed}{option}` generates the same calls again");
            Ok((shard, shard.seed(seed), remark))
        }
    }
}

/// A seed from the clock; small, so that it is easy to type.
fn drawn_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_micros()) + now.as_secs() % 1_000 * 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_or_are_bytes() {
        for (text, bytes) in [("12", 12), ("3k", 3 << 10), ("500M", 500 << 20), ("2G", 2 << 30)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "-1", "1.5G", "2T", "99999999999G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
