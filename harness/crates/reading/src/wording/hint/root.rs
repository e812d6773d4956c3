//! Messages that name the allowed folder when a path is outside of it.

use super::Asked;
use super::view::View;
use crate::pattern;
use crate::wording::border::is_torn;

/// Whether the allowed folder is named when a path is outside of it: the one known from the call, or any unsent
/// path in words that say so.
pub(super) fn names_root(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let workspace = asked.workspace;
    let known = || {
        !workspace.is_empty()
            && view.raw.match_indices(workspace).any(|(start, part)| {
                let after = &view.raw[start + part.len()..];
                !after.starts_with(['/', '-']) && !is_torn("", part, after)
            })
    };
    // For a path outside the root, the name of a folder alone says where it should be.
    let of_a_stray_path = asked.condition == "path-outside-root";
    let is_about = || pattern!("kind/about-root").is_match(&view.echoed);
    of_a_stray_path && known()
        || is_about() && (known() || pattern!("kind/other-root").is_match(&view.echoed))
}
