//! `channel/accepted-bad-input`: a call that must fail succeeds.

use mcp_errconf_second_reader::Question;
use serde_json::Value;

use crate::catalog::Tool;
use crate::exchange::Exchange;
use crate::expectation::{Authority, ExpectedFailure, ExpectedValue};
use crate::finding::{Diagnostic, Level};
use crate::json::texts;
use crate::names::name_words;
use crate::pattern;
use crate::rules::{Context, REVISION, Rule};
use crate::signature::{deny_alike, differ_in_spelling_alone, have_the_same_result};
use crate::suite::{LOG_IN, MADE_UP_MEMBER};
use crate::wording::disguised_error::seeks;
use crate::wording::vague::is_null;
use crate::wording::{disguised_error, second_reader};
use crate::words;

/// From this probability on, a text may tell of a failure.
const FAILURE_POSSIBLE: f32 = 0.2;
/// The conditions under which nothing can be written, or not the file that the call names.
const WRITING_FAILS: [&str; 2] = ["storage-failure", "unwritable-file"];
/// The conditions under which nothing can be opened, or not the file that the call names.
const READING_FAILS: [&str; 2] = ["no-descriptors", "unreadable-file"];
/// The condition under which a value is none of those that there are.
const UNKNOWN_VALUE: &str = "unknown-enum-value";
/// The condition under which a value in another form is used as another value than it means.
const MISREAD: &str = "misread-value";
/// The condition under which a thing was deleted before.
const ENDED: &str = "ended";
/// The requirement that a call which must fail fails, in a contract without codes.
const REFUSES: &str = "PL-04";

/// The requirement that a failure is flagged.
const FLAGGED: &str = "MCP isError";

/// BC-04 and the requirements after it: each names a condition under which the call fails.
pub(crate) static RULE: Rule =
    Rule::of_reply("channel/accepted-bad-input", include_str!("accepted_bad_input.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    if let Some(found) = without_value(context) {
        return vec![found];
    }
    let Some(failure) = context.expected_failure() else {
        return page_as_data(context).into_iter().collect();
    };
    let (condition, authority) = (failure.condition.0.as_str(), failure.authority);
    match authority {
        Authority::Service => return swallowed(context, condition).into_iter().collect(),
        Authority::Calls => return contradicted(context, failure).into_iter().collect(),
        _ => {}
    }
    // A31: one regular expression dialect accepts what another refuses, and no contract names the dialect.
    let names_the_dialect = context.declared && context.contract.server.known_patterns;
    let may_succeed = failure.or_success || failure.only_if_declared && !names_the_dialect;
    let is_denied_alike = |control| deny_alike(context.exchange, control, &context.head.folders);
    if may_succeed
        || !context.answered_without_error()
        || condition == "task-limit"
        || condition == "missing-argument" && may_be_left_out(context, failure)
        || context.disguised_error().is_some()
        || context.denies_success()
        || context.tells_status()
        || context.refuses_in_words()
        || context.succeeded_control().is_some_and(is_denied_alike)
    {
        return Vec::new();
    }
    let answer = context.answer();
    let code = answer.and_then(|answer| answer.expected.as_deref());
    let promised = code.map(|code| format!(" with {code}")).unwrap_or_default();
    let message = format!(
        "`{}` accepted a call that should have been refused ({})",
        context.called(),
        condition.replace('-', " ")
    );
    let message = match authority {
        Authority::Schema => format!("{message}: its own schema forbids the arguments"),
        Authority::Protocol => format!("{message}: MCP has a JSON-RPC error for it"),
        _ => message,
    };
    let help = help(condition, authority, &promised);
    let mut diagnostic = context.diagnostic(message, help);
    // If no condition has a code, the contract's sentences on conditions are about the words of an error. A
    // call without an error breaks another sentence.
    let refuses = context.contract.requirements.contains_key(REFUSES);
    diagnostic.requirement =
        if refuses { Some(REFUSES.to_owned()) } else { answer.map(|answer| answer.requirement.clone()) };
    let is_must = match authority {
        // Nothing else tells a caller that an optional argument is misspelt; for other faults the result may
        // still show it.
        Authority::Schema => condition == "unknown-argument",
        Authority::Protocol if context.head.protocol_version.as_str() >= REVISION => {
            matches!(condition, "unknown-resource" | "incomplete-meta" | "unsupported-version")
        }
        // No contract is about methods and params.
        Authority::Protocol if matches!(condition, "unknown-method" | "wrong-params") => false,
        // A contract without codes does not promise that calls are refused.
        _ => context.declared && !context.contract.codes.is_empty(),
    };
    if !is_must {
        // Whoever asked for a file that is not there can take "no such file" for an answer.
        let says_so = |text: &&str| pattern!("state/no-file").is_match(text);
        let is_answer = condition == "path-not-found" && context.texts().iter().any(says_so);
        diagnostic = diagnostic.level(if is_answer { Level::Note } else { Level::Should });
    }
    vec![diagnostic]
}

