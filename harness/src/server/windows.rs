//! The Windows counterparts of folder handles, process groups and signals.
//!
//! Each module has the name and the functions of its Unix counterpart, so that callers need not tell them
//! apart.

pub(super) mod beneath;
pub(super) mod crash_cleanup;
pub(super) mod group;
