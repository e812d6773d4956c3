//! The failure by which the message of a refusal is judged.
//!
//! The main function is [`Context::refused_for`]. It does not know what a message must say.

use serde_json::Value;

use crate::catalog::Tool;
use crate::condition::Condition;
use crate::contract::Recourse;
use crate::exchange::Step;
use crate::expectation::{Authority, Expected, ExpectedFailure, ExpectedValue};
use crate::json::{as_text, leaves};
use crate::json_schema::{is_of_type, types};
use crate::names::rename::is_renamed;
use crate::pattern;
use crate::rules::Context;
use crate::wording::circumstance::is_of_circumstance;
use crate::wording::{self, mention};

impl Context<'_> {
    /// The failure by which the message is judged: the expected one. A call that might have been accepted, and differs in one
    /// thing from a call that was, is refused because of that thing.
    pub(in crate::rules) fn refused_for(&self) -> Option<&ExpectedFailure> {
        self.expected_failure().or_else(|| self.inferred_failure())
    }

    /// Whether the reply's own words name a cause outside the call, such as a network that is away.
    pub(in crate::rules) fn tells_of_circumstance(&self) -> bool {
        self.tells(is_of_circumstance)
    }

    /// Whether this holds for the reply's own words: what it echoes is left out, and the names of parameters in quotes, such as
    /// `timeout`.
    fn tells(&self, holds: fn(&str) -> bool) -> bool {
        let names = || self.tool.into_iter().flat_map(Tool::parameters).map(|(name, _)| name);
        let holds_without_names = |mut own: String| {
            for (name, quote) in names().flat_map(|name| ["'", "\"", "`"].map(|quote| (name, quote))) {
                own = own.replace(&format!("{quote}{name}{quote}"), quote);
            }
            holds(&own)
        };
        self.texts().iter().any(|text| {
            let own = self.echo().blank(text);
            holds(&own) && holds_without_names(own)
        })
    }

    /// That failure, if nothing promised that the call would be refused: then no finding about it is a Must.
    pub(crate) fn inferred_failure(&self) -> Option<&ExpectedFailure> {
        self.inferred_failure.get_or_init(|| self.infer_failure()).as_ref()
    }

    fn infer_failure(&self) -> Option<ExpectedFailure> {
        let is_open = matches!(self.exchange.place.expected, Expected::Anything);
        let (error, tool) = (self.error.filter(|_| is_open)?, self.tool?);
        let control = self.succeeded_control().filter(|control| control.tool() == self.exchange.tool())?;
        if self.exchange.place.step != Step::Call || error.recourse.is_some_and(|next| next != Recourse::Mend)
        {
            return None;
        }
        if self.tells_of_circumstance() {
            return None;
        }
        let change = Change::between(self.own(control), self.arguments())?;
        let passages: Vec<_> = error.texts().flat_map(wording::passages).collect();
        let value = change.value(&passages.iter().map(|passage| &*passage.text).collect::<Vec<_>>());
        let is_named = || error.texts().any(|text| mention::mentions(text, &value, &self.head.folders));
        if self.is_about_another(&change, tool) && !is_named() {
            return None;
        }
        let parameter = change.names[0];
        let schema = tool.parameter(parameter);
        let condition = match change.sent {
            None => "missing-argument",
            Some(Value::Null) => "null-argument",
            Some(_) if schema.is_none() => "unknown-argument",
            Some(Value::String(text)) if text.trim().is_empty() => "empty-argument",
            Some(_) if self.has_another_type(parameter) => "invalid-type",
            Some(_) if self.tells(is_taken) => "already-exists",
            Some(_) => "refused-value",
        };
        let members = schema.and_then(|schema| schema.get("enum")).and_then(Value::as_array);
        let is_unlisted =
            members.is_some_and(|members| !change.sent.is_some_and(|sent| members.contains(sent)));
        Some(ExpectedFailure {
            condition: Condition(condition.to_owned()),
            value: Some(value),
            valid_values_of: is_unlisted.then(|| parameter.to_owned()),
            or_success: true,
            authority: Authority::Schema,
            ..ExpectedFailure::default()
        })
    }

    /// Whether an argument has none of the types that its schema names.
    pub(in crate::rules) fn has_another_type(&self, parameter: &str) -> bool {
        let schema = self.tool.and_then(|tool| tool.parameter(parameter));
        let (Some(schema), Some(sent)) = (schema, self.arguments().get(parameter)) else { return false };
        let types = types(schema);
        !types.is_empty() && !types.into_iter().any(|name| is_of_type(sent, name))
    }

    /// Whether the message names another argument than the changed one, or what is sent in it: "`amount` is required for
    /// `add`" is about an argument that is missing beside a value that there is.
    fn is_about_another(&self, change: &Change<'_>, tool: &Tool) -> bool {
        /// A shorter text may be any word.
        const TELLING: usize = 4;
        let Some(error) = self.error else { return false };
        let is_other = |name: &str| name != change.names[0];
        let names = |name: &str| error.texts().any(|text| mention::names_parameter(text, name));
        let given = self.arguments().as_object().into_iter().flatten();
        let sent: Vec<String> =
            given.filter(|(name, _)| is_other(name)).flat_map(|(_, sent)| plain(sent)).collect();
        let is_telling = |text: &&String| text.len() >= TELLING || text.parse::<f64>().is_ok();
        let quotes = |sent: &String| {
            let value = ExpectedValue::Text(sent.clone());
            error.texts().any(|text| mention::mentions(text, &value, &self.head.folders))
        };
        tool.parameters().any(|(name, _)| is_other(name) && names(name))
            || sent.iter().filter(is_telling).any(quotes)
    }
}

