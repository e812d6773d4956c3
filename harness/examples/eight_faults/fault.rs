//! The eight kinds of fault: what brings each about, and how it shows.
//!
//! The main type is [`Fault`]. Where one shows as a reply, the reply keeps the contract in all else: it breaks one rule.

use std::fmt;

use serde_json::{Value, json};

use crate::shape::whole;

/// One fault at one place of a tool's arguments.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    /// The parameter, with the object around it where it stands in one.
    pub(crate) spot: Vec<&'static str>,
    pub(crate) kind: Kind,
}

/// What is wrong.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// The process aborts on a number of this range.
    CrashOnNumber { least: i64, most: i64 },
    /// The process answers nothing more after a text of at least this many characters.
    HangOnLongText { characters: usize },
    /// A path that ends with a slash brings the runtime's own words out.
    LeakOnTrailingSlash(&'static str),
    /// The first item of an empty list is taken.
    IndexErrorOnEmptyList(&'static str),
    /// A text is cut at this byte, wherever characters begin.
    PanicOnEmoji { byte: usize, showing: Showing },
    /// What was made and deleted is half there.
    LeakAfterDelete(&'static str),
    /// A value of a closed set in other letters is reported in the words of a debugger.
    DebugFormatOnCase { values: Vec<&'static str>, output: &'static str },
    /// A member of an object that is missing is printed.
    UndefinedOnMissingKey { key: &'static str },
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

impl Kind {
    /// Its name, which `--list` tells.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::CrashOnNumber { .. } => "crash-on-number",
            Self::HangOnLongText { .. } => "hang-on-long-text",
            Self::LeakOnTrailingSlash(_) => "leak-on-trailing-slash",
            Self::IndexErrorOnEmptyList(_) => "index-error-on-empty-list",
            Self::PanicOnEmoji { .. } => "panic-on-emoji",
            Self::LeakAfterDelete(_) => "leak-after-delete",
            Self::DebugFormatOnCase { .. } => "debug-format-on-case",
            Self::UndefinedOnMissingKey { .. } => "undefined-on-missing-key",
        }
    }

    /// The group or the id of the rule that it breaks.
    pub(crate) fn rule(&self) -> &'static str {
        match self {
            Self::CrashOnNumber { .. } | Self::PanicOnEmoji { showing: Showing::Ends, .. } => {
                "liveness/crash"
            }
            Self::HangOnLongText { .. } | Self::PanicOnEmoji { showing: Showing::Unanswered, .. } => {
                "liveness/no-reply"
            }
            Self::PanicOnEmoji { showing: Showing::Told, .. } => "leak/panic",
            Self::LeakOnTrailingSlash(_) | Self::IndexErrorOnEmptyList(_) | Self::LeakAfterDelete(_) => {
                "leak/"
            }
            Self::DebugFormatOnCase { .. } => "leak/debug-format",
            Self::UndefinedOnMissingKey { .. } => "leak/format-accident",
        }
    }
}

impl Fault {
    /// What the fault does to a call with these arguments, which hold nothing that the schema forbids but for what the
    /// fault is about; nothing where it is not brought about.
    pub(crate) fn shows(&self, arguments: &Value) -> Option<Showed> {
        let value = self.spot.iter().try_fold(arguments, |value, key| value.get(key));
        let name = self.spot.join(".");
        match (&self.kind, value?) {
            (Kind::CrashOnNumber { least, most }, value) => {
                let number = whole(value)?;
                let hit = number >= i128::from(*least) && number <= i128::from(*most);
                hit.then(|| {
                    Showed::Abort(format!("memory allocation of {} bytes failed", number.saturating_mul(48)))
                })
            }
            (Kind::HangOnLongText { characters }, Value::String(text)) => {
                (text.chars().count() >= *characters).then_some(Showed::Hang)
            }
            (Kind::LeakOnTrailingSlash(words), Value::String(path)) => (path.len() > 1 && path.ends_with('/'))
                .then(|| {
                    let words = words.replace("{}", path);
                    Showed::Reply(format!(
                        "[PATH_NOT_FOUND] Could not open '{path}' ({words}). Check the path."
                    ))
                }),
            (Kind::IndexErrorOnEmptyList(words), Value::Array(items)) => items.is_empty().then(|| {
                Showed::Reply(format!("[INVALID_INPUT] Could not use '{name}' ({words}). Give one number at least."))
            }),
            (Kind::PanicOnEmoji { byte, showing }, Value::String(text)) => {
                if text.len() <= *byte || text.is_char_boundary(*byte) {
                    return None;
                }
                let words = panic_words(text, *byte);
                Some(match showing {
                    Showing::Told => Showed::Reply(format!(
                        "[INVALID_INPUT] Could not cut '{name}' short: {words}. Give a shorter text."
                    )),
                    Showing::Unanswered => Showed::Silence(words),
                    Showing::Ends => Showed::Panic(words),
                })
            }
            (Kind::DebugFormatOnCase { values, output }, Value::String(given)) => {
                let differs = |value: &&str| value.eq_ignore_ascii_case(given) && *value != given;
                values.iter().any(differs).then(|| {
                    let output = output.replace("{}", given);
                    let values = values.join(", ");
                    Showed::Reply(format!("[INVALID_INPUT] '{name}' cannot be '{given}' ({output}). Valid values: {values}."))
                })
            }
            (Kind::UndefinedOnMissingKey { key }, Value::Object(members)) => {
                (!members.contains_key(*key)).then(|| {
                    Showed::Reply(format!(
                        "[INVALID_INPUT] Could not use the value 'undefined' for '{name}.{key}'. Give a whole number."
                    ))
                })
            }
            _ => None,
        }
    }

    /// The smallest arguments that bring it about, made from the smallest ones that the tool takes; a sequence of calls
    /// is no matter of arguments and gives none.
    pub(crate) fn smallest(&self, mut arguments: Value) -> Option<Value> {
        let (last, around) = self.spot.split_last()?;
        let at = around.iter().try_fold(&mut arguments, |value, key| value.get_mut(key))?;
        match &self.kind {
            Kind::CrashOnNumber { least, .. } => at[*last] = json!(least),
            Kind::HangOnLongText { characters } => at[*last] = json!("a".repeat(*characters)),
            Kind::LeakOnTrailingSlash(_) => at[*last] = json!("a/"),
            Kind::IndexErrorOnEmptyList(_) => at[*last] = json!([]),
            Kind::PanicOnEmoji { byte, .. } => {
                // Characters of four bytes begin at 0, 4, 8; one letter before them moves a border off the byte.
                let letter = if byte % 4 == 0 { "a" } else { "" };
                let emoji = (byte - letter.len()) / 4 + 1;
                at[*last] = json!(format!("{letter}{}", "\u{1f600}".repeat(emoji)));
            }
            Kind::LeakAfterDelete(_) => return None,
            Kind::DebugFormatOnCase { values, .. } => at[*last] = json!(capital(values[0])),
            Kind::UndefinedOnMissingKey { key } => {
                at[*last].as_object_mut()?.shift_remove(*key);
            }
        }
        Some(arguments)
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What Rust says of a text that is cut within a character.
fn panic_words(text: &str, byte: usize) -> String {
    let start = (0..byte).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let letter = text[start..].chars().next().unwrap_or_default();
    let bytes = start..start + letter.len_utf8();
    format!(
        "thread 'main' panicked at src/preview.rs:41:18:\nend byte index {byte} is not a char boundary; it is inside {letter:?} (bytes {bytes:?} of string)"
    )
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.spot.join(".");
        match &self.kind {
            Kind::CrashOnNumber { least, most } => {
                write!(formatter, "the process aborts where {name} is from {least} to {most}")
            }
            Kind::HangOnLongText { characters } => {
                write!(formatter, "the process hangs where {name} has at least {characters} characters")
            }
            Kind::LeakOnTrailingSlash(_) => write!(formatter, "leaks where {name} ends with a slash"),
            Kind::IndexErrorOnEmptyList(_) => write!(formatter, "leaks where {name} is empty"),
            Kind::PanicOnEmoji { byte, showing } => {
                let showing = match showing {
                    Showing::Told => "tells of a panic",
                    Showing::Unanswered => "leaves the call unanswered",
                    Showing::Ends => "the process ends",
                };
                write!(formatter, "{showing} where byte {byte} of {name} is within a character")
            }
            Kind::LeakAfterDelete(_) => {
                write!(formatter, "leaks where {name} was created and deleted before")
            }
            Kind::DebugFormatOnCase { .. } => {
                write!(formatter, "tells a debugger's words where {name} is a valid value in other letters")
            }
            Kind::UndefinedOnMissingKey { key } => {
                write!(formatter, "says `undefined` where {name} has no member {key}")
            }
        }
    }
}
