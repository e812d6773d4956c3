//! Mistakes in well-formed case files: meaningless words, and parts that contradict each other.
//!
//! The main function is [`check`]. Whether a contract knows the condition is not checked here, because a case
//! belongs to none.

use toml::de::DeValue;

use crate::roles::Role;

use super::{Action, Commit, Elsewhere, FileContent, Prepare, ProcessChoice, Script, StubResponse, editing};
use crate::argument::{Argument, beyond_limit};
use crate::document::{Document, LoadError, advice};
use crate::expectation::{ExpectedValue, Need};
use crate::placeholder::misspelt;

/// Finds the first mistake.
pub(super) fn check(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    strings(document)?;
    requirements(script, document)?;
    files(script, document)?;
    upstream(script, document)?;
    for (list, steps) in [("prepare", &script.prepare), ("meanwhile", &script.meanwhile)] {
        for (number, step) in steps.iter().enumerate() {
            preparation(script, step, &[list, &number.to_string()], document)?;
        }
    }
    if let Some(control) = &script.control {
        action(control, &["control"], document)?;
    }
    action(&script.call, &["call"], document)?;
    for (list, calls) in [("again", &script.again), ("cleanup", &script.cleanup)] {
        for (number, call) in calls.iter().enumerate() {
            action(call, &[list, &number.to_string()], document)?;
        }
    }
    let repeats = script.again.is_empty() || script.again.contains(&script.call);
    document.require_key(
        repeats,
        &["again"],
        || "one of the calls in `again` must repeat the case's call",
    )?;
    beyond_limits(script, document)?;
    control(script, document)?;
    expectation(script, document)
}

