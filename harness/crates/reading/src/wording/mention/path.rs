//! `, or by a telling last part.~`, or by a telling last part.
//!
//! The main function is [`names_path`]. It does not access the file system: paths are resolved as text.

use super::{beginning_of, is_quoted, shows, stands_in};
use crate::placeholder::Folders;
use crate::wording::echo;

/// From this many characters on, the last part of a path does not occur by chance.
const TELLING: usize = 8;
/// The same for a last part with a full stop in it.
const TELLING_WITH_POINT: usize = 4;
/// A shorter last part proves nothing, even in quotation marks.
const LEAST: usize = 3;

pub(super) fn names_path(text: &str, path: &str, folders: &Folders) -> bool {
    // For a very long path its beginning is enough.
    if let Some(beginning) = beginning_of(path)
        && text.contains(beginning)
    {
        return true;
    }
    let forms = echo::spellings(path, folders);
    let named = forms.iter().any(|form| {
        if form.contains(['/', '\\']) {
            form.len() >= LEAST && shows(text, form)
        } else {
            names_part(text, form)
        }
    });
    named || forms.iter().any(|form| names_tail(text, form))
}

/// Whether a text names a last part alone.
fn names_part(text: &str, part: &str) -> bool {
    let letters = part.chars().count();
    let telling = letters >= TELLING || (part.contains('.') && letters >= TELLING_WITH_POINT);
    let led = || ["~/", "./", "\u{2026}/"].iter().any(|lead| stands_in(text, &format!("{lead}{part}")));
    letters >= LEAST && ((telling && shows(text, part)) || is_quoted(text, part) || led())
}

/// Whether a text names the last parts of a path together, as they remain below a home folder or another root.
fn names_tail(text: &str, path: &str) -> bool {
    let mut slashes = path.trim_end_matches('/').rmatch_indices('/').map(|(at, _)| at + 1);
    let tail = slashes.nth(1).map_or("", |start| &path[start..]);
    tail.len() > LEAST + 1 && stands_in(text, tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_windows_counts_with_backslashes_too() {
        let folders = Folders { workspace: "C:/runs/workspace".into(), ..Folders::default() };
        for text in [
            r"open 'C:\runs\workspace\sub\absent'",
            r#"{"path": "C:\\runs\\workspace\\sub\\absent"}"#,
            "no C:/runs/workspace/sub/absent",
            r"no sub\absent",
        ] {
            assert!(names_path(text, "C:/runs/workspace/sub/absent", &folders), "{text}");
            assert!(names_path(text, "sub/absent", &folders), "{text}");
        }
        assert!(!names_path("no such file", "C:/runs/workspace/sub/absent", &folders));
    }
}
