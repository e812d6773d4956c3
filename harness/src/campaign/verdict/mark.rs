//! What distinguishes two findings of the same rule and tool: the words of the reply that are the server's own.
//!
//! The main type is [`Marks`]. A signature masks ordinary values, but the inputs of a campaign are extremely
//! odd. They come back truncated, trimmed, with broken parts replaced, and some contain the very words of the
//! server's error, so that each would be a finding of its own.
//!
//! Some servers even derive words from a value: reversed, decoded, or in another encoding. Nobody can list all such
//! changes. A reply that has a word in common with a known one is therefore taken for the same with another value if
//! its other words consist of the letters of that value, until they came back for calls that have no part of a value
//! in common: then they are the server's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::signature::{constant_part, unnumbered};

/// In a call with very many values, or values with very many words, only the first ones are examined.
const MOST: usize = 500;
/// A rule and tool have at most this many marks; whatever differs from all of these is one more.
const MARKS: usize = 20;
/// At most this many replies of a rule and tool that are like a known one are remembered.
const VARIANTS: usize = 2_000;
/// Of a call's values at most this many characters are examined for what calls have in common.
const EXAMINED: usize = 2_000;
/// The shortest word in letters. A shorter value, such as a blank or a brace, may occur anywhere and cannot be
/// told from the server's words.
const SHORTEST: usize = 3;
/// What languages print for no value, or for a truth value: a value like any other.
const LITERALS: [&str; 7] = ["null", "none", "nil", "undefined", "nan", "true", "false"];
/// The mark of whatever differs from all others.
const OTHER: &str = "(other words)";

/// What the marks belong to: the rule, the tool, and whether the findings are mere notes, which must hide nothing.
type Place<'a> = (&'a str, Option<&'a str>, bool);

/// The marks of the findings by their places.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeMap<(String, Option<String>, bool), MarksOfPlace>);

#[derive(Debug, Default)]
struct MarksOfPlace {
    known: Vec<Mark>,
    /// By the own words of a reply that is like a known one: the parts that all calls with this reply have in
    /// common, of values that the known one's call does not have.
    variants: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Debug)]
struct Mark {
    /// The reply's words in order, without those that the call contains too.
    own: Vec<String>,
    /// All words of the reply.
    all: BTreeSet<String>,
    /// The call's values and names.
    values: BTreeSet<String>,
}

impl Marks {
    /// The mark of a finding of this rule and tool, given the reply's text and signature and the call's
    /// arguments: that of an earlier finding if the words are the same except for values.
    pub(super) fn mark(&mut self, place: Place<'_>, reply: (&str, &str), arguments: &Value) -> String {
        let (rule, tool, is_note) = place;
        let place = (rule.to_owned(), tool.map(str::to_owned), is_note);
        self.0.entry(place).or_default().mark(Mark::new(reply, arguments))
    }
}

impl MarksOfPlace {
    fn mark(&mut self, mark: Mark) -> String {
        if let Some(same) = self.known.iter().find(|other| other.is_same(&mark)) {
            return same.name();
        }
        for like in self.known.iter().filter(|other| other.is_like(&mark)) {
            let parts = mark.values.difference(&like.values).flat_map(|value| parts(value)).collect();
            if mark.has_letters_of(&parts, like) && is_derived(&mut self.variants, mark.name(), parts) {
                return like.name();
            }
        }
        if self.known.len() >= MARKS {
            return OTHER.to_owned();
        }
        let name = mark.name();
        self.known.push(mark);
        name
    }
}

/// Whether words may be derived from a value, given the parts of values in this call that could explain them: so they
/// may as long as each call with these words had one of these parts.
fn is_derived(
    variants: &mut BTreeMap<String, BTreeSet<String>>,
    words: String,
    parts: BTreeSet<String>,
) -> bool {
    if let Some(common) = variants.get_mut(&words) {
        common.retain(|part| parts.contains(part));
        return !common.is_empty();
    }
    let is_derived = !parts.is_empty();
    if variants.len() < VARIANTS {
        variants.insert(words, parts);
    }
    is_derived
}

impl Mark {
    fn new((text, signature): (&str, &str), arguments: &Value) -> Self {
        let mut held = BTreeSet::new();
        collect(&readable(arguments), &mut held);
        let is_of_the_call = |word: &String| {
            LITERALS.contains(&word.as_str())
                || held.iter().any(|held| held.starts_with(word.as_str()) || held.ends_with(word.as_str()))
        };
        let constant = constant_part(signature);
        let own: Vec<String> =
            words(&without_letters(&constant)).filter(|word| !is_of_the_call(word)).collect();
        let all = words(text).chain(words(&unnumbered(text, " "))).chain(own.iter().cloned()).collect();
        let mut values = BTreeSet::new();
        let mut left = EXAMINED;
        collect_values(&readable(arguments), &mut values, &mut left);
        Self { own, all, values }
    }

