//! Messages that name the allowed folder when a path is outside of it.

use std::sync::LazyLock;

use regex::Regex;

use super::Asked;
use super::view::View;
use crate::expression::expression;
use crate::wording::border::is_torn;

/// Whether the allowed folder is named when a path is outside of it: the one known from the call, or any unsent
/// path in words that say so.
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
    // For a path outside the root, the name of a folder alone says where it should be.
    let of_a_stray_path = asked.condition == "path-outside-root";
    let is_about = || ABOUT.is_match(&view.echoed);
    of_a_stray_path && known() || is_about() && (known() || OTHER.is_match(&view.echoed))
}
