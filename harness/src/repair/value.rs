//! The value that a parameter gets when a message asks for a change.
//!
//! The main function is [`Reader::candidates`]. Values that could be executed, opened or sent are never taken from a message,
//! but drawn from a harmless grammar.

use serde_json::{Value, json};

use super::Reader;
use super::guard::Guard;
use super::path::may_be_repository;
use super::requested::{BoundUnit, RequestedChange, RequestedPath};
use super::slot::ArgumentSlot;
use crate::class::Class;
use crate::generate::executable::{CodeLanguage, DrawReferences, ExecutableKind, bound_executable_kind};
use crate::generate::{Draw, TextUse, ToolFiles, named, plain_name};
use crate::json_schema::{flattened, is_of_type, types};
use crate::plan::{PROBED_PAGE, relative};

/// A text is extended to at most this length, whatever a message says.
const LONG: f64 = 4_096.0;
/// A list is extended to at most this many items.
const ITEMS: f64 = 16.0;
/// At most this many draws are made to find an executable value that differs from the one sent.
const DRAWS: usize = 8;

impl Reader<'_> {
    /// The values that would satisfy the request, the likeliest first.
    pub(super) fn candidates(&self, slot: &ArgumentSlot, requested: &RequestedChange) -> Vec<Value> {
        if let Some(meant) = self.meant(slot, requested) {
            return vec![meant.clone()];
        }
        match (self.executable(slot), requested) {
            // The texts for formats are ours, and do nothing as expressions.
            (Some(ExecutableKind::Code(CodeLanguage::Other)), RequestedChange::Form(_)) | (None, _) => {}
            (Some(ExecutableKind::Sql), RequestedChange::Form(_)) if self.known.class != Class::Read => {}
            (_, RequestedChange::Meant(_)) => {}
            (Some(kind), _) => {
                let meant = self.known.meant.and_then(|meant| slot.value_in(meant)).cloned();
                let meant = meant.filter(|meant| slot.sent.as_ref() != Some(meant));
                return meant.or_else(|| self.drawn(kind, slot)).into_iter().collect();
            }
        }
        let reading = if slot.is_path() { TextUse::Path } else { TextUse::Text };
        let one = |value: Option<Value>| value.into_iter().collect::<Vec<_>>();
        let made = match requested {
            RequestedChange::Absent | RequestedChange::Renamed(_) => Vec::new(),
            RequestedChange::Given => one(self.fresh(slot)),
            RequestedChange::OneOf(values)
                if values.iter().all(|value| is_ending(value)) && !is_kind(slot) =>
            {
                let ended = values.iter().filter_map(|ending| ended(slot, ending));
                ended.filter(|text| self.guard.takes(text, reading)).map(Value::String).collect()
            }
            RequestedChange::OneOf(values) => {
                let taken = values.iter().filter(|value| self.guard.takes(value, reading));
                taken.filter_map(|value| typed(value, slot)).collect()
            }
            RequestedChange::Like(text) => {
                let text = if text.contains("://") { self.address() } else { Some(text.clone()) };
                one(text.filter(|text| self.guard.takes(text, reading)).and_then(|text| typed(&text, slot)))
            }
            RequestedChange::Examples(texts) => {
                let taken = texts.iter().filter(|text| self.guard.takes_shown(text, reading));
                taken.filter_map(|text| typed(text, slot)).collect()
            }
            RequestedChange::Form(text) => one(typed(text, slot)),
            RequestedChange::Set(value) | RequestedChange::Fitting(value) => one(Some(value.clone())),
            RequestedChange::Shown(value) => {
                one(Some(value.clone()).filter(|value| self.takes(value, reading)))
            }
            // It was already sent in a successful call.
            RequestedChange::Meant(value) => return one(Some(value.clone())),
            RequestedChange::Bound { least, most, of } => {
                one(bounded(slot, *least, *most, *of, self.fresh(slot)))
            }
            RequestedChange::Kind(kind) => one(converted(slot, kind).or_else(|| self.fresh(slot))),
            RequestedChange::Path(requested) => {
                self.paths(slot, requested).into_iter().map(Value::String).collect()
            }
        };
        made.into_iter()
            .filter(|value| slot.sent.as_ref() != Some(value) && self.guard.passes(value, reading))
            .collect()
    }

    /// The value that the caller intended, if the message asks for something only the caller can know, and the
    /// value satisfies it. No message needs to say which file or text somebody wants.
    fn meant(&self, slot: &ArgumentSlot, requested: &RequestedChange) -> Option<&Value> {
        let meant = slot.value_in(self.known.meant?)?;
        let text = meant.as_str().unwrap_or_default();
        let does = match requested {
            RequestedChange::Given => true,
            RequestedChange::Kind(kind) => is_of_type(meant, kind),
            RequestedChange::Path(
                RequestedPath::File
                | RequestedPath::FileNotFolder
                | RequestedPath::Folder
                | RequestedPath::FolderNotFile
                | RequestedPath::FolderOf(_)
                | RequestedPath::Repository,
            ) => meant.is_string(),
            RequestedChange::Path(RequestedPath::Below(root)) => text.starts_with(root.as_str()),
            RequestedChange::Path(RequestedPath::Ending(endings)) => {
                endings.iter().any(|ending| text.to_ascii_lowercase().ends_with(&format!(".{ending}")))
            }
            RequestedChange::Path(RequestedPath::Absolute) => text.starts_with('/'),
            RequestedChange::Path(RequestedPath::Relative) => meant.is_string() && !text.starts_with('/'),
            _ => false,
        };
        (does && slot.sent.as_ref() != Some(meant)).then_some(meant)
    }

    /// In which way the server executes, opens or sends the value, if it does.
    fn executable(&self, slot: &ArgumentSlot) -> Option<ExecutableKind> {
        bound_executable_kind(self.known.tool, self.known.bindings, &slot.name, &slot.schema)
    }

    /// Whether a value from a message may be sent.
    fn takes(&self, value: &Value, reading: TextUse) -> bool {
        match value {
            Value::String(text) => text.is_empty() || self.guard.takes(text, reading),
            Value::Number(number) => number.as_f64().is_some_and(Guard::takes_number),
            Value::Array(items) => items.len() <= 16 && items.iter().all(|item| self.takes(item, reading)),
            Value::Null | Value::Bool(_) => true,
            Value::Object(_) => false,
        }
    }

    /// A harmless draw that differs from what was sent.
    fn drawn(&self, kind: ExecutableKind, slot: &ArgumentSlot) -> Option<Value> {
        let files = [self.known.tool_files.file(), self.known.tool_files.sub()];
        let references = DrawReferences { files: &files, upstream: self.known.tool_files.upstream() };
        (0..DRAWS)
            .map(|turn| kind.draw(&slot.schema, &references, &mut |below| turn % below))
            .find(|drawn| slot.sent.as_ref() != Some(drawn))
    }

    /// A sensible value; executable parts are drawn from the harmless grammar.
    fn fresh(&self, slot: &ArgumentSlot) -> Option<Value> {
        let draw =
            |schema: &Value| Draw::new(&self.root, self.known.tool_files, 0).parameter(&slot.name, schema);
        let says_something = |value: &Value| {
            !matches!(value, Value::Null) && ![json!(""), json!(0), json!([]), json!({})].contains(value)
        };
        let mut drawn = draw(&slot.schema)?;
        if !says_something(&drawn) {
            // The default, or an empty value, is not what a message asks for.
            let mut schema = slot.schema.clone();
            if let Some(members) = schema.as_object_mut() {
                members.remove("default");
            }
            drawn = draw(&schema).filter(says_something).unwrap_or(drawn);
        }
        self.make_harmless(&mut drawn, &slot.schema, 6);
        Some(drawn)
    }

    fn make_harmless(&self, value: &mut Value, schema: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            *value = Value::Null;
            return;
        };
        let schema = flattened(schema, &self.root).into_owned();
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    let of_member =
                        schema.get("properties").and_then(|all| all.get(name)).unwrap_or(&Value::Null);
                    let of_member = flattened(of_member, &self.root).into_owned();
                    match bound_executable_kind(self.known.tool, self.known.bindings, name, &of_member) {
                        Some(kind) => *member = kind.plainest(&of_member),
                        None => self.make_harmless(member, &of_member, depth),
                    }
                }
            }
            Value::Array(items) => {
                let of_items = schema.get("items").unwrap_or(&Value::Null);
                items.iter_mut().for_each(|item| self.make_harmless(item, of_items, depth));
            }
            _ => {}
        }
    }

    fn address(&self) -> Option<String> {
        self.known.tool_files.upstream().map(|upstream| format!("{upstream}{PROBED_PAGE}"))
    }

    /// The paths that satisfy the request, all in our own folder.
    fn paths(&self, slot: &ArgumentSlot, requested: &RequestedPath) -> Vec<String> {
        let files = self.known.tool_files;
        let sent = slot.sent_text().unwrap_or_default();
        let is_ours = sent.starts_with(files.folder());
        match requested {
            RequestedPath::File | RequestedPath::FileNotFolder if sent == files.file() => Vec::new(),
            RequestedPath::File | RequestedPath::FileNotFolder => {
                // A file of the kind that is mentioned is the likeliest.
                let described = files.path(&plain_name(&slot.name), &slot.description(), 0);
                let is_file = described.rsplit('/').next().is_some_and(|name| name.contains('.'));
                let described = Some(described).filter(|path| is_file && *path != sent);
                let plain = [files.file(), relative_to(&files.file(), self.known.workspace)];
                described.into_iter().chain(plain).collect()
            }
            RequestedPath::Ending(endings) => {
                let stocked = endings.iter().filter_map(|ending| named(ending));
                stocked.map(|file| format!("{}/{file}", files.folder())).collect()
            }
            RequestedPath::FolderOf(ending) => vec![format!("{}/of-{ending}", files.folder())],
            RequestedPath::Folder | RequestedPath::FolderNotFile
                if plain_name(&slot.name).contains("repo") && self.known.has_repository =>
            {
                vec![files.repository()]
            }
            RequestedPath::Folder | RequestedPath::FolderNotFile => vec![files.sub()],
            RequestedPath::Project => {
                let project = format!("{}/{}", files.folder(), ToolFiles::PROJECT);
                let is_file = sent.rsplit('/').next().is_some_and(|name| name.contains('.'));
                if is_file { vec![format!("{project}/index.js"), project] } else { vec![project] }
            }
            RequestedPath::Repository if self.known.has_repository => vec![files.repository()],
            RequestedPath::Repository => Vec::new(),
            RequestedPath::Absolute => vec![files.file()],
            RequestedPath::Relative if is_ours => {
                let name = sent.rsplit('/').next().unwrap_or_default().to_owned();
                vec![relative_to(&sent, self.known.workspace), relative_to(&sent, files.folder()), name]
            }
            RequestedPath::Relative => vec![ToolFiles::FILE.to_owned()],
            RequestedPath::Below(root) if *root == self.guard.repository && may_be_repository(slot) => {
                vec![root.clone()]
            }
            // A folder is requested: the root itself, if it is one of ours.
            RequestedPath::Below(root) if is_of_folder(&slot.name) => {
                let is_own = root == self.known.workspace || root.starts_with(files.folder());
                let below = files.folder().starts_with(root.as_str()).then(|| files.folder().to_owned());
                is_own.then(|| root.clone()).into_iter().chain(below).collect()
            }
            // If the root is not one of our folders, nothing is sent there.
            RequestedPath::Below(root) if files.folder().starts_with(root.as_str()) => vec![files.file()],
            RequestedPath::Below(root) if root.starts_with(files.folder()) => {
                vec![format!("{root}/{}", ToolFiles::FILE)]
            }
            RequestedPath::Below(_) => Vec::new(),
        }
    }
}

