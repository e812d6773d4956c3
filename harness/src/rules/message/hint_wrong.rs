//! `message/hint-wrong`: the hint of a message does not help.

use std::cell::LazyCell;
use std::sync::LazyLock;

use regex::Regex;

use crate::exchange::Expected;
use crate::finding::{Breach, Evidence, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};
use crate::wording::mention;

/// BC-14: following the hint succeeds.
pub(crate) static RULE: Rule = Rule {
    id: "message/hint-wrong",
    tier: Tier::Gated,
    level: Level::Must,
    requirements: &["BC-14"],
    summary: "a hint was followed and did not help, or it names a tool or parameter that does not exist",
    page: r#"A wrong hint is worse than none: the model follows it, fails again, and trusts the next one less.

**Counts:** a call that did exactly what the earlier reply hinted at (a parameter to set, a listed value to send) and is
refused, or of which an editor says that it succeeded while no file changed; a message that says to use a tool which the server does not list, where it unmistakably speaks of a tool
("use the `list_dir` tool"), or to set a parameter to true or false that no tool of the server has. Should: "use
list_files", a name with an underscore, or `listFiles` in backticks, that stands nowhere in the server's list of tools.

**Does not count:** words in a sentence that happen to look like a name.

**To mend it:** hint at what the server accepts; build lists of valid values from the same table that checks them."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] /workspace/missing.txt does not exist. Use the `list_dir` tool first."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-not-found", "value": {"path": "/workspace/missing.txt"}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/missing.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[PATH_NOT_FOUND] /workspace/missing.txt does not exist. Use the `grep` tool first."}],"isError":true}}"#,
        expected: r#"{"failure": {"condition": "path-not-found", "value": {"path": "/workspace/missing.txt"}, "hint": null, "valid_values_of": null}}"#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    if scene.is_follow() {
        return followed(scene).into_iter().collect();
    }
    let Some(error) = scene.error else { return Vec::new() };
    if scene.expected_failure().is_none() {
        return Vec::new();
    }
    absent_tool(scene, &error.text)
        .or_else(|| absent_parameter(scene, &error.text))
        .or_else(|| absent_name(scene, &error.text))
        .into_iter()
        .collect()
}

/// The call did what the hint said, and was refused, or nothing came of it.
fn followed(scene: &Scene<'_>) -> Option<Breach> {
    let Expected::Success { why, changes_file, .. } = &scene.exchange.place.expected else { return None };
    let is_idle = *changes_file && scene.answered_without_error() && scene.exchange.changes.is_empty();
    let then = match scene.error {
        Some(_) => "is refused",
        None if is_idle => "is answered as a success, though no file changed",
        None => return None,
    };
    let message = format!("a hint of `{}` does not help: {why}, and {then}", scene.called());
    let mut breach = Breach::new(
        message,
        "Hint at what the server accepts: take names and values from the same place that checks them.",
    );
    breach.evidence = scene.reply();
    Some(breach)
}

/// The message says to use a tool that the server does not list.
fn absent_tool(scene: &Scene<'_>, text: &str) -> Option<Breach> {
    static TOOL: LazyLock<Regex> = LazyLock::new(|| {
        let name =
            r"[`'\x22]?(?P<NAME>[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[`'\x22][a-z]{3,40})[`'\x22]?";
        let one =
            format!(r"(?i)\b(?:use|try|call|run|with)\s+(?:the\s+)?{}\s+tool\b", name.replace("NAME", "a"));
        let two = format!(r"(?i)\b(?:use|try|call|run)\s+(?:the\s+)?tool\s+{}", name.replace("NAME", "b"));
        Regex::new(&format!("{one}|{two}")).expect("the expression is well-formed")
    });
    let catalog = &scene.head.catalog;
    // Few messages speak of a tool at all: only for these is it looked for what was sent.
    let echo = LazyCell::new(|| scene.echo().spans(text));
    // Of a recording without `tools/list` nothing is known.
    if catalog.tools.is_empty() {
        return None;
    }
    let found = TOOL.captures_iter(text).find_map(|found| {
        let name = found.name("a").or_else(|| found.name("b"))?;
        let plain = name.as_str().trim_matches(['`', '\'', '"']);
        let sent = echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        let listed =
            catalog.tools.iter().any(|tool| tool.name == plain || tool.name.ends_with(&format!("_{plain}")));
        (!listed && !sent).then_some((plain, name.range()))
    });
    let (name, span) = found?;
    let names: Vec<&str> = catalog.tools.iter().map(|tool| tool.name.as_str()).take(20).collect();
    let message = format!("the message says to use the tool `{name}`, which this server does not list");
    let help = format!("Name a tool that `tools/list` lists: {}.", names.join(", "));
    Some(Breach::new(message, help).evidence(Evidence::marked(text, span)))
}

/// The message says to set a parameter that no tool has, at no depth of its schema.
fn absent_parameter(scene: &Scene<'_>, text: &str) -> Option<Breach> {
    static FLAG: LazyLock<Regex> = LazyLock::new(|| {
        let name = r"(?P<name>[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)";
        let before = r"(?i:set|pass|use|send|with|add)\s+(?:the\s+)?[`'\x22]?";
        Regex::new(&format!(r"\b{before}{name}[`'\x22]?\s*(?::|=|to\b)\s*(?:true|false)\b"))
            .expect("the expression is well-formed")
    });
    let tools = &scene.head.catalog.tools;
    // Few messages speak of a tool at all: only for these is it looked for what was sent.
    let echo = LazyCell::new(|| scene.echo().spans(text));
    let (name, span) = FLAG.captures_iter(text).find_map(|found| {
        let name = found.name("name")?;
        let sent = echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        let member = format!("\"{}\"", name.as_str());
        let known = tools.iter().any(|tool| tool.input_schema.to_string().contains(&member));
        (!known && !sent && !tools.is_empty()).then(|| (name.as_str(), name.range()))
    })?;
    let message = format!("the message says to set `{name}`, which is a parameter of no tool of this server");
    let help = format!("Name a parameter that `{}` has in its `inputSchema`.", scene.called());
    Some(Breach::new(message, help).evidence(Evidence::marked(text, span)))
}

