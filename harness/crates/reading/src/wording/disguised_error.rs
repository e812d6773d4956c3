//! Disguised errors: results without `isError` that say that the call failed.
//!
//! The main type is [`DisguisedError`], the single notion of a reply that says that its call failed. How much
//! evidence is needed depends on what is known about the call: [`disguised_error`] if it must fail, or must
//! certainly have succeeded; [`unasked`] if it need not fail and a successful call is known; [`declared`] if
//! nothing is known.

use std::borrow::Cow;
use std::ops::Range;

use mcp_errconf_second_reader::{FAILURE_SURE, FAILURE_UNLIKELY, Question};
use serde_json::{Map, Value};

use super::echo::{Echo, FILL};
use super::mention::{is_made_up, stands_as_word};
use super::second_reader;
use crate::catalog::Tool;
use crate::contract::Contract;
use crate::exchange::Exchange;
use crate::placeholder::Folders;

mod argument;
mod batch;
mod certain;
mod count;
mod literal;
mod member;
mod purpose;
mod tongue;
mod words;

pub use certain::{is_certain, is_error_alone};
pub use purpose::seeks;

use batch::telling_member;
use member::{Kind, Sign};
use purpose::{changes, checks, retells};
use tongue::Says;

/// An object with at most this many members says little besides its error.
const MOST_MEMBERS: usize = 4;

/// The evidence for a disguised error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisguisedError {
    /// A member of a JSON object: nobody sends `"success": false` with a success.
    Member {
        /// The member, such as `error` or `success: false`.
        name: String,
        /// The text that contains it, or the `structuredContent` as JSON.
        text: String,
        /// Whether it reports on several things, none of which was done.
        of_several: bool,
    },
    /// The first words of the text.
    Opening {
        /// The text.
        text: String,
        /// The words.
        span: Range<usize>,
    },
    /// The text as a whole says that nothing was done: the thing does not exist, or none of several succeeded.
    Statement {
        /// The text.
        text: String,
        /// The words.
        span: Range<usize>,
    },
    /// The text refuses in its own words, and nothing was done.
    Refusal {
        /// The text.
        text: String,
        /// The words.
        span: Range<usize>,
    },
    /// The model is sure that the text reports a failure.
    Reading {
        /// The text.
        text: String,
        /// The words that speak most for it.
        span: Range<usize>,
    },
}

/// The words of a refusal in a text, if the control's reply has no such words. They are no evidence by
/// themselves, because "not" is an ordinary word, but are if the tool also did nothing.
pub fn refusal(exchange: &Exchange, control: &Exchange) -> Option<DisguisedError> {
    let text = *exchange.outcome.texts().first()?;
    let other = control.outcome.texts();
    let span = words::idle(text).filter(|_| !other.iter().any(|other| words::idle(other).is_some()))?;
    Some(DisguisedError::Refusal { text: text.to_owned(), span })
}

/// Whether a reply begins with words that mean failure for any call.
pub fn begins_with_failure(found: &DisguisedError) -> bool {
    matches!(found, DisguisedError::Opening { text, span }
        if words::says_failure(text, span) || tongue::says_failure(&text[span.clone()]))
}

/// The words with which a short text refuses. "Nothing found" is an answer.
pub fn short_refusal(text: &str) -> Option<Range<usize>> {
    words::short_refusal(text)
}

/// The evidence that a result without `isError` is a disguised error, if the control's reply does not look the
/// same. The caller decides whether the call must fail, and whether the tool may return arbitrary texts.
pub fn disguised_error(
    exchange: &Exchange,
    control: Option<&Exchange>,
    contract: &Contract,
) -> Option<DisguisedError> {
    if exchange.outcome.is_tool_error() {
        return None;
    }
    if let Some((sign, text)) = telling_member(exchange) {
        let same = control.and_then(telling_member).is_some_and(|(other, _)| other.name == sign.name);
        return (!same).then(|| sign.member(text));
    }
    if let Some((name, text)) = control.and_then(|control| member::undone(exchange, control)) {
        return Some(DisguisedError::Member { name, text, of_several: false });
    }
    let text = &*first_text(exchange)?;
    let other = control.and_then(first_text);
    let other = other.as_deref();
    let opening = |text: &str| {
        let named = || words::named_error(text, exchange.tool()?);
        words::opening(text, contract).or_else(named)
    };
    if let Some(span) = opening(text) {
        let same =
            other.is_some_and(|other| opening(other).is_some_and(|found| other[found] == text[span.clone()]));
        return (!same).then(|| DisguisedError::Opening { text: text.to_owned(), span });
    }
    if let Some(span) = argument::refused(exchange, text) {
        return Some(DisguisedError::Opening { text: text.to_owned(), span });
    }
    let seeks = exchange.tool().is_some_and(seeks);
    if let Some((says, span)) = reported(exchange, seeks) {
        let same =
            control.and_then(|control| reported(control, seeks)).is_some_and(|(other, _)| other == says);
        return (!same).then(|| says.words(text.to_owned(), span));
    }
    let retells = exchange.tool().is_some_and(retells);
    let statement = |text: &str| {
        words::statement(text, seeks).or_else(|| words::failed_program(text).filter(|_| !retells))
    };
    let span = statement(text)?;
    let same = other.is_some_and(|other| statement(other).is_some());
    (!same).then(|| DisguisedError::Statement { text: text.to_owned(), span })
}

