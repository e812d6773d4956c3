//! `create_file`: writes a whole file, new or not.

use super::{Effect, Outcome, Run, Session, TEXT, Tool};
use crate::file::{self, Before};
use crate::parameter::{Arguments, Kind, Parameter};
use crate::success::{Holds, Success, field};

pub(super) static TOOL: Tool = Tool {
    name: "create_file",
    title: "Create or overwrite a file",
    description: "Writes a text file, with the directories above it. A file that is there is replaced as a whole, in \
        one step.",
    parameters: &[
        Parameter::required(
            "path",
            TEXT,
            "The file to write, absolute or relative to the working directory.",
        ),
        Parameter::required("content", Kind::Text, "The whole content of the file; may be empty."),
    ],
    result: &[
        field("path", Holds::Text, "The file that was written, as it was sent."),
        field("size", Holds::Count, "Its size in bytes."),
        field("created", Holds::Flag, "Whether it is new."),
    ],
    effect: Effect::Writes,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let (sent, content) = (arguments.required("path"), arguments.required("content"));
    let path = session.limits.scope.resolve(sent)?;
    file::within_content(content, sent, session.limits.file_size)?;
    let before = file::write(&path, sent, content)?;
    let verb = match before {
        Before::Absent => "Created",
        Before::Existed => "Overwrote",
    };
    Ok(Success::new(format!("{verb} {sent}, {} bytes.", content.len()))
        .with("path", sent)
        .with("size", content.len())
        .with("created", before == Before::Absent))
}
