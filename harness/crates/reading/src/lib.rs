//! What the words of an error message say.
//!
//! Use it through `mcp-errconf`, which exports what others may lean on.

#[cfg(test)]
use mcp_errconf_model::sample;
use mcp_errconf_model::{
    catalog, condition, contract, document, exchange, expectation, expression, json, json_schema, names,
    placeholder, words,
};

pub mod pattern;
pub mod signature;
pub mod wording;
