//! A disk that is full: what is written is whole or not there, and the program says so.

use std::path::Path;
use std::process::{Command, Output};

use crate::fuzz::{CRASHES, REFUSES, noting};
use crate::program::{PROGRAM, folder};

/// Ends the program.
const INTERRUPT: &str = "kill -INT $process";
/// Notes how many lines the server had read, and how many a second later; then there is space.
const MAKE_SPACE: &str = "wc -l < ../log > ../before; sleep 1; wc -l < ../log > ../after; rm filler";

/// Runs the program in a folder on a small disk, of this many kilobytes, after `first` and until it has said that it cannot write
/// something; then comes `full`. Keeps what is left in `left`, and what it said in `said` there.
fn run(left: &Path, kilobytes: u32, first: &str, arguments: &str, full: &str) -> Output {
    let script = format!(
        "mkdir disk && mount -t tmpfs -o size={kilobytes}k disk disk && cd disk || exit 99\n\
         {first}\n\
         '{PROGRAM}' {arguments} 2> ../said & process=$!\n\
         until grep -q 'cannot write' ../said || ! kill -0 $process; do sleep 0.1; done\n\
         {full}; wait $process; code=$?\n\
         find . -type f -size 0 > ../empty; find . -name '*.part' > ../parts; find . -type f > ../files\n\
         for file in $(find . -name '*.json'); do \
            case $(tail -c 2 $file) in *'}}') ;; *) echo $file >> ../halves;; esac; done\n\
         cp -r . ../kept; exit $code"
    );
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]).current_dir(left);
    shell.output().expect("`unshare` of util-linux is there")
}

/// A campaign on a server that crashes and notes what it reads in `$LOG`; `more` are options of it.
fn campaign(left: &Path, kilobytes: u32, first: &str, more: &str, full: &str) -> Output {
    let server = noting(CRASHES).replace("{REFUSES}", REFUSES);
    std::fs::write(left.join("server.sh"), server).expect("the folder is ours");
    let options = "fuzz -q --max-calls 2000 --seed 1 --confine off --contract plain --corpus corpus --findings found \
                   --report json=report.json";
    run(left, kilobytes, first, &format!("{options} {more} sh ../server.sh"), full)
}

/// Nothing is there that is not whole.
fn assert_whole(left: &Path) {
    for name in ["empty", "parts", "halves"] {
        assert_eq!(noted(left, name), "", "{name}");
    }
}

/// What stands in a file that the script has written; nothing where there is none.
fn noted(left: &Path, name: &str) -> String {
    std::fs::read_to_string(left.join(name)).unwrap_or_default()
}

#[test]
fn a_report_that_does_not_fit_is_not_there_and_the_exit_code_says_so() {
    let folder = folder();
    let output = run(
        folder.path(),
        64,
        "",
        "run --bundled --max-probes 20 --transcript run.jsonl --report json=report.json",
        INTERRUPT,
    );
    let printed = noted(folder.path(), "said");
    assert_eq!(output.status.code(), Some(70), "{printed}");
    assert!(printed.contains("cannot write") && printed.contains("no space left"), "{printed}");
    assert_whole(folder.path());
}

#[test]
fn a_campaign_leaves_no_empty_file_in_its_corpus() {
    let folder = folder();
    let options = "fuzz --bundled --max-calls 3000 --seed 1 --confine off --allow-destructive --corpus corpus --report json=/dev/null";
    let output = run(folder.path(), 96, "", options, INTERRUPT);
    assert_ne!(output.status.code(), Some(99), "{}", noted(folder.path(), "said"));
    assert!(noted(folder.path(), "files").lines().count() > 3, "it kept what fitted");
    assert_whole(folder.path());
}

#[test]
fn a_campaign_tells_once_that_its_files_do_not_fit_and_the_exit_code_says_so() {
    let folder = folder();
    let more = "--report markdown=report.md -- env LOG=/dev/null";
    let output = campaign(folder.path(), 4, "", more, INTERRUPT);
    let printed = noted(folder.path(), "said");
    assert_eq!(output.status.code(), Some(70), "{printed}");
    let lines: Vec<&str> = printed.lines().filter(|line| line.contains("cannot write")).collect();
    let [line] = lines.as_slice() else { panic!("it is told once: {printed}") };
    assert!(line.starts_with("error: ") && line.contains("no space left"), "{line}");
    assert!(line.contains("free some there") && line.contains("70"), "{line}");
    assert_whole(folder.path());
}

#[test]
fn a_campaign_pauses_on_a_full_disk_and_goes_on_once_there_is_space() {
    let folder = folder();
    let more = "-- env LOG=../log";
    let output = campaign(folder.path(), 4_096, "head -c 5m /dev/zero > filler", more, MAKE_SPACE);
    let said = noted(folder.path(), "said");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("cannot write").count(), 1, "{said}");
    assert!(said.contains("No calls are sent until there is space"), "{said}");
    assert_eq!(noted(folder.path(), "before"), noted(folder.path(), "after"), "nothing is sent meanwhile");
    let report: mcp_errconf::judge::Report =
        serde_json::from_str(&noted(folder.path(), "kept/report.json")).expect("the report is whole");
    assert!(report.summary.calls >= 2000, "{:?}", report.summary);
    let journal = noted(folder.path(), "kept/found/campaign.ndjson");
    let lines: Vec<serde_json::Value> =
        journal.lines().map(|line| serde_json::from_str(line).expect("each line is whole")).collect();
    assert!(
        lines[0].get("campaign").is_some() && lines.last().is_some_and(|line| line.get("ended").is_some())
    );
    let finding = &report.findings[0];
    let replay = finding.replay.as_deref().expect("it has a file").trim_start_matches("mcp-errconf replay ");
    assert!(noted(folder.path(), &format!("kept/{replay}")).ends_with("}\n"), "{replay}");
}
