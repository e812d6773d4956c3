//! Baselines, and the configuration that `init` writes.

use mcp_errconf::baseline::Baseline;
use mcp_errconf::finding::State;
use mcp_errconf::judge::Status;

use crate::conclusion::transcript;
use crate::config::SERVER;
use crate::program::{Folder, folder, stderr, stdout};

const RUN: [&str; 7] =
    ["run", "--confine", "off", "--filter", "read/missing-file", "--report", "json=report.json"];

/// A run on the script as a server that answers every error with this text.
fn run(folder: &Folder, options: &[&str], text: &str) -> assert_cmd::assert::Assert {
    let text = format!("TEXT={text}");
    let server = ["--", "env", &text, "sh", "server.sh"];
    folder.run(&[&RUN[..], options, &server].concat())
}

const LEAK: &str = "ENOENT: no such file or directory, open x";

/// The text of the baseline in `b.toml`.
fn accepted(folder: &Folder) -> String {
    folder.read("b.toml")
}

const ACCEPT: [&str; 3] = ["--baseline", "b.toml", "--accept-new"];
const UPDATE: [&str; 3] = ["--baseline", "b.toml", "--update-baseline"];
const LEAK_ENTRY: &str = "leak/runtime-error, tool read_file, path-not-found";

#[test]
fn what_is_accepted_is_known_and_fails_nothing_until_something_new_is_found() {
    let folder = folder().with("server.sh", SERVER);
    run(&folder, &[], LEAK).code(1);
    run(&folder, &ACCEPT, LEAK).code(0);
    let again = run(&folder, &["--baseline", "b.toml", "--report", "human"], LEAK).code(0);
    assert!(stdout(&again).contains("known findings (in the baseline"), "{}", stdout(&again));
    let report = folder.report("report.json");
    assert!(!report.findings.is_empty());
    assert!(report.findings.iter().all(|finding| finding.state == State::Known), "{report:?}");
    assert!(
        report.findings.iter().flat_map(|finding| &finding.places).all(|place| place.state == State::Known)
    );
    assert_eq!(report.cases[0].status, Status::Passed);
    // Another text of the same fault is known too; another fault is not.
    run(&folder, &["--baseline", "b.toml"], "ENOENT: nothing of that name").code(0);
    run(&folder, &["--baseline", "b.toml"], "").code(1);
}

#[test]
fn a_fixed_entry_is_reported_as_stale_and_removed_by_an_update() {
    let folder = folder().with("server.sh", SERVER);
    run(&folder, &ACCEPT, LEAK).code(0);
    let mended = "[PATH_NOT_FOUND] {workspace} has no such file: list the folder first.";
    let output = run(&folder, &["--baseline", "b.toml", "--report", "human"], mended);
    assert!(stdout(&output).contains("stale in the baseline"), "{}", stdout(&output));
    assert!(stdout(&output).contains(LEAK_ENTRY), "{}", stdout(&output));
    let output = run(&folder, &UPDATE, mended);
    assert!(stderr(&output).contains("baseline `b.toml`: removed "), "{}", stderr(&output));
    assert!(stderr(&output).contains(&format!("\n  {LEAK_ENTRY}\n")), "{}", stderr(&output));
    assert!(!accepted(&folder).contains("leak/runtime-error"), "{}", accepted(&folder));
    // What was not tried is neither stale nor removed, and the file is not touched.
    run(&folder, &ACCEPT, LEAK).code(0);
    let before = accepted(&folder) + "# mine\n";
    let folder = folder.with("b.toml", &before);
    let other = ["run", "--filter", "read/name-too-long", "--baseline", "b.toml", "--update-baseline"];
    let output = folder.run(&[&other[..], &["--", "env", "TEXT=x", "sh", "server.sh"]].concat());
    assert!(stderr(&output).contains("baseline `b.toml`: nothing to change"), "{}", stderr(&output));
    assert_eq!(accepted(&folder), before);
}

#[test]
fn an_update_accepts_no_regression() {
    let folder = folder().with("server.sh", SERVER);
    run(&folder, &ACCEPT, LEAK).code(0);
    let output = run(&folder, &UPDATE, "").code(1);
    assert!(stderr(&output).contains("`--accept-new` adds what is new"), "{}", stderr(&output));
    assert!(!accepted(&folder).contains("message/empty"), "{}", accepted(&folder));
    assert!(!accepted(&folder).contains("leak/runtime-error"), "{}", accepted(&folder));
    run(&folder, &["--baseline", "b.toml"], "").code(1);
}

