//! Decisions about language: a text that is not in English is not judged by its words.

use std::sync::LazyLock;

use regex::Regex;

use super::Asked;
use super::view::View;
use crate::expression::expression;
use crate::wording::language;

/// Whether only the grammar of a language that is not analysed could tell what a text says.
pub(super) fn is_foreign(view: &View<'_>, asked: &Asked<'_>) -> bool {
    // Quotations, and names written like identifiers. In scripts without spaces a name may be next to a letter.
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r#"["`][^"`\n]*["`]|[\x{201c}\x{201e}][^\x{201d}\x{201c}\n]*[\x{201d}\x{201c}]|\x{ab}[^\x{bb}\n]*\x{bb}"#,
            r"|\x{bb}[^\x{ab}\n]*\x{ab}|\x{300c}[^\x{300d}\n]*\x{300d}",
            r"|[!-~\x1a]*[\x1a_/\\.@:][!-~\x1a]+",
        ))
    });
    let text = NAMES.replace_all(&view.echoed, " ");
    let is_name = |word: &str| {
        let is_it = |name: &&str| name.eq_ignore_ascii_case(word);
        asked.parameters.iter().any(is_it) || asked.tools.iter().any(is_it) || is_it(&asked.tool)
    };
    language::is_foreign(&text, is_name)
}
