//! `multi_edit_files`: several replacements in several files, all of them or none.

use super::editing::{Breadth, edit};
use super::multi_edit::mode;
use super::{Outcome, Session};
use crate::failure::{Code, Failure};
use crate::parameter::Arguments;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let files = arguments.files("files");
    if files.is_empty() {
        return Err(Failure::new(Code::EmptyEdits, "The list 'files' is empty").about("files").hint(
            "Send one file at least, with its edits: {\"file_path\": \"<string>\", \"edits\": [...]}.",
        ));
    }
    edit(session, &files, Breadth::Several, mode(arguments))
}
