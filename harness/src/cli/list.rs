//! `list`: lists cases, rules and the like, as a table for people or as JSON.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::roles::Role;
use mcp_errconf::rules::{self, Rule, Statement, Tier};
use mcp_errconf::suite::{Case, Suite};
use serde_json::{Value, json};

use super::failure::Failure;
use super::{case_source, console, json};

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// What to list
    topic: ListTopic,
    /// Requirements of this revision of MCP instead of those of the contracts
    #[arg(long, value_name = "REVISION", value_parser = [rules::REVISION])]
    spec: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// A folder of your own cases, used instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListTopic {
    Cases,
    Rules,
    Contracts,
    Roles,
    Requirements,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

/// An entry of a list in both formats: rows of columns, and the same as an object.
struct Entry {
    rows: Vec<Vec<String>>,
    item: Value,
}

impl Entry {
    fn new(row: Vec<String>, item: Value) -> Self {
        Self { rows: vec![row], item }
    }
}

/// Writes the list.
pub(crate) fn list(arguments: &ListArguments) -> Result<(), Failure> {
    let is_of_revision = arguments.spec.is_some();
    if is_of_revision && !matches!(arguments.topic, ListTopic::Requirements) {
        let message = "--spec goes with `list requirements` alone".to_owned();
        return Err(Failure::Usage(message));
    }
    let entries: Vec<Entry> = match arguments.topic {
        ListTopic::Cases => cases(&case_source::suite(arguments.cases.as_ref())?),
        ListTopic::Rules => all_rules(),
        ListTopic::Contracts => contracts(&built_in_contracts()?),
        ListTopic::Roles => roles(),
        ListTopic::Requirements if is_of_revision => statements(),
        ListTopic::Requirements => {
            requirements(&built_in_contracts()?, &case_source::suite(arguments.cases.as_ref())?)
        }
    };
    match arguments.format {
        Format::Human => {
            let rows: Vec<Vec<String>> = entries.into_iter().flat_map(|entry| entry.rows).collect();
            console::print(&table(&rows))
        }
        Format::Json => {
            let items: Vec<Value> = entries.into_iter().map(|entry| entry.item).collect();
            console::print_exactly(&json::document(&items)?)
        }
    }
}

fn cases(suite: &Suite) -> Vec<Entry> {
    let entry = |case: &Case| {
        let script = &case.script;
        let item = json!({
            "id": case.id,
            "title": script.title,
            "condition": script.condition,
            "requirements": script.requirements,
        });
        Entry::new(vec![case.id.to_string(), script.title.clone()], item)
    };
    suite.cases.iter().map(entry).collect()
}

fn all_rules() -> Vec<Entry> {
    let entry = |rule: &&Rule| {
        let (level, tier) = (rule.page().level.to_string(), tier(rule.page().tier));
        let item = json!({
            "id": rule.id,
            "level": rule.page().level,
            "tier": tier,
            "requirements": rule.page().requirements,
            "summary": rule.page().summary,
        });
        Entry::new(vec![rule.id.to_owned(), level, tier.to_owned(), rule.page().summary.clone()], item)
    };
    rules::all().iter().map(entry).collect()
}

pub(crate) fn built_in_contracts() -> Result<Vec<Contract>, Failure> {
    let contracts = contract::builtin_ids().map(|id| case_source::contract(Some(id)));
    contracts.map(|loaded| loaded.map(|(contract, _)| contract)).collect()
}

fn contracts(contracts: &[Contract]) -> Vec<Entry> {
    let entry = |contract: &Contract| {
        let codes: Vec<_> = contract.codes.iter().map(|code| &code.name).collect();
        let item = json!({"id": contract.id, "title": contract.title, "codes": codes});
        Entry::new(vec![contract.id.clone(), contract.title.clone()], item)
    };
    contracts.iter().map(entry).collect()
}

fn roles() -> Vec<Entry> {
    let entry = |role: Role| {
        let (required, meaning) = (role.required(), role.meaning());
        let optional = &role.parameters()[required.len()..];
        let others: Vec<_> = optional.iter().map(|name| format!("[{name}]")).collect();
        let parameters = [required.join(" "), others.join(" ")].join(" ");
        let item = json!({"id": role, "required": required, "optional": optional, "meaning": meaning});
        Entry::new(vec![role.to_string(), parameters.trim_end().to_owned(), meaning.to_owned()], item)
    };
    Role::PLAYED.into_iter().map(entry).collect()
}

