//! A machine that gives little: memory, open files, processes, large files. Whatever is missing, the program ends with words
//! and an exit code, and leaves no process and no folder.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{PROGRAM, copy_program, outlives};

/// Far more than a run needs that lacks something, also where other programs want the cores at the same time.
const PATIENCE: Duration = Duration::from_secs(600);
const NOBODY: u32 = 65534;

/// A place of a program's own, and a word by which its processes are known.
struct Scratch {
    working: TempDir,
    temporary: TempDir,
    mark: String,
}

impl Scratch {
    fn new(mark: &str) -> Self {
        let new = || TempDir::new().expect("a temporary folder can be made");
        Self { working: new(), temporary: new(), mark: format!("{mark}-{}", std::process::id()) }
    }

    /// Runs the program within limits that a shell sets, such as `-v 30000`.
    fn within(&self, limits: &str, arguments: &[&str]) -> Output {
        self.command(Path::new(PROGRAM), limits, arguments).output().expect("it starts")
    }

    fn command(&self, program: &Path, limits: &str, arguments: &[&str]) -> Command {
        let mut shell = Command::new("bash");
        shell
            .args(["-c", &format!("ulimit {limits} || exit 99; exec \"$@\""), "bash"])
            .arg(program)
            .args(arguments);
        shell.current_dir(self.working.path()).env("TMPDIR", self.temporary.path()).env("SCARCE", &self.mark);
        shell.stdin(Stdio::null());
        shell
    }

    /// What is left of it.
    fn left(&self) -> Vec<String> {
        let names = |folder: &Path, hidden: bool| {
            let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            names.filter(|name| hidden || name.starts_with('.')).collect::<Vec<_>>()
        };
        let mut left = names(self.temporary.path(), true);
        left.extend(names(self.working.path(), false));
        left.extend(outlives(&format!("SCARCE={}", self.mark)).then(|| "a process".to_owned()));
        left
    }
}

/// Ends with one of these exit codes, with words where it is 70, and leaves nothing.
fn check(scratch: &Scratch, limits: &str, arguments: &[&str], codes: &[i32]) -> (i32, String) {
    let begun = Instant::now();
    let output = scratch.within(limits, arguments);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(code.is_some_and(|code| codes.contains(&code)), "{limits}: {:?}: {printed}", output.status);
    assert!(begun.elapsed() < PATIENCE, "{limits}: it took {:?}", begun.elapsed());
    if code == Some(70) && printed.matches("memory allocation of").count() > 1 {
        // Where not a byte is left, nothing can be deleted: the next run does that.
        scratch.within("-c 0", &["run", "--confine", "off", "--", "true"]);
    }
    assert_eq!(scratch.left(), Vec::<String>::new(), "{limits}: {printed}");
    let code = code.expect("it has one");
    if code == 70 {
        assert!(printed.contains("not the server: "), "{limits}: {printed}");
    }
    (code, printed)
}

/// The least memory in which this program can be started at all, in kilobytes: below that the system ends it before its first
/// instruction.
#[cfg(feature = "reference-server")]
fn least(scratch: &Scratch) -> u64 {
    let starts = |memory: &u64| scratch.within(&format!("-v {memory}"), &["--version"]).status.success();
    (1..).map(|step| step * 2_000).find(starts).expect("it starts where there is enough")
}

#[test]
#[cfg(feature = "reference-server")]
fn low_memory_ends_with_words_and_leaves_nothing() {
    let scratch = Scratch::new("memory");
    let least = least(&scratch);
    let run = "run --bundled --filter read/* --confine off --report json=report.json --transcript t.jsonl";
    let run: Vec<&str> = run.split(' ').collect();
    let mut codes = Vec::new();
    for more in [0, 1_000, 3_000, 6_000, 10_000, 16_000, 24_000, 36_000, 60_000, 2_000_000] {
        let limits = format!("-v {}", least + more);
        let (code, printed) = check(&scratch, &limits, &run, &[0, 1, 3, 4, 70]);
        if code == 70 {
            assert!(
                printed.contains("ulimit -") || printed.contains("the message above"),
                "{limits}: {printed}"
            );
        }
        codes.push(code);
    }
    assert!(codes.contains(&70) && codes.last() == Some(&0), "from too little to enough: {codes:?}");
}

/// A server that leaves its process group with a child, and never answers.
const SILENT: &str = "setsid sleep 1000 & echo $$ > started; exec sleep 1000";

