//! The eight kinds of fault: what brings each about, and how it shows.
//!
//! The main type is [`Fault`]. Where one shows as a reply, the reply keeps the contract in all else: it breaks one rule.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::check::{refusal, smallest, whole};
use crate::plan::Tool;
use crate::store::Store;

/// The fault of one parameter.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) parameter: String,
    /// What its schema is.
    pub(crate) schema: Value,
    /// What comes out; for an object the member that must not be missing.
    pub(crate) words: String,
    /// The smallest number, the shortest text or the byte that brings it about.
    pub(crate) threshold: u64,
    pub(crate) showing: Showing,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// The process aborts on a number from the threshold to ten times as much.
    CrashOnNumber,
    /// The process answers nothing more after a text of at least so many characters.
    HangOnLongText,
    /// A path that ends with a slash brings the runtime's own words out.
    LeakOnTrailingSlash,
    /// The first item of an empty list is taken.
    IndexErrorOnEmptyList,
    /// A text is cut at a byte, wherever characters begin.
    PanicOnEmoji,
    /// What was made and deleted is half there.
    LeakAfterDelete,
    /// A value of a closed set in other letters is reported in the words of a debugger.
    DebugFormatOnCase,
    /// A member of an object that is missing is printed.
    UndefinedOnMissingKey,
}

/// How a panic shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Showing {
    /// It is caught, and told in the reply.
    Told,
    /// It is caught, and the call is never answered, as an SDK does that runs each call in a task of its own.
    Unanswered,
    /// It ends the process.
    Ends,
}

/// What a fault does to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Showed {
    /// An error reply with this text.
    Reply(String),
    /// No reply to this call; these words on standard error.
    Silence(String),
    /// No reply to any call.
    Hang,
    /// The process aborts after these words on standard error.
    Abort(String),
    /// The process ends with the exit code of a panic after these words on standard error.
    Panic(String),
}

impl Fault {
    /// The group or the id of the rule that it breaks.
    pub(crate) fn rule(&self) -> &'static str {
        match (self.kind, self.showing) {
            (Kind::CrashOnNumber, _) | (Kind::PanicOnEmoji, Showing::Ends) => "liveness/crash",
            (Kind::HangOnLongText, _) | (Kind::PanicOnEmoji, Showing::Unanswered) => "liveness/no-reply",
            (Kind::PanicOnEmoji, Showing::Told) => "leak/panic",
            (Kind::LeakOnTrailingSlash | Kind::IndexErrorOnEmptyList | Kind::LeakAfterDelete, _) => "leak/",
            (Kind::DebugFormatOnCase, _) => "leak/debug-format",
            (Kind::UndefinedOnMissingKey, _) => "leak/format-accident",
        }
    }

    /// What the fault does to a call of its tool; nothing where it is not brought about, or where anything else is wrong with
    /// the arguments: that is refused before the fault is met.
    pub(crate) fn shows(&self, tool: &Tool, arguments: &Value, store: &Store) -> Option<Showed> {
        let showed = self.brought_about(arguments.get(&self.parameter)?, store)?;
        let mut fixed = arguments.clone();
        fixed[&self.parameter] = smallest(&self.schema);
        refusal(&tool.schema, "", &fixed).is_none().then_some(showed)
    }

    fn brought_about(&self, value: &Value, store: &Store) -> Option<Showed> {
        let Self { parameter: name, words, threshold, .. } = self;
        let told =
            |code: &str, what: String, hint: &str| Some(Showed::Reply(format!("[{code}] {what}. {hint}")));
        match (self.kind, value) {
            (Kind::CrashOnNumber, value) => {
                let (number, least) = (whole(value)?, i128::from(*threshold));
                (least..=10 * least).contains(&number).then(|| Showed::Abort(words.clone()))
            }
            (Kind::HangOnLongText, Value::String(text)) => {
                (text.chars().count() as u64 >= *threshold).then_some(Showed::Hang)
            }
            (Kind::LeakOnTrailingSlash, Value::String(path)) if path.len() > 1 && path.ends_with('/') => {
                let what = format!("Could not open '{path}' ({})", words.replace("{}", path));
                told("PATH_NOT_FOUND", what, "Check the path.")
            }
            (Kind::IndexErrorOnEmptyList, Value::Array(items)) if items.is_empty() => told(
                "INVALID_INPUT",
                format!("Could not use '{name}' ({words})"),
                "Give one number at least.",
            ),
            (Kind::PanicOnEmoji, Value::String(text)) => {
                let byte = *threshold as usize;
                if text.len() <= byte || text.is_char_boundary(byte) {
                    return None;
                }
                match self.showing {
                    Showing::Told => {
                        let what = format!("Could not cut '{name}' short: {words}");
                        told("INVALID_INPUT", what, "Give a shorter text.")
                    }
                    Showing::Unanswered => Some(Showed::Silence(words.clone())),
                    Showing::Ends => Some(Showed::Panic(words.clone())),
                }
            }
            (Kind::LeakAfterDelete, Value::String(id)) if store.deleted.contains(id) => {
                let what = format!("Could not show '{id}' ({})", words.replace("{}", id));
                told("INVALID_INPUT", what, "Check the name.")
            }
            (Kind::DebugFormatOnCase, Value::String(given)) => {
                let values = self.schema["enum"].as_array()?.iter().filter_map(Value::as_str);
                let values: Vec<&str> = values.collect();
                let differs = |value: &&str| value.eq_ignore_ascii_case(given) && *value != given;
                values.iter().any(differs).then_some(())?;
                let what = format!("'{name}' cannot be '{given}' ({})", words.replace("{}", given));
                told("INVALID_INPUT", what, &format!("Valid values: {}.", values.join(", ")))
            }
            (Kind::UndefinedOnMissingKey, Value::Object(members)) if !members.contains_key(words) => {
                let what = format!("Could not use the value 'undefined' for '{name}.{words}'");
                told("INVALID_INPUT", what, "Give a whole number.")
            }
            _ => None,
        }
    }

    /// The smallest arguments that bring it about, made from the smallest ones that the tool takes; a sequence of calls
    /// is no matter of arguments and gives none.
    pub(crate) fn smallest(&self, mut arguments: Value) -> Option<Value> {
        let threshold = self.threshold as usize;
        let value = &mut arguments[&self.parameter];
        match self.kind {
            Kind::CrashOnNumber => *value = json!(threshold),
            Kind::HangOnLongText => *value = json!("a".repeat(threshold)),
            Kind::LeakOnTrailingSlash => *value = json!("a/"),
            Kind::IndexErrorOnEmptyList => *value = json!([]),
            Kind::PanicOnEmoji => {
                // Characters of four bytes begin at 0, 4, 8; one letter before them moves a border off the byte.
                let letter = if threshold.is_multiple_of(4) { "a" } else { "" };
                let emoji = (threshold - letter.len()) / 4 + 1;
                *value = json!(format!("{letter}{}", "\u{1f600}".repeat(emoji)));
            }
            Kind::LeakAfterDelete => return None,
            Kind::DebugFormatOnCase => *value = json!(self.schema["enum"][0].as_str()?.to_uppercase()),
            Kind::UndefinedOnMissingKey => drop(value.as_object_mut()?.shift_remove(&self.words)),
        }
        Some(arguments)
    }
}
