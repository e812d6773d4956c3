//! What is done to a value in one place, for probes and campaigns alike.
//!
//! The main type is [`Edit`]. [`RawTexts`] keeps JSON text that no value can hold: the value contains a mark in
//! its place, which is replaced when the value is written.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The beginning of a mark: characters that no draw contains.
const MARK: &str = "\u{f8d0}\u{f8d7}raw";

/// One step into a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// A member of an object.
    Key(String),
    /// An item of a list.
    Index(usize),
    /// The last item of a list.
    Last,
}

impl Step {
    /// The value after this step.
    pub(super) fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match self {
            Self::Key(name) => value.as_object_mut()?.get_mut(name),
            Self::Index(index) => value.as_array_mut()?.get_mut(*index),
            Self::Last => value.as_array_mut()?.last_mut(),
        }
    }
}

/// The value at a path.
pub(super) fn find<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| step.of_mut(value))
}

/// A path into a value as a JSON Pointer.
pub(super) fn pointer(path: &[Step], value: &Value) -> String {
    let mut out = String::new();
    for step in path {
        let token = match step {
            Step::Key(name) => name.replace('~', "~0").replace('/', "~1"),
            Step::Index(index) => index.to_string(),
            Step::Last => {
                let items = value.pointer(&out).and_then(Value::as_array);
                items.map_or(0, |items| items.len().saturating_sub(1)).to_string()
            }
        };
        out.push('/');
        out.push_str(&token);
    }
    out
}

/// What is done to the value at a path.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Edit {
    /// Replace it, or add the member.
    Set(Value),
    /// Leave the member out.
    Remove,
    /// Give an object these members.
    Members(Vec<(String, Value)>),
    /// Add an item to the list.
    Add(Value),
    /// Repeat the list's last item.
    Repeat,
    /// Add a list to a list of lists that is one item longer than the last one.
    Ragged,
    /// Reverse the list.
    Reverse,
    /// Replace each number in it by 0, however deep.
    Zeros,
    /// Let a path lead to a file of this name with the same ending, beside the one that it led to.
    Beside(String),
    /// Replace it by JSON text, valid or not, that no value holds.
    Raw(String),
    /// Write the member twice, first with this text as its value.
    Twice(String),
}

impl Edit {
    /// Edits a value; `None` if it has no such place.
    pub(super) fn apply(&self, whole: &mut Value, path: &[Step], raws: &mut RawTexts) -> Option<()> {
        if let Some((Step::Key(name), before)) = path.split_last()
            && matches!(self, Self::Set(_) | Self::Remove | Self::Twice(_))
        {
            let members = find(whole, before)?.as_object_mut()?;
            match self {
                Self::Set(value) => drop(members.insert(name.clone(), value.clone())),
                Self::Twice(first) => raws.twice(members, name, first),
                _ => drop(members.shift_remove(name)),
            }
            return Some(());
        }
        let place = find(whole, path)?;
        match self {
            Self::Set(value) => *place = value.clone(),
            Self::Remove | Self::Twice(_) => return None,
            Self::Members(members) => place.as_object_mut()?.extend(members.iter().cloned()),
            Self::Add(item) => place.as_array_mut()?.push(item.clone()),
            Self::Repeat => {
                let items = place.as_array_mut()?;
                items.push(items.last()?.clone());
            }
            Self::Ragged => {
                let items = place.as_array_mut()?;
                let mut longer = items.last()?.as_array()?.clone();
                longer.push(longer.last()?.clone());
                items.push(Value::Array(longer));
            }
            Self::Reverse => place.as_array_mut()?.reverse(),
            Self::Zeros => zero(place),
            Self::Beside(name) => {
                let (folder, file) = place.as_str()?.rsplit_once('/')?;
                let ending = file.rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
                *place = json!(format!("{folder}/{name}{}", ending.unwrap_or_default()));
            }
            Self::Raw(text) => *place = raws.mark(text),
        }
        Some(())
    }
}

fn zero(place: &mut Value) {
    match place {
        Value::Number(number) => *number = 0.into(),
        Value::Array(items) => items.iter_mut().for_each(zero),
        Value::Object(members) => members.values_mut().for_each(zero),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A number, as an integer if it is one.
pub(super) fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}

/// The texts that replace the marks.
#[derive(Debug, Default)]
pub(super) struct RawTexts {
    /// The mark as it is written, including quotation marks, and its replacement.
    texts: Vec<(String, String)>,
}

impl RawTexts {
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A value that is a mark for this text.
    fn mark(&mut self, text: &str) -> Value {
        let mark = format!("{MARK}{}", self.texts.len());
        self.texts.push((format!("\"{mark}\""), text.to_owned()));
        Value::String(mark)
    }

    /// Writes a member before all others, even if its key exists already.
    fn twice(&mut self, members: &mut Map<String, Value>, key: &str, text: &str) {
        let mark = format!("{MARK}{}", self.texts.len());
        let key = Value::from(key);
        self.texts.push((format!("\"{mark}\":null"), format!("{key}:{text}")));
        members.shift_insert(0, mark, Value::Null);
    }

    /// The value as JSON text, with the marks replaced.
    pub(super) fn written(&self, value: &Value) -> String {
        self.texts.iter().fold(value.to_string(), |text, (mark, raw)| text.replacen(mark, raw, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_changes_one_place_and_nothing_else() {
        let value = json!({"names": [{"name": "a"}, {"name": "b", "tags": ["y"]}], "path": "/w/data.csv"});
        let edited = |pointed: &str, edit: &Edit| {
            let step = |step: &str| if step == "-" { Step::Last } else { Step::Key(step.to_owned()) };
            let path: Vec<Step> = pointed.split('/').skip(1).map(step).collect();
            let mut changed = value.clone();
            edit.apply(&mut changed, &path, &mut RawTexts::default())?;
            Some(changed.pointer(&pointer(&path, &value)).cloned().unwrap_or_default())
        };
        let more = Edit::Members(vec![("name".to_owned(), json!("c"))]);
        for (place, edit, expected) in [
            ("/names/-/name", Edit::Set(json!("c")), Some(json!("c"))),
            ("/names/-/new", Edit::Set(json!("c")), Some(json!("c"))),
            ("/names/-", more, Some(json!({"name": "c", "tags": ["y"]}))),
            ("/names/-/name", Edit::Remove, Some(json!(null))),
            ("/names/-", Edit::Remove, None),
            ("/names/-/tags", Edit::Repeat, Some(json!(["y", "y"]))),
            ("/names/-/tags", Edit::Add(json!("z")), Some(json!(["y", "z"]))),
            ("/names/-/none/-", Edit::Set(json!(1)), None),
            ("/path", Edit::Beside("absent".to_owned()), Some(json!("/w/absent.csv"))),
        ] {
            assert_eq!(edited(place, &edit), expected, "{place} {edit:?}");
        }
        for (edit, before, after) in [
            (Edit::Ragged, json!([[1, 2]]), json!([[1, 2], [1, 2, 2]])),
            (Edit::Zeros, json!([[1, 2.5], ["a"]]), json!([[0, 0], ["a"]])),
            (Edit::Reverse, json!([1, 2]), json!([2, 1])),
            (Edit::Beside("absent".to_owned()), json!("/w/sub"), json!("/w/absent")),
        ] {
            let mut value = before;
            edit.apply(&mut value, &[], &mut RawTexts::default()).unwrap();
            assert_eq!(value, after);
        }
    }
}
