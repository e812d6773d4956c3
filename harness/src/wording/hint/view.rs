//! A text as the signs read it: what the caller sent, courtesies and a runtime's own words are not in it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::Asked;
use super::sign::{cut, is_distinct};
use crate::expression::expression;
use crate::wording::echo::FILL;
use crate::wording::mention;

/// What stands for an echo, for the caller's own folders and for the tool's name.
pub(super) const SENT: char = FILL as char;

/// One text in the forms in which it is read.
pub(super) struct View<'t> {
    /// As it came.
    pub(super) raw: &'t str,
    /// Each byte of an echo blank.
    pub(super) blank: String,
    /// Each echo is one [`SENT`]; a runtime's own words are gone.
    pub(super) echoed: String,
    /// Courtesies are gone as well.
    pub(super) text: String,
    /// In the place of a path and of the tool's name stands [`SENT`], too.
    pub(super) plain: String,
}

impl<'t> View<'t> {
    pub(super) fn of(raw: &'t str, asked: &Asked<'_>) -> Self {
        static PATHS: LazyLock<Regex> = LazyLock::new(|| expression(r"(?:/[\w.@+~-]*[\w@+~-]){2,}"));
        let blank = asked.echo.blank(raw);
        let echoed = cut("runtime").replace_all(&once(&blank), " ").into_owned();
        let text = cut("courtesy").replace_all(&echoed, " ").into_owned();
        let plain = PATHS.replace_all(&text, "\u{1a}");
        let plain = match is_distinct(asked.tool) && mention::stands_in(&plain, asked.tool) {
            true => Cow::Owned(plain.replace(asked.tool, "\u{1a}")),
            false => plain,
        };
        let plain = once(&plain).into_owned();
        Self { raw, blank, echoed, text, plain }
    }

    /// The text as the expressions of the signs read it; once more with `mutually_exclusive` in words, where such a name is
    /// none that the server gave to something.
    pub(super) fn in_words(&self, asked: &Asked<'_>) -> Vec<Cow<'_, str>> {
        static NAME: LazyLock<Regex> = LazyLock::new(|| expression(r"[A-Za-z]+(?:_[A-Za-z]+)+"));
        let mut texts = vec![Cow::Borrowed(self.plain.as_str())];
        if self.plain.contains('_') {
            let known = |name: &str| asked.parameters.contains(&name) || asked.tools.contains(&name);
            let spelled = NAME.replace_all(&self.plain, |found: &Captures<'_>| match known(&found[0]) {
                true => found[0].to_owned(),
                false => found[0].replace('_', " "),
            });
            texts.extend((spelled != self.plain).then(|| Cow::Owned(spelled.into_owned())));
        }
        texts
    }

    /// The text for its numbers: what was sent is blank in it unless it is a number.
    pub(super) fn for_numbers(&self) -> String {
        static PATHS: LazyLock<Regex> = LazyLock::new(|| expression(r"(?:/[\w.@+~-]*[\w@+~-]){2,}"));
        static BLANK: LazyLock<Regex> = LazyLock::new(|| expression(r"\x1a+"));
        let mut bytes = self.blank.clone().into_bytes();
        for found in BLANK.find_iter(&self.blank) {
            if self.raw.get(found.range()).is_some_and(|sent| sent.parse::<f64>().is_ok()) {
                bytes[found.range()].copy_from_slice(self.raw[found.range()].as_bytes());
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        PATHS.replace_all(&text, "\u{1a}").into_owned()
    }
}

/// A text in which each run of blanks is one.
fn once(blank: &str) -> Cow<'_, str> {
    static RUN: LazyLock<Regex> = LazyLock::new(|| expression(r"\x1a{2,}"));
    RUN.replace_all(blank, "\u{1a}")
}
