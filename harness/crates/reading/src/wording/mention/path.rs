//! `, or by a telling last part.~`, or by a telling last part.
//!
//! The main function is [`names_path`]. It does not access the file system: paths are resolved as text.

use super::{beginning_of, is_quoted, stands_in};
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
    let forms = echo::forms(path, folders);
    let named = forms.iter().any(|form| {
        if form.contains(['/', '\\']) {
            form.len() >= LEAST && stands_in(text, form)
        } else {
            names_part(text, form)
        }
    });
    named || forms.iter().any(|form| names_tail(text, form)) || stands_in(text, &shell_escaped(path))
}

/// Whether a text names a last part alone.
fn names_part(text: &str, part: &str) -> bool {
    let letters = part.chars().count();
    let telling = letters >= TELLING || (part.contains('.') && letters >= TELLING_WITH_POINT);
    let led = || ["~/", "./", "\u{2026}/"].iter().any(|lead| stands_in(text, &format!("{lead}{part}")));
    letters >= LEAST && ((telling && stands_in(text, part)) || is_quoted(text, part) || led())
}

/// Whether a text names the last parts of a path together, as they remain below a home folder or another root.
fn names_tail(text: &str, path: &str) -> bool {
    let mut slashes = path.trim_end_matches('/').rmatch_indices('/').map(|(at, _)| at + 1);
    let tail = slashes.nth(1).map_or("", |start| &path[start..]);
    tail.len() > LEAST + 1 && stands_in(text, tail)
}

/// The path with special characters escaped, as a shell reads it without quotation marks.
fn shell_escaped(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    path.chars().flat_map(|c| (!plain(c)).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, path: &str, expected: bool) {
        let folders = Folders {
            workspace: "/home/user/workspace".into(),
            outside: "/outside".into(),
            canary: "canary".into(),
            ..Folders::default()
        };
        assert_eq!(names_path(text, path, &folders), expected, "{path:?} in {text:?}");
    }

    #[test]
    fn a_path_counts_as_sent_resolved_and_relative() {
        let path = "/home/user/workspace/a/../sub/missing.txt";
        for text in [
            "no /home/user/workspace/a/../sub/missing.txt",
            "no /home/user/workspace/sub/missing.txt",
            "no sub/missing.txt",
            "no ./sub/missing.txt",
            "no ~/workspace/sub/missing.txt",
            "no missing.txt there",
        ] {
            check(text, path, true);
        }
        check("no such file", path, false);
        check("something is missing", path, false);
        check("outside: ~/secret/keys", "/outside/secret/keys", true);
        check("outside: \u{2026}/keys", "/outside/secret/keys", true);
        check("outside: the keys", "/outside/secret/keys", false);
    }

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

    #[test]
    fn the_last_part_of_a_path_counts_only_where_it_is_telling() {
        let path = "/home/user/workspace/file";
        check("no file in it", path, false);
        check("no 'file' in it", path, true);
        check("no ~/file", path, true);
        check("no /home/user/workspace/file", path, true);
        check("no telling-name", "/x/telling-name", true);
        check("what is a.b", "/x/a.b", false);
        check("no a.rs there", "/x/a.rs", true);
        check("no notebook there", "/x/notebook", true);
        check("no drawing there", "/x/drawing", false);
        check("no 'abc' there", "/x/abc", true);
    }

    #[test]
    fn the_last_two_parts_of_a_path_count_where_they_are_not_too_short() {
        check("see b/abc", "/x/b/abc", true);
        check("see b/ab", "/x/b/ab", false);
        check("see b/a", "/x/b/a", false);
        let long = format!("/x/{}/abc", "n".repeat(110));
        check(&format!("see {}", &long[3..]), &long, true);
    }

    #[test]
    fn a_path_that_is_short_once_it_is_resolved_counts_whole() {
        check("no /ab there", "/x/../ab", true);
        check("no /y/a there", "/x/../y/a", true);
        check("either / or", "/x/..", false);
    }

    #[test]
    fn a_last_part_of_one_or_two_letters_never_counts_by_itself() {
        for text in ["no a here", "no 'a'", "~/a", "no \"ab\"", "..", "'..'"] {
            for path in ["/home/user/workspace/a", "/home/user/workspace/ab", "/home/user/workspace/x/.."] {
                check(text, path, false);
            }
        }
        check("no /home/user/workspace/ab", "/home/user/workspace/ab", true);
        check("no 'workspace/ab'", "/home/user/workspace/ab", true);
    }

    #[test]
    fn a_path_counts_as_json_and_shells_write_it() {
        let path = "/home/user/workspace/it's \"a\" b";
        check(r#"no "/home/user/workspace/it's \"a\" b""#, path, true);
        check(r#"no '/home/user/workspace/it'\''s "a" b'"#, path, true);
        check(r#"no /home/user/workspace/it\'s\ \"a\"\ b"#, path, true);
        check("no /home/user/workspace/it", path, false);
    }

    #[test]
    fn a_long_path_counts_by_its_beginning() {
        let path = format!("/home/user/workspace/{}", "n".repeat(300));
        check(&format!("{}... is too long", &path[..150]), &path, true);
        check(&format!("{}... is too long", &path[..50]), &path, false);
    }
}