/// What to do instead of accepting the call.
fn help(condition: &str, authority: Authority, promised: &str) -> String {
    match condition {
        "unknown-argument" if authority == Authority::Schema => {
            "Refuse an argument that the tool does not have by its \
            name, as the schema promises, and say which ones there are."
                .to_owned()
        }
        "unknown-method" => {
            "Answer a method that the server does not have with the JSON-RPC error -32601.".to_owned()
        }
        "incomplete-meta" => {
            "Refuse a request that lacks the protocol version or the client's capabilities with the JSON-RPC error \
            -32602."
                .to_owned()
        }
        "unsupported-version" => "Refuse a version that the server does not support with the JSON-RPC error -32022, \
            and list those that it supports in `data.supported`."
            .to_owned(),
        "wrong-params" => {
            "Look for what the method needs first, and answer with the JSON-RPC error -32602.".to_owned()
        }
        _ => format!("Check for this before starting any work, and refuse the call{promised}."),
    }
}

/// A success in which something stands where the same tool's successful call has a value, such as `NaN`.
fn without_value(context: &Context<'_>) -> Option<Diagnostic> {
    let control = context.succeeded_control().filter(|_| context.answered_without_error())?;
    let none = pattern!("state/no-value");
    let texts = context.texts();
    let written =
        texts.iter().find_map(|text| Some(none.find(&context.echo().blank(text))?.as_str().to_owned()))?;
    if control.outcome.words().into_iter().any(|text| none.is_match(text)) {
        return None;
    }
    let message =
        format!("`{}` reports success, but its result has `{written}` for a value", context.called());
    let help = "Check the value before working with it, and refuse it: name the argument and the form that it must have.";
    Some(context.diagnostic(message, help).level(Level::Should))
}

/// A success whose data is a page for people, with which the service answered in place of data. Not of a tool that hands on
/// whatever the service sends, a text that is stored there, or what stands at an address of the caller's.
fn page_as_data(context: &Context<'_>) -> Option<Diagnostic> {
    let control = context.succeeded_control().filter(|_| context.answered_without_error())?;
    let holds = |exchange: &Exchange, part: &str| {
        exchange.outcome.words().into_iter().any(|text| text.contains(part))
    };
    let is_address = |text: &str| text.starts_with('/') || text.contains("://");
    let is_of_text = name_words(context.called())
        .iter()
        .any(|word| words!("names/hands-on-text").contains(&word.as_str()));
    let is_handed_on = is_of_text || holds(control, MADE_UP_MEMBER) || holds(control, LOG_IN);
    if is_handed_on || texts(context.arguments()).any(is_address) || !holds(context.exchange, LOG_IN) {
        return None;
    }
    let message = format!(
        "`{}` returns a log-in page as its result: the service sent it in place of data",
        context.called()
    );
    let help = "Look at the content type of the answer, or whether it can be parsed; if not, return a result with `isError` that \
        says that the service did not answer with data, and leave the page out.";
    Some(context.diagnostic(message, help).level(Level::Should))
}

/// A failure around the server that an ordinary success keeps quiet about. All requests of the call to the service behind
/// the server failed, none of its files was written although the same call writes one, or nothing could be read and the same
/// call returns something else otherwise.
fn swallowed(context: &Context<'_>, condition: &str) -> Option<Diagnostic> {
    let control = context.succeeded_control()?;
    // That the service knows nothing of it may be the result.
    let is_result = condition == "upstream-not-found";
    if is_result || !context.answered_without_error() || may_tell_of_a_failure(context, condition) {
        return None;
    }
    let texts = |exchange: &Exchange| exchange.outcome.words().concat();
    let (said, otherwise) = (texts(context.exchange), texts(control));
    let is_of_reading = READING_FAILS.contains(&condition);
    let is_of_writing = WRITING_FAILS.contains(&condition);
    let what = match (is_of_reading, is_of_writing) {
        (true, _) if said == otherwise => return None,
        (true, _) => "its result lacks what the same call returns otherwise",
        (_, true) => "the file that it names is as it was",
        _ => "every request to the service behind the server failed",
    };
    let message = format!("`{}` reports success, although {what}", context.called());
    let help = "Return a result with `isError` that says what failed and whether to try again.";
    let mut diagnostic = context.diagnostic(message, help);
    diagnostic.requirement = Some(FLAGGED.to_owned());
    // The same reply may be an older one, which the server has kept; another one that is as long may be no loss.
    let says_nothing = |text: &str| pattern!("state/nothing-found").is_match(text);
    let may_be_whole = match is_of_reading {
        true => said.len() >= otherwise.len() && (says_nothing(&otherwise) || !says_nothing(&said)),
        false => said == otherwise,
    };
    if may_be_whole && !is_of_writing {
        diagnostic = diagnostic.level(Level::Should);
    }
    Some(diagnostic)
}

