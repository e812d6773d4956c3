//! What a case expects of an error about edits: which file, which edit, and the file's content.
//!
//! The main type is [`CaseEditing`]. This is compared with the file that the case makes.

use serde::Deserialize;
use serde_json::Value;

use crate::roles::Role;

use super::{FileContent, Script};
use crate::argument::{Argument, Arguments};
use crate::document::{Document, LoadError};

/// What an error about edits must satisfy, if the contract has places for it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaseEditing {
    /// The file that the error is about, as it is sent: `{case}/a.txt`.
    pub file: String,
    /// Its index, counted from 0, if the call names several.
    pub file_index: Option<usize>,
    /// The index, counted from 0, of the edit that fails, if the call has a list of edits.
    pub edit: Option<usize>,
    /// Those that are not tried after it.
    #[serde(default)]
    pub skipped: Vec<usize>,
    /// How often the old text of that edit occurs in the file: if this is given, the reply must show those places.
    pub occurs: Option<usize>,
}

/// The same text on each of this many lines, followed by the line's number, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RepeatedLines {
    /// What is on each line.
    pub text: String,
    /// How many lines.
    pub times: u16,
}

impl RepeatedLines {
    /// The whole text.
    pub fn text(&self) -> String {
        (1..=self.times).map(|number| format!("{} {number}\n", self.text)).collect()
    }
}

impl FileContent {
    /// The text, if the case gives it.
    pub fn as_text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Lines(lines) => Some(lines.text()),
            Self::BeyondLimit(_)
            | Self::Directory
            | Self::Link(_)
            | Self::Hex(_)
            | Self::Git(_)
            | Self::Fifo => None,
        }
    }
}

/// The list of edits that a call sends for one file; `None` if it sends no list.
fn edits(role: Role, arguments: &Arguments, file_index: Option<usize>) -> Option<&Vec<Value>> {
    let json = |name: &str| arguments.get(name)?.value();
    match role {
        Role::MultiEdit => json("edits")?.as_array(),
        Role::MultiEditFiles => json("files")?.get(file_index?)?.get("edits")?.as_array(),
        _ => None,
    }
}

impl CaseEditing {
    /// The old text of the edit that fails.
    pub fn old_text<'a>(&self, role: Role, arguments: &'a Arguments) -> Option<&'a str> {
        if let Some(Argument::Json(old)) = arguments.get("old") {
            return old.as_str();
        }
        edits(role, arguments, self.file_index)?.get(self.edit?)?.get("old")?.as_str()
    }

    /// The content of the file before the call.
    pub fn content(&self, script: &Script) -> Option<String> {
        let below = self.file.strip_prefix("{case}/")?;
        script.files.iter().find(|file| file.path == below)?.content.as_text()
    }
}

/// Finds contradictions to the call or the file.
pub(super) fn check(
    editing: &CaseEditing,
    script: &Script,
    document: &Document<'_>,
) -> Result<(), LoadError> {
    let key = |key: &'static str| ["expect", "editing", key];
    let role = script.call.role;
    document.require_key(role.replaces(), &["expect", "editing"], || {
        format!("`editing` is for a call that edits, but the role is `{role}`")
    })?;
    let is_of_one = editing.file_index.is_none();
    document.require_key(
        is_of_one == (role != Role::MultiEditFiles),
        &["expect", "editing"],
        || "`file-index` must be given if the call names several files, and only then",
    )?;
    let listed = edits(role, &script.call.arguments, editing.file_index).map_or(0, Vec::len);
    let edit = editing.edit.iter().map(|edit| ("edit", edit));
    for (name, index) in edit.chain(editing.skipped.iter().map(|edit| ("skipped", edit))) {
        document.require(*index < listed, &key(name), || {
            format!("the call has no edit {index}: the {listed} of this file are counted from 0")
        })?;
    }
    let behind: Vec<usize> = editing.edit.map_or(Vec::new(), |edit| (edit + 1..listed).collect());
    document.require(editing.skipped.is_empty() || editing.skipped == behind, &key("skipped"), || {
        format!("the skipped edits must be those after the one that fails: {behind:?}")
    })?;
    let Some(occurs) = editing.occurs else { return Ok(()) };
    let Some(content) = editing.content(script) else {
        let cause = format!("the case creates no text file `{}`", editing.file);
        return Err(document.wrong_value(&key("file"), cause));
    };
    let Some(old) = editing.old_text(role, &script.call.arguments) else {
        let cause = "`occurs` counts the old text of the edit that fails: give that edit with `edit`";
        return Err(document.wrong_value(&key("occurs"), cause));
    };
    let found = content.matches(old).count();
    document.require(found == occurs, &key("occurs"), || {
        format!("`{old}` occurs {found} times in `{}`", editing.file)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::load::load_case;
    use crate::suite::mistakes::EDITING_CASE;

    #[test]
    fn lines_are_numbered_from_one() {
        let case = load_case("a.toml", "multi-edit/a", EDITING_CASE).unwrap();
        let editing = case.script.expect.editing.as_ref().unwrap();
        assert_eq!(editing.content(&case.script).unwrap(), "green apple 1\ngreen apple 2\ngreen apple 3\n");
        assert_eq!(editing.old_text(Role::MultiEdit, &case.script.call.arguments), Some("pear"));
    }
}
