//! The table of contents.

use std::fmt::Write as _;

use mcp_errconf::{contract, rules};

use super::{read, source};

/// The guides, in the order in which they are read.
const GUIDES: [&str; 11] = [
    "first-run",
    "how-a-run-works",
    "ci",
    "baseline-and-snapshots",
    "fuzzing-overnight",
    "many-machines",
    "writing-a-contract",
    "writing-a-case",
    "errors-as-agents-see-them",
    "safety",
    "ten-public-servers",
];

/// The pages on options, keys and fields.
const REFERENCE: [(&str, &str); 3] = [
    ("Options", "reference/options.md"),
    ("Configuration", "reference/configuration.md"),
    ("The JSON report", "reference/json-report.md"),
];

/// The first heading of a page.
fn title(page: &str) -> String {
    let text = read(&source().join(page));
    text.lines()
        .next()
        .and_then(|line| line.strip_prefix("# "))
        .expect("a page begins with its title")
        .to_owned()
}

pub(super) fn summary() -> String {
    let mut text = String::from("# Summary\n\n[mcp-errconf](introduction.md)\n\n# Guides\n\n");
    for guide in GUIDES {
        let page = format!("guides/{guide}.md");
        let _ = writeln!(text, "- [{}]({page})", title(&page));
    }
    text.push_str("\n# Rules\n\n- [The rules](rules/index.md)\n");
    let mut last = "";
    for rule in rules::all() {
        let (group, _) = rule.id.split_once('/').expect("an id has a group");
        if group != last {
            let _ = writeln!(text, "- [{group}](rules/{group}/index.md)");
            last = group;
        }
        let _ = writeln!(text, "  - [{}](rules/{}.md)", rule.id, rule.id);
    }
    text.push_str("- [How the fixes were run](rules/fixes.md)\n");
    text.push_str("\n# Contracts\n\n- [The contracts](contracts/index.md)\n");
    for id in contract::builtin_ids() {
        let _ = writeln!(text, "- [{id}](contracts/{id}.md)");
    }
    text.push_str("\n# Reference\n\n");
    for (name, page) in REFERENCE {
        let _ = writeln!(text, "- [{name}]({page})");
    }
    text
}
