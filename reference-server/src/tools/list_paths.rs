//! `list_paths`: every file below a directory.

use std::path::Path;

use super::{Effect, Outcome, Run, Session, TEXT, Tool, walk};
use crate::parameter::{Arguments, Kind, Parameter};
use crate::success::{Holds, Success, field};

const MOST: i64 = 10_000;
const DEFAULT: u64 = 1_000;

pub(super) static TOOL: Tool = Tool {
    name: "list_paths",
    title: "List paths",
    description: "Lists the files below a directory, sorted by path. Leaves out .git and what a .gitignore names.",
    parameters: &[
        Parameter::optional("path", TEXT, "The directory to list; the working directory if left out."),
        Parameter::optional(
            "max_results",
            Kind::Integer(1, MOST),
            "The most paths to return; 1000 if left out.",
        ),
    ],
    result: &[
        field("items", Holds::Texts, "The paths."),
        field("total", Holds::Count, "How many files there are."),
        field("truncated", Holds::Flag, "Whether there are more than were asked for."),
    ],
    effect: Effect::Reads,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let sent = arguments.text("path");
    let shown = sent.unwrap_or(".");
    let root = walk::directory(shown, &session.limits)?;
    let found = walk::below(&root, shown, &session.limits, None)?;
    let base = Path::new(sent.unwrap_or_default());
    let mut items: Vec<String> =
        found.files().map(|(_, inner)| base.join(inner).display().to_string()).collect();
    let total = items.len();
    items
        .truncate(usize::try_from(arguments.integer("max_results").unwrap_or(DEFAULT)).unwrap_or(usize::MAX));
    let text = match (items.is_empty(), total - items.len()) {
        (true, _) => "No file is there.".to_owned(),
        (false, 0) => items.join("\n"),
        (false, more) => {
            format!("{}\n({more} more; raise max_results or name a directory)", items.join("\n"))
        }
    };
    let truncated = items.len() < total;
    Ok(Success::new(text).with("items", items).with("total", total).with("truncated", truncated))
}
