//! Values between brackets, or behind a colon, that are those which are allowed, in whichever language it is said.
//!
//! The main function is [`bracketed`].

use super::context::RepairContext;
use super::requested::{RequestedChange, StatedChange};
use super::slot::ArgumentSlot;
use crate::generate::quoted_in;
use crate::pattern;
use crate::wording::mention::{names_parameter, stands_in};

/// Values in quotation marks between brackets or with an "or" between them, or several behind a colon; where the message is about this parameter also plain
/// words between the brackets at the end of its sentence.
pub(super) fn bracketed(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    if !slot.takes("string") || slot.is_path() {
        return None;
    }
    let sent = slot.sent_text().unwrap_or_default();
    let plain = || {
        let found =
            pattern!("value/plain-in-brackets").captures(text).filter(|found| is_of_words(&found["a"]))?;
        let is_about = names_parameter(text, &slot.name) || !sent.is_empty() && stands_in(text, &sent);
        let was_sent = found["a"].split([',', '|', '/']).any(|value| around.has_sent(value.trim()));
        (is_about && !was_sent).then_some(found)
    };
    let listed = || {
        pattern!("value/quoted-in-brackets")
            .captures(text)
            .or_else(|| pattern!("value/several-behind-colon").captures(text))
            .or_else(plain)?
            .name("a")
    };
    let (found, values): (_, Vec<String>) = match listed() {
        Some(found) => {
            let marks = [',', '|', '/', '\u{3001}', '\u{ff0c}'];
            let values = found.as_str().split(marks).map(|value| value.trim().trim_matches(['\'', '"', '`']));
            (found, values.filter(|value| !value.is_empty()).map(str::to_owned).collect())
        }
        None => {
            let found = pattern!("value/choice").captures(text)?.name("a")?;
            (found, quoted_in(found.as_str()))
        }
    };
    let is_other = |value: &String| {
        around.tools.contains(&value.as_str()) || around.parameters.contains(&value.as_str())
    };
    let is_list = values.len() > 1 && !values.contains(&sent) && !values.iter().any(is_other);
    is_list.then(|| (RequestedChange::OneOf(values), found.range()))
}

/// Whether what stands between brackets are words, and neither the ends of a range nor a place in a text.
fn is_of_words(list: &str) -> bool {
    list.split([',', '|', '/']).all(|word| word.contains(|letter: char| letter.is_alphabetic()))
}
