//! What the reply to a call could say, as an example for whoever fixes the server.
//!
//! The main function is [`sentence`]. It is made from the call, the tool's schema, the list of tools and the
//! contract, and claims nothing beyond these: a reason that only the server knows is written `REASON`.

use std::cmp::Reverse;

use serde_json::Value;

use crate::catalog::{Catalog, Tool};
use crate::condition::{ConditionTrait, has};
use crate::expectation::{ExpectedFailure, ExpectedValue};
use crate::names::affinity::are_about_the_same;
use crate::names::name_words;
use crate::pattern;
use crate::roles::{Binding, Role};
use crate::wording::excerpt;

use super::Context;

mod type_words;

/// The example sentence for a help: what the reply to this call could say, with a code if the server promises
/// codes; empty if too little is known about the call.
pub(super) fn sentence(context: &Context<'_>) -> String {
    in_words(if context.declared { coded(context) } else { message(context) })
}

/// What the reply could say, with a code, whether or not the server promises any.
pub(super) fn sentence_with_code(context: &Context<'_>) -> String {
    in_words(coded(context))
}

fn in_words(example: Option<String>) -> String {
    let example = example.map(|example| example.replace('`', "'"));
    example.map(|example| format!("{BEGINNING}{example}{END}")).unwrap_or_default()
}

/// What stands before the example sentence in a help, and behind it.
const BEGINNING: &str = " Here it could read: `";
const END: &str = "`.";

/// A help without its example sentence, and that sentence, if it has one.
pub fn suggested(help: &str) -> (&str, Option<&str>) {
    let parts = help.rsplit_once(BEGINNING).and_then(|(fix, rest)| Some((fix, rest.strip_suffix(END)?)));
    parts.map_or((help, None), |(fix, example)| (fix, Some(example)))
}

/// An error reply to this call in the contract's form.
fn coded(context: &Context<'_>) -> Option<String> {
    let message = message(context)?;
    Some(match context.answer().and_then(|answer| answer.expected.as_deref()) {
        Some(code) => context.contract.form.example(code, &message),
        None => message,
    })
}

/// The message of such a reply, on one line; `None` if it is unknown what is wrong with the call.
fn message(context: &Context<'_>) -> Option<String> {
    let Some(failure) = context.expected_failure() else { return of_a_change(context) };
    let fault = Fault::of(context, failure)?;
    fault.message(&failure.condition.0, &context.head.catalog, context)
}

/// The changes that put a path in the place of a value.
const LEADING: [&str; 9] = [
    "absent",
    "below-a-file",
    "door",
    "elsewhere",
    "encoded-dots",
    "file",
    "folder",
    "upwards",
    "upwards-folder",
];

