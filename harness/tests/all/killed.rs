//! Campaigns and matrices that are killed: the same command goes on, and nothing that was reported is lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::fuzz::{CRASHES, REFUSES, files, noting};
use crate::matrix::{servers, table};
use crate::program::{Folder, PROGRAM, folder, stderr};

/// The same campaign each time; `TMPDIR` is below the folder.
fn campaign(folder: &Folder, calls: &str) -> Command {
    let mut program = Command::new(PROGRAM);
    program.args(["fuzz", "--confine", "off", "--max-calls", calls, "--findings", "findings"]);
    program.args(["--corpus", "corpus", "--report", "json=report.json", "--", "sh", "-c"]);
    program.arg(noting(&CRASHES.replace("{REFUSES}", REFUSES)));
    program.env("LOG", "/dev/null").env("TMPDIR", folder.path().join("tmp")).current_dir(folder.path());
    program.stdin(Stdio::null()).stdout(Stdio::null());
    program
}

/// The processes whose temporary folder is below this one, but for the harness itself.
fn left(folder: &Path, harness: u32) -> Vec<u32> {
    let mark = format!("TMPDIR={}", folder.display());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |number: &u32| {
        let environment = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        *number != harness && String::from_utf8_lossy(&environment).contains(&mark)
    };
    numbers.filter(is_ours).collect()
}

fn kill(process: u32) {
    let number = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // It may have ended by itself.
    let _ = rustix::process::kill_process(number.expect("it is a number"), rustix::process::Signal::KILL);
}

fn names(folder: &Folder) -> BTreeSet<String> {
    files(folder)
        .iter()
        .map(|file| file.file_name().expect("it has one").to_string_lossy().into_owned())
        .collect()
}

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Harness,
    /// The harness is killed a little later.
    Server,
    Both,
}

/// Kills the harness, a server or both once the journal is longer than this.
fn killed(folder: &Folder, mut running: Child, victim: Victim, longer_than: u64) {
    let begun = Instant::now();
    let length =
        || fs::metadata(folder.path().join("findings/campaign.ndjson")).map_or(0, |found| found.len());
    while length() <= longer_than && running.try_wait().expect("it is ours").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(5));
    }
    if victim != Victim::Harness {
        left(folder.path(), running.id()).into_iter().for_each(kill);
    }
    if victim == Victim::Server {
        std::thread::sleep(Duration::from_millis(100));
    }
    running.kill().expect("it is ours");
    running.wait().expect("it is ours");
}

#[test]
fn what_a_killed_campaign_reported_is_in_the_report_of_the_next_start() {
    let folder = folder();
    fs::create_dir(folder.path().join("tmp")).expect("the folder is ours");
    let mut found = BTreeSet::new();
    for victim in [Victim::Harness, Victim::Server, Victim::Both] {
        let length =
            fs::metadata(folder.path().join("findings/campaign.ndjson")).map_or(0, |file| file.len());
        let mut program = campaign(&folder, "1200");
        killed(&folder, program.stderr(Stdio::null()).spawn().expect("it starts"), victim, length + 200);
        found.extend(names(&folder));
        for file in files(&folder) {
            let text = fs::read(file).expect("it is there");
            serde_json::from_slice::<Value>(&text).expect("it is whole");
        }
    }
    let journal = folder.read("findings/campaign.ndjson");
    assert!(!journal.contains("{\"ended\""), "it was killed in time");
    let output = campaign(&folder, "1200").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("going on with the campaign that was stopped after"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(found.is_subset(&names(&folder)), "{found:?} {:?}", names(&folder));
    let report = folder.report("report.json");
    assert!(report.summary.calls >= 1_200, "{:?}", report.summary);
    let crashes = report.findings.iter().filter(|finding| finding.rule == "liveness/crash");
    assert_eq!(crashes.filter(|finding| finding.stable == Some(true)).count(), 1, "{:#?}", report.findings);
    assert!(report.findings.iter().all(|finding| finding.unconfirmed.is_none()), "all are confirmed");
    for below in ["findings", "corpus", "tmp", "."] {
        let entries = fs::read_dir(folder.path().join(below)).expect("it is there").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let odd: Vec<String> = names.filter(|name| below == "tmp" || name.starts_with('.')).collect();
        assert!(odd.is_empty(), "{below}: {odd:?}");
    }
    assert_eq!(left(folder.path(), 0), Vec::<u32>::new(), "no process is left");
}

#[test]
fn another_campaign_is_not_mixed_with_one_that_was_killed() {
    let folder = folder();
    fs::create_dir(folder.path().join("tmp")).expect("the folder is ours");
    let running = campaign(&folder, "100000").stderr(Stdio::null()).spawn().expect("it starts");
    killed(&folder, running, Victim::Harness, 300);
    let other = ["fuzz", "--bundled", "--confine", "off", "--max-calls", "60", "--findings", "findings"];
    let refused = folder.run(&other).code(2);
    assert!(
        stderr(&refused).contains("holds a campaign that did not end, and it is another one (its server:"),
        "{}",
        stderr(&refused)
    );
    let fresh = folder.program().args(other).arg("--fresh").assert();
    assert!(!stderr(&fresh).contains("another one"), "{}", stderr(&fresh));
}

#[test]
fn a_killed_matrix_goes_on_with_the_servers_that_were_not_judged() {
    let folder = servers();
    let run = ["matrix", "matrix.toml", "--keep", "kept", "--report", "json=t.json"];
    let mut running = Command::new(PROGRAM)
        .args(run)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let rows = || {
        let journal = fs::read_to_string(folder.path().join("kept/matrix.ndjson")).unwrap_or_default();
        journal.matches("{\"row\"").count()
    };
    let begun = Instant::now();
    while rows() < 2 && running.try_wait().expect("it is ours").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing is judged");
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill().expect("it is ours");
    running.wait().expect("it is ours");
    let judged = rows();
    let again = folder.run(&run).code(2);
    let said = format!("going on with the matrix that was stopped after {judged} of 5 servers");
    assert!(stderr(&again).contains(&said), "{}", stderr(&again));
    assert!(!stderr(&again).contains("1 of 5: clean"), "{}", stderr(&again));
    let rows = table(&folder, "t.json")["servers"].clone();
    let codes: Vec<&Value> = rows.as_array().into_iter().flatten().map(|row| &row["exit_code"]).collect();
    assert_eq!(codes, [0, 1, 3, 2, 0]);
    let whole = folder.run(&run).code(2);
    assert!(stderr(&whole).contains("1 of 5: clean"), "an ended one starts over: {}", stderr(&whole));
}
