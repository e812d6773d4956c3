//! Converts a case's arguments to those of a tool.
//!
//! The main type is [`Composed`]. A binding gives the place of each of the role's parameters, and this module
//! puts the values there, without using the schema.

use serde_json::{Map, Value};

use crate::argument::{Argument, Arguments};

use super::slot::plain;
use super::vocabulary::VOCABULARY;
use super::{Binding, Role};

/// The arguments of a tool's call.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// The arguments as JSON; a raw argument is given as a string of its text.
    pub arguments: Value,
    /// The JSON text to send, with raw arguments byte for byte.
    pub text: String,
}

/// The error that the tool has no place for one of the case's arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{tool} has no parameter for `{parameter}`")]
pub struct Unplaced {
    /// The tool.
    pub tool: String,
    /// The role's parameter.
    pub parameter: String,
}

impl Binding {
    /// The tool's arguments for those of a case, whose tokens are already replaced.
    ///
    /// `without` leaves out one of the role's parameters. If it is in an item of an array, the item stays as
    /// long as it has other members.
    ///
    /// # Errors
    /// If the tool has no parameter for one of them.
    pub fn compose(&self, arguments: &Arguments, without: Option<&str>) -> Result<Composed, Unplaced> {
        let place = |parameter: &str| {
            // A member of a list within a list has no place of its own: it is given with the list.
            let path = self.parameters.get(parameter).filter(|path| path.matches("[]").count() < 2);
            let place = path.map(|path| Place::read(path));
            place.ok_or_else(|| Unplaced { tool: self.tool.clone(), parameter: parameter.to_owned() })
        };
        let mut composed = self.fixed.clone();
        let mut raws = Vec::new();
        for (parameter, argument) in &arguments.0 {
            let value = match argument {
                Argument::Json(value) => match self.parameters.get(parameter) {
                    Some(path) => self.listed(path, &self.adapt(parameter, value))?,
                    None => value.clone(),
                },
                Argument::Raw(raw) => {
                    raws.push((place(parameter)?, raw));
                    Value::String(raw.clone())
                }
            };
            place(parameter)?.put(&mut composed, value);
        }
        let left_out = without.map(place).transpose()?;
        if let Some(left_out) = &left_out {
            left_out.remove(&mut composed);
        }
        raws.retain(|(place, _)| left_out.as_ref() != Some(place));
        let text = spliced(&composed, &raws);
        Ok(Composed { arguments: Value::Object(composed), text })
    }

    /// The tool's own name for a role's parameter, for messages: `oldText` for `edits[].oldText`.
    pub fn name(&self, parameter: &str) -> Option<&str> {
        let path = self.parameters.get(parameter)?;
        path.rsplit('.').next().and_then(|name| name.split('[').next())
    }

    /// A list with the role's names for its items' members replaced by the tool's; other values are returned
    /// unchanged. `path` is the place of the list.
    fn listed(&self, path: &str, value: &Value) -> Result<Value, Unplaced> {
        let Value::Array(items) = value else { return Ok(value.clone()) };
        let within = format!("{path}[].");
        let member = |(name, value): (&String, &Value)| {
            let place = self.parameters.get(name);
            let place = place.filter(|place| {
                place.strip_prefix(&within).is_some_and(|own| !own.contains('.') && !own.contains('['))
            });
            let unplaced = || Unplaced { tool: self.tool.clone(), parameter: name.clone() };
            let place = place.ok_or_else(unplaced)?;
            Ok((place[within.len()..].to_owned(), self.listed(place, value)?))
        };
        let item = |item: &Value| match item {
            Value::Object(members) => {
                members.iter().map(member).collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        };
        items.iter().map(item).collect::<Result<_, _>>().map(Value::Array)
    }

    /// An address in a case that cannot be given to this tool: the tool takes addresses without the service's
    /// base, and this one is not at that service.
    pub fn unreachable<'a>(&self, arguments: &'a Arguments, upstream: &str) -> Option<&'a str> {
        let Some(Argument::Json(Value::String(address))) = arguments.get("url") else { return None };
        let below = address.strip_prefix(upstream).is_some_and(|rest| rest.starts_with('/'));
        (self.takes_paths() && !below).then_some(address)
    }

    /// Whether the parameter for an address takes it without the service's base.
    fn takes_paths(&self) -> bool {
        let name = self.name("url").filter(|_| self.role == Role::Http);
        name.is_some_and(|name| VOCABULARY.relative.contain(&plain(name)))
    }

    /// Converts a text to a number if the tool takes one, seconds to milliseconds, and an address to a path, as
    /// the tool requires.
    fn adapt(&self, parameter: &str, value: &Value) -> Value {
        if parameter == "url"
            && self.takes_paths()
            && let Some((_, rest)) = value.as_str().and_then(|address| address.split_once("://"))
        {
            let path = rest.find('/').map_or("/", |slash| &rest[slash..]);
            return path.into();
        }
        if self.milliseconds.iter().any(|name| name == parameter)
            && let Some(seconds) = value.as_u64()
        {
            return (seconds * 1000).into();
        }
        let number = value
            .as_str()
            .filter(|_| self.numbers.iter().any(|number| number == parameter))
            .and_then(|text| text.parse::<serde_json::Number>().ok());
        number.map_or_else(|| value.clone(), Value::Number)
    }
}

