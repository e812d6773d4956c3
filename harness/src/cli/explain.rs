//! `explain`: one rule, one code of a contract, one case, one requirement or one decision, in full.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mcp_errconf::contract::{Code, CodeClass, Contract};
use mcp_errconf::rules::{self, Example, Rule, Tier};
use mcp_errconf::suite::{Case, Suite};

use lines::Sdk;

use super::failure::{Failure, suggestion};
use super::{case_source, console, list};

mod lines;
mod probe;

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// What a report or a baseline names: a rule (`leak/panic`, or `panic`), a case or probe, a condition (`ended`), an error
    /// code, a contract, a requirement (`BC-04`) or a decision (`A16`)
    #[arg(value_name = "RULE|CODE|CASE")]
    name: String,
    /// The contract that the code belongs to
    #[arg(long, value_name = "ID|DIR")]
    contract: Option<String>,
    /// A folder of your own cases, used instead of the built-in ones
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// The SDK whose lines are shown for a fix [default: that of the server in the working folder]
    #[arg(long, value_name = "NAME")]
    sdk: Option<Sdk>,
}

/// Explains whatever has this name.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<(), Failure> {
    let (contract, _) = case_source::contract(arguments.contract.as_deref())?;
    let suite = case_source::suite(arguments.cases.as_ref())?;
    console::print(&explained(&arguments.name, contract, &suite, arguments.sdk)?)
}

fn explained(name: &str, contract: Contract, suite: &Suite, sdk: Option<Sdk>) -> Result<String, Failure> {
    if let Some(rules) = rules_of(name) {
        let sdk = sdk.or_else(|| Sdk::of_folder(Path::new(".")));
        return Ok(rules.into_iter().map(|rule| of_rule(rule, sdk)).collect::<Vec<_>>().join("\n\n"));
    }
    if let Some(code) = contract.code(name.trim_matches(['[', ']'])) {
        return Ok(of_code(code, &contract, suite));
    }
    if let Some(case) = suite.cases.iter().find(|case| case.id.0 == name) {
        return Ok(of_case(case, &contract));
    }
    let mut contracts = vec![contract];
    contracts.extend(list::built_in_contracts()?);
    of_requirement(name, &contracts, suite)
        .or_else(|| contracts.iter().find(|contract| contract.id == name).map(of_contract))
        .or_else(|| probe::of_probe(name))
        .or_else(|| probe::of_condition(name))
        .ok_or_else(|| Failure::Usage(unknown(name, &contracts, suite)))
}

/// The rule with this id, or the rules whose fault has this name. A report may show a level before it: `must[leak/panic]`.
fn rules_of(name: &str) -> Option<Vec<&'static Rule>> {
    let name = name.split_once('[').map_or(name, |(_, id)| id).trim_end_matches(']');
    let is_meant = |rule: &&&Rule| rule.id == name || rule.id.rsplit('/').next() == Some(name);
    let rules: Vec<&Rule> = rules::all().iter().filter(is_meant).copied().collect();
    (!rules.is_empty()).then_some(rules)
}

/// A contract: its form, its codes, and what each requirement says.
fn of_contract(contract: &Contract) -> String {
    let mut text = format!("{} (a contract)\n{}\n", contract.id, contract.title);
    if contract.codes.is_empty() {
        text.push_str("\nIt has no error codes.\n");
    }
    for code in &contract.codes {
        let _ = write!(text, "\ncode {}: {}", code.name, code.meaning);
    }
    text.push('\n');
    for (id, sentence) in &contract.requirements {
        let _ = write!(text, "\n{id}: {sentence}");
    }
    let _ = write!(
        text,
        "\n\n`--contract {0}`, or `contract = \"{0}\"` in the configuration, judges by it.",
        contract.id
    );
    text
}

fn unknown(name: &str, contracts: &[Contract], suite: &Suite) -> String {
    let contract = &contracts[0];
    let rules = rules::all().iter().map(|rule| rule.id);
    let codes = contract.codes.iter().map(|code| code.name.as_str());
    let cases = suite.cases.iter().map(|case| case.id.0.as_str());
    let near = suggestion(name, rules.chain(codes).chain(cases).chain(requirement_ids(contracts)));
    format!(
        "`{name}` is not a rule, a code of {}, a case, a contract, a requirement or a decision{near}; see `mcp-errconf \
         list rules`, `list cases` and `list requirements`",
        contract.id
    )
}

