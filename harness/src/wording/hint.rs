//! Whether a message tells the caller what to change in the call.
//!
//! A hint is a named parameter that is missing or empty, an expected type or format, a bound with its number, valid
//! values or existing names, a parameter or a tool to use, a compiler's reason, or an instruction that can be followed.
//! "Please try again" is none. Whether the hint is right is another question.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde_json::Value;

use super::echo::FILL;
use super::escape::readings;
use super::{Echo, beginning, listing, mention, passages};
use crate::expression::{expression, expressions};

mod alternative;
mod bound;
mod expectation;
mod instruction;
mod reason;
mod statement;

/// What was asked, as far as a hint depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The values that the caller sent, folders not among them.
    pub echo: &'a Echo,
    /// The arguments themselves: beside a number that was sent another one is a bound.
    pub arguments: &'a Value,
    /// The tool that was called.
    pub tool: &'a str,
    /// The names of the tool's parameters.
    pub parameters: &'a [&'a str],
    /// The folder that the server must not leave: naming it is a hint.
    pub workspace: &'a str,
}

/// Whether a message gives a hint.
pub fn gives_hint(message: &str, asked: &Asked<'_>) -> bool {
    passages(beginning(message)).iter().any(|passage| match passage.key {
        _ if passage.names_a_kind() => false,
        Some(key) if lists_by_name(key) => true,
        _ => in_passage(&passage.text, asked) || in_escapes(&passage.text, asked),
    })
}

/// Whether JSON within a text, or JSON that was cut short, gives a hint: escapes would hide where words begin.
fn in_escapes(text: &str, asked: &Asked<'_>) -> bool {
    text.contains('\\')
        && readings(&asked.echo.blank(text)).iter().skip(1).any(|text| in_passage(text, asked))
}

/// Whether a text says of something that it is not known or not wanted: of an argument too many, that is what mends it.
pub fn calls_it_unknown(text: &str) -> bool {
    static UNKNOWN: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)\b(?:un(?:known|expected|recogni[sz]ed|supported|wanted|defined)|additional|extra|superfluous|ignored|forbidden|stray|surplus|excess|refused|rejected)\b",
            r"|\b(?:no|has no|have no|no such|not an?|is not an?|not the) (?:\w+ )?(?:parameter|argument|field|option|property|key|input|one|name)\b",
            r"|\b(?:not|never|n't|cannot be) (?:\w+ )?(?:known|valid|allowed|accepted|supported|recogni[sz]ed|permitted|expected|take|takes|taken|accept|accepts|have|know|knows|support|supports|used|belong|understood|part|declared|defined)\b",
            r"|\bhas no\b|\bknows no\b|\btakes no\b",
        ))
    });
    UNKNOWN.is_match(text)
}

/// Whether what stands beside a message, as JSON, holds valid values, existing names, or what was expected.
pub fn lists_beside(data: &str) -> bool {
    passages(beginning(data))
        .iter()
        .any(|passage| passage.key.is_some_and(lists_by_name) && !passage.text.trim().is_empty())
}

/// Whether the string of a JSON member with this name is a valid value, an existing name, or what was expected.
fn lists_by_name(key: &str) -> bool {
    const WORDS: [&str; 18] = [
        "available",
        "known",
        "valid",
        "allowed",
        "existing",
        "supported",
        "expected",
        "options",
        "option",
        "choices",
        "closest",
        "similar",
        "suggestion",
        "suggestions",
        "suggested",
        "held",
        "holder",
        "holders",
    ];
    let mut plain = String::new();
    for c in key.chars() {
        if c.is_uppercase() {
            plain.push('_');
        }
        plain.extend(c.to_lowercase());
    }
    plain.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

fn in_passage(text: &str, asked: &Asked<'_>) -> bool {
    let blank = asked.echo.blank(text);
    let blank = COURTESIES.replace_all(&blank, " ");
    // The digits of a path are no bound.
    let pathless = PATHS.replace_all(&blank, "\u{1a}");
    let sent = asked.arguments.as_object().into_iter().flat_map(serde_json::Map::keys).map(String::as_str);
    let known: Vec<&str> = sent.chain([asked.tool]).collect();
    // Of a listing that holds the value that was sent, the others are left.
    let listed = || listing::listed_values(&SENT.replace_all(&blank, SENT_VALUE), SENT_VALUE).len() > 1;
    SIGNS.is_match(&pathless)
        || names_missing(&blank, asked.parameters)
        || listed()
        || names_root(&blank, asked.workspace)
        || instruction::instructs(&pathless)
        || expectation::tells_format(&pathless)
        || reason::tells_reason(&pathless)
        || statement::states_rule(&pathless)
        || alternative::names_another(&blank, &known)
        || bound::gives_bound(&bounded(text, asked), asked.arguments)
}

/// The text for its numbers: paths and texts that were sent are blank, numbers that were sent are not.
fn bounded(text: &str, asked: &Asked<'_>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for span in asked.echo.spans(text) {
        if text[span.clone()].parse::<f64>().is_err() {
            bytes[span].fill(FILL);
        }
    }
    let blank = String::from_utf8_lossy(&bytes).into_owned();
    PATHS.replace_all(&blank, "\u{1a}").into_owned()
}

