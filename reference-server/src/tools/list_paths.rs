//! `list_paths`: every file below a directory.

use std::path::Path;

use super::{Outcome, Session, walk};
use crate::parameter::Arguments;
use crate::success::Success;

const DEFAULT: u64 = 1_000;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
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
