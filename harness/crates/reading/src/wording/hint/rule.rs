//! Further statements in a text: general rules, and what exists besides what was refused.
//!
//! "Volume goes from 0 to 11", "A brass key opens it": such sentences are only written to say what to send.

use std::sync::LazyLock;

use regex::Regex;

use super::Asked;
use super::view::View;
use crate::expression::expression;
use crate::wording::words;

/// Whether a text states a rule: a sentence in the present about all of a kind, whose subject is a plural
/// without an article, or has `a`, `every` or `each`.
pub(super) fn states_a_rule(view: &View<'_>) -> bool {
    static GENERAL: LazyLock<Regex> = LazyLock::new(|| {
        let verb = r"(?:go|goes|begins?|starts?|ends?|runs?|have|has|takes?|holds?|needs?|comes?|stands?|lies?|lives?|uses?|contains?|consists?|looks?|includes?|follows?|belongs?|counts?|stops?|allows?|accepts?|supports?|reads?|is (?:an?|made of|written|one of)|are (?:written|given|counted|named|called|numbered|relative|absolute|resolved|returned|listed|made|read|taken|sent|separated|case|exact|strings?|numbers?|one|either|kept|plain|only))";
        expression(&format!(
            r"(?:^|[.;:(?!]\s+|\n|, )(?:(?i:an?|every|each|all|both) (?:\w+ ){{0,2}}[a-z]{{2,}}|(?P<plural>(?:[A-Z][a-z-]{{2,}}|[a-z-]{{3,}})(?: ?(?:ids?|names?|files?|paths?|addresses|numbers|messages|codes?))?)) {verb}\b(?P<behind>[^.;\n]*)"
        ))
    });
    static FAILS: LazyLock<Regex> = LazyLock::new(|| {
        expression(r"(?i) no | not |n't| failed| error|exception|unexpected| wrong| occurred")
    });
    GENERAL.captures_iter(&view.plain).any(|found| {
        let whole = found.get(0).expect("group 0 is the match").as_str();
        let is_plural = |subject: &str| {
            let last = subject.rsplit(' ').next().unwrap_or_default().to_ascii_lowercase();
            last.ends_with('s') && !last.ends_with("ss") && !is_no_plural(&last)
        };
        let general = found.name("plural").is_none_or(|subject| is_plural(subject.as_str()));
        general && !FAILS.is_match(whole) && !found["behind"].trim().is_empty()
    })
}

/// As in "Count goes in whole steps" or "Tags are words": a general statement about a parameter.
pub(super) fn states_it_of_a_parameter(view: &View<'_>, asked: &Asked<'_>) -> bool {
    static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?:^|[.;:(?!,]\s+|\n)(?i:the )?['\x22`]?(?P<name>[A-Za-z_][\w-]*)['\x22`]? (?:are (?:strings|texts|words|numbers|names|dates)\b|(?:goes|begins|runs|ranges|takes|wants|accepts|allows|supports|counts|comes|stands|stops|lies|holds|uses|follows|consists|belongs|defaults|means|expects) (?:[a-z]+ )?[\w'\x22`<>=-])",
        )
    });
    SUBJECT
        .captures_iter(&view.text)
        .any(|found| asked.parameters.iter().any(|name| name.eq_ignore_ascii_case(&found["name"])))
}

/// Words that end in `s` but are not a plural, or whose plural is about a failure.
fn is_no_plural(word: &str) -> bool {
    const WORDS: &str = "this is was has its his as us yes always details errors problems occurs does matches occurrences status";
    WORDS.split(' ').any(|other| other == word)
}

/// Whether the refusal is followed by a sentence that neither refuses nor is a courtesy: whatever else is said
/// to the caller says what to do.
pub(super) fn goes_on(view: &View<'_>) -> bool {
    static ENDS: LazyLock<Regex> = LazyLock::new(|| expression(r"[.;!?]\s+|\n+|\s[\x{2014}\x{2013}-]\s"));
    static REFUSES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:no|not|never|none|nothing|cannot|without|neither|nor|fail\w*|err\w*|invalid|unknown|unable|refus\w*|reject\w*|denied|deny|missing|wrong|bad|exceed\w*|too|violat\w*|unexpected|unsupported|lost|dropped|sorry|afraid|unfortunately|traceback|exit code|stderr|stdout|cmdline|stopp\w+|abort\w*|terminated|crash\w*|exception|already|expired|ended|closed|ambiguous)\b|n't\b",
        )
    });
    /// A sentence with this many words of its own is the server's.
    const TOLD: usize = 2;
    let sentences = ENDS.split(&view.plain).map(str::trim).filter(|sentence| !sentence.is_empty());
    sentences.skip(1).filter(|sentence| !REFUSES.is_match(sentence)).any(|sentence| {
        let is_part = |c: char| c.is_ascii_alphabetic() || c == '\'';
        let reported: Vec<&str> =
            sentence.split(|c: char| !is_part(c)).filter(|word| word.len() > 1).collect();
        let own = reported.iter().filter(|word| !words::is_empty(&word.to_ascii_lowercase())).count();
        reported.len() > TOLD && own >= TOLD && sentence.contains(|c: char| c.is_ascii_lowercase())
    })
}
