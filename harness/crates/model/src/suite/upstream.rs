//! The answers of the HTTP service behind a server, as a case defines them.
//!
//! The main type is [`Route`]. The service itself is implemented elsewhere.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One address of the service and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Route {
    /// What follows `{upstream}/` in the address.
    pub path: String,
    /// What it answers.
    pub answer: StubResponse,
}

/// What a service does with a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StubResponse {
    /// It answers.
    Page(Page),
    /// It begins to respond, and closes the connection in the middle of the body.
    HalfAPage(Page),
    /// It closes the connection without a response.
    HangUp,
    /// It never answers, and keeps the connection.
    Silence,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Page {
    /// Its status, from 200 to 599.
    pub status: u16,
    /// When the next request may come.
    pub retry_after: Option<RetryAfter>,
    /// Further headers.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body. `{secret}` in it stands for the value that no reply may tell, `{request}` for the request's own head.
    #[serde(default)]
    pub body: String,
}

/// What tells the page for people that a probe answers with in place of data.
pub const LOG_IN: &str = "<h1>Log in</h1>";
/// What every made-up object of data contains, as it is sent.
pub const MADE_UP_MEMBER: &str = r#""description":"alpha beta""#;

/// The two forms of `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RetryAfter {
    /// This many seconds.
    Seconds(u64),
    /// A date, this many seconds after that of the response.
    DateIn(u64),
}

impl Route {
    /// The waiting time in its answer, in seconds.
    pub fn wait(&self) -> Option<u64> {
        let (StubResponse::Page(page) | StubResponse::HalfAPage(page)) = &self.answer else { return None };
        page.retry_after.map(|(RetryAfter::Seconds(seconds) | RetryAfter::DateIn(seconds))| seconds)
    }
}

#[cfg(test)]
mod tests {
    use crate::suite::load::load_case;
    use crate::suite::mistakes::UPSTREAM_CASE;

    #[test]
    fn the_good_case_is_loaded_with_what_an_agent_goes_by() {
        let case = load_case("a.toml", "http/a", UPSTREAM_CASE).unwrap();
        let wait = case.script.recovery().and_then(|recovery| recovery.wait);
        assert_eq!(wait.map(|wait| wait.seconds), Some(7));
    }
}
