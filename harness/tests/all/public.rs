//! What is said of replies that public servers really gave. A finding that turned out to be false on one of them is gone
//! from its list, and must not come back.

use std::fmt::Write as _;
use std::path::Path;

use mcp_errconf::finding::Finding;
use mcp_errconf::rules;

use crate::program::recorded;

/// Every finding on what was recorded of this server, one a line, with the text that shows it.
fn found(server: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/servers").join(server);
    let text = std::fs::read_to_string(file.with_extension("jsonl")).expect("it was recorded");
    let (report, conclusion) = recorded(&text).judge(rules::all());
    assert!(report.summary.error_replies > 2, "{:?}", report.summary);
    let exit = format!("exit {}\n", conclusion.exit_code());
    report.findings.iter().map(described).fold(exit, |text, finding| text + &finding)
}

fn described(finding: &Finding) -> String {
    let level = format!("{:?}", finding.level).to_lowercase();
    let layer = if finding.layer.is_some() { ", worded by an SDK" } else { "" };
    let tool = finding.tool.as_deref().unwrap_or("*");
    let mut described = format!("{level} {} {tool}: {}{layer}\n", finding.rule, finding.message);
    if let Some(evidence) = &finding.evidence {
        let marked = evidence.span.map_or(evidence.text.as_str(), |(start, end)| &evidence.text[start..end]);
        let shown: String = marked.chars().take(100).collect();
        writeln!(described, "    {}", shown.escape_debug()).expect("a string takes everything");
    }
    for place in &finding.places {
        let case = place.case.as_ref().map_or("-", |case| case.0.as_str());
        writeln!(described, "    - {case}").expect("a string takes everything");
    }
    described
}

#[test]
fn the_findings_on_public_servers_are_those_that_were_read_and_found_true() {
    for server in [
        "cli-mcp-server",
        "mcp-server-commands",
        "mcp-server-time",
        "rust-mcp-filesystem",
        "server-everything",
        "server-filesystem",
    ] {
        insta::assert_snapshot!(server, found(server));
    }
}