/// The message if only two things are known: how the call differs from a successful one, and what was tried
/// with it.
fn of_a_change(context: &Context<'_>) -> Option<String> {
    let (name, sent) = changed(context)?;
    let driven = context.run_record.case_of(context.exchange);
    let subject = format!("{name} {}", quoted(sent));
    let condition = driven.and_then(|driven| driven.condition.as_deref());
    // A tool may take what was tried, and refuse the call for something else.
    if condition.is_some_and(|condition| !may_be_about(condition, context)) {
        return None;
    }
    let has_slash = |value: &Value| value.as_str().is_some_and(|text| text.contains('/'));
    let taken = context.succeeded_control().and_then(|control| context.own(control).get(name));
    let leads_elsewhere = condition.is_some_and(|condition| LEADING.contains(&condition));
    if leads_elsewhere && has_slash(sent) && taken.is_some_and(|taken| taken.is_string() && !has_slash(taken))
    {
        return Some(format!("'{name}' must be a name without '/', such as {}", quoted(taken?)));
    }
    Some(match condition {
        Some("absent" | "elsewhere") => of_missing_path(&subject, context),
        Some("door" | "upwards" | "upwards-folder") => {
            format!("{subject} leads out of the allowed folder: send a path within it")
        }
        Some("unlisted") if names_a_thing(name) && is_called_missing(context) => {
            let tool = lists(context.tool?, &context.head.catalog)?;
            format!("{subject} does not exist. Use {tool} to see which ones do")
        }
        Some("below-a-file") => {
            format!("{subject} leads through a file, which is no folder: send the path of a file")
        }
        Some("folder") => format!("{subject} is a folder: send the path of a file"),
        Some("file") if wants_a_folder(context) => format!("{subject} is a file: send the path of a folder"),
        Some("file") => match ending_of_control(context, name) {
            Some(ending) => format!("{subject} is a file of another kind: send a .{ending} file"),
            None => format!("{subject} is a file of another kind: send one that the tool can read"),
        },
        Some("empty" | "blank" | "unfilled") => format!("'{name}' must not be empty"),
        Some("empty-file") => format!("{subject} is an empty file: send one with contents"),
        Some("not-text") => match ending_of_control(context, name) {
            None | Some("txt" | "md") => format!("{subject} is not text in UTF-8: send a text file"),
            Some(ending) => format!("{subject} cannot be read: send a .{ending} file"),
        },
        Some("nul") => format!("'{name}' must not contain a NUL character"),
        Some("long") => format!("'{name}' is too long: send at most LIMIT characters"),
        // Nothing is known of the fault: an example would have a gap where its words should be.
        _ => return None,
    })
}

/// Whether the reply may be about what was tried: for what a tool may take as well, only if the reply speaks of it.
fn may_be_about(condition: &str, context: &Context<'_>) -> bool {
    let speaks = match condition {
        "folder" => pattern!("state/is-folder"),
        "empty-file" => pattern!("state/is-empty"),
        "long" => pattern!("state/is-long"),
        _ => return true,
    };
    context.texts().iter().any(|text| speaks.is_match(&context.echo().blank(text)))
}

/// Whether a parameter takes what a thing is called by.
fn names_a_thing(name: &str) -> bool {
    name_words(name).last().is_some_and(|word| ["id", "key", "name", "title"].contains(&word.as_str()))
}

/// Whether the reply says that something is not there.
fn is_called_missing(context: &Context<'_>) -> bool {
    context.texts().iter().any(|text| pattern!("cause/no-file").is_match(text))
}

/// The ending of the file that the tool took.
fn ending_of_control<'a>(context: &Context<'a>, name: &str) -> Option<&'a str> {
    let arguments = context.succeeded_control().map(|control| context.own(control))?;
    let (_, ending) = arguments.get(name)?.as_str()?.rsplit('/').next()?.rsplit_once('.')?;
    (!ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(ending)
}

/// Whether the reply says that a file was sent where a folder was wanted.
fn wants_a_folder(context: &Context<'_>) -> bool {
    context.texts().iter().any(|text| {
        let text = text.to_lowercase();
        ["enotdir", "not a directory", "not a folder"].iter().any(|words| text.contains(words))
    })
}

/// What is wrong with a call.
struct Fault<'a> {
    tool: &'a Tool,
    /// The parameters at fault, by their names in the tool.
    names: Vec<&'a str>,
    /// The value that the call sends for the first of them.
    sent: Option<&'a Value>,
    /// The value that a message must name, if the case says so.
    value: Option<String>,
}

impl<'a> Fault<'a> {
    fn of(context: &Context<'a>, failure: &'a ExpectedFailure) -> Option<Self> {
        let tool = context.tool?;
        let arguments = context.arguments();
        let value = failure.value.as_ref().and_then(text_of);
        let mut names = failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
        if let Some(name) = failure.valid_values_of.as_deref() {
            names = vec![name];
        }
        if names.is_empty() {
            let holds = |(_, sent): &(&String, &Value)| value.is_some() && sent.as_str() == value.as_deref();
            let mut given = arguments.as_object().into_iter().flatten();
            names.extend(given.find(holds).or_else(|| changed(context)).map(|(name, _)| name.as_str()));
        }
        let sent = names.first().and_then(|name| arguments.get(*name));
        Some(Self { tool, names, sent, value })
    }