/// What stands for an echo where words are read.
const SENT_VALUE: &str = "SENT";

static SENT: LazyLock<Regex> = LazyLock::new(|| expression(r"\x1a+"));

static PATHS: LazyLock<Regex> = LazyLock::new(|| expression(r"(?:/[\w.@+~-]*[\w@+~-]){2,}"));

/// What sounds helpful and is not.
static COURTESIES: LazyLock<Regex> = LazyLock::new(|| {
    let courtesies = [
        r"(?:please )?try (?:something|anything) (?:else|different)|(?:you|we) may only (?:look|read|ask)\b",
        r"(?:please )?(?:try|retry|do so)(?: the (?:request|call|operation))? (?:again|later)(?: later)?",
        r"(?:please )?(?:check|fix|correct|review|verify) (?:your |the |all )?(?:(?:input|request|error|call)s?(?: details| data)?|details|logs?|server logs?|error log)(?: for details)?(?: and (?:then )?(?:try again|retry|resubmit))?",
        r"(?:please )?see (?:the |our )?(?:message|documentation|docs|logs?|above|below|details)(?: for (?:more )?(?:details|information|help))?",
        r"(?:and |then |please )+retry\b",
        r"(?:please )?contact (?:the |your )?(?:administrator|support|operator|server's owner)",
        r"\b(?:make|made) use of\b",
    ];
    expression(&format!("(?i){}", courtesies.join("|")))
});