/// A success that other calls show to be untrue. A value that the description does not allow is answered as one that it does,
/// although those are not all answered alike; a number or a flag sent in another form, such as a text, has another result than
/// the value itself; or a thing that is not there is deleted in the words for one that was.
fn contradicted(context: &Context<'_>, failure: &ExpectedFailure) -> Option<Diagnostic> {
    let condition = failure.condition.0.as_str();
    let (control, tool) = (context.succeeded_control()?, context.tool?);
    if !context.answered_without_error() || context.denies_success() {
        return None;
    }
    let (message, help) = if condition == UNKNOWN_VALUE {
        unknown_value_taken(context, control, tool, failure)?
    } else if condition == MISREAD {
        let name = *failure.value.as_ref()?.parameters().first()?;
        let (meant, sent) = (context.own(control).get(name)?, context.arguments().get(name)?);
        let results =
            [control, context.exchange].map(|exchange| exchange.outcome.result().map(Value::to_string));
        let [Some(of_meant), Some(of_sent)] = results else { return None };
        if differ_in_spelling_alone(&of_meant, &of_sent) || context.disguised_error().is_some() {
            return None;
        }
        (
            format!("`{}` takes {sent} for `{name}`, but does not use it as {meant}", tool.name),
            "Convert the value to the type that the schema promises, or refuse it: name the argument and the type.",
        )
    } else {
        let is_same = have_the_same_result([context.exchange, control], &context.head.folders);
        let is_announced = pattern!("state/may-be-absent").is_match(&tool.description)
            || condition == ENDED && tool.idempotent == Some(true);
        let is_told = |text: &&str| pattern!("state/absent").is_match(&context.echo().blank(text));
        let is_silent = context.texts().iter().all(|text| text.trim().is_empty());
        if !is_same || is_announced || is_silent || context.texts().iter().any(is_told) {
            return None;
        }
        (
            format!("`{}` reports success for something that does not exist", tool.name),
            "Look whether it exists first. If it does not, return a result with `isError` that says so, or say in the result that \
             there was nothing to delete.",
        )
    };
    Some(context.diagnostic(message, help).level(Level::Should))
}

/// What is wrong, and what to do about it, where a value that there is not has the result of one that there is, or `null`.
fn unknown_value_taken(
    context: &Context<'_>,
    control: &Exchange,
    tool: &Tool,
    failure: &ExpectedFailure,
) -> Option<(String, &'static str)> {
    let name = *failure.value.as_ref()?.parameters().first()?;
    let (outcome, known) = (&context.exchange.outcome, &control.outcome);
    if is_null(outcome) && !is_null(known) {
        let is_typed =
            tool.output_schema.as_ref().is_some_and(|schema| schema.to_string().contains("\"null\""));
        let is_announced =
            is_typed || seeks(&tool.name) || pattern!("state/may-be-null").is_match(&tool.description);
        return (!is_announced).then(|| {
            (
                format!("`{}` returns null for an unknown `{name}`", tool.name),
                "Return a result with `isError` that says that the value does not exist, and which tool lists the valid ones.",
            )
        });
    }
    let taken = context.own(control).get(name);
    let as_what = taken.map_or("if it were left out".to_owned(), |taken| format!("{taken}"));
    (outcome.result() == known.result()).then(|| {
        (
            format!("`{}` silently takes an invalid `{name}` as {as_what}", tool.name),
            "Refuse a value that the description does not allow: name the argument and say what is valid. Where there is a \
             list of valid values, put it into the schema as `enum`.",
        )
    })
}

