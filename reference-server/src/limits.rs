//! The bounds that a call has to keep.

use crate::scope::Scope;
use crate::shell::Counted;

/// What the server was told at its start; a defect may hand a call other bounds.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) scope: Scope,
    /// In bytes.
    pub(crate) file_size: u64,
    /// Background tasks at once.
    pub(crate) tasks: usize,
    pub(crate) counted: Counted,
}
