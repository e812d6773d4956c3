//! Facts about conditions, from `conditions.toml` beside the cases, parsed on first use.
//!
//! A user's contract or case may have further conditions, which have no traits.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// A trait of conditions that affects how they are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConditionTrait {
    /// The tool's own schema forbids it.
    Schema,
    /// An argument is wrong in itself.
    Argument,
    /// The error is about a file, whatever else is wrong.
    File,
    /// The path may go through a link.
    Link,
    /// Another path causes it too. Not for conditions on an existing path, a link or a denied file, where
    /// another name would be another fault.
    AnyPath,
    /// Another value causes it too.
    AnyValue,
    /// A text to be replaced was not found, or was found in several places.
    SoughtText,
    /// No command was run, or it has no output yet.
    NothingRun,
    /// It is about an MCP request other than a tool call, for which no contract has a code.
    Protocol,
    /// An SDK may answer it before the server's own code sees it.
    BeforeServer,
    /// No change to the call fixes it, whatever the class of its code.
    BeyondCaller,
    /// It is about a thing created for this case alone.
    Made,
    /// It is caused by something other than the call, which may be different next time: a limit, a state, a
    /// service.
    Circumstance,
    /// A valid call runs into it, so reports say what was so at the time.
    Obstacle,
}

/// The facts about one condition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Known {
    says: String,
    #[serde(default)]
    traits: Vec<ConditionTrait>,
    /// The keywords of JSON Schema whose violation this condition is.
    #[serde(default)]
    keywords: Vec<String>,
    next_step: Option<String>,
}

static KNOWN: LazyLock<BTreeMap<String, Known>> =
    LazyLock::new(|| toml::from_str(mcp_errconf_cases::conditions()).expect("a test reads the file"));

/// Whether a condition has a trait.
pub fn has(condition: &str, asked: ConditionTrait) -> bool {
    KNOWN.get(condition).is_some_and(|known| known.traits.contains(&asked))
}

/// What is wrong, in words.
pub fn says(condition: &str) -> Option<&'static str> {
    KNOWN.get(condition).map(|known| known.says.as_str())
}

/// The condition of arguments that violate this keyword of a tool's schema.
pub fn of_keyword(keyword: &str) -> Option<&'static str> {
    let is_it = |known: &Known| known.keywords.iter().any(|own| own == keyword);
    KNOWN.iter().find(|(_, known)| is_it(known)).map(|(name, _)| name.as_str())
}

/// The advice with which a message about this condition may end.
pub fn next_step(condition: &str) -> Option<&'static str> {
    KNOWN.get(condition)?.next_step.as_deref()
}

/// The conditions that have a trait.
pub fn all_with(asked: ConditionTrait) -> impl Iterator<Item = &'static str> {
    KNOWN.iter().filter(move |(_, known)| known.traits.contains(&asked)).map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use regex::Regex;

    use super::*;
    use crate::contract;

    #[test]
    fn every_condition_says_what_is_wrong_and_no_keyword_is_of_two() {
        let mut keywords: Vec<&str> =
            KNOWN.values().flat_map(|known| known.keywords.iter().map(String::as_str)).collect();
        let count = keywords.len();
        keywords.sort_unstable();
        keywords.dedup();
        assert_eq!(keywords.len(), count);
        for (name, known) in &*KNOWN {
            assert!(known.says.chars().next().is_some_and(char::is_lowercase), "{name}");
            let step = known.next_step.as_deref();
            assert!(step.is_none_or(|step| !step.starts_with([' ', ':']) && !step.ends_with('.')), "{name}");
        }
    }

    #[test]
    fn the_built_in_contracts_have_these_conditions_and_no_others() {
        let mut of_contracts: Vec<String> = contract::builtin_ids()
            .flat_map(|id| contract::load_builtin(id).unwrap().unwrap().conditions.into_keys())
            .map(|condition| condition.0)
            .collect();
        of_contracts.sort_unstable();
        of_contracts.dedup();
        let of_tools = KNOWN.keys().filter(|name| !has(name, ConditionTrait::Protocol));
        assert!(of_tools.eq(&of_contracts), "{of_contracts:?}");
    }

    #[test]
    fn every_condition_that_the_code_asks_for_by_name_is_known() {
        let asked =
            Regex::new(r#"condition(?:\(\)|\.0|\.0\.as_str\(\))? (?:==|!=) (?:Some\()?"([a-z-]+)""#).unwrap();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = vec![crates.join("../src"), crates];
        let mut names = Vec::new();
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = std::fs::read_to_string(path).unwrap();
                names.extend(asked.captures_iter(&text).map(|found| found[1].to_owned()));
            }
        }
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(KNOWN.contains_key(&name), "{name}");
        }
    }

    #[test]
    fn of_an_unknown_condition_nothing_is_known() {
        assert!(
            has("path-not-found", ConditionTrait::File) && !has("path-not-found", ConditionTrait::Schema)
        );
        assert!(!has("of-the-user", ConditionTrait::File));
        assert_eq!((of_keyword("minimum"), of_keyword("pattern")), (Some("out-of-range"), None));
        assert_eq!((next_step("out-of-range"), next_step("of-the-user")), (Some("state the limit"), None));
    }
}
