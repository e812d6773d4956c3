//! Mistakes in well-formed case files: meaningless words, and parts that contradict each other.
//!
//! The main function is [`check`]. Whether a contract knows the condition is not checked here, because a case
//! belongs to none.

use toml::de::DeValue;

use crate::roles::Role;

use super::{
    Action, Commit, Elsewhere, Expect, FileContent, Prepare, ProcessChoice, Script, StubResponse, editing,
};
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
    for (number, call) in script.again.iter().enumerate() {
        action(call, &["again", &number.to_string()], document)?;
    }
    for (number, call) in script.cleanup.iter().enumerate() {
        action(call, &["cleanup", &number.to_string()], document)?;
    }
    if !script.again.is_empty() && !script.again.contains(&script.call) {
        let cause = "one of the calls in `again` must repeat the case's call";
        return Err(document.wrong_key(&["again"], cause));
    }
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
    if script.requirements.is_empty() {
        let cause = "a case must cover at least one requirement, such as \"BC-05\"";
        return Err(document.wrong_value(&["requirements"], cause));
    }
    for (number, id) in script.requirements.iter().enumerate() {
        let (group, rest) = id.split_once('-').unwrap_or_default();
        let filled = |part: &str, of: fn(char) -> bool| !part.is_empty() && part.chars().all(of);
        if !filled(group, |letter| letter.is_ascii_uppercase())
            || !filled(rest, |digit| digit.is_ascii_digit())
        {
            let cause = format!("`{id}` is not a requirement id: write it like `BC-05`");
            return Err(document.wrong_value(&["requirements", &number.to_string()], cause));
        }
    }
    Ok(())
}

fn files(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    for (number, file) in script.files.iter().enumerate() {
        let number = number.to_string();
        let wrong = |cause: String| Err(document.wrong_value(&["file", &number, "path"], cause));
        let denied = file.path == "{denied}";
        if denied && !script.needs.contains(&Need::Deny) {
            return wrong(
                "`{denied}` is made from the server's own pattern: add `needs = [\"deny\"]`".to_owned(),
            );
        }
        if let FileContent::Hex(digits) = &file.content
            && (digits.len() % 2 != 0 || !digits.chars().all(|digit| digit.is_ascii_hexdigit()))
        {
            let cause = "`hex` takes pairs of hexadecimal digits, such as \"fffe\"";
            return Err(document.wrong_value(&["file", &number, "content"], cause));
        }
        if file.path.split('/').any(|part| matches!(part, "" | "." | ".."))
            || file.path.contains('{') && !denied
        {
            return wrong(format!(
                "`{}` must be inside the case's folder: `name` or `folder/name`",
                file.path
            ));
        }
        if let FileContent::Git(commits) = &file.content {
            repository(commits, &number, document)?;
        }
        if script.files.iter().filter(|other| other.path == file.path).count() > 1 {
            return wrong(format!("the file `{}` is listed twice", file.path));
        }
        if matches!(file.content, FileContent::BeyondLimit(_)) && !script.needs.contains(&Need::MaxFileSize) {
            let cause = "`beyond-limit` counts from the server's limit: add `needs = [\"max-file-size\"]`";
            return Err(document.wrong_value(&["file", &number, "content"], cause));
        }
    }
    Ok(())
}

