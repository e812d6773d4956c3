//! The reports that are shown elsewhere: SARIF, GitHub's annotations and Markdown; and what holds for every form.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::rc::Rc;

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::condition::CaseId;
use mcp_errconf::event::Event;
use mcp_errconf::finding::{Evidence, Level, PendingText, State};
use mcp_errconf::judge::{Report, Status};
use mcp_errconf::report::Promises;
use mcp_errconf::report::{FORMATS, ReportSettings, SourceLine, format};
use mcp_errconf::snapshot::{StaleKind, StaleText};
use proptest::prelude::*;
use pulldown_cmark::{Event as Markup, Options, Parser, Tag};
use serde_json::Value;

use crate::program::{folder, stderr, stdout};
use crate::sample::{conclusion, contract, finding, hostile, on, report, with_case, with_finding};

/// Bytes that a reporter wrote, kept by who reads them.
#[derive(Clone, Default)]
struct Page(Rc<RefCell<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What this form shows of these events.
pub(crate) fn rendered(name: &str, events: &[Event]) -> String {
    let page = Page::default();
    let settings = ReportSettings {
        date: Some("Thu, 26 Nov 2026 20:17:43 GMT".to_owned()),
        anchor: Some("a folder/mcp-errconf.toml".to_owned()),
        definition: |tool| {
            (tool == "read_file").then(|| SourceLine { file: "a folder/server.py".to_owned(), line: 12 })
        },
        workflow: Some(".github/workflows/ci.yml".to_owned()),
        ..ReportSettings::of_file(Promises::new(&contract()))
    };
    let format = format(name).expect("there is this form");
    let mut reporter = format.open(Box::new(page.clone()), &settings);
    for event in events {
        reporter.event(event).expect("a page takes everything");
    }
    drop(reporter);
    String::from_utf8(page.0.take()).expect("it is UTF-8")
}

pub(crate) fn judged(report: &Report, conclusion: Conclusion) -> Event {
    Event::Judged { report: Box::new(report.clone()), conclusion }
}

pub(crate) fn shown(name: &str, report: &Report) -> String {
    rendered(name, &[judged(report, conclusion(report))])
}

fn json(report: &Report) -> Value {
    serde_json::from_str(&shown("sarif", report)).expect("it is JSON")
}

/// A finding of each level, one of them known, with a markup of each language in the server's words.
pub(crate) fn mixed() -> Report {
    let text =
        "ENOENT: no such file, open '{workspace}/absent.txt' <b>&amp; `code` [link](http://x) @someone #1";
    let mut vague = on("write_file", "write/vague", "It failed: 50%, a:b");
    (vague.rule, vague.level) = ("message/vague".to_owned(), Level::Should);
    let mut note = on("grep", "grep/known", "It failed.\nTwice.");
    (note.rule, note.state) = ("code/missing".to_owned(), State::Known);
    note.evidence.as_mut().expect("it has evidence").span = None;
    let report = with_case(report(), "read/missing", Status::Failed, None);
    let report =
        with_case(report, "bash/limit", Status::Skipped, Some("no tool was found for the role `shell`"));
    [finding(text, "ENOENT"), vague, note].into_iter().fold(report, with_finding)
}

#[test]
fn sarif_has_a_result_for_each_finding() {
    let mut log = json(&mixed());
    // The rules' pages have a book of their own.
    let rules = log["runs"][0]["tool"]["driver"]["rules"].take();
    assert_eq!(rules.as_array().expect("rules").len(), mcp_errconf::rules::all().len());
    for result in log["runs"][0]["results"].as_array_mut().expect("results") {
        // One more rule moves the others.
        let index = result["ruleIndex"].take().as_u64().expect("an index");
        assert_eq!(rules[usize::try_from(index).expect("it is small")]["id"], result["ruleId"]);
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).expect("it serializes"));
}

#[test]
fn sarif_tells_findings_apart_by_their_signature_and_not_by_their_number() {
    let prints = |report: &Report| -> Vec<String> {
        let log = json(report);
        let results = log["runs"][0]["results"].as_array().expect("results").clone();
        let print = |result: &Value| result["partialFingerprints"]["primaryLocationLineHash"].to_string();
        results.iter().map(print).collect()
    };
    let report = mixed();
    let first = prints(&report);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len(), "{first:?}");
    let mut turned = report;
    turned.findings.reverse();
    turned.findings[0].count = 9;
    assert_eq!(prints(&turned).into_iter().rev().collect::<Vec<_>>(), first);
}

