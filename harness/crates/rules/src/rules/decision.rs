//! This project's decisions on questions that the documents behind the contracts leave open, from
//! `conformance-cases/DECISIONS.md`.
//!
//! The main type is [`Interpretation`]. It knows no rules: a rule names the decisions it is based on in its
//! requirements.

/// One line of the table of decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpretation {
    /// Its id, such as `A16`.
    pub id: &'static str,
    /// The open question.
    pub open: &'static str,
    /// The decision.
    pub decided: &'static str,
}

/// All decisions, in the order of their ids.
pub fn decisions() -> impl Iterator<Item = Interpretation> {
    mcp_errconf_cases::decisions().lines().filter_map(|line| {
        let mut cells = line.strip_prefix('|')?.strip_suffix('|')?.split(" | ").map(str::trim);
        let (id, open, decided) = (cells.next()?, cells.next()?, cells.next()?);
        let number = id.strip_prefix('A')?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(Interpretation { id, open, decided })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_decision() {
        let table = mcp_errconf_cases::decisions().lines().filter(|line| line.starts_with("| A"));
        let ids: Vec<_> = decisions().map(|decision| decision.id).collect();
        assert_eq!(ids.len(), table.count());
        for decision in decisions() {
            assert!(decision.open.ends_with(['?', '.']) && decision.decided.ends_with('.'), "{decision:?}");
        }
    }

    #[test]
    fn every_code_of_a_catalogue_is_what_a_case_expects_or_is_decided_to_have_none() {
        let suite = crate::suite::load_builtin().unwrap();
        let tried: BTreeSet<_> =
            suite.cases.iter().filter_map(|case| case.script.condition.as_ref()).collect();
        let mut untried = BTreeSet::new();
        for contract in crate::contract::builtin() {
            let answers = contract.conditions.iter().filter(|(condition, _)| tried.contains(condition));
            let expected: BTreeSet<_> = answers.filter_map(|(_, answer)| answer.expected.as_ref()).collect();
            let codes = contract.codes.iter().map(|code| &code.name);
            untried.extend(codes.filter(|code| !expected.contains(code)).map(String::as_str));
        }
        let decisions = decisions();
        let decided = decisions.filter(|decision| decision.open.contains("has no case"));
        let decided: BTreeSet<_> = decided
            .flat_map(|decision| {
                decision.decided.split(':').next().unwrap_or_default().split('`').skip(1).step_by(2)
            })
            .collect();
        assert_eq!(untried, decided);
    }
}