/// The failure that a reply without `isError` reports in another language than English, or in a heading,
/// whatever is known about the call.
pub fn stated(exchange: &Exchange) -> Option<DisguisedError> {
    if exchange.outcome.is_tool_error() {
        return None;
    }
    let (says, span) = reported(exchange, exchange.tool().is_some_and(seeks))?;
    Some(says.words(first_text(exchange)?.into_owned(), span))
}

/// The first text of a reply with words of the server's, or the first text of the result that it contains as JSON.
fn first_text(exchange: &Exchange) -> Option<Cow<'_, str>> {
    let texts = exchange.outcome.texts();
    let echo = (texts.len() > 1).then(|| Echo::of_values(&exchange.call.arguments, &Folders::default()));
    let is_own = |text: &&&str| match &echo {
        Some(echo) => echo.blank(text).bytes().any(|byte| byte != FILL && !byte.is_ascii_whitespace()),
        None => true,
    };
    let text = *texts.iter().find(is_own).or_else(|| texts.first())?;
    Some(member::text_within(text).map_or(Cow::Borrowed(text), Cow::Owned))
}

/// The beginning of a short reply without `isError` that means an error for any call, for tools that word their
/// replies themselves: "Error: nodes are required", "Error during export: ..", "export_notes error: ..". In another language
/// than English its first sentence must name a value or an argument of the call too.
pub fn begun(exchange: &Exchange) -> Option<DisguisedError> {
    let tool = exchange.tool()?;
    let text = &*first_text(exchange).filter(|_| exchange.outcome.texts().len() == 1)?;
    if exchange.outcome.is_tool_error() || checks(tool) {
        return None;
    }
    let blank = Echo::of_values(&exchange.call.arguments, &Folders::default()).blank(text);
    // What somebody else wrote may begin in any way, but does not speak of what the caller sent.
    if (seeks(tool) || retells(tool)) && blank == *text {
        return None;
    }
    if let Some(span) = words::plain_error(&blank).or_else(|| words::named_error(&blank, tool)) {
        return Some(DisguisedError::Opening { text: text.to_owned(), span });
    }
    let (says, span) = tongue::reported(&blank).filter(|_| !seeks(tool) && !retells(tool))?;
    let sentence = blank.split(['\n', '\u{3002}']).next().unwrap_or_default();
    let names = |name: &String| is_made_up(name) && stands_as_word(sentence, name);
    let is_about_the_call = sentence.contains(char::from(FILL))
        || exchange.call.arguments.as_object().is_some_and(|sent| sent.keys().any(names));
    is_about_the_call.then(|| says.words(text.to_owned(), span))
}

/// The same for a tool whose replies hold texts by others: a short error that quotes what the caller sent is about the call.
pub fn begun_about_the_call(exchange: &Exchange) -> Option<DisguisedError> {
    let text = &*first_text(exchange).filter(|_| !exchange.outcome.is_tool_error())?;
    let blank = Echo::of_values(&exchange.call.arguments, &Folders::default()).blank(text);
    let span = words::plain_error(&blank).filter(|_| blank != *text && text.len() <= words::SHORT)?;
    Some(DisguisedError::Opening { text: text.to_owned(), span })
}

impl Sign {
    /// The member of a text as evidence.
    fn member(self, text: String) -> DisguisedError {
        DisguisedError::Member { of_several: self.is_of_several(), name: self.name, text }
    }
}

impl Says {
    /// The words of a text as evidence.
    fn words(self, text: String, span: Range<usize>) -> DisguisedError {
        match self {
            Says::Failed => DisguisedError::Opening { text, span },
            Says::Absent => DisguisedError::Statement { text, span },
        }
    }
}

