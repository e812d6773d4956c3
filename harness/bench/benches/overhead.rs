//! What the harness costs, as ratios in one run: `cargo bench -p mcp-errconf-bench --bench overhead`. Absolute figures are
//! reported beside them and decide nothing.
//!
//! - A run of the program, from its start to its end, against a bare client that sends the same lines to the same server
//!   on as many processes, one at a time, and waits for the replies.
//! - Judging a recorded run, in exchanges a second on one core, and the rules that take most of it.
//! - Judging four times as many failing calls, whose time should grow no more than they do.
//! - The start: from the program's first instruction to the first byte that its server gets.
//! - Planning for a server of 2,000 tools with 20 parameters each.
//!
//! The folders of a run stand below `TMPDIR`. File systems on a disk give the entries of deleted files free only after
//! minutes and make new ones ever more slowly until then, so one in memory gives steadier figures.
//!
//! The server is the bundled one, or the one whose command line is given:
//! `cargo bench -p mcp-errconf-bench --bench overhead -- node server.js {workspace}`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mcp_errconf::bundled;
use mcp_errconf::catalog::Catalog;
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::exchange::{Outcome, Step};
use mcp_errconf::judge::{Strictness, judge};
use mcp_errconf::placeholder::{Folders, Tokens};
use mcp_errconf::plan::{Known, ProbeChoice, ProbeScope, plan, probes};
use mcp_errconf::recording::read;
use mcp_errconf::roles::{Role, bind};
use mcp_errconf::rules::{self, Rule};
use mcp_errconf::server::RunFolders;
use mcp_errconf::suite::{self, ProcessChoice, Suite};
use mcp_errconf::transcript::{Limits, Transcript};
use mcp_errconf_bench::{median, process_time, program};
use serde::Deserialize;
use serde_json::json;

const ROUNDS: usize = 10;
/// The number of exchanges judged at once.
const EXCHANGES: usize = 10_000;
/// As a server this program notes in a file when its first byte came.
const NOTES_FIRST_BYTE: &str = "--note-first-byte";

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if words.first().is_some_and(|word| word == NOTES_FIRST_BYTE) {
        return note_first_byte(Path::new(&words.remove(1)));
    }
    let contract = contract::load_builtin("bracket-code").expect("it is sound").expect("it is built in");
    let suite = judged_cases();
    let bench =
        Bench { home: tempfile::tempdir().expect("a temporary folder"), server: words, suite, contract };
    let begun = process_time();
    rules::warm_up();
    println!("what most replies need, compiled: {:.1?}", process_time().saturating_sub(begun));
    start();
    planning(&bench.suite, &bench.contract);
    let transcript = bench.recorded();
    bench.overhead(&transcript);
    judging(&bench.contract, &transcript);
    growth(&bench.contract);
}

/// The cases that need no process of their own, start no task, wait for no deadline, and have nothing behind the server.
fn judged_cases() -> Suite {
    let mut suite = suite::load_builtin().expect("the built-in cases are sound");
    suite.cases.retain(|case| {
        let script = &case.script;
        script.process == ProcessChoice::Shared
            && !matches!(script.call.role, Role::TaskOutput | Role::Http)
            && !case.id.0.ends_with("timed-out")
    });
    suite
}

fn timed<T>(mut work: impl FnMut() -> T) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(work());
        begun.elapsed()
    });
    median(times.collect())
}

/// One server, and what is driven on it.
struct Bench {
    home: tempfile::TempDir,
    /// The server's command line; empty for the bundled one.
    server: Vec<String>,
    suite: Suite,
    contract: Contract,
}

