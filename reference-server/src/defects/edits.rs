//! Errors about edits that mislead: what they show of the file, which edit they blame, what they say became of the others.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Defect, Fault, cases, within};
use crate::context::{Context, Spot};
use crate::contract::{Channel, Contract, Reply};
use crate::failure::Code;
use crate::file;
use crate::tools::{Call, Outcome, Session};

const CONTEXT: &str = "envelope/context";
const LOCATION: &str = "envelope/location";
const STATUS: &str = "envelope/edit-status";
const EDITORS: &[Contract] = &[Contract::ErrorEnvelope];

pub(super) static DEFECTS: &[Defect] = &[
    Defect {
        name: "envelope/context/few-lines",
        summary: "Half of the lines that would help are shown, and four at most.",
        breaks: &[within(EDITORS, CONTEXT, cases::NOT_FOUND)],
        fault: Fault::Outcome(|_, outcome, _| {
            shown(outcome, |context| {
                if let Some(excerpt) = &mut context.excerpt {
                    let half = excerpt.lines().count() / 2;
                    *excerpt = excerpt.split_inclusive('\n').take(half.min(4)).collect();
                }
            })
        }),
    },
    Defect {
        name: "envelope/context/missing",
        summary: "Nothing of the file is shown.",
        breaks: &[within(EDITORS, CONTEXT, cases::FAILED_MATCH)],
        fault: Fault::Reply(|_, _, reply| {
            told(reply, |envelope| {
                take(envelope, "context");
            })
        }),
    },
    Defect {
        name: "envelope/context/numbered",
        summary: "A number stands before each line of the file.",
        breaks: &[within(EDITORS, CONTEXT, cases::FAILED_MATCH)],
        fault: Fault::Outcome(|_, outcome, _| {
            shown(outcome, |context| {
                texts(context).for_each(|(line, text)| *text = numbered(text, line));
            })
        }),
    },
    Defect {
        name: "envelope/context/marked",
        summary: "A mark of the server's own stands in the file's text.",
        breaks: &[within(EDITORS, CONTEXT, cases::FAILED_MATCH)],
        fault: Fault::Outcome(|_, outcome, _| {
            shown(outcome, |context| {
                texts(context).for_each(|(_, text)| text.insert_str(text.len() / 2, "[HERE]"));
            })
        }),
    },
    Defect {
        name: "envelope/context/line-before",
        summary: "Each place is told with the line before its own, where there is one.",
        breaks: &[within(EDITORS, CONTEXT, cases::AMBIGUOUS_MATCH)],
        fault: Fault::Outcome(|_, outcome, _| {
            shown(outcome, |context| {
                context.spots.iter_mut().for_each(|spot| spot.line = (spot.line - 1).max(1));
            })
        }),
    },
    Defect {
        name: "envelope/context/line-zero",
        summary: "Nobody counted the lines: each place is told with line 0.",
        breaks: &[
            within(EDITORS, CONTEXT, cases::AMBIGUOUS_MATCH),
            // The schema knows no line 0.
            within(EDITORS, "envelope/schema", cases::AMBIGUOUS_MATCH),
        ],
        fault: Fault::Outcome(|_, outcome, _| {
            shown(outcome, |context| context.spots.iter_mut().for_each(|spot| spot.line = 0))
        }),
    },
    Defect {
        name: "envelope/context/first-place",
        summary: "Of several places the first one alone is shown.",
        breaks: &[within(EDITORS, CONTEXT, cases::AMBIGUOUS_MATCH)],
        fault: Fault::Outcome(|_, outcome, _| shown(outcome, |context| context.spots.truncate(1))),
    },
    Defect {
        name: "envelope/context/line-alone",
        summary: "Of each place its own line is shown, and nothing around it.",
        breaks: &[within(EDITORS, CONTEXT, cases::AMBIGUOUS_MATCH)],
        fault: Fault::Reply(|call, _, reply| {
            let sought = sought(call);
            told(reply, |envelope| {
                let places = envelope.pointer_mut("/context/match_locations").and_then(Value::as_array_mut);
                for place in places.into_iter().flatten() {
                    let text = place["snippet"].as_str().unwrap_or_default().to_owned();
                    place["snippet"] = text.lines().find(|line| line.contains(&sought)).into();
                }
            })
        }),
    },
    Defect {
        name: "envelope/context/every-place",
        summary: "Every place is shown, however many there are.",
        breaks: &[within(EDITORS, CONTEXT, cases::MANY_MATCHES)],
        fault: Fault::Outcome(|call, outcome, session| {
            let sought = sought(call);
            let text = text_of(call, session);
            shown(outcome, |context| {
                if context.more == 0 {
                    return;
                }
                let lines = text.lines().enumerate().filter(|(_, line)| line.contains(&sought));
                let others = lines
                    .skip(context.spots.len())
                    .map(|(number, line)| Spot { line: number + 1, snippet: format!("{line}\n") });
                context.spots.extend(others);
                context.more = 0;
            })
        }),
    },
    Defect {
        name: "envelope/context/large",
        summary: "Twelve KiB of the server's own come with the lines of the file.",
        breaks: &[within(EDITORS, CONTEXT, cases::FAILED_MATCH)],
        fault: Fault::Reply(|_, _, reply| {
            told(reply, |envelope| {
                if let Some(context) = envelope.get_mut("context") {
                    context["margin"] = json!("~ ".repeat(6 * 1024));
                }
            })
        }),
    },
    Defect {
        name: "envelope/location/file",
        summary: "No error says which file it is about.",
        breaks: &[within(EDITORS, LOCATION, cases::OF_A_FILE)],
        fault: Fault::Reply(|_, _, reply| told(reply, |envelope| take(envelope, "file_path"))),
    },
    Defect {
        name: "envelope/location/first-file",
        summary: "Of several files the first one is blamed, whichever failed.",
        breaks: &[within(EDITORS, LOCATION, cases::SECOND_FILE)],
        fault: Fault::Outcome(|call, outcome, _| {
            let first = call.arguments.get("files").and_then(|files| files.pointer("/0/file_path"));
            let first = first.and_then(Value::as_str).map(str::to_owned);
            outcome.map_err(|mut failure| {
                if let (Some(part), Some(first)) = (&mut failure.part, first) {
                    part.file = first;
                    part.file_index = Some(0);
                }
                failure
            })
        }),
    },
    Defect {
        name: "envelope/location/edit",
        summary: "No error says which edit it is about.",
        breaks: &[within(EDITORS, LOCATION, cases::ONE_EDIT)],
        fault: Fault::Reply(|_, _, reply| told(reply, |envelope| take(envelope, "edit_index"))),
    },
    Defect {
        name: "envelope/location/index-from-one",
        summary: "The index of the edit counts from 1.",
        breaks: &[within(EDITORS, LOCATION, cases::ONE_EDIT)],
        fault: Fault::Reply(|call, _, reply| told(reply, |envelope| count_on(call, envelope, "edit_index"))),
    },
    Defect {
        name: "envelope/location/file-index-from-one",
        summary: "The index of the file counts from 1.",
        breaks: &[within(EDITORS, LOCATION, cases::BEHIND_FIRST_FILE)],
        fault: Fault::Reply(|call, _, reply| told(reply, |envelope| count_on(call, envelope, "file_index"))),
    },
    Defect {
        name: "envelope/location/backup",
        summary: "A backup is named that was never made.",
        breaks: &[within(EDITORS, LOCATION, cases::WITH_BACKUP)],
        fault: Fault::Reply(|call, failure, reply| {
            let wants = call.arguments.get("backup") == Some(&Value::Bool(true));
            match call
                .text("file_path")
                .filter(|_| wants && failure.is_some_and(|failure| failure.code != Code::BackupFailed))
            {
                Some(path) => told(reply, |envelope| envelope["backup_path"] = json!(format!("{path}.bak"))),
                None => reply,
            }
        }),
    },
    Defect {
        name: "envelope/edit-status/missing",
        summary: "Nothing says what became of the edits.",
        breaks: &[within(EDITORS, STATUS, cases::FAILED_EDIT)],
        fault: Fault::Reply(|_, _, reply| told(reply, |envelope| take(envelope, "edit_status"))),
    },
    Defect {
        name: "envelope/edit-status/skipped",
        summary: "The edits behind the one that failed are not listed.",
        breaks: &[within(EDITORS, STATUS, cases::SKIPPED_EDIT)],
        fault: Fault::Reply(|_, _, reply| {
            told(reply, |envelope| {
                if let Some(status) = envelope.get_mut("edit_status").and_then(Value::as_array_mut) {
                    status.retain(|edit| edit["status"] == "failed");
                }
            })
        }),
    },
    Defect {
        name: "envelope/edit-status/done",
        summary: "The edits before the one that failed are listed too, though nothing is to be said of them.",
        breaks: &[within(EDITORS, STATUS, cases::EDIT_BEFORE)],
        fault: Fault::Reply(|_, failure, reply| {
            let before = failure.and_then(|failure| failure.part.as_ref()).and_then(|part| part.edit);
            told(reply, |envelope| {
                if let Some(status) = envelope.get_mut("edit_status").and_then(Value::as_array_mut) {
                    let done = (0..before.unwrap_or_default())
                        .map(|index| json!({"edit_index": index, "status": "matched"}));
                    status.splice(0..0, done);
                }
            })
        }),
    },
    Defect {
        name: "envelope/edit-status/preview",
        summary: "The old texts stand in the list as a whole, in a column of sixty letters.",
        breaks: &[within(EDITORS, STATUS, cases::FAILED_EDIT)],
        fault: Fault::Reply(|_, failure, reply| {
            let part = failure.and_then(|failure| failure.part.as_ref());
            told(reply, |envelope| {
                let status = envelope.get_mut("edit_status").and_then(Value::as_array_mut);
                for edit in status.into_iter().flatten() {
                    let index = edit["edit_index"].as_u64().and_then(|index| usize::try_from(index).ok());
                    if let Some(old) = part.zip(index).and_then(|(part, index)| part.tried.get(index)) {
                        edit["old_string_preview"] = json!(format!("{old:<60}"));
                    }
                }
            })
        }),
    },
];

