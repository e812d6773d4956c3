//! Internals of a server that come through in an error reply.
//!
//! The main type is [`Leak`]. A pattern is data, a block in a file beside the rule: a regular expression, the
//! place where it counts, whose words it matches, texts that it must find and texts that it must not. What the
//! caller sent is blanked first, so that its own words are never held against the server. All rules share one
//! search.

use std::cell::OnceCell;
use std::ops::Range;

use serde_json::Value;

use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::json::texts;
use crate::roles::Role;
use crate::wording::Echo;
use crate::wording::echo::FILL;

use super::should_read::sentence;
use super::{Context, Rule};

pub(super) mod debug_format;
pub(super) mod format_accident;
pub(super) mod internal_path;
mod literals;
pub(super) mod logged_secret;
pub(super) mod memory_address;
mod names;
mod needle;
mod own;
pub(super) mod panic;
mod pattern;
mod rarity;
mod required;
pub(super) mod runtime_error;
mod search;
pub(super) mod secret;
pub(super) mod source_location;
pub(super) mod stack_trace;
mod start;
pub(super) mod surroundings;
pub(super) mod validation_dump;

use names::Names;
use own::Own;
use pattern::{Confidence, Language, rank};
use search::{Leak, Search};

/// The rules of this group, in the order in which they are listed.
pub(super) static RULES: &[&Rule] = &[
    &runtime_error::RULE,
    &stack_trace::RULE,
    &panic::RULE,
    &debug_format::RULE,
    &format_accident::RULE,
    &validation_dump::RULE,
    &source_location::RULE,
    &memory_address::RULE,
    &internal_path::RULE,
    &secret::RULE,
    &logged_secret::RULE,
    &surroundings::RULE,
];

/// A leak in one of the texts of a reply.
pub struct Shown {
    leak: Leak,
    /// The text, as it was received.
    text: String,
}

impl Shown {
    /// The rule, the id of its pattern, and the words.
    pub(crate) fn found(&self) -> (&'static str, &'static str, &str) {
        (self.leak.rule, self.leak.pattern, &self.text[self.leak.span.clone()])
    }

    /// Whether nobody would write this for a caller.
    pub(super) fn is_certain(&self) -> bool {
        self.leak.confidence == Confidence::High
    }
}

/// The internals of the server that an exchange shows. Only error replies and disguised errors are searched:
/// what a tool reads, finds or runs may contain anything.
pub(super) fn search(context: &Context<'_>) -> Vec<Shown> {
    let names = Names {
        tools: context.head.catalog.tools.iter().map(|tool| tool.name.as_str()).collect(),
        parameters: context
            .tool
            .into_iter()
            .flat_map(|tool| tool.parameters().map(|(name, _)| name))
            .collect(),
    };
    let own = Own::of(context);
    let more = OnceCell::new();
    let blank = |text: &str| context.echo().blank_in_leak(more.get_or_init(|| sent_besides(context)), text);
    let mut shown = Vec::new();
    for (text, from) in searched(context) {
        let mut leaks = Search::all().find(&text[from..], &blank, &names);
        if own.may_show(&text[from..]) {
            leaks.extend(own.find(&blank(&text[from..])));
        }
        leaks.extend(format_accident::behind_a_name(context, &text[from..], &blank));
        leaks.retain(|leak| {
            let found = &text[from..][leak.span.clone()];
            // "got NoneType" where null was sent
            let may_be_null = leak.rule == format_accident::RULE.id || found.ends_with("NoneType");
            let is_told_back = may_be_null && format_accident::is_null_told_back(context, found);
            let is_of_a_project =
                leak.rule == source_location::RULE.id && source_location::is_of_a_project(found);
            let is_of_what_was_written = leak.rule == runtime_error::RULE.id
                && (runtime_error::is_of_what_was_written(context, found, &text[from..][leak.span.start..])
                    || runtime_error::is_of_data_read(&text[from..], &leak.span))
                || leak.rule == panic::RULE.id
                    && panic::is_of_what_was_written(context, &text[from..][leak.span.start..]);
            let is_explained = leak.rule == format_accident::RULE.id
                && format_accident::is_introduced(&text[from..][..leak.span.start]);
            let is_unset = leak.rule == secret::RULE.id && secret::is_unset(found);
            !is_told_back
                && !is_unset
                && !is_explained
                && !is_of_a_project
                && !is_of_what_was_written
                && (leak.rule != surroundings::RULE.id
                    || !surroundings::is_example(found)
                        && !surroundings::is_where_to_put(&text[from..][..leak.span.start])
                        && !own::is_bound(&text[from..][..leak.span.start]))
        });
        for leak in one_for_each(leaks) {
            let span = leak.span.start + from..leak.span.end + from;
            shown.push(Shown { leak: Leak { span, ..leak }, text: text.to_owned() });
        }
    }
    shown
}

