//! A compiler's reason: which part of a pattern or a statement is at fault.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// Whether a text, echoes blank, says which piece of syntax is at fault.
pub(super) fn tells_reason(text: &str) -> bool {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        let piece = r"(?:brackets?|parenthes[ie]s|paren|braces?|quotes?|quotation(?: marks?)?|group(?: name)?|character class|class|range|quantifiers?|repeat|repetition|escape(?: sequence)?|backslash|look-?(?:behind|ahead|around)|delimiter|token|literal|alternation|operator|subpattern|flag|comma|semicolon|keyword|wildcard|star|asterisk)";
        let fault = r"(?:un(?:closed|terminated|balanced|matched|paired|finished|escaped|recogni[sz]ed|expected|supported|known)|dangling|stray|lone|open|trailing|missing|invalid|illegal|bad|incomplete|empty|extra|reversed)";
        let said = r"(?:without|lacks?|is (?:not|never|still|left)|never|not|has no|has nothing|with nothing|opens?|out of order|expects)";
        expression(&format!(
            r"(?i)\b{fault} (?:\w+ )?{piece}\b|\b{piece}\b[^.;\n]{{0,40}}\b{said}\b|\bnothing (?:to repeat|before|to quantify)\b|\bbefore the end\b|\bpremature end\b.{{0,10}}\bpattern\b|\b(?:syntax error|error) (?:at or )?near\b"
        ))
    });
    // What is looked up by its name is no syntax.
    static RESOURCE: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:invalid|unknown|missing|expired|bad|illegal|unrecogni[sz]ed) (?:\w+ )?(?:token|group|class|flag|operator|keyword|range)\b|\b(?:token|group|class|flag|operator|range)\b[^.;\n]{0,40}\b(?:is not|not|never)\b",
        )
    });
    REASON.is_match(&RESOURCE.replace_all(text, " "))
}

#[cfg(test)]
mod tests {
    use super::tells_reason;

    #[test]
    fn a_piece_of_syntax_with_its_fault_is_a_reason() {
        for text in [
            "bracket without a partner",
            "the group that opens at 0 has nothing behind it",
            "unterminated subpattern",
            "quantifier with nothing before it",
            "a parenthesis is never closed",
            "trailing backslash",
        ] {
            assert!(tells_reason(text), "{text}");
        }
    }

    #[test]
    fn a_pattern_that_does_not_compile_has_no_reason_yet() {
        for text in
            ["the pattern does not compile", "invalid token", "no group of this name", "class not found"]
        {
            assert!(!tells_reason(text), "{text}");
        }
    }
}