impl Bench {
    fn run(&self, more: &[&str]) {
        let ids: Vec<&str> = self.suite.cases.iter().map(|case| case.id.0.as_str()).collect();
        let filter = format!("{{probe/**,{}}}", ids.join(","));
        let mut command = Command::new(program());
        command.args(["run", "-q", "--contract", &self.contract.id, "--filter", &filter]);
        command.args(["--report", "json=/dev/null"]).args(more);
        match self.server.as_slice() {
            [] => command.arg("--bundled"),
            words => command.arg("--").args(words),
        };
        let output = command.stdin(Stdio::null()).output().expect("the program starts");
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{code:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn recorded(&self) -> Transcript {
        let file = self.home.path().join("run.jsonl");
        self.run(&["--transcript", &file.to_string_lossy()]);
        let text = std::fs::read_to_string(&file).expect("the run was recorded");
        read(&text, &self.contract).expect("a recording is read as it was written").transcript
    }

    /// The harness and a bare client take turns, so that both meet the same noise.
    fn overhead(&self, transcript: &Transcript) {
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            self.run(&[]);
            ours.push(begun.elapsed());
            bare.push(self.bare_client(transcript));
        }
        let (ours, bare) = (median(ours), median(bare));
        println!(
            "run / bare client: {:.2} (at most 1.25; {ours:.1?} and {bare:.1?} for {} requests)",
            ours.as_secs_f64() / bare.as_secs_f64(),
            transcript.exchanges.len()
        );
    }

    /// Sends the recorded lines to servers of its own, in folders like those of the run, and waits for each reply.
    fn bare_client(&self, transcript: &Transcript) -> Duration {
        let run_folders = RunFolders::create(0).expect("folders can be made");
        self.lay_out(transcript, &run_folders);
        let old = Path::new(&transcript.head.folders.workspace).parent().expect("it has a parent");
        let new = Path::new(&run_folders.folders.workspace).parent().expect("it has a parent");
        let (old, new) = (old.to_string_lossy(), new.to_string_lossy());
        let answered = transcript
            .exchanges
            .iter()
            .filter(|exchange| matches!(exchange.outcome, Outcome::Result(_) | Outcome::Error(_)));
        let lines: Vec<(usize, bool, String)> = answered
            .map(|exchange| {
                let line = exchange.call.line.replace(&*old, &new);
                (exchange.process, exchange.place.step == Step::Lifecycle, line)
            })
            .collect();
        let words = self.words(&transcript.head.contract, &run_folders.folders);
        let begun = Instant::now();
        let mut client: Option<(usize, BareClient)> = None;
        for (process, is_lifecycle, line) in &lines {
            let mut open = match client.take() {
                Some((number, open)) if number == *process => open,
                other => {
                    if let Some((_, ended)) = other {
                        ended.end();
                    }
                    BareClient::start(&words)
                }
            };
            open.ask(line, &run_folders.folders);
            if *is_lifecycle && line.contains("\"initialize\"") {
                open.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
            }
            client = Some((*process, open));
        }
        if let Some((_, ended)) = client {
            ended.end();
        }
        begun.elapsed()
    }

    fn words(&self, contract: &str, folders: &Folders) -> Vec<String> {
        let words = match self.server.as_slice() {
            [] => bundled::command(Path::new(program()), contract, None),
            words => words.to_vec(),
        };
        let tokens = Tokens { folders, case: None, denied: None };
        words.iter().map(|word| tokens.replace(word)).collect()
    }

    /// The files that the run makes for its cases and probes, so that the calls come to the same.
    fn lay_out(&self, transcript: &Transcript, run_folders: &RunFolders) {
        let head = &transcript.head;
        let denied = head.limits.denied_name();
        for case in &self.suite.cases {
            let folder = run_folders.case_folder(&case.id).to_string_lossy().into_owned();
            let tokens =
                Tokens { folders: &run_folders.folders, case: Some(&folder), denied: denied.as_deref() };
            let limit = head.limits.max_file_size.unwrap_or_default();
            let made = run_folders.lay_out(&case.id, &case.script.files, limit, &|text| tokens.replace(text));
            made.expect("files can be made");
        }
        let known = Known {
            catalog: &head.catalog,
            bindings: &head.bindings,
            limits: &head.limits,
            folders: &run_folders.folders,
            contract: &self.contract,
            settings: &BTreeMap::new(),
            scope: ProbeScope::ByClass,
        };
        for tool in probes(known, &ProbeChoice::default()).tools {
            let made = run_folders.lay_out(&tool.folder, &tool.files, 0, &str::to_owned);
            made.expect("files can be made");
        }
    }
}

/// As little as a client can do.
struct BareClient {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What a client must read of a line to know what it is.
#[derive(Deserialize)]
struct Envelope {
    id: Option<serde_json::Value>,
    method: Option<String>,
}

impl BareClient {
    fn start(words: &[String]) -> Self {
        let mut server = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take().expect("it is piped");
        let output = BufReader::new(server.stdout.take().expect("it is piped"));
        Self { server, input, output }
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).expect("the server reads");
    }

