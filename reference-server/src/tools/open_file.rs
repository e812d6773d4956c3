//! `open_file`: a text file, or some of its lines, as they are.

use super::{Effect, Outcome, Run, Session, TEXT, Tool, lines};
use crate::file;
use crate::parameter::{Arguments, Parameter};
use crate::success::{Holds, Success, field};

pub(super) static TOOL: Tool = Tool {
    name: "open_file",
    title: "Open a file",
    description: "Reads a UTF-8 text file, or the lines from start_line to end_line, without line numbers.",
    parameters: &[
        Parameter::required("path", TEXT, "The file, absolute or relative to the working directory."),
        lines::START,
        lines::END,
    ],
    result: &[
        field("path", Holds::Text, "The file, as it was sent."),
        field("content", Holds::Text, "What was read."),
        field("lines", Holds::Count, "How many lines that are."),
        field("size", Holds::Count, "How many bytes that are."),
    ],
    effect: Effect::Reads,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
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
