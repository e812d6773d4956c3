//! README's picture: what the program shows at a terminal of a public server, before and after a fix, as an SVG. `UPDATE=1
//! cargo test -p mcp-errconf --test all picture` draws it again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_errconf::report::Theme;

use crate::readme::examples;

/// Width of a character and height of a line, in pixels.
const CELL: (f64, f64) = (7.8, 18.0);
const MARGIN: f64 = 16.0;

/// Colours of light and dark, and a class for each style that a report has.
const STYLE: &str = "text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre }
rect { fill: #f6f8fa; stroke: #d1d9e0 }
.bold { font-weight: 700 }
.red { fill: #b3141d } .yellow { fill: #7d4e00 } .green { fill: #116329 } .blue { fill: #0550ae } .cyan { fill: #0a5c66 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } rect { fill: #0d1117; stroke: #3d444d }
  .red { fill: #ff8b80 } .yellow { fill: #e3b341 } .green { fill: #6fdd8b } .blue { fill: #79c0ff } .cyan { fill: #76e3ea }
}";

/// Characters of one style, and the column of the first.
struct Run<'t> {
    column: usize,
    class: String,
    text: &'t str,
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/report.svg")
}

/// The classes that are left after the parameters of an escape sequence.
fn styled(class: &str, parameters: &str) -> String {
    let name = match parameters {
        "1" => "bold",
        "31" => "red",
        "32" => "green",
        "33" => "yellow",
        "34" => "blue",
        "36" => "cyan",
        "0" => return String::new(),
        other => panic!("the picture has no style for `{other}`"),
    };
    [class, name].join(" ").trim().to_owned()
}

/// A line of a terminal as runs of one style each.
fn runs(line: &str) -> Vec<Run<'_>> {
    let (mut runs, mut class, mut column) = (Vec::new(), String::new(), 0);
    for (index, part) in line.split("\u{1b}[").enumerate() {
        let text = if index == 0 {
            part
        } else {
            let (parameters, text) = part.split_once('m').expect("it is a style");
            class = styled(&class, parameters);
            text
        };
        if !text.is_empty() {
            runs.push(Run { column, class: class.clone(), text });
        }
        column += text.chars().count();
    }
    runs
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Each run stands at its column and is as wide as its cells, whatever font there is.
fn drawn(run: &Run<'_>, y: f64) -> String {
    let blank = run.text.len() - run.text.trim_start().len();
    let text = run.text.trim();
    if text.is_empty() {
        return String::new();
    }
    let column = |count: usize| f64::from(u16::try_from(count).expect("a line is short")) * CELL.0;
    let (x, width) = (MARGIN + column(run.column + blank), column(text.chars().count()));
    let class = if run.class.is_empty() { String::new() } else { format!(" class=\"{}\"", run.class) };
    format!("<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{width:.1}\"{class}>{}</text>\n", escaped(text))
}

/// A terminal with these lines.
fn picture(lines: &[&str]) -> String {
    let lines: Vec<Vec<Run<'_>>> = lines.iter().map(|line| runs(line)).collect();
    let end = |run: &Run<'_>| run.column + run.text.chars().count();
    let columns = lines.iter().flatten().map(end).max().unwrap_or_default();
    let size = |count: usize, cell: f64| {
        f64::from(u16::try_from(count).expect("a report is short")).mul_add(cell, MARGIN * 2.0)
    };
    let (width, height) = (size(columns, CELL.0), size(lines.len(), CELL.1));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" role=\"img\">\n<title>What mcp-errconf shows of a public server before and after a fix: three findings, and none</title>\n<style>\n{STYLE}\n</style>\n<rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\"/>\n",
        width - 1.0,
        height - 1.0,
    );
    let mut y = MARGIN + 13.0;
    for line in &lines {
        for run in line {
            let _ = write!(svg, "{}", drawn(run, y));
        }
        y += CELL.1;
    }
    svg.push_str("</svg>\n");
    svg
}

#[test]
fn the_picture_is_what_the_program_shows() {
    let mut shown = String::new();
    for (command, report) in examples(Theme::coloured()) {
        let _ = write!(shown, "\u{1b}[1m{command}\u{1b}[0m\n\n{report}\n");
    }
    let lines: Vec<&str> = shown.trim_end().lines().collect();
    let drawn = picture(&lines);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path(), &drawn).expect("the picture can be written");
    }
    let kept = fs::read_to_string(path()).unwrap_or_default();
    let other = drawn.lines().find(|line| !kept.lines().any(|old| old == *line));
    assert!(
        kept == drawn,
        "the picture is stale: UPDATE=1 cargo test -p mcp-errconf --test all picture draws it again ({other:?})"
    );
}
