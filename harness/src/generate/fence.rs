//! Which texts may be sent: no path out of the harness's folders, no address of another machine, and to a tool
//! that writes no path so deep that later walks through it become slow.
//!
//! The main type is [`Fence`]. It only reads texts; the compiled schema says which parameters take paths.

use serde_json::Value;

/// A path with more folders than this would make a tree that takes milliseconds to walk through, each time.
const DEEPEST: usize = 64;

/// The harness's folder for a tool, and whether relative paths lead into it.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    folder: String,
    takes_relative: bool,
    takes_deep: bool,
}

/// How a tool uses a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextUse {
    /// As a path of the file system.
    Path,
    /// As anything else, as far as one can tell.
    Text,
}

/// Whether relative paths may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelativePaths {
    Allowed,
    Forbidden,
}

impl Fence {
    pub(crate) fn around(folder: &str, roaming: RelativePaths) -> Self {
        Self {
            folder: folder.trim_end_matches('/').to_owned(),
            takes_relative: roaming == RelativePaths::Allowed,
            takes_deep: true,
        }
    }

    /// The fence for a tool that may create the folders on the way to a path.
    #[must_use]
    pub(crate) fn of_a_writer(self) -> Self {
        Self { takes_deep: false, ..self }
    }

    /// The folder's absolute path.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// Whether this text may be sent.
    pub(crate) fn allows(&self, text: &str, reading: TextUse) -> bool {
        // A server that trims the text, or reads it up to a NUL, must not be led elsewhere either.
        let bare = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter.is_control());
        if !bare.contains('/') && !bare.contains("..") && reading == TextUse::Text {
            return true;
        }
        if !self.takes_deep && is_deep(bare) {
            return false;
        }
        if let Some((scheme, rest)) = bare.split_once("://") {
            return scheme != "file" && leads_nowhere(rest);
        }
        if bare.starts_with('/') {
            // With a space before it, it is a relative path for a server that does not trim.
            let is_absolute = text.starts_with('/') || reading == TextUse::Text || self.takes_relative;
            return is_absolute && self.holds(bare);
        }
        let climbs = bare.split(['/', '\\']).any(|segment| segment.trim().starts_with(".."));
        match reading {
            TextUse::Path => self.takes_relative && !climbs && !bare.starts_with('~'),
            TextUse::Text => !climbs,
        }
    }

    /// Whether an absolute path stays in the folder, with its dots resolved as text.
    fn holds(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(self.folder.as_str()) else { return false };
        if !rest.is_empty() && !rest.starts_with('/') {
            return false;
        }
        let mut depth = 0_i32;
        for segment in rest.split(['/', '\\']) {
            match segment.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control()) {
                "" | "." => {}
                segment if segment.starts_with("..") => depth -= 1,
                _ => depth += 1,
            }
            if depth < 0 {
                return false;
            }
        }
        true
    }
}

/// Whether a path leads through too many folders.
fn is_deep(path: &str) -> bool {
    path.split('/').filter(|segment| !matches!(*segment, "" | ".")).nth(DEEPEST).is_some()
}

/// Whether the part of an address after `://` names this machine, or no host.
fn leads_nowhere(rest: &str) -> bool {
    let place = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let place = place.rsplit('@').next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    host.is_empty()
        || ["127.0.0.1", "::1", "localhost"].contains(&host)
        || [".invalid", ".test", ".localhost"].iter().any(|end| host.ends_with(end))
}

/// Calls `take` for each string of a value, except keys.
pub(crate) fn texts<'v>(value: &'v Value, take: &mut dyn FnMut(&'v str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, take)),
        Value::Object(members) => members.values().for_each(|member| texts(member, take)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, path: [bool; 2], other: bool) {
        let strict = Fence::around("/w/c", RelativePaths::Forbidden);
        let loose = Fence::around("/w/c/", RelativePaths::Allowed);
        let paths = [strict.allows(text, TextUse::Path), loose.allows(text, TextUse::Path)];
        assert_eq!((paths, strict.allows(text, TextUse::Text)), (path, other), "{text:?}");
    }

    #[test]
    fn absolute_paths_stay_in_the_folder_whatever_their_dots_say() {
        for inside in ["/w/c", "/w/c/", "/w/c/a/../b", "/w/c//a/./", "/w/c/a/b/../.."] {
            check(inside, [true, true], true);
        }
        check(" /w/c/x", [false, true], true);
        for outside in
            ["/", "/etc/passwd", "/w/cc", "/w/c/..", "/w/c/a/../../x", " /etc", "\u{0}/etc", "/w/c/.. /x"]
        {
            check(outside, [false, false], false);
        }
    }

    #[test]
    fn a_deep_path_goes_out_only_to_a_tool_that_makes_no_folders() {
        let reader = Fence::around("/w/c", RelativePaths::Allowed);
        let writer = reader.clone().of_a_writer();
        let deep = |count: usize| format!("/w/c{}", "/d".repeat(count));
        for (path, may_be_written) in [
            (deep(DEEPEST - 2), true),
            (deep(DEEPEST - 1), false),
            (deep(DEEPEST * 1_000), false),
            ("d/".repeat(DEEPEST + 1), false),
            (format!("/w/c{}/x", "/.//".repeat(DEEPEST)), true),
            (format!("/w/c/{}", "d".repeat(DEEPEST * 100)), true),
        ] {
            for reading in [TextUse::Path, TextUse::Text] {
                assert!(reader.allows(&path, reading), "{path}");
                assert_eq!(writer.allows(&path, reading), may_be_written, "{path}");
            }
        }
    }

    #[test]
    fn a_relative_path_goes_out_only_where_it_leads_into_the_folder() {
        for relative in ["", "notes.txt", "a/b", "%s"] {
            check(relative, [false, true], true);
        }
        check("../x", [false, false], false);
        check("a/../../x", [false, false], false);
        check("~/x", [false, false], true);
    }

    #[test]
    fn an_address_leads_to_this_computer_or_to_none() {
        for (text, is_allowed) in [
            ("http://127.0.0.1:4000/x", true),
            ("http://[::1]/", true),
            ("https://example.invalid/a", true),
            ("https://example.com/", false),
            ("https://127.0.0.1.example.com/", false),
            ("https://localhost@example.com/", false),
            ("file:///etc/passwd", false),
        ] {
            check(text, [is_allowed; 2], is_allowed);
        }
    }
}
