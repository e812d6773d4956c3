//! What a campaign stands on: calls that succeed, found as in a run, with what must be called before them.

use std::fs;

use mcp_errconf::finding::{FindingPlace, Level};
use mcp_errconf::judge::{FoundBy, Report, ValidCallSearch};
use serde_json::{Value, json};

use crate::learnt::BOOK;
use crate::lives::NOTES;
use crate::program::{Folder, first_of, folder, in_one_line, stderr, stdout};
use crate::service::SERVER;

/// What a campaign on a server has learnt.
fn campaign(folder: &Folder, options: &str) -> ValidCallSearch {
    let ran = run(folder, options);
    folder.report("report.json").learnt.unwrap_or_else(|| panic!("{}{}", stdout(&ran), stderr(&ran)))
}

fn run(folder: &Folder, options: &str) -> assert_cmd::assert::Assert {
    let fuzz = "fuzz --contract plain --confine off --seed 1 --in-flight 1 --report json=report.json";
    folder.run_with(&format!("{fuzz} --report human=report.txt {options} -- sh server.sh"), &[])
}

#[test]
fn a_campaign_stands_on_calls_that_refusals_lead_to_and_says_so() {
    let folder = folder().with("server.sh", BOOK);
    let ground = campaign(&folder, "--max-calls 300 -v");
    let output: Vec<_> = ground.known.iter().map(|call| (call.tool.as_str(), &call.valid, call.by)).collect();
    let (open, read_page) = (json!({"name": "atlas"}), json!({"page": "front"}));
    let expected = [("open_book", &open, FoundBy::Refusals), ("read_page", &read_page, FoundBy::Refusals)];
    assert_eq!(output, expected);
    assert_eq!((ground.tools, ground.left), (2, 0));
    assert_eq!(ground.known[1].first, ["open_book"]);
    assert_eq!(ground.known[1].words.as_deref(), Some("Available pages: front, back"));
    let shown = folder.read("report.txt");
    assert!(shown.contains("a working call is known for 2 of 2 tools"), "{shown}");
    assert!(shown.contains("2 from what refusals said"), "{shown}");
    let all = in_one_line(&shown);
    let line = r#"read_page {"page":"front"}, after open_book, by: Available pages: front, back"#;
    assert!(all.contains(line), "{shown}");
    assert!(ground.calls > 4 && ground.calls <= 75, "a share of the calls: {ground:?}");
    assert_eq!(campaign(&folder, "--max-calls 300 -v"), ground, "the same seed tells the same");
}

#[test]
fn the_calls_of_a_campaign_begin_with_what_must_be_called_first_in_each_process() {
    let noting =
        BOOK.replacen("while read -r line; do", "while read -r line; do\n  echo \"$$ $line\" >> log", 1);
    let folder = folder().with("server.sh", &noting);
    campaign(&folder, "--max-calls 200");
    let log = folder.read("log");
    let calls = log.lines().filter(|line| line.contains("tools/call"));
    let mut of_processes: Vec<(&str, Vec<&str>)> = Vec::new();
    for (process, line) in calls.filter_map(|line| line.split_once(' ')) {
        match of_processes.iter_mut().find(|(known, _)| *known == process) {
            Some((_, lines)) => lines.push(line),
            None => of_processes.push((process, vec![line])),
        }
    }
    let most = of_processes.iter().map(|(_, lines)| lines).max_by_key(|lines| lines.len()).expect("some");
    assert!(most[0].contains("open_book") && most[0].contains("atlas"), "{}", most[0]);
    let pages = most.iter().filter(|line| line.contains("read_page") && line.contains("front"));
    assert!(pages.count() > 5, "calls that succeed are changed: {log}");
}

#[test]
fn what_was_learnt_is_kept_in_the_corpus_tried_first_and_reported_where_it_is_refused_now() {
    let folder = folder().with("server.sh", BOOK);
    let options = "--max-calls 200 --corpus corpus";
    let first = campaign(&folder, options);
    let kept = folder.read("corpus/valid-calls.jsonl");
    let lines: Vec<Value> = kept.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0], json!({"valid_calls": 1}));
    assert_eq!((lines.len(), &lines[2]["tool"]), (3, &json!("read_page")), "{kept}");
    assert_eq!(lines[2]["first"], json!([{"tool": "open_book", "arguments": {"name": "atlas"}}]));
    let second = campaign(&folder, options);
    assert!(second.calls < first.calls, "{second:?}");
    assert_eq!((&second.known, second.stale.len()), (&first.known, 0));
    // The book has another name by now.
    let renamed = folder.with("server.sh", &BOOK.replace("atlas", "maps"));
    let third = campaign(&renamed, options);
    assert_eq!(third.stale, ["open_book"], "{third:?}");
    assert_eq!(third.known[0].valid, json!({"name": "maps"}));
    let shown = renamed.read("report.txt");
    assert!(shown.contains("kept in the corpus, and refused now: open_book"), "{shown}");
    assert!(renamed.read("corpus/valid-calls.jsonl").contains("maps"));
}

