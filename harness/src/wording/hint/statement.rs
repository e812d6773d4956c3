//! A statement of how things are, as a rule and not in this one case: "Volume goes from 0 to 11", "An email address has an
//! @ in it", "s, m, l and xl". Nobody says it but to tell what to send.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;

/// Whether a text, echoes blank, states a rule.
pub(super) fn states_rule(text: &str) -> bool {
    is_general(text) || enumerates(text) || RANGE.is_match(text) || answers_the_refusal(text)
}

/// "from 0 to 11", "(1-40)", "3 down to 1".
static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)\bfrom -?\d[\d.]* (?:to|up to|down to|through|until) -?\d|\(-?\d+ ?(?:-|\u{2013}|to) ?-?\d+\)|\bbetween -?\d",
    )
});

/// A sentence about all of a kind, in the present: its subject is a plural without an article, or has `a`, `every`, `each`.
fn is_general(text: &str) -> bool {
    static GENERAL: LazyLock<Regex> = LazyLock::new(|| {
        let verb = r"(?:go|goes|begins?|starts?|ends?|runs?|have|has|takes?|holds?|needs?|comes?|stands?|lies?|lives?|uses?|contains?|consists?|looks?|includes?|follows?|belongs?|counts?|stops?|allows?|accepts?|supports?|are (?:written|given|counted|named|called|numbered|relative|absolute|resolved|returned|listed|made|read|taken|sent|separated|case|exact|strings?|numbers?|one|either|kept|plain|only))";
        expression(&format!(
            r"(?:^|[.;:(]\s+|\n|, )(?:(?i:an?|every|each|all|both) (?:\w+ ){{0,2}}[a-z]{{2,}}|(?:[A-Z][a-z]{{2,}}|[a-z]{{3,}}) ?(?:ids?|names?|files?|paths?)?) (?P<verb>{verb})\b(?P<behind>[^.;\n]*)"
        ))
    });
    GENERAL.captures_iter(text).any(|found| {
        let whole = found.get(0).expect("group 0 is the match").as_str();
        let subject = whole[..whole.len() - found["behind"].len() - found["verb"].len()]
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_ascii_lowercase();
        let general =
            ["a ", "an ", "every ", "each ", "all ", "both "].iter().any(|word| subject.starts_with(word));
        let plural = subject.ends_with('s') && !subject.ends_with("ss") && !is_singular(&subject);
        let fails =
            [" no ", " not ", "n't", " failed", " error", "exception", "unexpected", " wrong", " occurred"]
                .iter()
                .any(|word| whole.to_ascii_lowercase().contains(word));
        (general || plural) && !fails && !found["behind"].trim().is_empty()
    })
}

/// Words that end in `s` and are no plural, or whose plural tells of what failed.
fn is_singular(word: &str) -> bool {
    const WORDS: [&str; 17] = [
        "this",
        "is",
        "was",
        "has",
        "its",
        "his",
        "as",
        "us",
        "yes",
        "always",
        "details",
        "errors",
        "problems",
        "occurs",
        "does",
        "matches",
        "occurrences",
    ];
    WORDS.contains(&word)
}

/// Three or more words side by side: "s, m, l and xl".
fn enumerates(text: &str) -> bool {
    static ITEMS: LazyLock<Regex> = LazyLock::new(|| {
        let item = r#"["'`]?[\w.*-]+["'`]?"#;
        expression(&format!(
            r#"(?i)(?:\A|[\s(\[])(?P<items>{item}(?:, ?{item})+(?:,? (?:and|or) {item}|, ?{item}))(?:[\s.;)\]]|\z)"#
        ))
    });
    const RUNNING: [&str; 20] = [
        "however", "but", "so", "then", "please", "which", "it", "the", "sorry", "and", "or", "not", "that",
        "this", "to", "failed", "error", "denied", "none", "no",
    ];
    ITEMS.captures_iter(text).any(|found| {
        let items = found["items"].to_ascii_lowercase();
        let words: Vec<&str> = items.split([',', ' ']).filter(|word| !word.is_empty()).collect();
        let running = words[..words.len() - 1].iter().filter(|word| !matches!(**word, "and" | "or"));
        let in_words = words
            .iter()
            .any(|word| !matches!(*word, "and" | "or") && !word.starts_with(|c: char| c.is_ascii_digit()));
        in_words && running.into_iter().all(|word| !RUNNING.contains(word) && !word.ends_with("ed"))
    })
}

/// "... does not exist, content and count do": what is refused is set against what is not.
fn answers_the_refusal(text: &str) -> bool {
    static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:not|no|cannot|n't|unknown|unsupported)\b[^.;]*[.;,] ?(?:but )?(?:[\w.'\x22`*-]+ ?(?:,|and|or)? ?){1,6}\b(?:do|does|can|are|is|will|exists?)(?:[.!]|\z)",
        )
    });
    ANSWER.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::states_rule;

    #[test]
    fn a_rule_is_told_as_one() {
        for text in [
            "Volume goes from 0 to 11.",
            "An email address has an @ in it",
            "What is huge? Sizes go by s, m, l and xl.",
            "the table has name, age, city.",
            "it leaves the repository. Paths begin at its root",
            "that mode does not exist, content and count do",
            ".heic files cannot be opened, .jpg and .png can.",
            "outside file bounds (1-40)",
            "what is huge? green, blue and red",
        ] {
            assert!(states_rule(text), "{text}");
        }
    }

    #[test]
    fn a_rule_may_be_told_of_ids_names_files_and_paths() {
        for subject in [
            "Task ids",
            "File names",
            "Log files",
            "Relative paths",
            "Sizes",
            "Every size",
            "An id",
            "Both kinds",
        ] {
            assert!(states_rule(&format!("{subject} begin with a letter")), "{subject}");
        }
        for subject in ["Access", "The size", "Always", "Size"] {
            assert!(!states_rule(&format!("{subject} begins with a letter")), "{subject}");
        }
        assert!(!states_rule("Sizes begin."), "nothing is said of them");
    }

    #[test]
    fn what_is_so_in_this_case_is_no_rule() {
        for text in [
            "The message has 4,812 tokens.",
            "Errors have occurred",
            "This has failed",
            "This has two lines.",
            "Details are given below.",
            "x, y",
            "1, 2 and 3",
            "Sorry, but user 9 could not be found",
            "The text stands in lines 4, 18 and 40.",
            "nothing to commit, working tree clean",
            "it was refused, denied, and dropped",
            "stopped, cleaned, and closed",
            "it is gone, sorry, and lost",
            "A problem has occurred with an unexpected error",
        ] {
            assert!(!states_rule(text), "{text}");
        }
    }
}
