//! `wire/wrong-id`: a response has an id that no request had, or that of another request.

use crate::escape;
use crate::exchange::StrayMessage;
use crate::finding::{Diagnostic, Evidence};
use crate::rules::{Context, Rule};
use crate::same_call;

/// More of a call's arguments says no more.
const SHOWN: usize = 200;

/// JSON-RPC 2.0, 5: the id of a response "MUST be the same as the value of the id member in the Request Object".
pub(crate) static RULE: Rule = Rule::of_reply("wire/wrong-id", include_str!("wrong_id.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let strays = context.exchange.strays.iter().filter_map(|stray| {
        let StrayMessage::WrongId(line) = stray else { return None };
        let message = format!("a response came after `{}` with an id that no request had", context.called());
        let help = "Send the request's `id` back unchanged: a number as the same number, a string as the same \
             string.";
        Some(Diagnostic::new(message, help).evidence(Evidence::whole(line.as_str())))
    });
    strays.chain(swapped(context)).collect()
}

/// A reply that was meant for another call in flight.
fn swapped(context: &Context<'_>) -> Option<Diagnostic> {
    let difference =
        same_call::difference(context.exchange).filter(|_| same_call::is_judged(context.exchange))?;
    let other = same_call::meant_for(context.exchange, context.run_record.exchanges)?;
    let message = format!(
        "the reply to `{}` is that to another call, `{}` with {}; {difference}",
        context.called(),
        other.tool().unwrap_or(&other.call.method),
        escape::line_within(&other.call.arguments.to_string(), SHOWN)
    );
    let help = "Keep a request and its reply in variables of the call itself, never in ones that calls share, such as \
         `self.current`: the next call overwrites them before the first one is answered.";
    let diagnostic = Diagnostic::new(message, help);
    Some(Diagnostic { evidence: context.reply(), ..diagnostic })
}
