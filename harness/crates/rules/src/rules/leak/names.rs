//! The names of a server's tools and of the called tool's parameters, which are the server's own words in a
//! message.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::wording::echo::FILL;

/// The names that matter for a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Names<'a> {
    /// The names of all tools.
    pub tools: Vec<&'a str>,
    /// The names of the called tool's parameters.
    pub parameters: Vec<&'a str>,
}

impl Names<'_> {
    /// Whether a match is the call of a tool, as a hint writes it: `Call ListFiles("/")`.
    pub(super) fn is_call(&self, message: &[u8], span: &Range<usize>) -> bool {
        static VERB: LazyLock<Regex> = LazyLock::new(|| {
            wrapper(
                r#"(?i)\b(?:call|calling|see|use|using|try|run|invoke|e\.g\.|for example|example|or)[,:]?\s+[`'"]?\z"#,
            )
        });
        let Some(name) = message[span.clone()].strip_suffix(b"(\"") else { return false };
        let errs = [&b"Error"[..], b"Err", b"Failure", b"Kind", b"Exception", b"Some", b"Ok"];
        if errs.iter().any(|end| name.ends_with(end)) {
            return false;
        }
        let before = &message[span.start.saturating_sub(30)..span.start];
        self.tools.iter().any(|tool| tool.as_bytes() == name) || VERB.is_match(before)
    }

    pub(super) fn opens_with_parameter(&self, text: &[u8]) -> bool {
        let name = text.split(|byte| *byte == b':').next().unwrap_or_default();
        name.len() < text.len() && self.is_parameter(name)
    }

    pub(super) fn is_parameter(&self, name: &[u8]) -> bool {
        self.parameters.iter().any(|parameter| parameter.as_bytes() == name.trim_ascii())
    }
}

/// Whether a match is about something of the caller's: a tool to call, an example argument, a class that the
/// sentence is about, or what the caller's own code did.
pub(super) fn is_of_the_caller(message: &[u8], span: &Range<usize>, names: &Names<'_>) -> bool {
    names.is_call(message, span)
        || is_an_example(message, span)
        || is_spoken_of(message, span)
        || is_of_the_callers_code(message, span.start)
        || is_of_a_call_sent(message, span)
}

/// Whether a match is an example value in a hint: "Example: '2*x' with variables={'x': 5}".
fn is_an_example(message: &[u8], span: &Range<usize>) -> bool {
    static LEADS: LazyLock<Regex> =
        LazyLock::new(|| wrapper(r"(?i)\b(?:examples?\b|e\.g\.|for instance\b)[^\n]{0,100}\z"));
    let is_value = message[span.clone()].starts_with(b"{'");
    is_value && LEADS.is_match(&message[span.start.saturating_sub(120)..span.start])
}

/// Whether a match is about something the caller sent: how many arguments a function takes (`sqrt()`, whose
/// name is blanked), or the types of operands in an expression that could not be evaluated.
fn is_of_a_call_sent(message: &[u8], span: &Range<usize>) -> bool {
    static EVALUATED: LazyLock<Regex> = LazyLock::new(|| {
        wrapper(
            r"(?i)\b(?:evaluat|comput|calculat|differentiat|integrat|simplif|solv|deriv|integral|limit|series|sum\b|expression|formula|equation)[^\n]{0,60}\x1a[^\n]{0,20}\z",
        )
    });
    if message[span.clone()].starts_with(b"unsupported operand type(s) for") {
        return EVALUATED.is_match(&message[span.start.saturating_sub(400)..span.start]);
    }
    let counts = [&b"missing "[..], b"takes ", b"got an unexpected "];
    let found = message[span.clone()].trim_ascii_start();
    counts.iter().any(|count| found.starts_with(count))
        && message[..span.start].trim_ascii_end().last() == Some(&FILL)
}

/// Whether a match is the name of a class that a sentence is about, for example in a report on the caller's
/// code: "the class `IOException` is declared twice". A runtime reporting its own error writes the package
/// before it.
fn is_spoken_of(message: &[u8], span: &Range<usize>) -> bool {
    static NOUN: LazyLock<Regex> = LazyLock::new(|| {
        wrapper(
            r#"(?i)\b(?:(?:sub|super)?class|interface|catch(?:es)?|extends|implements) (?:of |called |named )?[`'"]?\z"#,
        )
    });
    let is_name = message[span.clone()].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_told = message.get(span.end).is_some_and(|byte| *byte == b':');
    is_name && !is_told && NOUN.is_match(&message[span.start.saturating_sub(30)..span.start])
}

/// Whether the text before a position says that the caller's code raised what follows: "Your function threw:
/// TypeError: ...".
pub(super) fn is_of_the_callers_code(message: &[u8], at: usize) -> bool {
    static OWNER: LazyLock<Regex> = LazyLock::new(|| {
        wrapper(
            r"(?i)\b(?:your [a-z]+|the (?:script|snippet|expression|formula|macro)) (?:threw|throws|raised|raises|(?:ended|stopped|finished) with)(?: an? [a-z ]{1,30})?:? ?(?:[A-Z]\w*: )?\z",
        )
    });
    OWNER.is_match(&message[at.saturating_sub(90)..at])
}

/// Compiles an expression for bytes.
pub(super) fn wrapper(source: &str) -> Regex {
    RegexBuilder::new(source).unicode(false).build().expect("a wrapper compiles: a test compiles them all")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_in_an_example_and_the_arguments_of_a_call_that_was_sent_are_the_callers() {
        let is_one = |message: &str, found: &str| {
            let start = message.find(found).expect("it is in each");
            is_of_the_caller(message.as_bytes(), &(start..start + found.len()), &Names::default())
        };
        let value = "{'x': 5";
        assert!(is_one("It failed. Example: '2*x + 3' with variables={'x': 5}", value));
        assert!(is_one("Send variables, e.g. {'x': 5}", value));
        assert!(!is_one("It failed with {'x': 5}", value));
        let missing = "missing 1 required positional argument";
        assert!(is_one(
            "Failed to evaluate '\u{1a}\u{1a}': \u{1a}\u{1a} missing 1 required positional argument: 'arg'",
            missing
        ));
        let operands = "unsupported operand type(s) for";
        assert!(is_one(
            "Failed to evaluate expression '\u{1a}\u{1a}'. Error: unsupported operand type(s) for -",
            operands
        ));
        assert!(is_one(
            "Failed to compute the derivative of '\u{1a}\u{1a}': unsupported operand type(s) for -",
            operands
        ));
        assert!(!is_one("Failed to list '\u{1a}\u{1a}'. Error: unsupported operand type(s) for -", operands));
        assert!(!is_one("Failed to evaluate the rule: unsupported operand type(s) for -", operands));
        assert!(!is_one("run() missing 1 required positional argument: 'arg'", missing));
        assert!(!is_one("\u{1a}: run() missing 1 required positional argument: 'arg'", missing));
    }

    #[test]
    fn a_message_about_a_parameter_begins_with_its_name_and_a_colon() {
        let names = Names { tools: Vec::new(), parameters: vec!["path", "mode"] };
        for (message, opens) in [
            ("path: Required", true),
            ("mode : Invalid", true),
            ("path", false),
            ("pathology: none", false),
            ("the path: none", false),
        ] {
            assert_eq!(names.opens_with_parameter(message.as_bytes()), opens, "{message}");
        }
    }
}
