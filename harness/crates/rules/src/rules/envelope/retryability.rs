//! `envelope/retryability`: an error contradicts its code on whether a retry can help.

use std::sync::LazyLock;

use crate::contract::ReplyForm;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::rules::{Context, Handling, Rule, RuleCheck, RulePage, Tier};

/// EE-03: `retryable` agrees with the code's class. TE-03 and A21: TRANSIENT is recoverable, INTERNAL is not;
/// for the other types both are allowed.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/retryability",
    tier: Tier::Gated,
    level: Level::Must,
    handling: Handling { silences: &["envelope/decision"], ..super::HANDLING },
    requirements: &["EE-03", "TE-03"],
    page: LazyLock::new(|| RulePage::read(include_str!("retryability.toml"))),
    check: RuleCheck::Exchange(check),
};

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error.filter(|_| context.is_tool_error()) else { return Vec::new() };
    let ReplyForm::Json(form) = &context.contract.form else { return Vec::new() };
    let code = error.code().and_then(|name| context.contract.code(name));
    let (Some(code), Some(place), Some(said)) = (code, &form.retryable, error.retryable) else {
        return Vec::new();
    };
    let Some(right) = code.retryable.filter(|right| *right != said) else { return Vec::new() };
    let message =
        format!("`{place}` is {said} with the code `{}`, for which it is always {right}", code.name);
    let help = format!("Send {right} with `{}`: {}.", code.name, code.meaning.trim_end_matches('.'));
    vec![Diagnostic::new(message, help).evidence(Evidence::whole(error.text.as_str()))]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    fn check(code: &str, recoverable: &str, diagnostics: usize) {
        let text = format!(r#"{{"type": "{code}", "message": "a", "recoverable": {recoverable}}}"#);
        let mut fixture = Fixture::refusal(&text, &json!({}), Expected::Anything);
        fixture.contract = crate::contract::load_builtin("tool-error").unwrap().unwrap();
        assert_eq!(super::check(&fixture.answered().context()).len(), diagnostics, "{text}");
    }

    #[test]
    fn of_six_types_two_say_what_a_retry_does() {
        check("TRANSIENT", "false", 1);
        check("INTERNAL", "true", 1);
        for code in ["NOT_FOUND", "CONFLICT", "VALIDATION", "PERMISSION", "OWN_CODE"] {
            check(code, "true", 0);
            check(code, "false", 0);
        }
        check("TRANSIENT", "true", 0);
        check("INTERNAL", "false", 0);
        check("INTERNAL", "\"true\"", 0);
    }
}
