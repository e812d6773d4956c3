//! The name that a mistyped one most likely means, as the end of a message's clause.

use mcp_errconf::document::nearest;

/// ` (did you mean `NAME`?)`, or nothing where none is near.
pub(crate) fn suggestion<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(given, names).map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}
