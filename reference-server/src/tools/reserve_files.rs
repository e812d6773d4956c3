//! `reserve_files` and `release_files`: which agent works on which files.

use super::{Outcome, Session};
use crate::parameter::Arguments;
use crate::reservation::Released;
use crate::success::Success;

pub(super) fn reserve(session: &Session, arguments: &Arguments) -> Outcome {
    let (agent, pattern) = (arguments.required("agent"), arguments.required("pattern"));
    session.reservations.reserve(agent, pattern)?;
    Ok(success(format!("Reserved {pattern} for {agent}."), arguments).with("changed", true))
}

pub(super) fn release(session: &Session, arguments: &Arguments) -> Outcome {
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
