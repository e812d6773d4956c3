//! What a message asks for regarding one parameter.
//!
//! The main function is [`stated_changes`]. It reads sentences as servers of every kind write them, without special
//! cases for any server.

use std::ops::Range;

use regex::Captures;
use serde_json::Value;

use crate::generate::{examples, quoted_in};
use crate::json_schema::is_of_type;
use crate::wording::limit::{goes_on, limits};
use crate::wording::listing::listed_values;
use crate::wording::mention::{names_parameter, stands_in};
use crate::{pattern, words};

use super::context::RepairContext;
use super::requested::{BoundUnit, RequestedChange, RequestedPath, StatedChange, broken, type_named};
use super::shown::{ordered, ranged, shown};
use super::slot::ArgumentSlot;
use super::{agree, form, path};

/// What a message asks for regarding the parameter that it is about, the most certain first.
pub(super) fn stated_changes(
    text: &str,
    slot: &ArgumentSlot,
    around: RepairContext<'_>,
) -> Vec<StatedChange> {
    // In "x is not in FILE", x is not a path, and the file is not a folder.
    let is_of_another = |change: &StatedChange| match &change.0 {
        RequestedChange::Path(RequestedPath::Below(root)) => around.has_sent(root),
        _ => false,
    };
    let of_path = || path::stated_change(text, slot).filter(|change| !is_of_another(change));
    let found = [
        unwanted(text, slot, around),
        left_out(text, slot, around),
        of_path().filter(|_| slot.is_path()),
        listed(text, slot, around),
        offered(text, slot, around),
        taken(text, slot),
        required(text, slot),
        set(text, slot),
        ordered(text, slot, around),
        ranged(text, slot),
        bound(text, slot),
        kind(text, slot),
        shown(text, slot, around),
        of_path().filter(|_| !slot.is_path()),
        example(text, slot).filter(|change| !names_no_value(change, text, around)),
        agree::parts(text, slot),
        shown_examples(text, slot, around),
        formed(text, slot),
        bracketed(text, slot, around),
    ];
    let is_kept = |stated: &StatedChange| around.can_make(&stated.0) && !around.is_in_sent(text, &stated.1);
    let mut stated: Vec<StatedChange> = found.into_iter().flatten().filter(is_kept).collect();
    let meant = around.meant.filter(|_| around.advises).and_then(|meant| slot.value_in(meant));
    let meant = meant.filter(|meant| slot.sent.as_ref().is_some_and(|sent| sent != *meant));
    stated.extend(meant.map(|meant| (RequestedChange::Meant(meant.clone()), 0..0)));
    stated
}

/// Leaving out an optional parameter that the caller does not need: "or leave it out".
fn left_out(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    let is_meant = around.meant.is_none_or(|meant| slot.value_in(meant).is_some());
    let is_there = slot.sent.is_some() && !slot.is_required && !slot.is_item();
    let found = pattern!("name/leave-out").find(text).filter(|_| is_there && !is_meant)?;
    Some((RequestedChange::Absent, found.range()))
}

/// Removing a parameter that the tool does not have.
pub(super) fn unwanted(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    if slot.sent.is_none() || slot.is_required {
        return None;
    }
    let at = match pattern!("name/unknown-parameter").find(text) {
        Some(found) => found.range(),
        // Whatever the words, the message refuses the unknown parameter that it names.
        None if !slot.is_known() => named_at(text, &slot.name)?,
        None => return None,
    };
    if slot.is_known() && named_at(text, &slot.name).is_none() {
        return None;
    }
    let suggested =
        suggestion(text).filter(|(name, _)| around.parameters.contains(&name.as_str()) && *name != slot.name);
    match suggested {
        Some((name, at)) => Some((RequestedChange::Renamed(name), at)),
        None => Some((RequestedChange::Absent, at)),
    }
}

/// The position of a name or value in quotation marks; beside "option" a bare word may be a value.
pub(super) fn named_at(text: &str, name: &str) -> Option<Range<usize>> {
    let mut quoted = ["'", "\"", "`"].iter().map(|mark| format!("{mark}{name}{mark}"));
    quoted.find_map(|quoted| text.find(&quoted).map(|at| at..at + quoted.len()))
}