    /// Whether they have a word of their own in common.
    fn is_like(&self, other: &Self) -> bool {
        self.own.iter().any(|word| other.own.contains(word))
    }

    /// Whether the words that the other one does not have consist, for the most part, of the letters in these parts.
    fn has_letters_of(&self, parts: &BTreeSet<String>, other: &Self) -> bool {
        let of_parts: BTreeSet<char> = parts.iter().flat_map(|part| part.chars()).collect();
        let is_foreign = of_parts.iter().any(|letter| !letter.is_ascii());
        // A word of hexadecimal digits may stand for any value.
        let is_hexadecimal = |word: &&String| word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let strange = self.own.iter().filter(|word| !other.all.contains(*word) && !is_hexadecimal(word));
        let letters: BTreeSet<char> = strange.flat_map(|word| word.chars()).collect();
        let is_explained = |letter: &&char| match letter.is_ascii() {
            true => letter.is_ascii_digit() || of_parts.contains(letter),
            false => is_foreign,
        };
        letters.iter().filter(is_explained).count() * 5 >= letters.len() * 4
    }

    /// Whether each one's own words occur in the other's reply or call.
    fn is_same(&self, other: &Self) -> bool {
        let says = |all: &BTreeSet<String>, own: &[String]| own.iter().all(|word| all.contains(word));
        match (self.own.is_empty(), other.own.is_empty()) {
            (false, false) => says(&self.all, &other.own) && says(&other.all, &self.own),
            (is_bare, other_is_bare) => is_bare == other_is_bare,
        }
    }

    fn name(&self) -> String {
        self.own.join(" ")
    }
}

/// The words of a text in lower case. Digits that a signature does not mask are part of the kind of error.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_telling =
        |word: &&str| word.chars().count() >= SHORTEST || word.contains(|char: char| char.is_ascii_digit());
    text.split(|char: char| !char.is_alphanumeric()).filter(is_telling).map(str::to_lowercase)
}

/// The text without single letters of another script, plain or escaped, which a runtime quotes from the middle
/// of a value; the server's own words have none.
fn without_letters(text: &str) -> String {
    static LETTER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"['"`](?:[^\x00-\x7f]|\\[uUx]\{?[0-9a-fA-F ]{1,24}\}?)['"`]"#)
            .expect("the expression is well-formed")
    });
    LETTER.replace_all(text, " ").into_owned()
}

/// Arguments that are text, because no parser takes them, read as JSON with each half of a surrogate pair
/// replaced, as lenient servers do.
fn readable(arguments: &Value) -> Value {
    static HALF: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}").expect("the expression is well-formed")
    });
    let Value::String(line) = arguments else { return arguments.clone() };
    let whole = HALF.replace_all(line, "\u{fffd}");
    serde_json::from_str(&whole).unwrap_or_else(|_| arguments.clone())
}

