//! The table for people.

use unicode_width::UnicodeWidthStr as _;

use crate::escape;

use super::{COLUMNS, LEGEND, MatrixTable, cells, reason};

/// The number of spaces between two columns.
const BETWEEN: usize = 2;
/// A server's name is not cut shorter than this.
const SHORTEST: usize = 8;
/// How many columns of a reason are shown.
const REASON: usize = 400;

pub(super) fn render(table: &MatrixTable, columns: usize) -> String {
    let rows: Vec<[String; 8]> = table.servers.iter().map(cells).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column - 1].width());
        cells.chain([COLUMNS[column].0.width()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (1..COLUMNS.len()).map(width).collect();
    let others: usize = widths.iter().map(|width| width + BETWEEN).sum();
    let names = table.servers.iter().map(|row| escape::line(&row.name).width());
    let longest = names.chain([COLUMNS[0].0.width()]).max().unwrap_or_default();
    let first = longest.min(columns.saturating_sub(others).max(SHORTEST));
    // If the other columns do not fit beside the shortest name, each row takes two lines.
    let is_narrow = first + others > columns;
    let mut text = String::new();
    let titles = COLUMNS.map(|(title, _)| title.to_owned());
    let head = row(&titles[0], &titles[1..], first, &widths, is_narrow);
    text.push_str(&head);
    for (server, cells) in table.servers.iter().zip(&rows) {
        text.push_str(&row(
            &cut(&server.name, if is_narrow { columns } else { first }),
            cells,
            first,
            &widths,
            is_narrow,
        ));
    }
    let mut paragraphs: Vec<String> = table
        .servers
        .iter()
        .filter_map(|row| Some(format!("{}: {}", escape::line_within(&row.name, 60), reason(row, REASON)?)))
        .collect();
    paragraphs.push(LEGEND.to_owned());
    paragraphs.push(format!("{}; exit {}, the gravest", table.sum(), table.exit_code));
    for paragraph in paragraphs {
        text.push('\n');
        text.push_str(&filled(&paragraph, columns));
    }
    text
}

fn cut(name: &str, columns: usize) -> String {
    let whole = escape::line(name);
    match whole.width() <= columns {
        true => whole,
        false => escape::line_within(name, columns - 1),
    }
}

fn row(name: &str, cells: &[String], first: usize, widths: &[usize], is_narrow: bool) -> String {
    let mut line = name.to_owned();
    match is_narrow {
        true => line.push_str("\n "),
        false => line.push_str(&" ".repeat(first.saturating_sub(name.width()))),
    }
    for (index, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let pad = " ".repeat(width.saturating_sub(cell.width()));
        let between = if is_narrow { 1 } else { BETWEEN };
        line.push_str(&" ".repeat(between));
        match COLUMNS[index + 1].1 {
            true => line.extend([pad.as_str(), cell.as_str()]),
            false => line.extend([cell.as_str(), pad.as_str()]),
        }
    }
    let line = line.trim_end();
    format!("{line}\n")
}

/// A paragraph wrapped to this many columns.
fn filled(text: &str, columns: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(escape::line_within(word, columns.max(2) - 1)),
        }
    }
    lines.join("\n") + "\n"
}