#[test]
fn a_corpus_of_another_version_is_refused() {
    let folder = folder().with("server.sh", BOOK);
    fs::create_dir(folder.path().join("corpus")).expect("it can be made");
    folder.write("corpus/valid-calls.jsonl", "{\"valid_calls\":7}\n");
    let refused = run(&folder, "--max-calls 50 --corpus corpus").code(2);
    assert!(stderr(&refused).contains("is of version 7"), "{}", stderr(&refused));
}

#[test]
fn a_finding_behind_a_call_that_must_come_first_holds_that_call_and_is_reproduced() {
    let leaking = BOOK.replacen(
        "*'\"page\":\"front\"'*)",
        "*'\"page\":'[0-9]*|*'\"page\":null'*) say \"thread 'main' panicked at src/main.rs:1:1\" ;;\n      *'\"page\":\"front\"'*)",
        1,
    );
    let folder = folder().with("server.sh", &leaking);
    campaign(&folder, "--max-calls 300 --findings findings");
    let report = folder.report("report.json");
    let leak = first_of(&report, "leak/panic");
    assert_eq!(leak.stable, Some(true));
    let input = leak.input.as_ref().expect("it has an input");
    assert_eq!((&input[0]["name"], &input[1]["name"]), (&json!("open_book"), &json!("read_page")), "{input}");
    let files = fs::read_dir(folder.path().join("findings")).expect("it was made");
    let file = files
        .map(|entry| entry.expect("it can be read").path())
        .find(|path| path.to_string_lossy().contains("leak-panic"))
        .expect("it has a file");
    let replay = |script: &str, code: i32| {
        let folder = crate::program::folder().with("server.sh", script);
        let file = file.to_string_lossy().into_owned();
        folder.run(&["replay", &file, "--confine", "off", "--", "sh", "server.sh"]).code(code);
    };
    replay(&leaking, 1);
    replay(BOOK, 0);
}

/// A campaign on a confined server.
fn confined(folder: &Folder, server: &[&str]) -> Report {
    let fuzz = "fuzz --contract plain --seed 1 --in-flight 1 --max-calls 400 --report json=report.json --";
    let ran = folder.run_with(fuzz, server);
    assert_eq!(ran.get_output().status.code(), Some(1), "{}{}", stdout(&ran), stderr(&ran));
    folder.report("report.json")
}

/// Whether a rule was broken by a tool.
fn is_broken(report: &Report, rule: &str, tool: &str) -> bool {
    let of_tool = |place: &FindingPlace| place.tool.as_deref() == Some(tool);
    report.findings.iter().any(|finding| {
        finding.rule == rule && (finding.tool.as_deref() == Some(tool) || finding.places.iter().any(of_tool))
    })
}

#[test]
fn in_confinement_a_call_that_ends_something_gets_a_new_thing_each_time() {
    let folder = folder();
    let report = confined(&folder, &["bash", "-c", NOTES, "notes", "raw"]);
    let ground = report.learnt.as_ref().expect("calls were looked for");
    let delete = ground.known.iter().find(|call| call.tool == "delete_note");
    assert_eq!(delete.map(|call| &call.first[..]), Some(&["create_note".to_owned()][..]), "{ground:?}");
    // Deleted twice, or used once it was deleted.
    assert!(is_broken(&report, "leak/runtime-error", "delete_note"), "{:?}", report.findings);
    // How far a sequence is shrunk depends on how long its tries take, and so may a note on what is left of it.
    let found = |report: &Report| -> Vec<_> {
        let findings = report.findings.iter().filter(|finding| finding.level > Level::Note);
        findings
            .map(|finding| {
                (finding.rule.clone(), finding.level, finding.tool.clone(), finding.signature.clone())
            })
            .collect()
    };
    assert_eq!(found(&confined(&folder, &["bash", "-c", NOTES, "notes", "raw"])), found(&report));
}

#[test]
fn in_confinement_the_service_behind_the_server_fails_once() {
    let configuration = "contract = \"plain\"\n[server.env]\nSHOP = \"{upstream}\"\n";
    let folder = folder().with("mcp-errconf.toml", configuration);
    let report = confined(&folder, &["bash", "-c", SERVER]);
    assert!(is_broken(&report, "leak/panic", "order_total"), "{:?}", report.findings);
}
