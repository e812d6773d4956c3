//! `open_file`: a text file, or some of its lines, as they are.

use super::{Outcome, Session, lines};
use crate::file;
use crate::parameter::Arguments;
use crate::success::Success;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let sent = arguments.required("path");
    let path = session.limits.scope.resolve(sent)?;
    let text = file::read(&path, sent, session.limits.file_size)?;
    let (first, last) = lines::range(arguments, text.lines().count(), sent)?;
    let content: String = text.split_inclusive('\n').take(last).skip(first - 1).collect();
    let (lines, size) = (content.lines().count(), content.len());
    Ok(Success::new(content.clone())
        .with("path", sent)
        .with("content", content)
        .with("lines", lines)
        .with("size", size))
}