/// Whether a refusal says that what the call would make is there already.
fn is_taken(text: &str) -> bool {
    pattern!("state/exists").is_match(text)
}

/// The texts and numbers in a value.
fn plain(value: &Value) -> impl Iterator<Item = String> {
    leaves(value).into_iter().filter(|leaf| leaf.is_string() || leaf.is_number()).map(as_text)
}

/// The one thing in which a call differs from another.
pub(in crate::rules) struct Change<'a> {
    /// The argument, and below it the members that lead to what differs.
    pub(in crate::rules) names: Vec<&'a str>,
    /// What is sent there, if anything.
    sent: Option<&'a Value>,
}

impl<'a> Change<'a> {
    /// The change that makes the second arguments of the first; `None` if there are several. Names that differ only in their
    /// number are the same name: each call makes a thing of its own.
    pub(in crate::rules) fn between(control: &'a Value, arguments: &'a Value) -> Option<Self> {
        let (mut before, mut after) = (control, arguments);
        // What has no names is no list of arguments.
        before.as_object().zip(after.as_object())?;
        let mut names = Vec::new();
        loop {
            match (before, after) {
                (Value::Object(old), Value::Object(new)) => {
                    let is_same = |name: &str| match (old.get(name), new.get(name)) {
                        (Some(one), Some(other)) => one == other || is_renamed(name, one, other),
                        (one, other) => one.is_none() && other.is_none(),
                    };
                    let added = new.keys().filter(|name| !old.contains_key(*name));
                    let mut changed = old.keys().chain(added).filter(|name| !is_same(name));
                    let name = match (changed.next(), changed.next()) {
                        (Some(name), None) => name,
                        _ if names.is_empty() => return None,
                        _ => return Some(Self { names, sent: Some(after) }),
                    };
                    names.push(name.as_str());
                    let (Some(one), Some(other)) = (old.get(name), new.get(name)) else {
                        return Some(Self { names, sent: new.get(name) });
                    };
                    (before, after) = (one, other);
                }
                (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                    let mut changed = std::iter::zip(old, new).filter(|(one, other)| one != other);
                    match (changed.next(), changed.next()) {
                        (Some(items), None) => (before, after) = items,
                        _ => return Some(Self { names, sent: Some(after) }),
                    }
                }
                _ => return (!names.is_empty()).then_some(Self { names, sent: Some(after) }),
            }
        }
    }

    /// What a message may name: the argument or a member on the way, what was sent, or the part of it that a text quotes.
    fn value(&self, texts: &[&str]) -> ExpectedValue {
        let mut values: Vec<ExpectedValue> =
            self.names.iter().map(|name| ExpectedValue::Parameter((*name).to_owned())).collect();
        for sent in self.sent.into_iter().flat_map(plain) {
            let parts = texts.iter().flat_map(|text| parts(&sent, text));
            values.extend(parts.map(ExpectedValue::Text));
            if !sent.trim().is_empty() {
                values.extend(sent.contains(['/', '\\']).then(|| ExpectedValue::Path(sent.clone())));
                values.push(ExpectedValue::Text(sent));
            }
        }
        match values.len() {
            1 => values.remove(0),
            _ => ExpectedValue::AnyOf(values),
        }
    }
}

/// The parts of a value that a text quotes, and the names in it that the text holds: a database that refuses
/// "SELECT * FROM no_such_table" names the table.
fn parts(sent: &str, text: &str) -> Vec<String> {
    /// A shorter word in capitals may be any abbreviation.
    const WORD: usize = 4;
    let quoted =
        pattern!("text/quoted").captures_iter(text).filter_map(|found| found.iter().skip(1).flatten().next());
    let is_part = |part: &&str| match part.trim().is_empty() {
        true => sent.trim().is_empty(),
        false => sent.contains(*part),
    };
    let quoted = quoted.map(|part| part.as_str()).filter(is_part);
    let marked: Vec<char> = text
        .char_indices()
        .filter(|(_, mark)| ['\'', '"', '`'].contains(mark))
        .filter_map(|(at, mark)| {
            let mut behind = text[at + 1..].chars();
            behind.next().filter(|_| behind.next() == Some(mark))
        })
        .collect();
    let letters = sent.char_indices().filter(|(_, letter)| marked.contains(letter));
    let letters = letters.map(|(at, letter)| &sent[at..at + letter.len_utf8()]);
    let names = sent.split(|letter: char| !(letter.is_alphanumeric() || "_-".contains(letter)));
    // "SELECT" and "no_such_table" are nobody's ordinary words.
    let is_distinct = |name: &str| {
        name.trim_matches(['_', '-']).contains(['_', '-'])
            || name.len() >= WORD && name.bytes().all(|letter| letter.is_ascii_uppercase())
    };
    let names = names.filter(|name| is_distinct(name) && mention::stands_in(text, name));
    let mut parts: Vec<String> = quoted.chain(letters).chain(names).map(str::to_owned).collect();
    parts.dedup();
    parts
}
