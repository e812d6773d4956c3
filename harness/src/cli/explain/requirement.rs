//! `explain` for a requirement of a contract, a decision of this project, and a sentence of a specification.

use std::fmt::Write as _;

use mcp_errconf::contract::Contract;
use mcp_errconf::rules::{self, Rule, Tier};
use mcp_errconf::suite::Suite;

/// The text of a requirement, which cases show it broken, and which rules are based on it; `None` if there is
/// no such id.
pub(super) fn of_requirement(id: &str, contracts: &[Contract], suite: &Suite) -> Option<String> {
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

/// Every id that can be explained here.
pub(super) fn ids(contracts: &[Contract]) -> Vec<&str> {
    let promised = contracts.iter().flat_map(|contract| contract.requirements.keys().map(String::as_str));
    promised.chain(rules::decisions().map(|decision| decision.id)).collect()
}

/// Whether a rule names the id in its requirements, or on its page.
fn goes_by(rule: &Rule, id: &str) -> bool {
    let mut words = rule.page().text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    rule.rests_on(id) || words.any(|word| word == id)
}
