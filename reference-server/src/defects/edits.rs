//! Errors about edits that mislead: what they show of the file, which edit they blame, what they say became of the others.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Fault;
use crate::context::{Context, Spot};
use crate::contract::Reply;
use crate::failure::{Code, Failure};
use crate::file;
use crate::tools::{Call, Session};

pub(super) const FAULTS: &[(&str, Fault)] = &[
    (
        "envelope/context/few-lines",
        Fault::Failure(|failure, _, _| {
            if let Some(excerpt) = failure.context.as_deref_mut().and_then(|context| context.excerpt.as_mut())
            {
                let half = excerpt.lines().count() / 2;
                *excerpt = excerpt.split_inclusive('\n').take(half.min(4)).collect();
            }
        }),
    ),
    ("envelope/context/missing", Fault::Reply(|_, _, reply| without(reply, "context"))),
    (
        "envelope/context/numbered",
        Fault::Failure(|failure, _, _| {
            texts(failure).for_each(|(line, text)| *text = numbered(text, line));
        }),
    ),
    (
        "envelope/context/marked",
        Fault::Failure(|failure, _, _| {
            texts(failure).for_each(|(_, text)| text.insert_str(text.len() / 2, "[HERE]"));
        }),
    ),
    (
        "envelope/context/line-before",
        Fault::Failure(|failure, _, _| {
            spots(failure).for_each(|spot| spot.line = (spot.line - 1).max(1));
        }),
    ),
    (
        "envelope/context/line-zero",
        Fault::Failure(|failure, _, _| spots(failure).for_each(|spot| spot.line = 0)),
    ),
    (
        "envelope/context/first-place",
        Fault::Failure(|failure, _, _| {
            if let Some(context) = failure.context.as_deref_mut() {
                context.spots.truncate(1);
            }
        }),
    ),
    (
        "envelope/context/line-alone",
        Fault::Reply(|call, _, reply| {
            let sought = sought(call);
            reply.with_members(|envelope| {
                let context = envelope.get_mut("context");
                let places = context.and_then(|context| context.get_mut("match_locations"));
                for place in places.and_then(Value::as_array_mut).into_iter().flatten() {
                    let text = place["snippet"].as_str().unwrap_or_default().to_owned();
                    place["snippet"] = text.lines().find(|line| line.contains(&sought)).into();
                }
            })
        }),
    ),
    (
        "envelope/context/every-place",
        Fault::Failure(|failure, call, session| {
            let sought = sought(call);
            let text = text_of(call, session);
            let Some(context) = failure.context.as_deref_mut().filter(|context| context.more > 0) else {
                return;
            };
            let lines = text.lines().enumerate().filter(|(_, line)| line.contains(&sought));
            let others = lines
                .skip(context.spots.len())
                .map(|(number, line)| Spot { line: number + 1, snippet: format!("{line}\n") });
            context.spots.extend(others);
            context.more = 0;
        }),
    ),
    (
        "envelope/context/large",
        Fault::Reply(|_, _, reply| {
            reply.with_members(|envelope| {
                if let Some(context) = envelope.get_mut("context") {
                    context["margin"] = json!("~ ".repeat(6 * 1024));
                }
            })
        }),
    ),
    ("envelope/location/file", Fault::Reply(|_, _, reply| without(reply, "file_path"))),
    (
        "envelope/location/first-file",
        Fault::Failure(|failure, call, _| {
            let first = call.arguments.get("files").and_then(|files| files.pointer("/0/file_path")?.as_str());
            if let (Some(part), Some(first)) = (&mut failure.part, first) {
                part.file = first.to_owned();
                part.file_index = Some(0);
            }
        }),
    ),
    ("envelope/location/edit", Fault::Reply(|_, _, reply| without(reply, "edit_index"))),
    ("envelope/location/index-from-one", Fault::Reply(|call, _, reply| count_on(call, reply, "edit_index"))),
    (
        "envelope/location/file-index-from-one",
        Fault::Reply(|call, _, reply| count_on(call, reply, "file_index")),
    ),
    (
        "envelope/location/backup",
        Fault::Reply(|call, failure, reply| {
            let wants = call.arguments.get("backup") == Some(&Value::Bool(true));
            let is_meant = wants && failure.is_some_and(|failure| failure.code != Code::BackupFailed);
            match call.text("file_path").filter(|_| is_meant) {
                Some(path) => reply.with_members(|envelope| {
                    envelope.insert("backup_path".to_owned(), json!(format!("{path}.bak")));
                }),
                None => reply,
            }
        }),
    ),
    ("envelope/edit-status/missing", Fault::Reply(|_, _, reply| without(reply, "edit_status"))),
    (
        "envelope/edit-status/skipped",
        Fault::Reply(|_, _, reply| {
            with_status(reply, |status| status.retain(|edit| edit["status"] == "failed"))
        }),
    ),
    (
        "envelope/edit-status/done",
        Fault::Reply(|_, failure, reply| {
            let before = failure.and_then(|failure| failure.part.as_ref()?.edit).unwrap_or_default();
            let done = (0..before).map(|index| json!({"edit_index": index, "status": "matched"}));
            with_status(reply, |status| drop(status.splice(0..0, done)))
        }),
    ),
    (
        "envelope/edit-status/preview",
        Fault::Reply(|_, failure, reply| {
            let part = failure.and_then(|failure| failure.part.as_ref());
            with_status(reply, |status| {
                for edit in status {
                    let index = edit["edit_index"].as_u64().and_then(|index| usize::try_from(index).ok());
                    if let Some(old) = part.zip(index).and_then(|(part, index)| part.tried.get(index)) {
                        edit["old_string_preview"] = json!(format!("{old:<60}"));
                    }
                }
            })
        }),
    ),
];

