//! `message/echoed-order`: an instruction from the caller's data, or from a service, stands in the message as
//! if the server had given it.

use crate::argument::ORDER;
use crate::finding::{Diagnostic, Evidence};
use crate::roles::Role;
use crate::rules::{Context, Rule};

/// A63: how a message shows what it was sent.
pub(crate) static RULE: Rule =
    Rule::of_reply("message/echoed-order", include_str!("echoed_order.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(error) = context.error else { return Vec::new() };
    if context.plays(Role::Shell) {
        return Vec::new();
    }
    let texts = std::iter::once(error.message()).chain(error.more.iter().map(String::as_str));
    let Some(text) = texts.into_iter().find(|text| gives_order(text)) else { return Vec::new() };
    let whose = match context.exchange.call.arguments.to_string().contains(ORDER) {
        true => "the call",
        false => "a service",
    };
    let message = format!(
        "the error reply of `{}` echoes an instruction that came from {whose} as if the server had given it",
        context.called()
    );
    let help = "Put what was sent in quotation marks, and say whose words they are; never hand on the body of a service.";
    let start = text.find(ORDER).unwrap_or_default();
    vec![Diagnostic::new(message, help).evidence(Evidence::marked(text, start..start + ORDER.len()))]
}

/// Whether the instruction stands in a text as a sentence of its own, without quotation marks.
fn gives_order(text: &str) -> bool {
    text.match_indices(ORDER).any(|(start, order)| {
        let before = text[..start].trim_end_matches(' ');
        let begins = before.is_empty() || before.ends_with(['\n', '.', '!', '?', '>']);
        let after = text[start + order.len()..].chars().next();
        let closes = after.is_some_and(|letter| "\"'`)]}\u{201d}\u{bb}".contains(letter));
        begins && !closes
    })
}

#[cfg(test)]
mod tests {
    use super::gives_order;
    use crate::argument::ORDER;

    #[test]
    fn a_service_of_a_case_answers_with_the_order() {
        let cases = crate::suite::load_builtin().unwrap();
        let case = cases.case("http/order-in-body").unwrap();
        assert!(format!("{:?}", case.script.upstream).contains(ORDER));
    }

    #[test]
    fn an_order_is_one_where_nothing_marks_it_as_data() {
        for text in ["{}", "Not found. {}", "Upstream said\n{}\nbye", "<p>{}</p>"] {
            assert!(gives_order(&text.replace("{}", ORDER)), "{text}");
        }
        for text in
            ["'{}' was not found", "Unknown city: {}", "(\"{}\")", "Not found: `{}`", "no order", "city {}"]
        {
            assert!(!gives_order(&text.replace("{}", ORDER)), "{text}");
        }
    }
}
