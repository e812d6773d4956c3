//! Schemas of any server: what is drawn from them is bounded, and the same each time.

use mcp_errconf::generate::{Confirmer, Draw, Ruling, ToolFiles, count_mutations, mutations};
use serde_json::Value;

/// The most bytes of JSON in a draw for each byte of its schema; a constant amount is allowed besides.
const GROWTH: usize = 200;

/// From any schema arguments are drawn twice alike and within bounds; its changes are as many as are counted, each has a
/// label, and the validator says the same of each when it is asked again.
///
/// # Panics
/// When the property does not hold.
pub fn any_schema_is_drawn_from_within_bounds(bytes: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(bytes) else { return };
    let tool_files = ToolFiles::at("/workspace/case");
    let confirmer = Confirmer::new(&schema);
    for turn in 0..3 {
        let draw = || Draw::new(&schema, &tool_files, turn).arguments().map(Value::Object);
        let Some(drawn) = draw() else { continue };
        assert_eq!(Some(&drawn), draw().as_ref(), "the same draw twice");
        let size = drawn.to_string().len();
        assert!(
            size <= 1_000 + GROWTH * bytes.len() + 20 * 4_096,
            "{size} bytes of {} are drawn",
            bytes.len()
        );
        assert_eq!(confirmer.ruling(&drawn), Confirmer::new(&schema).ruling(&drawn));
    }
    let found = mutations(&schema, &tool_files);
    assert_eq!(found.len(), count_mutations(&schema, &tool_files));
    let base = Draw::new(&schema, &tool_files, 0).arguments().map(Value::Object).unwrap_or_default();
    for mutation in found.iter().take(40) {
        assert!(!mutation.label.is_empty());
        let changed = mutation.apply(&base);
        let rulings = [Ruling::Allows, Ruling::Forbids, Ruling::Silent];
        assert!(rulings.contains(&confirmer.ruling(&changed)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds;

    #[test]
    fn every_kept_schema_is_drawn_from_within_bounds() {
        seeds::each("make_calls", any_schema_is_drawn_from_within_bounds);
    }
}
