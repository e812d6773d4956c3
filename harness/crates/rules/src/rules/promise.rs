//! The text of requirements that belong to no contract: decisions of this project, and sentences of
//! specifications.
//!
//! The sentences of MCP and JSON-RPC are paraphrased, with the page on which they stand; the decisions are
//! those of `conformance-cases/DECISIONS.md`. The main type is [`Statement`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::document::entries;

/// The revision of MCP whose statements on errors are listed one by one.
pub const REVISION: &str = "2026-07-28";

/// What a revision of MCP says about errors, and how it is checked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The id of the requirement.
    pub id: String,
    /// `must` or `should`, as the specification has it.
    pub level: String,
    /// The page of the specification.
    pub page: String,
    /// The statement, as one sentence.
    pub says: String,
    /// The rules that find a breach.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The cases that bring one about; without any the rules look at every reply.
    #[serde(default)]
    pub cases: Vec<String>,
    /// What is not checked, and why.
    pub unchecked: Option<String>,
}

/// What [`REVISION`] says about errors, in the order of its pages.
pub fn statements() -> &'static [Statement] {
    static STATEMENTS: LazyLock<Vec<Statement>> =
        LazyLock::new(|| entries(include_str!("mcp_2026_07_28.toml")));
    &STATEMENTS
}

/// The text of a requirement that is not a contract's; `None` if the id is unknown or belongs to a contract.
pub fn promise(id: &str) -> Option<&'static str> {
    let of_revision = || statements().iter().find(|statement| statement.id == id);
    PROMISES.get(id).or_else(|| of_revision().map(|statement| &statement.says)).map(String::as_str)
}

/// The text of each requirement that belongs to no contract and is no statement of [`REVISION`], by its id.
static PROMISES: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| toml::from_str(include_str!("promises.toml")).expect("a test reads every requirement"));

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rules;

    /// Whether an id has the form that contracts use, such as `BC-05`.
    fn is_contracts(id: &str) -> bool {
        ["BC-", "EE-", "TE-", "PD-", "PL-"].iter().any(|contract| id.starts_with(contract))
    }

    #[test]
    fn every_requirement_of_a_rule_that_is_no_contracts_has_its_sentence() {
        for rule in rules::all() {
            for requirement in rule.page().requirements.iter().filter(|id| !is_contracts(id)) {
                assert!(promise(requirement).is_some(), "{requirement} of {}", rule.id);
            }
        }
    }

    #[test]
    fn every_sentence_is_whole_and_some_rule_names_its_requirement() {
        for (id, sentence) in &*PROMISES {
            let named = rules::all().iter().any(|rule| rule.rests_on(id));
            assert!(named, "no rule names {id}");
            assert!(sentence.len() > 40 && sentence.ends_with('.'), "{id}: {sentence}");
        }
    }

    #[test]
    fn every_statement_of_the_revision_is_checked_or_says_why_not() {
        for statement in statements() {
            let Statement { id, level, says, rules: checks, unchecked, .. } = statement;
            assert!(id.starts_with("MCP 2026-07-28") && says.ends_with('.'), "{id}: {says}");
            assert!(["must", "should"].contains(&level.as_str()), "{id}: {level}");
            assert!(!checks.is_empty() || unchecked.is_some(), "{id}");
            for rule in checks {
                assert!(rules::find(rule).is_some(), "{id} names the rule {rule}");
            }
        }
    }

    #[test]
    fn a_contracts_own_requirement_is_none_of_these() {
        assert_eq!(promise("BC-05"), None);
    }
}
