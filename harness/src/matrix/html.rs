//! The table as a self-contained page without scripts.

use std::cmp::Reverse;
use std::path::{Component, Path};

use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::escape;
use crate::report::html::document;

use super::{COLUMNS, LEGEND, MatrixRow, MatrixTable, TableDelta, cells, gravity, page_of, reason};

const STYLE: &str = include_str!("table.css");
/// How many columns of a reason are shown.
const REASON: usize = 400;
/// What is encoded in a part of a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl MatrixTable {
    /// The table as a self-contained page for a browser, which will be in this folder: it links to the servers' own reports,
    /// and begins with what is different from an earlier table.
    pub fn html(&self, folder: Option<&Path>, since: Option<&TableDelta>) -> String {
        let folder = folder.unwrap_or(Path::new(""));
        let mut groups = self.by_verdict();
        // The gravest first.
        groups.sort_by_key(|(_, rows)| Reverse(rows.iter().map(|row| gravity(row.exit_code)).max()));
        let content = html! {
            h1 {
                (self.count()) ": "
                @for (index, (verdict, rows)) in groups.iter().enumerate() {
                    @if index > 0 { ", " }
                    a href={ "#verdict-" (index) } { (rows.len()) " " (text(verdict)) }
                }
            }
            @if let Some(delta) = since { (changes(delta, self, folder)) }
            div.scroll tabindex="0" role="region" aria-label="The servers" {
                table {
                    thead { tr { @for (title, is_number) in COLUMNS { th.number[is_number] scope="col" { (title) } } } }
                    @for (index, (verdict, rows)) in groups.iter().enumerate() {
                        tbody id={ "verdict-" (index) } {
                            tr.verdict {
                                th scope="rowgroup" colspan=(COLUMNS.len()) { (text(verdict)) ": " (rows.len()) }
                            }
                            "\n"
                            @for row in rows { (show(row, folder)) }
                        }
                        "\n"
                    }
                }
            }
            p { (LEGEND) ". The exit code is " (self.exit_code) ", the gravest." }
        };
        let page = document(&self.sum(), STYLE, None, &Markup::default(), &content, &self.harness);
        escape::no_workflow_command(&page)
    }
}

/// The servers that are different from an earlier table, the worse ones first.
fn changes(delta: &TableDelta, table: &MatrixTable, folder: &Path) -> Markup {
    html! {
        h2 { "Since the earlier table" }
        @if !delta.changed.is_empty() {
            ul {
                @for change in &delta.changed {
                    @let row = table.servers.iter().find(|row| row.name == change.name);
                    li {
                        strong { (change.direction.word()) } " "
                        @if let Some(row) = row { (linked_name(row, folder)) } @else { (text(&change.name)) }
                        ": " (text(&change.said()))
                    }
                }
            }
        }
        p { (delta.said_of_unchanged()) }
    }
}

/// The name of a server, as a link to its own page if there is one.
fn linked_name(row: &MatrixRow, folder: &Path) -> Markup {
    let name = text(&row.name);
    html! {
        @match &row.report {
            Some(report) => { a href=(link(&page_of(Path::new(report)), folder)) { (name) } },
            None => { (name) },
        }
    }
}

fn show(row: &MatrixRow, folder: &Path) -> Markup {
    let state = match row.exit_code {
        0 => "good",
        1 => "bad",
        _ => "open",
    };
    let named = row.server.as_deref().filter(|server| *server != row.name);
    let [verdict, figures @ ..] = cells(row);
    html! {
        tr {
            th scope="row" { (linked_name(row, folder)) @if let Some(name) = named { br; small { (text(name)) } } }
            td.(state) {
                (text(&verdict))
                @if let Some(why) = reason(row, REASON) { br; small { (text(&why)) } }
            }
            @for figure in figures { td.number { (figure) } }
        }
        "\n"
    }
}

/// The address of a file from a page in this folder; both are relative to the working folder, or absolute.
fn link(file: &Path, folder: &Path) -> String {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let normal = |path: &Path| -> Vec<String> {
        let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
        let parts = parts.map(|part| part.as_os_str().to_string_lossy());
        parts.map(|part| utf8_percent_encode(&part, ENCODED).to_string()).collect()
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

/// A server's words, without control characters.
fn text(words: &str) -> String {
    escape::line_within(words, REASON + 100)
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
