//! What the HTTP service behind a server answers, as a case writes it.
//!
//! The main type is [`Route`]. Who answers so, and at which address, is not known here.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One address of the service and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Route {
    /// What follows `{upstream}/` in the address.
    pub path: String,
    /// What it answers.
    pub answer: Answer,
}

/// What a service does with a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It answers.
    Page(Page),
    /// It begins to answer, and ends the connection within the body.
    HalfAPage(Page),
    /// It ends the connection without a word.
    HangUp,
    /// It never answers, and keeps the connection.
    Silence,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// The two forms of `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RetryAfter {
    /// So many seconds.
    Seconds(u64),
    /// A date, so many seconds after that of the answer.
    DateIn(u64),
}

impl Route {
    /// The time that its answer asks for, in seconds.
    pub fn wait(&self) -> Option<u64> {
        let (Answer::Page(page) | Answer::HalfAPage(page)) = &self.answer else { return None };
        page.retry_after.map(|(RetryAfter::Seconds(seconds) | RetryAfter::DateIn(seconds))| seconds)
    }
}
