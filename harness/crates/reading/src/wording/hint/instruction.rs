//! Instructions: clauses that begin with an imperative and say what to do to something.
//!
//! Before an article, a pronoun or a parameter's name, any word counts as a verb except the few listed ones
//! with another function. Before a bare noun, only common verbs count ("Stage files", but "Search failed").

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::Asked;
use super::view::View;
use crate::expression::expression;

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

/// Verbs that count before a bare noun too.
const VERBS: &str = concat!(
    "make sure|be sure|use|try|send|pass|add|omit|give|put|take|keep|make|write|enter|include|exclude|avoid|ensure|specify|provide|choose|",
    "select|pick|remove|delete|reduce|increase|shorten|lower|raise|narrow|split|separate|append|prepend|insert|supply|",
    "convert|encode|wrap|close|leave|swap|replace|re-?read|re-?open|re-?run|install|configure|enable|disable|rename|move|",
    "create|register|define|declare|verify|confirm|compare|correct|adjust|consider|repeat|trim|switch|restrict|resolve|",
    "wait|do not|don't|never|always|start over|log in|sign in|upgrade|upload|attach|double|read|view|",
    "list|open|search|set|check|call|run|start|stop|match|point|limit|format|change|stage|commit|escape|prefix|quote|find|",
    "fetch|name|look|go|get|cancel|update|say",
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
    static OFFER: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)\b(?:would|might|could|may|will) (?:help|do|work|be enough|be accepted|suit)\b",
            r"|\byou (?:can|could|might|should|need to|have to|must|want to|may) (?:[a-mo-z]\w+|n[a-np-z]\w+)",
            r"|\b(?:could|can|would|will) you (?:please )?\w+ |\bhow about\b|\b(?:did|do) you (?:mean|want)\b|\bmeant to\b",
            r"|\b(?:by|instead of|rather than|without|before|after) (?:using|sending|passing|setting|adding|giving|calling|leaving|reading|writing|creating|starting|choosing|quoting|escaping|specifying|providing)\b",
        ))
    });
    // "open /srv/a: no such file" names a system call and is not an instruction.
    static TRIED: LazyLock<Regex> = LazyLock::new(|| {
        let calls = CALLS.replace(' ', "|");
        expression(&format!(
            r"\b[a-z]{{2,12}} [^\s:]*\x1a+[^:\n]{{0,80}}?: |(?:\A|: )(?:{calls}) [^\s:]+(?: [^\s:]+)?: "
        ))
    });
    // The text after it still begins a clause: "nothing called 'x': check the path".
    let text = &TRIED.replace_all(&view.plain, ": ");
    OFFER.is_match(text) || says_to_do(text) || names_what_to_change(text, asked) || begins_with_a_verb(text)
}

/// An expression for words at the beginning of a clause.
fn clause(what: &str) -> Regex {
    let begins = r"(?:^|[.;:!?(,\[\n\x{2014}\x{2013}]\s*|\s-\s|\b(?:please|or|and|so|then|first|otherwise|hint|tip|but|instead|to fix(?: this)?|next)[,:]?\s+)";
    let leads = r"(?:(?:please|first|then|just|simply|also|either|next|otherwise|instead|to \w+ [^.,;]{1,60}[,;]?)\s+)*";
    expression(&format!("(?i){begins}{leads}{what}"))
}

/// "Take in a neighbouring line", "Narrow your search", "Say which one": a word before something that only
/// follows a verb.
fn says_to_do(text: &str) -> bool {
    static BEFORE_AN_ARTICLE: LazyLock<Regex> = LazyLock::new(|| {
        clause(concat!(
            r"(?P<verb>[a-z]{2,14}|re-[a-z]{3,10})\s+(?:(?:in|out|up|off|on|over|back|down|away) )?",
            r"(?:the|an?|it|its|them|their|your|this|that|these|those|another|each|every|all|any|both|one|either|at least|at most|which|what|whether|how)\b",
            r"(?P<nothing>\s+(?:could|cannot|failed|is not|was not|did not|is|was|not)\b)?",
        ))
    });
    BEFORE_AN_ARTICLE
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
    static BEFORE_A_NAME: LazyLock<Regex> = LazyLock::new(|| {
        clause(concat!(
            r"(?P<verb>[a-z]{3,14})\s+['\x22`]?(?-i:(?P<name>[a-z]+(?:_\w+|[A-Z]\w*)))['\x22`]?",
            r"(?P<nothing> (?:failed|is|was|not|does|has|must|[a-z]+ed)\b)?",
        ))
    });
    BEFORE_A_NAME.captures_iter(text).any(|found| {
        found.name("nothing").is_none()
            && is_verb(&found["verb"])
            && asked.parameters.contains(&&found["name"])
    })
}

/// As in "Stage files before you commit".
fn begins_with_a_verb(text: &str) -> bool {
    static VERB: LazyLock<Regex> = LazyLock::new(|| {
        clause(&format!(
            r"(?P<verb>{VERBS})\s+(?P<object>[^\s.,;:]+)(?P<purpose>\s+to\s+[a-z])?(?P<nothing>(?:\s+[^\s.,;:]+)?\s+(?:could|cannot|failed|is not|was not|did not)\b)?"
        ))
    });
    static OBJECT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)\A(?:the|an?|it|its|them|their|your|ones?|this|that|these|those|another|other|only|each|every|all|any|at|in|into|from|with|to|by|as|without|on|under|up|down|less|more|fewer|first|again|instead|both|either|no|what|which|whether|how|names|paths|files|something|['"`]\w.*|\w+[._/]\w+|\x1a.*|\w+=.*|--.*)\z"#,
        )
    });
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
            && (!among(NOUNS, &verb) || OBJECT.is_match(object) || found.name("purpose").is_some())
    };
    VERB.captures_iter(text).any(|found| says(&found))
}