/// The message says to use a name, written as programs write names, that stands nowhere in the server's list of tools.
fn absent_name(scene: &Scene<'_>, text: &str) -> Option<Breach> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        let snake = r"(?P<a>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)";
        let quoted = r"`(?P<b>[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)`";
        // Behind it no file's ending, no path, no value.
        Regex::new(&format!(
            r"\b(?i:use|call|try)\s+(?:the\s+)?(?:{snake}|{quoted})(?:[\s,;:!?()]|\.\s|\.?\z)"
        ))
        .expect("the expression is well-formed")
    });
    let tools = &scene.head.catalog.tools;
    // Few messages speak of a tool at all: only for these is it looked for what was sent.
    let echo = LazyCell::new(|| scene.echo().spans(text));
    let (name, span) = NAME.captures_iter(text).find_map(|found| {
        let name = found.name("a").or_else(|| found.name("b"))?;
        let sent = echo.iter().any(|span| span.start <= name.start() && name.end() <= span.end);
        let known = name.as_str() == "snake_case"
            || tools.iter().any(|tool| {
                tool.name.ends_with(name.as_str())
                    || mention::stands_in(&tool.description, name.as_str())
                    || mention::stands_in(&tool.input_schema.to_string(), name.as_str())
            });
        (!known && !sent && !tools.is_empty()).then(|| (name.as_str(), name.range()))
    })?;
    let message =
        format!("the message says to use `{name}`, which is no tool, parameter or value of this server");
    let help = "Name a tool that `tools/list` lists, or a parameter or value of its `inputSchema`.";
    Some(Breach::new(message, help).evidence(Evidence::marked(text, span)).level(Level::Should))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::{Expected, Outcome, Step};
    use crate::rules::stage::Stage;

    fn failure() -> Expected {
        serde_json::from_value(json!({"failure": {"condition": "path-not-found", "value": null, "hint": null, "valid_values_of": null}})).expect("an expectation")
    }

    fn check(text: &str, breaches: usize) {
        let stage = Stage::refusal(text, &json!({"path": "use the `x_y` tool"}), failure());
        assert_eq!(super::check(&stage.scene()).len(), breaches, "{text}");
    }

    #[test]
    fn only_what_is_unmistakably_a_tool_is_held_against_the_catalog() {
        check("No such file. Use the list_dir tool first.", 1);
        check("No such file. Call tool `list_dir`.", 1);
        check("No such file. Use the grep tool.", 0);
        check("No such file. Use the right tool.", 0);
        check("No file 'use the `x_y` tool'.", 0);
    }

    #[test]
    fn a_name_of_a_program_that_the_catalog_does_not_hold_is_a_wrong_hint() {
        check("No such file. Use list_files to see what exists.", 1);
        check("No task. Call `list_tasks`.", 1);
        check("No task. Call `listTasks`.", 1);
        for text in [
            "Use task_output first.",
            "Use old_str exactly as it stands.",
            "Try output_mode 'count'.",
            "Use `ls` to look.",
            "Use the right_file.txt instead.",
            "Use my_folder/a instead.",
            "Use replace_all.",
            "Use LIST_FILES.",
            "Use snake_case names.",
        ] {
            check(text, 0);
        }
    }

    #[test]
    fn only_a_flag_that_no_schema_holds_is_an_absent_parameter() {
        check("3 matches. Set `replace_every: true`.", 1);
        check("3 matches. Set replaceEvery=true.", 1);
        check("3 matches. Set replace_all: true.", 0);
        check("Set ALLOW_ALL=true in the environment.", 0);
    }

    #[test]
    fn a_refused_call_that_follows_a_hint_shows_that_the_hint_was_wrong() {
        let expected = Expected::Success {
            exit_status: None,
            why: "the hint said so".into(),
            task_limit: false,
            changes_file: false,
        };
        let mut stage = Stage::refusal("[INVALID_INPUT] no", &json!({}), expected);
        stage.exchange.place.step = Step::Follow;
        stage.exchange.place.follows = Some(0);
        stage.follows = stage.control.clone();
        assert_eq!(super::check(&stage.scene()).len(), 1);
    }

    #[test]
    fn a_followed_hint_that_is_said_to_succeed_changes_a_file() {
        let breaches = |changes_file: bool, changes: serde_json::Value| {
            let why = "the hint said so".into();
            let expected = Expected::Success { exit_status: None, why, task_limit: false, changes_file };
            let mut stage = Stage::refusal("", &json!({}), expected);
            stage.exchange.outcome = Outcome::Result(json!({"content": [{"type": "text", "text": "done"}]}));
            stage.exchange.place.step = Step::Follow;
            stage.exchange.changes = serde_json::from_value(changes).expect("changes");
            super::check(&stage.answered().scene()).len()
        };
        assert_eq!(breaches(true, json!([])), 1);
        assert_eq!(breaches(true, json!([{"path": "{case}/a", "change": "modified", "outside": false}])), 0);
        assert_eq!(breaches(false, json!([])), 0);
    }
}
