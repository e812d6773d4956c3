//! What the harness costs, as ratios in one run: `cargo bench`. Absolute figures are told beside them and decide nothing.
//!
//! - A run against a bare client that sends the same lines to the same server, one at a time, and waits for the replies.
//! - Judging a recorded run, in exchanges a second on one core.
//! - The start: from the program's first instruction to the first byte that its server gets.
//! - Planning for a server of 2,000 tools with 20 parameters each.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcp_errconf::bundled;
use mcp_errconf::catalog::Catalog;
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::drive::{Assignment, drive};
use mcp_errconf::judge::{Strictness, judge};
use mcp_errconf::plan::plan;
use mcp_errconf::roles::bind;
use mcp_errconf::rules;
use mcp_errconf::suite::{self, Process, Suite};
use mcp_errconf::transcript::{Chosen, Folders, Limits, Transcript};

const ROUNDS: usize = 10;
const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-errconf");

fn main() {
    let contract = contract::load_builtin("bracket-code").expect("it is sound").expect("it is built in");
    let suite = shared_cases();
    let transcript = driven(&contract, &suite);
    overhead(&contract, &suite, &transcript);
    judging(&contract, &transcript);
    start();
    planning(&suite);
}

/// The cases that need no process of their own.
fn shared_cases() -> Suite {
    let mut suite = suite::load_builtin().expect("the built-in cases are sound");
    suite.cases.retain(|case| case.script.process == Process::Shared);
    suite
}

fn assignment(contract: &Contract, suite: &Suite) -> Assignment {
    Assignment {
        command: bundled::command(Path::new(PROGRAM), &contract.id, None),
        bundled: true,
        cwd: None,
        env: BTreeMap::new(),
        streams: None,
        roles: BTreeMap::new(),
        tools: BTreeMap::new(),
        levels: BTreeMap::new(),
        contract: contract.clone(),
        chosen: Chosen::Flag,
        limits: bundled::limits(),
        suite: suite.clone(),
        timeout: Duration::from_secs(10),
        start_timeout: Duration::from_secs(30),
        seed: 0,
        manner: mcp_errconf::drive::Manner::default(),
        probes: mcp_errconf::plan::ProbeChoice { most: 0, filter: None },
    }
}

fn driven(contract: &Contract, suite: &Suite) -> Transcript {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (_keep, interrupt) = tokio::sync::watch::channel(false);
    let assignment = assignment(contract, suite);
    runtime.block_on(drive(&assignment, interrupt, &mut |_| {})).expect("the reference server runs")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn timed<T>(mut work: impl FnMut() -> T) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(work());
        begun.elapsed()
    });
    median(times.collect())
}

/// The harness and a bare client take turns, so that both meet the same noise.
fn overhead(contract: &Contract, suite: &Suite, transcript: &Transcript) {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        std::hint::black_box(driven(contract, suite));
        ours.push(begun.elapsed());
        bare.push(bare_client(transcript));
    }
    let (ours, bare) = (median(ours), median(bare));
    println!(
        "run / bare client: {:.2} (at most 1.25; {ours:.1?} and {bare:.1?} for {} requests)",
        ours.as_secs_f64() / bare.as_secs_f64(),
        transcript.exchanges.len()
    );
}

/// Sends the recorded lines to a server of its own, in folders like those of the run, and waits for each reply.
fn bare_client(transcript: &Transcript) -> Duration {
    let home = tempfile::tempdir().expect("a temporary folder");
    let root = home.path().canonicalize().expect("it is there");
    let workspace = root.join("workspace");
    // The recorded lines name the run's own folders, of the same length by their making; here they lead nowhere else.
    std::fs::create_dir(&workspace).expect("the folder is ours");
    let old = Path::new(&transcript.head.folders.workspace).parent().expect("it has a parent");
    let lines: Vec<String> = transcript
        .exchanges
        .iter()
        .map(|exchange| exchange.call.line.replace(&*old.to_string_lossy(), &root.to_string_lossy()))
        .collect();
    for exchange in transcript.exchanges.iter().filter_map(|exchange| exchange.place.case.as_ref()) {
        let _ = std::fs::create_dir(workspace.join(exchange.0.replace('/', "-")));
    }
    let words = bundled::command(Path::new(PROGRAM), &transcript.head.contract, None);
    let words: Vec<String> =
        words.iter().map(|word| word.replace("{workspace}", &workspace.to_string_lossy())).collect();
    let begun = Instant::now();
    let mut server = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the reference server starts");
    let mut input = server.stdin.take().expect("it is piped");
    let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
    let mut reply = String::new();
    for line in &lines {
        writeln!(input, "{line}").expect("the server reads");
        reply.clear();
        output.read_line(&mut reply).expect("the server answers");
        if line.contains("\"initialize\"") {
            writeln!(input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).expect("it reads");
        }
    }
    drop(input);
    server.wait().expect("the server ends");
    begun.elapsed()
}

/// How fast a recording is judged.
fn judging(contract: &Contract, transcript: &Transcript) {
    let mut long = transcript.clone();
    while long.exchanges.len() < 20_000 {
        let offset = long.exchanges.len();
        long.exchanges.extend(transcript.exchanges.iter().cloned().map(|mut exchange| {
            exchange.index += offset;
            exchange.place.control = exchange.place.control.map(|index| index + offset);
            exchange.place.follows = exchange.place.follows.map(|index| index + offset);
            exchange
        }));
    }
    let took = timed(|| judge(&long, contract, rules::all(), Strictness::Must));
    println!(
        "judging: {:.0} exchanges a second ({} in {took:.1?})",
        long.exchanges.len() as f64 / took.as_secs_f64(),
        long.exchanges.len()
    );
}

/// From the program's start to the first byte that the server gets; the server here is `sh`, which then ends.
fn start() {
    let took = timed(|| {
        let script = "head -c 1 >/dev/null; exit 0";
        let arguments = ["run", "-q", "--report", "json=/dev/null", "--", "sh", "-c", script];
        Command::new(PROGRAM).args(arguments).stderr(Stdio::null()).status().expect("the program starts")
    });
    println!("start to the first byte sent, and the end: {took:.1?}");
}

/// How fast a large server is bound and planned for.
fn planning(suite: &Suite) {
    let parameters =
        (0..20).map(|number| (format!("parameter_{number}"), serde_json::json!({"type": "string"})));
    let properties: serde_json::Map<_, _> = parameters.collect();
    let tools: Vec<_> = (0..2_000)
        .map(|number| {
            serde_json::json!({"name": format!("read_thing_{number}"), "inputSchema":
                {"type": "object", "properties": properties, "required": ["parameter_0"]}})
        })
        .collect();
    let mut catalog = Catalog::default();
    catalog.add_page(&serde_json::json!({"tools": tools}));
    let folders = Folders { workspace: "/w".into(), outside: "/o".into(), canary: "c".into() };
    let took = timed(|| plan(suite, &catalog, &bind(&catalog), &Limits::default(), &folders));
    println!("binding and planning 2,000 tools of 20 parameters: {took:.1?}");
}
