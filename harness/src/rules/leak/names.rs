//! The names that a server gave its tools and the called one's parameters: in a message they are words of its own.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// The names that matter for one call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names<'a> {
    /// Of every tool.
    pub(crate) tools: Vec<&'a str>,
    /// Of the called tool's parameters.
    pub(crate) parameters: Vec<&'a str>,
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

/// An expression for bytes.
pub(super) fn wrapper(source: &str) -> Regex {
    RegexBuilder::new(source).unicode(false).build().expect("a wrapper compiles: a test compiles them all")
}

#[cfg(test)]
mod tests {
    use super::*;

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
