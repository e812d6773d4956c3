//! Inputs that bring about the same reply: the smallest is kept.
//!
//! The main functions are [`smaller`] and [`minimise`].

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::campaign::StoredInput;

use super::put;

/// What identifies an input: its tool, and the reply that it brings about, or its arguments where that is not known.
pub(super) type InputId = (String, String);

pub(super) fn id(stored: &StoredInput) -> InputId {
    let brings = stored.brings.clone().unwrap_or_else(|| format!("unknown {}", stored.input.arguments));
    (stored.tool.clone(), brings)
}

/// The smaller of two inputs.
pub(super) fn smaller(one: StoredInput, other: StoredInput) -> StoredInput {
    let rank = |stored: &StoredInput| {
        let arguments = &stored.input.arguments;
        (arguments.len(), arguments.clone(), serde_json::to_string(stored).unwrap_or_default())
    };
    if rank(&one) <= rank(&other) { one } else { other }
}

/// How many inputs a corpus had, and how many it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minimised {
    /// Before.
    pub of: usize,
    /// After.
    pub kept: usize,
}

/// Deletes each input of a corpus for which a smaller one brings about the same reply.
///
/// # Errors
/// If the folder cannot be read, or a file not deleted.
pub fn minimise(folder: &Path) -> io::Result<Minimised> {
    let mut all: Vec<(PathBuf, StoredInput)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if let Ok(stored) = serde_json::from_str(&text) {
            all.push((path, stored));
        }
    }
    let mut least: BTreeMap<InputId, StoredInput> = BTreeMap::new();
    put(&mut least, all.iter().map(|(_, stored)| (id(stored), stored.clone())), smaller);
    let mut kept = 0;
    for (path, stored) in &all {
        match least.get(&id(stored)) {
            // Two files never hold the same input: its hash is the name.
            Some(least) if least == stored => kept += 1,
            _ => std::fs::remove_file(path)?,
        }
    }
    Ok(Minimised { of: all.len(), kept })
}
