//! A message that said outright what to send, although that is refused in the same words.

use serde_json::Value;

use crate::contract::{self, Recourse};
use crate::exchange::{Exchange, Guidance};
use crate::expectation::Expected;
use crate::finding::{Diagnostic, Evidence, Level};
use crate::json_schema::confirm::Confirmer;
use crate::pattern;
use crate::rules::Context;
use crate::signature::are_alike;
use crate::wording::mention::{is_marked, names_parameter};

/// The diagnostic for a reader's call that did exactly what the reply said and was refused for the same reason.
pub(super) fn misled(context: &Context<'_>) -> Option<Diagnostic> {
    let Expected::Success { why, .. } = &context.exchange.place.expected else { return None };
    let earlier = context.follows?;
    let error = contract::read(context.contract, context.exchange)?;
    let first = contract::read(context.contract, earlier)?;
    let texts = [(first.text.as_str(), earlier), (error.text.as_str(), context.exchange)];
    if !are_alike(texts, &context.head.folders)
        || is_against_schema(context)
        || quotes_what_stayed(earlier, context.exchange, &error.text)
    {
        return None;
    }
    let message = format!(
        "a message of `{}` leads wrong: {why}, and it was refused in the same words",
        context.called()
    );
    let help = "Say what the tool accepts: take names, values and limits from the place that checks them.";
    Some(Diagnostic::new(message, help).evidence(Evidence::whole(error.text)))
}

/// The call that was sent in the search for one that succeeds did exactly what a refusal said, and is refused for the same
/// reason. No call is known that succeeds: another argument, or what is around the server, may be why.
pub(super) fn in_vain(context: &Context<'_>) -> Option<Diagnostic> {
    let earlier = context.follows?;
    let changed = changed_alone(context.own(earlier), context.arguments())?;
    let error = contract::read(context.contract, context.exchange)?;
    if error.recourse.is_some_and(|recourse| recourse != Recourse::Mend) || context.tells_of_circumstance() {
        return None;
    }
    let sent = context.arguments().as_object()?.keys();
    let mut others = sent.filter(|name| **name != changed);
    // The steps of a library may be called as a parameter is.
    let names = |name: &str| {
        error.texts().any(|text| names_parameter(&pattern!("text/steps").replace_all(text, ""), name))
    };
    let is_of_another = others.any(|other| names(other));
    let is_of_it = names(changed);
    (is_of_it && !is_of_another).then(|| misled(context)).flatten()
}

/// The only argument in which two calls differ.
fn changed_alone<'v>(before: &Value, after: &'v Value) -> Option<&'v str> {
    let (before, after) = (before.as_object()?, after.as_object()?);
    let mut changed = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
    let (name, _) = changed.next()?;
    (changed.next().is_none() && before.keys().all(|name| after.contains_key(name))).then_some(name)
}

/// Whether the tool's own schema forbids what the reader has sent: then no message leads there.
fn is_against_schema(context: &Context<'_>) -> bool {
    let (Some(tool), Some(sent)) = (context.tool, context.arguments().as_object()) else { return false };
    let schema = Confirmer::new(&tool.input_schema);
    let within = tool.wrapper().map(|name| format!("/{name}")).unwrap_or_default();
    sent.keys().any(|name| schema.forbids_at(&context.exchange.call.arguments, &format!("{within}/{name}")))
}

/// Whether the new refusal quotes a text that both calls sent in the same place: it is about an argument that the reader left
/// as it was.
fn quotes_what_stayed(earlier: &Exchange, then: &Exchange, text: &str) -> bool {
    let mut own = OwnTexts::default();
    own.compare(Some(&earlier.call.arguments), &then.call.arguments);
    // A changed number says nothing, because numbers are not quoted.
    own.is_changed && own.unchanged.iter().any(|value| value.chars().count() > 2 && is_marked(text, value))
}

/// The texts of a call, compared with the call before it.
#[derive(Default)]
struct OwnTexts<'v> {
    /// Those that the earlier call had in the same place.
    unchanged: Vec<&'v str>,
    /// Whether there is one in a place where the earlier call had something else.
    is_changed: bool,
}

impl<'v> OwnTexts<'v> {
    fn compare(&mut self, before: Option<&Value>, after: &'v Value) {
        match after {
            Value::String(text) if before == Some(after) => self.unchanged.push(text),
            Value::String(_) => self.is_changed = true,
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.compare(before.and_then(|before| before.get(index)), item);
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    self.compare(before.and_then(|before| before.get(name)), value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The diagnostic for a reader's call that did what the reply said and is refused with the advice to send the
/// first one again.
pub(super) fn in_a_circle(context: &Context<'_>) -> Option<Diagnostic> {
    let Expected::Success { why, .. } = &context.exchange.place.expected else { return None };
    let error = contract::read(context.contract, context.exchange)?;
    if context.exchange.guidance != Some(Guidance::Circular) {
        return None;
    }
    let message = format!(
        "two messages of `{}` lead in a circle: {why}; it was refused, and the new message says to send what was \
         refused before",
        context.called()
    );
    let help = "Take what both messages say from the place that checks it, and check everything before the first reply.";
    Some(Diagnostic::new(message, help).level(Level::Note).evidence(Evidence::whole(error.text)))
}
