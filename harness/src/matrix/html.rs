//! The table as a self-contained page without scripts.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::{Component, Path};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::escape;

use super::{COLUMNS, LEGEND, MatrixRow, MatrixTable, TableDelta, cells, gravity, page_of, reason};

const STYLE: &str = include_str!("table.css");
/// How many columns of a reason are shown.
const REASON: usize = 400;

impl MatrixTable {
    /// The table as a self-contained page for a browser, which will be in this folder: it links to the servers' own reports,
    /// and begins with what is different from an earlier table.
    pub fn html(&self, folder: Option<&Path>, since: Option<&TableDelta>) -> String {
        let folder = folder.unwrap_or(Path::new(""));
        let style = format!("sha256-{}", STANDARD.encode(Sha256::digest(STYLE)));
        let sum = text(&self.sum());
        let mut groups = self.by_verdict();
        // The gravest first.
        groups.sort_by_key(|(_, rows)| Reverse(rows.iter().map(|row| gravity(row.exit_code)).max()));
        let links = groups.iter().enumerate().map(|(index, (verdict, rows))| {
            format!("<a href=\"#verdict-{index}\">{} {}</a>", rows.len(), text(verdict))
        });
        let links: Vec<String> = links.collect();
        let changes = since.map_or(String::new(), |delta| changes(delta, self, folder));
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src '{style}'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{sum}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{}: {}</h1>\n{changes}<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The servers\">\n<table>\n<thead><tr>",
            self.count(),
            links.join(", ")
        );
        for (title, is_number) in COLUMNS {
            // Writing to a string never fails.
            let _ = write!(page, "<th scope=\"col\"{}>{title}</th>", class(is_number));
        }
        page.push_str("</tr></thead>\n");
        for (index, (verdict, rows)) in groups.iter().enumerate() {
            let _ = write!(
                page,
                "<tbody id=\"verdict-{index}\">\n<tr class=\"verdict\"><th scope=\"rowgroup\" colspan=\"{}\">{}: {}</th></tr>\n",
                COLUMNS.len(),
                text(verdict),
                rows.len()
            );
            rows.iter().for_each(|row| show(&mut page, row, folder));
            page.push_str("</tbody>\n");
        }
        let _ = write!(
            page,
            "</table>\n</div>\n<p>{}. The exit code is {}, the gravest.</p>\n</main>\n<footer><p>Written by mcp-errconf \
         {}. This file needs no network and keeps nothing.</p></footer>\n</body>\n</html>\n",
            text(LEGEND),
            self.exit_code,
            text(&self.harness)
        );
        escape::no_workflow_command(&page)
    }
}

/// The servers that are different from an earlier table, the worse ones first.
fn changes(delta: &TableDelta, table: &MatrixTable, folder: &Path) -> String {
    let mut list = String::from("<h2>Since the earlier table</h2>\n");
    if !delta.changed.is_empty() {
        list.push_str("<ul>\n");
        for change in &delta.changed {
            let row = table.servers.iter().find(|row| row.name == change.name);
            let name = row.map_or_else(|| text(&change.name), |row| linked_name(row, folder));
            let direction = change.direction.word();
            // Writing to a string never fails.
            let _ = writeln!(list, "<li><strong>{direction}</strong> {name}: {}</li>", text(&change.said()));
        }
        list.push_str("</ul>\n");
    }
    let _ = writeln!(list, "<p>{}</p>", delta.said_of_unchanged());
    list
}

/// The name of a server, as a link to its own page if there is one.
fn linked_name(row: &MatrixRow, folder: &Path) -> String {
    match row.report.as_deref().map(|report| link(&page_of(Path::new(report)), folder)) {
        Some(address) => format!("<a href=\"{}\">{}</a>", text(&address), text(&row.name)),
        None => text(&row.name),
    }
}

fn show(page: &mut String, row: &MatrixRow, folder: &Path) {
    let state = match row.exit_code {
        0 => "good",
        1 => "bad",
        _ => "open",
    };
    let named = row.server.as_deref().filter(|server| *server != row.name);
    let named = named.map_or(String::new(), |server| format!("<br><small>{}</small>", text(server)));
    let name = linked_name(row, folder);
    let _ = write!(page, "<tr><th scope=\"row\">{name}{named}</th>");
    for (index, cell) in cells(row).iter().enumerate() {
        let why = reason(row, REASON).filter(|_| index == 0);
        let why = why.map_or(String::new(), |why| format!("<br><small>{}</small>", text(&why)));
        let class =
            if index == 0 { format!(" class=\"{state}\"") } else { class(COLUMNS[index + 1].1).to_owned() };
        let _ = write!(page, "<td{class}>{}{why}</td>", text(cell));
    }
    page.push_str("</tr>\n");
}

/// The address of a file from a page in this folder; both are relative to the working folder, or absolute.
fn link(file: &Path, folder: &Path) -> String {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let normal = |path: &Path| -> Vec<String> {
        let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
        parts.map(|part| encoded(&part.as_os_str().to_string_lossy())).collect()
    };
    let (to, from) = (normal(file), normal(folder));
    if !file.components().chain(folder.components()).all(is_plain) {
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        return format!("file:///{}", normal(&absolute).join("/"));
    }
    let shared = std::iter::zip(&to, &from).take_while(|(to, from)| to == from).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    let down = to[shared..].iter().map(String::as_str);
    // A name with a colon must not look like a scheme.
    format!("./{}", up.chain(down).collect::<Vec<_>>().join("/"))
}

/// A part of a path in an address.
fn encoded(part: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    part.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_linked_from_wherever_the_table_is() {
        let linked = |file: &str, folder: &str| link(Path::new(file), Path::new(folder));
        assert_eq!(linked("kept/a b.html", ""), "./kept/a%20b.html");
        assert_eq!(linked("kept/a.html", "kept"), "./a.html");
        assert_eq!(linked("./kept/a.html", "pages/new"), "./../../kept/a.html");
        assert!(linked("/tmp/a.html", "").starts_with("file:///"));
    }
}
