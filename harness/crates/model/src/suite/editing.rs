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
    let wrong = |key: &str, cause: String| Err(document.wrong_value(&["expect", "editing", key], cause));
    let role = script.call.role;
    if !role.replaces() {
        let cause = format!("`editing` is for a call that edits, but the role is `{role}`");
        return Err(document.wrong_key(&["expect", "editing"], cause));
    }
    if (role == Role::MultiEditFiles) != editing.file_index.is_some() {
        let cause = "`file-index` must be given if the call names several files, and only then";
        return Err(document.wrong_key(&["expect", "editing"], cause));
    }
    let listed = edits(role, &script.call.arguments, editing.file_index).map_or(0, Vec::len);
    if let Some(index) =
        editing.edit.into_iter().chain(editing.skipped.iter().copied()).find(|at| *at >= listed)
    {
        let key = if editing.edit == Some(index) { "edit" } else { "skipped" };
        return wrong(
            key,
            format!(
                "the call has no edit {index}: the {listed} of this file are counted from \
            0"
            ),
        );
    }
    let behind: Vec<usize> = editing.edit.map_or(Vec::new(), |edit| (edit + 1..listed).collect());
    if !editing.skipped.is_empty() && editing.skipped != behind {
        return wrong(
            "skipped",
            format!(
                "the skipped edits must be those after the one that fails: \
            {behind:?}"
            ),
        );
    }
    let Some(occurs) = editing.occurs else { return Ok(()) };
    let Some(content) = editing.content(script) else {
        return wrong("file", format!("the case creates no text file `{}`", editing.file));
    };
    let Some(old) = editing.old_text(role, &script.call.arguments) else {
        let cause = "`occurs` counts the old text of the edit that fails: give that edit with `edit`";
        return wrong("occurs", cause.to_owned());
    };
    match content.matches(old).count() {
        found if found == occurs => Ok(()),
        found => wrong("occurs", format!("`{old}` occurs {found} times in `{}`", editing.file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::load::load_case;
    use crate::suite::mistakes::check_in;

    const CASE: &str = r#"title = "t"
condition = "match-not-found"
requirements = ["EE-05"]

[[file]]
path = "a.txt"
content = { lines = { text = "green apple", times = 3 } }

[control]
role = "multi-edit"
arguments = { path = "{case}/a.txt", edits = [{ old = "apple 1", new = "x" }] }

[call]
role = "multi-edit"
arguments = { path = "{case}/a.txt", edits = [{ old = "apple 1", new = "x" }, { old = "pear", new = "y" }, { old = "apple 2", new = "z" }] }

[expect.editing]
file = "{case}/a.txt"
edit = 1
skipped = [2]
occurs = 0
"#;

    fn check(from: &str, to: &str, expected: &str) {
        check_in(CASE, "multi-edit", (from, to), expected);
    }

    #[test]
    fn lines_are_numbered_from_one() {
        let case = load_case("a.toml", "multi-edit/a", CASE).unwrap();
        let editing = case.script.expect.editing.as_ref().unwrap();
        assert_eq!(editing.content(&case.script).unwrap(), "green apple 1\ngreen apple 2\ngreen apple 3\n");
        assert_eq!(editing.old_text(Role::MultiEdit, &case.script.call.arguments), Some("pear"));
    }

    #[test]
    fn what_contradicts_the_call_or_the_file_is_reported_with_its_place() {
        check("edit = 1", "edit = 3", "19:8: the call has no edit 3: the 3 of this file are counted from 0");
        check("[2]", "[1]", "20:11: the skipped edits must be those after the one that fails: [2]");
        check("occurs = 0", "occurs = 2", "21:10: `pear` occurs 0 times in `{case}/a.txt`");
        check(
            "edit = 1\nskipped = [2]",
            "",
            "20:10: `occurs` counts the old text of the edit that fails: give that edit with `edit`",
        );
        check(
            "file = \"{case}/a.txt\"\nedit",
            "file = \"{case}/b.txt\"\nedit",
            "18:8: the case creates no text file `{case}/b.txt`",
        );
        check(
            "edit = 1",
            "file-index = 0\nedit = 1",
            "17:9: `file-index` must be given if the call names several files, and only then",
        );
    }

    #[test]
    fn a_member_of_an_edit_that_none_is_is_reported_with_the_nearest() {
        check(
            "{ old = \"pear\"",
            "{ odl = \"pear\"",
            "15:81: the items of `edits` have no member `odl`: did you mean `old`?",
        );
        check(
            "edits = [{ old = \"apple 1\", new = \"x\" }] }",
            "old = \"x\" }",
            "11:38: `old` belongs in the items of a list: `edits = [{ old = .. }]`",
        );
    }
}