    /// What happened with which value, and what to send instead.
    fn message(&self, condition: &str, catalog: &Catalog, context: &Context<'_>) -> Option<String> {
        let name = self.names.first().copied();
        let of_schema = name.map(|name| self.of_schema(condition, name));
        match condition {
            "missing-argument" | "null-argument" | "empty-argument" | "invalid-type" | "wrong-item"
            | "unknown-enum-value" | "out-of-range" | "unknown-argument" | "empty-command" => of_schema?,
            _ => self.of_world(condition, name, catalog, context),
        }
    }

    /// The message for a violation of the schema.
    fn of_schema(&self, condition: &str, name: &str) -> Option<String> {
        let wanted = self.tool.parameter(name).and_then(type_words::of);
        let (is, send) = match &wanted {
            Some(wanted) => (format!("must be {wanted}"), format!("send {wanted}")),
            None => ("must have a value".to_owned(), "send a value".to_owned()),
        };
        let sent = self.sent.map(quoted);
        Some(match condition {
            "missing-argument" if self.names.len() > 1 => {
                format!("{} are required", type_words::joined(&self.names, "and"))
            }
            "missing-argument" => format!("'{name}' is required: {send}"),
            "null-argument" => format!("'{name}' {is}, not null"),
            "empty-argument" | "empty-command" => format!("'{name}' must not be empty: {send}"),
            "wrong-item" => {
                let item = self.tool.parameter(name).and_then(|schema| schema.get("items"));
                format!("each item of '{name}' must be {}", item.and_then(type_words::of)?)
            }
            "unknown-argument" => {
                let own: Vec<&str> = self.tool.parameters().map(|(name, _)| name).collect();
                format!(
                    "there is no argument '{name}': {} takes {}",
                    self.tool.name,
                    type_words::joined(&own, "and")
                )
            }
            // For a type that the schema does not name nothing better is known.
            _ => match wanted {
                Some(wanted) => format!("'{name}' must be {wanted}, not {}", sent?),
                None => return None,
            },
        })
    }

    /// The message for a fault that depends on the state of the world: files, tasks, services.
    fn of_world(
        &self,
        condition: &str,
        name: Option<&str>,
        catalog: &Catalog,
        context: &Context<'_>,
    ) -> Option<String> {
        if condition == "ambiguous-match" {
            return Some(of_ambiguity(context.expected_failure()?));
        }
        if let Some(text) = of_obstacle(condition) {
            return Some(text.to_owned());
        }
        let value = self.value.clone().or_else(|| self.sent?.as_str().map(str::to_owned));
        let value = value.map(|value| format!("'{}'", excerpt(&value)));
        let subject = match (name, &value) {
            (Some(name), Some(value)) => format!("{name} {value}"),
            (None, Some(value)) => value.clone(),
            (Some(name), None) => format!("'{name}'"),
            (None, None) => return None,
        };
        let played = |role: Role| played(context, role);
        let read = played(Role::Read).map_or(String::new(), |binding| format!(" with {}", binding.tool));
        Some(match condition {
            "path-not-found" => of_missing_path(&subject, context),
            "path-leads-nowhere" => of_path(&subject, "leads to nothing", context),
            "link-loop" => of_path(&subject, "leads in a circle of links", context),
            "path-outside-root" => {
                let root = &context.head.folders.workspace;
                format!("{subject} is outside the allowed folder: send a path in {root}")
            }
            "file-too-large" => match context.head.limits.max_file_size {
                Some(limit) => {
                    format!("{subject} is larger than the limit of {limit} bytes: send a part of it")
                }
                None => format!("{subject} is larger than LIMIT bytes: send a part of it"),
            },
            "match-not-found" => {
                format!("{subject} does not hold the text: read the file again{read} and copy it exactly")
            }
            "invalid-regex" => format!(
                "{subject} is not a regular expression (REASON): put a backslash before what stands for itself"
            ),
            "invalid-glob" => format!(
                "{subject} is not a glob (REASON): close what is open, or put what stands for itself in brackets"
            ),
            "already-exists" => format!("{subject} exists already: send another one"),
            "deleted" => match lists(self.tool, catalog) {
                Some(tool) => format!("{subject} does not exist. Use {tool} to see which ones do"),
                None => format!("{subject} does not exist. Send one that another call has returned"),
            },
            "ended" => format!("{subject} does not exist any more"),
            "task-not-found" => {
                let start = played(Role::Shell).map_or("Start one", |_| "Start one in the background");
                let shell =
                    played(Role::Shell).map_or(String::new(), |binding| format!(" with {}", binding.tool));
                format!("there is no task {}. {start}{shell} first, and use the id from its reply", value?)
            }
            // The cause is known to the server alone.
            _ if has(condition, ConditionTrait::BeyondCaller)
                || has(condition, ConditionTrait::Circumstance) =>
            {
                return None;
            }
            _ => {
                // That the value must be of the type that it has already says nothing about the fault.
                let wanted = self.tool.parameter(name?).and_then(type_words::of)?;
                if type_words::is_bare(&wanted) {
                    return None;
                }
                format!("{subject} is refused: send {wanted}")
            }
        })
    }
}

