//! A reply that speaks of an argument of its call: one that is asked for, or one that is refused.

use std::ops::Range;

use serde_json::Value;

use super::super::echo::Echo;
use super::super::mention::{is_made_up, stands_as_word};
use super::{DisguisedError, object_of, tells_outcome};
use crate::exchange::Exchange;
use crate::names::name_words;
use crate::pattern;
use crate::placeholder::Folders;

/// A longer text may be a page that only begins like this.
const LONGEST: usize = 300;

/// The first words of a short text that asks for an argument which the call lacks, or refuses the value that it has:
/// "`file_path` is required for this mode", "Unknown mode 'alpha'. Use 'fast' or 'slow'."
pub(super) fn refused(exchange: &Exchange, text: &str) -> Option<Range<usize>> {
    let sent = exchange.call.arguments.as_object()?;
    if text.len() > LONGEST {
        return None;
    }
    let lacks = |name: &str| match sent.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(_) => false,
    };
    // A plain word may be a thing that is needed: "Docker is required".
    if let Some(found) = pattern!("failure/required").captures(text)
        && is_made_up(&found["name"])
        && lacks(&found["name"])
    {
        return found.get(0).map(|found| found.range());
    }
    let found = pattern!("failure/refused-value").captures(text)?;
    let is_of_it =
        |name: &str| name_words(name).iter().any(|word| stands_as_word(&found["name"].to_lowercase(), word));
    let is_sent = sent.iter().any(|(name, value)| value.as_str() == Some(&found["value"]) && is_of_it(name));
    found.get(0).filter(|_| is_sent).map(|found| found.range())
}

/// Whether a reply that is an error and nothing else says of a number that was sent what is wrong with it: that is not what a
/// check came to, which is about the thing that is checked.
pub(super) fn refuses_a_number(exchange: &Exchange, found: &DisguisedError) -> bool {
    let DisguisedError::Member { name, text, .. } = found else { return false };
    let Some(object) = object_of(text).filter(|object| object.len() == 1) else { return false };
    let said = object.get(name).and_then(Value::as_str).unwrap_or_default();
    let arguments = exchange.call.arguments.as_object().into_iter().flatten();
    arguments.filter(|(_, value)| value.is_number()).any(|(name, _)| stands_as_word(said, name))
}

/// Whether a reply with an error says that the thing which an argument names by its own word does not exist, such as
/// "Connection not found: x" for `connection`: then nothing was checked.
pub(super) fn misses_its_thing(exchange: &Exchange, found: &DisguisedError) -> bool {
    let DisguisedError::Member { name, text, .. } = found else { return false };
    let Some(object) = object_of(text).filter(|object| !tells_outcome(object)) else { return false };
    let said = object.get(name).and_then(Value::as_str).unwrap_or_default();
    let arguments = exchange.call.arguments.as_object().into_iter().flatten();
    pattern!("failure/absent").find(said).is_some_and(|absent| {
        let thing = absent.as_str().to_lowercase();
        let is_it = |name: &str| name_words(name).iter().any(|word| stands_as_word(&thing, word));
        arguments
            .filter(|(name, value)| value.is_string() && is_it(name))
            .any(|(_, value)| Echo::of_values(value, &Folders::default()).blank(said) != said)
    })
}
