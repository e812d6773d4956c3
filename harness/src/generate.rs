//! Calls from a tool's JSON Schema: a plain valid draw, and single labelled mutations of it.
//!
//! The main types are [`Draw`], which makes arguments that a schema allows, [`Mutation`], one change of them, and
//! [`Confirmer`], the validator that has the last word on both. Everything is deterministic and bounded, whatever a
//! schema says: a reference out of the document is never opened. This module knows nothing of sessions or verdicts.

mod confirm;
mod draw;
mod mutation;
mod schema;
mod text;

pub use confirm::{Confirmer, Ruling};
pub use draw::{Draw, Grounds};
pub use mutation::{Mutation, MutationKind, broken_at_once, count_mutations, mutations};
pub(crate) use schema::{flattened, types};
