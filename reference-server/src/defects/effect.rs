//! Effects where there must be none: a failed call that changes a file, a path that leads out.

use std::path::{Component, Path};

use serde_json::Value;

use super::Fault;
use crate::failure::{Code, Failure, Part};
use crate::file;
use crate::tools::{Call, Outcome, Session, replace_first as replace_first_in};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "effect/changed-files/not-found",
        Fault::Outcome(|call, outcome, session| {
            on_failure(outcome, Code::StrReplaceNotFound, || save_with_line_end(call, session))
        }),
    ),
    (
        "effect/changed-files/ambiguous",
        Fault::Outcome(|call, outcome, session| {
            on_failure(outcome, Code::StrReplaceAmbiguous, || replace_first(call, session))
        }),
    ),
    (
        "effect/changed-files/first-file",
        Fault::Outcome(|call, outcome, session| {
            if outcome
                .as_ref()
                .is_err_and(|failure| blamed(failure).is_some_and(|part| part.file_index == Some(1)))
            {
                let _ = replace_at(call, session, "/files/0", 0);
            }
            outcome
        }),
    ),
    (
        "effect/changed-files/edits-before",
        Fault::Outcome(|call, outcome, session| {
            let failed = outcome.as_ref().err().and_then(blamed).filter(|part| !part.tried.is_empty());
            for edit in 0..failed.and_then(|part| part.edit).unwrap_or_default() {
                let _ = replace_at(call, session, "", edit);
            }
            outcome
        }),
    ),
    (
        "effect/changed-files/elsewhere",
        Fault::Outcome(|call, outcome, session| {
            on_failure(outcome, Code::IoError, || write_into_workdir(call, session))
        }),
    ),
    (
        "effect/escaped-root/absolute",
        Fault::Call(|call, session| let_out(call, session, "view", Way::Absolute)),
    ),
    ("effect/escaped-root/parent", Fault::Call(|call, session| let_out(call, session, "view", Way::Parent))),
    ("effect/escaped-root/prefix", Fault::Call(|call, session| let_out(call, session, "view", Way::Prefix))),
    ("effect/escaped-root/symlink", Fault::Call(|call, session| let_out(call, session, "view", Way::Link))),
    (
        "effect/escaped-root/write-link",
        Fault::Call(|call, session| let_out(call, session, "create_file", Way::Link)),
    ),
    (
        "effect/escaped-root/write",
        Fault::Call(|call, session| let_out(call, session, "create_file", Way::Absolute)),
    ),
];

/// How a path leads outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Absolute,
    Prefix,
    Parent,
    Link,
}

impl Way {
    /// Whether a path leads out of the root in this way.
    fn leads_out(self, path: &Path, workdir: &Path) -> bool {
        let has_parent = path.components().any(|component| component == Component::ParentDir);
        let is_elsewhere = path.is_absolute() && !path.starts_with(workdir);
        match self {
            Self::Parent => has_parent,
            Self::Absolute => is_elsewhere && !has_parent,
            Self::Prefix => {
                let begins_alike = path.to_string_lossy().starts_with(&*workdir.to_string_lossy());
                is_elsewhere && !has_parent && begins_alike
            }
            Self::Link => !is_elsewhere && !has_parent,
        }
    }
}

/// Opens the scope for a call of this tool that leads outside in this way.
fn let_out(call: &Call, session: &mut Session, tool: &str, way: Way) {
    let scope = &session.limits.scope;
    let leads_out = |path: &&str| {
        scope.resolve(path).is_err_and(|failure| failure.code == Code::AccessDenied)
            && way.leads_out(Path::new(path), scope.workdir())
    };
    if call.tool.name == tool && call.text("path").filter(leads_out).is_some() {
        session.change_limits(|limits| limits.scope.unlock());
    }
}

/// Does what a failed call must not do. Where that fails too, nothing was changed and nothing is added to say.
fn on_failure(outcome: Outcome, code: Code, deed: impl FnOnce() -> Result<(), Failure>) -> Outcome {
    if outcome.as_ref().is_err_and(|failure| failure.code.kind() == code) {
        let _ = deed();
    }
    outcome
}

fn save_with_line_end(call: &Call, session: &Session) -> Result<(), Failure> {
    let sent = call.text("path").unwrap_or_default();
    let path = session.limits.scope.resolve(sent)?;
    let text = file::read(&path, sent, u64::MAX)?;
    file::write(&path, sent, &(text + "\n")).map(|_| ())
}

fn write_into_workdir(call: &Call, session: &Session) -> Result<(), Failure> {
    let (Some(sent), Some(content)) = (call.text("path"), call.text("content")) else { return Ok(()) };
    let Some(name) = Path::new(sent).file_name() else { return Ok(()) };
    file::write(&session.limits.scope.workdir().join(name), sent, content).map(|_| ())
}

/// Replaces the first of several matches, which the tool itself never does.
pub(super) fn replace_first(call: &Call, session: &Session) -> Result<(), Failure> {
    let text = |name| call.text(name).unwrap_or_default();
    let path = session.limits.scope.resolve(text("path"))?;
    replace_first_in(&path, text("path"), text("old_str"), text("new_str"))
}

/// Which part of the call a failure blames.
fn blamed(failure: &Failure) -> Option<&Part> {
    failure.part.as_deref()
}

/// Does one edit of a list, of the file that stands at this place of the arguments.
fn replace_at(call: &Call, session: &Session, file: &str, edit: usize) -> Result<(), Failure> {
    let arguments = Value::Object(call.arguments.clone());
    let text = |place: &str| {
        let value = arguments.pointer(&format!("{file}/{place}"));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let sent = text("file_path");
    let path = session.limits.scope.resolve(&sent)?;
    let of_edit = |name: &str| text(&format!("edits/{edit}/{name}"));
    replace_first_in(&path, &sent, &of_edit("old_string"), &of_edit("new_string"))
}