    /// Sends a request and waits for its reply; a server may ask for the roots meanwhile.
    fn ask(&mut self, line: &str, folders: &Folders) {
        let asked: Envelope = serde_json::from_str(line).expect("what was sent is JSON");
        self.send(line);
        let mut reply = Vec::new();
        loop {
            reply.clear();
            let read = self.output.read_until(b'\n', &mut reply).expect("the server answers");
            assert!(read > 0, "the server ended before it answered {line}");
            let Ok(came) = serde_json::from_slice::<Envelope>(&reply) else { continue };
            match came.method {
                None if came.id == asked.id => return,
                Some(_) if came.id.is_some() => {
                    let roots = json!({"roots": [{"uri": format!("file://{}", folders.workspace)}]});
                    self.send(&json!({"jsonrpc": "2.0", "id": came.id, "result": roots}).to_string());
                }
                _ => {}
            }
        }
    }

    fn end(mut self) {
        drop(self.input);
        self.server.wait().expect("the server ends");
    }
}

/// How fast a recording is judged, and by which rules it is slowed down most.
fn judging(contract: &Contract, transcript: &Transcript) {
    let mut long = transcript.clone();
    while long.exchanges.len() < EXCHANGES {
        let offset = long.exchanges.len();
        long.exchanges.extend(transcript.exchanges.iter().cloned().map(|mut exchange| {
            exchange.index += offset;
            exchange.place.control = exchange.place.control.map(|index| index + offset);
            exchange.place.follows = exchange.place.follows.map(|index| index + offset);
            exchange
        }));
    }
    let count = long.exchanges.len();
    let once = |rules: &[&'static Rule]| {
        let begun = process_time();
        std::hint::black_box(judge(&long, contract, rules, Strictness::Must));
        process_time().saturating_sub(begun)
    };
    let took = median((0..ROUNDS).map(|_| once(rules::all())).collect());
    println!(
        "judging: {:.0} exchanges a second (over 100,000; {count} in {took:.1?})",
        count as f64 / took.as_secs_f64()
    );
    let none = once(&[]);
    let mut each: Vec<(Duration, String)> =
        searches().map(|(rules, name)| (once(&rules).saturating_sub(none), name)).collect();
    each.sort_by(|left, right| right.cmp(left));
    let slowest: Vec<String> = each.iter().take(8).map(|(took, name)| format!("{name} {took:.1?}")).collect();
    println!("  reading the replies {none:.1?}; {}", slowest.join(", "));
}

/// How the time to judge failing calls grows with their number.
fn growth(contract: &Contract) {
    let pair = |index: usize| {
        let call =
            json!({"name": format!("tool{}", index % 50), "arguments": {"path": format!("a/{index}.txt")}});
        let text = format!("open a/{index}.txt: no such file or directory");
        let result = json!({"isError": true, "content": [{"type": "text", "text": text}]});
        json!({
            "case": format!("c{index}"),
            "request": {"jsonrpc": "2.0", "id": index, "method": "tools/call", "params": call},
            "response": {"jsonrpc": "2.0", "id": index, "result": result},
        })
    };
    let [few, many] = [5_000, 20_000].map(|count| {
        let lines: String = (0..count).map(|index| format!("{}\n", pair(index))).collect();
        let recording = read(&lines, contract).expect("the pairs are sound");
        let begun = process_time();
        std::hint::black_box(recording.judge(rules::all()));
        process_time().saturating_sub(begun)
    });
    let times = many.as_secs_f64() / few.as_secs_f64();
    println!("judging 5,000 / 20,000 failing calls: {few:.1?} / {many:.1?}, {times:.1} times as long");
}

/// Each rule by itself; those that share the search for leaks, together.
fn searches() -> impl Iterator<Item = (Vec<&'static Rule>, String)> {
    let is_leak = |rule: &&'static Rule| rule.id.starts_with("leak/");
    let (leaks, others): (Vec<_>, Vec<_>) = rules::all().iter().copied().partition(is_leak);
    let others = others.into_iter().map(|rule| (vec![rule], rule.id.to_owned()));
    others.chain([(leaks, "leak/*".to_owned())])
}

/// From the program's start to the first byte that the server gets; the server here is this program, which then ends.
fn start() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let note = home.path().join("first-byte");
    let this = std::env::current_exe().expect("this program has a place");
    let times = (0..ROUNDS).map(|_| {
        let begun = since_epoch();
        Command::new(program())
            .args(["run", "-q", "--report", "json=/dev/null", "--"])
            .args([this.as_os_str(), NOTES_FIRST_BYTE.as_ref(), note.as_os_str()])
            .stderr(Stdio::null())
            .status()
            .expect("the program starts");
        let noted = std::fs::read_to_string(&note).expect("the first byte came");
        let noted: u64 = noted.parse().expect("a number was noted");
        Duration::from_nanos(noted).saturating_sub(begun)
    });
    println!("start to the first byte sent: {:.1?} (under 15 ms)", median(times.collect()));
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is set")
}