fn played<'a>(context: &Context<'a>, role: Role) -> Option<&'a Binding> {
    context.head.bindings.iter().find(|binding| binding.role == role)
}

fn of_missing_path(subject: &str, context: &Context<'_>) -> String {
    of_path(subject, "does not exist", context)
}

/// The message for a path that leads to nothing.
fn of_path(subject: &str, is: &str, context: &Context<'_>) -> String {
    let glob = || Some(played(context, Role::Glob)?.tool.as_str());
    match lister(&context.head.catalog).or_else(glob) {
        Some(tool) => format!("{subject} {is}. Use {tool} to see what its folder holds"),
        None => format!("{subject} {is}. Check the path, or list its folder first"),
    }
}

/// The message for what the machine put in the call's way.
fn of_obstacle(condition: &str) -> Option<&'static str> {
    Some(match condition {
        "storage-failure" => "it could not be saved: nothing can be written at present; nothing was changed",
        "unwritable-file" => "it could not be saved: the file may not be written; nothing was changed",
        "unreadable-file" => "the file could not be read: permission was denied",
        "no-descriptors" => "it could not be opened: too many files are open at present. Try again later",
        _ => return None,
    })
}

/// The message for a text that occurs in several places.
fn of_ambiguity(failure: &ExpectedFailure) -> String {
    let times = failure.value.as_ref().and_then(count_of);
    let times = times.map_or("in several places".to_owned(), |count| format!("{count} times"));
    let all = failure
        .hint
        .as_ref()
        .map_or("replace all".to_owned(), |hint| format!("send {}: {}", hint.parameter, hint.value));
    format!("the text occurs {times}: add more of what is around it, or {all}")
}

/// The argument in which a call differs from the successful one: that of which the case is by its id, since others may only
/// name a thing that was made for this call.
fn changed<'a>(context: &Context<'a>) -> Option<(&'a String, &'a Value)> {
    let control = context.own(context.succeeded_control()?);
    let differs = |(name, sent): &(&String, &Value)| control.get(name.as_str()) != Some(*sent);
    let changed: Vec<_> = context.arguments().as_object()?.iter().filter(differs).collect();
    let case = context.exchange.place.case.as_ref();
    let meant = case.and_then(|case| case.0.strip_prefix("probe/")?.split('/').nth(1));
    let is_meant = |(name, _): &&(&String, &Value)| Some(name.as_str()) == meant;
    changed.iter().find(is_meant).or(changed.first()).copied()
}

