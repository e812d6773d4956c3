//! A text as the signs read it, without what the caller sent, courtesies and a runtime's own words.

use std::borrow::Cow;

use regex::Captures;

use super::Asked;
use super::sign::{cut, is_distinct};
use crate::pattern;
use crate::wording::echo::FILL;
use crate::wording::mention;

/// The character that replaces an echo, the caller's own folders and the tool's name.
pub(super) const SENT: char = FILL as char;

/// A text in the forms that the signs need.
pub(super) struct View<'t> {
    /// The text, as it was received.
    pub(super) raw: &'t str,
    /// With each byte of an echo blanked.
    pub(super) blank: String,
    /// With each echo replaced by one [`SENT`], and without a runtime's own words.
    pub(super) echoed: String,
    /// Without courtesies too.
    pub(super) text: String,
    /// With paths and the tool's name replaced by [`SENT`] too.
    pub(super) plain: String,
}

impl<'t> View<'t> {
    pub(super) fn of(raw: &'t str, asked: &Asked<'_>) -> Self {
        let blank = asked.echo.blank(raw);
        let echoed = cut("runtime").replace_all(&once(&blank), " ").into_owned();
        let text = cut("courtesy").replace_all(&echoed, " ").into_owned();
        let plain = pattern!("text/path").replace_all(&text, "\u{1a}");
        let plain = match is_distinct(asked.tool) && mention::stands_in(&plain, asked.tool) {
            true => Cow::Owned(plain.replace(asked.tool, "\u{1a}")),
            false => plain,
        };
        let plain = once(&plain).into_owned();
        let plain = without_numbers_by_name(&plain, asked).unwrap_or(plain);
        Self { raw, blank, echoed, text, plain }
    }

    /// The forms that the signs' expressions are matched against: the text, and if it contains
    /// `mutually_exclusive` as a phrase and not as a name from the server, also with that in words.
    pub(super) fn in_words(&self, asked: &Asked<'_>) -> Vec<Cow<'_, str>> {
        let mut texts = vec![Cow::Borrowed(self.plain.as_str())];
        if self.plain.contains('_') {
            let known = |name: &str| asked.parameters.contains(&name) || asked.tools.contains(&name);
            let spelled = pattern!("text/snake-case").replace_all(&self.plain, |found: &Captures<'_>| {
                match known(&found[0]) {
                    true => found[0].to_owned(),
                    false => found[0].replace('_', " "),
                }
            });
            texts.extend((spelled != self.plain).then(|| Cow::Owned(spelled.into_owned())));
        }
        texts
    }

    /// The text for finding numbers: everything that was sent is blanked except numbers.
    pub(super) fn for_numbers(&self) -> String {
        let mut bytes = self.blank.clone().into_bytes();
        for found in pattern!("text/blank").find_iter(&self.blank) {
            if self.raw.get(found.range()).is_some_and(|sent| sent.parse::<f64>().is_ok()) {
                bytes[found.range()].copy_from_slice(self.raw[found.range()].as_bytes());
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        pattern!("text/path").replace_all(&text, "\u{1a}").into_owned()
    }
}

/// A text without each number that was sent and stands behind its parameter's name, if there is one: `limit 0` gives no limit.
fn without_numbers_by_name(text: &str, asked: &Asked<'_>) -> Option<String> {
    let arguments = asked.arguments.as_object()?;
    let numbers = arguments.iter().filter(|(_, value)| value.is_number());
    let numbers: Vec<(&String, String)> = numbers.map(|(name, value)| (name, value.to_string())).collect();
    if numbers.is_empty() {
        return None;
    }
    let is_it = |found: &Captures<'_>| {
        numbers
            .iter()
            .any(|(name, value)| found["name"].eq_ignore_ascii_case(name) && found["value"] == *value)
    };
    let replaced =
        pattern!("text/name-and-number").replace_all(text, |found: &Captures<'_>| match is_it(found) {
            true => SENT.to_string(),
            false => found[0].to_owned(),
        });
    match replaced {
        Cow::Owned(replaced) => Some(replaced),
        Cow::Borrowed(_) => None,
    }
}

/// A text with each run of white space reduced to one.
fn once(blank: &str) -> Cow<'_, str> {
    pattern!("text/run-of-blanks").replace_all(blank, "\u{1a}")
}
