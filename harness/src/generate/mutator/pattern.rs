//! Expressions and patterns of names that are broken in many ways, or cost much.

use serde_json::json;

use super::super::compiled::TextRole;
use super::super::rng::Rng;
use super::ValueMutation;

const EXPRESSIONS: [(&str, &str); 30] = [
    ("a group that does not end", "(alpha"),
    ("an end without a group", "alpha)"),
    ("a class that does not end", "[a-z"),
    ("an empty class", "[]"),
    ("a class the wrong way round", "[z-a]"),
    ("nothing to repeat", "*alpha"),
    ("nothing to repeat twice", "a**"),
    ("a plus alone", "+"),
    ("a question mark alone", "?"),
    ("a count that does not end", "a{2"),
    ("a count the wrong way round", "a{3,1}"),
    ("a count that is too large", "a{1000000000}"),
    ("counts of counts", "(((a{100}){100}){100}){100}"),
    ("a backslash at its end", "alpha\\"),
    ("an unknown escape", "\\q"),
    ("an unknown class", "\\p{Nothing}"),
    ("a class of POSIX that is not there", "[[:nothing:]]"),
    ("a reference to no group", "(a)\\9"),
    ("a group whose name does not end", "(?P<name"),
    ("a name twice", "(?P<a>a)(?P<a>b)"),
    ("a flag that is not there", "(?z)a"),
    ("looking ahead", "(?=alpha)beta"),
    ("looking behind without a length", "(?<=a+)b"),
    ("a hexadecimal that does not end", "\\x4"),
    ("a code point that is none", "\\x{110000}"),
    ("a repetition of a repetition", "(a+)+$"),
    ("alternatives that overlap", "(a|a)*b"),
    ("anything, often", "(.*)*(.*)*(.*)*x"),
    ("nothing at all", "^$"),
    ("a NUL", "a\0b"),
];

const GLOBS: [(&str, &str); 20] = [
    ("a class that does not end", "[a-z"),
    ("an empty class", "[]"),
    ("an empty class that is denied", "[!]"),
    ("a class the wrong way round", "[z-a]"),
    ("a brace that does not end", "{a,b"),
    ("an end without a brace", "a,b}"),
    ("an empty brace", "{}"),
    ("braces in braces", "{a,{b,{c,{d,{e,f}}}}}"),
    ("many braces", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
    ("a backslash at its end", "notes\\"),
    ("three stars", "***"),
    ("stars in a name", "a**b"),
    ("many stars", "**/**/**/**/**/**/**/**/x"),
    ("many stars in one name", "*a*a*a*a*a*a*a*a*a*a*a*b"),
    ("a slash at its end", "**/"),
    ("nothing", ""),
    ("a blank", " "),
    ("an exclamation mark", "!*.txt"),
    ("a group", "@(a|b"),
    ("a NUL", "*\0*"),
];

pub(super) fn mutate(rng: &mut Rng, role: TextRole) -> ValueMutation {
    let (keyword, (label, text)) = match role {
        TextRole::Glob => ("glob", GLOBS[rng.below(GLOBS.len())]),
        _ => ("regex", EXPRESSIONS[rng.below(EXPRESSIONS.len())]),
    };
    ValueMutation::set(keyword, label, json!(text))
}