/// Choosing one of several listed values.
fn listed(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    let sent = slot.sent_text().unwrap_or_default();
    let mut values = listed_values(text, &sent);
    // The listed values include the one sent, so the message is about another parameter.
    if !sent.is_empty() && listed_values(text, "").contains(&sent) {
        return None;
    }
    let is_part = |value: &str| sent.contains([' ', ',']) && sent.contains(value);
    values.retain(|value| !around.tools.contains(&value.as_str()) && !is_part(value));
    // In "The text is not in '/w/a.txt', and ..." the file is not a value, but where the text was looked for.
    if values.iter().any(|value| value.contains('/') && around.has_sent(value)) {
        return None;
    }
    // In "Unknown parameter, expected one of: ..." the list contains names, not values.
    let are_names = values.iter().filter(|value| around.parameters.contains(&value.as_str())).count();
    if values.is_empty() || are_names * 2 >= values.len() && !lists_what_exists(text) {
        return None;
    }
    const PREPOSITIONS: [&str; 8] = ["within", "inside", "in", "under", "below", "above", "from", "after"];
    let is_phrase = PREPOSITIONS.contains(&values[0].to_ascii_lowercase().as_str());
    if is_phrase || values.len() == 1 && is_predicate(text, &values[0]) {
        return None;
    }
    let first = place_of(text, &values);
    Some((RequestedChange::OneOf(values), first..first))
}

/// Whether a text lists the things that there are. One of them may be called like a parameter: "Available vaults: vault".
fn lists_what_exists(text: &str) -> bool {
    [pattern!("value/noun"), pattern!("value/available"), pattern!("value/all-are")]
        .iter()
        .any(|pattern| pattern.is_match(text))
        && ![pattern!("name/unknown-parameter"), pattern!("value/heading-of-parameters")]
            .iter()
            .any(|pattern| pattern.is_match(text))
}

/// The position of the first value, if the second one follows closely.
fn place_of(text: &str, values: &[String]) -> usize {
    let Some(first) = values.first() else { return 0 };
    let is_first = |at: &usize| {
        let behind = &text[at + first.len()..];
        values.get(1).is_none_or(|second| behind.find(second.as_str()).is_some_and(|gap| gap < 24))
    };
    text.match_indices(first.as_str()).map(|(at, _)| at).find(is_first).unwrap_or(0)
}

/// Whether the word after "must be" is a property of the value, and not a value.
fn is_predicate(text: &str, word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    named_at(text, word).is_none()
        && (words!("messages/instruction-predicates").contains(&lower.as_str())
            || type_named(&lower).is_some())
}

/// Choosing something that exists, or was suggested: "did you mean", "available: main".
fn offered(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    let there = || {
        let found = pattern!("value/available").captures(text);
        let found = found.or_else(|| pattern!("value/all-are").captures(text))?.name("a")?;
        Some((found.as_str().trim_end_matches('.').to_owned(), found.range()))
    };
    let (value, at) = suggestion(text).or_else(there)?;
    let says_none =
        ["none", "null", "empty", "no", "nil", "undefined"].contains(&value.to_ascii_lowercase().as_str());
    let is_other = around.tools.contains(&value.as_str())
        || around.parameters.contains(&value.as_str()) && !lists_what_exists(text);
    let was_sent = slot.sent_text().is_some_and(|sent| sent == value);
    (!says_none && !is_other && !was_sent).then_some((RequestedChange::OneOf(vec![value]), at))
}

/// The value in "Did you mean 'x'?".
fn suggestion(text: &str) -> Option<(String, Range<usize>)> {
    let found = pattern!("value/meant").captures(text)?.name("a")?;
    Some((found.as_str().trim_end_matches(['.', ':']).to_owned(), found.range()))
}

/// Giving a missing parameter.
pub(super) fn required(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let found = slot.is_empty().then(|| pattern!("name/to-be-given").find(text)).flatten()?;
    Some((RequestedChange::Given, found.range()))
}

/// Using another name, because this one exists already.
fn taken(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let found = pattern!("state/taken").find(text)?;
    let sent = slot.sent.as_ref()?.as_str().filter(|sent| !sent.is_empty() && text.contains(sent))?;
    let (begin, end) = match sent.rsplit_once('.') {
        Some((begin, end)) if slot.is_path() && !end.contains('/') => (begin, format!(".{end}")),
        _ => (sent, String::new()),
    };
    Some((RequestedChange::Like(format!("{begin}-2{end}")), found.range()))
}

/// Setting a value: "Set `confirm` to true."
fn set(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    for found in pattern!("name/set-to").captures_iter(text).filter(|found| found["name"] == slot.name) {
        let value: Value = serde_json::from_str(&found["value"].to_ascii_lowercase()).ok()?;
        let kind = if value.is_boolean() { "boolean" } else { "integer" };
        if slot.sent.as_ref() != Some(&value) && slot.takes(kind) {
            return Some((RequestedChange::Set(value), found.get_match().range()));
        }
    }
    None
}

