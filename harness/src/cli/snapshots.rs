//! `snapshots`: lists, reviews, accepts or rejects pending error texts in a folder, without cargo.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use mcp_errconf::escape;
use mcp_errconf::report::diff::{runs, signed_lines};
use mcp_errconf::report::pieces;
use mcp_errconf::snapshot_folder::{FolderError, Waiting, accept, reject, waiting};
use unicode_width::UnicodeWidthStr as _;

use super::console;
use super::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct SnapshotsArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the pending texts, each next to the accepted one
    List(Folder),
    /// Go through the pending texts one by one, and accept, reject or skip each
    Review(Folder),
    /// Accept all pending texts
    Accept(Folder),
    /// Discard all pending texts
    Reject(Folder),
}

#[derive(Debug, Args)]
struct Folder {
    /// The folder given to `run --snapshots DIR`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the review.
pub(crate) fn snapshots(arguments: &SnapshotsArguments) -> Result<(), Failure> {
    let usage = |error: FolderError| Failure::Usage(format!("{error}; give the folder of `run --snapshots`"));
    let (Action::List(Folder { folder })
    | Action::Review(Folder { folder })
    | Action::Accept(Folder { folder })
    | Action::Reject(Folder { folder })) = &arguments.action;
    let waiting = waiting(folder).map_err(usage)?;
    let text = match arguments.action {
        Action::List(_) => listed(&waiting, folder),
        Action::Review(_) => return review(&waiting, folder),
        Action::Accept(_) => done("accepted", &waiting, |waiting| accept(folder, waiting)).map_err(usage)?,
        Action::Reject(_) => done("rejected", &waiting, |waiting| reject(folder, waiting)).map_err(usage)?,
    };
    console::print(&text)
}

/// Every pending text for a reviewer: removed lines begin with `-`, new ones with `+`.
fn listed(waiting: &[Waiting], folder: &Path) -> String {
    let mut text = String::new();
    for Waiting { name, before, text: after } in waiting {
        let change = if before.is_some() { "changed" } else { "new" };
        let _ = writeln!(text, "{name} ({change})");
        for (sign, line) in signed_lines(before.as_deref().unwrap_or_default(), after) {
            let _ = writeln!(text, "{}", format!("  {sign} {line}").trim_end());
        }
        text.push('\n');
    }
    let _ = match waiting.len() {
        0 => writeln!(text, "nothing is pending in {}", folder.display()),
        count => writeln!(
            text,
            "{count} pending; `mcp-errconf snapshots review {0}` goes through them one by one, `snapshots accept {0}` \
             accepts them all, `snapshots reject {0}` discards them all",
            folder.display()
        ),
    };
    text
}

/// Asks about each text. The end of the input ends the review, and leaves the rest pending.
fn review(waiting: &[Waiting], folder: &Path) -> Result<(), Failure> {
    let mut answers = std::io::stdin().lines();
    let (mut accepted, mut rejected) = (0, 0);
    'texts: for (index, one) in waiting.iter().enumerate() {
        let shown = beside(one, console::columns(true));
        console::print(&format!("{} of {}: {shown}", index + 1, waiting.len()))?;
        loop {
            console::print("accept (a), reject (r), skip (s) or quit (q)?")?;
            let answer = answers.next().and_then(Result::ok).unwrap_or_else(|| "q".to_owned());
            let count = match answer.trim().to_lowercase().as_str() {
                "a" | "accept" => accept(folder, one).map(|()| &mut accepted),
                "r" | "reject" => reject(folder, one).map(|()| &mut rejected),
                "s" | "skip" => break,
                "q" | "quit" => break 'texts,
                _ => continue,
            };
            *count.map_err(|error| Failure::Usage(error.to_string()))? += 1;
            break;
        }
    }
    let left = waiting.len() - accepted - rejected;
    console::print(&format!("{accepted} accepted, {rejected} rejected, {left} still pending"))
}

/// A pending text beside the accepted one: lines that differ have a bar between them.
fn beside(Waiting { name, before, text }: &Waiting, columns: usize) -> String {
    const BAR: usize = 3;
    let Some(before) = before else {
        let lines: String = text.lines().map(|line| format!("  + {line}\n")).collect();
        return format!("{name} (new)\n{lines}");
    };
    let width = (columns - BAR) / 2;
    let mut shown = format!("{name} (changed)\n{:<width$}   now\n", "accepted");
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), text.lines().collect());
    for run in runs(&before, &after) {
        let bar = if run.is_kept { ' ' } else { '|' };
        for index in 0..run.before.len().max(run.after.len()) {
            let line =
                |lines: &[&str]| pieces(&escape::line(lines.get(index).copied().unwrap_or_default()), width);
            let (left, right) = (line(run.before), line(run.after));
            for row in 0..left.len().max(right.len()) {
                let part = |side: &[String]| side.get(row).cloned().unwrap_or_default();
                let (left, right) = (part(&left), part(&right));
                let space = " ".repeat(width - left.width());
                let _ = writeln!(shown, "{}", format!("{left}{space} {bar} {right}").trim_end());
            }
        }
    }
    shown
}

fn done(
    word: &str,
    waiting: &[Waiting],
    each: impl Fn(&Waiting) -> Result<(), FolderError>,
) -> Result<String, FolderError> {
    let mut text = String::new();
    for waiting in waiting {
        each(waiting)?;
        let _ = writeln!(text, "{word} {}", waiting.name);
    }
    let _ = writeln!(text, "{} {word}", waiting.len());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_text_is_shown_beside_the_accepted_one() {
        let waiting = Waiting {
            name: "a".to_owned(),
            before: Some("path does not exist\nsame".to_owned()),
            text: "the path is missing: list its folder\nsame".to_owned(),
        };
        let expected = "a (changed)\naccepted              now\n\
            path does not exist | the path is missing\n                    | : list its folder\nsame                  same\n";
        assert_eq!(beside(&waiting, 41), expected);
        let longer =
            Waiting { text: "first\nsame".to_owned(), before: Some("same".to_owned()), ..waiting.clone() };
        let expected = "a (changed)\naccepted              now\n                    | first\nsame                  same\n";
        assert_eq!(beside(&longer, 41), expected, "a line before does not move the others");
        let new = Waiting { before: None, ..waiting };
        assert_eq!(beside(&new, 41), "a (new)\n  + the path is missing: list its folder\n  + same\n");
    }
}