/// A tool that lists folders, by its name, if it takes a path or no required argument.
fn lister(catalog: &Catalog) -> Option<&str> {
    let lists = |name: &str| {
        let name = name.to_lowercase();
        (name.contains("list") || name.starts_with("ls"))
            && ["dir", "folder", "file"].iter().any(|of| name.contains(of))
    };
    let takes_one = |tool: &&Tool| tool.parameters().next().is_some();
    catalog.tools.iter().filter(takes_one).map(|tool| tool.name.as_str()).find(|name| lists(name))
}

/// The words of tools that say which things there are.
const LISTING: [&str; 3] = ["list", "query", "search"];

/// A tool that lists the things which another one works on, by their names.
fn lists<'c>(tool: &Tool, catalog: &'c Catalog) -> Option<&'c str> {
    let own = name_words(&tool.name);
    let names = catalog.tools.iter().map(|tool| tool.name.as_str());
    names
        .filter(|name| {
            *name != tool.name && name_words(name).iter().any(|word| LISTING.contains(&word.as_str()))
        })
        .filter(|name| are_about_the_same(&tool.name, name))
        .min_by_key(|name| Reverse(name_words(name).iter().filter(|word| own.contains(word)).count()))
}

/// The text of a value in a message; `None` for a parameter's name.
fn text_of(value: &ExpectedValue) -> Option<String> {
    match value {
        ExpectedValue::Path(text) | ExpectedValue::Text(text) => Some(text.clone()),
        ExpectedValue::AnyOf(values) => values.iter().find_map(text_of),
        ExpectedValue::Count(_)
        | ExpectedValue::Parameter(_)
        | ExpectedValue::Argument(_)
        | ExpectedValue::Limit(_) => None,
    }
}

fn count_of(value: &ExpectedValue) -> Option<u64> {
    match value {
        ExpectedValue::Count(count) => Some(*count),
        ExpectedValue::AnyOf(values) => values.iter().find_map(count_of),
        _ => None,
    }
}

