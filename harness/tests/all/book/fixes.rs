//! How each rule is fixed in the SDKs: the lines are parts of small servers that `.ci/fixes/run` drives with and without them;
//! what came of that is in `results.json`, and a page claims no other run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use mcp_errconf::rules::{self, Fix};
use serde::Deserialize;

use super::{read, root};

/// An SDK, and where its lines are.
struct Sdk {
    name: &'static str,
    /// What a code block of its language is called.
    fence: &'static str,
    /// The folder of its files, from the folder of the book.
    folder: &'static str,
    /// How its files end.
    end: &'static str,
    /// Whose lines are its lines too, where it has no file of its own.
    like: Option<&'static str>,
}

const SDKS: [Sdk; 7] = [
    Sdk { name: "TypeScript", fence: "js", folder: "fixes/typescript", end: "mjs", like: None },
    Sdk {
        name: "TypeScript 2",
        fence: "js",
        folder: "fixes/typescript-2",
        end: "mjs",
        like: Some("TypeScript"),
    },
    Sdk { name: "Python", fence: "python", folder: "fixes/python", end: "py", like: None },
    Sdk { name: "FastMCP", fence: "python", folder: "fixes/fastmcp", end: "py", like: Some("Python") },
    Sdk {
        name: "Rust",
        fence: "rust",
        folder: "../../reference-server/examples/fixes",
        end: "rs",
        like: None,
    },
    Sdk { name: "Go", fence: "go", folder: "fixes/go", end: "go", like: None },
    Sdk { name: "C#", fence: "csharp", folder: "fixes/csharp", end: "cs", like: None },
];

/// Between these two, each in a comment of its own line, stand the lines that are shown.
const MARKS: [&str; 2] = ["the fix:", "the end of the fix"];

/// What was run with one SDK.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Results {
    /// The SDK's package and version.
    sdk: String,
    /// The rules that were found without the lines of a fix, and not with them.
    fixes: BTreeMap<String, Vec<String>>,
}

pub(super) struct Fixes {
    results: BTreeMap<String, Results>,
}

fn file(sdk: &Sdk, fix: &Fix) -> PathBuf {
    root().join(sdk.folder).join(format!("{}.{}", fix.name.replace('-', "_"), sdk.end))
}

/// The rules that it is the fix of.
fn rules_of(fix: &Fix) -> impl Iterator<Item = &'static str> {
    rules::all().iter().filter(|rule| rule.page().fix == fix.name).map(|rule| rule.id)
}

impl Fixes {
    pub(super) fn read() -> Self {
        let results =
            serde_json::from_str(&read(&root().join("fixes/results.json"))).expect("it is JSON of this form");
        Self { results }
    }

    /// The end of a rule's page.
    pub(super) fn section(&self, rule: &str) -> String {
        let mut text = String::new();
        for fix in rules::fixes().iter().filter(|fix| rules_of(fix).any(|id| id == rule)) {
            let _ = write!(text, "\n## Fix: {}\n\n{}\n", fix.title, fix.says.trim());
            for sdk in &SDKS {
                if let Some(lines) = section_of(sdk, fix) {
                    let said = self.said(sdk, fix, rule);
                    let _ = write!(text, "\n### {}\n\n{lines}\n\n{said}\n", sdk.name);
                }
            }
        }
        text
    }

    /// Whether the lines were run, and what came of it.
    fn said(&self, sdk: &Sdk, fix: &Fix, rule: &str) -> String {
        let Some(results) = self.results.get(sdk.name) else { return "*Not run.*".to_owned() };
        let Some(proven) = results.fixes.get(&fix.name).filter(|proven| !proven.is_empty()) else {
            return "*Not run.*".to_owned();
        };
        if proven.iter().any(|id| id == rule) {
            return format!("*Run with {}: found without these lines, and not with them.*", results.sdk);
        }
        let others: Vec<String> = proven.iter().map(|id| format!("[`{id}`](../{id}.md)")).collect();
        let others = others.join(", ");
        format!("*Run with {}, for {others}: found without these lines, and not with them.*", results.sdk)
    }

    /// What was run, for which rules.
    pub(super) fn page(&self) -> String {
        let mut text = String::from(
            "# How the fixes were run\n\nMany rules have one fix. The lines on the pages of the rules are parts of small \
             servers, one for each fix and SDK, that have the fault, or the lines that fix it. `.ci/fixes/run` judges both with \
             this program: the rule must be found in the one and not in the other, in which nothing else may be found; the \
             tools of both publish the same input schemas, and no smaller share of their cases is judged. \"Not run\" says \
             that nobody did.\n",
        );
        for fix in rules::fixes() {
            let links: Vec<String> = rules_of(fix).map(|id| format!("[{id}]({id}.md)")).collect();
            let title: String = fix.title[..1].to_uppercase() + &fix.title[1..];
            let _ = write!(text, "\n## {title}\n\nOf {}.\n\n", links.join(", "));
            let with_lines: Vec<&Sdk> = SDKS.iter().filter(|sdk| section_of(sdk, fix).is_some()).collect();
            for sdk in &with_lines {
                let results = self.results.get(sdk.name);
                let proven =
                    results.and_then(|results| results.fixes.get(&fix.name)).filter(|ids| !ids.is_empty());
                let _ = match (results, proven) {
                    (Some(results), Some(ids)) => {
                        writeln!(text, "- {}: run with {}, for {}", sdk.name, results.sdk, ids.join(", "))
                    }
                    _ => writeln!(text, "- {}: not run", sdk.name),
                };
            }
            if with_lines.is_empty() {
                text.push_str("There are no lines that fit every server.\n");
            }
        }
        text
    }
}

