//! README and the book show what the program shows. `UPDATE=1 cargo test -p mcp-errconf` rewrites the example of the first
//! guide from `example.json`, a report of the command that stands above the example; CI runs that command and compares too.

use std::path::{Path, PathBuf};

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::contract;
use mcp_errconf::judge::Report;
use mcp_errconf::report::{Promises, ReportSettings, ReportView, human};

use crate::program::{folder, stdout};

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/guides/first-run.md")
}

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    std::fs::read_to_string(path).expect("the README is there")
}

/// How the example's block begins, distinguished from blocks of commands that a test runs.
const OPENING: &str = "```console recorded\n";

/// The human report of what `example.json` holds.
fn example() -> String {
    let report: Report = serde_json::from_str(include_str!("example.json")).expect("it is a report");
    let contract = contract::load_builtin(&report.contract.id).expect("it is sound").expect("it is there");
    let conclusion = Conclusion::Findings(report.summary.findings.must);
    let settings = ReportSettings::of_file(Promises::new(&contract));
    human::render(ReportView::new(&report, &conclusion, &settings))
}

#[test]
fn the_example_is_the_output_of_its_command() {
    let guide_text = std::fs::read_to_string(guide()).expect("the guide is there");
    let (before, rest) = guide_text.split_once(OPENING).expect("the guide has an example");
    let (shown, after) = rest.split_once("```\n").expect("the example ends");
    let command = shown.lines().next().expect("the example begins with its command");
    assert!(command.starts_with("$ mcp-errconf run "), "{command}");
    let expected = format!("{command}\n{}", example());
    if std::env::var_os("UPDATE").is_some() {
        let written = format!("{before}{OPENING}{expected}```\n{after}");
        std::fs::write(guide(), written).expect("the guide can be written");
    } else {
        assert_eq!(shown, expected, "UPDATE=1 rewrites it");
    }
}

#[test]
fn the_exit_codes_are_those_of_the_help() {
    let help = stdout(&folder().run(&["--help"]).code(0));
    let codes = &help[help.find("Exit codes:").expect("the help tells the exit codes")..];
    assert!(readme().contains(codes.trim_end()), "the README does not show:\n{codes}");
}

#[test]
fn the_readme_is_short() {
    assert!(readme().lines().count() < 250, "what is long belongs in the book");
}
