//! Instructions: clauses that begin with an imperative and say what to do to something.
//!
//! Before an article, a pronoun or a parameter's name, any word counts as a verb except the few listed ones
//! with another function. Before a bare noun, only common verbs count ("Stage files", but "Search failed").

use regex::Captures;

use super::Asked;
use super::view::View;
use crate::pattern;

/// Words that may begin a clause and are not verbs, and nouns for errors.
const NO_VERBS: &str = concat!(
    "the a an in on at of for with by from to into as if when while because since although though after before until ",
    "unless where which who what how why that this these those it its he she they we you i is are was were be been being ",
    "has have had do does did can could will would shall should may might must not no nor and or but so yet also only just ",
    "even still already now there here all any some each every both either neither one two three more most less few many ",
    "much such own same other another please sorry then first next otherwise instead error errors failed failure invalid ",
    "unknown unexpected missing fatal warning exception unable cannot none null undefined bad wrong unsupported internal ",
    "during via per than about over under between against within without hint note tip cause reason details detail input ",
    "output result status message request response call query command tool file path parameter argument field option value ",
    "key property match variable column table type task job string number name item edit line",
);

/// Those of these verbs that are also nouns: the following word decides.
const NOUNS: &str = concat!(
    "read view list open search set check call run start stop match point limit format change stage commit escape quote ",
    "find fetch name look update cancel use try go get log make upload split pass",
);

/// Words that follow a noun and not a verb.
const TAIL: &str = concat!(
    "failed fails error errors not is was were are has had have cannot could did does denied rejected refused returned ",
    "aborted timed invalid missing again later of to for failure timeout on in by or and",
);

/// System calls, which may precede a value: "open 'a.txt': no such file".
const CALLS: &str = "open read stat lstat mkdir rename write unlink scandir spawn access rmdir copyfile connect chmod exec realpath find match list";

/// Whether a text gives an instruction.
pub(super) fn instructs(view: &View<'_>, asked: &Asked<'_>) -> bool {
    // The text after it still begins a clause: "nothing called 'x': check the path".
    let text = &pattern!("order/system-call").replace_all(&view.plain, ": ");
    pattern!("order/offer").is_match(text)
        || says_to_do(text)
        || names_what_to_change(text, asked)
        || begins_with_a_verb(text)
}

/// "Take in a neighbouring line", "Narrow your search", "Say which one": a word before something that only
/// follows a verb.
fn says_to_do(text: &str) -> bool {
    pattern!("order/verb-before-article")
        .captures_iter(text)
        .any(|found| found.name("nothing").is_none() && is_verb(&found["verb"]))
}

/// Whether a word at the beginning of a clause may be an imperative.
fn is_verb(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let third_person = word.ends_with('s') && !word.ends_with("ss");
    let other = ["ed", "ing", "ly", "tion", "ment", "ity", "ness"].iter().any(|end| word.ends_with(end));
    !third_person && !other && !NO_VERBS.split(' ').any(|other| other == word)
}

/// As in "Lengthen old_str".
fn names_what_to_change(text: &str, asked: &Asked<'_>) -> bool {
    pattern!("order/verb-before-name").captures_iter(text).any(|found| {
        found.name("nothing").is_none()
            && is_verb(&found["verb"])
            && asked.parameters.contains(&&found["name"])
    })
}

/// As in "Stage files before you commit".
fn begins_with_a_verb(text: &str) -> bool {
    let among = |words: &str, word: &str| words.split(' ').any(|other| other == word);
    let says = |found: &Captures<'_>| {
        let verb = found["verb"].to_ascii_lowercase();
        let object = &found["object"];
        let plain = object.to_ascii_lowercase();
        let plain = plain.trim_matches(['\'', '"', '`', ')', '(', '[', ']']);
        let comes_in = matches!(verb.as_str(), "log in" | "sign in");
        // A keyword in the middle of a sentence: "SELECT statements are refused".
        let is_a_keyword = !found["verb"].contains(char::is_lowercase) && object.contains(char::is_lowercase);
        let is_a_call = among(CALLS, &verb) && object.starts_with(['\'', '"', '`', '/', '\u{1a}']);
        !is_a_call
            && !is_a_keyword
            && found.name("nothing").is_none()
            && (comes_in || !among(TAIL, plain))
            && (!among(NOUNS, &verb)
                || pattern!("order/object").is_match(object)
                || found.name("purpose").is_some())
    };
    pattern!("order/verb").captures_iter(text).any(|found| says(&found))
}
