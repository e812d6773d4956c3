//! `envelope/location`: the error does not say which file and which edit it is about, or says so wrongly.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::condition::{self, ConditionTrait, folder_name};
use crate::exchange::FileChangeKind;
use crate::finding::Diagnostic;
use crate::roles::Role;
use crate::rules::{Context, Rule};

use super::edits::{Edits, Fault};

/// EE-09: the file in every error about one, the edit's index in every error of one edit; EE-16: a backup exists.
pub(crate) static RULE: Rule = Rule::of_reply("envelope/location", include_str!("location.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(edits) = Edits::of(context) else { return Vec::new() };
    let faults = [file_path(&edits), file_index(&edits), edit_index(&edits), backup(&edits)];
    let help = "Keep the path and the indexes (counted from 0) together with each edit while it is tried, \
        and put them in the error.";
    edits.diagnostic(faults.into_iter().flatten().collect(), help)
}

fn file_path(edits: &Edits<'_>) -> Option<Fault> {
    let pointer = edits.form.file_path.as_ref()?;
    let sent = paths(edits);
    let reported = edits.at(Some(pointer));
    let due =
        edits.context.condition().is_some_and(|condition| condition::has(condition, ConditionTrait::File));
    match (reported, sent.as_slice()) {
        (_, []) => None,
        (None, [path]) if due => {
            Some(Fault::new("EE-09", format!("`{pointer}` is missing: the error is about `{path}`")))
        }
        (None, _) if due => {
            Some(Fault::new("EE-09", format!("`{pointer}` is missing: the call named several files")))
        }
        (None, _) => None,
        (Some(reported), sent) => {
            let is_true =
                reported.as_str().is_some_and(|reported| sent.iter().any(|sent| same(reported, sent, edits)));
            (!is_true).then(|| {
                let about = sent.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" or ");
                Fault::new("EE-09", format!("`{pointer}` is {reported}, but the error is about {about}"))
            })
        }
    }
}

/// The path of the file that the error is about, or all paths that it may be about.
fn paths(edits: &Edits<'_>) -> Vec<String> {
    if let Some(known) = edits.known {
        return vec![known.file.clone()];
    }
    if let Some(edited) = edits.edited() {
        return vec![edited.path.clone()];
    }
    if edits.is_list() {
        return edits.asked.iter().map(|edited| edited.path.clone()).collect();
    }
    let context = edits.context;
    let of_files = |role| matches!(role, Role::Read | Role::Write | Role::Replace | Role::MultiEdit);
    let bindings = context.head.bindings.iter();
    let mut playing = bindings
        .filter(|binding| Some(binding.tool.as_str()) == context.exchange.tool() && of_files(binding.role));
    let name = playing.find_map(|binding| binding.parameters.get("path"));
    let path = name.and_then(|name| context.arguments().get(name)?.as_str());
    path.filter(|path| !path.is_empty()).map(str::to_owned).into_iter().collect()
}

/// Whether two paths are the same: as sent, normalised as text, or one relative to a folder of the other.
fn same(reported: &str, sent: &str, edits: &Edits<'_>) -> bool {
    let (reported, sent) = (resolved(reported), resolved(sent));
    let relative = |short: &Path, long: &Path| short.file_name().is_some() && long.ends_with(short);
    // The target of a symbolic link cannot be told from its path: another name in or beside the workspace may
    // be it.
    let through_link = || {
        edits.context.condition().is_some_and(|condition| condition::has(condition, ConditionTrait::Link))
            && reported.is_absolute()
    };
    reported == sent || relative(&reported, &sent) || relative(&sent, &reported) || through_link()
}

/// A path without `.` and `..`, normalised as text.
fn resolved(path: &str) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            other => resolved.push(other),
        }
    }
    resolved
}

fn file_index(edits: &Edits<'_>) -> Option<Fault> {
    let pointer = edits.form.file_index.as_ref().filter(|_| edits.several_files && edits.is_list())?;
    // If there is only one file, its path says which.
    let of_one =
        edits.context.condition().is_some_and(|condition| condition::has(condition, ConditionTrait::File));
    let due =
        edits.asked.len() > 1 && (of_one || edits.known.is_some_and(|known| known.file_index.is_some()));
    let known = edits.known.and_then(|known| known.file_index).or((edits.asked.len() == 1).then_some(0));
    index(edits, pointer, "file", known, edits.asked.len(), due)
}

fn edit_index(edits: &Edits<'_>) -> Option<Fault> {
    let pointer = edits.form.edit_index.as_ref().filter(|_| edits.is_list())?;
    let due = edits.is_match() || edits.known.is_some_and(|known| known.edit.is_some());
    let most = edits.asked.iter().map(|edited| edited.old.len()).max().unwrap_or_default();
    let count = edits.edited().map_or(most, |edited| edited.old.len());
    index(edits, pointer, "edit", edits.edit_index(), count, due)
}

/// The fault of an index: it is missing, wrong, or out of range.
fn index(
    edits: &Edits<'_>,
    pointer: &str,
    of: &str,
    known: Option<usize>,
    count: usize,
    due: bool,
) -> Option<Fault> {
    let fault = |what: String| Some(Fault::new("EE-09", format!("`{pointer}` {what}")));
    let reported = match edits.data.pointer(pointer) {
        None | Some(Value::Null) if due => {
            return fault(format!("is missing: one {of} of {count} is at fault"));
        }
        None | Some(Value::Null) => return None,
        Some(reported) => reported,
    };
    let number = reported.as_u64().and_then(|number| usize::try_from(number).ok());
    match (number, known) {
        (Some(number), Some(known)) if number != known => {
            fault(format!("is {number}, but {of} {known} is at fault (counted from 0)"))
        }
        (Some(number), None) if number >= count => {
            fault(format!("is {number}, but the call has {count} (counted from 0)"))
        }
        (None, _) => fault(format!("is {reported}, which is not an index")),
        (Some(_), _) => None,
    }
}

/// EE-16: the fault of a reported backup. Only the case's own folder is known, and in it what this call
/// created.
fn backup(edits: &Edits<'_>) -> Option<Fault> {
    let context = edits.context;
    let pointer = edits.form.backup.as_ref()?;
    let reported = edits.data.pointer(pointer)?.as_str()?;
    let case = folder_name(context.exchange.place.case.as_ref()?);
    let folder = Path::new(&context.head.folders.workspace).join(case);
    let path = resolved(reported);
    let below = path.strip_prefix(&folder).ok()?;
    let below = format!("{{case}}/{}", below.display());
    let is_made = context.exchange.changes.iter().any(|change| {
        change.path == below
            && matches!(change.change, FileChangeKind::Created { .. } | FileChangeKind::Modified)
    });
    // A file that the case made, or that its control left, may have the same name.
    let earlier = |text: &str| text.contains(reported) || text.contains(&below);
    let named = context.exchange.place.control.is_some_and(|_| {
        let control = context.succeeded_control();
        control.is_some_and(|control| {
            control.outcome.texts().into_iter().any(earlier) || shares_file(control, edits)
        })
    });
    (!is_made && !named)
        .then(|| Fault::new("EE-16", format!("`{pointer}` names `{reported}`, but there is no such file")))
}

/// Whether the control was about the same file, and may have left a backup of it.
fn shares_file(control: &crate::exchange::Exchange, edits: &Edits<'_>) -> bool {
    let sent = control.call.arguments.to_string();
    paths(edits).iter().any(|path| sent.contains(path.as_str()))
}
