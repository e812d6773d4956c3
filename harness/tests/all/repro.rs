//! `--repro DIR`: each finding as a script and as tests, which fail before the server is fixed and pass afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcp_errconf::confinement::SecondSessionResult;

use crate::program::{Folder, PROGRAM, folder, stderr};

/// The bundled server with whatever defect the file `defect` names; fixed, it names none.
fn served() -> Folder {
    let server = format!("exec '{PROGRAM}' serve --contract bracket-code --workdir \"$1\" $(cat defect)\n");
    folder().with("server.sh", &server)
}

/// Runs against this defect, with a secret in the environment, and gives the names of what was written, without their endings.
fn written(folder: &Folder, defect: &str, filter: &str) -> Vec<String> {
    folder.write("defect", format!("--defect {defect}"));
    let configuration = "[server]\ncommand = ['sh', 'server.sh', '{workspace}']\nenv = { API_KEY = 'Xq7-verysecret-93', PIN_KEY = 'abc' }\n";
    folder.write("mcp-errconf.toml", configuration);
    let run =
        folder.run(&["run", "--filter", filter, "--repro", "found", "--confine", "off", "--strict"]).code(1);
    let mut names: Vec<String> = files(folder, "shell").iter().map(|file| name(file)).collect();
    names.sort();
    assert!(!names.is_empty(), "{}", stderr(&run));
    names
}

/// The written files of a kind, all of them for the empty one.
fn files(folder: &Folder, kind: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => collect(&path, into),
                path => into.push(path),
            }
        }
    }
    let mut files = Vec::new();
    collect(&folder.path().join("found").join(kind), &mut files);
    files
}

/// Says on the terminal what is not tested here; what a test prints is seen only if it fails.
fn skipped(what: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "\nnot tested: {what}");
}

fn name(file: &Path) -> String {
    file.file_stem().expect("it has a name").to_string_lossy().into_owned()
}

/// Whether a command in the folder passes; none if its program is not there.
fn passes(folder: &Folder, words: &[&str]) -> Option<bool> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder.path()).stdin(Stdio::null());
    command.env("API_KEY", "Xq7-verysecret-93").env("PIN_KEY", "abc").env("NO_COLOR", "1");
    let output = command.output().ok()?;
    Some(output.status.success())
}

/// The command that runs a reproduction in each language that this machine has; `{}` is the reproduction's name.
fn commands() -> Vec<Vec<String>> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let mut commands = vec![words(&["sh", "found/shell/{}.sh"]), words(&["sh", "-c", &rust()])];
    commands.extend(pytest().map(words));
    commands.extend(vitest().map(|script| words(&["sh", "-c", &script])));
    if passes(&folder(), &["go", "version"]).is_some() {
        commands.push(words(&["sh", "-c", GO]));
    } else {
        skipped("go is not here: the tests for it");
    }
    commands
}

/// One test by its file, with the file that starts the server.
const GO: &str = "cd found/go && { test -e go.mod || printf 'module found\n\ngo 1.18\n' >go.mod; } && \
    GOFLAGS=-mod=mod GOCACHE=$PWD/../.cache go test {}_repro_test.go mcpserver_test.go";

