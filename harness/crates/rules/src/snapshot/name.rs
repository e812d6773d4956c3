//! The names of snapshot files: by case and tool, stable, and safe on any file system.

use std::collections::BTreeSet;

use crate::condition::CaseId;
use crate::signature::fingerprint;

/// The longest name before its number, in bytes: file systems allow 255, and `.snap.new` follows.
const LONGEST: usize = 160;

/// The first unused name for this case and tool, which is then marked as used.
pub(super) fn unused(case: &CaseId, tool: &str, used: &mut BTreeSet<String>) -> String {
    let stem = bounded(format!("{}@{}", slug(&case.0), slug(tool)));
    let numbered = (2u32..).map(|number| format!("{stem}-{number}"));
    let free = std::iter::once(stem.clone()).chain(numbered).find(|name| !used.contains(&folded(name)));
    let name = free.unwrap_or(stem);
    used.insert(folded(&name));
    name
}

/// A name for comparison on file systems that ignore case.
pub(super) fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// ASCII letters, digits, `_` and `-`, with `__` for a slash, and without dots, because an extension would
/// begin there.
fn slug(text: &str) -> String {
    let safe = |letter: char| match letter {
        '/' => "__".to_owned(),
        letter if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' => letter.to_string(),
        _ => "-".to_owned(),
    };
    text.chars().map(safe).collect()
}

/// A name that is too long, shortened to its beginning and a checksum.
fn bounded(name: String) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    format!("{}-{}", &name[..LONGEST - 17], fingerprint(&[&name]))
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn name(case: &str, tool: &str) -> String {
        unused(&CaseId(case.to_owned()), tool, &mut BTreeSet::new())
    }

    #[test]
    fn a_name_tells_case_and_tool() {
        assert_eq!(name("read/missing-file", "view"), "read__missing-file@view");
    }

    #[test]
    fn a_second_text_has_a_number_even_where_only_the_case_of_letters_differs() {
        let mut used = BTreeSet::new();
        let case = CaseId("a/b".to_owned());
        let names: Vec<_> = ["Read", "read", "Read"].map(|tool| unused(&case, tool, &mut used)).into();
        assert_eq!(names, ["a__b@Read", "a__b@read-2", "a__b@Read-3"]);
    }

    proptest! {
        #[test]
        fn any_name_is_safe_and_short(case in "(?s).{0,300}", tool in "(?s).{0,300}") {
            let name = name(&case, &tool);
            prop_assert!(name.len() <= LONGEST && !name.starts_with('.'), "{name}");
            prop_assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric() || "@_-".contains(letter)), "{name}");
        }
    }
}
