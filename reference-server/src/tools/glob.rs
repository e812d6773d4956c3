//! `glob`: finds files and directories by name.

use std::path::Path;

use globset::GlobBuilder;

use super::{Outcome, Session, walk};
use crate::cause;
use crate::failure::{Code, Failure, Quoted};
use crate::parameter::Arguments;
use crate::success::Success;

/// Paths in one reply.
const MAX_PATHS: usize = 1000;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let pattern = arguments.required("pattern");
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| invalid(pattern, error))?
        .compile_matcher();
    let sent = arguments.text("path");
    let shown = sent.unwrap_or(".");
    let root = walk::directory(shown, &session.limits)?;
    let wanted = arguments.text("type");
    let found = walk::below(&root, shown, &session.limits, None)?;
    let matches: Vec<_> = found
        .entries
        .iter()
        .filter(|entry| match (wanted, entry.file_type()) {
            (Some("file"), Some(kind)) => kind.is_file(),
            (Some("directory"), Some(kind)) => kind.is_dir(),
            _ => true,
        })
        .filter_map(|entry| {
            let inner = entry.path().strip_prefix(&root).ok()?;
            let matched = glob.is_match(inner) || glob.is_match(entry.path());
            matched.then(|| Path::new(sent.unwrap_or_default()).join(inner))
        })
        .collect();
    let paths: Vec<String> = matches.iter().take(MAX_PATHS).map(|path| path.display().to_string()).collect();
    let left_out = matches.len() - paths.len();
    let mut lines = paths.clone();
    if matches.is_empty() {
        lines.push("No path matches.".to_owned());
    } else if left_out > 0 {
        lines.push(format!("({left_out} more paths match; narrow the pattern)"));
    }
    lines.extend(found.note());
    Ok(Success::new(lines.join("\n"))
        .with("paths", paths)
        .with("left_out", left_out)
        .with("unreadable", found.unreadable))
}

fn invalid(pattern: &str, error: globset::Error) -> Failure {
    Failure::new(Code::GlobInvalidPattern, format!("The glob pattern {} is not valid", Quoted(pattern)))
        .about(pattern)
        .because(cause::of_glob(&error))
        .hint("Close every [ and {, or write [[] and [{] to match these characters themselves.")
        .caused_by(error)
}
