//! The pages of the rules with findings: why each matters, what counts, a bad and a good reply.

use maud::{Markup, html};

use crate::rules::{self, Example, Rule};

use super::{PageContent, index, words};

/// The rules with findings, in the order in which rules are listed.
pub(super) fn found(content: &PageContent<'_>) -> Vec<&'static Rule> {
    let is_found = |rule: &&Rule| content.index.rules.number(rule.id).is_some();
    rules::all().iter().copied().filter(is_found).collect()
}

/// Their pages.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let found = found(content);
    html! {
        @if !found.is_empty() {
            section.aside aria-labelledby="rules" {
                h2 #rules { "Rules with findings" }
                @for rule in found {
                    details.rule {
                        summary { code { (rule.id) } ": " (words::emphasis(&rule.page().summary)) }
                        div.b id=(index::rule(rule.id)) {
                            p.soft { (words::level(rule.page().level)) "; " (rule.page().requirements.join(", ")) }
                            (words::markdown(&rule.page().text))
                            (example("Incorrect", &rule.page().bad))
                            (example("Correct", &rule.page().good))
                        }
                    }
                }
            }
        }
    }
}

fn example(title: &str, example: &Example) -> Markup {
    let reply = if example.reply.is_empty() { "(nothing)" } else { &example.reply };
    html! {
        p { (title) ":" }
        pre { "> " (example.call) "\n< " (reply) }
    }
}
