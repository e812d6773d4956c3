//! How many of the eight planted faults a campaign finds, over several seeds of both sides:
//!
//! ```sh
//! cargo build --release -p mcp-errconf --bin mcp-errconf --example eight_faults --example eight_faults_score
//! target/release/examples/eight_faults_score --seeds 5 --duration 60s
//! ```
//!
//! Each pair of seeds is one campaign against the server `eight_faults`. A fault is found where a finding names its tool
//! and a rule that it breaks; it is reported once where one finding does. The sizes are those of the shrunk inputs beside
//! the smallest that there are, in bytes of JSON. What belongs to no planted fault is reported as well: it is a false alarm.
//! Options behind `--` are handed to `mcp-errconf fuzz`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

const USAGE: &str = "usage: eight_faults_score [--seeds N] [--duration 60s] [-- OPTIONS OF FUZZ]";

/// What all campaigns came to.
#[derive(Default)]
struct Tally {
    campaigns: usize,
    /// Campaigns that found all faults.
    complete: usize,
    /// Campaigns that reported each fault once.
    once: usize,
    /// Findings that belong to no planted fault.
    strange: usize,
    /// The campaigns that found a fault of a kind.
    found: BTreeMap<String, usize>,
}

fn main() -> ExitCode {
    match score(std::env::args().skip(1)) {
        Ok(Tally { campaigns, complete, once, strange, found }) => {
            for (kind, count) in found {
                println!("{kind}: {count} of {campaigns}");
            }
            println!("{complete} of {campaigns} campaigns found all, {once} each of them once");
            println!("{strange} findings that were not planted");
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::from(2)
        }
    }
}

fn score(mut words: impl Iterator<Item = String>) -> Result<Tally, String> {
    let (mut seeds, mut duration, mut options) = (5, "60s".to_owned(), Vec::new());
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seeds" => seeds = words.next().and_then(|seeds| seeds.parse().ok()).ok_or(USAGE)?,
            "--duration" => duration = words.next().ok_or(USAGE)?,
            "--" => options = words.by_ref().collect(),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let mut tally = Tally::default();
    for campaigns in 0..seeds {
        for servers in 0..seeds {
            // The campaign does not know the server's seed, and no two servers are alike.
            let (seed, server) = (1 + campaigns, 100 * (1 + campaigns) + servers);
            let findings = findings(seed, server, &duration, &options)
                .map_err(|what| format!("campaign {seed}, server {server}: {what}"))?;
            println!("campaign {seed}, server {server}:");
            tally.add(&planted(server)?, &findings)?;
        }
    }
    Ok(tally)
}

impl Tally {
    /// Counts and prints one more campaign: the lines of planted faults beside the findings of the JSON report.
    fn add(&mut self, planted: &str, findings: &[Value]) -> Result<(), String> {
        let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let mut strange: Vec<&Value> = findings.iter().collect();
        let mut counts = Vec::new();
        for line in planted.lines() {
            let &[kind, rule, tool, calls] = &line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("a line of four fields was expected: {line}"));
            };
            let tells = |finding: &Value| finding["tool"] == tool && text(finding, "rule").starts_with(rule);
            let found: Vec<&Value> = findings.iter().filter(|finding| tells(finding)).collect();
            strange.retain(|finding| !tells(finding));
            counts.push(found.len());
            *self.found.entry(kind.to_owned()).or_default() += usize::from(!found.is_empty());
            match found.first().map(|finding| &finding["input"]) {
                None => println!("  {kind} was not found"),
                Some(input) => {
                    // One call stands alone in a report.
                    let brackets = if input.is_array() { 0 } else { 2 };
                    let (shrunk, least) = (input.to_string().len() + brackets, calls.len());
                    println!(
                        "  {kind} with {shrunk} bytes (smallest {least}), reported {} times",
                        found.len()
                    );
                }
            }
        }
        for finding in &strange {
            let [rule, tool, message] = ["rule", "tool", "message"].map(|key| text(finding, key));
            println!("  not planted: {rule} of {tool}: {message}");
        }
        self.campaigns += 1;
        self.complete += usize::from(!counts.contains(&0));
        self.once += usize::from(counts.iter().all(|count| *count == 1));
        self.strange += strange.len();
        Ok(())
    }
}

/// The findings of a campaign against the server of a seed.
fn findings(seed: u64, server: u64, duration: &str, options: &[String]) -> Result<Vec<Value>, String> {
    let folder = tempfile::TempDir::new().map_err(|error| error.to_string())?;
    let report = folder.path().join("report.json");
    let program = beside("../mcp-errconf")?;
    let mut fuzz = Command::new(&program);
    fuzz.args(["fuzz", "--contract", "bracket-code", "--duration", duration, "-q"])
        .args(["--seed", &seed.to_string()])
        .arg(format!("--report=json={}", report.display()))
        .arg("--findings")
        .arg(folder.path().join("findings"))
        .args(options)
        .arg("--")
        .arg(beside("eight_faults")?)
        .args(["--seed", &server.to_string()])
        .current_dir(folder.path())
        .stdin(Stdio::null());
    let ended = fuzz.output().map_err(|error| format!("{}: {error}", program.display()))?;
    let text = std::fs::read_to_string(&report).map_err(|_| {
        format!("no report, {}: {}", ended.status, String::from_utf8_lossy(&ended.stderr).trim())
    })?;
    let mut report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    serde_json::from_value(report["findings"].take()).map_err(|error| error.to_string())
}

/// The faults of the server of a seed, as it lists them itself.
fn planted(server: u64) -> Result<String, String> {
    let listed =
        Command::new(beside("eight_faults")?).args(["--list", "--seed", &server.to_string()]).output();
    String::from_utf8(listed.map_err(|error| error.to_string())?.stdout).map_err(|error| error.to_string())
}

/// A program that cargo puts beside this one.
fn beside(name: &str) -> Result<PathBuf, String> {
    let ours = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = ours.with_file_name(name);
    match program.exists() {
        true => Ok(program),
        false => Err(format!(
            "{} is not there: build it first, as the head of this example says",
            program.display()
        )),
    }
}
