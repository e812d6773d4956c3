//! `http_get`: what the HTTP service behind this server has at an address.

use std::time::Duration;

use super::{Effect, Outcome, Run, Session, TEXT, Tool};
use crate::parameter::{Arguments, Kind, Parameter};
use crate::success::{Holds, Success, field};

/// How long an answer is waited for where the caller does not say, in milliseconds.
const TIMEOUT: u64 = 5_000;

pub(super) static TOOL: Tool = Tool {
    name: "http_get",
    title: "Ask the HTTP service",
    description: "Gets a page of the HTTP service behind this server, as text. Any other address is refused, and no \
        redirect is followed.",
    parameters: &[
        Parameter::required(
            "url",
            TEXT,
            "The page: a path that begins with '/', or a whole address of the service.",
        ),
        Parameter::optional(
            "timeout",
            Kind::Integer(1, 60_000),
            "How long to wait for the whole answer, in milliseconds; 5000 where it is left out.",
        ),
    ],
    result: &[field("page", Holds::Text, "The page.")],
    effect: Effect::Reads,
    run: Run::Blocking(run),
};

fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let timeout = Duration::from_millis(arguments.integer("timeout").unwrap_or(TIMEOUT));
    let page = session.upstream.get(arguments.required("url"), timeout)?;
    Ok(Success::new(page.as_str()).with("page", page))
}
