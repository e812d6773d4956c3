//! The program as a user starts it: in an empty folder, with a temporary folder of its own.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use mcp_errconf::contract;
use mcp_errconf::finding::Finding;
use mcp_errconf::judge::{CaseVerdict, Report, ToolVerdict};
use mcp_errconf::recording::{self, Recording};
use mcp_errconf::rules;
use tempfile::TempDir;

/// The program's file.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-errconf");

/// An example's program. `cargo test` builds it beside this one; where the tests were asked for alone, and it is older than
/// its sources, it is built now.
pub(crate) fn example(name: &str) -> PathBuf {
    static BUILDING: Mutex<()> = Mutex::new(());
    let changed = |file: &Path| file.metadata().and_then(|about| about.modified()).ok();
    let tests = std::env::current_exe().expect("a test knows its program");
    let built = tests.parent().and_then(|deps| deps.parent()).expect("cargo's folder is around it");
    let program = built.join("examples").join(name);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    let sources =
        sources.read_dir().expect("its sources are there").flatten().map(|file| changed(&file.path()));
    let newest: Option<SystemTime> = sources.max().flatten();
    let _one = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if changed(&program) < newest {
        let target = built.parent().expect("cargo's folder is around it");
        let mut build = std::process::Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "-p", "mcp-errconf", "--example", name, "--target-dir"]);
        assert!(build.arg(target).status().expect("cargo starts").success());
    }
    program
}

/// Copies a program that is to be started. A program of its own does it: what another test starts while this one writes
/// would hold the copy open for writing, and what is open for writing cannot be started.
#[cfg(target_os = "linux")]
pub(crate) fn copy_program(program: &Path, to: &Path) {
    let done = std::process::Command::new("cp").arg(program).arg(to).status().expect("`cp` starts");
    assert!(done.success(), "{} is copied", program.display());
}

/// An empty working folder.
pub(crate) struct Folder {
    working: TempDir,
    temporary: TempDir,
    /// Where the program keeps what failed.
    cache: TempDir,
}

/// A fresh one.
pub(crate) fn folder() -> Folder {
    let new = || TempDir::new().expect("a temporary folder can be made");
    Folder { working: new(), temporary: new(), cache: new() }
}

impl Folder {
    /// Where the program works.
    pub(crate) fn path(&self) -> &Path {
        self.working.path()
    }

    /// A file in it, written beforehand.
    pub(crate) fn with(self, name: &str, content: &str) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file in it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), content).expect("the folder is ours");
    }

    /// The text of a file in it.
    pub(crate) fn read(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.path().join(name));
        text.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program, not yet started.
    pub(crate) fn program(&self) -> Command {
        let mut program = Command::new(PROGRAM);
        program.current_dir(self.path()).env("TMPDIR", self.temporary.path());
        program.env("XDG_CACHE_HOME", self.cache.path());
        const OURS: [&str; 9] = [
            "CI",
            "TF_BUILD",
            "INSTA_UPDATE",
            "INSTA_FORCE_PASS",
            "NO_COLOR",
            "CLICOLOR_FORCE",
            "CLICOLOR",
            "COLUMNS",
            "RUST_BACKTRACE",
        ];
        for name in OURS {
            program.env_remove(name);
        }
        program
    }

    /// What became of the program with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Assert {
        self.program().args(arguments).assert()
    }

    /// The program with the words of a line as arguments, not yet started.
    pub(crate) fn program_with(&self, line: &str) -> Command {
        let mut program = self.program();
        program.args(line.split_whitespace());
        program
    }

    /// What became of the program with the words of a line as arguments, and with more behind them.
    pub(crate) fn run_with(&self, line: &str, more: &[&str]) -> Assert {
        self.program_with(line).args(more).assert()
    }

    /// The report of a run with these options on this server, whatever it came to; it is in `report.json`.
    pub(crate) fn judged(&self, options: &str, server: &[&str]) -> Report {
        self.run_with(&format!("run {options} --report json=report.json --"), server);
        self.report("report.json")
    }

    /// A report that it wrote.
    pub(crate) fn report(&self, name: &str) -> Report {
        serde_json::from_str(&self.read(name)).expect("it is a report")
    }

    /// The report on the recording `t.jsonl`, judged in this process.
    pub(crate) fn rejudged(&self) -> Report {
        recorded(&self.read("t.jsonl")).judge(rules::all()).0
    }

    /// The names of all files that are there, in the working folder and in the temporary one.
    pub(crate) fn files(&self) -> Vec<String> {
        let names = |folder: &TempDir| {
            let entries = std::fs::read_dir(folder.path()).expect("the folder is there");
            entries
                .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
                .collect()
        };
        let mut files: Vec<_> =
            [&self.working, &self.temporary].into_iter().flat_map::<Vec<_>, _>(names).collect();
        files.sort();
        files
    }
}

/// What was written on standard output.
pub(crate) fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("it is UTF-8")
}

/// What was written on standard error.
pub(crate) fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("it is UTF-8")
}

/// A recording, or plain pairs, as `judge` reads them.
pub(crate) fn recorded(text: &str) -> Recording {
    let recording = recording::read(text, &contract::builtin()[0]);
    recording.unwrap_or_else(|error| panic!("line {}: {}", error.line, error.cause))
}

/// A text without its line ends, which hang on the width of the terminal.
pub(crate) fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rules that findings are about, in the report's order.
pub(crate) fn rules_of(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.rule.as_str()).collect()
}

/// The first finding about a rule.
pub(crate) fn first_of<'r>(report: &'r Report, rule: &str) -> &'r Finding {
    let found = report.findings.iter().find(|finding| finding.rule == rule);
    found.unwrap_or_else(|| panic!("{rule} is not found: {:?}", report.findings))
}

/// The verdict on a case.
pub(crate) fn case_of<'r>(report: &'r Report, id: &str) -> &'r CaseVerdict {
    let found = report.cases.iter().find(|case| case.id.0 == id);
    found.unwrap_or_else(|| panic!("{id} was not sent: {:?}", report.cases))
}

/// How far a tool was judged.
pub(crate) fn tool_of<'r>(report: &'r Report, name: &str) -> &'r ToolVerdict {
    let found = report.tools.iter().find(|tool| tool.name == name);
    found.unwrap_or_else(|| panic!("{name} is not listed: {:?}", report.tools))
}

/// Whether a process lives that has this in its environment, such as `MARK=1`; one that was killed may take a moment to be
/// gone.
#[cfg(target_os = "linux")]
pub(crate) fn outlives(variable: &str) -> bool {
    let lives = || {
        let processes = std::fs::read_dir("/proc").expect("it is there").flatten();
        let environments = processes.filter_map(|process| std::fs::read(process.path().join("environ")).ok());
        let of_one = |held: Vec<u8>| held.split(|byte| *byte == 0).any(|one| one == variable.as_bytes());
        environments.into_iter().any(of_one)
    };
    // Only where one is left for good is so much waited for.
    let begun = std::time::Instant::now();
    while lives() {
        if begun.elapsed() > std::time::Duration::from_secs(60) {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    false
}