/// Whether the rest of a text is certainly a raw error or trace of a runtime or library.
pub(super) fn is_raw(context: &Context<'_>, rest: &str) -> bool {
    let raw = [runtime_error::RULE.id, panic::RULE.id, stack_trace::RULE.id, validation_dump::RULE.id];
    let echo = context.echo();
    let rest = rest.trim_start_matches([':', '\u{ff1a}', ' ']);
    let blank = |text: &str| echo.blank_in_leak(&Echo::default(), text);
    let leaks = Search::all().find(rest, &blank, &Names::default());
    leaks.iter().any(|leak| leak.confidence == Confidence::High && raw.contains(&leak.rule))
}

/// Whether one of the texts in a value that was sent is such a one.
fn sends_text(value: &Value, is_one: &dyn Fn(&str) -> bool) -> bool {
    texts(value).any(is_one)
}

/// What the caller sent besides the values of the call: in the files that were made for its case.
pub(super) fn sent_besides(context: &Context<'_>) -> Echo {
    let files = context.run_record.case_of(context.exchange).into_iter().flat_map(|driven| &driven.files);
    Echo::default().and_empty(&context.exchange.call.arguments).and_lines(files.flat_map(|text| text.lines()))
}

/// Reports each leak once: of two that overlap, the surer one is kept, or else the one whose rule says more.
fn one_for_each(mut leaks: Vec<Leak>) -> Vec<Leak> {
    // A validation library's report prints values in its own notation, up to its end.
    let dumps = leaks.iter().filter(|leak| leak.rule == validation_dump::RULE.id);
    if let Some(from) = dumps.map(|leak| leak.span.start).min() {
        let notation = [debug_format::RULE.id, format_accident::RULE.id];
        // Its description of a value is part of the report even if a runtime uses the same words, such as zod's
        // "Invalid URL".
        let is_within = |leak: &Leak| {
            notation.contains(&leak.rule)
                || leak.rule == runtime_error::RULE.id && leak.confidence != Confidence::High
        };
        leaks.retain(|leak| leak.span.start < from || !is_within(leak));
    }
    leaks.sort_by_key(|leak| {
        let length = leak.span.len();
        (std::cmp::Reverse(leak.confidence), rank(leak.rule), leak.span.start, std::cmp::Reverse(length))
    });
    let mut kept: Vec<Leak> = Vec::new();
    for leak in leaks {
        let overlaps = |other: &Leak| other.span.start < leak.span.end && leak.span.start < other.span.end;
        if !kept.iter().any(|other| overlaps(other) || names(&leak, other)) {
            kept.push(leak);
        }
    }
    kept
}

/// Whether one leak is the name of an exception and the other its message: "TypeError: Cannot read properties
/// of ...".
fn names(name: &Leak, message: &Leak) -> bool {
    const COLON: usize = ": ".len();
    name.rule == runtime_error::RULE.id
        && message.rule == panic::RULE.id
        && (name.span.end..=name.span.end + COLON).contains(&message.span.start)
}

/// The diagnostic of a leak rule for a reply: its surest leak, or the first of several.
fn judged(context: &Context<'_>, rule: &str, kind: &str, help: &str) -> Vec<Diagnostic> {
    let of_rule = context.leaks().iter().filter(|shown| shown.leak.rule == rule);
    let surest =
        of_rule.reduce(|first, next| if next.leak.confidence > first.leak.confidence { next } else { first });
    let Some(Shown { leak, text }) = surest else { return Vec::new() };
    let of_service = is_of_services_answer(context, &text[leak.span.start..]);
    let (message, help) = match of_service {
        true => (
            format!(
                "the error reply passes on {} from the service's answer ({}; {})",
                leak.what, leak.language, leak.confidence
            ),
            OF_SERVICE.to_owned(),
        ),
        false => (
            format!("the error reply shows {kind}: {} ({}; {})", leak.what, leak.language, leak.confidence),
            format!("{help}{}", in_its_place(context, rule)),
        ),
    };
    let mut diagnostic =
        Diagnostic::new(message, help).evidence(Evidence::marked(text.as_str(), leak.span.clone()));
    diagnostic.level = leak.confidence.level();
    // A leak in a reply that may be no error at all is not surer than that.
    let need_not_fail = context.unflagged_failure().is_some()
        && context.expected_failure().is_none()
        && !context.is_certain_failure();
    let is_wrapped = is_of_wrapped_command(context, leak);
    let is_told = is_wrapped && {
        let lead = &text[..leak.span.start];
        let found = &text[leak.span.clone()];
        let shows_nothing = || ["''", "' '"].iter().any(|empty| found.contains(empty));
        let sends_nothing = || sends_text(context.arguments(), &|sent| sent.trim().is_empty());
        let is_of_a_value = || context.echo().blank(found) != found || shows_nothing() && sends_nothing();
        is_marked_as_its(lead) || is_said_to_fail(lead) && is_of_a_value()
    };
    let most = if is_told { Level::Note } else { Level::Should };
    let is_of_json = runtime_error::is_of_json_sent(context, &text[leak.span.start..]);
    if of_service || is_wrapped || need_not_fail || is_of_json || runtime_error::is_less(text, &leak.span) {
        diagnostic.level = Some(diagnostic.level.map_or(most, |level| level.min(most)));
    }
    vec![diagnostic]
}