/// Checks that a repository has a commit, and each commit a message and files inside the repository but outside
/// of `.git`.
fn repository(commits: &[Commit], file: &str, document: &Document<'_>) -> Result<(), LoadError> {
    let place = ["file", file, "content", "git"];
    if commits.is_empty() {
        return Err(document
            .wrong_value(&place, "a repository needs at least one commit, with `message` and `files`"));
    }
    for (number, commit) in commits.iter().enumerate() {
        let number = number.to_string();
        let within = |key: &'static str| [&place[..], &[number.as_str(), key]].concat();
        if commit.message.trim().is_empty() {
            return Err(document.wrong_value(&within("message"), "a commit needs a message"));
        }
        if commit.files.is_empty() {
            return Err(document.wrong_value(
                &within("files"),
                "a commit must add or change at least one \
                file",
            ));
        }
        for (key, name) in [("branch", &commit.branch), ("tag", &commit.tag)] {
            if name.as_ref().is_some_and(|name| !is_plain_name(name)) {
                let cause = format!("a {key} has a name made of letters, digits, `.`, `_` and `-`");
                return Err(document.wrong_value(&within(key), cause));
            }
        }
        for path in commit.files.keys() {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
            let leaves = path.split('/').any(|part| matches!(part, "" | "." | ".." | ".git"));
            if leaves || !path.chars().all(plain) {
                let place = [&within("files")[..], &[path.as_str()]].concat();
                let cause = format!(
                    "`{path}` must be a path inside the repository, made of letters, digits, `.`, `_` and `-`"
                );
                return Err(document.wrong_key(&place, cause));
            }
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
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        if route.path.is_empty() || route.path.starts_with('/') || !route.path.chars().all(plain) {
            let cause = format!(
                "`{}` must be what follows `{{upstream}}/`, made of letters, digits, `-`, `_`, `.` and `/`",
                route.path
            );
            return Err(document.wrong_value(&place("path"), cause));
        }
        if script.upstream.iter().filter(|other| other.path == route.path).count() > 1 {
            let cause = format!("the address `{}` is listed twice", route.path);
            return Err(document.wrong_value(&place("path"), cause));
        }
        let asked = format!("{{upstream}}/{}", route.path);
        let asks = |action: &Action| {
            let mut texts = action.arguments.0.iter().filter_map(|(_, argument)| argument.value()?.as_str());
            texts.any(|text| text == asked || text.starts_with(&format!("{asked}?")))
        };
        let actions = script.control.iter().chain([&script.call]).chain(&script.again);
        if !actions.into_iter().any(asks) {
            let cause = format!("no call asks for `{asked}`");
            return Err(document.wrong_value(&place("path"), cause));
        }
        let (StubResponse::Page(page) | StubResponse::HalfAPage(page)) = &route.answer else { continue };
        if !(200..600).contains(&page.status) {
            let cause = format!("`{}` is not a valid status of a response: use 200 to 599", page.status);
            return Err(document.wrong_value(&place("answer"), cause));
        }
        let header = |text: &str| text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
        if page
            .headers
            .iter()
            .any(|(name, value)| !header(value) || name.contains([' ', ':']) || !header(name))
        {
            let cause = "a header must be a name and a value, each on one line and in ASCII";
            return Err(document.wrong_value(&place("answer"), cause));
        }
    }
    let Some(wait) = script.expect.wait else { return Ok(()) };
    if script.upstream.iter().any(|route| route.wait() == Some(wait)) {
        return Ok(());
    }
    let cause = format!("no response of `upstream` asks to wait {wait} s: add `retry-after`");
    Err(document.wrong_value(&["expect", "wait"], cause))
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
            let place = below(&["fill-tasks"]);
            if !script.needs.contains(&Need::TaskLimit) || script.process != ProcessChoice::Own {
                let cause = "`fill-tasks` needs `needs = [\"task-limit\"]` and `process = \"own\"`";
                return Err(document.wrong_key(&place, cause));
            }
            action(&fill.call, &below(&["fill-tasks", "call"]), document)
        }
        Prepare::Elsewhere(Elsewhere { times, call }) => {
            if *times == 0 || script.process != ProcessChoice::Own {
                let cause = "`elsewhere` needs `times` of 1 or more, and `process = \"own\"`";
                return Err(document.wrong_key(&below(&["elsewhere"]), cause));
            }
            action(call, &below(&["elsewhere", "call"]), document)
        }
        Prepare::RemoveFile(file) => {
            let known: Vec<_> = script.files.iter().map(|file| file.path.as_str()).collect();
            let is_of_repository = |other: &super::File| {
                let below = file.strip_prefix(&other.path).is_some_and(|below| below.starts_with('/'));
                below && matches!(other.content, FileContent::Git(_))
            };
            if known.contains(&file.as_str()) || script.files.iter().any(is_of_repository) {
                return Ok(());
            }
            let cause = format!("the case has no file `{file}`{}", advice(file, &known));
            Err(document.wrong_value(&below(&["remove-file"]), cause))
        }
    }
}

/// Checks that the limit is known for texts whose size depends on it.
fn beyond_limits(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    let counts =
        |argument: &Argument| matches!(argument, Argument::Json(value) if beyond_limit(value).is_some());
    for (key, action) in
        script.control.iter().map(|control| ("control", control)).chain([("call", &script.call)])
    {
        if action.arguments.0.iter().any(|(_, argument)| counts(argument))
            && !script.needs.contains(&Need::MaxFileSize)
        {
            let cause = "`beyond-limit` counts from the server's limit: add `needs = [\"max-file-size\"]`";
            return Err(document.wrong_value(&[key, "arguments"], cause));
        }
    }
    Ok(())
}