/// The places of the file that a failure shows.
fn spots(failure: &mut Failure) -> impl Iterator<Item = &mut Spot> {
    failure.context.iter_mut().flat_map(|context| &mut context.spots)
}

/// Every text of the file that a failure shows, with the line from which it may be counted.
fn texts(failure: &mut Failure) -> impl Iterator<Item = (usize, &mut String)> {
    failure.context.iter_mut().flat_map(|context| {
        let Context { excerpt, spots, .. } = &mut **context;
        let excerpt = excerpt.iter_mut().map(|text| (1, text));
        excerpt.chain(spots.iter_mut().map(|spot| (spot.line, &mut spot.snippet)))
    })
}

fn numbered(text: &str, first: usize) -> String {
    let mut numbered = String::new();
    for (line, number) in text.lines().zip(first..) {
        // A string takes everything.
        let _ = writeln!(numbered, "{number:>5}\t{line}");
    }
    numbered
}

/// The old text of the call's only edit.
fn sought(call: &Call) -> String {
    let of_list = call.arguments.get("edits").and_then(|edits| edits.pointer("/0/old_string"));
    let old = of_list.and_then(Value::as_str).or_else(|| call.text("old_str"));
    old.unwrap_or_default().to_owned()
}

/// What stands in the file that the call names.
pub(super) fn text_of(call: &Call, session: &Session) -> String {
    let sent = call.text("file_path").or_else(|| call.text("path")).unwrap_or_default();
    let text = session.limits.scope.resolve(sent).and_then(|path| file::read(&path, sent, u64::MAX));
    text.unwrap_or_default()
}

fn without(reply: Reply, name: &str) -> Reply {
    reply.with_members(|envelope| drop(envelope.shift_remove(name)))
}

fn with_status(reply: Reply, change: impl FnOnce(&mut Vec<Value>)) -> Reply {
    reply.with_members(|envelope| {
        if let Some(status) = envelope.get_mut("edit_status").and_then(Value::as_array_mut) {
            change(status);
        }
    })
}

/// Counts an index from 1, where the tool takes lists.
fn count_on(call: &Call, reply: Reply, name: &str) -> Reply {
    if !call.tool.name.starts_with("multi_edit") {
        return reply;
    }
    reply.with_members(|envelope| {
        if let Some(index) = envelope.get_mut(name)
            && let Some(number) = index.as_u64()
        {
            *index = json!(number + 1);
        }
    })
}
