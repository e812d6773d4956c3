//! What the reply to a call could say, as an example for whoever fixes the server.
//!
//! The main function is [`sentence`]. It is made from the call, the tool's schema, the list of tools and the
//! contract, and claims nothing beyond these: a reason that only the server knows is written `REASON`.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::catalog::{Catalog, Tool};
use crate::condition::{ConditionTrait, has};
use crate::document::entries;
use crate::expectation::ExpectedValue;
use crate::names::affinity::are_about_the_same;
use crate::names::name_words;
use crate::pattern;
use crate::pattern::Pattern;
use crate::roles::Role;
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
    let fault = Fault::of(context)?;
    let by_condition = |entry: &&Entry| entry.conditions.iter().any(|of| of == fault.condition);
    let texts: Vec<&Entry> = ENTRIES.iter().filter(by_condition).collect();
    let found = texts.iter().flat_map(|entry| &entry.texts).find_map(|text| fault.fill(text));
    // What the server alone knows has no text of its own; of a change nothing is known but that it was made.
    let is_known =
        [ConditionTrait::BeyondCaller, ConditionTrait::Circumstance].map(|of| has(fault.condition, of));
    let for_others = ENTRIES.iter().find(|entry| entry.conditions.is_empty());
    let of_others = || for_others?.texts.iter().find_map(|text| fault.fill(text));
    let is_other = texts.is_empty() && context.expected_failure().is_some() && is_known == [false; 2];
    found.or_else(|| is_other.then(of_others).flatten())
}

/// What a reply could say, by what was wrong with the call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    conditions: Vec<String>,
    texts: Vec<String>,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| entries(include_str!("should_read/texts.toml")));

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

/// What is wrong with a call.
struct Fault<'c, 'a> {
    context: &'c Context<'a>,
    /// The condition of the case, or the change that a probe made.
    condition: &'c str,
    /// The parameters at fault, by their names in the tool.
    names: Vec<&'c str>,
    /// The value that the call sends for the first of them.
    sent: Option<&'c Value>,
    /// The value that a message must name, as it quotes it.
    value: Option<String>,
}

impl<'c, 'a> Fault<'c, 'a> {
    fn of(context: &'c Context<'a>) -> Option<Self> {
        let Some(failure) = context.expected_failure() else { return Self::of_change(context) };
        context.tool?;
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
        let value = value.or_else(|| sent?.as_str().map(str::to_owned));
        let value = value.map(|value| format!("'{}'", excerpt(&value)));
        Some(Self { context, condition: &failure.condition.0, names, sent, value })
    }

    /// If only two things are known: how the call differs from a successful one, and what was tried with it. A tool may take
    /// what was tried, and refuse the call for something else.
    fn of_change(context: &'c Context<'a>) -> Option<Self> {
        let (name, sent) = changed(context)?;
        let condition = context.run_record.case_of(context.exchange)?.condition.as_deref()?;
        let names = vec![name.as_str()];
        let fault = Self { context, condition, names, sent: Some(sent), value: Some(quoted(sent)) };
        may_be_about(condition, context).then_some(fault)
    }

    /// A text with its placeholders filled; `None` if one of them is unknown.
    fn fill(&self, text: &str) -> Option<String> {
        let mut parts = text.split('{');
        let mut filled = parts.next()?.to_owned();
        for part in parts {
            let (placeholder, rest) = part.split_once('}').expect("a test reads every text");
            filled.push_str(&self.known(placeholder)?);
            filled.push_str(rest);
        }
        Some(filled)
    }