/// Collects the words of a call's values and names.
fn collect(value: &Value, held: &mut BTreeSet<String>) {
    let mut add = |text: &str| held.extend(words(text).take(MOST));
    match value {
        Value::String(text) => add(text),
        Value::Number(number) => add(&number.to_string()),
        Value::Array(items) => items.iter().take(MOST).for_each(|item| collect(item, held)),
        Value::Object(members) => members.iter().take(MOST).for_each(|(name, member)| {
            held.extend(words(name).take(MOST));
            collect(member, held);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Collects a call's values and names in lower case, until their characters are more than `left`.
fn collect_values(value: &Value, values: &mut BTreeSet<String>, left: &mut usize) {
    let mut add = |text: &str| {
        let text: String = text.chars().take(*left).flat_map(char::to_lowercase).collect();
        *left = left.saturating_sub(text.chars().count());
        values.insert(text);
    };
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_values(item, values, left)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            collect_values(&Value::from(name.as_str()), values, left);
            collect_values(member, values, left);
        }),
        Value::String(text) => add(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => add(&value.to_string()),
    }
}

/// The parts of a value that a derived word may have come from: each three characters, or the whole of a shorter value,
/// and each character that is not ASCII.
fn parts(value: &str) -> Vec<String> {
    let letters: Vec<char> = value.chars().collect();
    let foreign = letters.iter().filter(|letter| !letter.is_ascii()).map(char::to_string);
    match letters.len() {
        0..3 => foreign.chain([value.to_owned()]).collect(),
        _ => foreign.chain(letters.windows(3).map(|part| part.iter().collect())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The marks of these replies with their signatures, for calls with these values.
    fn names(replies: &[(&str, &str, Value)]) -> BTreeSet<String> {
        let mut marks = Marks::default();
        let place = ("leak/runtime-error", Some("view"), false);
        replies
            .iter()
            .map(|(text, signature, arguments)| marks.mark(place, (text, signature), arguments))
            .collect()
    }

    fn check_one(replies: &[(&str, &str, Value)]) {
        assert_eq!(names(replies).len(), 1, "{:?}", names(replies));
    }

    fn check_apart(replies: &[(&str, &str, Value)]) {
        assert_eq!(names(replies).len(), replies.len(), "{:?}", names(replies));
    }

    const MISSING: &str = "ENOENT: no such file or directory, rename '<value>' -> '<value>'";

    #[test]
    fn a_value_that_comes_back_bare_makes_no_finding_of_its_own() {
        for (quoted, bare, value) in [
            ("<value>", "<value>", "alpha"),
            ("<value>", "<n>", "42"),
            ("<value>", "al", "al"),
            ("<value>", "${", "${"),
            (" ", "", " "),
            ("<value>", "<n>-", "1-"),
            ("<value>", "{", " {"),
        ] {
            let signature =
                format!("Could not show '{quoted}' (NoSuchElement: No value present for {bare}).");
            let text = format!("Could not show '{value}' (NoSuchElement: No value present for {value}).");
            let name = Mark::new((&text, &signature), &json!({"id": value})).name();
            assert_eq!(name, "could not show nosuchelement value present for", "{value}");
        }
    }

    #[test]
    fn words_of_the_servers_that_the_call_holds_too_make_no_finding_of_their_own() {
        let whole = "ENOENT: no such file or directory, rename '/w/a' -> '/w/b'";
        let plain = (whole, MISSING, json!({"from": "a", "to": "b"}));
        let masked = [
            (
                "ENOENT: no such file or directory, rename '/w/file or directory' -> '/w/b'",
                "ENOENT: no such <value>, rename '<value>' -> '<value>'",
                json!({"from": "file or directory", "to": "b"}),
            ),
            (
                "ENOENT: no such file or directory, rename '/w/no such ' -> '/w/rename '",
                "ENOENT: <value>file or directory, <value>'<value>' -> '<value>'",
                json!({"from": "no such ", "to": "rename "}),
            ),
        ];
        for masked in masked {
            check_one(&[plain.clone(), masked.clone()]);
            check_one(&[masked, plain.clone()]);
        }
    }

    #[test]
    fn other_words_of_the_servers_are_another_finding() {
        check_apart(&[
            ("ENOENT: no such file or directory", "ENOENT: no such file or directory", json!({})),
            ("EISDIR: is a directory", "EISDIR: is a directory", json!({})),
            ("EACCES: permission denied", "EACCES: permission denied", json!({})),
        ]);
        // What one call contains says nothing about the other.
        check_apart(&[
            ("no such file: 'denied'", "no such file: '<value>'", json!({"path": "denied"})),
            ("no such file, busy: 'denied'", "no such file, busy: '<value>'", json!({"path": "denied"})),
        ]);
    }

    #[test]
    fn a_reply_of_nothing_but_the_calls_words_is_not_like_one_with_words_of_its_own() {
        check_apart(&[
            ("not found", "<value>", json!({"path": "not found"})),
            ("not found", "not found", json!({"path": "a"})),
        ]);
        check_one(&[("a", "a", json!({"path": "a"})), ("§", "<value>", json!({"path": "§"}))]);
    }

    #[test]
    fn the_number_of_a_kind_of_error_tells_two_faults_apart() {
        let message = |number: &str| format!("it did not work (os error {number})");
        let (two, thirteen) = (message("2"), message("13"));
        check_apart(&[(&two, &two, json!({})), (&thirteen, &thirteen, json!({}))]);
        check_one(&[(&two, &two, json!({})), (&two, &two, json!({"n": 2}))]);
    }

    #[test]
    fn what_is_left_of_a_value_beside_a_masked_one_is_the_callers() {
        let moved = |source: &str, destination: &str| json!({"source": source, "destination": destination});
        let plain = (MISSING, MISSING, moved("a", "b"));
        for (signature, arguments) in [
            ("ENOENT: no such file or directory, rename '<value> ' -> '<value>'", moved("\n", "alpha")),
            (
                "ENOENT: no such file or directory, rename '<value>${HOME' -> '<value>'",
                moved("${HOME}", "alpha"),
            ),
            (
                "ENOENT: no such file or directory, rename '<value>' -> '<value>the res'",
                moved("alpha", "the rest"),
            ),
            (
                "ENOENT: no such file or directory, rename '<value>{<n>} {<n>}' -> '<value>\u{fffd}.<n>.tmp'",
                json!(r#"{"source":"{0} {1}","destination":"tmp\ud83d"}"#),
            ),
            ("ENOENT: no such file or directory, rename '<value>...' -> '<value>…'", moved("a", "b")),
        ] {
            let text = signature.replace("<n>", "1").replace("<value>", "/w/x");
            check_one(&[plain.clone(), (&text, signature, arguments)]);
        }
    }

    #[test]
    fn a_letter_quoted_from_the_middle_of_a_value_is_the_callers() {
        let message = |letter: &str| format!("index <n> is not a char boundary; it is inside '{letter}'");
        let replies: Vec<String> =
            ["\u{e9}", "\u{1f34b}", r"\u{<n>b}", r"\u{feff}", r"\U<n>f<n>b", r"\xe<n>"].map(message).to_vec();
        let arguments = json!({"title": "abc"});
        let replies: Vec<_> =
            replies.iter().map(|reply| (reply.as_str(), reply.as_str(), arguments.clone())).collect();
        check_one(&replies);
    }

    #[test]
    fn words_derived_from_a_value_are_no_finding_of_their_own() {
        for derive in [
            |value: &str| format!("cannot publish {}", value.chars().rev().collect::<String>()),
            |value: &str| format!("cannot publish {} now", value.to_uppercase().replace(' ', "_")),
            |value: &str| value.bytes().map(char::from).collect::<String>() + " cannot be published",
        ] {
            let replies: Vec<_> =
                ["alpha", "beta gamma", "gr\u{fc}n", "\u{202e}delta", "alphabet", "beta", "alpha "]
                    .into_iter()
                    .map(|value| (derive(value), json!({"title": value, "kind": "note"})))
                    .collect();
            let replies: Vec<_> = replies
                .iter()
                .map(|(text, arguments)| (text.as_str(), text.as_str(), arguments.clone()))
                .collect();
            check_one(&[replies.clone(), replies].concat());
        }
    }

    #[test]
    fn a_fault_behind_the_beginning_that_all_messages_share_is_a_finding_of_its_own() {
        let reply =
            |cause: &str, count: i64| (format!("Error executing tool: {cause}"), json!({"count": count}));
        let replies = [
            reply("KeyError: 'total'", 5),
            reply("ZeroDivisionError: division by zero", 0),
            reply("ValueError: math domain error", -1),
        ];
        let replies: Vec<_> =
            replies.iter().map(|(text, sent)| (text.as_str(), text.as_str(), sent.clone())).collect();
        check_apart(&replies);
    }

    #[test]
    fn words_that_come_back_for_other_values_are_the_servers_own() {
        let long = "the quick brown fox jumps over the lazy dog";
        let mut marks = Marks::default();
        let mut mark = |cause: &str, title: &str| {
            let text = format!("Error executing tool: {cause}");
            marks.mark(("leak/panic", None, false), (&text, &text), &json!({ "title": title }))
        };
        let closed = mark("it is closed", "alpha");
        assert_eq!(mark("disk quota exceeded", long), closed, "it may be derived from the title");
        assert_eq!(mark("disk quota exceeded", &long[4..]), closed);
        let other = "sphinx of black-quartz-judge my vow";
        assert_ne!(mark("disk quota exceeded", other), closed, "the titles have no part in common");
        assert_eq!(mark("it is closed", "beta"), closed);
    }

    #[test]
    fn one_tool_has_a_bounded_number_of_marks() {
        let word =
            |number: usize| ["alpha", "beta", "gamma", "delta", "omega", "kappa"][number].repeat(number + 1);
        let texts: Vec<String> =
            (0..216).map(|n| format!("{} {} {}", word(n % 6), word(n / 6 % 6), word(n / 36))).collect();
        let replies: Vec<_> = texts.iter().map(|text| (text.as_str(), text.as_str(), json!({}))).collect();
        assert!(names(&replies).len() <= MARKS + 1, "{:?}", names(&replies));
    }

    #[test]
    fn marks_are_of_one_rule_and_one_tool() {
        let mut marks = Marks::default();
        let mut mark = |tool: &str, text: &str, value: &str| {
            marks.mark(("leak/panic", Some(tool), false), (text, text), &json!({"title": value}))
        };
        let first = mark("view", "it panicked here", "a");
        assert_eq!(mark("view", "it panicked here", "panicked"), first);
        assert_ne!(mark("list", "it panicked here", "panicked"), first);
    }
}
