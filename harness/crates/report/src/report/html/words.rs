//! The words of the page: text with code in backticks as markup, the rules' pages in Markdown, and levels.

use maud::{Markup, html};

use crate::finding::Level;

/// The pieces of a text, plain ones and code in turns. A backtick without a partner is part of the text.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((plain, marked)) = rest.split_once('`')
        && let Some((code, after)) = marked.split_once('`')
    {
        pieces.extend([plain, code]);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// A text in which a server's words may occur.
pub(super) fn words(text: &str) -> Markup {
    html! {
        @for (index, piece) in pieces(text).into_iter().enumerate() {
            @if index % 2 == 1 { code { (piece) } } @else { (piece) }
        }
    }
}

/// The same as a sentence of its own: it begins with a capital letter, unless it begins with code.
pub(super) fn sentence(text: &str) -> Markup {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    words(&format!("{first}{}", letters.as_str()))
}

/// A paragraph for each line.
pub(super) fn lines(text: &str) -> Markup {
    html! { @for line in text.lines() { p { (words(line)) } } }
}

/// Our own Markdown: paragraphs, lists, code and emphasis, which is all that the rules' pages contain.
pub(super) fn markdown(page: &str) -> Markup {
    html! {
        @for block in page.trim().split("\n\n") {
            @let (before, items) = items(block);
            @if !before.is_empty() { p { (emphasis(&before)) } }
            @if !items.is_empty() {
                ul { @for item in &items { li { (emphasis(item)) } } }
            }
        }
    }
}

/// The text of a block before its list, and the list's items.
fn items(block: &str) -> (String, Vec<String>) {
    let (mut before, mut items): (String, Vec<String>) = (String::new(), Vec::new());
    for line in block.lines() {
        match (line.strip_prefix("- "), items.last_mut()) {
            (Some(item), _) => items.push(item.to_owned()),
            (None, Some(item)) => {
                item.push(' ');
                item.push_str(line.trim());
            }
            (None, None) => {
                if !before.is_empty() {
                    before.push(' ');
                }
                before.push_str(line.trim());
            }
        }
    }
    (before, items)
}

/// A line with code in backticks, and emphasis in asterisks elsewhere.
pub(super) fn emphasis(line: &str) -> Markup {
    html! {
        @for (index, piece) in pieces(line).into_iter().enumerate() {
            @if index % 2 == 1 {
                code { (piece) }
            } @else {
                @for (index, part) in piece.split("**").enumerate() {
                    @if index % 2 == 1 { strong { (part) } } @else { (part) }
                }
            }
        }
    }
}

/// A level as it is written in sentences.
pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "Must",
        Level::Should => "Should",
        Level::Note => "Note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_code_and_emphasis_are_marked() {
        let page = markdown("One `a<b`\ntwo.\n\n**Counts:** this:\n- first\n  goes on;\n- second `**x**`.");
        assert_eq!(
            page.into_string(),
            "<p>One <code>a&lt;b</code> two.</p><p><strong>Counts:</strong> this:</p><ul><li>first goes on;</li>\
             <li>second <code>**x**</code>.</li></ul>"
        );
    }

    #[test]
    fn a_backtick_without_a_partner_and_stars_in_a_servers_words_stay() {
        assert_eq!(words("a `b` **c** `d").into_string(), "a <code>b</code> **c** `d");
        assert_eq!(sentence("état `x`").into_string(), "État <code>x</code>");
    }

    #[test]
    fn no_page_of_a_rule_has_other_markdown() {
        for rule in crate::rules::all() {
            for block in rule.page().text.split("\n\n") {
                assert!(
                    !block.starts_with(['#', '|', '>']) && !block.contains("```"),
                    "{}: {block}",
                    rule.id
                );
                assert_eq!(block.matches('`').count() % 2, 0, "{}: {block}", rule.id);
            }
        }
    }
}
