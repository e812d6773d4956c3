//! Campaigns beside what else there is: contracts, baselines, several processes, and one that is killed.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcp_errconf::campaign::FindingFile;
use mcp_errconf::finding::Level;
use mcp_errconf::transcript::Chosen;
use serde_json::Value;

use crate::fuzz::{BESIDE_TOOLS, CRASHES, REFUSES, crash, files, fuzz, named, noting, replayed};
use crate::program::{PROGRAM, example, folder, stderr};

/// Refuses in the words of another contract than the default one.
const TOOL_ERROR: &str = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"{\\"type\\": \\"VALIDATION\\", \\"message\\": \\"`name` must be a known name. Give another one.\\", \\"recoverable\\": true}"}]}}\n' "$id""#;

/// Refuses without a code.
const PLAIN: &str = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"`name` must be a known name. Give another one."}]}}\n' "$id""#;

#[test]
fn a_campaign_finds_the_contract_out_by_the_first_replies() {
    let folder = folder();
    fuzz(&folder, TOOL_ERROR, &["--max-calls", "100", "--seed", "1", "--contract", "auto"]).code(0);
    let report = folder.report("report.json");
    assert_eq!((report.contract.id.as_str(), report.contract.chosen), ("tool-error", Chosen::Detected));
    let sent = folder.read("log").lines().filter(|line| line.contains("tools/call")).count();
    assert_eq!((report.summary.calls, sent + BESIDE_TOOLS), (100, 100), "the first calls count too");
}

#[test]
fn a_server_that_keeps_no_contract_is_judged_by_the_default_one() {
    let folder = folder();
    fuzz(&folder, PLAIN, &["--max-calls", "100", "--seed", "1", "--contract", "auto"]).code(1);
    let report = folder.report("report.json");
    assert_eq!((report.contract.id.as_str(), report.contract.chosen), ("bracket-code", Chosen::Default));
}

#[test]
fn a_finding_of_a_contract_that_was_asked_for_is_replayed_by_it() {
    let folder = folder();
    fuzz(&folder, PLAIN, &["--max-calls", "100", "--seed", "1", "--contract", "bracket-code"]).code(1);
    let report = folder.report("report.json");
    let missing = named(&report).into_iter().find(|(rule, _)| rule == "code/missing");
    assert_eq!(missing, Some(("code/missing".to_owned(), None)));
    let file = files(&folder).into_iter().find(|file| file.to_string_lossy().contains("code-missing"));
    let file = file.expect("it has a file");
    replayed(&folder, &file, PLAIN, 1);
    replayed(&folder, &file, REFUSES, 0);
}

#[test]
fn what_a_campaign_finds_can_be_accepted_and_is_known_to_the_next_one() {
    let folder = folder();
    let answer = CRASHES.replace("{REFUSES}", REFUSES);
    let campaign = ["--max-calls", "300", "--seed", "3", "--in-flight", "1", "--baseline", "b.toml"];
    fuzz(&folder, &answer, &[&campaign[..], &["--accept-new"]].concat()).code(0);
    let accepted = folder.read("b.toml");
    assert!(accepted.contains("rule = \"liveness/crash\""), "{accepted}");
    fuzz(&folder, &answer, &campaign).code(0);
    // What a campaign did not find this time may be there still.
    fuzz(&folder, REFUSES, &[&campaign[..], &["--accept-new", "--update-baseline"]].concat()).code(0);
    assert_eq!(folder.read("b.toml"), accepted);
    let refused = fuzz(&folder, REFUSES, &[&campaign[..], &["--update-baseline"]].concat()).code(2);
    assert!(stderr(&refused).contains("`--accept-new` adds what it finds"), "{}", stderr(&refused));
}