/// The advice where a reply passes on the service's answer.
const OF_SERVICE: &str =
    "Say in your own words what failed, and pass on nothing else of the service's response.";

/// Whether words are those with which the service behind the server was made to answer: its cases hold them.
fn is_of_services_answer(context: &Context<'_>, words: &str) -> bool {
    /// So many lines are enough to know a trace by.
    const LINES: usize = 2;
    if !context.is_failure_of_service() {
        return false;
    }
    let read = words.replace("\\n", "\n").replace("\\\"", "\"");
    let lines: Vec<&str> = read.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES).collect();
    let has = |case: &str| lines.len() == LINES && lines.iter().all(|line| case.contains(line));
    let mut cases = mcp_errconf_cases::cases().iter().filter(|(id, _)| id.starts_with("http/"));
    cases.any(|(_, case)| has(case))
}

/// What the message could say, if the whole message is the leak.
fn in_its_place(context: &Context<'_>, rule: &str) -> String {
    let is_whole = [runtime_error::RULE.id, panic::RULE.id, stack_trace::RULE.id, validation_dump::RULE.id];
    // What could be said of an argument is no help where the network is away.
    if is_whole.contains(&rule) && !context.tells_of_circumstance() {
        sentence(context)
    } else {
        String::new()
    }
}

/// Whether the words come from the command that the tool is there to run: they are raw, but the caller may know
/// them.
fn is_of_wrapped_command(context: &Context<'_>, leak: &Leak) -> bool {
    let is_named = |text: &str| {
        text.split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| word.to_ascii_lowercase().starts_with("git"))
    };
    leak.language == Language::Git && (is_named(context.called()) || is_named(&context.head.server_name))
}

/// Whether words of the server's own say that what follows is what the command wrote: "git clone failed with exit code 128. Stderr: ..".
fn is_marked_as_its(lead: &str) -> bool {
    let lead = lead.to_ascii_lowercase();
    lead.find("stderr:").is_some_and(|at| lead[..at].split_whitespace().count() >= 3)
}

/// Whether words of the server's own say that git failed: "git show failed: ..".
fn is_said_to_fail(lead: &str) -> bool {
    let lead = lead.to_ascii_lowercase();
    lead.contains("git ") && lead.trim_end().ends_with("failed:")
}

/// The texts of an error, each with the place where its message begins.
fn searched<'a>(context: &Context<'a>) -> Vec<(&'a str, usize)> {
    // The texts are the output of a command that ran, whatever the flag says.
    if context.plays(Role::Shell) && matches!(context.exchange.place.expected, Expected::Success { .. }) {
        return Vec::new();
    }
    if let Some(error) = context.error {
        // In an object every text is searched in full: only the beginning of a plain text may be a code.
        let from = if error.data.is_some() { 0 } else { error.message.start };
        let first = (error.text.as_str(), from);
        return std::iter::once(first).chain(error.more.iter().map(|text| (text.as_str(), 0))).collect();
    }
    let must_fail = context.expected_failure().is_some() && context.succeeded_control().is_some();
    let disguised = context.unflagged_failure().is_some() || must_fail && fails_at_a_value(context);
    if disguised { context.texts().into_iter().map(|text| (text, 0)).collect() } else { Vec::new() }
}

/// Whether a text begins with a value of the call and says that it failed, as tools do that take several values
/// and answer for each one.
fn fails_at_a_value(context: &Context<'_>) -> bool {
    let echo = context.echo();
    let texts = context.texts();
    let begins = |text: &&str| {
        let blank = echo.blank(text);
        let rest = blank.trim_start_matches(char::from(FILL));
        let said = rest.trim_start_matches([':', ' ', '-']).to_ascii_lowercase();
        rest.len() < blank.len()
            && rest.starts_with(':')
            && (said.starts_with("error") || said.starts_with("failed"))
    };
    texts.first().is_some_and(begins)
}

