//! How a server promises to report errors, and how one of its error replies is read.
//!
//! The main types are [`Contract`], which is data, and [`ErrorReply`], a reply as read by a contract. This
//! module knows nothing of cases or verdicts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::condition::{self, Condition, ConditionTrait};
use crate::expectation::{Authority, ExpectedFailure};
use crate::json::is_default;

mod detect;
mod editing;
mod envelope;
mod form;
mod load;
mod read;

pub use detect::{SeenCodes, adopted, detect, looks_like, seen_codes, shown, without_codes};
pub use editing::{ContextForm, EditPointers, ReportedEdit, ReportedPlace, StatusForm};
pub use envelope::{Envelope, Schema, SchemaFault};
pub use form::{Holders, JsonForm, ReplyForm, Spelling};
pub use load::{DEFAULT, builtin, builtin_ids, load_builtin, load_dir, parse};
pub use read::{CodeField, ErrorChannel, ErrorReply, PROPOSED, read, read_unflagged};

/// A contract, as in its `contract.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Contract {
    /// Its id, the name of its folder.
    pub id: String,
    /// One sentence: what an error reply looks like.
    pub title: String,
    /// Where code and message are.
    pub form: ReplyForm,
    /// The JSON Schema of an error reply's object; `$ref` leads within the document only.
    pub envelope: Option<Envelope>,
    /// What the contract says about a server besides its error replies.
    #[serde(default, skip_serializing_if = "is_default")]
    pub server: ServerTraits,
    /// What the contract says about every message.
    #[serde(default, skip_serializing_if = "is_default")]
    pub messages: MessageTraits,
    /// The codes that it documents.
    #[serde(default, rename = "code")]
    pub codes: Vec<Code>,
    /// The code that each condition has.
    #[serde(default)]
    pub conditions: BTreeMap<Condition, ExpectedCode>,
    /// What it requires, by requirement id: the sentence that a finding quotes.
    #[serde(default)]
    pub requirements: BTreeMap<String, String>,
}

/// What a contract says about a server besides its error replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ServerTraits {
    /// How many background tasks may run at once, if a shell tool has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_tasks: Option<u64>,
    /// Whether the dialects of regular expressions and globs are known, so that an invalid one must be refused.
    pub known_patterns: bool,
}

/// What a contract says about every message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MessageTraits {
    /// Whether a message must name the wrong value, and not merely should.
    pub name_values: bool,
}

/// A documented code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Code {
    /// The code as written in a reply.
    pub name: String,
    /// The kind of fault that the code stands for.
    pub class: CodeClass,
    /// What a reply with it must say about a retry, if the contract says so.
    pub retryable: Option<bool>,
    /// The HTTP status of a reply with it, if the contract has those.
    pub status: Option<u16>,
    /// What an agent does about it, if its class does not already say so.
    pub recourse: Option<Recourse>,
    /// When it is sent.
    pub meaning: String,
    /// Whether it is documented by the server in addition to the contract's codes.
    #[serde(skip)]
    pub is_extra: bool,
}

/// What an agent does about an error, without details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Recourse {
    /// It waits, and sends the same call again.
    Retry,
    /// It corrects the call, and sends it once more.
    Mend,
    /// It leaves this resource and tries another one.
    Skip,
    /// It asks whoever holds the resource to release it; if nobody is named, it waits.
    Negotiate,
    /// It asks its user.
    Escalate,
    /// It notes the error and stops.
    GiveUp,
}

/// What kind of fault a code or a condition stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CodeClass {
    /// The caller can fix the call.
    Input,
    /// Reading, writing or starting something failed: changing the call alone does not fix it.
    Io,
    /// The server itself is at fault.
    Internal,
    /// The same call may work later.
    Transient,
}

/// The code that a condition has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExpectedCode {
    /// The code that is expected; absent if the condition has none, as for an unknown tool.
    pub expected: Option<String>,
    /// Codes that are also accepted, because the documents leave it open (A1, A9, A10, A14, A20).
    #[serde(default)]
    pub accepted: Vec<String>,
    /// Codes that are also accepted, but reported in a Note (A1, A10, A20).
    #[serde(default)]
    pub noted: Vec<String>,
    /// What kind of fault it is.
    pub class: CodeClass,
    /// What an agent may reasonably do about it; empty if the contract promises nothing about that.
    #[serde(default)]
    pub recourse: Vec<Recourse>,
    /// The requirement that says so.
    pub requirement: String,
}

impl Code {
    /// What an agent does after reading it: what the contract says, or what follows from its class.
    pub fn recourse(&self, retryable: Option<bool>) -> Recourse {
        let by_class = match self.class {
            CodeClass::Input => Recourse::Mend,
            CodeClass::Transient => Recourse::Retry,
            CodeClass::Io if retryable == Some(true) => Recourse::Retry,
            CodeClass::Io | CodeClass::Internal => Recourse::GiveUp,
        };
        match self.recourse.unwrap_or(by_class) {
            // The reply itself says that the same call will not work.
            Recourse::Retry if retryable == Some(false) => Recourse::GiveUp,
            recourse => recourse,
        }
    }
}

impl Contract {
    /// The documented code of this name.
    pub fn code(&self, name: &str) -> Option<&Code> {
        self.codes.iter().find(|code| code.name == name)
    }

    /// The documented code that a word in another spelling stands for, such as `path-not-found` for
    /// `PATH_NOT_FOUND`.
    pub fn spelled(&self, written: &str) -> Option<&Code> {
        let letters = |word: &str| {
            word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
        };
        let wanted = letters(written);
        self.codes.iter().find(|code| !wanted.is_empty() && letters(&code.name) == wanted)
    }

    /// Whether the caller can fix a call that fails for this condition: not if reading, writing or starting
    /// failed, or if the tool does not exist.
    pub fn is_repairable(&self, condition: &Condition) -> bool {
        let input = self.answer(condition).is_none_or(|answer| answer.class == CodeClass::Input);
        input && !condition::has(&condition.0, ConditionTrait::BeyondCaller)
    }

    /// Whether the caller can fix a call that fails in this way. No contract covers requests other than tool
    /// calls.
    pub fn can_be_repaired(&self, failure: &ExpectedFailure) -> bool {
        match failure.authority {
            Authority::Service => false,
            Authority::Protocol => !condition::has(&failure.condition.0, ConditionTrait::BeyondCaller),
            Authority::Contract
            | Authority::Schema
            | Authority::Calls
            | Authority::Alone
            | Authority::Before => self.is_repairable(&failure.condition),
        }
    }

    /// The schema of its error objects, if it has one.
    pub fn schema(&self) -> Option<&Schema> {
        match &self.envelope {
            Some(Envelope::Schema(schema)) => Some(schema),
            Some(Envelope::File(_)) | None => None,
        }
    }

    /// The code of a condition.
    pub fn answer(&self, condition: &Condition) -> Option<&ExpectedCode> {
        self.conditions.get(condition)
    }
}
