//! The grammars of harmless values, as data in `harmless.toml`: each text they can make is harmless because of the words it
//! consists of.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::super::catalogue::filled_text;
use super::{Chooser, DrawReferences, ExecutableKind};

static TEXTS: LazyLock<BTreeMap<String, Vec<String>>> =
    LazyLock::new(|| toml::from_str(include_str!("harmless.toml")).expect("a test reads this file"));

/// A text of this kind.
pub(super) fn text(kind: ExecutableKind, references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    match kind {
        ExecutableKind::Words => words(references, choose).join(" "),
        kind => of_list(kind.name(), references, choose),
    }
}

/// A program and its arguments.
pub(super) fn words(references: &DrawReferences<'_>, choose: Chooser<'_>) -> Vec<String> {
    let lists = &TEXTS["words"];
    let words: Vec<String> = serde_json::from_str(&lists[choose(lists.len())]).unwrap_or_default();
    words.iter().map(|word| filled(word, references, choose)).collect()
}

/// A text of this list.
fn of_list(list: &str, references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    let texts = &TEXTS[list];
    filled(&texts[choose(texts.len())], references, choose)
}

/// A text with a text of each list that it names.
fn filled(text: &str, references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    filled_text(text, &mut |name| {
        let filled = match name {
            "path" => path(references, choose),
            // One word of a shell.
            "quoted path" => format!("'{}'", path(references, choose).replace('\'', "'\\''")),
            "stub" => references.upstream.unwrap_or(&TEXTS["home"][0]).to_owned(),
            list if TEXTS.contains_key(list) => of_list(list, references, choose),
            _ => return None,
        };
        Some(Value::from(filled))
    })
}

/// One of the workspace's own files, or a name that does not exist.
fn path(references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    let at = choose(references.files.len() + 1);
    match (references.files.get(at), references.files.first()) {
        (Some(file), _) => file.clone(),
        (None, Some(first)) => format!("{first}.no-such-file"),
        (None, None) => "no-such-file".to_owned(),
    }
}
