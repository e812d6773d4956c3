//! Rules about the code in an error reply.

use super::Rule;

pub(super) mod malformed;
pub(super) mod missing;
pub(super) mod undocumented;
pub(super) mod unstable;
pub(super) mod wrong;

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] =
    &[&missing::RULE, &malformed::RULE, &undocumented::RULE, &wrong::RULE, &unstable::RULE];
