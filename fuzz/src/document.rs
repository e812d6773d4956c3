//! Files that a user writes: they load, or their mistake is told with its place.

use std::path::Path;

use mcp_errconf::document::LoadError;
use mcp_errconf::{config, contract, suite};

/// A case, a contract and a configuration of any text are loaded, or refused with a place that stands in the text, in words
/// that are not those of a parser.
///
/// # Panics
/// When the property does not hold.
pub fn any_document_is_loaded_or_its_mistake_has_a_place(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let file = "document.toml";
    check(text, suite::load_case(file, "some/case", text).err());
    check(text, contract::parse(file, text).err());
    check(text, config::parse(file, text, Path::new("/nowhere")).err());
}

fn check(text: &str, error: Option<LoadError>) {
    let Some(error) = error else { return };
    let Some((line, column)) = error.position else { return };
    let found = text.split('\n').nth(line.saturating_sub(1));
    let found = found.unwrap_or_else(|| panic!("{error}: there is no line {line}"));
    assert!(column <= found.chars().count() + 1, "{error}: the line has no such column");
    assert!(!error.cause.trim().is_empty(), "a mistake has a cause");
    assert!(!error.cause.contains("struct "), "{error}: these are words of a parser");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds;

    #[test]
    fn every_kept_document_is_loaded_or_its_mistake_has_a_place() {
        seeds::each("load_document", any_document_is_loaded_or_its_mistake_has_a_place);
    }
}
