//! `multi_edit`: several replacements in one file, all of them or none.

use super::editing::{Breadth, RESULT, WriteMode, edit};
use super::{Effect, Outcome, Run, Session, TEXT, Tool};
use crate::edit::FileEdits;
use crate::parameter::{Arguments, Kind, Parameter};

pub(super) static TOOL: Tool = Tool {
    name: "multi_edit",
    title: "Replace several texts in a file",
    description: "Replaces several texts in one file, one after the other. All edits are done or none: where one fails \
        the file stays as it was.",
    parameters: &[
        Parameter::required("file_path", TEXT, "The file to change, an absolute path."),
        Parameter::required(
            "edits",
            Kind::Edits,
            "The replacements, in their order; each sees what those before it have made.",
        ),
        DRY_RUN,
        BACKUP,
    ],
    result: RESULT,
    effect: Effect::Writes,
    run: Run::Blocking(run),
};

pub(super) const DRY_RUN: Parameter =
    Parameter::optional("dry_run", Kind::Flag, "Try the edits and write nothing.");

pub(super) const BACKUP: Parameter = Parameter::optional(
    "backup",
    Kind::Flag,
    "Keep each file as it was, in a file beside it whose name ends in .bak.",
);

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

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let file =
        FileEdits { path: arguments.required("file_path").to_owned(), edits: arguments.edits("edits") };
    edit(session, &[file], Breadth::One, mode(arguments))
}
