//! Properties of all shipped cases.

use std::collections::BTreeSet;

use super::{Action, Case, FileContent, Prepare, Suite, load_builtin};
use crate::argument::{Argument, Arguments};
use crate::expectation::{ExpectedValue, Need};
use crate::json;
use crate::roles::Role;

fn shipped() -> Suite {
    load_builtin().unwrap()
}

/// Checks that a property holds for every case.
fn check(holds: impl Fn(&Case) -> bool) {
    let failing: Vec<_> =
        shipped().cases.iter().filter(|case| !holds(case)).map(|case| case.id.to_string()).collect();
    assert!(failing.is_empty(), "{failing:?}");
}

fn texts(arguments: &Arguments) -> Vec<&str> {
    arguments.0.iter().filter_map(|(_, argument)| argument.value()).flat_map(json::texts).collect()
}

#[test]
fn the_cases_are_loaded_in_the_order_of_their_ids() {
    let suite = shipped();
    assert!(suite.cases.is_sorted_by_key(|case| case.id.clone()));
    assert_eq!(suite.cases.len(), mcp_errconf_cases::cases().len());
    assert!(suite.cases.iter().all(|case| case.id.0.split('/').count() == 2));
}

#[test]
fn every_case_that_must_fail_tells_the_value_that_is_wrong() {
    check(|case| {
        let condition = case.script.condition.as_ref();
        let silent = condition.is_none_or(|condition| condition.0 == "unknown-tool");
        silent == case.script.expect.value.is_none()
    });
}

#[test]
fn a_path_or_text_that_must_be_named_is_sent_and_a_parameter_is_sent_or_left_out() {
    check(|case| case.script.expect.value.as_ref().is_none_or(|value| is_sent(&case.script.call, value)));
}

/// Whether a call contains, or lacks, what its refusal must name.
fn is_sent(call: &Action, value: &ExpectedValue) -> bool {
    match value {
        ExpectedValue::Path(sent) | ExpectedValue::Text(sent) => {
            texts(&call.arguments).contains(&sent.as_str())
        }
        ExpectedValue::Parameter(name) => {
            call.without.as_ref() == Some(name) || matches!(call.arguments.get(name), Some(Argument::Json(_)))
        }
        ExpectedValue::Argument(name) => call.arguments.get(name).is_some(),
        ExpectedValue::Count(_) | ExpectedValue::Limit(_) => true,
        ExpectedValue::AnyOf(values) => values.iter().any(|value| is_sent(call, value)),
    }
}

#[test]
fn a_control_differs_from_its_call_in_one_argument() {
    check(|case| {
        let Some(control) = &case.script.control else { return case.script.call.role == Role::Absent };
        let call = &case.script.call;
        // Starting a task stands in for a call with its id, which only the server knows.
        if control.role != call.role {
            return true;
        }
        let names: BTreeSet<_> = control.arguments.names().chain(call.arguments.names()).collect();
        let differing: Vec<_> = names
            .into_iter()
            .filter(|name| control.arguments.get(name) != call.arguments.get(name))
            .collect();
        // With a separate file, the control of a replacement does not change the one that the call is about.
        // Names are in alphabetical order.
        match (case.script.call.role, differing.as_slice()) {
            (Role::Replace, names) => {
                let faulty = |name: &str| {
                    call.without.as_deref() == Some(name)
                        || case.script.expect.value == Some(ExpectedValue::Parameter(name.to_owned()))
                };
                names.iter().all(|name| *name == "path" || faulty(name))
            }
            // A list of edits is one argument, and so is a list of files.
            (Role::MultiEdit | Role::MultiEditFiles, names) => {
                names.iter().all(|name| matches!(*name, "path" | "edits" | "files"))
            }
            // Each file has its own size, and each range two ends.
            (Role::Write, ["content", "path"]) => case.script.needs.contains(&Need::MaxFileSize),
            (Role::Read | Role::Blame, ["end", "start"]) => true,
            // The same call again, after something it needs was removed.
            (_, []) => case.script.meanwhile.iter().any(|step| matches!(step, Prepare::RemoveFile(_))),
            (_, names) => names.len() == 1,
        }
    });
}

#[test]
fn every_path_that_is_sent_lies_in_a_folder_of_the_harness() {
    check(|case| {
        let actions = case.script.control.iter().chain([&case.script.call]);
        // Relative paths are only sent if nothing can exist at their end.
        let relative = case.script.condition.as_ref().is_some_and(|condition| condition.0 == "relative-path");
        let mut paths = actions.filter_map(|action| action.arguments.get("path"));
        paths.all(|path| match path {
            Argument::Json(path) => path.as_str().is_some_and(|path| {
                ["{case}", "{outside}/", "{workspace}/../workspace-outside/"]
                    .iter()
                    .any(|folder| path.starts_with(folder))
                    || (relative && path.starts_with("no-such-folder/"))
            }),
            Argument::Raw(_) => false,
        })
    });
}

#[test]
fn a_call_that_leaves_the_root_needs_one() {
    check(|case| {
        let leaves = texts(&case.script.call.arguments).iter().any(|text| text.contains("outside"))
            || case
                .script
                .files
                .iter()
                .any(|file| matches!(&file.content, FileContent::Link(to) if to.contains("{outside}")));
        leaves == case.script.needs.contains(&Need::Root)
    });
}

#[test]
fn every_background_task_waits_for_a_file_of_its_case() {
    let mut tasks = 0;
    for case in &shipped().cases {
        let filled = case.script.prepare.iter().filter_map(|step| match step {
            Prepare::FillTasks(fill) => Some(&fill.call),
            _ => None,
        });
        for action in filled.chain(&case.script.control).chain([&case.script.call]) {
            let Some(Argument::Json(command)) = action.arguments.get("command") else { continue };
            if action.arguments.get("background").is_none() || command == "true" {
                continue;
            }
            tasks += 1;
            let flag = command
                .as_str()
                .and_then(|text| text.strip_prefix("while [ -e '{case}/")?.split_once('\''))
                .unwrap();
            assert!(case.script.files.iter().any(|file| file.path == flag.0), "{}: {}", case.id, flag.0);
        }
    }
    assert!(tasks > 0, "there are background tasks");
}

#[test]
fn every_reservation_of_a_case_is_given_back() {
    check(|case| {
        let prepared = case.script.prepare.iter().filter_map(|step| match step {
            Prepare::Call(action) => Some(action),
            _ => None,
        });
        let prepared: Vec<&Action> = prepared.collect();
        let released = prepared.iter().copied().chain(&case.script.cleanup);
        let released: Vec<_> =
            released.filter(|action| action.role == Role::Release).map(|action| &action.arguments).collect();
        let sent = prepared.into_iter().chain(&case.script.control).chain([&case.script.call]);
        sent.filter(|action| action.role == Role::Reserve).all(|action| released.contains(&&action.arguments))
    });
    assert!(shipped().cases.iter().any(|case| !case.script.cleanup.is_empty()), "there are reservations");
}

#[test]
fn the_text_to_replace_occurs_three_times_in_one_file_and_once_in_the_other() {
    let suite = shipped();
    let case = suite.case("replace/ambiguous").unwrap();
    assert_eq!(case.script.expect.value, Some(ExpectedValue::Count(3)));
    let counts: Vec<_> = case
        .script
        .files
        .iter()
        .map(|file| match &file.content {
            FileContent::Text(text) => text.matches("green apple").count(),
            _ => 0,
        })
        .collect();
    assert_eq!(counts, [1, 3]);
}
