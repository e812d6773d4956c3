//! `run`: what it comes to, and what it leaves behind.

use std::process::{Command, Stdio};

use crate::program::{PROGRAM, folder, in_one_line, stderr, stdout};

#[test]
fn a_server_that_cannot_be_started_is_not_conformant() {
    let reports = ["run", "--report", "human", "--report", "json=report.json", "--"];
    for server in [&["./no-such-server"][..], &["sh", "-c", "exit 3"], &["true"]] {
        let folder = folder();
        let run = folder.run(&[&reports[..], server].concat()).code(3);
        assert!(stdout(&run).contains("the server could not be exercised"), "{}", stdout(&run));
        assert_eq!(stderr(&run), "", "the reason is told once");
        let report = folder.report("report.json");
        assert_eq!(report.server.command, server);
        assert!(report.summary.cases.total > 0);
        assert_eq!(report.summary.cases.skipped, report.summary.cases.total);
        assert!(report.cases.iter().all(|case| case.reason.is_some()));
        assert_eq!(folder.files(), ["report.json"]);
    }
}

#[test]
fn a_filter_that_matches_nothing_has_an_exit_code_of_its_own() {
    let folder = folder();
    let run = "run --filter replace/ambigous --report human --report json=report.json -- touch started";
    let run = folder.run_with(run, &[]).code(4);
    let words = in_one_line(&stdout(&run));
    assert!(words.contains("the nearest is `replace/ambiguous`"), "{words}");
    assert!(words.contains("nothing was selected"), "{words}");
    assert_eq!(folder.report("report.json").summary.cases.total, 0);
    assert_eq!(folder.files(), ["report.json"]);
}