/// Keeping a bound of the value or its length.
fn bound(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let measure = |at: usize| {
        let behind = text[at..].to_ascii_lowercase();
        let words = ["character", "char", "letter", "item", "element", "entr", "length", "value"];
        let is_near = |word: &&str| behind.find(*word).is_some_and(|at| at < 24);
        let is_counted = ["character", "length", "too long", "too short", "items"]
            .iter()
            .any(|word| text.to_ascii_lowercase().contains(word));
        match slot.sent.as_ref().or(Some(&slot.schema)) {
            Some(Value::Number(_)) => BoundUnit::Value,
            _ if words.iter().any(is_near) || is_counted => BoundUnit::Length,
            _ => BoundUnit::Value,
        }
    };
    let stated =
        limits(text, &[slot.name.as_str()]).into_iter().find(|limit| !limit.unit.starts_with("byte"));
    if let Some(limit) = stated {
        let of = measure(limit.span.end);
        if slot.is_path() && of == BoundUnit::Value {
            return None;
        }
        return broken(slot, limit.least, limit.most, of).map(|requested| (requested, limit.span));
    }
    let found = pattern!("bound/stated").captures_iter(text).find(|found| is_bound(text, found))?;
    let number = |name: &str| {
        let digits = found.name(name)?.as_str();
        if digits.eq_ignore_ascii_case("zero") { Some(0.0) } else { digits.parse::<f64>().ok() }
    };
    let whole = found.get_match().range();
    let (least, most) = match (number("a"), number("b")) {
        _ if found.name("c").is_some() => (number("c"), number("d")),
        (Some(over), _) if found.name("or").is_some() => (Some(over), None),
        (Some(over), _) => (Some(over + 1.0), None),
        (_, Some(under)) => (None, Some(under - 1.0)),
        _ if found.name("positive").is_some() => (Some(1.0), None),
        _ => (Some(0.0), None),
    };
    let of = measure(whole.end);
    if slot.is_path() && of == BoundUnit::Value {
        return None;
    }
    broken(slot, least, most, of).map(|requested| (requested, whole))
}

/// Whether the numbers of what looks like a bound are such: "a date like 2024-05-01" and "like 3-7" show a form.
fn is_bound(text: &str, found: &Captures<'_>) -> bool {
    let last = ["a", "b", "d"].into_iter().find_map(|name| found.name(name));
    if last.is_some_and(|last| goes_on(&text[last.end()..])) {
        return false;
    }
    let (Some(least), Some(most)) = (found.name("c"), found.name("d")) else { return true };
    let value = |number: &str| number.parse::<f64>().unwrap_or(f64::NAN);
    let words = &text[found.get_match().start()..least.start()];
    let is_torn = words.ends_with(|letter: char| letter.is_alphanumeric() || "-:/.#+_".contains(letter));
    !is_torn && !pattern!("bound/of-a-form").is_match(words) && value(least.as_str()) <= value(most.as_str())
}

/// A JSON type.
fn kind(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let found =
        pattern!("kind/expected").captures_iter(text).find(|found| type_named(&found["kind"]).is_some())?;
    let wanted = type_named(&found["kind"])?;
    let whole = found.get_match().range();
    (slot.sent.as_ref().is_none_or(|sent| !is_of_type(sent, wanted)))
        .then_some((RequestedChange::Kind(wanted), whole))
}

/// Following an example of the format.
fn example(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    if !slot.takes("string") && !slot.takes("array") {
        return None;
    }
    let sent = slot.sent_text();
    if let (Some(begun), Some(sent)) = (pattern!("example/beginning").captures(text), &sent) {
        let beginning = begun.name("a").expect("the group always takes part");
        if !sent.starts_with(beginning.as_str()) {
            return Some((RequestedChange::Like(format!("{}{sent}", beginning.as_str())), beginning.range()));
        }
    }
    if let Some(word) = pattern!("example/words").captures(text).and_then(|found| found.name("a")) {
        return Some((RequestedChange::Like(word.as_str().to_owned()), word.range()));
    }
    let shown_as_wrong = |found: &Captures<'_>| is_ruled_out(&text[..found.get_match().start()]);
    pattern!("example/shown").captures_iter(text).filter(|found| !shown_as_wrong(found)).find_map(|found| {
        let shown = ["a", "b", "c", "d"].iter().find_map(|name| found.name(name))?;
        let bare = shown.as_str().trim_end_matches(['.', ':', '?', '!']);
        let filled = form::of_template(bare)?;
        let is_new = !filled.is_empty() && sent.as_deref() != Some(filled.as_str());
        is_new.then(|| (RequestedChange::Like(filled), shown.range()))
    })
}

