//! Tools that may change something, where the server is not confined: one that carried a call out gets no further one.
//!
//! The main type is [`Restraint`]. Every place from which a campaign sends calls asks it before each of them and tells it what
//! succeeded. A call of such a tool goes out alone, whatever else is in flight: the next one waits for its reply.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use crate::generate::{Input, Sequence};
use crate::transcript::Withheld;

/// Why a finding was not sent again.
pub(super) const WITHHELD: &str = "its tool carried out a call and gets no further one";
/// Why growth was not tried again.
pub(super) const NOT_AGAIN: &str =
    "some of its calls go to a tool that may change something, and the server is not confined";

/// How often it is asked whether a call in flight was answered.
pub(super) const TURN: Duration = Duration::from_millis(5);
/// A call is shown up to this many letters.
const SHOWN: usize = 120;

/// What is known of the tools that get nothing but calls which break every required argument.
#[derive(Debug, Default)]
pub(super) struct Restraint {
    tools: RefCell<BTreeMap<String, Restrained>>,
}

#[derive(Debug, Default)]
struct Restrained {
    is_in_flight: bool,
    /// The arguments of the call that it carried out.
    carried_out: Option<String>,
}

/// Whether a call may go out.
pub(super) enum Leave {
    /// It may; what it holds is given back when it was answered.
    Now(Option<Hold>),
    /// Another call of its tool is in flight.
    Later,
    /// Its tool carried out a call.
    Never,
}

/// A call of a tool that gets no other one meanwhile.
#[derive(Debug)]
pub(super) struct Hold {
    restraint: Rc<Restraint>,
    tool: String,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(tool) = self.restraint.tools.borrow_mut().get_mut(&self.tool) {
            tool.is_in_flight = false;
        }
    }
}

impl Restraint {
    /// From now on a tool is called only until it carries a call out.
    pub(super) fn add(&mut self, tool: &str) {
        self.tools.get_mut().entry(tool.to_owned()).or_default();
    }

    /// Whether it is one of these tools.
    pub(super) fn holds(&self, tool: &str) -> bool {
        self.tools.borrow().contains_key(tool)
    }

    /// Whether a tool gets no further call.
    pub(super) fn is_withheld(&self, tool: &str) -> bool {
        self.tools.borrow().get(tool).is_some_and(|tool| tool.carried_out.is_some())
    }

    /// Whether one of these calls is not sent any more.
    pub(super) fn withholds(&self, sequence: &Sequence) -> bool {
        sequence.steps.iter().any(|(tool, _)| self.is_withheld(tool))
    }

    /// Asks for leave to send a call of a tool.
    pub(super) fn leave(self: &Rc<Self>, tool: &str) -> Leave {
        let mut tools = self.tools.borrow_mut();
        let Some(held) = tools.get_mut(tool) else { return Leave::Now(None) };
        if held.carried_out.is_some() {
            return Leave::Never;
        }
        if std::mem::replace(&mut held.is_in_flight, true) {
            return Leave::Later;
        }
        Leave::Now(Some(Hold { restraint: Rc::clone(self), tool: tool.to_owned() }))
    }

    /// Waits for leave to send a call of a tool; none where it gets no further one.
    pub(super) async fn awaited(self: &Rc<Self>, tool: &str) -> Option<Option<Hold>> {
        loop {
            match self.leave(tool) {
                Leave::Now(hold) => return Some(hold),
                Leave::Never => return None,
                Leave::Later => tokio::time::sleep(TURN).await,
            }
        }
    }

    /// A call of a tool succeeded.
    pub(super) fn note(&self, tool: &str, input: &Input) {
        if let Some(held) = self.tools.borrow_mut().get_mut(tool) {
            held.carried_out.get_or_insert_with(|| input.arguments.chars().take(SHOWN).collect());
        }
    }

    /// Says of each tool that carried a call out which one it was, and what allows more.
    pub(super) fn tell(&self, withheld: &mut [Withheld]) {
        for entry in withheld {
            let tools = self.tools.borrow();
            let carried_out = tools.get(&entry.tool).and_then(|tool| tool.carried_out.as_ref());
            if let Some(arguments) = carried_out {
                let tool = &entry.tool;
                entry.why = format!(
                    "it carried out `{tool} {arguments}`, and the server is not confined, so it got no further \
                     call; `--allow-destructive` sends more to every tool, `class = \"read\"` under \
                     `[tools.\"{tool}\"]` in the configuration to this one"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::class::Class;

    use super::super::corpus::tests::valid;
    use super::super::sequence::alone;
    use super::*;

    fn restraint() -> Rc<Restraint> {
        let mut restraint = Restraint::default();
        restraint.add("send");
        Rc::new(restraint)
    }

    #[test]
    fn a_tool_that_carried_a_call_out_gets_no_further_one() {
        let restraint = restraint();
        restraint.note("send", &valid(r#"{"to": null}"#));
        restraint.note("view", &valid(r#"{"to": null}"#));
        assert!(matches!(restraint.leave("send"), Leave::Never));
        assert!(matches!(restraint.leave("view"), Leave::Now(None)));
        assert!(restraint.withholds(&alone("send".to_owned(), valid(r#"{"to": null}"#))));
        assert!(!restraint.withholds(&alone("view".to_owned(), valid(r#"{"to": null}"#))));
        let entry = |tool: &str| Withheld {
            tool: tool.to_owned(),
            class: Class::Effect.to_string(),
            why: "as before".to_owned(),
            probes: 3,
        };
        let mut withheld = [entry("send"), entry("wipe")];
        restraint.tell(&mut withheld);
        assert!(withheld[0].why.contains(r#"`send {"to": null}`"#), "{}", withheld[0].why);
        assert_eq!(withheld[1].why, "as before");
    }

    #[test]
    fn the_next_call_waits_for_the_reply_to_the_one_in_flight() {
        let restraint = restraint();
        let Leave::Now(first) = restraint.leave("send") else { panic!("it is the first one") };
        assert!(first.is_some());
        assert!(matches!(restraint.leave("send"), Leave::Later));
        drop(first);
        assert!(matches!(restraint.leave("send"), Leave::Now(Some(_))));
    }
}
