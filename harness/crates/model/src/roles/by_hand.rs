//! Roles that the configuration gives to tools: they take precedence over what the harness would find out.
//!
//! The main type is [`ByHand`]. The tools and parameters that it names must exist; a mistake is reported before
//! anything is driven.

use std::collections::BTreeMap;

use crate::catalog::Catalog;

use super::bind::by_hand;
use super::reason::known;
use super::{Binding, Role, bind};

/// The configuration of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByHand {
    /// The tool that plays the role.
    pub tool: String,
    /// The places of the role's parameters that the configuration gives: a name, or a path such as
    /// `edits[].oldText`.
    pub parameters: BTreeMap<String, String>,
}

/// A role that cannot be bound as the configuration says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`[roles.{role}]`: {cause}")]
pub struct HandError {
    role: Role,
    cause: String,
}

/// The tool that plays each role: as configured, or else as [`bind()`] finds it.
///
/// # Errors
/// If a configured tool or parameter does not exist.
pub fn bind_by_hand(catalog: &Catalog, given: &BTreeMap<Role, ByHand>) -> Result<Vec<Binding>, HandError> {
    let mut found = bind(catalog);
    found.retain(|binding| !given.contains_key(&binding.role));
    for (role, by_hand) in given {
        let binding = by_hand.binding(*role, catalog);
        found.push(binding.map_err(|cause| HandError { role: *role, cause })?);
    }
    found.sort_by_key(|binding| Role::PLAYED.iter().position(|role| *role == binding.role));
    Ok(found)
}

impl ByHand {
    fn binding(&self, role: Role, catalog: &Catalog) -> Result<Binding, String> {
        let tool = catalog.tool(&self.tool).ok_or_else(|| {
            let names: Vec<String> = catalog.tools.iter().map(|tool| tool.name.clone()).collect();
            format!("the server has no tool `{}`{}", self.tool, known(&self.tool, &names))
        })?;
        // A place may be given with the argument that contains all others: `params.path` for `path`.
        let within = tool.wrapper().map(|name| format!("{name}."));
        let own = |path: &String| {
            within.as_deref().and_then(|within| path.strip_prefix(within)).unwrap_or(path).to_owned()
        };
        let said = self.parameters.iter().map(|(name, path)| (name.clone(), own(path))).collect();
        by_hand(role, tool, &said)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn catalog() -> Catalog {
        let mut catalog = Catalog::default();
        catalog.add_page(&json!({"tools": [
            {"name": "read_file", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}},
            {"name": "glimpse", "inputSchema": {"$defs": {"Glimpse": {"type": "object", "properties": {"spot": {"type": "string"}}, "required": ["spot"]}}, "type": "object", "properties": {"params": {"$ref": "#/$defs/Glimpse"}}, "required": ["params"]}},
            {"name": "peek", "inputSchema": {"type": "object", "properties": {"spot": {"type": "string"}, "how": {"enum": ["plain"]}}, "required": ["spot", "how"]}},
        ]}));
        catalog
    }

    fn bound(tool: &str, parameters: &[(&str, &str)]) -> Result<Vec<Binding>, HandError> {
        let parameters =
            parameters.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect();
        bind_by_hand(&catalog(), &[(Role::Read, ByHand { tool: tool.to_owned(), parameters })].into())
    }

    #[test]
    fn the_authors_word_wins_and_says_so() {
        let bindings = bound("peek", &[("path", "spot")]).unwrap();
        let read = bindings.iter().find(|binding| binding.role == Role::Read).unwrap();
        assert_eq!((read.tool.as_str(), read.name("path")), ("peek", Some("spot")));
        assert!(read.why.starts_with("the configuration says so"), "{}", read.why);
        assert_eq!(read.fixed.get("how"), Some(&json!("plain")));
        assert_eq!(bindings.iter().filter(|binding| binding.role == Role::Read).count(), 1);
    }

    #[test]
    fn a_place_in_the_argument_in_which_all_stand_is_told_with_it_or_without() {
        for place in ["spot", "params.spot"] {
            let bindings = bound("glimpse", &[("path", place)]).unwrap();
            let read = bindings.iter().find(|binding| binding.role == Role::Read).unwrap();
            assert_eq!((read.name("path"), read.wrapper.as_deref()), (Some("spot"), Some("params")));
            assert!(read.why.contains("its parameters are inside `params`"), "{}", read.why);
        }
    }

    #[test]
    fn a_tool_or_parameter_that_is_not_there_is_told_with_the_nearest() {
        let reported = |tool, parameters| bound(tool, parameters).unwrap_err().to_string();
        assert_eq!(
            reported("read_fil", &[]),
            "`[roles.read]`: the server has no tool `read_fil`: did you mean `read_file`?"
        );
        assert_eq!(
            reported("peek", &[("path", "sopt")]),
            "`[roles.read]`: `peek` has no parameter `sopt`: did you mean `spot`?"
        );
        assert_eq!(
            reported("peek", &[]),
            "`[roles.read]`: it is not known which parameter of `peek` is the role's `path`: set `path = \"...\"`"
        );
    }
}