fn pytest() -> Option<&'static [&'static str]> {
    const CALL: &str =
        "import sys; sys.path.insert(0, 'found/pytest'); getattr(__import__('test_{}'), 'test_{}')()";
    if passes(&folder(), &["python3", "--version"]).is_none() {
        skipped("python3 is not here: the tests for pytest");
        return None;
    }
    if passes(&folder(), &["python3", "-m", "pytest", "--version"]) == Some(true) {
        return Some(&["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "found/pytest/test_{}.py"]);
    }
    skipped("pytest is not here, so the functions are called without it: what pytest does with them");
    Some(&["python3", "-c", CALL])
}

fn vitest() -> Option<String> {
    // What the tests need of vitest.
    const STAND_IN: &str = "import assert from 'node:assert';\nimport { test as t } from 'node:test';\n\
        export const test = (name, work) => t(name, work);\n\
        export const expect = (value, message) => ({\n  toBe: (other) => assert.strictEqual(value, other, message),\n  not: {\n    \
        toBe: (other) => assert.notStrictEqual(value, other, message),\n    \
        toContain: (part) => assert.ok(!value.includes(part), message),\n  },\n});\n";
    if passes(&folder(), &["node", "--version"]).is_none() {
        skipped("node is not here: the tests for vitest");
        return None;
    }
    // Where `.ci/repro/run` has installed it.
    if let Ok(modules) = std::env::var("MCP_ERRCONF_TEST_VITEST") {
        return Some(format!(
            "test -e node_modules || ln -s '{modules}' node_modules; \
             exec node_modules/.bin/vitest run --root . found/vitest/{{}}.test.mjs"
        ));
    }
    skipped(
        "vitest is not here, so something else with `test` and `expect` runs them: what vitest does with them",
    );
    Some(format!(
        "mkdir -p found/node_modules/vitest && cd found/node_modules/vitest && \
         printf '{{\"type\":\"module\",\"exports\":\"./index.js\"}}' >package.json && \
         cat >index.js <<'END'\n{STAND_IN}END\ncd ../../.. && exec node found/vitest/{{}}.test.mjs"
    ))
}

/// Compiles a test with the crates that this one was built with, and runs it.
fn rust() -> String {
    let tests = std::env::current_exe().expect("a test knows its program");
    let deps = tests.parent().expect("it lies in a folder");
    let crates = fs::read_dir(deps).expect("it can be read").flatten().map(|entry| entry.path());
    let newest = crates
        .filter(|path| path.extension().is_some_and(|end| end == "rlib"))
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libserde_json-"))
        })
        .max_by_key(|path| path.metadata().and_then(|about| about.modified()).ok());
    let serde_json = newest.expect("it was built");
    format!(
        "test -e {{}}.built || rustc --edition 2024 --test -o {{}}.built found/rust/{{}}.rs -L dependency='{}' \
         --extern serde_json='{}' && ./{{}}.built",
        deps.display(),
        serde_json.display()
    )
}

