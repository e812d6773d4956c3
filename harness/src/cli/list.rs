//! `list`: what there is, as a table for people or as JSON.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mcp_errconf::contract::{self, Contract};
use mcp_errconf::report::escape;
use mcp_errconf::rules::{self, Tier};
use mcp_errconf::suite::Suite;
use serde_json::{Value, json};

use super::fault::Failure;
use super::{case_source, console, unbuilt};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to list
    what: What,
    /// How
    #[arg(long, value_name = "FORM", default_value = "human")]
    format: Format,
    /// Cases of your own, instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Cases,
    Rules,
    Contracts,
    #[value(hide = true)]
    Roles,
    #[value(hide = true)]
    Requirements,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

/// A list in both forms: rows of columns, and the same as objects.
struct Listing {
    rows: Vec<Vec<String>>,
    items: Vec<Value>,
}

/// Writes the list.
pub(crate) fn list(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let listing = match arguments.what {
        What::Cases => cases(&case_source::suite(arguments.cases.as_ref())?),
        What::Rules => all_rules(),
        What::Contracts => contracts(&built_in_contracts()?),
        What::Roles => return Err(Failure::Usage(unbuilt::message("`list roles`"))),
        What::Requirements => return Err(Failure::Usage(unbuilt::message("`list requirements`"))),
    };
    match arguments.format {
        Format::Human => console::print(&table(&listing.rows))?,
        Format::Json => {
            let document = serde_json::to_string_pretty(&listing.items)
                .map_err(|error| Failure::Fault(format!("the list could not be written: {error}")))?;
            console::print_exactly(&format!("{}\n", escape::json(&document)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn cases(suite: &Suite) -> Listing {
    let rows = suite.cases.iter().map(|case| vec![case.id.to_string(), case.script.title.clone()]);
    let items = suite.cases.iter().map(|case| {
        json!({
            "id": case.id,
            "title": case.script.title,
            "condition": case.script.condition,
            "requirements": case.script.requirements,
        })
    });
    Listing { rows: rows.collect(), items: items.collect() }
}

fn all_rules() -> Listing {
    let rows = rules::all().iter().map(|rule| {
        vec![rule.id.to_owned(), rule.level.to_string(), tier(rule.tier).to_owned(), rule.summary.to_owned()]
    });
    let items = rules::all().iter().map(|rule| {
        json!({
            "id": rule.id,
            "level": rule.level,
            "tier": tier(rule.tier),
            "requirements": rule.requirements,
            "summary": rule.summary,
        })
    });
    Listing { rows: rows.collect(), items: items.collect() }
}

fn built_in_contracts() -> Result<Vec<Contract>, Failure> {
    let contracts = contract::BUILTIN.iter().map(|id| case_source::contract(Some(id)));
    contracts.map(|loaded| loaded.map(|(contract, _)| contract)).collect()
}

fn contracts(contracts: &[Contract]) -> Listing {
    let rows = contracts.iter().map(|contract| vec![contract.id.clone(), contract.title.clone()]);
    let items = contracts.iter().map(|contract| {
        let codes: Vec<_> = contract.codes.iter().map(|code| &code.name).collect();
        json!({"id": contract.id, "title": contract.title, "codes": codes})
    });
    Listing { rows: rows.collect(), items: items.collect() }
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

/// Columns, each as wide as its widest cell; the last one runs free.
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