fn action(action: &Action, path: &[&str], document: &Document<'_>) -> Result<(), LoadError> {
    for name in action.arguments.names() {
        let place = [path, &["arguments", name]].concat();
        if let Some(cause) = unknown_parameter(action.role, name) {
            return Err(document.wrong_key(&place, cause));
        }
        if action.role.is_member(name) {
            return Err(document.wrong_key(&place, in_a_list(name)));
        }
        if let Some(Argument::Json(list)) = action.arguments.get(name) {
            members(action.role, name, list, &place, document)?;
        }
    }
    let Some(without) = &action.without else { return Ok(()) };
    let place = [path, &["without"]].concat();
    if let Some(cause) = unknown_parameter(action.role, without) {
        return Err(document.wrong_value(&place, cause));
    }
    if action.role.is_member(without) {
        return Err(document.wrong_value(&place, in_a_list(without)));
    }
    if action.arguments.get(without).is_some() {
        return Err(document.wrong_value(&place, format!("`{without}` is both given and left out")));
    }
    Ok(())
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
            if !known.contains(&name.as_str()) {
                let cause = format!("the items of `{list}` have no member `{name}`{}", advice(name, known));
                return Err(document.wrong_key(&place, cause));
            }
            members(role, name, inner, &place, document)?;
        }
    }
    Ok(())
}

fn unknown_parameter(role: Role, name: &str) -> Option<String> {
    let known = role.parameters();
    (!known.contains(&name))
        .then(|| format!("role `{role}` has no parameter `{name}`{}", advice(name, known)))
}

fn control(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    let Some(control) = &script.control else {
        if script.call.role == Role::Absent {
            return Ok(());
        }
        return Err(
            document.wrong_key(&["call"], "`[control]` is missing: add the same call without the fault")
        );
    };
    // Something removed between control and call is a fault too, as another argument would be.
    let removes = script.meanwhile.iter().any(|step| matches!(step, Prepare::RemoveFile(_)));
    if script.condition.is_some() && *control == script.call && !removes {
        return Err(document
            .wrong_key(&["control"], "the control is identical to the call, so the call has no fault"));
    }
    // Only the server knows a background task's id, so a started task serves as the control of a call with its
    // id.
    let grounds = control.role == script.call.role
        || (control.role, script.call.role) == (Role::Shell, Role::TaskOutput);
    if !grounds {
        let cause = format!("the control must differ only in the fault: its role is `{}`", script.call.role);
        return Err(document.wrong_value(&["control", "role"], cause));
    }
    Ok(())
}

fn expectation(script: &Script, document: &Document<'_>) -> Result<(), LoadError> {
    let Expect {
        value,
        hint,
        valid_values,
        editing,
        wait,
        holder,
        exit_status,
        accepted_within,
        only_if_declared,
        or_success,
        why,
    } = &script.expect;
    let of_failure = [
        ("value", value.is_some()),
        ("hint", hint.is_some()),
        ("valid-values", valid_values.is_some()),
        ("editing", editing.is_some()),
        ("wait", wait.is_some()),
        ("holder", holder.is_some()),
        ("only-if-declared", *only_if_declared),
        ("or-success", *or_success),
    ];
    let of_success = [
        ("exit-status", exit_status.is_some()),
        ("accepted-within", accepted_within.is_some()),
        ("why", why.is_some()),
    ];
    let (foreign, cause) = match script.condition {
        Some(_) => (&of_success[..], "is for a call that must succeed, but this one has a condition"),
        None => (&of_failure[..], "is for a call that must fail, but this one has no condition"),
    };
    if let Some((key, _)) = foreign.iter().find(|(_, given)| *given) {
        return Err(document.wrong_key(&["expect", key], format!("`{key}` {cause}")));
    }
    if script.condition.is_none() && why.is_none() {
        let cause = "a call that must succeed needs `why` in `[expect]`, which is reported if the server \
            refuses it";
        return Err(document.wrong_key(&["expect"], cause));
    }
    let named = value.as_ref().and_then(parameter_of);
    let named = named.map(|parameter| (&["expect", "value", "parameter"][..], parameter));
    let hinted = hint.as_ref().map(|hint| (&["expect", "hint", "parameter"][..], &hint.parameter));
    let listed = valid_values.as_ref().map(|parameter| (&["expect", "valid-values"][..], parameter));
    for (path, parameter) in [named, hinted, listed].into_iter().flatten() {
        if let Some(cause) = unknown_parameter(script.call.role, parameter) {
            return Err(document.wrong_value(path, cause));
        }
    }
    editing.as_ref().map_or(Ok(()), |editing| editing::check(editing, script, document))
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
