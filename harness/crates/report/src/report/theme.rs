//! The colours of the human report.

use anstyle::{AnsiColor, Style};

use crate::finding::Level;

/// A style for each thing that is distinguished by colour.
#[derive(Debug, Clone, Copy, Default)]
pub struct Theme {
    must: Style,
    should: Style,
    note: Style,
    /// The gutter, arrows and labels.
    pub(super) frame: Style,
    /// What a reader looks for first.
    pub(super) strong: Style,
    /// A verdict without findings.
    pub(super) good: Style,
    /// Whether a text with an address is shown as a link, in the form that terminals support: OSC 8.
    has_links: bool,
}

impl Theme {
    /// No colour at all.
    pub fn plain() -> Self {
        Self::default()
    }

    /// Colours for a terminal with sixteen colours.
    pub fn coloured() -> Self {
        let bold = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
        Self {
            must: bold(AnsiColor::Red),
            should: bold(AnsiColor::Yellow),
            note: bold(AnsiColor::Cyan),
            frame: bold(AnsiColor::Blue),
            strong: Style::new().bold(),
            good: bold(AnsiColor::Green),
            has_links: false,
        }
    }

    /// The theme with links, for a terminal that supports them.
    #[must_use]
    pub fn linked(self) -> Self {
        Self { has_links: true, ..self }
    }

    /// A text of ours with a link to an address of ours.
    pub(super) fn link(&self, text: &str, address: Option<&str>) -> String {
        match address.filter(|_| self.has_links) {
            Some(address) => format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\"),
            None => text.to_owned(),
        }
    }

    /// The style of a level.
    pub(super) fn level(&self, level: Level) -> Style {
        match level {
            Level::Must => self.must,
            Level::Should => self.should,
            Level::Note => self.note,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_there_where_the_terminal_knows_it_and_there_is_an_address() {
        let linked = Theme::coloured().linked();
        assert_eq!(linked.link("a", Some("https://x/y")), "\u{1b}]8;;https://x/y\u{1b}\\a\u{1b}]8;;\u{1b}\\");
        assert_eq!(
            (linked.link("a", None), Theme::coloured().link("a", Some("b"))),
            ("a".into(), "a".into())
        );
    }
}
