//! `merge`: what several machines wrote, in one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_errconf::judge::Report;
use serde_json::Value;

use crate::fuzz::{CRASHES, REFUSES, named, noting, replayed};
use crate::matrix::{servers, table};
use crate::program::{Folder, folder, stderr, stdout};

/// Every file below a folder, with what is in it.
fn below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(below(&path)),
            path => {
                files.insert(path.clone(), fs::read(path).expect("it can be read"));
            }
        }
    }
    files
}

/// A campaign of one of two shards on a server that crashes; its report.
fn shard(folder: &Folder, number: u8) -> Report {
    let [found, corpus, report] =
        ["findings", "corpus", "report.json"].map(|name| format!("shard-{number}/{name}"));
    fs::create_dir(folder.path().join(format!("shard-{number}"))).expect("the folder is ours");
    let mut program = folder.program_with(&format!(
        "fuzz -q --confine off --max-calls 300 --seed 5 --shard {number}/2 --findings {found} --corpus {corpus} \
         --report json={report} -- sh -c"
    ));
    program.arg(noting(&CRASHES.replace("{REFUSES}", REFUSES))).env("LOG", "/dev/null").assert().code(1);
    folder.report(&report)
}

#[test]
fn shards_of_a_campaign_are_reported_as_one() {
    let folder = folder();
    let reports = [1, 2].map(|number| shard(&folder, number));
    let merge = "merge shard-1 shard-2 --into all --report json=merged.json --report html=merged.html \
                 --report junit=merged.xml --report sarif=merged.sarif";
    let merged = folder.run_with(merge, &[]).code(1);
    assert!(stderr(&merged).contains("merged into all: findings: 1,"), "{}", stderr(&merged));
    let report = folder.report("merged.json");
    assert_eq!(named(&report), [("liveness/crash".to_owned(), Some("get_item".to_owned()))]);
    let sum = |figure: fn(&Report) -> usize| reports.iter().map(figure).sum::<usize>();
    assert_eq!(report.summary.calls, sum(|report| report.summary.calls));
    assert_eq!(report.findings[0].count, sum(|report| report.findings[0].count));

    let before = below(&folder.path().join("all"));
    folder.run(&["merge", "-q", "shard-2", "shard-1", "shard-1", "--into", "all"]).code(1);
    assert_eq!(before, below(&folder.path().join("all")), "nothing is new");
    folder.run(&["compare", "all", "merged.json"]).code(0);

    let is_finding = |path: &&PathBuf| path.to_string_lossy().contains("liveness-crash");
    let file = before.keys().find(is_finding).expect("the finding has a file");
    let written: Value = serde_json::from_slice(&before[file]).expect("it is JSON");
    assert_eq!(written["seeds"].as_object().map(serde_json::Map::len), Some(2), "{written:#}");
    replayed(&folder, file, &CRASHES.replace("{REFUSES}", REFUSES), 1);
    let kept = folder.run(&["corpus", "minimise", "all/corpus"]).code(0);
    let is_input = |path: &&PathBuf| {
        path.starts_with(folder.path().join("all/corpus"))
            && path.extension().is_some_and(|name| name == "json")
    };
    let inputs = before.keys().filter(is_input).count();
    assert_eq!(stdout(&kept).trim(), format!("kept {inputs} of {inputs} inputs"));
}

#[test]
fn a_half_written_shard_gives_what_is_whole_and_that_is_said() {
    let folder = folder();
    shard(&folder, 1);
    let path = folder.path().join("shard-1/findings/campaign.ndjson");
    let journal = fs::read_to_string(&path).expect("it is there");
    let lines: Vec<&str> = journal.lines().collect();
    let (_, begun) = lines.split_last().expect("it has lines");
    fs::write(&path, begun.join("\n") + "\n{\"figu").expect("the folder is ours");
    folder.write("shard-1/findings/half.json", "{\"rule\":");
    let merged = folder.run(&["merge", "shard-1", "--into", "all", "--report", "json=merged.json"]).code(1);
    for said in [
        "campaign.ndjson: the last line is not whole",
        "half.json is not whole",
        "shard 1/2 did not end",
        "these shards are missing: 2/2",
    ] {
        assert!(stderr(&merged).contains(said), "{said}: {}", stderr(&merged));
    }
    assert_eq!(folder.report("merged.json").findings.len(), 1);
    let none = folder.run(&["merge", "nowhere", "--into", "all"]).code(2);
    assert!(stderr(&none).contains("cannot read `nowhere`"), "{}", stderr(&none));
}