#[test]
fn without_a_baseline_sarif_says_nothing_of_one() {
    let mut report = mixed();
    report.findings.retain(|finding| finding.state == State::New);
    for result in json(&report)["runs"][0]["results"].as_array().expect("results") {
        assert!(result.get("baselineState").is_none() && result.get("suppressions").is_none(), "{result}");
    }
}

#[test]
fn the_annotations_of_github_are_escaped_as_its_runner_reads_them() {
    insta::assert_snapshot!(shown("github", &mixed()));
}

#[test]
fn gitlab_has_an_issue_of_its_own_for_each_finding_with_the_members_that_it_reads() {
    let issues = shown("gitlab", &mixed());
    insta::assert_snapshot!(issues);
    let issues: Vec<Value> = serde_json::from_str(&issues).expect("it is a list");
    let prints: BTreeSet<&str> = issues.iter().filter_map(|issue| issue["fingerprint"].as_str()).collect();
    assert_eq!(prints.len(), mixed().findings.len());
}

#[test]
fn markdown_shows_new_findings_before_known_ones() {
    insta::assert_snapshot!(shown("markdown", &mixed()));
}

#[test]
fn markdown_shows_what_changed_in_a_text() {
    let mut pending = finding("A\nIt failed again.", "A");
    pending.texts = vec![PendingText {
        snapshot: "read@missing".to_owned(),
        accepted: Some("A\nIt failed.".to_owned()),
        seen: "A\nIt failed again.".to_owned(),
    }];
    let document = shown("markdown", &with_finding(report(), pending));
    let expected = "Snapshot `read@missing`:\n\n```diff\n  A\n- It failed.\n+ It failed again.\n```\n";
    assert!(document.contains(expected), "{document}");
}

#[test]
fn every_format_is_a_file_of_its_name_and_every_file_with_a_format_is_registered() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/report/src/report");
    let files = fs::read_dir(root).expect("the folder of the reports").flatten();
    let with_form: BTreeSet<String> = files
        .filter(|file| file.path().is_file())
        .filter(|file| {
            fs::read_to_string(file.path()).expect("a file").contains("static FORMAT: ReportFormat")
        })
        .map(|file| file.path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    let registered: BTreeSet<String> = FORMATS.iter().map(|format| format.name.to_owned()).collect();
    assert_eq!(registered, with_form);
    assert_eq!(FORMATS.len(), registered.len(), "a name stands twice");
}

#[test]
fn every_format_is_in_the_help_and_is_written_beside_all_others() {
    for command in ["run", "judge"] {
        let help = stdout(&folder().run(&[command, "--help"]).code(0));
        for format in FORMATS {
            assert!(help.contains(&format!("`{}`", format.name)), "{} in the help of {command}", format.name);
        }
    }
    let folder = folder();
    let reports =
        FORMATS.iter().flat_map(|format| ["--report".to_owned(), format!("{0}=r.{0}", format.name)]);
    let arguments: Vec<String> = ["run".to_owned()].into_iter().chain(reports).collect();
    let server = ["--", "sh", "-c", "exit 1"].map(str::to_owned);
    let arguments: Vec<&str> = arguments.iter().chain(&server).map(String::as_str).collect();
    folder.run(&arguments).code(3);
    let written: BTreeSet<String> = folder.files().into_iter().collect();
    assert_eq!(written, FORMATS.iter().map(|format| format!("r.{}", format.name)).collect());
    for format in FORMATS {
        let text = folder.read(&format!("r.{}", format.name));
        assert!(text.contains("it ended") || text.contains("exit status 1"), "{}: {text}", format.name);
    }
}

#[test]
fn where_no_report_is_shown_the_verdict_is_and_where_the_reports_are() {
    let folder = folder();
    let run = folder.run(&["run", "--report", "html=r.html", "--", "sh", "-c", "exit 1"]).code(3);
    let said = stderr(&run);
    assert!(said.contains("did not start a session") && said.contains("note: written: r.html"), "{said}");
    let judged = ["run", "--bundled", "--filter", "read/missing-file", "--report", "html=b.html"];
    let said = stderr(&folder.run(&judged).code(0));
    assert!(said.contains("note: conformant: no findings; written: b.html"), "{said}");
}

