//! The pages of the rules with findings: why each matters, what counts, a bad and a good reply.

use std::fmt::Write as _;

use crate::rules::{self, Example, Rule};

use super::markup::{level, text};
use super::{PageContent, index, prose};

/// Adds the pages in the order in which rules are listed.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let found = |rule: &&&Rule| content.index.rules.number(rule.id).is_some();
    let mut found = rules::all().iter().filter(found).peekable();
    if found.peek().is_none() {
        return;
    }
    page.push_str(
        "<section aria-labelledby=\"rules\">\n<h2 id=\"rules\">The rules behind these findings</h2>\n",
    );
    for rule in found {
        let (id, summary, element) = (text(rule.id), prose::inline(&rule.page.summary), index::rule(rule.id));
        let _ = writeln!(
            page,
            "<details class=\"rule\">\n<summary><code>{id}</code>: {summary}</summary>\n<div id=\"{element}\" class=\"b\">\n\
             <p>{}; {}.</p>",
            level(rule.level),
            text(&rule.requirements.join(", "))
        );
        prose::show(page, &rule.page.text);
        example(page, "Incorrect", &rule.page.bad);
        example(page, "Correct", &rule.page.good);
        page.push_str("</div>\n</details>\n");
    }
    page.push_str("</section>\n");
}

fn example(page: &mut String, title: &str, example: &Example) {
    let reply = if example.reply.is_empty() { "(nothing)" } else { &example.reply };
    let (call, reply) = (text(&example.call), text(reply));
    let _ = writeln!(page, "<p>{title}:</p>\n<pre>&gt; {call}\n&lt; {reply}</pre>");
}
