//! Lists of words as data: those in names of tools and parameters, and those in messages.
//!
//! Code refers to a list as `words!("names/class-read")`. What follows from a word is up to the module that asks.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Words with the same function.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    #[cfg_attr(not(test), expect(dead_code, reason = "it stands beside the words for their reader"))]
    says: String,
    /// Separated by white space, or by commas if there are any.
    words: String,
}

type Groups = BTreeMap<String, Group>;

static NAMES: LazyLock<Groups> =
    LazyLock::new(|| toml::from_str(include_str!("lexicon/names.toml")).expect("a test reads the file"));
static MESSAGES: LazyLock<Groups> =
    LazyLock::new(|| toml::from_str(include_str!("lexicon/messages.toml")).expect("a test reads the file"));

/// The words with this id, which a test finds to exist for every one that the sources name.
#[macro_export]
macro_rules! words {
    ($id:literal) => {{
        static WORDS: std::sync::LazyLock<Vec<&'static str>> =
            std::sync::LazyLock::new(|| $crate::lexicon::words($id));
        WORDS.as_slice()
    }};
}

/// The words with this id, `names/..` or `messages/..`, in their order.
pub fn words(id: &str) -> Vec<&'static str> {
    let group = match id.split_once('/') {
        Some(("names", group)) => NAMES.get(group),
        Some(("messages", group)) => MESSAGES.get(group),
        _ => None,
    };
    let words = group.unwrap_or_else(|| panic!("there are no words `{id}`")).words.as_str();
    match words.contains(',') {
        true => words.split(',').map(str::trim).collect(),
        false => words.split_whitespace().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The ids in the `words!` calls of a folder of sources.
    fn used(folder: &Path, ids: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("it is there").flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("lexicon") {
                used(&path, ids);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("lexicon.rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let calls = text.split("words!(\"").skip(1);
                ids.extend(calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned())));
            }
        }
    }

    #[test]
    fn every_list_is_used_and_has_each_word_once() {
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut ids = BTreeSet::new();
        ["src", "crates"].iter().for_each(|folder| used(&harness.join(folder), &mut ids));
        let known = [("names", &*NAMES), ("messages", &*MESSAGES)];
        let known = known
            .into_iter()
            .flat_map(|(file, groups)| groups.iter().map(move |(id, group)| (format!("{file}/{id}"), group)));
        let known: BTreeMap<String, &Group> = known.collect();
        assert_eq!(known.keys().cloned().collect::<BTreeSet<_>>(), ids);
        for (id, group) in known {
            let list = words(&id);
            let once: BTreeSet<&str> = list.iter().copied().collect();
            assert!(!group.says.is_empty() && !list.is_empty() && list.len() == once.len(), "{id}");
        }
    }
}
