//! A suggestion for a mistyped name, at the end of a message's clause.

use mcp_errconf::document::nearest;

/// ` (did you mean `NAME`?)`, or nothing if no name is similar.
pub(crate) fn suggestion<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(given, names).map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}
