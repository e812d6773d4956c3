//! `code/missing`: an error reply carries no code.

use serde_json::{Map, Value};

use crate::contract::{CodeField, PROPOSED, Spelling};
use crate::finding::{Diagnostic, Layer, Level};
use crate::pattern;
use crate::rules::should_read::sentence_with_code;
use crate::rules::{self, Context, Rule};
use crate::wording::layer;

const UNKNOWN_TOOL: &str = "unknown-tool";

/// The requirement that a finding names if the server has promised nothing in its place.
pub(crate) const UNPROMISED: &str = "A26";

/// BC-01: the code is the first token of the text of every `isError: true` reply.
pub(crate) static RULE: Rule = Rule::of_reply("code/missing", include_str!("missing.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|error| context.is_tool_error() && !error.text.trim().is_empty())
    else {
        return Vec::new();
    };
    // A contract without codes, such as `plain`, demands none.
    if context.contract.codes.is_empty() {
        return Vec::new();
    }
    let documented = |name: &str| context.contract.code(name).is_some();
    let coded = match &error.code {
        CodeField::Absent => false,
        CodeField::Present { name, .. } => context.declared || documented(name),
        CodeField::Malformed { span, .. } => {
            context.declared || context.contract.spelled(&error.text[span.clone()]).is_some()
        }
    };
    if coded {
        return Vec::new();
    }
    let mut diagnostic = match &error.proposed {
        Some(code) => elsewhere(context, code).requirement(requirement(context)),
        None if context.declared => uncoded(context, &error.text).requirement(requirement(context)),
        // The SDK wrote this reply, so the server's code is not missing.
        None if layer::sdk(&error.text).is_some() || context.condition() == Some(UNKNOWN_TOOL) => {
            return Vec::new();
        }
        None => match (error.texts().find_map(own_member), &error.code) {
            (Some(member), _) => {
                unread(&format!("have their code in `{member}`, where the contract does not look for it"))
            }
            (None, CodeField::Malformed { span, .. })
                if Spelling::UpperSnake.fits(&error.text[span.clone()]) =>
            {
                unread("begin with a code in another form than the contract's")
            }
            _ => unadopted(context),
        },
    };
    diagnostic.evidence = context.reply();
    vec![diagnostic]
}

/// The requirement of the contract that asks for codes.
fn requirement(context: &Context<'_>) -> &'static str {
    let requirements = &RULE.page().requirements;
    let own = requirements.iter().find(|id| context.contract.requirements.contains_key(*id));
    own.unwrap_or(&requirements[0])
}

fn uncoded(context: &Context<'_>, text: &str) -> Diagnostic {
    let expected = context.answer().and_then(|answer| answer.expected.as_deref()).unwrap_or("CODE");
    if let Some(sdk) = layer::sdk(text) {
        let message = format!(
            "{} rejects bad arguments itself, without a code, before the tool's own code runs",
            sdk.name()
        );
        let mut diagnostic = Diagnostic::new(message, rules::of_validation(sdk)).folded();
        diagnostic.layer = Some(Layer::Sdk);
        return diagnostic;
    }
    let message = format!("an error reply of `{}` has no code", context.called());
    let help = format!(
        "Write the code {}.{}",
        context.contract.form.place_of(expected),
        sentence_with_code(context)
    );
    Diagnostic::new(message, help)
}

/// The diagnostic for a code in the place where a proposal wants it: this program reads it, but a client of the
/// contract does not find it.
fn elsewhere(context: &Context<'_>, code: &str) -> Diagnostic {
    let message = format!(
        "the code `{code}` in an error of `{}` is only in `_meta[\"{PROPOSED}\"]`, which is an open proposal",
        context.called()
    );
    let help = format!("Write the code {} too.", context.contract.form.place_of(code));
    Diagnostic::new(message, help).level(Level::Note)
}

/// A26: one finding for a server that has not promised codes, with both ways to settle it.
fn unadopted(context: &Context<'_>) -> Diagnostic {
    let first = || context.contract.codes.first().map_or("CODE", |code| code.name.as_str());
    let example = context.answer().and_then(|answer| answer.expected.as_deref()).unwrap_or_else(first);
    let help = format!(
        "If the server promises no codes, write `contract = \"plain\"` in its `mcp-errconf.toml`. Otherwise write a \
         code in each error reply, {}.",
        context.contract.form.place_of(example)
    );
    Diagnostic::new("error replies carry no error code", help).requirement(UNPROMISED).folded()
}

/// The member in which a text of JSON has a code of the server's own: `code`, `error.code`.
fn own_member(text: &str) -> Option<String> {
    const NAMES: [&str; 3] = ["code", "errorCode", "error_code"];
    let is_code = |value: &Value| value.as_str().is_some_and(|code| pattern!("name/code").is_match(code));
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let of =
        |object: &Map<String, Value>| NAMES.into_iter().find(|name| object.get(*name).is_some_and(is_code));
    let within =
        || object.get("error").and_then(Value::as_object).and_then(of).map(|name| format!("error.{name}"));
    of(&object).map(str::to_owned).or_else(within)
}

/// The same for a server whose codes no contract reads.
fn unread(how: &str) -> Diagnostic {
    let message = format!("error replies {how}");
    let help = "Say where the codes stand, and which there are, in a contract of your own, and give its folder with `--contract DIR`: the \
        guide \"Writing a contract\" shows how. Until then no code is judged.";
    Diagnostic::new(message, help).requirement(UNPROMISED).level(Level::Should).folded()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_code_of_the_servers_own_is_one_that_the_contract_does_not_read() {
        let message = |text: &str| {
            let mut fixture = Fixture::refusal(text, &json!({}), Expected::Anything);
            fixture.declared = false;
            super::check(&fixture.context())[0].message.clone()
        };
        for (text, expected) in [
            (
                r#"{"success": false, "error": "no such table", "code": "NO_TABLE"}"#,
                "have their code in `code`",
            ),
            (
                r#"{"error": {"code": "no-table", "message": "no such table"}}"#,
                "have their code in `error.code`",
            ),
            ("NO_TABLE: there is no table x", "begin with a code in another form than the contract's"),
            (r#"{"error": "no such table", "code": "x y"}"#, "carry no error code"),
            (r#"{"error": "no such table", "code": 7}"#, "carry no error code"),
        ] {
            assert!(message(text).starts_with(&format!("error replies {expected}")), "{}", message(text));
        }
    }

    #[test]
    fn only_a_promised_code_is_required_by_the_contract() {
        let requirement = |declared: bool, contract_says_so: bool| {
            let mut fixture = Fixture::refusal("no such file", &json!({}), Expected::Anything);
            fixture.declared = declared;
            if !contract_says_so {
                fixture.contract.requirements.clear();
            }
            super::check(&fixture.context())[0].requirement.clone()
        };
        assert_eq!(requirement(false, true).as_deref(), Some(super::UNPROMISED));
        assert_eq!(requirement(true, true).as_deref(), Some("BC-01"));
        assert_eq!(requirement(true, false).as_deref(), Some("BC-01"), "a contract of the user's own");
    }
}
