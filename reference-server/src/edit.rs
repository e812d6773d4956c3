//! Lists of edits as a call sends them: their schema, the check of their form, and what they say.
//!
//! The main types are [`Edit`] and [`FileEdits`]. That a list is empty, or an old text, is not a matter of form: the
//! tools have failures of their own for that.

use serde_json::{Value, json};

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) all: bool,
}

/// The edits of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileEdits {
    pub(crate) path: String,
    pub(crate) edits: Vec<Edit>,
}

/// A value at the place `at` that does not have the form.
#[derive(Debug, PartialEq)]
pub(crate) struct Misfit<'v> {
    /// Such as `edits[1].old_string`.
    pub(crate) at: String,
    pub(crate) expected: &'static str,
    /// None if it is missing.
    pub(crate) found: Option<&'v Value>,
}

/// The schema of a list of edits.
pub(crate) fn edits_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "old_string": {"type": "string", "minLength": 1, "description": "The text to replace, exactly as it stands in the file."},
                "new_string": {"type": "string", "description": "The text that takes its place."},
                "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
            },
            "required": ["old_string", "new_string"],
            "additionalProperties": false,
        },
    })
}

/// The schema of a list of files with their edits.
pub(crate) fn files_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "minLength": 1, "description": "The file to change, an absolute path."},
                "edits": edits_schema(),
            },
            "required": ["file_path", "edits"],
            "additionalProperties": false,
        },
    })
}

/// A list of edits; `at` is how it is called.
pub(crate) fn edits<'v>(value: &'v Value, at: &str) -> Result<Vec<Edit>, Misfit<'v>> {
    let item = |(index, item): (usize, &'v Value)| {
        let at = format!("{at}[{index}]");
        known(item, &at, &["old_string", "new_string", "replace_all"])?;
        let all = match item.get("replace_all") {
            None => false,
            Some(Value::Bool(all)) => *all,
            found => {
                let at = format!("{at}.replace_all");
                return Err(Misfit { at, expected: "a boolean, true or false", found });
            }
        };
        Ok(Edit { old: text(item, "old_string", &at)?, new: text(item, "new_string", &at)?, all })
    };
    list(value, at)?.iter().enumerate().map(item).collect()
}

/// A list of files with their edits; `at` is how it is called.
pub(crate) fn files<'v>(value: &'v Value, at: &str) -> Result<Vec<FileEdits>, Misfit<'v>> {
    let item = |(index, item): (usize, &'v Value)| {
        let at = format!("{at}[{index}]");
        known(item, &at, &["file_path", "edits"])?;
        let path = text(item, "file_path", &at)?;
        let place = format!("{at}.edits");
        let listed = item.get("edits");
        let listed =
            listed.ok_or(Misfit { at: place.clone(), expected: "an array of edits", found: None })?;
        Ok(FileEdits { path, edits: edits(listed, &place)? })
    };
    list(value, at)?.iter().enumerate().map(item).collect()
}

fn list<'v>(value: &'v Value, at: &str) -> Result<&'v Vec<Value>, Misfit<'v>> {
    value.as_array().ok_or_else(|| Misfit { at: at.to_owned(), expected: "an array", found: Some(value) })
}

/// Refuses what is no object, and a member that is none of these.
fn known<'v>(item: &'v Value, at: &str, names: &[&str]) -> Result<(), Misfit<'v>> {
    let members = item.as_object();
    let members =
        members.ok_or_else(|| Misfit { at: at.to_owned(), expected: "an object", found: Some(item) })?;
    match members.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        Some((name, found)) => {
            let at = format!("{at}.{name}");
            Err(Misfit { at, expected: "left out, since there is no such member", found: Some(found) })
        }
        None => Ok(()),
    }
}

fn text<'v>(item: &'v Value, name: &str, at: &str) -> Result<String, Misfit<'v>> {
    match item.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        found => Err(Misfit { at: format!("{at}.{name}"), expected: "a string", found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_fits_is_read() {
        let value = json!([{"file_path": "/a", "edits": [{"old_string": "x", "new_string": "", "replace_all": true}]}]);
        let edits = vec![Edit { old: "x".into(), new: String::new(), all: true }];
        assert_eq!(files(&value, "files"), Ok(vec![FileEdits { path: "/a".into(), edits }]));
    }

    #[test]
    fn what_does_not_fit_is_reported_with_its_place() {
        let at = |value: Value| edits(&value, "edits").map_err(|misfit| misfit.at).unwrap_err();
        assert_eq!(at(json!("x")), "edits");
        assert_eq!(at(json!(["x"])), "edits[0]");
        assert_eq!(at(json!([{"new_string": "x"}])), "edits[0].old_string");
        assert_eq!(at(json!([{"old_string": "x", "new_string": 7}])), "edits[0].new_string");
        assert_eq!(at(json!([{"old_string": "x", "new_string": "y", "all": true}])), "edits[0].all");
        let value = json!([{"file_path": "/a"}]);
        assert_eq!(files(&value, "files").unwrap_err().at, "files[0].edits");
    }
}
