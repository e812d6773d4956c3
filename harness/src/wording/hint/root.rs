//! The folder that is allowed, named where a path lies outside of it.

use std::sync::LazyLock;

use regex::Regex;

use super::view::View;
use crate::expression::expression;

/// Whether the allowed folder is named where a path lies outside of it: the one that the call knows of, or, in words that
/// say so, any that was not sent.
pub(super) fn names_root(view: &View<'_>, workspace: &str) -> bool {
    static ABOUT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)outside|not in|allowed|below|within|under|escapes|root|relative to|nothing else|alone|leaves|resolved",
        )
    });
    static OTHER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)\b(?:outside|not in|below|within|under|leaves)[^.;:\n]{0,40}?[\s'"`(\[](?:(?:/[\w.-]+)+|[A-Z]:\\)|\x1a['"`]? (?:is|lies) outside\b[^.;:\n]{0,30} ['"`(\[]?\x1a"#,
        )
    });
    let known = || {
        !workspace.is_empty()
            && view.raw.match_indices(workspace).any(|(start, part)| {
                let goes_on = |c: char| c == '/' || c.is_alphanumeric() || c == '-' || c == '_';
                !view.raw[start + part.len()..].starts_with(goes_on)
            })
    };
    ABOUT.is_match(&view.echoed) && (known() || OTHER.is_match(&view.echoed))
}
