//! Properties that `cargo fuzz` hunts for counter-examples of, and that `cargo test` tries too.

use mcp_errconf::wire::decode;

/// Any line at all decodes to something, and twice to the same.
///
/// # Panics
/// When the property does not hold.
pub fn any_line_decodes(line: &[u8]) {
    assert_eq!(decode(line), decode(line), "decoding depends on the line alone");
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};

    use super::any_line_decodes;

    proptest! {
        #[test]
        fn any_bytes_decode(line in vec(any::<u8>(), 0..200)) {
            any_line_decodes(&line);
        }

        #[test]
        fn anything_that_looks_like_a_message_decodes(line in r#"\{"(jsonrpc|id|result|error)":[\[\]{}",:0-9a-z\\]{0,40}\}?"#) {
            any_line_decodes(line.as_bytes());
        }
    }
}