fn note_first_byte(file: &Path) {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a request comes");
    std::fs::write(PathBuf::from(file), since_epoch().as_nanos().to_string()).expect("a note can be written");
}

/// How fast a large server is bound and planned for.
fn planning(suite: &Suite, contract: &Contract) {
    let schemas = [
        json!({"type": "string"}),
        json!({"type": "integer", "minimum": 1, "maximum": 9}),
        json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": null}),
        json!({"type": "string", "enum": ["one", "two"], "description": "one of two"}),
    ];
    let parameters = (0..20).map(|number| (format!("parameter_{number}"), schemas[number % 4].clone()));
    let properties: serde_json::Map<_, _> = parameters.collect();
    let tools: Vec<_> = (0..2_000)
        .map(|number| {
            json!({"name": format!("read_thing_{number}"), "inputSchema":
                {"type": "object", "properties": properties, "required": ["parameter_0", "parameter_1"]}})
        })
        .collect();
    let mut catalog = Catalog::default();
    catalog.add_page(&json!({ "tools": tools }));
    let folders =
        Folders { workspace: "/w".into(), outside: "/o".into(), canary: "c".into(), ..Folders::default() };
    let (limits, settings, choice) = (Limits::default(), BTreeMap::new(), ProbeChoice::default());
    let took = timed(|| {
        let bindings = bind(&catalog);
        let known = Known {
            catalog: &catalog,
            bindings: &bindings,
            limits: &limits,
            folders: &folders,
            contract,
            settings: &settings,
            scope: ProbeScope::ByClass,
        };
        (plan(suite, &catalog, &bindings, &limits, &folders), probes(known, &choice))
    });
    println!("binding and planning 2,000 tools of 20 parameters: {took:.1?} (under 1 s)");
    let only_bound = timed(|| bind(&catalog));
    println!("  binding alone: {only_bound:.1?}");
}
