//! The server's own bounds: if one of its tools lists the folders that it may touch, and the folder beside the
//! workspace is in one of them, then calls to that folder were not out of bounds.
//!
//! The main function is [`within_bounds`]; [`lists_bounds`] recognises the tools to ask.

use std::collections::HashSet;

use crate::contract::Contract;
use crate::exchange::Exchange;
use crate::expectation::Expected;
use crate::placeholder::{self, Folders};

use super::has_succeeded;

/// The condition of calls that lead out of the root.
const OUTSIDE: &str = "path-outside-root";

/// The calls that were meant to lead outside but are within the server's own bounds.
pub(super) fn within_bounds(
    exchanges: &[Exchange],
    folders: &Folders,
    contract: &Contract,
) -> HashSet<usize> {
    let names_folder = |exchange: &&Exchange| {
        exchange.tool().is_some_and(lists_bounds)
            && exchange.outcome.words().iter().any(|text| holds_ancestor(text, &folders.outside))
            && has_succeeded(exchange, contract)
    };
    if folders.outside.is_empty() || !exchanges.iter().any(|exchange| names_folder(&exchange)) {
        return HashSet::new();
    }
    let leads_out = |exchange: &&Exchange| match &exchange.place.expected {
        Expected::Failure(failure) => failure.condition.0 == OUTSIDE,
        Expected::Anything => exchange.call.arguments.to_string().contains(placeholder::OUTSIDE),
        _ => false,
    };
    exchanges.iter().filter(leads_out).map(|exchange| exchange.index).collect()
}

/// Whether a tool lists the folders that the server may touch, judged by its name.
pub fn lists_bounds(tool: &str) -> bool {
    let name = tool.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let has_root = name.split(|letter: char| !letter.is_alphanumeric()).any(|word| word == "roots");
    has_root || has(&["allowed", "permitted", "accessible"]) && has(&["dir", "folder", "path", "root"])
}

/// Whether a text contains, as a path of its own, a parent of this folder.
fn holds_ancestor(text: &str, folder: &str) -> bool {
    let ends = |letter: char| letter.is_whitespace() || "\"'`,;[](){}".contains(letter);
    let holds = |path: &str| {
        let path = path.trim_end_matches('/');
        folder.strip_prefix(path).is_some_and(|below| below.starts_with('/'))
    };
    text.split(ends).filter(|word| word.starts_with('/')).any(holds)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::Outcome;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_folder_that_holds_the_one_beside_the_workspace_is_reported_by_a_tool_for_that() {
        let contract = Fixture::refusal("", &json!({}), Expected::Anything).contract;
        let folders = Folders {
            workspace: "/tmp/a/workspace".into(),
            outside: "/tmp/a/outside".into(),
            canary: "canary".into(),
            ..Folders::default()
        };
        let expected =
            json!({"failure": {"condition": OUTSIDE, "value": null, "hint": null, "valid_values_of": null}});
        let count = |tool: &str, text: &str| {
            let result = Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
            let listing = Exchange::alone(Some(tool), json!({}), result.clone());
            let mut outside = Exchange::alone(Some("view"), json!({"path": "/tmp/a/outside/b"}), result);
            outside.index = 1;
            outside.place.expected = serde_json::from_value(expected.clone()).expect("an expectation");
            within_bounds(&[listing, outside], &folders, &contract).len()
        };
        for (tool, text, expected) in [
            ("list_allowed_directories", "Allowed directories:\n/home/me\n/tmp", 1),
            ("allowed-paths", r#"{"paths": ["/tmp/"]}"#, 1),
            ("list_roots", "/", 1),
            ("list_allowed_directories", "Allowed directories:\n/tmp/a/workspace", 0),
            ("list_allowed_directories", "/tmp/a/out", 0),
            ("list_directory", "/tmp", 0),
            ("list_allowed_directories", "nothing below /tmp.", 0),
        ] {
            assert_eq!(count(tool, text), expected, "{tool}: {text}");
        }
    }
}