/// What the first text of a reply reports in another language than English, or in a heading, in words that the
/// caller did not send. For tools that search or list, a missing thing is an answer.
fn reported(exchange: &Exchange, seeks: bool) -> Option<(Says, Range<usize>)> {
    let text = &*first_text(exchange)?;
    let headings = words::headings(text);
    if headings.is_empty() && !tongue::may_tell(text) {
        return None;
    }
    let blank = Echo::of_values(&exchange.call.arguments, &Folders::default()).blank(text);
    let from = |at: usize| {
        let (says, span) = tongue::reported(&blank[at..])?;
        Some((says, span.start + at..span.end + at))
    };
    let headed =
        || headings.iter().find_map(|line| words::heading(&blank, line).or_else(|| from(line.start)));
    from(0).or_else(headed).filter(|(says, _)| !(seeks && *says == Says::Absent))
}

/// The evidence if the call need not fail and another call of the tool succeeded: a member, or first words,
/// that mean failure for any call. The outcome of a check, or of a job that was queried, is an answer.
pub fn unasked(exchange: &Exchange, control: &Exchange, contract: &Contract) -> Option<DisguisedError> {
    let found = disguised_error(exchange, Some(control), contract)?;
    // The members show it together with those of the control.
    if member::undone(exchange, control).is_some() && !exchange.tool().is_some_and(seeks) {
        return Some(found);
    }
    if exchange.tool().is_some_and(checks) {
        return Some(found).filter(|found| {
            argument::refuses_a_number(exchange, found) || argument::misses_its_thing(exchange, found)
        });
    }
    let is_sure = match &found {
        DisguisedError::Member { text, .. } => {
            let (sign, _) = telling_member(exchange)?;
            let object = object_of(text);
            match (sign.kind, object) {
                (Kind::Items, _) => answers_each(exchange, text) || is_certain(exchange, control),
                (_, Some(object)) => {
                    let object = member::inner(&object);
                    !tells_outcome(object)
                        && (says_failure(&sign, object) || shares_little(&sign, object, control))
                }
                (_, None) => false,
            }
        }
        DisguisedError::Opening { text, span } => {
            let is_crossed = || words::is_crossed(text, span) && !exchange.tool().is_some_and(seeks);
            // "[ERROR] .." is a line of somebody's log.
            let is_of_a_log = text[span.clone()].starts_with('[') && exchange.tool().is_some_and(retells);
            begins_with_failure(&found) && !is_of_a_log || is_crossed()
        }
        DisguisedError::Statement { text, span } => {
            let blank = Echo::of_values(&exchange.call.arguments, &Folders::default()).blank(text);
            let is_told = || words::ends_in_a_hint(&blank[span.end..], sends_a_list(exchange));
            let is_report = || words::statement(text, true).or_else(|| words::nothing_done(text)).is_some();
            // What is said of a value of the caller's is about this call.
            let is_about_it = || blank != *text || exchange.tool().is_some_and(changes);
            is_report() || words::failed_program(text).is_some() || is_about_it() && is_told()
        }
        DisguisedError::Refusal { .. } | DisguisedError::Reading { .. } => false,
    };
    is_sure.then_some(found)
}

/// The evidence if no pattern finds any: the model reads a failure, and none in the reply to a call of the same tool that
/// succeeded. A tool that seeks something, or that passes on what others wrote, may succeed with such a text.
pub fn as_read(
    exchange: &Exchange,
    control: &Exchange,
    tool: Option<&Tool>,
    folders: &Folders,
) -> Option<DisguisedError> {
    if exchange.tool().is_none_or(|name| seeks(name) || retells(name)) {
        return None;
    }
    let text = *exchange.outcome.texts().first()?;
    let read = |text: &str, exchange: &Exchange| second_reader::read(text, &exchange.call, tool, folders);
    let reading = read(text, exchange);
    if reading.probability(Question::Failure) <= FAILURE_SURE {
        return None;
    }
    let other = *control.outcome.texts().first()?;
    let mark = reading.explain(Question::Failure, 1).into_iter().find(|mark| mark.weight > 0.0)?;
    let differs = read(other, control).probability(Question::Failure) < FAILURE_UNLIKELY;
    differs.then(|| DisguisedError::Reading { text: text.to_owned(), span: mark.span })
}

/// Whether a call names several things at once.
fn sends_a_list(exchange: &Exchange) -> bool {
    exchange.call.arguments.as_object().into_iter().flatten().any(|(_, value)| value.is_array())
}

