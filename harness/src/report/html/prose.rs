//! Converts the Markdown of the rules' pages: paragraphs, lists, code and emphasis, which is all they contain.

use std::fmt::Write as _;

use super::markup::text;

/// Adds a page.
pub(super) fn show(page: &mut String, markdown: &str) {
    for block in markdown.trim().split("\n\n") {
        let (before, items) = items(block);
        if !before.is_empty() {
            let _ = writeln!(page, "<p>{}</p>", inline(&before));
        }
        if !items.is_empty() {
            page.push_str("<ul>\n");
            for item in items {
                let _ = writeln!(page, "<li>{}</li>", inline(&item));
            }
            page.push_str("</ul>\n");
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
pub(super) fn inline(line: &str) -> String {
    let mut shown = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 1 {
            let _ = write!(shown, "<code>{}</code>", text(part));
            continue;
        }
        for (index, part) in part.split("**").enumerate() {
            match index % 2 {
                1 => {
                    let _ = write!(shown, "<strong>{}</strong>", text(part));
                }
                _ => shown.push_str(&text(part)),
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_code_and_stress_are_marked() {
        let mut page = String::new();
        show(&mut page, "One `a<b`\ntwo.\n\n**Counts:** this:\n- first\n  goes on;\n- second `**x**`.");
        assert_eq!(
            page,
            "<p>One <code>a&lt;b</code> two.</p>\n<p><strong>Counts:</strong> this:</p>\n<ul>\n<li>first goes \
             on;</li>\n<li>second <code>**x**</code>.</li>\n</ul>\n"
        );
    }

    #[test]
    fn no_page_of_a_rule_has_more_than_that() {
        for rule in crate::rules::all() {
            for block in rule.page.text.split("\n\n") {
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
