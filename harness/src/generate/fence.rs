//! Which texts may be sent: no path out of the harness's folders, no address of another machine, and to a tool
//! that writes no path so deep that later walks through it become slow.
//!
//! The main type is [`Fence`]. It only reads texts; the compiled schema says which parameters take paths.

use crate::class::Class;

/// A path with more folders than this would make a tree that takes milliseconds to walk through, each time.
const DEEPEST: usize = 64;

/// The harness's folder for a tool, and what the tool does with paths.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    folder: String,
    /// Relative paths may lead anywhere, so that only a tool that cannot write gets them; nor may it make the folders
    /// on the way to a deep one.
    only_reads: bool,
}

/// How a tool uses a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextUse {
    /// As a path of the file system.
    Path,
    /// As anything else, as far as one can tell.
    Text,
}

impl Fence {
    /// The fence for a tool of this class.
    pub(crate) fn around(folder: &str, class: Class) -> Self {
        Self { folder: folder.trim_end_matches('/').to_owned(), only_reads: class == Class::Read }
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
        if !self.only_reads && is_deep(bare) {
            return false;
        }
        if let Some((scheme, rest)) = bare.split_once("://") {
            return scheme != "file" && leads_nowhere(rest);
        }
        if bare.starts_with('/') {
            // With a space before it, it is a relative path for a server that does not trim.
            let is_absolute = text.starts_with('/') || reading == TextUse::Text || self.only_reads;
            return is_absolute && self.holds(bare);
        }
        let climbs = bare.split(['/', '\\']).any(|segment| segment.trim().starts_with(".."));
        match reading {
            TextUse::Path => self.only_reads && !climbs && !bare.starts_with('~'),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, path: [bool; 2], other: bool) {
        let strict = Fence::around("/w/c", Class::Write);
        let loose = Fence::around("/w/c/", Class::Read);
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
        let reader = Fence::around("/w/c", Class::Read);
        let writer = Fence::around("/w/c", Class::Write);
        let deep = |count: usize| format!("/w/c{}", "/d".repeat(count));
        for (path, may_be_written) in [
            (deep(DEEPEST - 2), true),
            (deep(DEEPEST - 1), false),
            (deep(DEEPEST * 1_000), false),
            (format!(" /w/c{}", "/d".repeat(DEEPEST)), false),
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
