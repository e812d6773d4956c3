//! `run --snapshots`: the wording of the error replies, reviewed from the first run to the next change.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::config::SERVER;
use crate::program::{Folder, folder, stderr, stdout};

#[cfg(feature = "reference-server")]
/// Runs the reference server, in other words where a defect is named.
const REFERENCE: [&str; 7] =
    ["run", "--snapshots", "texts", "--filter", "{task,grep}/*", "--report", "json=report.json"];

#[cfg(feature = "reference-server")]
/// The command line of the reference server with a defect, as a server of somebody's own.
fn reference(defect: &str) -> Vec<String> {
    let server = [crate::program::PROGRAM, "serve", "--workdir", "{workspace}", "--allow-dir", "{workspace}"];
    let defect = ["--defect", defect].into_iter().filter(|_| !defect.is_empty());
    let contract = ["--contract", "bracket-code", "--"];
    [&REFERENCE[..], &contract, &server].concat().into_iter().chain(defect).map(str::to_owned).collect()
}

/// What stands in a folder, by name.
fn content(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(path).map(|entries| entries.flatten().collect::<Vec<_>>()).unwrap_or_default();
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.into_iter().map(|entry| (name(&entry.path()), fs::read(entry.path()).expect("a file"))).collect()
}

fn pending(path: &Path) -> Vec<String> {
    content(path).into_keys().filter(|name| name.ends_with(".snap.new")).collect()
}

/// The rules of the findings in the report.
fn rules(folder: &Folder) -> Vec<String> {
    folder.report("report.json").findings.into_iter().map(|finding| finding.rule).collect()
}

/// The report but for the time that the run took.
#[cfg(feature = "reference-server")]
fn timeless(folder: &Folder) -> mcp_errconf::judge::Report {
    let mut report = folder.report("report.json");
    report.summary.duration_ms = 0;
    report
}

#[cfg(feature = "reference-server")]
/// cargo-insta, where this machine has one.
fn cargo_insta() -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("cargo-insta")).find(|program| program.is_file())
}

#[cfg(feature = "reference-server")]
/// Accepts what is pending in `texts`, with cargo-insta where it is there; says with what.
fn accept(folder: &Folder) -> &'static str {
    let Some(program) = cargo_insta() else {
        folder.run(&["snapshots", "accept", "texts"]).code(0);
        return "accepted with `mcp-errconf snapshots accept`: there is no cargo-insta on PATH";
    };
    let texts = folder.path().join("texts");
    let insta = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.arg("insta").args(arguments).arg("--manifest-path").arg(texts.join("Cargo.toml"));
        let output = command.current_dir(&texts).env_remove("CI").output().expect("cargo-insta starts");
        let printed =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{printed}");
        printed
    };
    let seen = insta(&["pending-snapshots"]);
    for name in pending(&texts) {
        let name = name.trim_end_matches(".new");
        assert!(seen.contains(name), "{name} is not seen by cargo-insta: {seen}");
    }
    insta(&["accept"]);
    "accepted with cargo-insta"
}

#[cfg(feature = "reference-server")]
#[test]
fn a_change_of_wording_is_pending_until_it_is_accepted_and_the_next_run_is_green() {
    let folder = folder();
    let texts = folder.path().join("texts");
    let run = |defect: &str| {
        let arguments = reference(defect);
        folder.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };

    let first = run("").code(1);
    assert!(stderr(&first).contains("is not in a Cargo package"), "{}", stderr(&first));
    assert!(rules(&folder).iter().all(|rule| rule == "snapshot/pending"), "{:?}", rules(&folder));
    let how = accept(&folder);
    // Which way was taken is reported, whoever reads the test's output.
    eprintln!("{how}");
    assert_eq!(pending(&texts), [""; 0], "{how}");

    run("").code(0);
    let accepted = content(&texts);
    let report = timeless(&folder);
    run("").code(0);
    assert_eq!((timeless(&folder), content(&texts)), (report, accepted.clone()), "two runs are the same");

    run("snapshot/pending").code(1);
    assert!(!rules(&folder).is_empty() && rules(&folder).iter().all(|rule| rule == "snapshot/pending"));
    let waiting = pending(&texts);
    assert!(waiting.iter().all(|name| name.starts_with("task__")), "{waiting:?}");
    let mut unchanged = content(&texts);
    unchanged.retain(|name, _| !name.ends_with(".snap.new"));
    assert_eq!(unchanged, accepted, "only the pending files are new");
    let listed = stdout(&folder.run(&["snapshots", "list", "texts"]).code(0));
    assert!(listed.contains("(changed)") && listed.contains("Tasks are numbered by the server."), "{listed}");

    accept(&folder);
    run("snapshot/pending").code(0);
    assert_eq!(pending(&texts), [""; 0]);

    // Back to the old words: those are the change now, and rejecting them leaves the folder as it was.
    let before = content(&texts);
    run("").code(1);
    folder.run(&["snapshots", "reject", "texts"]).code(0);
    assert_eq!(content(&texts), before);
    run("snapshot/pending").code(0);
    run("").code(1);
    run("snapshot/pending").code(0);
    assert_eq!(content(&texts), before, "what the next run has overtaken is pending no more");
}

