//! What there is in place of what was sent: names that are listed, a tool or a parameter that is named.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::expression;
use crate::wording::echo::FILL;

/// Whether a text, echoes blank, names something else to use: several names behind a colon, or a tool or parameter in the
/// way that programs write names. `known` are names that say nothing new: the tool's and those of what was sent.
pub(super) fn names_another(text: &str, known: &[&str]) -> bool {
    lists_names(text) || names_identifier(text, known) || sets_apart(text)
}

/// "Running tasks: 3, 4", "columns of users: id, name", "two branches: main-v1 and main-v2".
fn lists_names(text: &str) -> bool {
    static LIST: LazyLock<Regex> = LazyLock::new(|| {
        let item = r#"["'`]?[\w./*@\x1a-]*[\w/*\x1a][\w./*@\x1a-]*["'`]?"#;
        let plural = r"(?:[a-z]{2,}s|are|include|one of|these|there is|has)";
        expression(&format!(
            r"(?i)\b{plural}\b[^.:;\n]{{0,30}}:\s*(?P<items>[\[(]?{item}(?:(?:\s*,\s*|\s+(?:and|or)\s+|\s*\|\s*|,\s*(?:and|or)\s+){item})*)(?P<after>[\s.;)\]]|\z)"
        ))
    });
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(?i)\b(?:errors|details|occurs|failures|arguments|issues|problems|params|parameters|process|access|status|unless|bytes|this|stages)\b[^:]{0,30}:$",
        )
    });
    LIST.captures_iter(text).any(|found| {
        let items = found.name("items").expect("the group always takes part");
        let head = &text[found.get(0).expect("group 0 is the match").start()..items.start()];
        let listed: Vec<&str> = items
            .as_str()
            .split([',', '|'])
            .flat_map(|part| part.split(" and "))
            .flat_map(|part| part.split(" or "))
            .map(|part| part.trim().trim_matches(['"', '\'', '`', '[', ']', '(', ')']))
            .collect();
        let nothing = ["none", "nothing", "empty", "null", "nil", "0", "n/a", "-"];
        // An empty item is left out with the echoes: it has no letter but theirs.
        let told = listed.iter().filter(|item| {
            !nothing.contains(&item.to_ascii_lowercase().as_str())
                && !item.chars().all(|c| c == char::from(FILL))
        });
        told.count() > 1 && !LABEL.is_match(head.trim_end())
    })
}

/// A name of several parts that was not sent: "list_folder shows what exists".
fn names_identifier(text: &str, known: &[&str]) -> bool {
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| expression(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]{2,}[a-z0-9]*(?:[A-Z][a-z0-9]+)+"));
    static SPEAKS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)\A["'`]?(?:\s*[:=]\s*(?:true|false|\d)|,? (?:is (?:the|for|what)|shows?|lists?|starts?|opens?|finds?|tells?|gives?|returns?|creates?|reads?|unlocks?|first|does|can|allows?|lets?|takes?|accepts?|helps?|before|instead|to \w+)\b)"#,
        )
    });
    static LEADS: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)\b(?:with|use|using|via|through|call|calling|run|try|by|from|or|and|see|set|pass|send|need|needs|of|to|there is|there are) (?:the )?(?:tool |parameter |option )?["'`]?\z"#,
        )
    });
    NAME.find_iter(text).any(|found| {
        let (before, after) = (&text[..found.start()], &text[found.end()..]);
        let torn = before
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ':' | '\u{1a}'))
            || after
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-' | '(' | '\u{1a}'))
            || after.starts_with('.') && after[1..].starts_with(|c: char| c.is_alphanumeric());
        let new = !known.contains(&found.as_str());
        new && !torn && (SPEAKS.is_match(after) || LEADS.is_match(before))
    })
}

/// "/srv/mian.rs is not there. /srv/main.rs is.", "the newest one is 61", "it is called 'recursive'".
fn sets_apart(text: &str) -> bool {
    static APART: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r"(?i)[\w-]*[/.][\w./-]*\w (?:is|does|exists|is there|would fit)(?:[.!]|\z)",
            r#"|\b(?:newest|latest|last|oldest|first|only|largest|smallest|highest|lowest|nearest|closest|next) (?:one |\w+ )?(?:is|are|was|being)\s+["'`]?\w"#,
            r#"|\b(?:it|this|that|which|one|parameter|name|field|option|tool|mode) (?:is|are) (?:now )?(?:called|named|spelled|known as) ["'`]?\w"#,
            r"|\b(?:exclude|rule out) each other\b|\b(?:not|never|cannot be) (?:\w+ )?(?:together|combined|at once)\b|\bone or the other\b",
        ))
    });
    APART.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::names_another;

    #[test]
    fn names_that_there_are_and_ways_to_go_are_named() {
        for text in [
            "No task. Running tasks: 3, 4.",
            "no such column (columns of users: id, name, mail)",
            "it fits two branches: main-v1 and main-v2",
            "list_folder shows what exists",
            "start one with openSession",
            "/srv/mian.rs is not there. /srv/main.rs is.",
            "The newest one is 61.",
            "since and between exclude each other",
        ] {
            assert!(names_another(text, &["view"]), "{text}");
        }
    }

    #[test]
    fn a_name_within_a_path_a_call_or_a_longer_name_is_none() {
        for text in ["with list_folder.", "use `list_folder`", "list_folder, shows it", "list_folder = 3"] {
            assert!(names_another(text, &["view"]), "{text}");
        }
        for text in [
            "with list_folder.rs",
            "with list_folder/x",
            "with list_folder-x",
            "with list_folder(x)",
            "with list_folderX",
            "/list_folder shows it",
            "x.list_folder shows it",
            "-list_folder shows it",
            "Xlist_folder shows it",
            "a:list_folder shows it",
            "\u{1a}list_folder shows it",
            "with list_folder\u{1a}",
        ] {
            assert!(!names_another(text, &["view"]), "{text}");
        }
    }

    #[test]
    fn what_the_caller_sent_is_no_other_name() {
        assert!(names_another("Running tasks: t3, t4", &["view"]));
        assert!(!names_another("Running tasks: \u{1a}, t4", &["view"]));
        assert!(!names_another("Running tasks: \u{1a}\u{1a}, -, t4", &["view"]));
    }

    #[test]
    fn an_empty_list_and_the_tools_own_name_are_no_other_names() {
        for text in [
            "No task. Running tasks: (none)",
            "Running tasks: none",
            "Running tasks: none, t4",
            "Running tasks: null, nil, 0, t4",
            "get_note failed to do it",
            "get_note shows it",
            "old_str occurs in no_such_file",
            "2 errors: failed, stopped",
        ] {
            assert!(!names_another(text, &["get_note", "old_str"]), "{text}");
        }
    }
}