/// A member that means failure for any call: the whole reply is one object with little else. Members such as
/// `errors`, or the `status` of something, may be the requested answer.
pub fn declared(exchange: &Exchange) -> Option<DisguisedError> {
    if exchange.outcome.is_tool_error() || exchange.tool().is_some_and(checks) {
        return None;
    }
    let (sign, text) = telling_member(exchange)?;
    let object = object_of(&text)?;
    let object = member::inner(&object);
    let is_sure = !tells_outcome(object)
        && (says_failure(&sign, object) || (sign.kind == Kind::Named && object.len() <= MOST_MEMBERS));
    is_sure.then(|| sign.member(text))
}

fn object_of(text: &str) -> Option<Map<String, Value>> {
    match member::json(text)? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// Whether an object says that the call failed, whatever else it contains.
fn says_failure(sign: &Sign, object: &Map<String, Value>) -> bool {
    match sign.kind {
        Kind::Outcome | Kind::Counted => true,
        Kind::Named => member::denies(object),
        Kind::Status => object.len() <= MOST_MEMBERS && member::tells_why(object),
        Kind::Listed => count::left_undone(object),
        Kind::Items | Kind::Refused | Kind::State => false,
    }
}

/// Whether an object is about an error, and not about a thing that the control's reply describes too: at most
/// half of its non-null members are also non-null there.
fn shares_little(sign: &Sign, object: &Map<String, Value>, control: &Exchange) -> bool {
    let others = member::members(control);
    let holds = |name: &str| others.get(name).copied().unwrap_or(false);
    let own: Vec<&String> = member::filled(object).collect();
    let shared = own.iter().filter(|name| holds(name)).count();
    let member = sign.name.split(':').next().unwrap_or_default();
    let is_of_a_thing = match sign.kind {
        Kind::Named => others.contains_key(member) && shared > 0,
        Kind::State => !member::tells_why(object),
        _ => true,
    };
    !is_of_a_thing && !holds(member) && 2 * shared <= own.len()
}

/// Whether a list of failures has one entry for each thing that the call named: an answer to a batch.
fn answers_each(exchange: &Exchange, text: &str) -> bool {
    let sent = exchange.call.arguments.as_object();
    let sizes: Vec<usize> =
        sent.into_iter().flat_map(Map::values).filter_map(Value::as_array).map(Vec::len).collect();
    let is_each = |items: &Vec<Value>| sizes.contains(&items.len());
    match member::json(text) {
        Some(Value::Array(items)) => is_each(&items),
        Some(Value::Object(object)) => object.values().filter_map(Value::as_array).any(is_each),
        _ => false,
    }
}

/// Whether an object contains the outcome of a check, which was requested.
fn tells_outcome(object: &Map<String, Value>) -> bool {
    const OUTCOMES: [&str; 7] = ["valid", "isValid", "is_valid", "passed", "healthy", "reachable", "exists"];
    OUTCOMES.iter().any(|name| object.contains_key(*name)) && !count::left_undone(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::sample;

    #[test]
    fn the_page_on_how_a_program_is_called_gives_it_away_with_the_error_behind_it() {
        let page =
            "usage: report.py show [-h] [--mode {a,b}] n\nreport.py show: error: argument --mode: no such";
        assert_eq!(words::failed_program(page).map(|span| &page[span]), Some("error"));
        let help = "usage: report.py show [-h] n\n\noptions:\n  -h  shows this";
        assert_eq!(words::failed_program(help), None);
        assert_eq!(words::failed_program("The log:\nreport.py: error: no such file"), None);
    }

    #[test]
    fn what_the_model_reads_as_a_failure_depends_on_the_tool_and_on_the_control() {
        let found = |tool: &str, said: &str, control: &str| {
            let mut exchange = sample::refusal("", &json!({"table": "x"}));
            exchange.call.tool = Some(tool.to_owned());
            exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": said}]}));
            let mut other = exchange.clone();
            other.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": control}]}));
            as_read(&exchange, &other, None, &Folders::default()).is_some()
        };
        let error = "Catalog Error: Table with name x does not exist!";
        assert!(found("export_table", error, "Count\n2"));
        assert!(!found("export_table", error, "Catalog Error: Table with name y does not exist!"));
        assert!(!found("export_table", "Count\n3", "Count\n2"));
        assert!(!found("run_command", error, "Count\n2"), "it is what the command printed");
        assert!(!found("find_table", error, "Count\n2"), "it may be the answer");
    }
}
