//! What is refused with exit code 2: before anything is started, and with the next step.

use crate::program::{folder, stderr, stdout};

/// The arguments are refused in these words; nothing is run and nothing written.
fn check(arguments: &[&str], words: &str) {
    check_all(arguments, &[words]);
}

/// The arguments of a run, of a server that would leave a trace, are refused in these words.
fn check_run(options: &str, words: &str) {
    let run = format!("run {options} -- touch started");
    check(&run.split_whitespace().collect::<Vec<_>>(), words);
}

fn check_all(arguments: &[&str], words: &[&str]) {
    let folder = folder();
    let refused = folder.run(arguments).code(2);
    let output = stderr(&refused);
    for words in words {
        assert!(output.contains(words), "{arguments:?}: {output}");
    }
    assert!(!output.contains("panicked"), "{arguments:?}: {output}");
    assert_eq!(stdout(&refused), "", "{arguments:?}");
    assert_eq!(folder.files(), Vec::<String>::new(), "{arguments:?}");
}

#[test]
fn options_that_widen_a_confinement_are_refused_without_one() {
    for option in ["--allow-read .", "--allow-write .", "--env NAME"] {
        check_run(&format!("--confine off {option}"), "this one is not confined; add `--confine on`");
    }
    check_run("--confine auto --allow-write no-such-folder", "there is no such folder; create it first");
    check_run("--confine maybe", "possible values: auto, on, off");
}

#[test]
fn a_mistyped_name_is_reported_with_the_nearest() {
    check_run("--report jsn", "did you mean `json`?");
    check_run("--contract brackt-code", "did you mean `bracket-code`?");
    check(&["explain", "BASH_TASK_LIMT"], "did you mean `BASH_TASK_LIMIT`?");
    check(&["explain", "replace/ambigous"], "did you mean `replace/ambiguous`?");
}

#[test]
fn a_command_without_a_server_says_how_to_name_one() {
    for command in ["run", "fuzz", "init", "matrix"] {
        check_all(&[command], &["no server is named", "-- ./my-server", "--bundled"]);
    }
    check(&["run", "--baseline", "b.toml"], "mcp-errconf run -- ./my-server");
    check(&["run", "--filter", "read/*"], "there is no `mcp-errconf.toml` here");
}

#[test]
fn an_empty_command_is_refused() {
    check(&["run", "--"], "there is nothing after `--`");
    check(&["run", "--", ""], "the server's command after `--` is empty");
}

#[test]
fn options_that_cannot_be_meant_are_refused() {
    check_run("--bundled", "--bundled");
    check_run("--timeout 0", "number of seconds");
    check_run("--timeout inf", "number of seconds");
    check_run("--filter [", "--filter");
    check_run("--jobs 0", "--jobs");
    check_run("--lifecycle newest", "modern");
    check_run("--cases absent", "no such folder");
    check(&["run", "touch"], "put `--` before it: mcp-errconf run -- touch");
    check(&["bogus"], "unrecognized subcommand");
}

#[test]
fn a_report_that_cannot_be_written_is_reported_before_the_server_starts() {
    check_run("--report json=absent/report.json", "absent/report.json");
    check_run("--report json=", "a path must follow `=`");
    check_run("--report json --report human", "standard output");
}

#[test]
fn a_report_that_is_there_already_stays_when_the_run_is_refused() {
    let folder = folder().with("kept.json", "from yesterday");
    let run = "run --report json=kept.json --report human=new.txt --report json=absent/x -- touch started";
    folder.run_with(run, &[]).code(2);
    assert_eq!(folder.files(), ["kept.json"]);
    let kept = folder.read("kept.json");
    assert_eq!(kept, "from yesterday");
}

#[test]
fn a_configuration_without_a_server_is_refused() {
    let folder = folder().with("mcp-errconf.toml", "contract = 'bracket-code'\n");
    for command in ["run", "fuzz"] {
        let output = stderr(&folder.run(&[command]).code(2));
        assert!(output.contains("`mcp-errconf.toml` has no `[server] command`"), "{output}");
        assert!(output.contains(&format!("mcp-errconf {command} --bundled")), "{output}");
    }
    assert_eq!(folder.files(), ["mcp-errconf.toml"]);
}

#[test]
fn a_mistake_in_the_configuration_is_reported_with_its_place_before_anything_starts() {
    let folder = folder().with("mcp-errconf.toml", "[server]\ncomand = ['touch', 'started']\n");
    let output = stderr(&folder.run(&["run"]).code(2));
    assert!(
        output.contains("mcp-errconf.toml:2:1: unknown key `comand`: did you mean `command`?"),
        "{output}"
    );
    assert_eq!(folder.files(), ["mcp-errconf.toml"]);
    let folder = crate::program::folder().with("c.toml", "\ncontract = 'brackt-code'\n");
    let output = stderr(&folder.run_with("run --config c.toml -- touch started", &[]).code(2));
    assert!(output.contains("c.toml:2:12: there is no contract `brackt-code`"), "{output}");
    assert!(output.contains("did you mean `bracket-code`?"), "{output}");
    assert_eq!(folder.files(), ["c.toml"]);
}

#[test]
fn a_configuration_or_baseline_that_is_not_there_is_reported() {
    check_run("--config absent.toml", "absent.toml: cannot be read");
    check_run("--baseline absent.toml", "`--accept-new` creates it");
    check_run("--baseline absent.toml --update-baseline", "`--accept-new` creates it");
    check_run("--update-baseline", "needs a file to write");
    check_run("--accept-new", "needs a file to write");
    check(&["fuzz", "--accept-new", "--", "touch", "started"], "needs a file to write");
    check_run("--transcript absent/t.jsonl", "absent/t.jsonl");
    check_run("--transcript x --report json=x", "two reports would go to x");
}

#[test]
fn a_case_that_is_wrong_is_reported_with_its_place() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("mine")).expect("the folder is ours");
    let folder = folder.with("mine/broken.toml", "title = 'x'\ncondtion = 'path-not-found'\n");
    let refused = folder.run(&["run", "--cases", "mine", "--", "touch", "started"]).code(2);
    let output = stderr(&refused);
    assert!(output.contains("broken.toml:2:1: "), "{output}");
    assert_eq!(folder.files(), ["mine"]);
}

#[cfg(feature = "reference-server")]
#[test]
fn an_unknown_defect_is_reported_with_the_nearest_or_its_variants() {
    check(&["serve", "--defect", "code/mising"], "did you mean");
    check(&["serve", "--defect", "leak/runtime-error"], "leak/runtime-error/");
    check(&["serve", "--contract", "plain"], "bracket-code");
}

#[cfg(not(feature = "reference-server"))]
#[test]
fn a_lean_build_tells_how_to_get_the_reference_server() {
    for subcommand in ["run", "serve", "selftest"] {
        check(&[subcommand], "default features");
    }
}
