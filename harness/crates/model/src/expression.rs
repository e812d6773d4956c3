//! Compiles our own regular expressions.
//!
//! The main function is [`expression`]. In a run, compiling costs more than searching, mostly because of the
//! Unicode tables for `\w`, `\d`, `\s` and `\b`. The words searched here are English, so these classes mean
//! ASCII. The caller's values may be in any script: expressions for masking these, and patterns of servers and
//! users, are compiled unchanged.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// An expression in which `\w`, `\d`, `\s` and `\b` mean ASCII.
pub fn expression(source: &str) -> Regex {
    Regex::new(&ascii(source)).expect("the expression is well-formed")
}

/// A set of such expressions that ignore case.
pub fn expressions(sources: impl IntoIterator<Item = impl AsRef<str>>) -> RegexSet {
    let sources = sources.into_iter().map(|source| ascii(source.as_ref()));
    RegexSetBuilder::new(sources).case_insensitive(true).build().expect("the expressions are well-formed")
}

/// The expression with its classes written out.
fn ascii(source: &str) -> String {
    let mut written = String::with_capacity(source.len() * 2);
    let mut letters = source.chars();
    let mut depth = 0_usize;
    while let Some(letter) = letters.next() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter != '\\' {
            written.push(letter);
            continue;
        }
        let escaped = letters.next().unwrap_or('\\');
        let members = match escaped.to_ascii_lowercase() {
            'w' => "0-9A-Za-z_",
            'd' => "0-9",
            's' => r"\t-\r\x20",
            _ if escaped == 'b' && depth == 0 => {
                written.push_str(r"(?-u:\b)");
                continue;
            }
            _ => {
                written.extend(['\\', escaped]);
                continue;
            }
        };
        match depth {
            // By itself the class holds both cases of its letters, and looking for more takes long.
            0 if escaped.is_ascii_uppercase() => written.extend(["(?-i:[^", members, "])"]),
            0 => written.extend(["(?-i:[", members, "])"]),
            _ if escaped.is_ascii_uppercase() => written.extend(["[^", members, "]"]),
            _ => written.push_str(members),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_written_out_inside_brackets_and_outside() {
        assert_eq!(ascii(r"\b\w+[\w.-]\d"), r"(?-u:\b)(?-i:[0-9A-Za-z_])+[0-9A-Za-z_.-](?-i:[0-9])");
        assert_eq!(ascii(r"[^\s\]]\s\[\S\\w"), r"[^\t-\r\x20\]](?-i:[\t-\r\x20])\[(?-i:[^\t-\r\x20])\\w");
        assert_eq!(ascii(r"\D[\W_]"), r"(?-i:[^0-9])[[^0-9A-Za-z_]_]");
    }

    #[test]
    fn what_is_matched_stays_whole_beside_other_scripts() {
        let found = expression(r"(?i)\bpath [\w.-]{1,20}").find("für path größe").map(|found| found.as_str());
        assert_eq!(found, Some("path gr"));
        assert!(expressions([r"\bno such\b"]).is_match("é: No such"));
    }
}