/// Whether the name of a parameter says that it takes a folder.
fn is_of_folder(name: &str) -> bool {
    let name = plain_name(name);
    ["dir", "directory", "folder", "cwd", "root", "workspace"].iter().any(|end| name.ends_with(end))
}

fn relative_to(path: &str, folder: &str) -> String {
    match relative(&Value::from(path), folder) {
        Value::String(path) => path,
        _ => path.to_owned(),
    }
}

/// A word of a message in the schema's type: as a number, or as a list.
fn typed(text: &str, slot: &ArgumentSlot) -> Option<Value> {
    let schema = &slot.schema;
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values
            .iter()
            .find(|value| *value == text || value.is_number() && value.to_string() == *text)
            .cloned();
    }
    let number = || {
        let number = text.parse::<f64>().ok().filter(|number| Guard::takes_number(*number))?;
        Some(whole(number))
    };
    match types(schema).first().copied() {
        None | Some("string") => Some(json!(text)),
        Some("integer" | "number") => number(),
        Some("boolean") => text.parse::<bool>().ok().map(Value::from),
        Some("array") => {
            let is_text = schema.pointer("/items/type").is_none_or(|kind| kind == "string");
            is_text.then(|| json!([text]))
        }
        Some(_) => None,
    }
}

/// A number without a fraction as an integer.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}

