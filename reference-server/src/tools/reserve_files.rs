//! `reserve_files` and `release_files`: which agent works on which files.

use super::{Effect, Outcome, Run, Session, TEXT, Tool};
use crate::parameter::{Arguments, Parameter};
use crate::reservation::Released;
use crate::success::{Field, Holds, Success, field};

const AGENT: Parameter = Parameter::required("agent", TEXT, "The name of the agent that asks.");

const PATTERN: Parameter =
    Parameter::required("pattern", TEXT, "A file, or a folder with what is below it, as in src/**.");

/// What both tell.
const RESULT: &[Field] = &[
    field("agent", Holds::Text, "The agent that asked."),
    field("pattern", Holds::Text, "What it asked for."),
    field("changed", Holds::Flag, "Something was reserved, or given up."),
];

pub(super) static RESERVE: Tool = Tool {
    name: "reserve_files",
    title: "Reserve files",
    description: "Reserves files for an agent until it releases them. What another agent holds is refused, with the \
        holder's name.",
    parameters: &[AGENT, PATTERN],
    result: RESULT,
    effect: Effect::Registers,
    run: Run::Blocking(reserve),
};

pub(super) static RELEASE: Tool = Tool {
    name: "release_files",
    title: "Release files",
    description: "Gives up what an agent has reserved. Only the holder may.",
    parameters: &[AGENT, PATTERN],
    result: RESULT,
    effect: Effect::Registers,
    run: Run::Blocking(release),
};

fn reserve(session: &Session, arguments: &Arguments) -> Outcome {
    let (agent, pattern) = (arguments.required("agent"), arguments.required("pattern"));
    session.reservations.reserve(agent, pattern)?;
    Ok(success(format!("Reserved {pattern} for {agent}."), arguments).with("changed", true))
}

fn release(session: &Session, arguments: &Arguments) -> Outcome {
    let (agent, pattern) = (arguments.required("agent"), arguments.required("pattern"));
    Ok(match session.reservations.release(agent, pattern)? {
        Released::Reserved => success(format!("Released {pattern}."), arguments).with("changed", true),
        Released::Free => {
            let words = format!("Nobody holds {pattern}: there is nothing to release.");
            success(words, arguments).with("changed", false)
        }
    })
}

fn success(words: String, arguments: &Arguments) -> Success {
    Success::new(words)
        .with("agent", arguments.required("agent"))
        .with("pattern", arguments.required("pattern"))
}