/// The leak rules that find something in a text, and where.
pub fn leaks(text: &str, echo: &Echo) -> Vec<(&'static str, Range<usize>)> {
    let blank = |text: &str| echo.blank_in_leak(&Echo::default(), text);
    let leaks = Search::all().find(text, &blank, &Names::default());
    one_for_each(leaks).into_iter().map(|leak| (leak.rule, leak.span)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    use super::pattern::{PATTERNS, Pattern};

    fn finds(pattern: &'static Pattern, text: &str) -> bool {
        let echo = Echo::default();
        !Search::new([("leak/x", pattern)]).find(text, &|text| echo.blank(text), &Names::default()).is_empty()
    }

    #[test]
    fn every_pattern_finds_its_own_examples_and_passes_over_the_similar_texts() {
        let mut wrong = Vec::new();
        for (rule, pattern) in PATTERNS.iter() {
            let Pattern { id, examples, counter_examples, .. } = pattern;
            let missed = examples.iter().filter(|text| !finds(pattern, text));
            let caught = counter_examples.iter().filter(|text| finds(pattern, text));
            wrong.extend(missed.map(|text| format!("{text:?} must be found by {id} of {rule}")));
            wrong.extend(caught.map(|text| format!("{text:?} must not be found by {id} of {rule}")));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn each_pattern_has_an_example_that_no_pattern_of_another_rule_takes() {
        let mut wrong = Vec::new();
        for (rule, Pattern { id, examples, .. }) in PATTERNS.iter() {
            let reported = |hit: &str| leaks(hit, &Echo::default()).into_iter().map(|(rule, _)| rule);
            if !examples.iter().any(|hit| reported(hit).any(|of| of == *rule)) {
                let others: Vec<&str> = examples.iter().flat_map(|hit| reported(hit)).collect();
                wrong.push(format!("{examples:?} of {id} of {rule} are told by {others:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// A value as a server may print it.
    fn printed(value: &str, form: usize) -> String {
        let json = |text: &str| {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_owned()
        };
        match form {
            0 => value.to_owned(),
            1 => json(value),
            2 => json(&json(value)),
            3 => value.escape_default().to_string(),
            4 => value.to_uppercase(),
            5 => {
                value.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&#39;").replace('"', "&quot;")
            }
            _ => value.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn what_was_sent_is_no_leak_in_any_form_and_one_beside_it_is(
            pick in 0_usize..100_000, form in 0_usize..7, cut in 20_usize..200, lead in "[a-zé中]{12,40}",
        ) {
            let examples: Vec<&String> = PATTERNS.iter().flat_map(|(_, pattern)| &pattern.examples).collect();
            let value = format!("{lead} {}", examples[pick % examples.len()]);
            let echo = Echo::of_values(&serde_json::json!({"value": value}), &crate::placeholder::Folders::default());
            let head: String = value.chars().take(cut).collect();
            for text in [
                format!("could not use '{}'", printed(&value, form)),
                format!("could not use '{}...'", printed(&head, form)),
                format!("could not use '{}", printed(&head, form)),
            ] {
                prop_assert_eq!(leaks(&text, &echo), [], "{}", text);
                let beside = format!("{text}: thread 'tokio' panicked at src/beside.rs:10:5");
                let found = leaks(&beside, &echo);
                prop_assert!(found.iter().any(|(_, span)| span.end > text.len()), "{} in {:?}", beside, found);
            }
        }
        #[test]
        fn any_text_is_searched_without_a_panic_and_spans_lie_within_it(
            text in "(?s).{0,60}", wrap in prop::sample::select(vec!["", "Error: ", "{\"error\": \"", "failed: "]),
            leak in prop::sample::select(vec!["", "(os error 2)", "ENOENT: x", "Some(\"é\")", "panicked at é.rs:1:2"]),
            value in ".{0,20}",
        ) {
            let text = format!("{wrap}{text}{leak}{value}");
            let echo = Echo::of_values(&serde_json::json!([value]), &crate::placeholder::Folders::default());
            for (_, span) in leaks(&text, &echo) {
                let evidence = Evidence::marked(text.as_str(), span);
                let (start, end) = evidence.span.expect("a marked text has a span");
                prop_assert!(evidence.text.get(start..end).is_some());
            }
        }
    }
}