/// Whether a reply says, in whatever place and words, that something failed.
fn may_tell_of_a_failure(context: &Context<'_>, condition: &str) -> bool {
    let probability = |text: &str| {
        let call = &context.exchange.call;
        second_reader::read(text, call, context.tool, &context.head.folders).probability(Question::Failure)
    };
    let is_plain = disguised_error(context.exchange, None, context.contract).is_some();
    if READING_FAILS.contains(&condition) {
        // "Nothing found" is then the untrue result itself.
        let tells = |text: &str| pattern!("state/hindered").is_match(&context.echo().blank(text));
        return is_plain || context.texts().into_iter().any(tells);
    }
    let failing_member = pattern!("state/failing-member");
    is_plain
        || context.texts().into_iter().any(|text| failing_member.is_match(text))
        || context.refuses_in_words()
        || context.tells_status()
        || context.exchange.outcome.words().into_iter().any(|text| probability(text) > FAILURE_POSSIBLE)
}

/// Whether the tool's own schema allows the missing arguments to be left out: none of them is required, or each
/// has a default.
fn may_be_left_out(context: &Context<'_>, failure: &ExpectedFailure) -> bool {
    let parameters = failure.value.as_ref().map(ExpectedValue::parameters).unwrap_or_default();
    let Some(tool) = context.tool.filter(|_| !parameters.is_empty()) else { return false };
    // A schema that never says `required` does not show what may be left out.
    let says_what_is_required = tool.required().next().is_some();
    parameters.iter().all(|name| {
        tool.parameter(name).is_some_and(|schema| {
            let has_default = schema.get("default").is_some_and(|value| !value.is_null());
            has_default || says_what_is_required && !tool.required().any(|required| required == *name)
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::finding::Level;
    use crate::rules::fixture::Fixture;

    /// What is found where other calls of the run show that a success is untrue: a call with these arguments, its result, and
    /// those of the control.
    fn contradicted(
        condition: &str,
        [call, control]: [(&serde_json::Value, &str); 2],
        change: impl FnOnce(&mut Fixture),
    ) -> Vec<Option<Level>> {
        let value = json!({"any-of": [{"parameter": "mode"}]});
        let expected = json!({"failure": {"condition": condition, "value": value, "hint": null,
            "valid_values_of": null, "or_success": true, "authority": "calls"}});
        let expected = serde_json::from_value(expected).expect("an expectation");
        let mut fixture = Fixture::refusal("", call.0, expected);
        let result = |text: &str| Outcome::Result(json!({"content": [{"type": "text", "text": text}]}));
        fixture.exchange.outcome = result(call.1);
        let first = fixture.control.as_mut().expect("it has a control");
        (first.call.arguments, first.outcome) = (control.0.clone(), result(control.1));
        let mut fixture = fixture.answered();
        change(&mut fixture);
        super::check(&fixture.context()).into_iter().map(|found| found.level).collect()
    }

    #[test]
    fn null_is_a_result_where_the_description_says_so() {
        let calls =
            [(&json!({"mode": "no-such-value"}), "null"), (&json!({"mode": "fast"}), r#"{"name": "Ann"}"#)];
        let found = |description: &str| {
            contradicted("unknown-enum-value", calls, |fixture| told(fixture, description, None))
        };
        assert_eq!(found("Reads a contact."), [Some(Level::Should)]);
        assert_eq!(found("Reads a contact, or null if there is none."), []);
    }

    #[test]
    fn what_is_not_there_may_be_deleted_again_where_the_tool_says_so() {
        let (again, other) = (json!({"id": "n-7"}), json!({"id": "n-7-absent"}));
        let twice = |description: &str, idempotent: Option<bool>| {
            let calls = [(&again, "Note n-7 deleted."); 2];
            contradicted("ended", calls, |fixture| told(fixture, description, idempotent))
        };
        assert_eq!(twice("Deletes a note.", None), [Some(Level::Should)]);
        assert_eq!(twice("Deletes a note if it exists.", None), []);
        assert_eq!(twice("Deletes a note.", Some(true)), []);
        let never = |text: &str| {
            let calls = [(&other, text), (&again, "Note n-7 deleted.")];
            contradicted("deleted", calls, |fixture| told(fixture, "Deletes a note.", Some(true)))
        };
        assert_eq!(never("Note n-7-absent deleted."), [Some(Level::Should)]);
        assert_eq!(never("There was no note n-7-absent."), []);
    }

    /// Changes the description of the tool, and its hint that calling it again does no more.
    fn told(fixture: &mut Fixture, description: &str, idempotent: Option<bool>) {
        for tool in &mut fixture.head.catalog.tools {
            (tool.description, tool.idempotent) = (description.to_owned(), idempotent);
        }
    }
}
