//! Regular expressions and globs that are invalid in many ways, or expensive.

use serde_json::json;

use super::super::compiled::TextRole;
use super::super::rng::Rng;
use super::ValueMutation;

const EXPRESSIONS: [(&str, &str); 30] = [
    ("an unclosed group", "(alpha"),
    ("an unmatched closing parenthesis", "alpha)"),
    ("an unclosed character class", "[a-z"),
    ("an empty character class", "[]"),
    ("a reversed range", "[z-a]"),
    ("nothing to repeat", "*alpha"),
    ("a doubled quantifier", "a**"),
    ("a plus alone", "+"),
    ("a question mark alone", "?"),
    ("an unclosed quantifier", "a{2"),
    ("a reversed quantifier", "a{3,1}"),
    ("a huge quantifier", "a{1000000000}"),
    ("nested quantifiers", "(((a{100}){100}){100}){100}"),
    ("a trailing backslash", "alpha\\"),
    ("an unknown escape", "\\q"),
    ("an unknown Unicode class", "\\p{Nothing}"),
    ("an unknown POSIX class", "[[:nothing:]]"),
    ("a back-reference to a missing group", "(a)\\9"),
    ("an unterminated group name", "(?P<name"),
    ("a duplicate group name", "(?P<a>a)(?P<a>b)"),
    ("an unknown flag", "(?z)a"),
    ("a look-ahead", "(?=alpha)beta"),
    ("a look-behind of unbounded length", "(?<=a+)b"),
    ("a truncated hexadecimal escape", "\\x4"),
    ("a code point out of range", "\\x{110000}"),
    ("a nested repetition", "(a+)+$"),
    ("overlapping alternatives", "(a|a)*b"),
    ("many repeated wildcards", "(.*)*(.*)*(.*)*x"),
    ("a pattern that matches only the empty string", "^$"),
    ("a NUL", "a\0b"),
];

const GLOBS: [(&str, &str); 20] = [
    ("an unclosed character class", "[a-z"),
    ("an empty character class", "[]"),
    ("an empty negated class", "[!]"),
    ("a reversed range", "[z-a]"),
    ("an unclosed brace", "{a,b"),
    ("an unmatched closing brace", "a,b}"),
    ("an empty brace", "{}"),
    ("nested braces", "{a,{b,{c,{d,{e,f}}}}}"),
    ("many braces", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
    ("a trailing backslash", "notes\\"),
    ("three stars", "***"),
    ("two stars within a path segment", "a**b"),
    ("many stars", "**/**/**/**/**/**/**/**/x"),
    ("many stars in one path segment", "*a*a*a*a*a*a*a*a*a*a*a*b"),
    ("a trailing slash", "**/"),
    ("an empty pattern", ""),
    ("a single space", " "),
    ("an exclamation mark", "!*.txt"),
    ("an unclosed extended glob", "@(a|b"),
    ("a NUL", "*\0*"),
];

pub(super) fn mutate(rng: &mut Rng, role: TextRole) -> ValueMutation {
    let (keyword, (label, text)) = match role {
        TextRole::Glob => ("glob", GLOBS[rng.below(GLOBS.len())]),
        _ => ("regex", EXPRESSIONS[rng.below(EXPRESSIONS.len())]),
    };
    ValueMutation::set(keyword, label, json!(text))
}
