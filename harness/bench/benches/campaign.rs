//! What a campaign costs, as a ratio in one run: `cargo bench -p mcp-errconf-bench --bench campaign`. Absolute figures are
//! reported beside it and decide nothing.
//!
//! A campaign with 64 calls in flight, every reply judged, against a bare client that sends the same lines to the same
//! server, as many in flight, and only counts what comes back. The two take turns; the median of the ratios decides.
//! Neither's clock runs while its server starts and ends: campaigns take hours.
//!
//! The server is the bundled one, or the one whose command line is given:
//! `cargo bench -p mcp-errconf-bench --bench campaign -- node server.js {workspace}`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mcp_errconf::condition::CaseId;
use mcp_errconf::server::RunFolders;
use mcp_errconf::suite::{self, FileContent};
use mcp_errconf_bench::{median, program};
use serde::Deserialize;
use serde::de::IgnoredAny;

const ROUNDS: usize = 5;
/// The most and the fewest calls; between them what the server answers within [`SECONDS`]. A campaign gives a process
/// 400,000 calls, and most of what is compared must have gone to one.
const CALLS: usize = 350_000;
const FEW_CALLS: usize = 1_000;
const SECONDS: f64 = 10.0;
/// The first campaign, which finds that out, takes this many seconds.
const PILOT: f64 = 3.0;
const IN_FLIGHT: usize = 64;
const SEED: u64 = 4711;
/// How long the bare client waits for an answer that does not come.
const PATIENCE: Duration = Duration::from_secs(3);
/// As a server this program notes what goes in and hands it on to another one.
const NOTES_LINES: &str = "--note-lines";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if words.first().is_some_and(|word| word == NOTES_LINES) {
        return note_lines(Path::new(&words[1]), &words[2..]);
    }
    // The bundled server answers faster than most: against others more of the rate must be left.
    let goal = if words.is_empty() { 0.8 } else { 0.9 };
    let server = match words.is_empty() {
        true => [program(), "serve", "--workdir", "{workspace}"].map(str::to_owned).to_vec(),
        false => words,
    };
    let notes = tempfile::tempdir().expect("a temporary folder");
    let ours = std::env::current_exe().expect("this program has a path").to_string_lossy().into_owned();
    let noting: Vec<String> = [ours, NOTES_LINES.to_owned(), notes.path().to_string_lossy().into_owned()]
        .into_iter()
        .chain(server.iter().cloned())
        .collect();
    let rate = campaign(&server, Bound::Time(PILOT));
    let calls = ((rate * SECONDS) as usize).clamp(FEW_CALLS, CALLS);
    campaign(&noting, Bound::Calls(calls));
    let lines = noted(notes.path());
    let count = lines.iter().filter(|byte| **byte == b'\n').count() - 2;
    assert!(count * 2 > calls, "{count} of {calls} calls were noted: the server was started again and again");
    let (mut campaigns, mut clients, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (ours, bare) = (campaign(&server, Bound::Calls(calls)), bare_client(&lines, &server));
        campaigns.push(ours);
        clients.push(bare);
        ratios.push(ours / bare);
    }
    let (campaigns, clients, ratio) = (median(campaigns), median(clients), median(ratios));
    println!(
        "campaign / bare client: {ratio:.2} (at least {goal}; {campaigns:.0} and {clients:.0} calls a second, {calls} calls, \
         {count} of them noted, {IN_FLIGHT} in flight)",
    );
}

/// When a campaign is over.
#[derive(Clone, Copy)]
enum Bound {
    Calls(usize),
    /// In seconds.
    Time(f64),
}

/// How far a campaign told that it was, and when.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Told {
    Pace {
        calls: usize,
    },
    #[serde(other)]
    Other,
}

/// The calls a second of a campaign, from the first time that it told of more to the last but one: the last it told of
/// when it was over already.
fn campaign(server: &[String], bound: Bound) -> f64 {
    let bound = match bound {
        Bound::Calls(calls) => ["--max-calls".to_owned(), calls.to_string()],
        Bound::Time(seconds) => ["--duration".to_owned(), format!("{seconds}s")],
    };
    let mut program = Command::new(program())
        .args(["fuzz", "-q", "--confine", "off", "--in-flight", &IN_FLIGHT.to_string()])
        .args(bound)
        .args(["--seed", &SEED.to_string(), "--report=ndjson", "--"])
        .args(server)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let events = BufReader::new(program.stdout.take().expect("it is piped"));
    let mut paces: Vec<(Instant, usize)> = Vec::new();
    for line in events.lines() {
        let line = line.expect("the events are text");
        if let Told::Pace { calls } = serde_json::from_str(&line).expect("an event is JSON")
            && paces.last().is_none_or(|(_, before)| calls > *before)
        {
            paces.push((Instant::now(), calls));
        }
    }
    let status = program.wait().expect("the program ends");
    assert!(matches!(status.code(), Some(0 | 1)), "{status:?}");
    let [(begun, before), .., (ended, after), _last] = paces[..] else {
        panic!("the campaign was too short")
    };
    (after - before) as f64 / (ended - begun).as_secs_f64()
}