/// Requirements that cannot be tested from outside, and how the reference server meets each.
const HELD_ELSEWHERE: [(&str, &str); 2] = [
    (
        "BC-23",
        "the bundled server's typed catalogue of codes: a test checks that an error without a code \
        does not compile",
    ),
    ("PD-11", "the bundled server's log: a test checks that each error is one line on standard error"),
];

/// The requirements of every built-in contract with codes, each once, with what shows them broken.
fn requirements(contracts: &[Contract], suite: &Suite) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut listed = BTreeSet::new();
    // A contract without codes, such as `plain`, requires only what the rules on messages check anyway.
    let of_all = contracts
        .iter()
        .filter(|contract| !contract.codes.is_empty())
        .flat_map(|contract| contract.requirements.iter().map(move |entry| (contract, entry)));
    for (contract, (id, sentence)) in of_all {
        if !listed.insert(id) {
            continue;
        }
        let rules: Vec<_> = rules::all().iter().filter(|rule| rule.rests_on(id)).collect();
        // A requirement on every error reply shows in every case with an error.
        let everywhere = rules.iter().any(|rule| matches!(rule.page().tier, Tier::Ungated | Tier::Softened));
        let cases: Vec<_> = suite
            .cases
            .iter()
            .filter(|case| {
                let condition = case.script.condition.as_ref();
                let is_its_own = condition.and_then(|condition| contract.answer(condition));
                case.script.requirements.contains(id)
                    || is_its_own.is_some_and(|answer| answer.requirement == *id)
                    || everywhere && condition.is_some()
            })
            .map(|case| case.id.to_string())
            .collect();
        let rules: Vec<_> = rules.iter().map(|rule| rule.id).collect();
        let held = HELD_ELSEWHERE.iter().find(|(held, _)| id == held).map(|(_, by)| *by);
        let shown = match held {
            Some(held) => format!("ensured by {held}"),
            None if everywhere => format!("every error reply; {}", rules.join(", ")),
            None => format!("{}; {}", cases.join(", "), rules.join(", ")),
        };
        entries.push(Entry {
            rows: vec![vec![id.clone(), sentence.clone()], vec![String::new(), shown]],
            item: json!({"id": id, "sentence": sentence, "cases": cases, "rules": rules, "held_by": held}),
        });
    }
    entries
}

/// What a revision of MCP says about errors, each statement with what shows it broken and what is not checked.
fn statements() -> Vec<Entry> {
    let entry = |statement: &Statement| {
        let checks = [statement.cases.join(", "), statement.rules.join(", ")];
        let checks: Vec<String> = checks.into_iter().filter(|part| !part.is_empty()).collect();
        let unchecked = statement.unchecked.iter().map(|what| format!("not checked: {what}"));
        let below = [checks.join("; ")].into_iter().filter(|part| !part.is_empty()).chain(unchecked);
        let mut rows = vec![vec![statement.id.clone(), statement.level.clone(), statement.says.clone()]];
        rows.extend(below.map(|line| vec![String::new(), String::new(), line]));
        let item = json!({
            "id": statement.id,
            "revision": rules::REVISION,
            "level": statement.level,
            "page": statement.page,
            "sentence": statement.says,
            "cases": statement.cases,
            "rules": statement.rules,
            "not_checked": statement.unchecked,
        });
        Entry { rows, item }
    };
    rules::statements().iter().map(entry).collect()
}

/// The word for a tier.
pub(crate) fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Ungated => "ungated",
        Tier::Gated => "gated",
        Tier::Softened => "softened",
        Tier::Run => "run",
    }
}

/// A table with each column as wide as its widest cell; the last one is not padded.
fn table(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max();
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| match column + 1 == row.len() {
            true => cell.clone(),
            false => format!("{cell:<width$}  ", width = width(column).unwrap_or(0)),
        });
        cells.collect::<String>()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
