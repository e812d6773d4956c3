//! The reader's steps if the caller's intended values are known, and how certain they are.

use super::*;

#[test]
fn words_are_sure_where_they_name_the_parameter_and_say_what_would_do() {
    let schema =
        json!({"type": "object", "properties": {"mode": {"type": "string"}, "limit": {"type": "integer"}}});
    let sent = json!({"mode": "x", "limit": 99});
    for (text, basis) in [
        ("'mode' must be one of 'a', 'b'", Basis::Stated),
        ("'mode' must be one of a, b", Basis::Inferred),
        ("'mode' must be one of 'a', 'b' and others, e.g. 'c'", Basis::Inferred),
        ("Unknown value 'x'. Use 'a' or 'b'", Basis::Inferred),
        ("'limit' must be at most 20", Basis::Stated),
        ("'mode' must be an integer", Basis::Inferred),
    ] {
        let found = repaired(&schema, &sent, text).map(|repair| repair.basis);
        assert_eq!(found, Some(basis), "{text}");
    }
}
