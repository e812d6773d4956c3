//! The reports of a run: events in, text out.
//!
//! Use it through `mcp-errconf`, which exports what others may lean on.

use mcp_errconf_model::{
    condition, confinement, contract, document, escape, exchange, expectation, finding, placeholder, roles,
    transcript,
};
use mcp_errconf_reading::{signature, wording};
use mcp_errconf_rules::{baseline, judge, rules, snapshot};

pub mod comparison;
pub mod conclusion;
pub mod event;
pub mod report;
