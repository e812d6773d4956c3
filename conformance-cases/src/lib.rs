//! Contracts and cases of `mcp-errconf`, embedded when this crate is built.
//!
//! Nothing here knows what the files say: they are text, sorted by their ids.

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// Every case: its path below `cases/` without the ending, and its TOML text.
pub fn cases() -> &'static [(&'static str, &'static str)] {
    CASES
}

/// What is decided where the documents behind the contracts leave something open: Markdown, a table of id, question and
/// answer.
pub fn decisions() -> &'static str {
    include_str!("../DECISIONS.md")
}

/// What is known of the conditions under which calls fail, whatever the contract: TOML, a table for each.
pub fn conditions() -> &'static str {
    include_str!("../conditions.toml")
}

/// Every contract: the name of its folder below `contracts/`, and the TOML text of its `contract.toml`.
pub fn contracts() -> &'static [(&'static str, &'static str)] {
    CONTRACTS
}

/// Every JSON Schema beside a contract: its path below `contracts/` without the ending, and its text.
pub fn schemas() -> &'static [(&'static str, &'static str)] {
    SCHEMAS
}
