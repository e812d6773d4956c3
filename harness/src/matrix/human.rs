//! The table for people: on a terminal, and as Markdown, with a server's words in code, where nothing is interpreted.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::escape;
use crate::report::markdown::code_within;
use crate::report::wrapped;

use super::{COLUMNS, LEGEND, MatrixTable, cells, reason};

/// The number of spaces between two columns.
const BETWEEN: usize = 2;
/// A server's name is not cut shorter than this.
const SHORTEST: usize = 8;
/// How many columns of a reason are shown.
const REASON: usize = 400;
/// How many of them are shown in Markdown.
const SHORT: usize = 300;

impl MatrixTable {
    /// The table for people, within this many columns.
    pub fn human(&self, columns: usize) -> String {
        let rows: Vec<[String; 8]> = self.servers.iter().map(cells).collect();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column - 1].width());
            cells.chain([COLUMNS[column].0.width()]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (1..COLUMNS.len()).map(width).collect();
        let others: usize = widths.iter().map(|width| width + BETWEEN).sum();
        let names = self.servers.iter().map(|row| escape::line(&row.name).width());
        let longest = names.chain([COLUMNS[0].0.width()]).max().unwrap_or_default();
        let first = longest.min(columns.saturating_sub(others).max(SHORTEST));
        // If the other columns do not fit beside the shortest name, each row takes two lines or more.
        let is_narrow = first + others > columns;
        let narrow = is_narrow.then_some(columns);
        let mut text = String::new();
        let titles = COLUMNS.map(|(title, _)| title.to_owned());
        let head = row(&titles[0], &titles[1..], first, &widths, narrow);
        text.push_str(&head);
        for (server, cells) in self.servers.iter().zip(&rows) {
            text.push_str(&row(
                &cut(&server.name, if is_narrow { columns } else { first }),
                cells,
                first,
                &widths,
                narrow,
            ));
        }
        let mut paragraphs: Vec<String> = self
            .servers
            .iter()
            .filter_map(|row| {
                Some(format!("{}: {}", escape::line_within(&row.name, 60), reason(row, REASON)?))
            })
            .collect();
        paragraphs.push(LEGEND.to_owned());
        paragraphs.push(format!("{}; exit {}, the gravest", self.sum(), self.exit_code));
        for paragraph in paragraphs {
            text.push('\n');
            text.push_str(&wrapped(&paragraph, columns).join("\n"));
            text.push('\n');
        }
        text
    }

    /// The table as Markdown, for a page or a comment.
    pub fn markdown(&self) -> String {
        let titles = COLUMNS.map(|(title, _)| title);
        let rule = COLUMNS.map(|(_, is_number)| if is_number { "---:" } else { "---" });
        let mut text = format!("| {} |\n|{}|\n", titles.join(" | "), rule.join("|"));
        for row in &self.servers {
            // Writing to a string never fails.
            let _ = writeln!(text, "| {} | {} |", code_within(&row.name, 60), cells(row).join(" | "));
        }
        text.push('\n');
        for row in &self.servers {
            if let Some(why) = reason(row, SHORT) {
                let _ = writeln!(text, "- {}: {}", code_within(&row.name, 60), code_within(&why, SHORT));
            }
        }
        let _ = writeln!(text, "\n{}; exit {}, the gravest. {LEGEND}.", self.sum(), self.exit_code);
        escape::no_workflow_command(&text)
    }
}

fn cut(name: &str, columns: usize) -> String {
    let whole = escape::line(name);
    match whole.width() <= columns {
        true => whole,
        false => escape::line_within(name, columns - 1),
    }
}

/// The name and the cells; where it is narrow, the name stands above them, and they are wrapped to this many columns.
fn row(name: &str, cells: &[String], first: usize, widths: &[usize], narrow: Option<usize>) -> String {
    let mut lines = vec![name.to_owned()];
    match narrow {
        Some(_) => lines.push(" ".to_owned()),
        None => lines[0].push_str(&" ".repeat(first.saturating_sub(name.width()))),
    }
    let between = " ".repeat(if narrow.is_some() { 1 } else { BETWEEN });
    for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let used = lines.last().map_or(0, |line| line.width());
        if narrow.is_some_and(|columns| used + between.len() + width > columns) {
            lines.push(" ".to_owned());
        }
        let pad = " ".repeat(width.saturating_sub(cell.width()));
        let parts = match COLUMNS[index + 1].1 {
            true => [between.as_str(), pad.as_str(), cell.as_str()],
            false => [between.as_str(), cell.as_str(), pad.as_str()],
        };
        if let Some(line) = lines.last_mut() {
            line.extend(parts);
        }
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    lines.join("\n") + "\n"
}