/// Each reproduction fails with the defect and passes without, in every language.
fn fails_before_and_passes_after(defect: &str, filter: &str) {
    let folder = served();
    let names = written(&folder, defect, filter);
    let commands = commands();
    let check = |expected: bool| {
        for (command, name) in
            commands.iter().flat_map(|command| names.iter().map(move |name| (command, name)))
        {
            let words: Vec<String> = command.iter().map(|word| word.replace("{}", name)).collect();
            let passed = passes(&folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(passed, Some(expected), "{defect}: {words:?}");
        }
    };
    check(false);
    folder.write("defect", "");
    check(true);
}

#[test]
fn the_test_of_a_text_that_changes_fails_before_and_passes_after() {
    fails_before_and_passes_after("message/vague", "read/missing-file");
}

#[test]
fn the_test_of_a_part_that_goes_fails_before_and_passes_after() {
    fails_before_and_passes_after("leak/runtime-error/rust-io", "read/*");
}

#[test]
fn the_test_of_a_call_that_is_to_be_refused_fails_before_and_passes_after() {
    fails_before_and_passes_after("channel/disguised-error/text", "multi-edit/*");
}

#[test]
fn reproductions_contain_no_secret_and_say_which_variable_is_missing() {
    let folder = served();
    let names = written(&folder, "message/vague", "read/missing-file");
    let all = files(&folder, "");
    // Five for each finding, four that start the server, and the page.
    assert_eq!(all.len(), names.len() * 5 + 4 + 1, "{all:?}");
    let mut telling = 0;
    for file in all {
        let text = fs::read_to_string(&file).expect("it is a text");
        assert!(
            !text.contains("Xq7-verysecret-93") && !text.contains("'abc'") && !text.contains("\"abc\""),
            "{text}"
        );
        telling += usize::from(text.contains("API_KEY"));
    }
    assert_eq!(telling, names.len() + 4 + 1);
    let script =
        Command::new("sh").arg(format!("found/shell/{}.sh", names[0])).current_dir(folder.path()).output();
    let script = script.expect("there is a shell");
    assert!(String::from_utf8_lossy(&script.stderr).contains("API_KEY: its value is a secret"), "{script:?}");
}

#[test]
fn what_the_confined_session_found_is_written_too_and_guarded_where_it_may_do_harm() {
    const ALLOWED: &str = "MCP_ERRCONF_ALLOW_EFFECTS";
    let folder = served();
    folder.write("defect", "--defect message/vague");
    let filter = "probe/{create_file,bash}/*";
    // The script starts the program, which a confined server must be able to read: what the command line names it can.
    let run = format!("run --filter {filter} --repro found --report json=r.json --report human --");
    folder.run_with(&run, &["sh", "server.sh", "{workspace}", PROGRAM]).code(1);
    let report = folder.report("r.json");
    let Some(SecondSessionResult::Driven(_)) = report.server.second else {
        skipped("no server can be confined here: that what its session finds is written as tests");
        return;
    };
    let ended = |script: &Path, is_allowed: bool| {
        let mut shell = Command::new("sh");
        shell.arg(script).current_dir(folder.path()).stdin(Stdio::null()).env_remove(ALLOWED);
        if is_allowed {
            shell.env(ALLOWED, "1");
        }
        let output = shell.output().expect("there is a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let scripts = files(&folder, "shell");
    let (guarded, free): (Vec<_>, Vec<_>) =
        scripts.iter().partition(|file| fs::read_to_string(file).expect("it is a text").contains(ALLOWED));
    let is_of =
        |files: &[&PathBuf], tool: &str| files.iter().filter(|file| name(file).contains(tool)).count();
    assert!(is_of(&guarded, "bash") > 0 && is_of(&guarded, "create_file") == 0, "{scripts:?}");
    assert!(is_of(&free, "create_file") > 0, "{scripts:?}");
    for script in &guarded {
        let (code, said) = ended(script, false);
        assert!(
            code == Some(2) && said.contains("may execute, delete or send"),
            "{script:?}: {code:?} {said}"
        );
        assert_eq!(ended(script, true).0, Some(1), "{script:?}");
    }
    for script in &free {
        assert_eq!(ended(script, false).0, Some(1), "{script:?}");
    }
    let page = folder.read("found/README.md");
    assert!(page.contains(", guarded |") && page.contains(ALLOWED), "{page}");
    folder.write("defect", "");
    for script in &scripts {
        assert_eq!(ended(script, true).0, Some(0), "{script:?}");
    }
}

#[test]
fn a_clean_server_has_no_reproductions() {
    let folder = folder();
    let run = folder.run(&["run", "--bundled", "--filter", "read/missing-file", "--repro", "found"]).code(0);
    assert!(files(&folder, "").is_empty());
    assert!(stderr(&run).contains("no finding to write as a test"), "{}", stderr(&run));
}

#[test]
fn each_finding_of_a_server_has_a_test_or_a_reason() {
    let folder = folder();
    let run = "run --repro found --confine off --report json=r.json --";
    let server = "serve --contract bracket-code --workdir {workspace} --defect message/vague";
    folder.program_with(run).arg(PROGRAM).args(server.split(' ')).assert().code(1);
    let page = folder.read("found/README.md");
    let printed = page.lines().filter(|line| line.starts_with("| ") && line.contains("]: ")).count();
    let counts =
        page.lines().filter_map(|line| line.strip_prefix("- ")?.split(':').next()?.parse::<usize>().ok());
    let report = folder.report("r.json");
    assert_eq!(printed + counts.sum::<usize>(), report.findings.len(), "{page}");
    assert!(printed > 0, "{page}");
}
