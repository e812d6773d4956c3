//! From a pattern to a matcher, or to the compiler's reason why there is none.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use crate::failure::{Code, Failure, Quoted};

/// Compiles a pattern for a search line by line.
pub(in crate::tools) fn compile(pattern: &str, case_insensitive: bool) -> Result<RegexMatcher, Failure> {
    RegexMatcherBuilder::new()
        .case_insensitive(case_insensitive)
        .line_terminator(Some(b'\n'))
        .build(pattern)
        .map_err(|error| {
            let failure = Failure::new(
                Code::GrepInvalidPattern,
                format!("The pattern {} is not a valid regular expression", Quoted(pattern)),
            );
            failure.about(pattern).because(reason(pattern)).hint(hint(pattern)).caused_by(error)
        })
}

/// The parser tells its reason apart from the drawing that its error text is.
fn reason(pattern: &str) -> String {
    match regex_syntax::parse(pattern) {
        Err(regex_syntax::Error::Parse(error)) => {
            format!("{}, at character {}", error.kind(), error.span().start.offset_in(pattern))
        }
        Err(regex_syntax::Error::Translate(error)) => {
            format!("{}, at character {}", error.kind(), error.span().start.offset_in(pattern))
        }
        Ok(_) if pattern.contains('\n') || pattern.contains("\\n") => {
            "a search goes line by line, so no line end can be part of a match".to_owned()
        }
        _ => "it is too large once compiled".to_owned(),
    }
}

fn hint(pattern: &str) -> &'static str {
    if pattern.contains("(?=") || pattern.contains("(?!") || pattern.contains("(?<") {
        "Write it without look-around, or filter the lines of a plainer pattern."
    } else {
        "Put a backslash before a character of ( ) [ ] { } * + ? that is meant as itself."
    }
}

trait OffsetIn {
    fn offset_in(&self, pattern: &str) -> usize;
}

impl OffsetIn for regex_syntax::ast::Position {
    /// Counted in characters from 1, as a person counts.
    fn offset_in(&self, pattern: &str) -> usize {
        pattern.get(..self.offset).map_or(self.offset, |before| before.chars().count()) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, words: &str) {
        let failure = compile(pattern, false).unwrap_err();
        assert_eq!(failure.code, Code::GrepInvalidPattern);
        assert!(failure.what.contains(pattern), "{}", failure.what);
        let reason = failure.reason.unwrap_or_default();
        assert!(reason.contains(words), "{reason}");
    }

    #[test]
    fn an_invalid_pattern_is_reported_with_the_parsers_reason_and_its_place() {
        check("[unclosed", "unclosed character class, at character 1");
        check("ä(", "unclosed group, at character 2");
        check("*a", "repetition operator missing expression");
        check("(?<=a)b", "look-around");
        check(r"\p{Nonsense}", "property");
        check("a\nb", "line by line");
        check("(((a{1000}){1000}){1000})", "too large");
    }
}
