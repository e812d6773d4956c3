//! The rules as a document: RULES.md, and the page of one rule.

use std::fmt::Write as _;

use crate::finding::Level;

use super::{Example, Rule, Tier, all};

/// The text of RULES.md.
pub fn book() -> String {
    let mut text = String::from(
        "# The rules\n\nGenerated from the rules themselves; `UPDATE=1 cargo test -p mcp-errconf` \
         regenerates it.\n\nA rule's tier says when it applies: *ungated* rules apply to every reply; \
         *gated* rules apply only if a control succeeded, that is, a call that differs only in the fault; \
         *softened* rules apply at their own level if a control succeeded, and otherwise at Should. \
         Requirements such as `BC-05` come from the contract `bracket-code`; ids such as `A6` are this \
         project's [decisions](../conformance-cases/DECISIONS.md) where the documents are silent. Rules on \
         hints and clarity are quality judgements of this project and of the contract; they are not part of \
         the MCP specification.\n\n| rule | tier | level | triggers when |\n|---|---|---|---|\n",
    );
    for rule in all() {
        let anchor = rule.id.replace('/', "");
        let (tier, level) = (tier(rule.page().tier), level(rule.page().level));
        let _ = writeln!(text, "| [{}](#{anchor}) | {tier} | {level} | {} |", rule.id, rule.page().summary);
    }
    for rule in all() {
        text.push('\n');
        text.push_str(&page(rule));
    }
    text
}

/// The address of a rule's page in the published book; `None` if the package does not name its repository on GitHub.
pub fn address(rule: &Rule) -> Option<String> {
    let (owner, name) = env!("CARGO_PKG_REPOSITORY")
        .trim_end_matches('/')
        .strip_prefix("https://github.com/")?
        .split_once('/')?;
    Some(format!("https://{}.github.io/{name}/rules/{}.html", owner.to_lowercase(), rule.id))
}

/// The page of one rule, in Markdown.
pub fn page(rule: &Rule) -> String {
    let mut text = format!("## {}\n\n{}\n\n", rule.id, rule.page().summary);
    let (tier, level) = (tier(rule.page().tier), level(rule.page().level));
    let _ = writeln!(
        text,
        "*{tier}, {level}; {}.*\n\n{}\n",
        rule.page().requirements.join(", "),
        rule.page().text
    );
    example(&mut text, "Incorrect", &rule.page().bad);
    example(&mut text, "Correct", &rule.page().good);
    text
}

fn example(text: &mut String, title: &str, example: &Example) {
    let _ = writeln!(text, "{title}:\n\n```text\n> {}", example.call);
    let reply = if example.reply.is_empty() { "(nothing)" } else { &example.reply };
    let _ = writeln!(text, "< {reply}");
    if example.beside != "{}" {
        let _ = writeln!(text, "beside: {}", example.beside);
    }
    text.push_str("```\n\n");
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Ungated => "ungated",
        Tier::Gated => "gated",
        Tier::Softened => "softened",
        Tier::Run => "over a whole run",
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Note => "Note",
        Level::Should => "Should",
        Level::Must => "Must",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::book;

    #[test]
    fn rules_md_is_what_the_rules_say() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../RULES.md");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, book()).expect("RULES.md is written");
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == book(), "RULES.md is stale: UPDATE=1 cargo test -p mcp-errconf-rules rewrites it");
    }
}