/// Checks that JSON can express every value, and that no token is misspelt.
fn strings(document: &Document<'_>) -> Result<(), LoadError> {
    for (span, value) in document.values() {
        match value {
            DeValue::Datetime(_) => {
                return Err(document.wrong_span(span, "JSON has no dates: write it as a string, in quotes"));
            }
            DeValue::Float(number) if number.as_str().ends_with(['f', 'n']) => {
                let cause = format!(
                    "JSON has no number `{}`: write what is to be sent as {{ raw = '..' }}",
                    number.as_str()
                );
                return Err(document.wrong_span(span, cause));
            }
            DeValue::String(text) => {
                if let Some((found, meant)) = misspelt(text) {
                    let token = &text[found];
                    let start = span.start + document.source(span).find(token).unwrap_or(0);
                    let cause =
                        format!("`{token}` is not a token and would be sent as is: did you mean `{meant}`?");
                    return Err(document.wrong_span(start..start, cause));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn requirements(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    document.require(
        !script.requirements.is_empty(),
        &["requirements"],
        || "a case must cover at least one requirement, such as \"BC-05\"",
    )?;
    for (number, id) in script.requirements.iter().enumerate() {
        let (group, rest) = id.split_once('-').unwrap_or_default();
        let filled = |part: &str, of: fn(char) -> bool| !part.is_empty() && part.chars().all(of);
        let is_id = filled(group, |letter| letter.is_ascii_uppercase())
            && filled(rest, |digit| digit.is_ascii_digit());
        document.require(is_id, &["requirements", &number.to_string()], || {
            format!("`{id}` is not a requirement id: write it like `BC-05`")
        })?;
    }
    Ok(())
}

fn files(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    for (number, file) in script.files.iter().enumerate() {
        let number = number.to_string();
        let path = &file.path;
        let (at_path, at_content) = (["file", &number, "path"], ["file", &number, "content"]);
        let is_denied = path == "{denied}";
        document.require(
            !is_denied || script.needs.contains(&Need::Deny),
            &at_path,
            || "`{denied}` is made from the server's own pattern: add `needs = [\"deny\"]`",
        )?;
        if let FileContent::Hex(digits) = &file.content {
            let is_hex = digits.len() % 2 == 0 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
            document.require(
                is_hex,
                &at_content,
                || "`hex` takes pairs of hexadecimal digits, such as \"fffe\"",
            )?;
        }
        let is_inside = !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        document.require(is_inside && (is_denied || !path.contains('{')), &at_path, || {
            format!("`{path}` must be inside the case's folder: `name` or `folder/name`")
        })?;
        if let FileContent::Git(commits) = &file.content {
            repository(commits, &number, document)?;
        }
        let is_once = script.files.iter().filter(|other| other.path == *path).count() == 1;
        document.require(is_once, &at_path, || format!("the file `{path}` is listed twice"))?;
        let is_relative = matches!(file.content, FileContent::BeyondLimit(_));
        limit_is_known(is_relative, script, &at_content, document)?;
    }
    Ok(())
}

/// Checks that the limit is known for a content or text whose size depends on it.
fn limit_is_known(
    is_relative: bool,
    script: &Script,
    path: &[&str],
    document: &Document<'_>,
) -> Result<(), LoadError> {
    document.require(
        !is_relative || script.needs.contains(&Need::MaxFileSize),
        path,
        || "`beyond-limit` counts from the server's limit: add `needs = [\"max-file-size\"]`",
    )
}

/// Checks that a repository has a commit, and each commit a message and files inside the repository but outside
/// of `.git`.
fn repository(commits: &[Commit], file: &str, document: &Document<'_>) -> Result<(), LoadError> {
    let place = ["file", file, "content", "git"];
    document.require(
        !commits.is_empty(),
        &place,
        || "a repository needs at least one commit, with `message` and `files`",
    )?;
    for (number, commit) in commits.iter().enumerate() {
        let number = number.to_string();
        let within = |key: &'static str| [&place[..], &[number.as_str(), key]].concat();
        document.require(
            !commit.message.trim().is_empty(),
            &within("message"),
            || "a commit needs a message",
        )?;
        document.require(
            !commit.files.is_empty(),
            &within("files"),
            || "a commit must add or change at least one file",
        )?;
        for (key, name) in [("branch", &commit.branch), ("tag", &commit.tag)] {
            document.require(name.as_ref().is_none_or(|name| is_plain_name(name)), &within(key), || {
                format!("a {key} has a name made of letters, digits, `.`, `_` and `-`")
            })?;
        }
        for path in commit.files.keys() {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
            let leaves = path.split('/').any(|part| matches!(part, "" | "." | ".." | ".git"));
            let place = [&within("files")[..], &[path.as_str()]].concat();
            document.require_key(!leaves && path.chars().all(plain), &place, || {
                format!(
                    "`{path}` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`"
                )
            })?;
        }
    }
    Ok(())
}

/// Whether git takes a name as it stands.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_marked = name.starts_with(['.', '-']) || name.ends_with(['.', '-']) || name.contains("..");
    !name.is_empty() && !is_marked && !name.ends_with(".lock") && name.chars().all(is_plain)
}

/// Checks the service's answers, and that their addresses are used.
fn upstream(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    for (number, route) in script.upstream.iter().enumerate() {
        let number = number.to_string();
        let place = |key: &'static str| ["upstream", number.as_str(), key];
        let path = &route.path;
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        let is_path = !path.is_empty() && !path.starts_with('/') && path.chars().all(plain);
        document.require(is_path, &place("path"), || {
            format!(
                "`{path}` must be what follows `{{upstream}}/`, made of letters, digits, `-`, `_`, `.` and `/`"
            )
        })?;
        let is_once = script.upstream.iter().filter(|other| other.path == *path).count() == 1;
        document.require(is_once, &place("path"), || format!("the address `{path}` is listed twice"))?;
        let asked = format!("{{upstream}}/{path}");
        let asks = |action: &Action| {
            let mut texts = action.arguments.0.iter().filter_map(|(_, argument)| argument.value()?.as_str());
            texts.any(|text| text == asked || text.starts_with(&format!("{asked}?")))
        };
        let mut actions = script.control.iter().chain([&script.call]).chain(&script.again);
        document.require(actions.any(asks), &place("path"), || format!("no call asks for `{asked}`"))?;
        let (StubResponse::Page(page) | StubResponse::HalfAPage(page)) = &route.answer else { continue };
        document.require((200..600).contains(&page.status), &place("answer"), || {
            format!("`{}` is not a valid status of a response: use 200 to 599", page.status)
        })?;
        let is_line = |text: &str| text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        let is_header =
            |(name, value): (&String, &String)| is_line(value) && is_line(name) && !name.contains([' ', ':']);
        document.require(
            page.headers.iter().all(is_header),
            &place("answer"),
            || "a header must be a name and a value, each on one line and in ASCII",
        )?;
    }
    let Some(wait) = script.expect.wait else { return Ok(()) };
    let asks_to_wait = script.upstream.iter().any(|route| route.wait() == Some(wait));
    document.require(asks_to_wait, &["expect", "wait"], || {
        format!("no response of `upstream` asks to wait {wait} s: add `retry-after`")
    })
}

fn preparation(
    script: &Script,
    step: &Prepare,
    path: &[&str],
    document: &Document<'_>,
) -> Result<(), LoadError> {
    let below = |steps: &[&'static str]| [path, steps].concat();
    match step {
        Prepare::Call(call) => action(call, &below(&["call"]), document),
        Prepare::FillTasks(fill) => {
            let is_set_up = script.needs.contains(&Need::TaskLimit) && script.process == ProcessChoice::Own;
            document.require_key(
                is_set_up,
                &below(&["fill-tasks"]),
                || "`fill-tasks` needs `needs = [\"task-limit\"]` and `process = \"own\"`",
            )?;
            action(&fill.call, &below(&["fill-tasks", "call"]), document)
        }
        Prepare::Elsewhere(Elsewhere { times, call }) => {
            let is_set_up = *times > 0 && script.process == ProcessChoice::Own;
            document.require_key(
                is_set_up,
                &below(&["elsewhere"]),
                || "`elsewhere` needs `times` of 1 or more, and `process = \"own\"`",
            )?;
            action(call, &below(&["elsewhere", "call"]), document)
        }
        Prepare::RemoveFile(file) => {
            let known: Vec<_> = script.files.iter().map(|file| file.path.as_str()).collect();
            let is_of_repository = |other: &super::File| {
                let below = file.strip_prefix(&other.path).is_some_and(|below| below.starts_with('/'));
                below && matches!(other.content, FileContent::Git(_))
            };
            let is_known = known.contains(&file.as_str()) || script.files.iter().any(is_of_repository);
            document.require(is_known, &below(&["remove-file"]), || {
                format!("the case has no file `{file}`{}", advice(file, &known))
            })
        }
    }
}

fn beyond_limits(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    let is_relative =
        |argument: &Argument| matches!(argument, Argument::Json(value) if beyond_limit(value).is_some());
    let control = script.control.iter().map(|control| ("control", control));
    for (key, action) in control.chain([("call", &script.call)]) {
        let is_relative = action.arguments.0.iter().any(|(_, argument)| is_relative(argument));
        limit_is_known(is_relative, script, &[key, "arguments"], document)?;
    }
    Ok(())
}

fn action(action: &Action, path: &[&str], document: &Document<'_>) -> Result<(), LoadError> {
    let role = action.role;
    for (name, argument) in &action.arguments.0 {
        let place = [path, &["arguments", name]].concat();
        document.require_key(is_parameter(role, name), &place, || unknown_parameter(role, name))?;
        document.require_key(!role.is_member(name), &place, || in_a_list(name))?;
        if let Argument::Json(list) = argument {
            members(role, name, list, &place, document)?;
        }
    }
    let Some(without) = &action.without else { return Ok(()) };
    let place = [path, &["without"]].concat();
    document.require(is_parameter(role, without), &place, || unknown_parameter(role, without))?;
    document.require(!role.is_member(without), &place, || in_a_list(without))?;
    let is_given = action.arguments.get(without).is_some();
    document.require(!is_given, &place, || format!("`{without}` is both given and left out"))
}

/// The message for a parameter that belongs in a list and was written beside it.
fn in_a_list(name: &str) -> String {
    let list = if matches!(name, "path" | "edits") { "files" } else { "edits" };
    format!("`{name}` belongs in the items of a list: `{list} = [{{ {name} = .. }}]`")
}

/// Checks that the items of a list have the role's members and no others.
fn members(
    role: Role,
    list: &str,
    value: &serde_json::Value,
    path: &[&str],
    document: &Document<'_>,
) -> Result<(), LoadError> {
    let known = role.members(list);
    if known.is_empty() {
        return Ok(());
    }
    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
        for (name, inner) in item.as_object().into_iter().flatten() {
            let number = number.to_string();
            let place = [path, &[&number, name]].concat();
            document.require_key(known.contains(&name.as_str()), &place, || {
                format!("the items of `{list}` have no member `{name}`{}", advice(name, known))
            })?;
            members(role, name, inner, &place, document)?;
        }
    }
    Ok(())
}

fn is_parameter(role: Role, name: &str) -> bool {
    role.parameters().contains(&name)
}

/// The message for a parameter that the role does not have.
fn unknown_parameter(role: Role, name: &str) -> String {
    format!("role `{role}` has no parameter `{name}`{}", advice(name, role.parameters()))
}

fn control(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    let call = &script.call;
    let Some(control) = &script.control else {
        return document.require_key(
            call.role == Role::Absent,
            &["call"],
            || "`[control]` is missing: add the same call without the fault",
        );
    };
    // Something removed between control and call is a fault too, as another argument would be.
    let removes = script.meanwhile.iter().any(|step| matches!(step, Prepare::RemoveFile(_)));
    document.require_key(
        script.condition.is_none() || control != call || removes,
        &["control"],
        || "the control is identical to the call, so the call has no fault",
    )?;
    // Only the server knows a background task's id, so a started task serves as the control of a call with its
    // id.
    let grounds = control.role == call.role || (control.role, call.role) == (Role::Shell, Role::TaskOutput);
    document.require(grounds, &["control", "role"], || {
        format!("the control must differ only in the fault: its role is `{}`", call.role)
    })
}

fn expectation(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    let expect = &script.expect;
    let of_failure = [
        ("value", expect.value.is_some()),
        ("hint", expect.hint.is_some()),
        ("valid-values", expect.valid_values.is_some()),
        ("editing", expect.editing.is_some()),
        ("wait", expect.wait.is_some()),
        ("holder", expect.holder.is_some()),
        ("only-if-declared", expect.only_if_declared),
        ("or-success", expect.or_success),
    ];
    let of_success = [
        ("exit-status", expect.exit_status.is_some()),
        ("accepted-within", expect.accepted_within.is_some()),
        ("why", expect.why.is_some()),
    ];
    let (foreign, cause) = match script.condition {
        Some(_) => (&of_success[..], "is for a call that must succeed, but this one has a condition"),
        None => (&of_failure[..], "is for a call that must fail, but this one has no condition"),
    };
    for (key, is_given) in foreign {
        document.require_key(!is_given, &["expect", key], || format!("`{key}` {cause}"))?;
    }
    document.require_key(
        script.condition.is_some() || expect.why.is_some(),
        &["expect"],
        || "a call that must succeed needs `why` in `[expect]`, which is reported if the server refuses it",
    )?;
    let named = expect.value.as_ref().and_then(parameter_of);
    let hinted = expect.hint.as_ref().map(|hint| &hint.parameter);
    for (path, parameter) in [
        (&["value", "parameter"][..], named),
        (&["hint", "parameter"], hinted),
        (&["valid-values"], expect.valid_values.as_ref()),
    ] {
        let Some(parameter) = parameter else { continue };
        let role = script.call.role;
        let place = [&["expect"], path].concat();
        document.require(is_parameter(role, parameter), &place, || unknown_parameter(role, parameter))?;
    }
    expect.editing.as_ref().map_or(Ok(()), |editing| editing::check(editing, script, document))
}

/// The name of the parameter in a value.
fn parameter_of(value: &ExpectedValue) -> Option<&String> {
    match value {
        ExpectedValue::Parameter(parameter) | ExpectedValue::Argument(parameter) => Some(parameter),
        ExpectedValue::AnyOf(values) => values.iter().find_map(parameter_of),
        ExpectedValue::Path(_)
        | ExpectedValue::Count(_)
        | ExpectedValue::Text(_)
        | ExpectedValue::Limit(_) => None,
    }
}