#[test]
fn campaigns_that_share_a_folder_send_what_others_found() {
    let folder = folder();
    let campaign = |seed: &str, log: &str| {
        let fuzz = format!(
            "fuzz -q --confine off --max-calls 200 --seed {seed} --sync shared --report json=/dev/null -- sh -c"
        );
        let mut program = folder.program_with(&fuzz);
        program.arg(noting(REFUSES)).env("LOG", folder.path().join(log)).assert().code(0);
        folder.read(log)
    };
    campaign("1", "log-1");
    let shared = below(&folder.path().join("shared"));
    let (path, text) = shared.iter().next().expect("it put something there");
    assert_eq!(fs::read_dir(folder.path().join("shared")).expect("it is a folder").count(), shared.len());
    let mut input: Value = serde_json::from_slice(text).expect("it is JSON");
    input["input"]["arguments"] = r#"{"name":"found by another one"}"#.into();
    input["brings"] = "another reply".into();
    let file = path.with_file_name("another.json");
    fs::write(&file, input.to_string()).expect("the folder is ours");
    fs::write(path.with_file_name("half.json"), "{\"tool\":").expect("the folder is ours");
    let sent = campaign("2", "log-2");
    assert_eq!(sent.matches("\"found by another one\"").count(), 1, "{sent}");
    assert!(file.exists() && below(&folder.path().join("shared")).len() >= shared.len() + 2);
}

#[test]
fn parts_of_a_matrix_are_one_table() {
    let folder = servers();
    folder.run(&["matrix", "matrix.toml", "-q", "--report", "json=whole.json", "--keep", "whole"]);
    for part in ["1/2", "2/2"] {
        let kept = format!("part-{}", &part[..1]);
        folder.run(&["matrix", "matrix.toml", "-q", "--shard", part, "--keep", &kept]);
    }
    let merge =
        "merge -q part-2 part-1 --into all --report json=t.json --report html=t.html --report markdown=t.md";
    folder.run_with(merge, &[]).code(2);
    let rows = |name: &str| {
        let mut rows = table(&folder, name)["servers"].clone();
        for row in rows.as_array_mut().into_iter().flatten() {
            row["duration_ms"] = Value::Null;
            let report = row["report"].as_str().map(|report| report.replace("whole/", "all/"));
            row["report"] = report.into();
        }
        rows
    };
    assert_eq!(rows("t.json"), rows("whole.json"));
    for name in ["json", "html"] {
        let [own, merged] =
            ["whole", "all"].map(|kept| folder.path().join(kept).join("with-a-defect").with_extension(name));
        assert_eq!(own.exists(), merged.exists(), "its report is merged too");
        assert!(merged.exists(), "{name}");
    }
    let page = folder.read("t.html");
    let first =
        |verdict: &str| page.find(&format!("colspan=\"9\">{verdict}: ")).expect("each verdict has a part");
    assert!(
        first("not run") < first("not conformant") && first("not conformant") < first("conformant"),
        "{page}"
    );
    folder.run(&["compare", "all", "whole.json"]).code(0);
    let text = folder.read("whole.json");
    let better =
        text.replace("\"not conformant\"", "\"conformant\"").replace("\"exit_code\": 1", "\"exit_code\": 0");
    folder.write("better.json", better);
    let worse = folder.run(&["compare", "better.json", "all", "--format", "markdown"]).code(1);
    let said = stdout(&worse);
    assert!(said.contains("- **worse** `with a defect`: conformant -> not conformant"), "{said}");
    let since = "merge -q part-1 part-2 --into all --since better.json --report human --report html=since.html \
                 --report markdown=since.md";
    let told = stdout(&folder.run_with(since, &[]).code(2));
    assert!(
        told.contains("since the earlier table:\nworse   with a defect: conformant -> not conformant"),
        "{told}"
    );
    let page = folder.read("since.html");
    let linked = "<li><strong>worse</strong> <a href=\"./all/with-a-defect.html\">with a defect</a>: conformant -&gt; ";
    assert!(page.contains(linked) && page.contains("<p>4 servers are as before</p>"), "{page}");
    let summary = folder.read("since.md");
    assert!(summary.starts_with("Since the earlier table:\n\n- **worse** `with a defect`: "), "{summary}");
    let wrong = folder.run(&["merge", "part-1", "--into", "none", "--since", "matrix.toml"]).code(2);
    assert!(stderr(&wrong).contains("`matrix.toml` is no table of a matrix"), "{}", stderr(&wrong));
    assert!(!folder.path().join("none").exists(), "nothing is written");
    let mixed = folder.run(&["compare", "whole.json", "whole/with-a-defect.json"]).code(2);
    assert!(stderr(&mixed).contains("give two of the same kind"), "{}", stderr(&mixed));
}
