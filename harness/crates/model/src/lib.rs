//! What is expected of a server, sent to it and recorded of it: the types that every other crate of the harness shares.
//!
//! Use it through `mcp-errconf`, which exports what others may lean on.

pub mod argument;
pub mod catalog;
pub mod cause;
pub mod class;
pub mod condition;
pub mod confinement;
pub mod contract;
pub mod document;
pub mod escape;
pub mod exchange;
pub mod expectation;
pub mod expression;
pub mod finding;
pub mod json;
pub mod json_schema;
pub mod lexicon;
pub mod machine;
pub mod memory;
pub mod names;
pub mod placeholder;
pub mod planned_call;
pub mod roles;
pub mod sample;
pub mod secret;
pub mod stock;
pub mod suite;
pub mod transcript;
pub mod wire;
