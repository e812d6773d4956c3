//! `snapshots`: lists, accepts or rejects pending error texts in a folder, without cargo.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use mcp_errconf::snapshot_folder::{FolderError, Waiting, accept, reject, waiting};

use super::console;
use super::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct SnapshotsArguments {
    #[command(subcommand)]
    review: Review,
}

#[derive(Debug, Subcommand)]
enum Review {
    /// Show the pending texts, each next to the accepted one
    List(Folder),
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
pub(crate) fn snapshots(arguments: &SnapshotsArguments) -> Result<ExitCode, Failure> {
    let usage = |error: FolderError| Failure::Usage(format!("{error}; give the folder of `run --snapshots`"));
    let (Review::List(Folder { folder })
    | Review::Accept(Folder { folder })
    | Review::Reject(Folder { folder })) = &arguments.review;
    let waiting = waiting(folder).map_err(usage)?;
    let text = match arguments.review {
        Review::List(_) => listed(&waiting, folder),
        Review::Accept(_) => done("accepted", &waiting, |waiting| accept(folder, waiting)).map_err(usage)?,
        Review::Reject(_) => done("rejected", &waiting, |waiting| reject(folder, waiting)).map_err(usage)?,
    };
    console::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Every pending text for a reviewer: removed lines begin with `-`, new ones with `+`.
fn listed(waiting: &[Waiting], folder: &Path) -> String {
    let mut text = String::new();
    for Waiting { name, before, text: after } in waiting {
        let change = if before.is_some() { "changed" } else { "new" };
        let _ = writeln!(text, "{name} ({change})");
        for line in before.iter().flat_map(|before| before.lines()) {
            let _ = writeln!(text, "{}", format!("  - {line}").trim_end());
        }
        for line in after.lines() {
            let _ = writeln!(text, "{}", format!("  + {line}").trim_end());
        }
        text.push('\n');
    }
    let _ = match waiting.len() {
        0 => writeln!(text, "nothing is pending in {}", folder.display()),
        count => writeln!(
            text,
            "{count} pending; `mcp-errconf snapshots accept {0}` accepts them, `mcp-errconf snapshots reject \
             {0}` discards them",
            folder.display()
        ),
    };
    text
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
