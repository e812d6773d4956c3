//! The right code, and words that do not help.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Fault;
use crate::contract::Reply;
use crate::failure::{Code, Failure, Quoted};

const VAGUE: &str = "The request failed due to an unexpected problem.";

/// Output modes and type filters, each with a last one that does not exist.
const MODES: &[&str] = &["content", "files_with_matches", "count", "matches_only"];
const TYPES: &[&str] = &["file", "directory", "executable"];

pub(super) const FAULTS: &[(&str, Fault)] = &[
    ("message/empty", Fault::Reply(|_, failure, reply| instead(failure, reply, ""))),
    ("message/vague", Fault::Reply(|_, failure, reply| instead(failure, reply, VAGUE))),
    (
        "message/vague/unknown-task",
        Fault::ReplyTo(Code::BashTaskNotFound, |_, failure, reply| instead(Some(failure), reply, VAGUE)),
    ),
    ("message/value-missing", Fault::Failure(|failure, _, _| without_value(failure))),
    (
        "message/value-missing/unknown-task",
        Fault::FailureOf(Code::BashTaskNotFound, |failure, _, _| without_value(failure)),
    ),
    ("message/hint-missing", Fault::Failure(|failure, _, _| without_hint(failure))),
    (
        "message/valid-values-missing",
        Fault::Failure(|failure, _, _| {
            if !failure.valid_values.is_empty() {
                failure.valid_values = &[];
                failure.hint = Some("Use one that the tool's schema has, or leave it out.".into());
            }
        }),
    ),
    (
        "message/hint-wrong/replace-all",
        Fault::Call(|call, _| drop(call.arguments.shift_remove("replace_all"))),
    ),
    (
        "message/hint-wrong/idle",
        Fault::Call(|call, _| {
            let is_suggested = call.arguments.get("replace_all") == Some(&true.into());
            if let (true, Some(old)) = (is_suggested, call.arguments.get("old_str").cloned()) {
                call.arguments.insert("new_str".into(), old);
            }
        }),
    ),
    (
        "message/hint-wrong/listed-mode",
        Fault::FailureOf(Code::GrepInvalidOutputMode, |failure, _, _| failure.valid_values = MODES),
    ),
    (
        "message/hint-wrong/listed-type",
        Fault::FailureOf(Code::GlobInvalidType, |failure, _, _| failure.valid_values = TYPES),
    ),
    (
        "message/hint-wrong/limit",
        Fault::Failure(|failure, _, _| {
            if let Some((limit, sent)) = failure.what.split_once(", but ")
                && limit.contains("an integer from ")
            {
                failure.what = format!("{limit}0, but {sent}");
            }
        }),
    ),
    (
        "message/hint-wrong/last-line",
        Fault::Failure(|failure, _, _| {
            failure.hint = failure.hint.take().map(|hint| with_one_line_more(&hint).into());
        }),
    ),
    (
        "message/hint-wrong/size",
        Fault::FailureOf(Code::FileTooLarge, |failure, _, session| {
            let limit = session.limits.file_size;
            let (own, twice) = (format!("limit of {limit} "), format!("limit of {} ", limit * 2));
            failure.what = failure.what.replace(&own, &twice);
        }),
    ),
    (
        "message/credential-unexplained",
        Fault::Failure(|failure, _, _| {
            lacking_token(failure, "The service refused", "Ask the operator.");
        }),
    ),
    (
        "message/credential-unexplained/half",
        Fault::Failure(|failure, _, _| {
            lacking_token(failure, "There is no secret for", "Configure one.");
        }),
    ),
    (
        "message/hint-repeated",
        Fault::FailureOf(Code::BashTaskNotFound, |failure, _, _| {
            failure.hint = Some(format!("Hint: {}.", failure.what).into());
        }),
    ),
];

/// A closed set is left alone: a message without it breaks a rule of its own.
fn instead(failure: Option<&Failure>, reply: Reply, message: &str) -> Reply {
    match failure {
        Some(failure) if failure.valid_values.is_empty() => {
            reply.reworded(|_| message.to_owned()).advised(&["Something went wrong."])
        }
        _ => reply,
    }
}

/// Takes the variable out of what is said of a token that is missing.
fn lacking_token(failure: &mut Failure, what: &str, hint: &str) {
    if failure.code == Code::UpstreamUnauthorized && failure.what.ends_with(" is not set") {
        failure.what = format!("{what} {}", Quoted(&failure.about));
        failure.hint = Some(hint.into());
    }
}

static WITHHELD: LazyLock<Withheld> =
    LazyLock::new(|| toml::from_str(include_str!("withheld.toml")).expect("a test reads this file"));

/// `withheld.toml`, which says what is in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Withheld {
    value: Vec<Told>,
    hint: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    codes: Vec<Code>,
    what: Option<String>,
    hint: Option<String>,
}

/// What is told in place of this failure's words.
fn instead_of<'t>(table: &'t [Told], failure: &Failure) -> Option<&'t Told> {
    table.iter().find(|told| told.codes.contains(&failure.code))
}

fn without_value(failure: &mut Failure) {
    let Some(Told { what, hint, .. }) = instead_of(&WITHHELD.value, failure) else { return };
    failure.what = what.clone().unwrap_or_default();
    if let Some(hint) = hint {
        failure.hint = Some(hint.as_str().into());
    }
}

/// The range of lines that a message tells: it is the value that was refused, and no hint.
fn range(what: &str) -> Option<&str> {
    let lists = what.match_indices('[').filter_map(|(start, _)| what[start..].split_inclusive(']').next());
    lists.into_iter().find(|list| list.chars().any(|digit| digit.is_ascii_digit()))
}

/// Takes away the hint, and whatever else says how to fix the call.
fn without_hint(failure: &mut Failure) {
    let Some(told) = instead_of(&WITHHELD.hint, failure) else { return };
    if let Some(what) = &told.what {
        let range = range(&failure.what).map_or(String::new(), |range| format!(" {range}"));
        let what = what.replace("{range}", &range);
        failure.what = match what.contains("'{about}'") {
            true => what.replace("'{about}'", &Quoted(&failure.about).to_string()),
            false => what.replace("{about}", &failure.about),
        };
    }
    failure.hint = None;
    failure.reason = None;
    failure.valid_values = &[];
}

/// "Use a line from 1 to 4" in the place of "to 3".
fn with_one_line_more(hint: &str) -> String {
    let Some((begin, rest)) = hint.split_once(" line from 1 to ") else { return hint.to_owned() };
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..end].parse::<u64>() {
        Ok(last) => format!("{begin} line from 1 to {}{}", last + 1, &rest[end..]),
        Err(_) => hint.to_owned(),
    }
}
