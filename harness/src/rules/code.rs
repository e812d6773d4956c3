//! The code that stands in an error reply.

pub(super) mod malformed;
pub(super) mod missing;
pub(super) mod undocumented;
pub(super) mod unstable;
pub(super) mod wrong;
