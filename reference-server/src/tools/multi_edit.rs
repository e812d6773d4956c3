//! `multi_edit`: several replacements in one file, all of them or none.

use super::editing::{Breadth, WriteMode, edit};
use super::{Outcome, Session};
use crate::edit::FileEdits;
use crate::parameter::Arguments;

/// How the call wants its edits done.
pub(super) fn mode(arguments: &Arguments) -> WriteMode {
    if arguments.flag("dry_run") {
        WriteMode::DryRun
    } else if arguments.flag("backup") {
        WriteMode::WriteWithBackup
    } else {
        WriteMode::Write
    }
}

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let file =
        FileEdits { path: arguments.required("file_path").to_owned(), edits: arguments.edits("edits") };
    edit(session, &[file], Breadth::One, mode(arguments))
}
