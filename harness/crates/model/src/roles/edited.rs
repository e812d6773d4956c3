//! Reads from a call's arguments what it edits: the reverse of `compose`.

use serde_json::Value;

use crate::catalog::unwrap;

use super::{Binding, Role};

/// The edits of a call in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edited {
    /// The file, as it was sent.
    pub path: String,
    /// The old texts of its edits, in order.
    pub old: Vec<String>,
}

impl Binding {
    /// The edits of a call, if the tool takes a list of edits and got one; malformed items are left out.
    pub fn edited(&self, arguments: &Value) -> Vec<Edited> {
        let arguments = unwrap(self.wrapper.as_deref(), arguments);
        match self.role {
            Role::MultiEdit => self.one_file(arguments, "").into_iter().collect(),
            Role::MultiEditFiles => {
                let files = self.parameters.get("files").and_then(|name| arguments.get(name));
                let within = self.within("files");
                let files = files.and_then(Value::as_array).into_iter().flatten();
                files.filter_map(|file| self.one_file(file, &within)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn one_file(&self, file: &Value, within: &str) -> Option<Edited> {
        let own =
            |name: &str, within: &str| Some(self.parameters.get(name)?.strip_prefix(within)?.to_owned());
        let edits = file.get(own("edits", within)?)?.as_array()?;
        let old = own("old", &self.within("edits"))?;
        let old = edits.iter().filter_map(|edit| edit.get(&old)?.as_str()).map(str::to_owned);
        Some(Edited { path: file.get(own("path", within)?)?.as_str()?.to_owned(), old: old.collect() })
    }

    /// The common beginning of the paths of a list's members.
    fn within(&self, list: &str) -> String {
        self.parameters.get(list).map(|path| format!("{path}[].")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_call_edits_is_read_from_one_file_and_from_several() {
        let one =
            Binding::of(Role::MultiEdit, "t", [("path", "file"), ("edits", "edits"), ("old", "edits[].a")]);
        let file = json!({"file": "/f", "edits": [{"a": "x", "b": "y"}, {"a": "z"}]});
        let edited = Edited { path: "/f".into(), old: vec!["x".into(), "z".into()] };
        assert_eq!(one.edited(&file), std::slice::from_ref(&edited));
        assert_eq!(one.edited(&json!({"file": 7, "edits": []})), []);
        let several = Binding::of(
            Role::MultiEditFiles,
            "t",
            [("files", "all"), ("path", "all[].file"), ("edits", "all[].edits"), ("old", "all[].edits[].a")],
        );
        assert_eq!(several.edited(&json!({"all": [file, {"file": "/g", "edits": []}]})).len(), 2);
        assert_eq!(several.edited(&json!({"all": [file]})), [edited]);
    }
}