#[test]
fn no_format_is_green_where_nothing_was_judged() {
    let conclusions = [
        (Conclusion::NotExercised("it ended".into()), "exercised"),
        (Conclusion::NothingSelected("no case".into()), "select"),
        (Conclusion::NothingJudged, "judged"),
        (Conclusion::Inconclusive("no reply of its own".into()), "of its own"),
        (Conclusion::Uncovered("1 of 4 tools".into()), "1 of 4 tools"),
        (Conclusion::Interrupted, "interrupted"),
    ];
    for (conclusion, word) in conclusions {
        // The JSON document is the report alone; its exit code says the rest.
        for format in FORMATS.iter().filter(|format| format.name != "json") {
            let text = rendered(format.name, &[judged(&report(), conclusion.clone())]);
            assert!(text.to_lowercase().contains(word), "{} on {conclusion:?}: {text}", format.name);
            assert!(format.name != "junit" || text.contains(r#"errors="1""#), "{text}");
        }
    }
}

#[test]
fn what_can_be_taken_out_is_reported_by_every_format_for_people() {
    let gone = StaleText { name: "a@b".to_owned(), case: CaseId("a".to_owned()), what: StaleKind::Case };
    let entry = mcp_errconf::baseline::Entry { rule: "code/missing".to_owned(), tool: None, condition: None };
    let events = [
        Event::Stale(vec![entry]),
        Event::SnapshotsGone(vec![gone]),
        judged(&report(), Conclusion::Conformant),
    ];
    for format in ["human", "ndjson", "github", "markdown", "html"] {
        let text = rendered(format, &events);
        assert!(text.contains("a@b") && text.contains("code/missing"), "{format}: {text}");
    }
}

/// A report in which this text stands wherever a server's words may stand.
pub(crate) fn with_text(text: &str) -> Report {
    let mut report = hostile();
    for finding in &mut report.findings {
        finding.evidence = Some(Evidence::marked(text, 0..1));
        finding.message = text.to_owned();
        finding.help = text.to_owned();
        finding.tool = Some(text.to_owned());
        finding.sent = Value::String(text.to_owned());
        finding.requirement = text.to_owned();
        for wording in &mut finding.wordings {
            wording.evidence = Some(Evidence::whole(text));
            wording.message = text.to_owned();
            wording.help = text.to_owned();
            wording.sent = Value::String(text.to_owned());
        }
        for place in &mut finding.places {
            place.tool = Some(text.to_owned());
            place.case = Some(CaseId(text.to_owned()));
        }
    }
    report.cases[0].id = CaseId(text.to_owned());
    report.cases[0].reason = Some(text.to_owned());
    report.server.name = text.to_owned();
    report.server.version = text.to_owned();
    report
}

/// The tags of a page in their order.
pub(crate) fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).map(|part| part.split_once('>').map_or(part, |(tag, _)| tag)).collect()
}

/// The kinds of what Markdown is read as, texts left out.
fn structure(document: &str) -> Vec<String> {
    Parser::new_ext(document, Options::all())
        .filter_map(|markup| match markup {
            Markup::Start(Tag::Heading { level, .. }) => Some(format!("{level}")),
            Markup::Start(Tag::CodeBlock(kind)) => Some(format!("{kind:?}")),
            Markup::Start(tag) => Some(format!("{tag:?}")),
            Markup::Code(_) => Some("code".to_owned()),
            Markup::End(end) => Some(format!("{end:?}")),
            Markup::Html(html) => Some(format!("{:?}", tags(&html))),
            Markup::Text(_) | Markup::SoftBreak => None,
            other => Some(format!("{other:?}")),
        })
        .collect()
}

/// Pieces of markup, commands and controls.
static NASTY: [&str; 32] = [
    "`",
    "```",
    "\n",
    "\r",
    "::error::x",
    "##[x]",
    "<script>",
    "</pre>",
    "\" onclick='",
    "[a](b)",
    "![a](b)",
    "@b",
    "#1 ",
    "\\",
    "| a |\n|---|",
    "\n    ",
    "\n- ",
    "\n~~~\n",
    "~~",
    "$x$",
    "http://x.y ",
    "&lt;",
    "<!--",
    "-->",
    "---\n",
    "\u{1b}[31m",
    "\u{9b}",
    "\u{202e}",
    "%0A",
    "a",
    "\t",
    " ",
];

