//! `leak/panic`: the words of a bug in the server come through.

use crate::finding::Diagnostic;
use crate::pattern;
use crate::rules::{Context, Rule};

/// BC-20: no internal detail in a message; A6 counts words of the runtime wherever they stand.
pub(crate) static RULE: Rule = Rule::of_reply("leak/panic", include_str!("panic.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = match context.is_failure_of_service() {
        true => HELP_WITH_THE_SERVICE,
        false => {
            "Check the arguments of this call before using them, and turn any remaining panic into one \
            sentence with a reference to your log."
        }
    };
    let mut found = super::judged(context, RULE.id, "a fault in the server itself", help);
    for diagnostic in &mut found {
        if diagnostic.evidence.as_ref().is_some_and(|shown| is_of_the_program(&shown.text)) {
            // What it could say of the arguments instead is no help either.
            HELP_WITH_THE_PROGRAM.clone_into(&mut diagnostic.help);
        }
    }
    found
}

/// While the service behind the server fails, the arguments are right.
const HELP_WITH_THE_SERVICE: &str = "Check the service's answer, its status and its form, before using it, and turn any \
    remaining panic into one sentence with a reference to your log.";

/// Where the words are about the program's own names: no argument brings that about, and none avoids it.
const HELP_WITH_THE_PROGRAM: &str = "This is a mistake in the server's own code, not in the arguments: find the line by its log, mend it, and turn \
    any remaining panic into one sentence with a reference to your log.";

/// Whether words are about what the program itself has: a module without the name that it asks for, a variable before its
/// assignment, or, in what handles an error, an error that is a plain text.
fn is_of_the_program(text: &str) -> bool {
    pattern!("leak/of-the-program").is_match(text)
}

/// Whether the words are about an expression that the caller wrote: a name in it that means nothing to the language, an
/// attribute that it asks for, or an operator of it between things of which one is of a class that a library for mathematics makes of expressions.
pub(super) fn is_of_what_was_written(context: &Context<'_>, text: &str) -> bool {
    let holds_word = |sent: &str, name: &str| {
        sent.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name)
    };
    if let Some((name, _)) = text.strip_prefix("name '").and_then(|rest| rest.split_once('\'')) {
        return super::sends_text(context.arguments(), &|sent| holds_word(sent, name));
    }
    if let Some(found) = pattern!("leak/attribute").captures(text) {
        let asks_for_it = |sent: &str| sent.contains(&format!(".{}", &found[1]));
        return super::sends_text(context.arguments(), &asks_for_it);
    }
    let Some(found) = pattern!("leak/operands").captures(text) else { return false };
    let is_made_of_one = |class: &str| class.starts_with(|letter: char| letter.is_ascii_uppercase());
    let is_one = found.iter().skip(2).flatten().any(|class| {
        is_made_of_one(class.as_str()) && !["NoneType", "Timestamp", "Timedelta"].contains(&class.as_str())
    });
    let is_path = |sent: &str| sent.starts_with(['/', '.', '~']) || sent.contains("://");
    // The hyphens of "no-such-value" are no operators.
    let is_made_up = |sent: &str| pattern!("state/absent-item").is_match(sent);
    let holds = |sent: &str| !is_path(sent) && !is_made_up(sent) && sent.contains(&found[1]);
    is_one && super::sends_text(context.arguments(), &holds)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::expectation::Expected;
    use crate::rules::fixture::Fixture;

    #[test]
    fn a_mistake_in_the_program_is_not_mended_by_looking_at_the_arguments() {
        let help = |text: &str| {
            let fixture = Fixture::refusal(text, &json!({"n": "alpha"}), Expected::Anything);
            super::check(&fixture.context()).remove(0).help
        };
        for text in [
            "Error calling tool 'is_square': module 'sympy' has no attribute 'is_square'",
            "__dirname is not defined",
            "'str' object has no attribute 'message'",
        ] {
            assert_eq!(help(text), super::HELP_WITH_THE_PROGRAM, "{text}");
        }
        assert!(help("'str' object has no attribute 'items'").starts_with("Check the arguments"));
    }
}
