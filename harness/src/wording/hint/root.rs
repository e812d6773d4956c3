//! The folder that is allowed, named where a path lies outside of it.

use std::sync::LazyLock;

use regex::Regex;

use super::Asked;
use super::view::View;
use crate::expression::expression;
use crate::wording::border::is_torn;

/// Whether the allowed folder is named where a path lies outside of it: the one that the call knows of, or, in words that
/// say so, any that was not sent.
pub(super) fn names_root(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let workspace = asked.workspace;
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
                let after = &view.raw[start + part.len()..];
                !after.starts_with(['/', '-']) && !is_torn("", part, after)
            })
    };
    // Of a path that lies outside, the folder by itself says which one it is outside of.
    let of_a_stray_path = asked.condition == "path-outside-root";
    let is_about = || ABOUT.is_match(&view.echoed);
    of_a_stray_path && known() || is_about() && (known() || OTHER.is_match(&view.echoed))
}