/// Whether a value is a file extension, such as `.csv`.
fn is_ending(value: &str) -> bool {
    let letters = value.strip_prefix("*.").or_else(|| value.strip_prefix('.'));
    letters.is_some_and(|letters| {
        (1..=5).contains(&letters.len()) && letters.bytes().all(|letter| letter.is_ascii_alphanumeric())
    })
}

/// Whether a parameter takes the type of a file, judged by its name.
fn is_kind(slot: &ArgumentSlot) -> bool {
    let name = plain_name(&slot.name);
    ["format", "type", "kind", "extension", "ext", "suffix"].iter().any(|end| name.ends_with(end))
}

/// The sent text with another extension; `None` if none was sent, or if it is only an extension.
fn ended(slot: &ArgumentSlot, ending: &str) -> Option<String> {
    let sent = slot.sent_text()?;
    let stem = match sent.rsplit_once('.') {
        Some((stem, end)) if is_ending(&format!(".{end}")) => stem,
        _ => sent.as_str(),
    };
    (!stem.is_empty()).then(|| format!("{stem}{}", ending.trim_start_matches('*')))
}

/// The sent value, or else a fresh one, moved within a bound.
fn bounded(
    slot: &ArgumentSlot,
    least: Option<f64>,
    most: Option<f64>,
    of: BoundUnit,
    fresh: Option<Value>,
) -> Option<Value> {
    let within = |size: f64| {
        let size = least.map_or(size, |least| size.max(least));
        most.map_or(size, |most| size.min(most))
    };
    let sent = slot.sent.clone().filter(|sent| !sent.is_null()).or(fresh)?;
    match sent {
        Value::String(text) if of == BoundUnit::Length => {
            let count =
                Some(within(text.chars().count() as f64)).filter(|count| (0.0..=LONG).contains(count))?;
            let padded = text.chars().chain(std::iter::repeat('a'));
            Some(Value::String(padded.take(count as usize).collect()))
        }
        Value::String(text) => {
            let number = text.trim().parse().unwrap_or(1.0);
            let number = Some(within(number)).filter(|number| Guard::takes_number(*number))?;
            Some(if slot.takes("string") { json!(whole(number).to_string()) } else { whole(number) })
        }
        Value::Array(items) => {
            let count = Some(within(items.len() as f64)).filter(|count| (0.0..=ITEMS).contains(count))?;
            let more = items.last().cloned()?;
            let padded = items.into_iter().chain(std::iter::repeat(more));
            Some(padded.take(count as usize).collect())
        }
        other => {
            let number = other.as_f64().unwrap_or(1.0);
            let number = whole(Some(within(number)).filter(|number| Guard::takes_number(*number))?);
            // The schema wants a text: a number's digits are one.
            let is_text = !slot.takes("number") && !slot.takes("integer") && slot.takes("string");
            Some(if is_text { json!(number.to_string()) } else { number })
        }
    }
}

/// The sent value converted to another JSON type; `None` if that is impossible.
fn converted(slot: &ArgumentSlot, kind: &str) -> Option<Value> {
    let sent = slot.sent.as_ref()?;
    let text = match sent {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let parsed = || serde_json::from_str::<Value>(&text).ok().filter(|value| is_of_type(value, kind));
    match kind {
        // The schema requires a text, so the digits of a number are given as one.
        "integer" | "number" if !slot.takes(kind) && slot.takes("string") => {
            text.parse::<f64>().is_err().then(|| json!("1"))
        }
        "integer" => parsed().or_else(|| {
            text.parse::<f64>().ok().filter(|n| Guard::takes_number(*n)).map(|n| json!(n as i64))
        }),
        "string" if !sent.is_object() && !sent.is_array() => Some(json!(text)),
        "array" if !sent.is_array() => {
            let fits = slot
                .schema
                .pointer("/items/type")
                .and_then(Value::as_str)
                .is_none_or(|of| is_of_type(sent, of));
            fits.then(|| json!([sent]))
        }
        _ => parsed(),
    }
}