/// Runs a small server that fails with one text.
fn small(
    folder: &Folder,
    text: &str,
    more: &[&str],
    environment: &[(&str, &str)],
) -> assert_cmd::assert::Assert {
    let text = format!("TEXT={text}");
    let mut arguments =
        vec!["run", "--confine", "off", "--filter", "read/missing-fi*", "--snapshots", "texts"];
    arguments.extend(["--contract", "bracket-code", "--report", "json=report.json"]);
    arguments.extend(more);
    arguments.extend(["--", "env", &text, "sh", "server.sh"]);
    folder.program().args(&arguments).envs(environment.iter().copied()).assert()
}

const GOOD: &str = "[PATH_NOT_FOUND] Nothing is at that path; list the folder first.";

fn small_folder() -> Folder {
    folder().with("server.sh", SERVER)
}

/// Whether the run has this rule among its findings.
fn is_pending(folder: &Folder) -> bool {
    rules(folder).contains(&"snapshot/pending".to_owned())
}

#[test]
fn in_ci_nothing_is_written_and_the_run_still_fails() {
    let folder = small_folder();
    small(&folder, GOOD, &[], &[("CI", "true")]).code(1);
    assert!(is_pending(&folder));
    assert_eq!(folder.files(), ["report.json", "server.sh"]);
}

#[test]
fn insta_update_and_insta_force_pass_are_obeyed() {
    let folder = small_folder();
    let texts = folder.path().join("texts");
    small(&folder, GOOD, &[], &[("INSTA_UPDATE", "no")]);
    assert!(is_pending(&folder) && !texts.exists());
    small(&folder, GOOD, &[], &[("INSTA_FORCE_PASS", "1")]);
    let level = folder
        .report("report.json")
        .findings
        .iter()
        .find(|finding| finding.rule == "snapshot/pending")
        .map(|finding| finding.level);
    assert_eq!(level, Some(mcp_errconf::finding::Level::Note));
    assert_eq!(pending(&texts).len(), 1, "it is written all the same");
    small(&folder, GOOD, &[], &[("INSTA_UPDATE", "always"), ("CI", "true")]);
    assert!(!is_pending(&folder));
    assert_eq!(pending(&texts), [""; 0], "the pending file is overtaken");
    small(&folder, GOOD, &[], &[("CI", "true")]);
    assert!(!is_pending(&folder));
    let refused = small(&folder, GOOD, &[], &[("INSTA_UPDATE", "nwe")]).code(2);
    assert!(stderr(&refused).contains("INSTA_UPDATE is `nwe`"), "{}", stderr(&refused));
}

#[test]
fn two_runs_leave_the_same_bytes_and_judging_the_recording_touches_none() {
    let folder = small_folder();
    let texts = folder.path().join("texts");
    let transcript = ["--transcript", "t.jsonl", "--report", "human=live.txt"];
    small(&folder, GOOD, &transcript, &[]);
    let (first, report) = (content(&texts), folder.report("report.json"));
    small(&folder, GOOD, &transcript, &[]);
    assert_eq!(content(&texts), first);
    assert_eq!(folder.report("report.json").findings, report.findings);
    fs::remove_dir_all(&texts).expect("it is ours");
    folder.run(&["judge", "t.jsonl", "--report", "human=again.txt"]).code(1);
    assert!(!texts.exists());
    assert_eq!(folder.read("again.txt"), folder.read("live.txt"));
}

#[test]
fn a_snapshot_whose_case_is_gone_is_reported_and_fails_nothing() {
    let folder = small_folder();
    let texts = folder.path().join("texts");
    small(&folder, GOOD, &[], &[("INSTA_UPDATE", "always")]);
    let name = content(&texts).into_keys().find(|name| name.ends_with(".snap")).expect("one is stored");
    let text = fs::read_to_string(texts.join(&name)).expect("it is there");
    // The filter of the run selects it, and no case has this id.
    fs::write(texts.join("gone@x.snap"), text.replace("read/missing-file", "read/missing-fi1e"))
        .expect("it is ours");
    let before = content(&texts);
    let run = small(&folder, GOOD, &["--report", "human"], &[]);
    let shown = stdout(&run);
    assert!(shown.contains("gone@x.snap: the case no longer exists"), "{shown}");
    assert!(!is_pending(&folder));
    assert_eq!(content(&texts), before);
}

