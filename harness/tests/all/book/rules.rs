//! A page for each rule, from the rule itself, what is known of it in public (`evidence.toml`), and its fix.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mcp_errconf::contract;
use mcp_errconf::rules::{self, Example, Rule, Tier, decisions, promise};
use serde::Deserialize;
use serde_json::Value;

use super::{Pages, fixes, read, root};

/// What is known in public of what a rule is about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Evidence {
    /// The rules that it is about.
    rules: Vec<String>,
    /// What goes wrong, in our own words.
    says: String,
    /// Where that is reported: `owner/repository#number` of an issue, a project and a number, or an address.
    #[serde(rename = "where")]
    places: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllEvidence {
    evidence: Vec<Evidence>,
}

fn evidence() -> Vec<Evidence> {
    let all: AllEvidence =
        toml::from_str(&read(&root().join("evidence.toml"))).expect("it is TOML of this form");
    all.evidence
}

pub(super) fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Ungated => "every reply",
        Tier::Gated => "a reply whose control succeeded",
        Tier::Softened => "every reply; a Should where no control succeeded",
        Tier::Run => "a whole run",
    }
}

pub(super) fn pages() -> Pages {
    let evidence = evidence();
    let fixes = fixes::Fixes::read();
    let mut made = Pages::new();
    let mut groups: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in rules::all() {
        made.insert(format!("rules/{}.md", rule.id), page(rule, &evidence, &fixes));
        groups.entry(rule.id.split_once('/').expect("an id has a group").0).or_default().push(rule);
    }
    for (group, members) in groups {
        let list = table(&members, |id| id.trim_start_matches(group).trim_start_matches('/').to_owned());
        made.insert(format!("rules/{group}/index.md"), format!("# {group}\n\n{list}"));
    }
    let all = table(rules::all(), str::to_owned);
    let lead = "A *Must* fails a run, a *Should* fails it with `--strict`, a *Note* never does. `[levels]` in the \
                [configuration](../reference/configuration.md) changes a rule's level. Rules on hints and clarity are quality \
                judgements of this project and of the contracts; they are not part of the MCP specification. [The fixes of \
                all rules](fixes.md) are on their pages.";
    made.insert("rules/index.md".to_owned(), format!("# The rules\n\n{lead}\n\n{all}"));
    made.insert("rules/fixes.md".to_owned(), fixes.page());
    made
}

/// The rules with their level, and when each fires; `link` gives a page's name without its end.
fn table(rules: &[&Rule], link: impl Fn(&str) -> String) -> String {
    let mut text = String::from("| rule | level | fires when |\n|---|---|---|\n");
    for rule in rules {
        let _ = writeln!(
            text,
            "| [{}]({}.md) | {} | {} |",
            rule.id,
            link(rule.id),
            level(rule),
            rule.page().summary
        );
    }
    text
}

fn level(rule: &Rule) -> String {
    let name = rule.page().level.to_string();
    name[..1].to_uppercase() + &name[1..]
}

/// The sentence behind a requirement, and whose it is.
fn required(id: &str) -> (String, String) {
    for contract in contract::builtin() {
        if let Some(sentence) = contract.requirements.get(id) {
            return (format!("[{}](../../contracts/{}.md)", contract.id, contract.id), sentence.clone());
        }
    }
    if let Some(decision) = decisions().find(|decision| decision.id == id) {
        let place = "[a decision of this project](../../../../../conformance-cases/DECISIONS.md)".to_owned();
        return (place, format!("{} {}", decision.open, decision.decided));
    }
    (String::new(), promise(id).unwrap_or_default().to_owned())
}

fn page(rule: &Rule, evidence: &[Evidence], fixes: &fixes::Fixes) -> String {
    let mut text = format!("# {}\n\n**{}.**\n\n", rule.id, capital(&rule.page().summary));
    let _ = writeln!(text, "{}. Judged on: {}.\n", level(rule), tier(rule.page().tier));
    text.push_str(&linked(&rule.page().text, rule.id));
    text.push_str("\n\n## What requires it\n\n");
    for id in &rule.page().requirements {
        let (whose, sentence) = required(id);
        let whose = if whose.is_empty() { String::new() } else { format!(" ({whose})") };
        let _ = writeln!(text, "- {id}{whose}: {}", sentence.replace('\n', " "));
    }
    text.push_str("\n## What is known of it\n\n");
    let known: Vec<&Evidence> =
        evidence.iter().filter(|one| one.rules.iter().any(|id| id == rule.id)).collect();
    for one in &known {
        let _ = writeln!(
            text,
            "- {}: {}",
            one.says,
            one.places.iter().map(|at| place(at)).collect::<Vec<_>>().join(", ")
        );
    }
    if known.is_empty() {
        text.push_str("No public report of this was collected, and nothing was measured.\n");
    }
    example(&mut text, "A bad reply", &rule.page().bad);
    example(&mut text, "A good reply", &rule.page().good);
    text.push_str(&fixes.section(rule.id));
    text
}

fn capital(sentence: &str) -> String {
    sentence.chars().take(1).flat_map(char::to_uppercase).chain(sentence.chars().skip(1)).collect()
}

/// A place as a link: an issue by repository and number, or a page.
fn place(at: &str) -> String {
    match at.split_once('#') {
        Some((repository, number)) if !at.contains(':') => {
            format!("[{repository} {number}](https://github.com/{repository}/issues/{number})")
        }
        _ if at.contains("://") => format!("<{at}>"),
        _ => at.to_owned(),
    }
}

/// A rule's page with links: to other rules where their ids stand, and to what lies beside RULES.md.
fn linked(page: &str, own: &str) -> String {
    let mut text = page.replace("](CLIENTS.md", "](../../../../CLIENTS.md");
    for rule in rules::all().iter().filter(|rule| rule.id != own) {
        text = text.replace(&format!("`{}`", rule.id), &format!("[`{0}`](../{0}.md)", rule.id));
    }
    text
}

fn example(text: &mut String, title: &str, example: &Example) {
    let _ = write!(text, "\n## {title}\n\nThe call:\n\n```json\n{}\n```\n\n", example.call);
    match serde_json::from_str::<Value>(&example.reply) {
        Ok(reply) => {
            let shown = reply.get("result").unwrap_or(&reply);
            let pretty = serde_json::to_string_pretty(shown).expect("it is JSON");
            let _ = write!(text, "The reply:\n\n```json\n{pretty}\n```\n");
        }
        Err(_) if example.reply.is_empty() => text.push_str("There is no reply.\n"),
        Err(_) => {
            let _ = write!(text, "The reply, which is no JSON:\n\n```text\n{}\n```\n", example.reply);
        }
    }
    if example.beside != "{}" {
        let _ = write!(text, "\nWhat else there was:\n\n```json\n{}\n```\n", example.beside);
    }
}
