//! The rules that find faults in replies, and the judge that applies them to a recorded run.
//!
//! Use it through `mcp-errconf`, which exports what others may lean on.

use mcp_errconf_model::{
    argument, catalog, cause, class, condition, confinement, contract, document, escape, exchange,
    expectation, expression, finding, json, json_schema, machine, memory, names, placeholder, planned_call,
    roles, sample, secret, stock, suite, transcript, wire, words,
};
use mcp_errconf_reading::{pattern, signature, wording};

pub mod baseline;
pub mod decision;
pub mod judge;
pub mod rules;
pub mod same_call;
pub mod snapshot;