/// The place of a value in the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place<'p> {
    /// Such as `path`.
    Member(&'p str),
    /// Such as `paths[]`.
    Item(&'p str),
    /// Such as `edits[].oldText`.
    MemberOfItem(&'p str, &'p str),
    /// Such as `view_range[1]`.
    Element(&'p str, usize),
}

impl<'p> Place<'p> {
    fn read(path: &'p str) -> Self {
        if let Some((array, index)) = path.strip_suffix(']').and_then(|path| path.split_once('['))
            && let Ok(index) = index.parse()
        {
            return Self::Element(array, index);
        }
        match (path.split_once("[]."), path.strip_suffix("[]")) {
            (Some((array, member)), _) => Self::MemberOfItem(array, member),
            (None, Some(array)) => Self::Item(array),
            (None, None) => Self::Member(path),
        }
    }

    fn put(self, arguments: &mut Map<String, Value>, value: Value) {
        match self {
            Self::Member(name) => {
                arguments.insert(name.to_owned(), value);
            }
            Self::Item(array) => {
                arguments.insert(array.to_owned(), Value::Array(vec![value]));
            }
            Self::Element(array, index) => {
                let items = arguments.entry(array).or_insert_with(|| Value::Array(Vec::new()));
                let Value::Array(items) = items else { return };
                if items.len() <= index {
                    items.resize(index + 1, Value::Null);
                }
                items[index] = value;
            }
            Self::MemberOfItem(array, name) => {
                let items = arguments.entry(array).or_insert_with(|| Value::Array(Vec::new()));
                let Value::Array(items) = items else { return };
                if items.is_empty() {
                    items.push(Value::Object(Map::new()));
                }
                if let Value::Object(item) = &mut items[0] {
                    item.insert(name.to_owned(), value);
                }
            }
        }
    }

    fn remove(self, arguments: &mut Map<String, Value>) {
        match self {
            Self::Member(name) | Self::Item(name) | Self::Element(name, _) => {
                arguments.shift_remove(name);
            }
            Self::MemberOfItem(array, name) => {
                let Some(item) = arguments.get_mut(array).and_then(|items| items.get_mut(0)) else { return };
                let Some(members) = item.as_object_mut() else { return };
                members.shift_remove(name);
                if members.is_empty() {
                    arguments.shift_remove(array);
                }
            }
        }
    }
}

/// The JSON text of the arguments, with each raw text in its place.
fn spliced(arguments: &Map<String, Value>, raws: &[(Place<'_>, &String)]) -> String {
    let plain = Value::Object(arguments.clone()).to_string();
    // A placeholder that does not occur in the text is written first and then replaced.
    let Some(mark) =
        (0_u64..).map(|number| format!("raw-{number}-")).find(|mark| !plain.contains(mark.as_str()))
    else {
        return plain;
    };
    let mut marked = arguments.clone();
    for (number, (place, _)) in raws.iter().enumerate() {
        place.put(&mut marked, Value::String(format!("{mark}{number}")));
    }
    let marked = Value::Object(marked).to_string();
    let mut text = String::new();
    let opening = format!("\"{mark}");
    let mut parts = marked.split(opening.as_str());
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (number, rest) = part.split_once('"').unwrap_or_default();
        let raw = number.parse::<usize>().ok().and_then(|number| raws.get(number));
        text.push_str(raw.map_or("", |(_, raw)| raw));
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn binding(parameters: &[(&str, &str)], fixed: Value) -> Binding {
        let Value::Object(fixed) = fixed else { panic!("fixed arguments are an object") };
        Binding { fixed, ..Binding::of(Role::Replace, "edit_file", parameters.iter().copied()) }
    }

    fn editor() -> Binding {
        binding(&[("path", "path"), ("old", "edits[].oldText"), ("new", "edits[].newText")], json!({}))
    }

    fn arguments(arguments: &[(&str, Value)]) -> Arguments {
        Arguments(
            arguments.iter().map(|(name, value)| ((*name).into(), Argument::Json(value.clone()))).collect(),
        )
    }

    #[test]
    fn each_argument_stands_in_the_tools_place_for_it() {
        let edit = [("path", json!("/a")), ("old", json!("x")), ("new", json!("y"))];
        let (path, range) = ([("path", json!("/a"))], [("start", json!(-3)), ("end", json!(2))]);
        let files = binding(&[("path", "files[].path")], json!({}));
        // A demanded member stays beside the one that is put in.
        let ranges =
            binding(&[("path", "files[].file_path")], json!({"files": [{"ranges": [{"start": 1}]}]}));
        let shell = binding(&[("command", "command[]")], json!({}));
        let viewer = binding(&[("start", "view_range[0]"), ("end", "view_range[1]")], json!({}));
        for (binding, given, without, expected) in [
            (&editor(), &edit[..], None, r#"{"path":"/a","edits":[{"oldText":"x","newText":"y"}]}"#),
            (&editor(), &edit, Some("old"), r#"{"path":"/a","edits":[{"newText":"y"}]}"#),
            (&files, &path, Some("path"), "{}"),
            (&ranges, &path, None, r#"{"files":[{"ranges":[{"start":1}],"file_path":"/a"}]}"#),
            (&ranges, &path, Some("path"), r#"{"files":[{"ranges":[{"start":1}]}]}"#),
            (&shell, &[("command", json!(""))], None, r#"{"command":[""]}"#),
            (&viewer, &range, None, r#"{"view_range":[-3,2]}"#),
        ] {
            let composed = binding.compose(&arguments(given), without).unwrap();
            assert_eq!(composed.text, expected);
            assert_eq!(composed.text, composed.arguments.to_string());
        }
        assert_eq!((shell.name("command"), viewer.name("end")), (Some("command"), Some("view_range")));
        assert_eq!((editor().name("old"), editor().name("all")), (Some("oldText"), None));
    }

    #[test]
    fn a_value_is_sent_in_the_form_that_the_tool_takes() {
        let reader = Binding {
            numbers: vec!["task".to_owned()],
            milliseconds: vec!["timeout".to_owned()],
            ..binding(&[("task", "pid"), ("timeout", "timeout_ms")], json!({"timeout_ms": 10_000}))
        };
        let sent =
            |name: &str, value: Value| reader.compose(&arguments(&[(name, value)]), None).unwrap().text;
        assert_eq!(sent("task", json!("918273645")), r#"{"timeout_ms":10000,"pid":918273645}"#);
        assert_eq!(sent("task", json!("none")), r#"{"timeout_ms":10000,"pid":"none"}"#);
        assert_eq!(sent("timeout", json!(2)), r#"{"timeout_ms":2000}"#);
    }

    #[test]
    fn raw_text_goes_out_byte_for_byte_and_is_shown_as_a_string() {
        let given = Arguments(vec![
            ("path".into(), Argument::Json(json!("raw-0-0"))),
            ("old".into(), Argument::Raw(r#""\ud800""#.into())),
            ("new".into(), Argument::Raw("{ broken".into())),
        ]);
        let composed = editor().compose(&given, None).unwrap();
        assert_eq!(composed.text, r#"{"path":"raw-0-0","edits":[{"oldText":"\ud800","newText":{ broken}]}"#);
        assert_eq!(composed.arguments["edits"][0]["oldText"], json!(r#""\ud800""#));
        let left_out = editor().compose(&given, Some("old")).unwrap();
        assert_eq!(left_out.text, r#"{"path":"raw-0-0","edits":[{"newText":{ broken}]}"#);
    }

    #[test]
    fn an_argument_without_a_place_is_told() {
        let given = arguments(&[("path", json!("/a")), ("all", json!(true))]);
        assert_eq!(
            editor().compose(&given, None).unwrap_err().to_string(),
            "edit_file has no parameter for `all`"
        );
        assert_eq!(editor().compose(&arguments(&[]), Some("all")).unwrap_err().parameter, "all");
    }

    #[test]
    fn an_address_becomes_a_path_where_the_tool_takes_paths() {
        let tool = |name: &str| Binding { role: Role::Http, ..binding(&[("url", name)], json!({})) };
        let given = arguments(&[("url", json!("http://127.0.0.1:80/a/b?c"))]);
        let sent = |name: &str| tool(name).compose(&given, None).unwrap().text;
        assert_eq!(sent("path"), r#"{"path":"/a/b?c"}"#);
        assert_eq!(sent("url"), r#"{"url":"http://127.0.0.1:80/a/b?c"}"#);
        assert_eq!(tool("path").unreachable(&given, "http://127.0.0.1:80"), None);
        assert_eq!(tool("path").unreachable(&given, "http://127.0.0.1:8"), Some("http://127.0.0.1:80/a/b?c"));
        assert_eq!(tool("url").unreachable(&given, "http://127.0.0.1:8"), None);
    }

    proptest! {
        #[test]
        fn without_raw_arguments_the_text_says_what_the_arguments_say(path: String, old: String, new: String) {
            let given = arguments(&[("path", json!(path)), ("old", json!(old)), ("new", json!(new))]);
            let composed = editor().compose(&given, None).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&composed.text).unwrap(), composed.arguments);
        }

        #[test]
        fn a_raw_text_stands_in_the_text_as_it_was_given(path: String, raw: String) {
            let given = Arguments(vec![
                ("old".into(), Argument::Raw(raw.clone())),
                ("path".into(), Argument::Json(json!(path))),
            ]);
            let text = editor().compose(&given, None).unwrap().text;
            let end = format!("}}],\"path\":{}}}", json!(path));
            prop_assert_eq!(text, format!("{{\"edits\":[{{\"oldText\":{raw}{end}"));
        }
    }
}