/// Sends a signal to a program that waits for a silent server, and tells how it ended.
fn struck(scratch: &Scratch, signal: rustix::process::Signal, server: &str) -> Output {
    let run = ["run", "--confine", "off", "--report", "json=report.json", "--", "sh", "-c", server];
    let mut command = scratch.command(Path::new(PROGRAM), "-c 0", &run);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.spawn().expect("it starts");
    let begun = Instant::now();
    while !scratch.working.path().join("started").exists() {
        assert!(begun.elapsed() < PATIENCE, "the server does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = run.id().try_into().ok().and_then(rustix::process::Pid::from_raw).expect("it has an id");
    rustix::process::kill_process(id, signal).expect("it runs");
    run.wait_with_output().expect("it ends")
}

#[test]
fn a_program_that_cannot_go_on_ends_its_server_and_what_that_left_and_deletes_its_folders() {
    use rustix::process::Signal;

    for (signal, words) in
        [(Signal::ABORT, "as the line above says"), (Signal::SEGV, "memory that it does not have")]
    {
        let scratch = Scratch::new("struck");
        let output = struck(&scratch, signal, SILENT);
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(70), "{printed}");
        assert!(printed.contains(words), "{printed}");
        assert_eq!(scratch.left(), Vec::<String>::new());
    }
}

#[test]
fn what_a_run_that_was_killed_leaves_is_deleted_by_the_next_one() {
    let scratch = Scratch::new("killed");
    let ending = "echo $$ > started; exec cat > /dev/null";
    let output = struck(&scratch, rustix::process::Signal::KILL, ending);
    assert_eq!(output.status.signal(), Some(9));
    let names = || std::fs::read_dir(scratch.temporary.path()).expect("it is there").count();
    assert_eq!(names(), 1, "nobody was left to delete it");
    // The beginning of its report stands beside where the report would be: that is the user's folder.
    for entry in std::fs::read_dir(scratch.working.path()).expect("it is there").flatten() {
        std::fs::remove_file(entry.path()).expect("it is ours");
    }
    check(&scratch, "-c 0", &["run", "--confine", "off", "--", "true"], &[3]);
}

#[test]
#[cfg(feature = "reference-server")]
fn few_open_files_are_reported_before_anything_is_begun() {
    let scratch = Scratch::new("files");
    for most in [6, 8, 12, 16, 24, 32, 48] {
        let (_, printed) =
            check(&scratch, &format!("-n {most}"), &["run", "--bundled", "--filter", "read/*"], &[70]);
        assert!(
            printed.contains(&format!(
                "may have at most {most} files open at once here (`ulimit \
            -n`)"
            )),
            "{printed}"
        );
    }
    check(&scratch, "-n 64", &["run", "--bundled", "--filter", "read/*"], &[0]);
    let (_, printed) =
        check(&scratch, "-n 64", &["run", "--bundled", "--jobs", "8", "--filter", "read/*"], &[70]);
    assert!(printed.contains("fewer `--jobs`"), "{printed}");
    let fuzz = ["fuzz", "--bundled", "--max-calls", "50", "--seed", "1"];
    check(&scratch, "-n 24", &fuzz, &[70]);
    check(&scratch, "-n 64", &fuzz, &[0, 1]);
}

#[test]
fn too_few_processes_are_the_machines_fault_and_reported_so() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not tested: it takes root to become a user who has no other process");
        return;
    }
    let scratch = Scratch::new("processes");
    for folder in [scratch.working.path(), scratch.temporary.path()] {
        std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).expect("root may");
    }
    let program = scratch.working.path().join("program");
    copy_program(Path::new(PROGRAM), &program);
    let mut command = scratch.command(&program, "-u 1", &["run", "--", "sh", "-c", "sleep 1000"]);
    let output = command.uid(NOBODY).gid(NOBODY).output().expect("it starts");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{printed}");
    assert!(
        printed.contains("cannot start `sh`: the process limit is reached; it is set by `ulimit -u`"),
        "{printed}"
    );
    std::fs::remove_file(program).expect("it is ours");
    assert_eq!(scratch.left(), Vec::<String>::new());
}

#[test]
#[cfg(feature = "reference-server")]
fn a_report_that_is_larger_than_a_file_may_be_is_reported() {
    let scratch = Scratch::new("size");
    let run = ["run", "--bundled", "--filter", "read/*", "--confine", "off", "--report", "json=report.json"];
    let (_, printed) = check(&scratch, "-f 4", &run, &[70]);
    assert!(
        printed.contains("report.json")
            && printed.contains("file too large")
            && printed.contains("ulimit -f"),
        "{printed}"
    );
    assert!(!scratch.working.path().join("report.json").exists(), "it is whole or not there");
}