#[test]
fn accepting_what_is_new_accepts_the_texts_of_the_first_run_and_no_later_one() {
    let folder = small_folder();
    let accepting = ["--baseline", "b.toml", "--accept-new"];
    // In CI too, because it is asked for.
    let run = small(&folder, "[IO_ERROR] x", &accepting, &[("CI", "true")]).code(0);
    let said = stderr(&run);
    assert!(said.contains("1 error text is accepted in texts, because of `--accept-new`"), "{said}");
    let stored: Vec<_> = content(&folder.path().join("texts")).into_keys().collect();
    let [name] = &stored.iter().filter_map(|name| name.strip_suffix(".snap")).collect::<Vec<_>>()[..] else {
        panic!("{stored:?}")
    };
    assert!(said.contains(&format!("\n  {name}\n")), "{said}");
    assert!(!is_pending(&folder));
    let baseline = folder.read("b.toml");
    assert!(baseline.contains("message/"), "{baseline}");
    small(&folder, "[IO_ERROR] y", &["--baseline", "b.toml"], &[]).code(1);
    assert!(is_pending(&folder), "a baseline accepts no text");
}

#[test]
fn within_a_package_no_stub_is_written() {
    let folder = small_folder().with("Cargo.toml", "[package]\nname = \"mine\"\n");
    let run = small(&folder, GOOD, &[], &[]);
    assert!(!stderr(&run).contains("Cargo package"), "{}", stderr(&run));
    assert!(content(&folder.path().join("texts")).into_keys().all(|name| name.ends_with(".snap.new")));
    // A virtual workspace is no package: cargo-insta refuses it.
    let folder = small_folder().with("Cargo.toml", "[workspace]\nmembers = []\n");
    small(&folder, GOOD, &[], &[]);
    assert!(content(&folder.path().join("texts")).contains_key("Cargo.toml"));
}

#[test]
fn what_is_no_folder_of_snapshots_is_reported() {
    let folder = small_folder();
    let refused = folder.run(&["snapshots", "list", "absent"]).code(2);
    assert!(stderr(&refused).contains("`absent` cannot be read"), "{}", stderr(&refused));
    let refused = folder.run(&["run", "--bundled", "--snapshots", "server.sh"]).code(2);
    assert!(stderr(&refused).contains("is a file"), "{}", stderr(&refused));
}

/// A folder with texts that wait for a review: one is changed, one new.
fn with_pending() -> Folder {
    let folder = folder();
    let texts = folder.path().join("texts");
    fs::create_dir(&texts).expect("the folder is ours");
    let snapshot = |case: &str, text: &str| {
        format!("---\nexpression: view\ninfo:\n  case: {case}\n  tool: view\n---\n{text}\n")
    };
    for (name, text) in [("a.snap", "old words"), ("a.snap.new", "new words"), ("b.snap.new", "first words")]
    {
        fs::write(texts.join(name), snapshot("read/missing-file", text)).expect("the folder is ours");
    }
    folder
}

#[test]
fn a_review_asks_about_each_text() {
    let names = |folder: &Folder| content(&folder.path().join("texts")).into_keys().collect::<Vec<_>>();
    let reviewed = |answers: &str| {
        let folder = with_pending();
        let mut program = folder.program();
        let run =
            program.args(["snapshots", "review", "texts"]).write_stdin(answers.to_owned()).assert().code(0);
        (stdout(&run), folder)
    };
    let (printed, folder) = reviewed("what\na\nr\n");
    assert!(printed.contains("1 of 2: a (changed)") && printed.contains("2 of 2: b (new)"), "{printed}");
    assert!(
        printed.lines().any(|line| line.starts_with("old words ") && line.ends_with(" | new words")),
        "{printed}"
    );
    assert!(printed.ends_with("1 accepted, 1 rejected, 0 still pending\n"), "{printed}");
    assert_eq!(names(&folder), ["a.snap"]);
    let accepted = folder.read("texts/a.snap");
    assert!(accepted.contains("new words"), "{accepted}");

    let (printed, folder) = reviewed("s\n");
    assert!(printed.ends_with("0 accepted, 0 rejected, 2 still pending\n"), "{printed}");
    assert_eq!(names(&folder), ["a.snap", "a.snap.new", "b.snap.new"]);
}