fn of_rule(rule: &Rule, sdk: Option<Sdk>) -> String {
    let mut text = format!(
        "{} ({}, {})\n{}\n\n{}\n\nrequirements: {}\n",
        rule.id,
        rule.page().level,
        list::tier(rule.page().tier),
        rule.page().summary,
        rule.page().text,
        rule.page().requirements.join(", "),
    );
    for (title, example) in [("incorrect", &rule.page().bad), ("correct", &rule.page().good)] {
        of_example(&mut text, title, example);
    }
    of_fix(&mut text, rule, sdk);
    if let Some(page) = rules::address(rule) {
        let _ = write!(text, "\nfull page, with the lines for each SDK: {page}\n");
    }
    text
}

/// How faults of this rule are fixed, in general, in each SDK of which something is known, and in lines for this one.
fn of_fix(text: &mut String, rule: &Rule, sdk: Option<Sdk>) {
    let Some(fix) = rules::fixes().iter().find(|fix| fix.name == rule.page().fix) else { return };
    let _ = write!(text, "\nfix: {}\n{}\n", fix.title, fix.says);
    for advice in fix.sdk.iter().filter(|advice| !advice.untested && !advice.says.is_empty()) {
        let _ = writeln!(text, "  {}: {}", advice.name, advice.says);
    }
    let lines = sdk.and_then(|sdk| Some((sdk, lines::lines(&fix.name, sdk)?)));
    let _ = match (lines, sdk, fix.proven.is_empty()) {
        (Some((sdk, lines)), ..) => write!(text, "\nin lines, for {}:\n{lines}", sdk.heading()),
        (None, None, false) => {
            writeln!(text, "\n`--sdk fastmcp`, `python`, `typescript` or `go` shows the lines for that SDK.")
        }
        (None, ..) => Ok(()),
    };
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

/// The text of a requirement, which cases show it broken, and which rules are based on it; `None` if there is
/// no such id.
fn of_requirement(id: &str, contracts: &[Contract], suite: &Suite) -> Option<String> {
    let by_contract = contracts.iter().find_map(|contract| {
        let sentence = contract.requirements.get(id)?;
        Some(format!("{id} (a requirement of {})\n{sentence}\n", contract.id))
    });
    let by_decision = || {
        let decision = rules::decisions().find(|decision| decision.id == id)?;
        Some(format!("{id} (a decision of this project)\n{}\n{}\n", decision.open, decision.decided))
    };
    let by_promise = || Some(format!("{id}\n{}\n", rules::promise(id)?));
    let mut text = by_contract.or_else(by_decision).or_else(by_promise)?;
    let rules: Vec<&Rule> = rules::all().iter().copied().filter(|rule| goes_by(rule, id)).collect();
    for rule in &rules {
        let _ = write!(text, "\nrule {}: {}", rule.id, rule.page().summary);
    }
    if rules.is_empty() {
        text.push_str("\nNo rule cites this id.");
    }
    let covers = |requirements: &[String]| requirements.iter().any(|other| other == id);
    let cases: Vec<_> = suite.cases.iter().filter(|case| covers(&case.script.requirements)).collect();
    for case in &cases {
        let _ = write!(text, "\ncase {}: {}", case.id, case.script.title);
    }
    // A requirement on every error reply shows in every case with an error.
    if rules.iter().any(|rule| matches!(rule.page().tier, Tier::Ungated | Tier::Softened)) {
        text.push_str("\nevery error reply is judged by it, whatever the case");
    } else if cases.is_empty() && !rules.is_empty() {
        text.push_str(
            "\nno case is dedicated to it: every case whose call must fail, and whose control call succeeds, \
             is judged by it",
        );
    }
    Some(text)
}

/// The ids of requirements and decisions.
fn requirement_ids(contracts: &[Contract]) -> Vec<&str> {
    let promised = contracts.iter().flat_map(|contract| contract.requirements.keys().map(String::as_str));
    promised.chain(rules::decisions().map(|decision| decision.id)).collect()
}

/// Whether a rule names the id in its requirements, or on its page.
fn goes_by(rule: &Rule, id: &str) -> bool {
    let mut words = rule.page().text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    rule.rests_on(id) || words.any(|word| word == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_and_case_is_explained() {
        let suite = mcp_errconf::suite::load_builtin().expect("the built-in cases are well-formed");
        let contract = &mcp_errconf::contract::builtin()[0];
        let rules = rules::all().iter().map(|rule| rule.id);
        for name in rules.chain(suite.cases.iter().map(|case| case.id.0.as_str())) {
            let text = explained(name, contract.clone(), &suite, None);
            assert!(text.is_ok_and(|text| text.starts_with(name)), "{name}");
        }
    }
}
