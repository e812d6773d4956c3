//! Odd paths, none of which leads out of the harness's folder.

use serde_json::json;

use super::super::fence::{Fence, TextUse};
use super::super::rng::Rng;
use super::{ValueMutation, raw};

/// Legal but unusual names.
const NAMES: [(&str, &str); 18] = [
    ("a space in the name", "a b.txt"),
    ("a trailing space", "notes.txt "),
    ("a trailing dot", "notes.txt."),
    ("a line break in the name", "a\nb"),
    ("a NUL in the name", "a\0b"),
    ("an escape sequence in the name", "\u{1b}[31mred"),
    ("emoji", "\u{1f600}\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}.txt"),
    ("a decomposed letter (NFD)", "e\u{301}.txt"),
    ("a right-to-left override", "\u{202e}txt.x"),
    ("a percent sign", "%2e%2e%2f%s%n"),
    ("a brace", "{}${x}"),
    ("a star", "*"),
    ("a question mark and brackets", "[a-?"),
    ("a quotation mark", "it's\"q\".txt"),
    ("a backslash", "a\\b"),
    ("a leading hyphen", "-rf.txt"),
    ("three dots", ".../notes.txt"),
    ("a hidden file", ".hidden"),
];

pub(super) fn mutate(rng: &mut Rng, current: &str, fence: &Fence) -> ValueMutation {
    let folder = fence.folder();
    let is_usable = !current.is_empty() && fence.allows(current, TextUse::Path) && current.len() < 4_096;
    let current = if is_usable { current } else { folder };
    let (keyword, label, path): (&'static str, String, String) = match rng.below(17) {
        0..=2 => ("trailing-slash", "a trailing slash".into(), format!("{current}/")),
        3 => ("double-slash", "two slashes".into(), format!("{folder}//sub//notes.txt")),
        4 => ("double-slash", "two trailing slashes".into(), format!("{current}//")),
        5 => ("dot-segments", "up a folder and down again".into(), format!("{folder}/sub/../notes.txt")),
        6 => ("dot-segments", "a dot between slashes".into(), format!("{folder}/./sub/.")),
        7 => ("dot-segments", "a trailing ..".into(), format!("{folder}/sub/..")),
        8 => ("dot-segments", "a path below a file".into(), format!("{folder}/notes.txt/below")),
        9 => {
            let count = [100, 255, 256, 1_000, 4_096][rng.below(5)];
            ("long-name", format!("a name of {count} characters"), format!("{folder}/{}", "n".repeat(count)))
        }
        10 => {
            let count = [50, 400, 2_000][rng.below(3)];
            ("long-name", format!("{count} nested folders"), format!("{folder}{}", "/d".repeat(count)))
        }
        11 => ("not-there", "a path that does not exist".into(), format!("{folder}/no/such/thing.txt")),
        12 => ("folder", "the folder itself".into(), folder.to_owned()),
        13 if fence.takes_relative() => {
            let (label, path) = [
                ("an empty string", ""),
                ("a space", " "),
                ("the current folder", "."),
                ("a relative path", "notes.txt"),
                ("a relative path with a dot", "./sub/"),
            ][rng.below(5)];
            ("relative", label.into(), path.to_owned())
        }
        14 => return raw::text(rng, &format!("{folder}/")),
        _ => {
            let (label, name) = NAMES[rng.below(NAMES.len())];
            ("odd-name", label.into(), format!("{folder}/{name}"))
        }
    };
    ValueMutation::set(keyword, label, json!(path))
}
