//! Decisions about language: a text that is not in English is not judged by its words.

use super::Asked;
use super::view::View;
use crate::pattern;
use crate::wording::language;

/// Whether only the grammar of a language that is not analysed could tell what a text says.
pub(super) fn is_foreign(view: &View<'_>, asked: &Asked<'_>) -> bool {
    let text = pattern!("text/quotation").replace_all(&view.echoed, " ");
    let is_name = |word: &str| {
        let is_it = |name: &&str| name.eq_ignore_ascii_case(word);
        asked.parameters.iter().any(is_it) || asked.tools.iter().any(is_it) || is_it(&asked.tool)
    };
    language::is_foreign(&text, is_name)
}