/// A value as a message quotes it.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{}'", excerpt(text)),
        other => excerpt(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::condition::CaseId;
    use crate::expectation::Expected;
    use crate::finding::Diagnostic;
    use crate::rules::fixture::Fixture;
    use crate::rules::{self, Example, RuleCheck};

    use super::*;

    #[test]
    fn an_example_sentence_is_found_again_in_the_help() {
        let help = format!("Name it.{}", in_words(Some("`a` is gone".to_owned())));
        assert_eq!(suggested(&help), ("Name it.", Some("'a' is gone")));
        assert_eq!(suggested("Name it."), ("Name it.", None));
    }

    /// A tool's reply to a call that fails for a condition, judged by a contract.
    fn fixture(
        contract: &str,
        (tool, arguments): (&str, &Value),
        (condition, value): (&str, &Value),
        text: &str,
    ) -> Fixture {
        let call = json!({"tool": tool, "arguments": arguments}).to_string();
        let result = json!({"content": [{"type": "text", "text": text}], "isError": true});
        let reply = json!({"jsonrpc": "2.0", "id": 2, "result": result}).to_string();
        let expected = json!({"failure": {"condition": condition, "value": value, "hint": null, "valid_values_of": null}});
        let beside = json!({"contract": contract}).to_string();
        Fixture::of(&Example {
            call,
            reply,
            expected: serde_json::from_value(expected).expect("an expectation"),
            beside,
        })
    }

    fn calls() -> Vec<(&'static str, Value, &'static str, Value)> {
        let path = || json!({"path": "/workspace/missing.txt"});
        let edit = || json!({"path": "/workspace/a.txt", "old_str": "green apple"});
        vec![
            ("view", json!({}), "missing-argument", json!({"parameter": "path"})),
            ("view", json!({"path": null}), "null-argument", json!({"parameter": "path"})),
            ("view", json!({"path": ""}), "empty-argument", json!({"parameter": "path"})),
            ("view", json!({"path": 20}), "invalid-type", json!({"parameter": "path"})),
            (
                "grep",
                json!({"pattern": "a", "output_mode": "loud"}),
                "unknown-enum-value",
                json!({"parameter": "output_mode"}),
            ),
            ("view", json!({"path": "a", "far": 1}), "unknown-argument", json!({"parameter": "far"})),
            ("view", path(), "path-not-found", json!({"path": "/workspace/missing.txt"})),
            (
                "view",
                json!({"path": "/outside/a.txt"}),
                "path-outside-root",
                json!({"path": "/outside/a.txt"}),
            ),
            ("str_replace", edit(), "match-not-found", json!({"path": "/workspace/a.txt"})),
            ("str_replace", edit(), "ambiguous-match", json!({"count": 3})),
            ("grep", json!({"pattern": "a(b"}), "invalid-regex", json!({"text": "a(b"})),
            ("task_output", json!({"task_id": "no-7"}), "task-not-found", json!({"text": "no-7"})),
        ]
    }

    #[test]
    fn an_example_is_made_from_the_call_the_schema_and_the_contract() {
        let in_words: Vec<String> = calls()
            .iter()
            .map(|(tool, arguments, condition, value)| {
                let fixture = fixture("bracket-code", (tool, arguments), (condition, value), "It failed.");
                format!("{condition}: {}", coded(&fixture.context()).unwrap_or_default())
            })
            .collect();
        insta::assert_snapshot!(in_words.join("\n"));
    }

    #[test]
    fn a_type_that_the_value_has_already_is_not_suggested() {
        let fixture =
            fixture("plain", ("view", &json!({"path": "_"})), ("refused-value", &json!({"text": "_"})), "no");
        assert_eq!(coded(&fixture.context()), None);
    }

    #[test]
    fn of_several_arguments_that_differ_the_one_of_the_case_is_meant() {
        let mut fixture = Fixture::refusal("no", &json!({"ref": "s84", "slug": "a\0b"}), Expected::Anything);
        let mut control = fixture.exchange.clone();
        control.call.arguments = json!({"ref": "s83", "slug": "alpha"});
        fixture.control = Some(control);
        let meant = |fixture: &Fixture| changed(&fixture.context()).map(|(name, _)| name.clone());
        assert_eq!(meant(&fixture).as_deref(), Some("ref"));
        fixture.exchange.place.case = Some(CaseId("probe/view/slug/nul".to_owned()));
        assert_eq!(meant(&fixture).as_deref(), Some("slug"));
    }

    #[test]
    fn an_example_has_the_form_of_its_contract() {
        let (tool, arguments, condition, value) = calls().remove(0);
        for (contract, in_words) in [
            ("plain", "'path' is required: send a string"),
            ("error-envelope", r#"{"error_code":"#),
            ("problem-details", r#""problem":{"#),
        ] {
            let fixture = fixture(contract, (tool, &arguments), (condition, &value), "It failed.");
            let example = coded(&fixture.context()).unwrap_or_default();
            assert!(example.contains(in_words), "{contract}: {example}");
        }
    }

    #[test]
    fn an_example_keeps_the_rules_about_words_and_codes() {
        for (tool, arguments, condition, value) in calls() {
            let bad = fixture("bracket-code", (tool, &arguments), (condition, &value), "It failed.");
            let example = coded(&bad.context()).unwrap_or_default();
            let good = fixture("bracket-code", (tool, &arguments), (condition, &value), &example);
            let of_words = rules::all()
                .iter()
                .filter(|rule| ["message/", "code/", "leak/"].iter().any(|group| rule.id.starts_with(group)));
            for rule in of_words {
                let RuleCheck::Exchange(check) = rule.check else { continue };
                let found: Vec<Diagnostic> = check(&good.context());
                assert!(found.is_empty(), "{}: {example}: {found:?}", rule.id);
            }
        }
    }
}
