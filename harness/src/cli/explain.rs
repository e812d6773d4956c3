//! `explain`: one rule, one code of a contract, one case, one requirement or one decision, in full.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mcp_errconf::contract::{Code, CodeClass, Contract};
use mcp_errconf::rules::{self, Example, Rule};
use mcp_errconf::suite::{Case, Suite};

use super::failure::Failure;
use super::suggestion::suggestion;
use super::{case_source, console, list};

mod requirement;

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The id of a rule, a case, a requirement (`BC-04`) or a decision (`A16`), or an error code
    #[arg(value_name = "RULE|CODE|CASE")]
    name: String,
    /// The contract that the code belongs to
    #[arg(long, value_name = "ID|DIR")]
    contract: Option<String>,
    /// A folder of your own cases, used instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
}

/// Explains whatever has this name.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<ExitCode, Failure> {
    let name = arguments.name.as_str();
    let (contract, _) = case_source::contract(arguments.contract.as_deref())?;
    let suite = case_source::suite(arguments.cases.as_ref())?;
    let text = if let Some(rule) = rules::all().iter().find(|rule| rule.id == name) {
        of_rule(rule)
    } else if let Some(code) = contract.code(name.trim_matches(['[', ']'])) {
        of_code(code, &contract, &suite)
    } else if let Some(case) = suite.cases.iter().find(|case| case.id.0 == name) {
        of_case(case, &contract)
    } else {
        let mut contracts = vec![contract];
        contracts.extend(list::built_in_contracts()?);
        match requirement::of_requirement(name, &contracts, &suite) {
            Some(text) => text,
            None => return Err(Failure::Usage(unknown(name, &contracts, &suite))),
        }
    };
    console::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn unknown(name: &str, contracts: &[Contract], suite: &Suite) -> String {
    let contract = &contracts[0];
    let rules = rules::all().iter().map(|rule| rule.id);
    let codes = contract.codes.iter().map(|code| code.name.as_str());
    let cases = suite.cases.iter().map(|case| case.id.0.as_str());
    let near = suggestion(name, rules.chain(codes).chain(cases).chain(requirement::ids(contracts)));
    format!(
        "`{name}` is not a rule, a code of {}, a case, a requirement or a decision{near}; see `mcp-errconf \
         list rules`, `list cases` and `list requirements`",
        contract.id
    )
}

fn of_rule(rule: &Rule) -> String {
    let mut text = format!(
        "{} ({}, {})\n{}\n\n{}\n\nrequirements: {}\n",
        rule.id,
        rule.level,
        list::tier(rule.tier),
        rule.page.summary,
        rule.page.text,
        rule.requirements.join(", "),
    );
    for (title, example) in [("incorrect", &rule.page.bad), ("correct", &rule.page.good)] {
        of_example(&mut text, title, example);
    }
    let place = rules::address(rule).unwrap_or_else(|| format!("{} in the repository", rules::place(rule)));
    let _ = write!(text, "\nfull page, with fixes for several SDKs: {place}\n");
    text
}

fn of_example(text: &mut String, title: &str, example: &Example) {
    let reply = if example.reply.is_empty() { "(no reply)" } else { &example.reply };
    let _ = write!(text, "\n{title}:\n  sent   {}\n  reply  {reply}\n", example.call);
}

fn of_code(code: &Code, contract: &Contract, suite: &Suite) -> String {
    let mut text =
        format!("{} (contract {})\n{}\n{}\n", code.name, contract.id, code.meaning, class(code.class));
    for (condition, answer) in &contract.conditions {
        let expected = answer.expected.as_deref() == Some(code.name.as_str());
        let noted = answer.noted.contains(&code.name);
        if expected || noted || answer.accepted.contains(&code.name) {
            let how = match (expected, noted) {
                (true, _) => "expected",
                (false, true) => "accepted with a note",
                (false, false) => "accepted",
            };
            let _ = write!(text, "\n{how} for the condition {condition} ({})", answer.requirement);
            if let Some(sentence) = contract.requirements.get(&answer.requirement) {
                let _ = write!(text, ": {sentence}");
            }
            for case in suite.cases.iter().filter(|case| case.script.condition.as_ref() == Some(condition)) {
                let _ = write!(text, "\n  case {}: {}", case.id, case.script.title);
            }
        }
    }
    text
}

fn class(class: CodeClass) -> &'static str {
    match class {
        CodeClass::Input => "The caller can fix the call.",
        CodeClass::Io => {
            "Reading, writing or starting something failed: changing the call alone does not \
            fix it."
        }
        CodeClass::Internal => "The server itself is at fault.",
        CodeClass::Transient => "The same call may work later.",
    }
}

fn of_case(case: &Case, contract: &Contract) -> String {
    let script = &case.script;
    let mut text = format!("{}\n{}\n", case.id, script.title);
    match &script.condition {
        Some(condition) => {
            let _ = write!(text, "\nthe call must fail: {condition}");
            let code = contract.answer(condition).and_then(|answer| answer.expected.as_deref());
            if let Some(code) = code {
                let _ = write!(text, ", code {code} under {}", contract.id);
            }
        }
        None => {
            let _ = write!(text, "\nthe call must succeed");
        }
    }
    let _ = write!(text, "\nrole called: {}", script.call.role);
    if let Some(control) = &script.control {
        let _ = write!(text, "; first a control call on {}, which must succeed", control.role);
    }
    for id in &script.requirements {
        let sentence = contract.requirements.get(id).map_or("", String::as_str);
        let _ = write!(text, "\n{id}: {sentence}");
    }
    text
}
