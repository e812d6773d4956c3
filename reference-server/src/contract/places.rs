//! A rendered error changed after the fact: another code, other words, whatever the style.
//!
//! The main type is [`Places`]: where a style writes what can be changed. What a change means is not known here.

use serde_json::{Map, Value, json};

use super::{Channel, Contract, Reply};

/// Where a style of JSON writes things, by JSON Pointers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub(super) code: &'static str,
    /// The message, wherever it stands.
    pub(super) message: &'static [&'static str],
    /// A list of hints beside the message.
    pub(super) hints: Option<&'static str>,
    /// Whether a retry may help.
    pub(super) retryable: Option<&'static str>,
    /// A member that has a type and nothing else to keep.
    pub(super) typed: &'static str,
}

impl Reply {
    /// The error with another code, or without one.
    pub(crate) fn recoded(self, code: impl FnOnce(&str) -> Option<String>) -> Self {
        if let Some((old, message)) = self.bracket() {
            let text = match code(old) {
                Some(code) => format!("[{code}] {message}"),
                None => message.to_owned(),
            };
            return Self { text, ..self };
        }
        self.changed(|object, places| {
            let old = object.pointer(places.code).and_then(Value::as_str).unwrap_or_default();
            match code(old) {
                Some(code) => put(object, places.code, json!(code)),
                None => take(object, places.code),
            }
        })
    }

    /// The error with another message.
    pub(crate) fn reworded(self, words: impl Fn(&str) -> String) -> Self {
        if let Some((code, message)) = self.bracket() {
            return Self { text: format!("[{code}] {}", words(message)), ..self };
        }
        self.changed(|object, places| {
            for place in places.message {
                let old = object.pointer(place).and_then(Value::as_str).unwrap_or_default();
                put(object, place, json!(words(old)));
            }
        })
    }

    /// The error with these hints alone, where the style has hints beside the message.
    pub(crate) fn advised(self, advice: &[&str]) -> Self {
        self.changed(|object, places| {
            if let Some(hints) = places.hints {
                put(object, hints, json!(advice));
            }
        })
    }

    /// The error, of which no retry helps.
    pub(crate) fn denying_retries(self) -> Self {
        self.changed(|object, places| {
            if let Some(retryable) = places.retryable {
                put(object, retryable, json!(false));
            }
        })
    }

    /// The error with one member of another type.
    pub(crate) fn mistyped(self) -> Self {
        self.changed(|object, places| put(object, places.typed, json!(["yes"])))
    }

    /// The error with its JSON object changed; anything else as it is.
    pub(crate) fn with_members(self, change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        match serde_json::from_str(&self.text) {
            Ok(mut members) if self.channel == Channel::ToolError => {
                change(&mut members);
                Self { text: Value::Object(members).to_string(), ..self }
            }
            _ => self,
        }
    }

    /// Code and message of `[CODE] message`.
    fn bracket(&self) -> Option<(&str, &str)> {
        if self.channel != Channel::ToolError {
            return None;
        }
        self.text.strip_prefix('[')?.split_once("] ")
    }

    /// The error with a changed object; anything else as it is.
    fn changed(self, change: impl FnOnce(&mut Value, &Places)) -> Self {
        let object = serde_json::from_str::<Value>(&self.text).ok();
        let (Channel::ToolError, Some(mut object)) = (self.channel, object) else { return self };
        let places = Contract::ALL.iter().filter_map(|contract| contract.places());
        let Some(places) = places.into_iter().find(|places| object.pointer(places.code).is_some()) else {
            return self;
        };
        change(&mut object, places);
        Self { text: object.to_string(), ..self }
    }
}

fn put(object: &mut Value, place: &str, value: Value) {
    if let Some(old) = object.pointer_mut(place) {
        *old = value;
    }
}

fn take(object: &mut Value, place: &str) {
    if let Some((above, name)) = place.rsplit_once('/')
        && let Some(members) = object.pointer_mut(above).and_then(Value::as_object_mut)
    {
        members.shift_remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::{Code, Failure};
    use crate::tools::{Call, TOOLS};

    /// The error in every style.
    fn replies() -> Vec<Reply> {
        let call = Call { tool: &TOOLS[0], arguments: serde_json::Map::new(), has_arguments: true };
        let failure = Failure::new(Code::PathNotFound, "No file exists at 'a'");
        Contract::ALL.iter().map(|contract| contract.render(&call, &failure)).collect()
    }

    #[test]
    fn every_style_can_have_another_code_and_none() {
        for reply in replies() {
            let before = reply.text.clone();
            let other = reply.clone().recoded(|old| Some(format!("{old}-X")));
            let expected = ["PATH_NOT_FOUND", "FILE_NOT_FOUND", "NOT_FOUND", "file-not-found"];
            assert!(expected.iter().any(|code| other.text.contains(&format!("{code}-X"))), "{}", other.text);
            let none = reply.recoded(|_| None);
            assert!(
                none.text.len() < before.len() && none.text.contains("No file exists at 'a'."),
                "{before}"
            );
        }
    }

    #[test]
    fn every_style_can_have_another_message_and_nothing_of_the_old_one_stays() {
        for reply in replies() {
            let other = reply.reworded(|old| old.replace("No file exists", "Nothing stands"));
            assert!(other.text.contains("Nothing stands at 'a'."), "{}", other.text);
            assert!(!other.text.contains("No file exists"), "{}", other.text);
        }
    }

    #[test]
    fn what_is_no_error_of_a_style_stays_as_it_is() {
        for reply in
            [Reply::success("[A] b"), Reply::success("{\"type\": \"A\"}"), Reply::tool_error("plain")]
        {
            assert_eq!(reply.clone().recoded(|_| None).reworded(|_| String::new()).advised(&["x"]), reply);
        }
    }
}
