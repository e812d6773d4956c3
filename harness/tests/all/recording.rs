//! A recording is judged like the run that it came from.

use std::sync::LazyLock;

use crate::config::SERVER;
use crate::program::{folder, stderr, stdout};

/// The report of a run and that of its recording are the same but for the time.
fn check(arguments: &[&str], code: i32) {
    let folder = folder().with("server.sh", SERVER).with(
        "b.toml",
        "[[accepted]]\nrule = 'leak/runtime-error'\ntool = 'read_file'\ncondition = 'path-not-found'\n",
    );
    let options = ["--transcript", "t.jsonl", "--report", "json=live.json", "--report", "human=live.txt"];
    let (before, server) =
        arguments.split_at(arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len()));
    folder.run(&[&["run"], before, &options, server].concat()).code(code);
    folder
        .run(&["judge", "t.jsonl", "--report", "json=again.json", "--report", "human=again.txt"])
        .code(code);
    assert_eq!(folder.read("live.json"), folder.read("again.json"), "{arguments:?}");
    assert_eq!(folder.read("live.txt"), folder.read("again.txt"), "{arguments:?}");
}

const SCRIPT: [&str; 5] = ["--", "env", "TEXT=ENOENT: no such file or directory, open x", "sh", "server.sh"];

#[test]
fn a_run_and_its_recording_give_the_same_reports() {
    check(&[&["--filter", "read/*"], &SCRIPT[..]].concat(), 1);
    check(&[&["--filter", "read/*", "--strict", "--contract", "bracket-code"], &SCRIPT[..]].concat(), 1);
    check(&[&["--filter", "read/missing-file", "--baseline", "b.toml"], &SCRIPT[..]].concat(), 1);
    check(&["--", "./no-such-server"], 3);
    check(&[&["--filter", "nothing"], &SCRIPT[..]].concat(), 4);
}

#[cfg(feature = "reference-server")]
#[test]
fn the_bundled_servers_run_and_its_recording_give_the_same_reports() {
    check(&["--filter", "re*", "--bundled"], 0);
}

/// A recording of a run of one case.
static RECORDED: LazyLock<String> = LazyLock::new(|| {
    let folder = folder().with("server.sh", SERVER);
    folder.run_with("run --filter read/missing-file --transcript t.jsonl", &SCRIPT).code(1);
    folder.read("t.jsonl")
});

#[test]
fn what_a_line_lost_in_parsing_is_recorded() {
    let text = &*RECORDED;
    assert!(text.contains(r#""reply":{"text":"{\"jsonrpc\":\"2.0\",\"id\":1,"#), "{text}");
    let schema = include_str!("../../schema/transcript.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        let errors: Vec<String> = validator.iter_errors(&line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn another_contract_and_strictness_may_be_asked_of_a_recording() {
    let folder = folder().with("server.sh", SERVER);
    let text = "TEXT=[PATH_NOT_FOUND] The file is not there.";
    let run = "run --filter read/missing-file --transcript t.jsonl -- env";
    folder.run_with(run, &[text, "sh", "server.sh"]);
    let strict = folder.run(&["judge", "t.jsonl", "--strict"]).code(1);
    assert!(stdout(&strict).contains("exit      1: "));
    let by_flag = folder.run(&["judge", "t.jsonl", "--contract", "bracket-code"]);
    assert!(stdout(&by_flag).contains("bracket-code (from --contract)"), "{}", stdout(&by_flag));
}

#[test]
fn a_recording_that_is_cut_short_is_one_of_an_interrupted_run() {
    let lines: Vec<&str> = RECORDED.lines().collect();
    let cut = folder().with("cut.jsonl", &lines[..lines.len() - 1].join("\n"));
    cut.run(&["judge", "cut.jsonl"]).code(130);
    let swapped = [lines[0], lines[2], lines[1]].join("\n");
    let cut = cut.with("swapped.jsonl", &swapped);
    let output = stderr(&cut.run(&["judge", "swapped.jsonl"]).code(2));
    assert!(output.contains("swapped.jsonl:2: exchange 1 is where exchange 0 is expected"), "{output}");
    let cut = cut.with("wrong.jsonl", &[lines[0], "{\"exchnge\":{}}"].join("\n"));
    let output = stderr(&cut.run(&["judge", "wrong.jsonl"]).code(2));
    assert!(
        output.contains("wrong.jsonl:2: unknown kind of line `exchnge`: did you mean `exchange`?"),
        "{output}"
    );
}
