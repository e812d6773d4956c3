//! `multi_edit_files`: several replacements in several files, all of them or none.

use super::editing::{Breadth, RESULT, edit};
use super::multi_edit::{BACKUP, DRY_RUN, mode};
use super::{Effect, Outcome, Run, Session, Tool};
use crate::failure::{Code, Failure};
use crate::parameter::{Arguments, Kind, Parameter};

pub(super) static TOOL: Tool = Tool {
    name: "multi_edit_files",
    title: "Replace texts in several files",
    description: "Replaces texts in several files. All edits of all files are done or none: where one fails every file \
        stays as it was.",
    parameters: &[
        Parameter::required("files", Kind::FileEdits, "The files, each once, with their replacements."),
        DRY_RUN,
        BACKUP,
    ],
    result: RESULT,
    effect: Effect::Writes,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let files = arguments.files("files");
    if files.is_empty() {
        return Err(Failure::new(Code::EmptyEdits, "The list 'files' is empty").about("files").hint(
            "Send one file at least, with its edits: {\"file_path\": \"<string>\", \"edits\": [...]}.",
        ));
    }
    edit(session, &files, Breadth::Several, mode(arguments))
}
