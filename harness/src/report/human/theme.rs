//! The colours of the human report.

use anstyle::{AnsiColor, Style};

use crate::finding::Level;

/// A style for each thing that is told apart by colour.
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
}

impl Theme {
    /// No colour at all.
    pub fn plain() -> Self {
        Self::default()
    }

    /// Colours that a terminal of sixteen colours shows.
    pub fn coloured() -> Self {
        let bold = |color: AnsiColor| Style::new().bold().fg_color(Some(color.into()));
        Self {
            must: bold(AnsiColor::Red),
            should: bold(AnsiColor::Yellow),
            note: bold(AnsiColor::Cyan),
            frame: bold(AnsiColor::Blue),
            strong: Style::new().bold(),
            good: bold(AnsiColor::Green),
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