#[test]
fn a_campaign_on_a_flooding_server_reports_one_finding_per_fault() {
    let folder = folder();
    let fuzz = "fuzz -q --confine off --in-flight 1 --seed 1 --max-calls 1500 --allow-destructive --findings findings \
                --report json=report.json --report human=report.txt --report markdown=report.md \
                --report html=report.html --";
    folder.program_with(fuzz).arg(example("flood")).assert().code(1);
    let report = folder.report("report.json");
    let listed = Command::new(example("flood")).arg("templates").output().expect("it starts");
    let listed = String::from_utf8(listed.stdout).expect("it is UTF-8");
    let mut faults: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in listed.lines().filter_map(|line| line.split(' ').next()) {
        *faults.entry(tool).or_default() += 1;
    }
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for file in files(&folder) {
        let file: FindingFile =
            serde_json::from_slice(&fs::read(file).expect("it is there")).expect("it is a finding");
        assert!(file.finding.examples.len() <= 9);
        // What is noted of arguments that are no object comes on top.
        if let (Some(tool), true) = (file.finding.tool, file.finding.level > Level::Note) {
            *found.entry((file.rule, tool)).or_default() += 1;
        }
    }
    let floods: Vec<_> = found.iter().filter(|((_, tool), count)| **count > faults[tool.as_str()]).collect();
    assert!(floods.is_empty(), "{floods:#?}");
    assert!(found.len() > 12, "{found:#?}");
    let garbled = report.findings.iter().filter(|finding| finding.rule == "message/control-character");
    let garbled = garbled.max_by_key(|finding| finding.count).expect("characters are garbled");
    assert!(garbled.count > 10 && (4..=9).contains(&garbled.examples.len()), "{garbled:?}");
    let first = format!("{} calls showed it", report.findings[0].count);
    for (name, beginning) in
        [("report.txt", "   = count     "), ("report.md", "Count: `"), ("report.html", "<dt>Count</dt><dd>")]
    {
        let shown = folder.read(name);
        assert!(shown.contains(&format!("{beginning}{first}")), "{name}: {first}");
    }
}

#[test]
fn several_processes_find_what_one_finds() {
    let answer = CRASHES.replace("{REFUSES}", REFUSES);
    let folder = folder();
    fuzz(&folder, &answer, &["--max-calls", "500", "--seed", "3", "--jobs", "3"]).code(1);
    assert_eq!(named(&folder.report("report.json")), [crash()], "as one process does");
}

#[test]
fn a_campaign_that_was_killed_is_gone_on_with() {
    let folder = folder();
    let mut program = Command::new(PROGRAM);
    let line = "fuzz -q --confine off --duration 10m --seed 3 --corpus corpus --findings findings -- sh -c";
    program.args(line.split_whitespace());
    program.arg(noting(&CRASHES.replace("{REFUSES}", REFUSES)));
    program.env("LOG", "/dev/null").env("TMPDIR", folder.path()).current_dir(folder.path());
    program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = program.spawn().expect("the program starts");
    let begun = Instant::now();
    let is_found = || {
        let mut entries = fs::read_dir(folder.path().join("findings")).into_iter().flatten().flatten();
        entries.any(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
    };
    while !is_found() {
        assert!(begun.elapsed() < Duration::from_secs(90), "nothing is found");
        std::thread::sleep(Duration::from_millis(10));
    }
    running.kill().expect("it runs");
    running.wait().expect("it ends");
    for file in &files(&folder) {
        let text = fs::read(file).expect("it is there");
        serde_json::from_slice::<Value>(&text).expect("it is whole");
    }

    // What had led to something new is sent before anything is drawn.
    let kept: Vec<String> = fs::read_dir(folder.path().join("corpus"))
        .expect("it was made")
        .map(|entry| fs::read(entry.expect("it can be read").path()).expect("it is there"))
        .filter_map(|text| serde_json::from_slice::<Value>(&text).ok())
        .filter_map(|kept| Some(kept.pointer("/input/arguments")?.as_str()?.to_owned()))
        .filter(|arguments| !arguments.contains("{workspace}") && !arguments.contains("{outside}"))
        .collect();
    assert!(!kept.is_empty());
    let calls = (kept.len() + 200).to_string();
    let options = ["--fresh", "--max-calls", &calls, "--seed", "4", "--in-flight", "1", "--corpus", "corpus"];
    fuzz(&folder, REFUSES, &options).code(0);
    let log = folder.read("log");
    let lost: Vec<&String> = kept.iter().filter(|arguments| !log.contains(arguments.as_str())).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn options_about_cases_are_refused_by_a_campaign() {
    let folder = folder();
    for option in ["--isolate", "--robustness"] {
        let refused = folder.run(&["fuzz", option, "--max-calls", "1", "--", "true"]).code(2);
        let asked = format!("`fuzz` does not support `{option}`");
        assert!(stderr(&refused).contains(&asked), "{}", stderr(&refused));
    }
}

#[test]
fn a_campaign_asks_once_for_what_is_beside_the_tools() {
    let folder = folder();
    let fuzz = "fuzz -q --confine off --max-calls 480 --seed 1 --report json=report.json --";
    folder.run_with(fuzz, &[PROGRAM, "serve", "--defect", "leak/runtime-error/prompt"]).code(1);
    let report = folder.report("report.json");
    let [found] = report.findings.as_slice() else { panic!("{:?}", named(&report)) };
    assert_eq!((found.rule.as_str(), &found.case, &found.input), ("leak/runtime-error", &None, &None));
    let places: Vec<_> =
        found.places.iter().filter_map(|place| Some(place.case.as_ref()?.0.as_str())).collect();
    assert_eq!(places, ["prompt/unknown"]);
}