/// What the functions stand for that the lines use and do not show.
fn stands_for(lines: &str) -> String {
    const KNOWN: [(&str, &str, &str); 3] = [
        ("refusal(", "`refusal(text)`", "a result with `isError` and this text"),
        ("said(", "`said(text)`", "a result with this text"),
        ("call.text(", "`call.text(name)`", "an argument that is a text"),
    ];
    let is_shown = |call: &str| {
        ["fn ", "func ", "def ", "const "]
            .iter()
            .any(|word| lines.contains(&format!("{word}{}", call.trim_end_matches('('))))
    };
    let output = KNOWN.iter().filter(|(call, ..)| lines.contains(call) && !is_shown(call));
    let output: Vec<String> = output.map(|(_, name, what)| format!("{name} makes {what}")).collect();
    if output.is_empty() {
        String::new()
    } else {
        format!("\n\n{}.", output.join(", ").replace("makes an argument", "is an argument"))
    }
}

/// The lines of a fix in one SDK as a code block, with what they do not show; or whose they are too.
fn section_of(sdk: &Sdk, fix: &Fix) -> Option<String> {
    if let Some(lines) = shown(sdk, fix) {
        return Some(format!("```{}\n{lines}```{}", sdk.fence, stands_for(&lines)));
    }
    let other = SDKS.iter().find(|other| Some(other.name) == sdk.like)?;
    let import = if shown(other, fix)?.contains("ToolError") {
        ", with `from fastmcp.exceptions import ToolError`"
    } else {
        ""
    };
    Some(format!("The lines for {}{import}.", other.name))
}

/// The lines of a fix in one SDK; none if there is no file.
fn shown(sdk: &Sdk, fix: &Fix) -> Option<String> {
    let path = file(sdk, fix);
    if !path.exists() {
        return None;
    }
    let text = read(&path);
    let lines: Vec<&str> = text.lines().collect();
    let at = |mark: &str| lines.iter().position(|line| line.contains(mark));
    let (Some(begin), Some(end)) = (at(MARKS[0]), at(MARKS[1])) else {
        panic!("{}: the lines that are shown are not marked", path.display())
    };
    let last = (begin..end).rev().find(|line| !lines[*line].trim().is_empty()).unwrap_or(begin);
    let shown = &lines[begin + 1..=last];
    let blank = |line: &&&str| line.len() - line.trim_start().len();
    let indent =
        shown.iter().filter(|line| !line.trim().is_empty()).map(|line| blank(&line)).min().unwrap_or(0);
    Some(shown.iter().map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect())
}

#[test]
fn every_rule_has_a_fix_and_every_fix_its_rules() {
    for rule in rules::all() {
        let name = &rule.page().fix;
        assert!(
            rules::fixes().iter().any(|fix| fix.name == *name),
            "{}: no fix `{name}` in fixes.toml",
            rule.id
        );
    }
    for fix in rules::fixes() {
        assert!(rules_of(fix).next().is_some(), "{}: the fix of no rule", fix.name);
        for id in &fix.proven {
            assert!(rules::find(id).is_some(), "{}: there is no rule {id}", fix.name);
        }
        assert_eq!(fix.proven.is_empty(), fix.run.is_empty(), "{}: what is run for it?", fix.name);
    }
}

#[test]
fn no_run_is_claimed_that_fixes_toml_does_not_ask_for() {
    let fixes = Fixes::read();
    for (sdk, results) in &fixes.results {
        for (name, proven) in &results.fixes {
            let fix = rules::fixes().iter().find(|fix| fix.name == *name).expect("there is such a fix");
            let asked = fix.proven_in.get(sdk).unwrap_or(&fix.proven);
            assert!(proven.iter().all(|rule| asked.contains(rule)), "{sdk}: {name}: {proven:?}");
        }
    }
}

#[test]
fn the_heading_that_an_advice_leads_to_is_on_its_page() {
    let pages = super::rules::pages();
    for rule in rules::all() {
        let page = &pages[&format!("rules/{}.md", rule.id)];
        let fix =
            rules::fixes().iter().find(|fix| fix.name == rule.page().fix).expect("every rule has a fix");
        let general = format!("## Fix: {}", fix.title);
        let of_sdks = fix.sdk.iter().filter(|own| !own.heading.is_empty());
        let headings = of_sdks.map(|own| format!("### {}", own.heading)).chain([general]);
        for heading in headings {
            assert!(page.lines().any(|line| line == heading), "{}: {heading}", rule.id);
        }
    }
}