/// Changes what a failure shows of its file.
fn shown(outcome: Outcome, change: impl FnOnce(&mut Context)) -> Outcome {
    outcome.map_err(|mut failure| {
        if let Some(context) = &mut failure.context {
            change(context);
        }
        failure
    })
}

/// Every text of the file that a failure shows, with the line from which it may be counted.
fn texts(context: &mut Context) -> impl Iterator<Item = (usize, &mut String)> {
    let excerpt = context.excerpt.iter_mut().map(|text| (1, text));
    excerpt.chain(context.spots.iter_mut().map(|spot| (spot.line, &mut spot.snippet)))
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
fn text_of(call: &Call, session: &Session) -> String {
    let sent = call.text("file_path").or_else(|| call.text("path")).unwrap_or_default();
    let text = session.limits.scope.resolve(sent).and_then(|path| file::read(&path, sent, u64::MAX));
    text.unwrap_or_default()
}

/// Changes the object of an error; a success stays as it is.
fn told(reply: Reply, change: impl FnOnce(&mut Value)) -> Reply {
    match serde_json::from_str::<Value>(&reply.text) {
        Ok(mut envelope) if reply.channel == Channel::ToolError && envelope.is_object() => {
            change(&mut envelope);
            Reply { text: envelope.to_string(), ..reply }
        }
        _ => reply,
    }
}

fn take(envelope: &mut Value, name: &str) {
    if let Some(members) = envelope.as_object_mut() {
        members.shift_remove(name);
    }
}

/// Counts an index from 1, where the tool takes lists.
fn count_on(call: &Call, envelope: &mut Value, name: &str) {
    if !call.tool.name.starts_with("multi_edit") {
        return;
    }
    if let Some(index) = envelope.get(name).and_then(Value::as_u64) {
        envelope[name] = json!(index + 1);
    }
}