/// Whether the words before an example say that a value must not be like it: "it cannot look like a cell, such as 'A1'".
fn is_ruled_out(before: &str) -> bool {
    let before = before.trim_end_matches([',', ' ', '(', '\'', '"', '`']);
    let clause = before.rsplit(['.', ';', ',', ':', '\n']).next().unwrap_or_default();
    pattern!("example/ruled-out").is_match(clause)
}

/// Examples of several words or lines.
fn shown_examples(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    if !slot.takes("string") && !slot.takes("array") {
        return None;
    }
    let sent = slot.sent_text().unwrap_or_default();
    let is_value = |value: &String| {
        *value != sent
            && !text.find(value.as_str()).is_some_and(|at| is_ruled_out(&text[..at]))
            && form::of_template(value).is_none_or(|filled| filled == *value)
            && !around.tools.contains(&value.as_str())
            && !around.parameters.contains(&value.as_str())
            && !text.find(value.as_str()).is_some_and(|at| is_format(value, &text[..at]))
    };
    let values: Vec<String> = examples(text).into_iter().filter(is_value).collect();
    let at = text.find(values.first()?.lines().next()?).unwrap_or_default();
    Some((RequestedChange::Examples(values), at..at))
}

/// Whether what stands in quotation marks is the name of a tool, of a parameter or of a format, and so no example of a value:
/// "use 'set_folder' first", "expected 'from' to be a date", `must match format "date"`.
fn names_no_value((requested, at): &StatedChange, text: &str, around: RepairContext<'_>) -> bool {
    let RequestedChange::Like(shown) = requested else { return false };
    let shown = shown.as_str();
    let is_format = || is_format(shown, &text[..at.start]);
    around.tools.contains(&shown) || around.parameters.contains(&shown) || is_format()
}

/// Whether a word is the name of a format, as the words before it say.
fn is_format(word: &str, before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', '`', '\u{2018}', '\u{201c}', ' ', ':']);
    before.ends_with("format") && words!("messages/instruction-formats").contains(&word)
}

/// Using a format that the message names.
fn formed(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    if !slot.takes("string") {
        return None;
    }
    let (value, at) = form::asked_for(text).or_else(|| form::of_name(text, &slot.name))?;
    (slot.sent_text().as_deref() != Some(value)).then_some((RequestedChange::Form(value), at))
}

/// Values in quotation marks between brackets or with an "or" between them, or several behind a colon; where the message is about this parameter also plain
/// words between the brackets at the end of its sentence.
pub(super) fn bracketed(text: &str, slot: &ArgumentSlot, around: RepairContext<'_>) -> Option<StatedChange> {
    if !slot.takes("string") || slot.is_path() {
        return None;
    }
    let sent = slot.sent_text().unwrap_or_default();
    let plain = || {
        let found =
            pattern!("value/plain-in-brackets").captures(text).filter(|found| is_of_words(&found["a"]))?;
        let is_about = names_parameter(text, &slot.name) || !sent.is_empty() && stands_in(text, &sent);
        let items = found["a"].replace(" or ", ",");
        let was_sent = items.split([',', '|', '/']).any(|value| around.has_sent(value.trim()));
        (is_about && !was_sent).then_some(found)
    };
    let listed = || {
        pattern!("value/quoted-in-brackets")
            .captures(text)
            .or_else(|| pattern!("value/several-behind-colon").captures(text))
            .or_else(plain)?
            .name("a")
    };
    let (found, values): (_, Vec<String>) = match listed() {
        Some(found) => {
            let marks = [',', '|', '/', '\u{3001}', '\u{ff0c}'];
            let listed = found.as_str().replace(" or ", ",");
            let values = listed.split(marks).map(|value| value.trim().trim_matches(['\'', '"', '`']));
            (found, values.filter(|value| !value.is_empty()).map(str::to_owned).collect())
        }
        None => {
            let found = pattern!("value/choice").captures(text)?.name("a")?;
            (found, quoted_in(found.as_str()))
        }
    };
    let is_other = |value: &String| {
        around.tools.contains(&value.as_str()) || around.parameters.contains(&value.as_str())
    };
    let is_list = values.len() > 1 && !values.contains(&sent) && !values.iter().any(is_other);
    is_list.then(|| (RequestedChange::OneOf(values), found.range()))
}

/// Whether what stands between brackets are words, and neither the ends of a range nor a place in a text.
fn is_of_words(list: &str) -> bool {
    list.split([',', '|', '/']).all(|word| word.contains(|letter: char| letter.is_alphabetic()))
}
