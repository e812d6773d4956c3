//! `effect/escaped-root`: a call left the root.

use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence};
use crate::placeholder::{CANARY, OUTSIDE};
use crate::roles::Role;
use crate::rules::{Context, Rule};

/// BC-06: a path outside the allowed directories is refused.
pub(crate) static RULE: Rule =
    Rule::of_reply("effect/escaped-root", include_str!("escaped_root.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    // Where nobody says that the call leads out, as with a path in an odd notation, only a server with a root can leave it, and
    // a command may read what its user may read.
    let is_open = context.exchange.place.expected == Expected::Anything
        && context.head.limits.root
        && !context.plays(Role::Shell);
    if context.condition() != Some("path-outside-root") && !is_open {
        return Vec::new();
    }
    let help = "Before opening anything, resolve the path with all its symbolic links and compare the result \
        with the root, component by component: a folder whose name begins with the root's is not in it.";
    let tool = context.called();
    let canary = context.head.folders.canary.trim();
    let whole = context.exchange.outcome.result().map(ToString::to_string).unwrap_or_default();
    let texts = context.texts();
    let read = texts.iter().copied().chain([whole.as_str()]).find_map(|text| {
        let start = text.find(canary).filter(|_| !canary.is_empty())?;
        Some(Evidence::marked(text, start..start + canary.len()))
    });
    if let Some(evidence) = read {
        let message = format!("`{tool}` read a file outside the root and shows its content");
        return vec![Diagnostic::new(message, help).evidence(evidence)];
    }
    if let Some(evidence) = listed(context) {
        let message = format!("`{tool}` lists a folder outside the root");
        return vec![Diagnostic::new(message, help).evidence(evidence)];
    }
    let Some(change) = context.exchange.changes.iter().find(|change| change.outside) else {
        return Vec::new();
    };
    vec![context.diagnostic(format!("`{tool}` changed {} outside the root", change.path), help)]
}

/// The name of the canary in the reply to a call that sent the name of its folder alone.
fn listed(context: &Context<'_>) -> Option<Evidence> {
    let sent = context.exchange.call.arguments.to_string();
    if !sent.contains(OUTSIDE) || sent.contains(CANARY) {
        return None;
    }
    context.texts().into_iter().find_map(|text| {
        let start = context.echo().blank(text).find(CANARY)?;
        Some(Evidence::marked(text, start..start + CANARY.len()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::exchange::Outcome;
    use crate::expectation::Expected;
    use crate::placeholder::{CANARY, OUTSIDE};
    use crate::rules::fixture::Fixture;

    #[test]
    fn the_name_of_the_canary_is_enough_where_only_its_folder_was_sent() {
        let found = |path: &str, text: &str| {
            let mut fixture = Fixture::refusal("", &json!({ "path": path }), Expected::Anything);
            fixture.head.limits.root = true;
            let content = json!([{"type": "text", "text": text}]);
            fixture.exchange.outcome = Outcome::Result(json!({ "content": content }));
            super::check(&fixture.answered().context()).len()
        };
        let (folder, file) = (format!("../{OUTSIDE}"), format!("../{OUTSIDE}/{CANARY}"));
        assert_eq!(found(&folder, &format!("1 file: {CANARY}")), 1);
        assert_eq!(found(&folder, "no files"), 0);
        assert_eq!(found(&file, &format!("no folder: {file}")), 0);
        assert_eq!(found("sub", CANARY), 0);
    }
}
