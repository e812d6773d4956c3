//! What stands on Windows in the place of handles of folders, process groups and signals.
//!
//! Each module has the name and the functions of the one that it stands for; whoever uses them does not see which it is.

pub(super) mod beneath;
pub(super) mod crash_cleanup;
pub(super) mod group;
