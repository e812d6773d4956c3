//! A rule broken in one place, and how severe that is.
//!
//! The main type is [`Finding`]; it serializes to the JSON report's form. What a rule itself returns is the smaller
//! [`Diagnostic`], to which the judge adds the place. This module knows nothing of how findings are found or shown.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::condition::CaseId;
use crate::json::is_default;

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The documents leave it open, or it only helps to know.
    Note,
    /// A SHOULD is broken: warns, and fails the run with `--strict`.
    Should,
    /// A MUST is broken: fails the run.
    Must,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Note => "note",
        })
    }
}

/// The level that a configuration sets for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LevelSetting {
    /// Every finding of it is Must.
    Must,
    /// Every finding of it is Should.
    Should,
    /// Every finding of it is Note.
    Note,
    /// It is not judged.
    Off,
}

impl LevelSetting {
    /// The level of the rule's findings; `None` if it is not judged.
    pub fn level(self) -> Option<Level> {
        match self {
            Self::Must => Some(Level::Must),
            Self::Should => Some(Level::Should),
            Self::Note => Some(Level::Note),
            Self::Off => None,
        }
    }
}

/// Who worded the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The validation of an MCP SDK, before the tool's own code ran.
    Sdk,
}

/// Whether a baseline accepts a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// No baseline lists it.
    New,
    /// The baseline lists it.
    Known,
}

/// The text that shows a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The text that came back, as the server wrote it.
    pub text: String,
    /// The relevant bytes of `text` (UTF-8, on character boundaries); none if something is missing from the
    /// text.
    pub span: Option<(usize, usize)>,
    /// The reply's other content blocks, where it has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

impl Evidence {
    /// The whole text, nothing marked.
    pub fn whole(text: impl Into<String>) -> Self {
        Self { text: text.into(), span: None, more: Vec::new() }
    }

    /// The text with a part of it marked; the span is extended to character boundaries.
    pub fn marked(text: impl Into<String>, span: Range<usize>) -> Self {
        let text = text.into();
        let mut start = span.start.min(text.len());
        let mut end = span.end.clamp(start, text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Self { text, span: Some((start, end)), more: Vec::new() }
    }

    /// The evidence with the other content blocks of a reply of these texts, if its own text is one of them.
    #[must_use]
    pub fn among(mut self, texts: &[&str]) -> Self {
        if let Some(own) = texts.iter().position(|text| *text == self.text) {
            let others =
                texts.iter().enumerate().filter(|(index, text)| *index != own && !text.trim().is_empty());
            self.more = others.map(|(_, text)| (*text).to_owned()).collect();
        }
        self
    }

    /// The evidence shortened to at most this many bytes: those around the span, or the beginning. Cuts are
    /// marked.
    pub fn bounded(&self, most: usize) -> Self {
        const CUT: &str = " [...] ";
        let more = self.more.iter().map(|text| Self::whole(text.as_str()).bounded(most).text).collect();
        if self.text.len() <= most {
            return Self { more, ..self.clone() };
        }
        let (start, end) = self.span.unwrap_or((0, 0));
        let end = end.min(start + most / 2);
        let from = self.text.floor_char_boundary(start.saturating_sub(most / 4));
        let to = self.text.floor_char_boundary((from + most).min(self.text.len()));
        let head = if from > 0 { CUT } else { "" };
        let tail = if to < self.text.len() { CUT } else { "" };
        let text = format!("{head}{}{tail}", &self.text[from..to]);
        let bounded = match self.span {
            Some(_) => Self::marked(text, start - from + head.len()..end - from + head.len()),
            None => Self::whole(text),
        };
        Self { more, ..bounded }
    }
}

/// The result of a rule on one exchange.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnostic {
    /// Another level than the rule's own; never higher if the rule is judged without a control.
    pub level: Option<Level>,
    /// What is wrong, one sentence in plain words.
    pub message: String,
    /// The text that shows it.
    pub evidence: Option<Evidence>,
    /// The requirement or specification sentence that is broken, if it is not the rule's first one.
    pub requirement: Option<String>,
    /// How to fix the server, one or two sentences.
    pub help: String,
    /// Who worded the reply.
    pub layer: Option<Layer>,
    /// Whether it is one finding for the whole run instead of one for each tool and signature.
    pub folded: bool,
    /// Whether it is folded but belongs to the one tool that its message names.
    pub of_one_tool: bool,
    /// The text that waits to be accepted.
    pub text: Option<PendingText>,
}

impl Diagnostic {
    /// A diagnostic at the rule's own level.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), ..Self::default() }
    }

    /// The diagnostic with evidence.
    #[must_use]
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence = Some(evidence);
        self
    }

    /// The diagnostic at another level.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = Some(level);
        self
    }

    /// The diagnostic with the requirement that is broken.
    #[must_use]
    pub fn requirement(mut self, requirement: impl Into<String>) -> Self {
        self.requirement = Some(requirement.into());
        self
    }

    /// The diagnostic as one finding for the whole run.
    #[must_use]
    pub fn folded(mut self) -> Self {
        self.folded = true;
        self
    }
}