    fn known(&self, placeholder: &str) -> Option<String> {
        let Self { context, names, .. } = self;
        let name = names.first().copied();
        let tool = context.tool;
        let schema = || tool?.parameter(name?);
        let wanted = || schema().and_then(type_words::of);
        let failure = context.expected_failure();
        match placeholder {
            "name" => name.map(str::to_owned),
            "names" => (names.len() > 1).then(|| type_words::joined(names, "and")),
            "value" => self.value.clone(),
            "sent" => self.sent.map(quoted),
            "subject" => match (name, &self.value) {
                (Some(name), Some(value)) => Some(format!("{name} {value}")),
                (None, Some(value)) => Some(value.clone()),
                (Some(name), None) => Some(format!("'{name}'")),
                (None, None) => None,
            },
            "wanted" => wanted(),
            // That the value must be of the type that it has already says nothing about the fault.
            "precise" => wanted().filter(|wanted| !type_words::is_bare(wanted)),
            "wanted_item" => type_words::of(schema()?.get("items")?),
            "tool" => tool.map(|tool| tool.name.clone()),
            "own_names" => {
                let own: Vec<&str> = tool?.parameters().map(|(name, _)| name).collect();
                Some(type_words::joined(&own, "and"))
            }
            "count" => failure?.value.as_ref().and_then(count_of).map(|count| count.to_string()),
            "hint" => failure?.hint.as_ref().map(|hint| format!("{}: {}", hint.parameter, hint.value)),
            "limit" => context.head.limits.max_file_size.map(|limit| limit.to_string()),
            "root" => Some(context.head.folders.workspace.clone()),
            "reader" => self.player(Role::Read),
            "shell" => self.player(Role::Shell),
            "folder_lister" => {
                let lister = folder_lister(&context.head.catalog).map(str::to_owned);
                lister.or_else(|| self.player(Role::Glob))
            }
            "lister" => lister(tool?, &context.head.catalog).map(str::to_owned),
            "lister_of_missing" => {
                let is_missing = names_a_thing(name?) && self.reply_speaks_of(pattern!("cause/no-file"));
                is_missing.then(|| self.known("lister")).flatten()
            }
            "bare_name" => {
                let has_slash = |value: &Value| value.as_str().is_some_and(|text| text.contains('/'));
                let taken = self.taken().filter(|taken| taken.is_string() && !has_slash(taken))?;
                self.sent.is_some_and(has_slash).then(|| quoted(taken))
            }
            "folder" => self.reply_speaks_of(pattern!("kind/folder")).then(|| "folder".to_owned()),
            "ending" => {
                let (_, ending) = self.taken()?.as_str()?.rsplit('/').next()?.rsplit_once('.')?;
                let is_ending = !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
                is_ending.then(|| ending.to_owned())
            }
            "binary_ending" => {
                self.known("ending").filter(|ending| !["txt", "md"].contains(&ending.as_str()))
            }
            _ => unreachable!("a test reads every text"),
        }
    }

    /// What the successful control sends in the place of the value.
    fn taken(&self) -> Option<&Value> {
        self.context.own(self.context.succeeded_control()?).get(*self.names.first()?)
    }

    fn reply_speaks_of(&self, pattern: &Pattern) -> bool {
        self.context.texts().iter().any(|text| pattern.is_match(text))
    }

    /// The tool that plays a role.
    fn player(&self, role: Role) -> Option<String> {
        let bindings = &self.context.head.bindings;
        bindings.iter().find(|binding| binding.role == role).map(|binding| binding.tool.clone())
    }
}

/// Whether a parameter takes what a thing is called by.
fn names_a_thing(name: &str) -> bool {
    name_words(name).last().is_some_and(|word| ["id", "key", "name", "title"].contains(&word.as_str()))
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
fn folder_lister(catalog: &Catalog) -> Option<&str> {
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
fn lister<'c>(tool: &Tool, catalog: &'c Catalog) -> Option<&'c str> {
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
    fn every_placeholder_of_a_text_is_known_to_the_program() {
        let fixture =
            fixture("plain", ("view", &json!({})), ("missing-argument", &json!({"parameter": "path"})), "no");
        let context = fixture.context();
        let fault = Fault::of(&context).expect("it is known what is wrong");
        for text in ENTRIES.iter().flat_map(|entry| &entry.texts) {
            for part in text.split('{').skip(1) {
                fault.known(part.split_once('}').expect("it ends").0);
            }
        }
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
