//! The table as a self-contained page without scripts.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::escape;

use super::{COLUMNS, LEGEND, MatrixRow, MatrixTable, cells, reason};

const STYLE: &str = include_str!("table.css");
/// How many columns of a reason are shown.
const REASON: usize = 400;

pub(super) fn render(table: &MatrixTable) -> String {
    let style = format!("sha256-{}", STANDARD.encode(Sha256::digest(STYLE)));
    let sum = text(&table.sum());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src '{style}'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{sum}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{sum}</h1>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The servers\">\n<table>\n<thead><tr>"
    );
    for (title, is_number) in COLUMNS {
        // Writing to a string never fails.
        let _ = write!(page, "<th scope=\"col\"{}>{title}</th>", class(is_number));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.servers {
        show(&mut page, row);
    }
    let _ = write!(
        page,
        "</tbody>\n</table>\n</div>\n<p>{}. The exit code is {}, the gravest.</p>\n</main>\n<footer><p>Written by mcp-errconf \
         {}. This file needs no network and keeps nothing.</p></footer>\n</body>\n</html>\n",
        text(LEGEND),
        table.exit_code,
        text(&table.harness)
    );
    escape::no_workflow_command(&page)
}

fn show(page: &mut String, row: &MatrixRow) {
    let state = match row.exit_code {
        0 => "good",
        1 => "bad",
        _ => "open",
    };
    let named = row.server.as_deref().filter(|server| *server != row.name);
    let named = named.map_or(String::new(), |server| format!("<br><small>{}</small>", text(server)));
    let _ = write!(page, "<tr><th scope=\"row\">{}{named}</th>", text(&row.name));
    for (index, cell) in cells(row).iter().enumerate() {
        let why = reason(row, REASON).filter(|_| index == 0);
        let why = why.map_or(String::new(), |why| format!("<br><small>{}</small>", text(&why)));
        let class =
            if index == 0 { format!(" class=\"{state}\"") } else { class(COLUMNS[index + 1].1).to_owned() };
        let _ = write!(page, "<td{class}>{}{why}</td>", text(cell));
    }
    page.push_str("</tr>\n");
}

fn class(is_number: bool) -> &'static str {
    if is_number { " class=\"number\"" } else { "" }
}

/// Text escaped for HTML.
fn text(words: &str) -> String {
    let shown = escape::line_within(words, REASON + 100);
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    shown.replace('"', "&quot;").replace('\'', "&#39;")
}