/// One rule broken by one cause, with every place where it shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// How severe.
    pub level: Level,
    /// The first case in which it shows; none if it is not from a case.
    pub case: Option<CaseId>,
    /// The tool; none if the finding deliberately covers many tools.
    pub tool: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What came back; none if there was no text.
    pub evidence: Option<Evidence>,
    /// The call, a list of calls, a raw line as a string, or null.
    pub sent: Value,
    /// The requirement's id, or the specification's place.
    pub requirement: String,
    /// How to fix the server.
    pub help: String,
    /// In how many exchanges it shows.
    pub count: usize,
    /// The evidence with every value masked.
    pub signature: String,
    /// Who worded the reply.
    pub layer: Option<Layer>,
    /// Every place, the first one included.
    pub places: Vec<FindingPlace>,
    /// What all its places share, so that one change to the server most likely fixes them; absent if a single
    /// exchange was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Other forms in which it shows, besides `message`, `evidence` and `sent`; each place says which form is its
    /// own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wordings: Vec<Wording>,
    /// `known` when all its places are.
    pub state: State,
    /// In a campaign: the smallest call that shows it, `{"name", "arguments"}`, or a list of these for a
    /// sequence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// In a campaign: up to nine other calls that showed it, as in `input`, the shortest first; `count` counts all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// In a campaign: whether the input shows it each time in a fresh process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable: Option<bool>,
    /// In a campaign: why the input was not sent again, so that it is unknown whether it shows each time;
    /// `stable` is then false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
    /// In a campaign: the command that sends the input again; none if no file was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// For `snapshot/pending`: the texts that are waiting to be accepted, at most the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<PendingText>,
}

/// An error text that nobody has accepted, next to the one that it replaces; what varies is masked in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct PendingText {
    /// The name of the snapshot, without `.snap`.
    pub snapshot: String,
    /// The text that was accepted; null where there was none.
    pub accepted: Option<String>,
    /// The text that came.
    pub seen: String,
}

/// One place of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct FindingPlace {
    /// The case.
    pub case: Option<CaseId>,
    /// The tool.
    pub tool: Option<String>,
    /// The condition or mutation.
    pub condition: Option<String>,
    /// Whether the baseline accepts the finding in this place.
    pub state: State,
    /// The session in which it shows, where it is not the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub session: RunSession,
    /// Its wording here: 0 is the finding's own, n is the nth entry of `wordings`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub wording: usize,
    /// Its level here, where that is another than the finding's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
}

/// What makes the places of a finding a single thing to fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Cause {
    /// A checksum of the rule and what is shared, in sixteen hexadecimal digits: the same in later runs,
    /// whichever of its places these show, and unique in a report.
    pub id: String,
    /// What the places share.
    pub shared: Shared,
}

/// What the places of one finding share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shared {
    /// The words of the reply apart from values: one text of the server.
    Words,
    /// What is wrong, whatever the reply says: the same kind of leak, the same wrong code, the same missing member.
    Fault,
    /// How the server reports errors: most of its tools that do so break the rule.
    Server,
    /// The tool.
    Tool,
    /// The validation of an MCP SDK, which answers for every tool.
    Validation,
}

/// A finding as it shows in some of its places, if the wording differs from that of the first place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
pub struct Wording {
    /// What is wrong.
    pub message: String,
    /// What came back; none if there was no text.
    pub evidence: Option<Evidence>,
    /// The call, as in a finding.
    pub sent: Value,
    /// How to fix the server.
    pub help: String,
    /// In a campaign: the smallest call that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// In a campaign: whether the input shows it each time in a fresh process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable: Option<bool>,
    /// In a campaign: why the input was not sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
    /// In a campaign: the command that sends the input again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// Which of a run's sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunSession {
    /// The first, or the only one.
    #[default]
    First,
    /// The second, in which the server was confined.
    Confined,
}

impl Finding {
    /// The level in one of its places.
    pub fn level_in(&self, place: &FindingPlace) -> Level {
        place.level.unwrap_or(self.level)
    }

    /// The finding as it shows in one of its places: with its own wording or another one.
    pub fn shown_in(&self, place: &FindingPlace) -> Self {
        let Some(other) = place.wording.checked_sub(1).and_then(|index| self.wordings.get(index)) else {
            return self.clone();
        };
        let Wording { message, evidence, sent, help, input, stable, unconfirmed, replay } = other.clone();
        Self { message, evidence, sent, help, input, stable, unconfirmed, replay, ..self.clone() }
    }

    /// Whether it shows in a case, or outside any, without being listed in the baseline.
    pub fn is_new_in(&self, case: Option<&CaseId>) -> bool {
        self.places.iter().any(|place| place.state == State::New && place.case.as_ref() == case)
    }

    /// How many tools it concerns.
    pub fn tools(&self) -> usize {
        let mut tools: Vec<_> = self.places.iter().filter_map(|place| place.tool.as_deref()).collect();
        tools.extend(self.tool.as_deref());
        tools.sort_unstable();
        tools.dedup();
        tools.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_kept_around_its_span() {
        let text = format!("{}leak{}", "é".repeat(5_000), "ü".repeat(5_000));
        let bounded = Evidence::marked(text, 10_000..10_004).bounded(1_000);
        let (start, end) = bounded.span.unwrap();
        assert_eq!(&bounded.text[start..end], "leak");
        assert!(
            bounded.text.len() < 1_100
                && bounded.text.starts_with(" [...] é")
                && bounded.text.ends_with(" [...] ")
        );
    }

    #[test]
    fn a_short_text_is_kept_whole() {
        let evidence = Evidence::marked("a leak", 2..6);
        assert_eq!(evidence.bounded(100), evidence);
    }
}