#[test]
fn accepting_adds_what_is_new_by_name_and_removes_nothing() {
    let folder = folder().with("server.sh", SERVER);
    let added = stderr(&run(&folder, &ACCEPT, LEAK).code(0));
    assert!(added.contains("baseline `b.toml`: added "), "{added}");
    assert!(added.contains(&format!("\n  {LEAK_ENTRY}\n")) && !added.contains("removed"), "{added}");
    let added = stderr(&run(&folder, &ACCEPT, "").code(0));
    assert!(added.contains("\n  message/empty, tool read_file, path-not-found\n"), "{added}");
    assert!(!added.contains("removed") && !added.contains(LEAK_ENTRY), "{added}");
    assert!(accepted(&folder).contains("leak/runtime-error"), "{}", accepted(&folder));
    // Together the two options do both.
    let both = stderr(&run(&folder, &[&ACCEPT[..], &["--update-baseline"]].concat(), LEAK).code(0));
    assert!(both.contains("removed ") && both.contains("message/empty"), "{both}");
    assert!(accepted(&folder).contains("leak/runtime-error"), "{}", accepted(&folder));
    assert!(!accepted(&folder).contains("message/empty"), "{}", accepted(&folder));
}

#[test]
fn a_misspelt_argument_that_the_schema_forbids_by_now_is_no_longer_accepted() {
    let accepted = "[[accepted]]\nrule = 'channel/ignored-argument'\ntool = 'find'\ncondition = 'misspelt'\n";
    let baseline = Baseline::parse("b.toml", accepted).expect("it is a baseline");
    let left = |tool: &str, condition: &str| {
        let mut run = transcript(&["find", "get"]);
        let case = serde_json::json!({
            "id": "probe/x", "title": "", "kind": "probe", "requirements": [], "condition": condition,
            "tools": [tool], "outcome": "driven"
        });
        run.cases = vec![serde_json::from_value(case).expect("it is a case")];
        let whole = baseline.without_stale(&run, &[]).accepted.len();
        run.head.is_selection = true;
        assert_eq!(
            baseline.without_stale(&run, &[]).accepted.len(),
            1,
            "other probes may have made what it needs"
        );
        whole
    };
    assert_eq!(left("find", "unknown-argument"), 0);
    assert_eq!(left("find", "misspelt"), 0);
    assert_eq!(left("get", "unknown-argument"), 1, "of another tool");
    assert_eq!(left("find", "invalid-type"), 1, "another fault");
}

#[test]
fn a_run_that_came_to_nothing_leaves_the_baseline_as_it_was() {
    let folder = folder().with("b.toml", "# mine\n");
    for option in ["--update-baseline", "--accept-new"] {
        let run = folder.run(&["run", "--baseline", "b.toml", option, "--", "./no-such-server"]).code(3);
        assert!(stderr(&run).contains("the baseline is unchanged"), "{}", stderr(&run));
        assert_eq!(accepted(&folder), "# mine\n");
    }
}

#[test]
fn after_init_the_next_run_is_green_and_a_second_init_overwrites_nothing() {
    let folder = folder().with("server.sh", SERVER);
    let init = ["init", "--", "env", "TEXT=ENOENT: no such file or directory, open x", "sh", "server.sh"];
    let output = stdout(&folder.run(&init).code(0));
    assert!(output.contains("`mcp-errconf run` passes now"), "{output}");
    assert!(output.contains("fix first: should["), "{output}");
    assert_eq!(folder.files(), ["mcp-errconf-baseline.toml", "mcp-errconf.toml", "server.sh"]);
    folder.run(&["run"]).code(0);
    let refused = stderr(&folder.run(&init).code(2));
    assert!(refused.contains("`init` never overwrites"), "{refused}");
    std::fs::remove_file(folder.path().join("mcp-errconf.toml")).expect("it is there");
    let refused = stderr(&folder.run(&init).code(2));
    assert!(refused.contains("`mcp-errconf-baseline.toml` already exists"), "{refused}");
}

#[test]
fn init_writes_nothing_for_a_server_that_does_not_start() {
    let folder = folder();
    let output = stderr(&folder.run(&["init", "--", "./no-such-server"]).code(3));
    assert!(output.contains("Nothing was written"), "{output}");
    assert_eq!(folder.files(), Vec::<String>::new());
    folder.run(&["init"]).code(2);
    folder.run(&["init", "--", ""]).code(2);
}
