//! `create_file`: writes a whole file, new or not.

use super::{Outcome, Session};
use crate::file::{self, Before};
use crate::parameter::Arguments;
use crate::success::Success;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
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