/// The calls a second of a client that sends the same lines and only counts.
fn bare_client(lines: &[u8], server: &[String]) -> f64 {
    // The paths in the lines are those of this folder.
    let run_folders = RunFolders::create_named(&std::env::temp_dir(), SEED).expect("folders can be made");
    let text = |path: &str| suite::File {
        path: path.to_owned(),
        content: FileContent::Text("alpha\nbeta\ngamma\n".to_owned()),
    };
    let files = [text("notes.txt"), text("sub/inner.txt")];
    run_folders.lay_out(&CaseId("fuzz".to_owned()), &files, 0, &str::to_owned).expect("files can be made");
    let words: Vec<String> =
        server.iter().map(|word| word.replace("{workspace}", &run_folders.folders.workspace)).collect();
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let (mut stdin, mut stdout) =
        (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
    // A line that no parser reads may have no answer: it is sent and not waited for.
    let is_read = |line: &[u8]| serde_json::from_slice::<IgnoredAny>(line).is_ok();
    let lines: Vec<(&[u8], bool)> =
        lines.split_inclusive(|byte| *byte == b'\n').map(|line| (line, is_read(line))).collect();
    let mut left = lines.iter();
    let (tell, output) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut chunk = vec![0; 256 * 1024];
        while let Ok(read @ 1..) = stdout.read(&mut chunk) {
            let counted = chunk[..read].iter().filter(|byte| **byte == b'\n').count();
            if tell.send(counted).is_err() {
                return;
            }
        }
    });
    // Gives how many of them are waited for; none where nothing is left to send.
    let mut send = |count: usize| -> Option<usize> {
        let batch: Vec<_> = left.by_ref().take(count).collect();
        let bytes: Vec<&[u8]> = batch.iter().map(|(line, _)| *line).collect();
        stdin.write_all(&bytes.concat()).expect("the server reads");
        (!batch.is_empty()).then(|| batch.iter().filter(|(_, is_read)| *is_read).count())
    };
    // The request that begins the session, and the notification after it.
    send(1);
    output.recv().expect("the session begins");
    send(1);
    let begun = Instant::now();
    let mut lost = Duration::ZERO;
    let (mut in_flight, mut calls) = (0, 0);
    loop {
        let sent = send(IN_FLIGHT - in_flight);
        in_flight += sent.unwrap_or(0);
        match (sent, in_flight) {
            (None, 0) => break,
            // Nothing of it is waited for: the next ones are due.
            (Some(_), 0) => continue,
            _ => {}
        }
        match output.recv_timeout(PATIENCE) {
            Ok(answered) => {
                calls += answered.min(in_flight);
                in_flight -= answered.min(in_flight);
            }
            // What was left without an answer costs the client no time.
            Err(_) => {
                lost += PATIENCE;
                in_flight = 0;
            }
        }
    }
    let rate = calls as f64 / begun.elapsed().saturating_sub(lost).as_secs_f64();
    drop(stdin);
    child.wait().expect("the server ends");
    reader.join().expect("the reader ends with the server's output");
    rate
}

/// Hands lines on to a server and notes them at once, in a file of this process: it may be ended at any moment.
fn note_lines(folder: &Path, server: &[String]) {
    let mut notes = File::create(folder.join(std::process::id().to_string())).expect("a file can be made");
    let mut child =
        Command::new(&server[0]).args(&server[1..]).stdin(Stdio::piped()).spawn().expect("the server starts");
    let mut to = child.stdin.take().expect("it is piped");
    let mut from = std::io::stdin().lock();
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        notes.write_all(&chunk[..read]).expect("the lines can be noted");
        if to.write_all(&chunk[..read]).is_err() {
            break;
        }
    }
    drop(to);
    child.wait().expect("the server ends");
}

/// The lines of the process that got most of them: the campaign's own, and not one that a finding was confirmed in.
fn noted(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let largest = files.max_by_key(|file| file.metadata().map_or(0, |found| found.len()));
    std::fs::read(largest.expect("a server was started").path()).expect("the lines were noted")
}
