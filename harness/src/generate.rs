//! Calls from a tool's JSON Schema: a plain valid draw, and single labelled mutations of it.
//!
//! The main types are [`Draw`], which makes arguments that a schema allows, [`Mutation`], one change of them,
//! and [`Confirmer`], the validator that decides about both. Everything is deterministic and bounded, whatever
//! a schema says: references out of the document are never opened. This module knows nothing of sessions or
//! verdicts.

use crate::json_schema::confirm;
use crate::names::{self, affinity, rename, returned};
use crate::stock::{contents, tool_files};

mod broken;
mod bytes;
mod catalogue;
mod compiled;
mod draw;
mod edit;
pub mod executable;
mod fence;
mod generator;
mod input;
mod kind;
mod mutation;
mod near;
mod odd;
mod place;
mod pool;
pub mod property;
mod recognised;
mod rng;
mod sampler;
mod sequence;
mod shown;
mod simpler;
mod text;
mod tree;
mod unusual;
mod upon;
mod valid;

pub(crate) use affinity::{
    are_about_the_same, belong_together, deletes, is_an_end, makes, nearness, needed_by, subject, thing_of,
};
pub(crate) use bytes::Bytes;
pub(crate) use catalogue::odd_texts;
pub use catalogue::{Named, Owed, changes_in_words};
pub use confirm::{Confirmer, Ruling};
pub(crate) use contents::named;
pub use draw::Draw;
pub(crate) use fence::{Fence, TextUse};
#[cfg(test)]
pub(crate) use generator::tests::generators;
pub use generator::{Calls, Generator, GeneratorSettings, KnownChanges};
pub use input::{AppliedMutation, Input, Validity};
pub(crate) use kind::{document, document_words, far_values};
pub use mutation::{Mutation, broken_at_once, count_mutations, mutations};
pub(crate) use mutation::{of_role, of_untyped};
pub(crate) use names::{is_path, name_words, plain_name};
pub(crate) use odd::made_up_errors;
pub use pool::Pool;
pub use recognised::recognised;
pub(crate) use rename::{choices_of_names, is_renamed, renamed, renamed_in};
pub(crate) use returned::{entries, items_of, key_of, names_one, returned_for};
pub use rng::Rng;
pub use sequence::{Feed, Sequence, SequenceGenerator};
pub(crate) use shown::{examples, is_harmless, objects, only_values, quoted_in, series};
pub use tool_files::ToolFiles;
pub(crate) use tool_files::asks_for_repository;
pub use tree::Size;
pub(crate) use unusual::unusual;
