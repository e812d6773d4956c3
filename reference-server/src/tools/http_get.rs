//! `http_get`: what the HTTP service behind this server has at an address.

use std::time::Duration;

use super::{Outcome, Session};
use crate::parameter::Arguments;
use crate::success::Success;

/// How long an answer is waited for where the caller does not say, in milliseconds.
const TIMEOUT: u64 = 5_000;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let timeout = Duration::from_millis(arguments.integer("timeout").unwrap_or(TIMEOUT));
    let page = session.upstream.get(arguments.required("url"), timeout)?;
    Ok(Success::new(page.as_str()).with("page", page))
}
