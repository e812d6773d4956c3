//! Where an error reply says which edit failed and why: a contract's form for editors, as data, and reading a
//! reply by it.
//!
//! The main types are [`EditPointers`], the places, and [`ReportedPlace`] and [`ReportedEdit`], the values
//! there. Whether these are true is checked by rules.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::{Document, LoadError};

/// JSON Pointers to where an error object says which file and which edit failed. What is absent is not
/// promised.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EditPointers {
    /// The file that the error is about.
    pub file_path: Option<String>,
    /// The file's index, counted from 0, among the files of the call.
    pub file_index: Option<String>,
    /// The index, counted from 0, of the edit that failed.
    pub edit_index: Option<String>,
    /// The file with the content before the call.
    pub backup: Option<String>,
    /// The places for the file's content.
    pub context: Option<ContextForm>,
    /// The places for the state of the edits.
    pub status: Option<StatusForm>,
}

/// Where the file's own text is, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContextForm {
    /// All of it: what `most-bytes` limits.
    pub whole: String,
    /// The lines around the likely place.
    pub snippet: String,
    /// Each place of a text that occurs several times: a list of objects.
    pub places: String,
    /// In such an object: the line, from 1.
    pub line: String,
    /// In such an object: the lines around it.
    pub surroundings: String,
    /// How many lines a snippet has at least, except at the edge of the file.
    pub least_lines: usize,
    /// And at most.
    pub most_lines: usize,
    /// How many places are shown at most; the reply says how many more there are.
    pub most_places: usize,
    /// The limit of all of it, in bytes of JSON.
    pub most_bytes: usize,
}

/// Where the outcome of each edit that was not applied is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StatusForm {
    /// A list of objects.
    pub list: String,
    /// In such an object: the edit's index, from 0.
    pub edit: String,
    /// In such an object: the edit's state.
    pub state: String,
    /// In such an object: the beginning of its old text.
    pub preview: String,
    /// The state of the edit that failed.
    pub failed: String,
    /// The state of one that was not tried after that.
    pub skipped: String,
    /// How many characters a preview has at most.
    pub longest_preview: usize,
}

/// A place in the file, as reported in a reply.
#[derive(Debug, PartialEq, Eq)]
pub struct ReportedPlace<'v> {
    /// The line, from 1; `None` if it is not an integer.
    pub line: Option<u64>,
    /// The lines around it.
    pub surroundings: Option<&'v str>,
}

/// The state of an edit, as reported in a reply.
#[derive(Debug, PartialEq, Eq)]
pub struct ReportedEdit<'v> {
    /// The index, from 0; `None` if it is not an integer.
    pub index: Option<u64>,
    /// What became of it.
    pub state: Option<&'v str>,
    /// The beginning of its old text.
    pub preview: Option<&'v str>,
}

impl ContextForm {
    /// The places, if there is a list of them.
    pub fn read<'v>(&self, data: &'v Value) -> Option<Vec<ReportedPlace<'v>>> {
        let place = |item: &'v Value| ReportedPlace {
            line: item.pointer(&self.line).and_then(Value::as_u64),
            surroundings: item.pointer(&self.surroundings).and_then(Value::as_str),
        };
        Some(data.pointer(&self.places)?.as_array()?.iter().map(place).collect())
    }
}

impl StatusForm {
    /// The edits, if there is a list of them.
    pub fn read<'v>(&self, data: &'v Value) -> Option<Vec<ReportedEdit<'v>>> {
        let edit = |item: &'v Value| ReportedEdit {
            index: item.pointer(&self.edit).and_then(Value::as_u64),
            state: item.pointer(&self.state).and_then(Value::as_str),
            preview: item.pointer(&self.preview).and_then(Value::as_str),
        };
        Some(data.pointer(&self.list)?.as_array()?.iter().map(edit).collect())
    }
}

/// Finds an invalid pointer, or a bound that nothing can satisfy.
pub(super) fn check(form: &EditPointers, document: &Document<'_>) -> Result<(), LoadError> {
    let place = |steps: &[&'static str]| [&["form", "json", "editing"], steps].concat();
    let pointer = |steps: &[&'static str], pointer: &str| {
        document.require(pointer.starts_with('/'), &place(steps), || {
            format!("`{pointer}` is not a JSON Pointer: it must begin with `/`, such as `/edit_index`")
        })
    };
    if let Some(context) = &form.context {
        let has_lines = (1..=context.most_lines).contains(&context.least_lines);
        document.require(
            has_lines,
            &place(&["context", "least-lines"]),
            || "a snippet needs at least one line, and its minimum must not exceed its maximum",
        )?;
        document.require(
            context.most_places > 0,
            &place(&["context", "most-places"]),
            || "it must be possible to show at least one place",
        )?;
    }
    for (name, given) in [
        ("file-path", &form.file_path),
        ("file-index", &form.file_index),
        ("edit-index", &form.edit_index),
        ("backup", &form.backup),
    ] {
        given.iter().try_for_each(|given| pointer(&[name], given))?;
    }
    if let Some(context) = &form.context {
        pointer(&["context", "whole"], &context.whole)?;
        pointer(&["context", "snippet"], &context.snippet)?;
        pointer(&["context", "places"], &context.places)?;
        pointer(&["context", "line"], &context.line)?;
        pointer(&["context", "surroundings"], &context.surroundings)?;
    }
    if let Some(status) = &form.status {
        pointer(&["status", "list"], &status.list)?;
        pointer(&["status", "edit"], &status.edit)?;
        pointer(&["status", "state"], &status.state)?;
        pointer(&["status", "preview"], &status.preview)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::{ReplyForm, load_builtin};

    fn editing() -> EditPointers {
        let contract = load_builtin("error-envelope").unwrap().unwrap();
        let ReplyForm::Json(form) = contract.form else { panic!("it is JSON") };
        *form.editing.expect("it is for editors")
    }

    #[test]
    fn places_and_edits_are_read_where_the_contract_has_them() {
        let data = json!({
            "context": {"match_locations": [{"line": 3, "snippet": "a"}, {"line": "3"}]},
            "edit_status": [{"edit_index": 2, "status": "failed", "old_string_preview": "x"}],
        });
        let (context, status) = (editing().context.unwrap(), editing().status.unwrap());
        assert_eq!(
            context.read(&data).unwrap(),
            [
                ReportedPlace { line: Some(3), surroundings: Some("a") },
                ReportedPlace { line: None, surroundings: None }
            ]
        );
        let edit = ReportedEdit { index: Some(2), state: Some("failed"), preview: Some("x") };
        assert_eq!(status.read(&data).unwrap(), [edit]);
        assert_eq!(status.read(&json!({})), None);
    }
}