#[test]
fn a_reader_who_goes_away_changes_no_exit_code() {
    let folder = folder();
    let mut run = Command::new(PROGRAM)
        .args(["run", "--", "./no-such-server"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(run.stdout.take());
    let output = run.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn colours_are_used_where_they_are_asked_for() {
    let coloured = |arguments: &[&str], no_color: &str| {
        let folder = folder();
        let arguments = [&["run"], arguments, &["--", "./no-such-server"]].concat();
        let run = folder.program().args(arguments).env("NO_COLOR", no_color).assert().code(3);
        stdout(&run).contains('\u{1b}')
    };
    assert!(!coloured(&[], ""));
    assert!(!coloured(&["--color", "never"], ""));
    assert!(coloured(&["--color", "always"], ""));
    assert!(!coloured(&["--color", "auto"], "1"));
}

#[cfg(feature = "reference-server")]
mod bundled {
    use mcp_errconf::judge::Status;

    use crate::program::{PROGRAM, folder, stderr, stdout};

    #[test]
    fn the_bundled_server_passes_and_every_case_is_driven() {
        let folder = folder();
        let run = folder.run_with("run --bundled --report human --report json=report.json", &[]).code(0);
        let shown = stdout(&run);
        assert!(shown.starts_with("server    the bundled reference server"), "{shown}");
        assert!(shown.lines().count() <= 40, "it fits on a screen: {shown}");
        let report = folder.report("report.json");
        assert!(report.server.bundled);
        assert_eq!(report.server.command[0], "mcp-errconf");
        assert_eq!(report.findings, []);
        let other: Vec<_> = report.cases.iter().filter(|case| case.status != Status::Passed).collect();
        assert!(other.is_empty(), "{other:?}");
        assert_eq!(folder.files(), ["report.json"]);
    }

    #[test]
    fn two_runs_give_the_same_report_but_for_the_time() {
        let reports = ["first.json", "second.json"].map(|name| {
            let folder = folder();
            folder.run(&["run", "--bundled", "--filter", "re*", "--report", &format!("json={name}")]).code(0);
            let mut report = folder.report(name);
            report.summary.duration_ms = 0;
            serde_json::to_string_pretty(&report).expect("a report serializes")
        });
        assert_eq!(reports[0], reports[1]);
    }

    // Each contract is driven by the selftest, in the other lifecycle.
    #[test]
    fn the_bundled_server_passes_without_a_handshake() {
        let folder = folder();
        let run = "run --bundled --contract tool-error --lifecycle modern --report json=report.json";
        folder.run_with(run, &[]).code(0);
        let report = folder.report("report.json");
        assert_eq!(report.findings, []);
        let cases = &report.summary.cases;
        assert_eq!(cases.passed, cases.total, "{cases:?}");
        assert!(report.summary.error_replies > 100);
    }

    #[test]
    fn configuration_is_ignored_with_a_note_for_the_bundled_server() {
        let folder = folder().with("mcp-errconf.toml", "contract = 'bracket-code'\n");
        let run = folder.run(&["run", "--bundled", "--filter", "read/missing-file"]).code(0);
        assert!(stderr(&run).contains("`mcp-errconf.toml` is ignored"), "{}", stderr(&run));
        let quiet = folder.run(&["run", "--bundled", "--filter", "read/missing-file", "-q"]).code(0);
        assert_eq!(stderr(&quiet), "");
    }

    #[test]
    fn a_server_that_never_fails_is_not_called_conformant() {
        let folder = folder();
        folder.run_with("run --bundled --filter read/under-limit --report json=report.json", &[]).code(4);
        assert_eq!(folder.report("report.json").summary.error_replies, 0);
    }

    #[test]
    fn a_defect_fails_the_run() {
        let folder = folder();
        let run = "run --filter read/* --contract bracket-code --report json=report.json --";
        let server = [PROGRAM, "serve", "--workdir", "{workspace}", "--defect", "code/missing"];
        folder.run_with(run, &server).code(1);
        let report = folder.report("report.json");
        assert!(report.findings.iter().all(|finding| finding.rule == "code/missing"), "{report:?}");
        assert!(report.summary.findings.must > 0);
        assert!(!report.server.bundled);
    }

    #[test]
    fn several_reports_are_written_at_once() {
        let folder = folder();
        let run = "run --bundled --filter read/missing-file --report json --report human=report.txt \
                   --report json=report.json";
        let run = folder.run_with(run, &[]).code(0);
        let written = folder.read("report.json");
        let duration =
            |text: &str| text.lines().filter(|line| !line.contains("duration_ms")).collect::<String>();
        assert_eq!(duration(&stdout(&run)), duration(&written));
        assert_eq!(folder.files(), ["report.json", "report.txt"]);
    }
}

#[test]
fn a_filter_selects_probes_too_and_one_that_matches_none_is_reported() {
    let folder = folder();
    let printed =
        stdout(&folder.run(&["run", "--bundled", "--filter", "probe/view/*", "--report", "json"]).code(0));
    let report: serde_json::Value = serde_json::from_str(&printed).expect("the report is JSON");
    let cases = report["cases"].as_array().expect("cases");
    assert!(!cases.is_empty());
    assert!(cases.iter().all(|case| case["kind"] == "probe" && case["status"] == "passed"), "{printed}");
    folder.run(&["run", "--bundled", "--filter", "probe/no_such_tool/*"]).code(4);
}

#[test]
fn without_probes_only_the_scenarios_are_driven() {
    let run = "run --bundled --confine off --max-probes 0 --filter {read,probe/view}/* --report json";
    let printed = stdout(&folder().run_with(run, &[]).code(0));
    let report: serde_json::Value = serde_json::from_str(&printed).expect("the report is JSON");
    let cases = report["cases"].as_array().expect("cases");
    assert!(!cases.is_empty() && cases.iter().all(|case| case["kind"] == "scenario"), "{printed}");
    let withheld = report["withheld"].as_array().expect("withheld");
    assert!(withheld.iter().any(|tool| tool["why"].as_str().is_some_and(|why| why.contains("--max-probes"))));
}