/// Any text, with something in it, so that no part is left out for being empty.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![32 => prop::sample::select(&NASTY[..]).prop_map(str::to_owned), 1 => "(?s).{0,4}"];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| format!("x{}y", pieces.concat()))
}

/// Whether it changes the direction of reading, or ends a line for some readers.
fn is_bidirectional(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}')
}

proptest! {
    #[test]
    fn no_format_lets_a_control_or_a_command_through(text in text()) {
        let report = with_text(&text);
        for format in FORMATS {
            let shown = shown(format.name, &report);
            prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{}: {shown:?}", format.name);
            prop_assert!(format.name != "human" || !shown.contains(is_bidirectional), "{shown:?}");
            for line in shown.lines() {
                let words = line.trim_start();
                let is_ours = format.name == "github" && line.starts_with("::error ") && line.contains("::mcp-errconf: ");
                prop_assert!(is_ours || !words.starts_with("::") && !words.starts_with("##["), "{}: {line}", format.name);
            }
        }
    }

    #[test]
    fn no_markup_of_a_server_is_markup_in_markdown(text in text()) {
        let document = shown("markdown", &with_text(&text));
        let plain = shown("markdown", &with_text("xy"));
        prop_assert_eq!(structure(&document), structure(&plain), "{}", document);
        // Its words stand in code alone: a mention or a number of an issue outside would call somebody.
        let mut depth = 0;
        for markup in Parser::new_ext(&document, Options::all()) {
            match markup {
                Markup::Start(Tag::CodeBlock(_)) => depth += 1,
                Markup::End(pulldown_cmark::TagEnd::CodeBlock) => depth -= 1,
                Markup::Text(words) if depth == 0 => prop_assert!(!words.contains(['@', '#', '<', '[']), "{words}"),
                _ => {}
            }
        }
    }

    #[test]
    fn github_reads_back_what_was_reported(text in text()) {
        let shown = shown("github", &with_text(&text));
        let commands: Vec<&str> = shown.lines().filter(|line| line.starts_with("::")).collect();
        prop_assert_eq!(commands.len(), 1, "one for all findings without a line: {}", shown);
        for command in commands {
            let (head, data) = command[2..].split_once("::").expect("a command and its data");
            let (name, properties) = head.split_once(' ').expect("a command with properties");
            prop_assert_eq!(name, "error");
            let keys: Vec<&str> = properties.split(',').map(|part| part.split_once('=').map_or("", |(key, _)| key)).collect();
            prop_assert_eq!(keys, ["file", "line", "title"]);
            prop_assert_eq!(data.matches("%0A").count(), 1, "a line for each finding: {}", data);
            prop_assert!(data.starts_with("mcp-errconf: "), "{data}");
        }
    }

}

#[test]
fn a_brief_for_a_coding_agent_has_each_cause_once_with_what_to_write_and_how_to_verify_it() {
    let help = "Name the path. Here it could read: `path 'absent.txt' does not exist: list its folder`.";
    let mut one = mcp_errconf::finding::Finding { help: help.to_owned(), ..finding("open failed", "open") };
    one.places.push(on("write_file", "write/missing", "open failed").places.remove(0));
    let mut known = finding("read failed", "read");
    known.state = State::Known;
    let report = with_finding(with_finding(report(), one), known);
    let brief = rendered("agents", &[judged(&report, Conclusion::Findings(1))]);
    insta::assert_snapshot!(brief);
    let many = (0..100)
        .fold(report.clone(), |report, _| with_finding(report, finding(&"long ".repeat(2_000), "long ")));
    let brief = rendered("agents", &[judged(&many, Conclusion::Findings(101))]);
    assert!(brief.len() < 20_000, "it is bounded: {}", brief.len());
    assert!(brief.contains("There are 89 more findings"), "{brief}");
}

#[test]
fn slow_cases_are_named_to_people_and_in_no_report_that_is_compared() {
    let slow = mcp_errconf::judge::SlowCase { case: CaseId("http/silence".to_owned()), taken_ms: 12_345 };
    let events = [Event::Slow(vec![slow]), judged(&report(), Conclusion::Conformant)];
    assert!(rendered("human", &events).contains("slow: 1 case took over 5 s: http/silence (12 s)\n"));
    assert!(!rendered("json", &events).contains("12345"));
}