static SIGNS: LazyLock<RegexSet> = LazyLock::new(|| {
    let verb = "use|try|check|send|pass|set|add|omit|give|re-?read|swap|copy|provide|put|compare|ensure|make sure|narrow|specify|choose|select|pick|split|remove|escape|run|call|start|create|increase|raise|reduce|shorten|lower|replace|look|prefix|leave|correct|verify|confirm|include|change|close|quote|wait|consider|resolve|double|drop|move|delete|enter|supply|convert|encode|retry with|repeat|expand|extend|install|configure|save|limit|restrict|append|match|point";
    let signs = [
        // What must hold.
        r"\bmust (?:not |only |all |also |never )?(?:be|have|start|begin|end|contain|match|use|set|look|hold|lie|exist|name|point|include|fit|come|stand|differ|equal|agree|give|precede|follow|remain|stay|fall|supply|provide|specify|pass|send|call|run)\b|\bmust:".to_owned(),
        r"\b(?:has|have|needs?|ought) to\b".to_owned(),
        r"\bshould (?:not )?(?:be|have|start|begin|end|contain|match|use|set|look|hold|lie)\b".to_owned(),
        r"\b(?:may|can) (?:lie|hold|contain|be at)\b|\bonly\b|\b(?:cannot|may not|can't|must not|can not) be (?:empty|null|negative|blank|omitted)\b|\bnot be empty\b".to_owned(),
        r"\b(?:is|are) needed\b|\bneeds (?:a|an|at|one|two|\d)\b|\brequires\b".to_owned(),
        r"\b(?:expected|expects?|wants?|wanted)\b".to_owned(),
        // A type or format.
        r"\bnot of type\b|\bof type (?:string|int|integer|number|bool|boolean|array|object|map|float\d*|\[)|\bas an? (?:integer|number|boolean|date|url)\b".to_owned(),
        r"\bis (?:an?|the) (?:array|list|number|string|object|integer|boolean|file|relative path)\b[^.]*\b(?:not|;|needed)|\bformat\b[^.]{0,20}\b(?:is|like|such)|\bshould be an?\b|\bis a relative path\b|\bis relative\b".to_owned(),
        r"\b(?:for example|e\.g\.|such as|example:)".to_owned(),
        // A bound.
        r"\b(?:at least|at most|no more than|not more than|fewer than|less than|greater than|more than|up to|within|below|above|under|over|between|maximum|minimum|max|min|limit|limited to)\b\D{0,40}\d".to_owned(),
        r"\b(?:exceeds?|exceeded|exceeding|too long by|longer than|larger than|beyond|past|after)\b[^.]{0,60}(?:\d|maximum|\bend\b|\bline)".to_owned(),
        r"[<>]=?\s?-?\d|\d\s?\.\.\.?\s?\d|[\[(]-?\d[\d.]*, ?-?\d[\d.]*[\])]|\d+ ?(?:<|>) ?\w".to_owned(),
        r"\b(?:start|end)\w* \d+ (?:>|<|is)|\bbefore it starts\b|\bin the (?:past|future)\b|\b(?:later|earlier|sooner) than\b|\bmodel's context\b".to_owned(),
        r"\b(?:file )?name too long\b|\bENAMETOOLONG\b|\bargument list too long\b".to_owned(),
        // Names that exist.
        r"\bdid you mean\b|\bnearest\b|\bclosest\b|\bsimilar\b|\binstead\b|\bit is (?:on|in|at|under|called|named)\b|\bnone of (?:them|these|the)\b|\bis neither\b|\bknown\b[^.]{0,20}:|\bavailable\b[^.]{0,20}:".to_owned(),
        r"\b(?:files|entries|names|tasks|folders|tools) (?:in|of|under) (?:that|this|the|its) \w+(?: are)?: ?\S|\b(?:folder|directory|it) (?:holds|contains):? ?\S".to_owned(),
        r"\b(?:ids?|names?|paths?) (?:look like|looks like|are like|(?:is|are) returned by|comes? from)\b|\bpaths (?:are|is) (?:resolved|taken|read|relative)\b".to_owned(),
        // A parameter that does not exist, or does not go with another.
        r#"\b(?:unrecogni[sz]ed|unexpected|unsupported|unknown) (?:additional )?(?:keys?|keyword argument|field|parameters?|arguments?|propert(?:y|ies)|options?)\b(?:.{0,30}["'`\x1a]|$)"#.to_owned(),
        r"\b(?:cannot|can't|do not) (?:specify|use|combine|give|send|pass|set) both\b|\bmutually exclusive\b|\bduplicate\b|\bnull (?:parameters|arguments)\b".to_owned(),
        r"\b\w+(?: ?[:=] ?| is | to | as )(?:true|false)\b|\bset to (?:true|false)\b|\breplace_?all\b".to_owned(),
        r"\b(?:null|nul) (?:byte|character)s?\b|'\.\.'|\bdirectory traversal\b|\bdeny pattern\b|\bmatches deny\b|\bcontrol characters?\b".to_owned(),
        r"\b(?:resolved|relative) (?:against|to)\b|\babsolute path\b|\bnot absolute\b|\bwhitespace\b|\bcase.sensitive\b|\bcircular\b".to_owned(),
        // A compiler's reason.
        r"\b(?:regex parse error|error parsing regexp|syntax error|unclosed|unterminated|unbalanced|unmatched|dangling|unrecogni[sz]ed token|look-?(?:around|behind|ahead)|nothing to repeat|quantifier|backreference)".to_owned(),
        r"\b(?:never|not|no|missing|has no) (?:a )?(?:closed|closing|terminated)\b|\bthat has no\b|\bconstraint failed\b|\bcould not convert\b|\binvalid (?:named capture|character class|escape|repeat|repetition|range|group|or unsupported)|Invalid regular expression: /|\bat position \d|\bnear (?:index )?\d|\bline \d+,? col".to_owned(),
        // An instruction at the beginning of a clause.
        format!(r#"(?:^|[.;:!?(,\]\n—-]\s*|["'](?:\s*)|\b(?:please|or|and|so|then|first|otherwise)[,:]?\s+)(?:please\s+|first\s+|then\s+|to \w+ [^.,;]{{1,60}}[,;]? )?(?:{verb})\s+[^\s]"#),
        r"(?:^|[.;:!?(\n]\s*|\b(?:please|or|and|then)\s+)(?:read|view|open|list|write|inspect|search|grep|rename|fetch)\s+(?:the|it|its|them|a|an|in|this|that|again|file|files|directory|'?[a-z_]+'? (?:first|again))\b".to_owned(),
        r"\b(?:may|might|could) have (?:been )?(?:moved|renamed|changed|deleted)\b|\b(?:was|were|has|have) (?:been )?(?:moved|renamed|replaced by|superseded)\b|\b(?:it|file) (?:has )?changed\b|\b(?:lives?|is) (?:in|at|under) \S+ now\b|\bnow (?:in|at|called|under)\b".to_owned(),
        r"\b(?:cannot|can't|may not|must not|can not) (?:start|begin|end|contain|include|have|hold)\b|\bmissing (?:the|its) \w|\btogether with\b|\beither\b.{1,40}\bor\b|\bdid \S+(?: \S+)? mean\b|\bcomes? (?:near|close)\b".to_owned(),
        r"\bthe tool for\b|\btool (?:for those|first)\b|\bfirst\b\.?$|\bto (?:replace|enable|search|see|list|find|allow|get) (?:all|the|what|every|them|it|a)\b".to_owned(),
    ];
    expressions(signs)
});

/// Whether a parameter is said to be missing or empty, by its name.
fn names_missing(text: &str, parameters: &[&str]) -> bool {
    static REQUIRED: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)([\w$.\]-]+)['\x22`]?:?(?: (?:argument|parameter|field|option|property|input|id))? (?:is|are|was|were) (?:a |all )?(?:required|mandatory|missing|empty|null|blank|not (?:set|given|provided))\b",
        )
    });
    static MISSING: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)\b(?:missing|required|requires?|empty)(?: \w+){0,2}?(?: (?:arguments?|fields?|parameters?|propert(?:y|ies)|options?|keys?))?:? ?(?:['"`\[]+|--)\w|\b(?:missing|required|requires?)(?: required)? (?:arguments?|fields?|parameters?|propert(?:y|ies)|options?|keys?)(?:: ?| )[\w-]"#,
        )
    });
    const GENERIC: [&str; 12] = [
        "input",
        "field",
        "value",
        "argument",
        "arguments",
        "parameter",
        "parameters",
        "it",
        "this",
        "that",
        "not",
        "message",
    ];
    let lower = text.to_ascii_lowercase();
    let names_one = || {
        let stands = |name: &&str| mention::stands_in(&lower, &name.to_ascii_lowercase());
        parameters.is_empty() || parameters.iter().any(stands)
    };
    let named = REQUIRED.captures_iter(text).any(|found| {
        let subject = found[1].to_ascii_lowercase();
        match subject.as_str() {
            // "The argument is missing: path": whether it says which one, the rest of the text decides.
            "the" | "a" | "an" | "required" => names_one(),
            subject => !GENERIC.contains(&subject),
        }
    });
    let missing = MISSING.find_iter(text).any(|found| {
        // Where case is ignored a letter may have several bytes: the sign of Kelvin is a `k`.
        let first = found.as_str().chars().next_back().map_or(0, char::len_utf8);
        let behind = &text[found.end() - first..];
        let goes_on = ["is ", "are ", "was ", "were "].iter().any(|verb| behind.starts_with(verb));
        !behind.starts_with("not ") && (!goes_on || names_one())
    });
    let by_name = || {
        parameters.iter().any(|name| {
            let name = name.to_ascii_lowercase();
            let phrases = [
                format!("no {name} "),
                format!("missing {name}"),
                format!("empty {name}"),
                format!("{name} missing"),
            ];
            name.len() > 1 && phrases.iter().any(|phrase| format!("{lower} ").contains(phrase.as_str()))
        })
    };
    named || missing || by_name()
}

/// Whether the allowed folder is named where a path lies outside of it. Where it is not known, as in the log of a client,
/// it is any folder that the caller did not send.
fn names_root(text: &str, workspace: &str) -> bool {
    static FOLDER: LazyLock<Regex> =
        LazyLock::new(|| expression(r#"(?:^|[\s'"`(\[])(?:/[\w.-]+)+|\b[A-Z]:\\"#));
    let told = || {
        if workspace.is_empty() {
            return FOLDER.is_match(text);
        }
        text.match_indices(workspace).any(|(start, part)| {
            !text[start + part.len()..]
                .starts_with(|c: char| c == '/' || c.is_alphanumeric() || c == '-' || c == '_')
        })
    };
    let lower = text.to_ascii_lowercase();
    let about_roots = [
        "outside",
        "not in",
        "allowed",
        "below",
        "within",
        "under",
        "escapes",
        "root",
        "relative to",
        "nothing else",
        "alone",
        "leaves",
    ]
    .iter()
    .any(|word| lower.contains(word));
    about_roots && told()
}

#[cfg(test)]
mod tests;
