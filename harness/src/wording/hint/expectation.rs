//! An expected type or format, told without a word such as "expected": by two types that are set against each other, by
//! what something takes, or by how it is written.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

const TYPE: &str = r"strings?|texts?|numbers?|integers?|int|floats?|booleans?|bools?|arrays?|lists?|objects?|maps?|dicts?|dictionar(?:y|ies)|null|nulls|true|false|dates?|times?|urls?|whole numbers?|decimals?|words?|files?|folders?|director(?:y|ies)|json";

/// Whether a text, echoes blank, tells a type or a format.
pub(super) fn tells_format(text: &str) -> bool {
    static TAKES: LazyLock<Regex> = LazyLock::new(|| {
        expression(&format!(
            r"(?i)\b(?:takes?|accepts?|reads|wants?|expects?|needs?|handles|supports?|understands?|works? (?:on|with)|belongs?|holds?|is made of|consists? of|stands for|is meant for|is for)\s+(?:only\s+|just\s+|an?\s+|the\s+|one\s+|plain\s+|whole\s+|non-empty\s+)*(?:{TYPE}|utf-8|ascii|absolute|relative)\b"
        ))
    });
    static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)\bhexadecimal\b|\b(?:\d+|one|two|three|four|five|six|eight|ten|twelve|only|of) (?:\w+ )?(?:digits|letters|characters|decimals)\b",
            r"|\b(?:yyyy|hh:mm|iso[ -]?8601|rfc ?\d{4}|e\.164|base64|snake_case|kebab-case|camelcase|lower-?case|upper-?case)\b",
            r"|\b(?:leading|trailing|forward|begins? with|starts? with|ends? (?:in|with)|preceded by|followed by|separated by|in front|with an? (?:slash|colon|dash|dot|hash|hyphen))\b[^.;]{0,30}\b(?:slash(?:es)?|spaces?|blanks?|commas?|colons?|dots?|dash(?:es)?|hyphens?|zeros?|newlines?|letter|digit|protocol|scheme|not)\b",
            r"|\b(?:is|are) (?:written|spelled|counted|given) (?:like|as|in|from)\b|\b(?:looks?|look) like\b|\b(?:in|of) the form\b|\bsuch as\b|\bfor instance\b",
            r"|\bexactly\b|\b(?:is|are|be) exact\b|\bexact (?:text|spelling|copy|wording|form|case)\b|\bto the letter\b|\bverbatim\b|\b(?:case|blanks|spaces|tabs|indentation) (?:matters?|counts?)\b|\b(?:tabs?|spaces?|blanks?|indentation|line ends?|line endings?|line breaks?) (?:and|or|count|differ|included)\b",
        ))
    });
    TAKES.is_match(text) || WRITTEN.is_match(text) || sets_types_against_each_other(text)
}

/// "a number was awaited and a string came": in one sentence two types, of which one came and the other did not.
fn sets_types_against_each_other(text: &str) -> bool {
    static TYPES: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(strings?|texts?|numbers?|integers?|int|floats?|booleans?|bools?|arrays?|lists?|objects?|maps?|dicts?|null|mapping|sequence)\b",
        )
    });
    static CONTRAST: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:not|but|instead|where|got|came|received|was (?:sent|given|passed)|rather|found|is neither|has type|while|awaited|belongs)\b",
        )
    });
    text.split(['.', ';', '\n']).any(|sentence| {
        let types: BTreeSet<String> = TYPES
            .find_iter(sentence)
            .map(|found| found.as_str().trim_end_matches('s').to_ascii_lowercase())
            .collect();
        types.len() > 1 && CONTRAST.is_match(sentence) && !sentence.contains("operand")
    })
}

#[cfg(test)]
mod tests {
    use super::tells_format;

    #[test]
    fn two_types_are_a_hint_where_one_is_set_against_the_other() {
        assert!(tells_format("a number was awaited and a string came"));
        assert!(!tells_format("a number and a string"), "neither is wanted");
        assert!(!tells_format("a string came. A number as well"), "they stand in two sentences");
        assert!(!tells_format("unsupported operand: a string but a number"), "a program's own fault");
    }

    #[test]
    fn a_type_or_a_format_is_told_in_many_ways() {
        for text in [
            "a number was awaited and a string came",
            "tags: got an object where a list belongs",
            "port takes whole numbers",
            "this tool takes text in UTF-8",
            "six hexadecimal digits with a # in front",
            "matching is exact, tabs count as tabs",
            "ids look like t-12",
        ] {
            assert!(tells_format(text), "{text}");
        }
    }

    #[test]
    fn a_wrong_type_alone_tells_none() {
        for text in [
            "files has the wrong type (string)",
            "the input contains invalid characters",
            "'NoneType' object has no attribute",
            "the list could not be read",
            "Could not find exact match for edit:",
            "no such object",
        ] {
            assert!(!tells_format(text), "{text}");
        }
    }
}
