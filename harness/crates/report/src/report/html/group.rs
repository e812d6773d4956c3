//! The groups of conditions by which the matrix is summarized and findings are filtered, from `groups.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::document::entries;

/// A group of conditions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub(super) name: String,
    /// What its conditions have in common.
    pub(super) says: String,
    conditions: Vec<String>,
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| entries(include_str!("groups.toml")));

/// Every group, in the order in which they are shown.
pub(super) fn all() -> &'static [Group] {
    &GROUPS
}

/// The group of a condition: the last one if none names it.
pub(super) fn of_condition(condition: &str) -> &'static Group {
    let has_it = |group: &&Group| group.conditions.iter().any(|own| own == condition);
    GROUPS.iter().find(has_it).or(GROUPS.last()).expect("there are groups")
}

/// The group of a rule: the first part of its id.
pub(super) fn of_rule(rule: &str) -> &str {
    rule.split('/').next().unwrap_or(rule)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::de::IgnoredAny;

    use super::*;
    use crate::document::Document;

    #[test]
    fn every_condition_of_the_contracts_has_a_group_and_only_one() {
        let mut named: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.conditions.iter().map(String::as_str)).collect();
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), count, "a condition is named twice");
        let known = Document::parse("conditions.toml", mcp_errconf_cases::conditions()).unwrap();
        let known: BTreeMap<String, IgnoredAny> = known.read().unwrap();
        for condition in known.keys() {
            assert!(named.binary_search(&condition.as_str()).is_ok(), "{condition} is in no group");
        }
    }

    #[test]
    fn an_unknown_condition_belongs_to_the_last_group() {
        assert_eq!(of_condition("path-not-found").name, "path");
        assert_eq!(of_condition("no-such-condition").name, "unusual");
        assert_eq!(of_rule("leak/path"), "leak");
    }
}
