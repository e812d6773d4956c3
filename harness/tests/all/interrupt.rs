//! Ctrl-C: the run ends, its server with it, and what was found is written.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{PROGRAM, folder};

/// A server that never answers, obeys no signal that can be ignored, and holds a pipe open for as long as it lives.
const SERVER: &str = "trap '' INT TERM HUP; exec 3> pipe; echo started >&3; exec sleep 60";

/// A run is interrupted by these signals, all at once, while its server is silent.
fn check(signals: &[Signal]) {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("it starts").success());
    let run = Command::new(PROGRAM)
        .args(["run", "--report", "json=report.json"])
        .args(others().flat_map(|format| ["--report".to_owned(), format!("{format}=report.{format}")]))
        .args(["--", "sh", "-c", SERVER])
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
    for signal in signals {
        kill_process(harness, *signal).expect("it runs");
    }
    let output = run.wait_with_output().expect("it ends");
    pipe.read_to_end(&mut Vec::new()).expect("the pipe is closed when the server has ended");

    assert!(started.elapsed() < Duration::from_secs(45), "the server ended by itself");
    assert_eq!(output.status.code(), Some(130));
    let report = folder.report("report.json");
    assert_eq!(report.summary.cases.skipped, report.summary.cases.total);
    let mut files: Vec<String> = others().map(|format| format!("report.{format}")).collect();
    files.extend(["pipe", "report.json"].map(str::to_owned));
    files.sort();
    assert_eq!(folder.files(), files);
}

/// The forms of report beside JSON.
fn others() -> impl Iterator<Item = &'static str> {
    mcp_errconf::report::FORMATS.iter().map(|format| format.name).filter(|format| *format != "json")
}

#[test]
fn ctrl_c_ends_the_run_and_its_server() {
    check(&[Signal::INT]);
}

#[test]
fn a_request_to_end_is_obeyed_in_the_same_way() {
    check(&[Signal::TERM]);
}

/// As `timeout` does, which sends its signal to the program and to its group.
#[test]
fn signals_that_come_at_once_are_one_interruption() {
    check(&[Signal::TERM, Signal::HUP]);
}

/// A run whose recording nobody takes: the program waits in the middle of writing it.
#[cfg(feature = "reference-server")]
#[test]
fn a_second_interruption_ends_the_program_even_where_nobody_takes_what_it_writes() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("it starts").success());
    let mut run = Command::new(PROGRAM)
        .args(["run", "--bundled", "--filter", "re*", "--transcript", "pipe", "--report", "json=report.json"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = File::open(folder.path().join("pipe")).expect("the program opens it too");
    pipe.read_exact(&mut [0]).expect("the recording has begun");
    let harness =
        Pid::from_raw(i32::try_from(run.id()).expect("process ids are small")).expect("it is not 0");
    let started = Instant::now();
    let status = loop {
        // One that comes while another is pending is not counted, so that two alone might be one.
        let _ = kill_process(harness, Signal::INT);
        if let Some(status) = run.try_wait().expect("it can be waited for") {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(130));
    let mut printed = String::new();
    run.stderr.take().expect("it is piped").read_to_string(&mut printed).expect("it is UTF-8");
    assert!(printed.contains("stopped at once by a second interruption"), "{printed}");
    assert!(folder.report("report.json").summary.error_replies > 0, "the report was written before");
}
