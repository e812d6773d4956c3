//! README and the book show what the program shows. `UPDATE=1 cargo test -p mcp-errconf` rewrites the examples of the first
//! guide from `example.json` and `example-fixed.json`, the reports of the commands that stand above them; CI runs these
//! commands and compares too.

use std::path::{Path, PathBuf};

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::contract;
use mcp_errconf::judge::Report;
use mcp_errconf::report::{Promises, ReportSettings, ReportView, Theme, human};

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

/// The reports of the examples, in the order of the guide: a public server, and the same one after a fix.
const EXAMPLES: [&str; 2] = [include_str!("example.json"), include_str!("example-fixed.json")];

/// The human report of an example, in these colours.
fn example(report: &str, theme: Theme) -> String {
    let report: Report = serde_json::from_str(report).expect("it is a report");
    let contract = contract::load_builtin(&report.contract.id).expect("it is sound").expect("it is there");
    let conclusion = match report.summary.findings.must {
        0 => Conclusion::Conformant,
        must => Conclusion::Findings(must),
    };
    let settings = ReportSettings { theme, ..ReportSettings::of_file(Promises::new(&contract)) };
    human::render(ReportView::new(&report, &conclusion, &settings))
}

/// The examples of the guide: the command with its prompt, and what it shows in these colours.
pub(crate) fn examples(theme: Theme) -> Vec<(String, String)> {
    let guide_text = std::fs::read_to_string(guide()).expect("the guide is there");
    let blocks: Vec<&str> = guide_text.split(OPENING).skip(1).collect();
    assert_eq!(blocks.len(), EXAMPLES.len());
    let command = |block: &str| block.lines().next().expect("an example begins with its command").to_owned();
    blocks.into_iter().zip(EXAMPLES).map(|(block, report)| (command(block), example(report, theme))).collect()
}

#[test]
fn the_examples_are_the_output_of_their_commands() {
    let guide_text = std::fs::read_to_string(guide()).expect("the guide is there");
    let mut parts = guide_text.split(OPENING);
    let mut expected = parts.next().expect("the guide begins").to_owned();
    for ((command, shown), part) in examples(Theme::plain()).into_iter().zip(parts) {
        assert!(command.starts_with("$ mcp-errconf run "), "{command}");
        let (_, after) = part.split_once("```\n").expect("the example ends");
        expected.push_str(&format!("{OPENING}{command}\n{shown}```\n{after}"));
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(guide(), expected).expect("the guide can be written");
    } else {
        assert_eq!(guide_text, expected, "UPDATE=1 rewrites it");
    }
}

#[test]
fn the_fix_of_the_guide_is_the_one_that_ci_applies() {
    let guide_text = std::fs::read_to_string(guide()).expect("the guide is there");
    let patch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/servers/fixed.patch");
    let patch = std::fs::read_to_string(patch).expect("the patch is there");
    let added: Vec<&str> = patch.lines().filter(|line| line.starts_with("+ ")).collect();
    assert!(!added.is_empty());
    for line in added {
        assert!(guide_text.contains(line[1..].trim()), "the guide does not show: {line}");
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
