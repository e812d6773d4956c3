//! Ctrl-C: the run ends, its server with it, and what was found is written.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::program::folder;

/// A server that never answers, obeys no signal that can be ignored, and holds a pipe open for as long as it lives.
const SERVER: &str = "trap '' INT TERM HUP; exec 3> pipe; echo started >&3; exec sleep 60";

/// A run is interrupted by this signal while its server is silent.
fn check(signal: Signal) {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("it starts").success());
    let run = Command::new(assert_cmd::cargo::cargo_bin!("mcp-errconf"))
        .args(["run", "--report", "json=report.json", "--", "sh", "-c", SERVER])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut pipe = BufReader::new(File::open(folder.path().join("pipe")).expect("the server opens it too"));
    pipe.read_line(&mut String::new()).expect("the server says that it has started");
    let started = Instant::now();

    let harness =
        Pid::from_raw(i32::try_from(run.id()).expect("process ids are small")).expect("it is not 0");
    kill_process(harness, signal).expect("it runs");
    let output = run.wait_with_output().expect("it ends");
    pipe.read_to_end(&mut Vec::new()).expect("the pipe is closed when the server has ended");

    assert!(started.elapsed() < Duration::from_secs(45), "the server ended by itself");
    assert_eq!(output.status.code(), Some(130));
    let report = folder.report("report.json");
    assert_eq!(report.summary.cases.skipped, report.summary.cases.total);
    assert_eq!(folder.files(), ["pipe", "report.json"]);
}

#[test]
fn ctrl_c_ends_the_run_and_its_server() {
    check(Signal::INT);
}

#[test]
fn a_request_to_end_is_obeyed_in_the_same_way() {
    check(Signal::TERM);
}
