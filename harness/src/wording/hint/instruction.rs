//! An instruction: a clause that begins with a verb in its plain form and says to do something to something.
//!
//! Verbs that are nouns as well ("Search failed", "Query returned ...") are verbs only before an article, a pronoun, a
//! preposition or a name.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// Verbs that are hardly ever nouns where something failed.
const VERBS: &str = "use|try|send|pass|add|omit|give|put|take|keep|make|write|enter|include|exclude|avoid|ensure|specify|provide|choose|select|pick|remove|delete|reduce|increase|shorten|lower|raise|narrow|widen|broaden|extend|expand|enlarge|split|separate|append|prepend|insert|supply|convert|encode|decode|wrap|enclose|surround|close|begin|leave|swap|replace|re-?read|re-?open|re-?run|re-?view|re-?create|look|go|get|install|configure|enable|disable|rename|move|create|register|define|declare|assign|verify|confirm|compare|consult|inspect|correct|adjust|consider|repeat|combine|merge|join|trim|strip|shrink|simplify|spell|capitali[sz]e|switch|turn|unlock|lock|stash|initiali[sz]e|restrict|save|resolve|wait|say|insist|do not|don't|never|always|be sure|make sure|retry with|append|attach|upload|double|lengthen|tighten|loosen|round|indent|rephrase|reword|retype|resend|mind|stay|respect|fill in|set up|start with|start from|start over";
/// Verbs that may be nouns.
const NOUNS_TOO: &str = "read|view|list|open|search|query|set|check|call|run|start|stop|stage|match|point|limit|edit|load|format|change|sort|filter|group|commit|push|pull|name|copy|escape|prefix|quote|drop|test|update|find|fetch|request|access|address|grep|glob|state|break|cut|return|review|order|count|store|pad|cast|type|key|tag|mark|link|scope|zoom|step|show|stick|back up|end|finish|fix|increment|fall back";

/// What follows a verb that may be a noun.
const OBJECT: &str = r#"(?:the|a|an|it|its|them|their|your|one|ones|this|that|these|those|another|other|only|each|every|all|any|at least|at most|in|into|from|with|to|by|as|without|on|under|up|down|less|more|fewer|first|again|instead|both|either|no|what|which|whether|how|names|paths|files|something|`\w|'\w|"\w|\w+[._/]\w+|\x1a)"#;

/// Whether a text, echoes blank and courtesies cut out, gives an instruction.
pub(super) fn instructs(text: &str) -> bool {
    static CLEAR: LazyLock<Regex> = LazyLock::new(|| {
        let tail = r"(?:failed|fails|errors?|not|is|was|were|are|has|had|have|cannot|could|did|does|denied|rejected|refused|returned|aborted|timed|invalid|missing|again|later|of)";
        clause(&format!(r"(?:{VERBS})\s+(?:(?P<nothing>{tail}\b)|[^\s])"))
    });
    static UNCLEAR: LazyLock<Regex> = LazyLock::new(|| {
        clause(&format!(
            r"(?:{NOUNS_TOO})\s+{OBJECT}(?:\b|\x1a|\W|\z)(?P<nothing> (?:could|cannot|failed|is not|was not|did not)\b)?"
        ))
    });
    static OFFER: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)\b(?:would|might|could|may|will) (?:help|do it|work|be enough|be accepted|suit)\b",
            r"|\byou (?:can|could|may|might|should|need to|have to|must|want to) (?:use|call|send|pass|set|add|give|choose|pick|create|start|write|read|list|open|split|leave|remove|omit|narrow|replace|provide|specify|include|find)\b",
            r"|\bhow about\b|\bwas it (?:misspel|mistyp|moved|renamed|meant)\w*|\b(?:did|do) you (?:mean|want)\b|\bmeant to\b",
            r"|\b(?:by|instead of|rather than|without|before|after) (?:using|sending|passing|setting|adding|giving|calling|leaving|reading|writing|creating|starting|choosing|quoting|escaping)\b",
        ))
    });
    // What was tried on which value, as in "open /srv/a: no such file", is said by the system.
    static TRIED: LazyLock<Regex> =
        LazyLock::new(|| expression(r"\b[a-z]{2,12} [^\s:]*\x1a+[^:\n]{0,80}?: "));
    let text = &TRIED.replace_all(text, " ");
    let says = |regex: &Regex| regex.captures_iter(text).any(|found| found.name("nothing").is_none());
    says(&CLEAR) || says(&UNCLEAR) || OFFER.is_match(text)
}

/// An expression for what stands at the beginning of a clause.
fn clause(what: &str) -> Regex {
    let begins = r#"(?:^|[.;:!?(,\[\n\u{2014}\u{2013}]\s*|\s-\s|["']\s*|\b(?:please|or|and|so|then|first|otherwise|hint|tip|but|instead|to fix(?: this)?|next)[,:]?\s+)"#;
    let leads = r"(?:(?:please|first|then|just|simply|also|either|next|otherwise|instead|to \w+ [^.,;]{1,60}[,;]?)\s+)*";
    expression(&format!("(?i){begins}{leads}{what}"))
}

#[cfg(test)]
mod tests {
    use super::instructs;

    #[test]
    fn a_clause_that_begins_with_a_verb_is_an_instruction() {
        for text in [
            "Write it like 15:00.",
            "refused. Take in a neighbouring line so that it stands once.",
            "The session has ended. Open a new one.",
            "Nothing is staged. Stage files before you commit.",
            "it is locked; unlock it first",
            "not found (list the folder, or search in another one)",
            "no match - read the file anew",
            "To insert text, match a line beside the place.",
            "A WHERE clause would help.",
            "you can use a wildcard",
        ] {
            assert!(instructs(text), "{text}");
        }
    }

    #[test]
    fn a_noun_at_the_beginning_of_a_clause_is_none() {
        for text in [
            "Search failed",
            "Query returned a lot of rows.",
            "Note \u{1a} was not found",
            "Read error: the disk is gone",
            "Access denied",
            "list of edits is bad",
            "the move failed, and the copy was not made",
            "Match not found",
            "open \u{1a}\u{1a}: no such file or directory",
            "Edit 2 of 3 failed: no match",
            "Delete failed: the disk is gone",
            "Create failed",
            "List files could not be read",
        ] {
            assert!(!instructs(text), "{text}");
        }
    }
}
