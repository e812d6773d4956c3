//! What the rules on edits share: what the call edits, what its failure must tell, and where the contract puts
//! it.
//!
//! The main type is [`Edits`]. It exists only if the contract has places for such things and the reply has the
//! expected code; other errors are left to the rules on codes.

use serde_json::Value;

use crate::condition::{self, ConditionTrait};
use crate::contract::{EditPointers, ReplyForm};
use crate::expectation::ExpectedEditing;
use crate::finding::Diagnostic;
use crate::roles::{Edited, Role};
use crate::rules::Context;

/// An error about edits, and all that is known about it.
pub(super) struct Edits<'a> {
    pub(super) context: &'a Context<'a>,
    /// The places of the contract's form.
    pub(super) form: &'a EditPointers,
    /// The object in the reply.
    pub(super) data: &'a Value,
    /// What the case knows about the edits.
    pub(super) known: Option<&'a ExpectedEditing>,
    /// The edits in the call, if its tool takes a list of edits.
    pub(super) asked: Vec<Edited>,
    /// Whether that tool takes several files.
    pub(super) several_files: bool,
}

impl<'a> Edits<'a> {
    pub(super) fn of(context: &'a Context<'a>) -> Option<Self> {
        let ReplyForm::Json(form) = &context.contract.form else { return None };
        let form = form.editing.as_deref()?;
        let error = context.error?;
        let failure = context.expected_failure()?;
        // An error with another code has other things to say.
        if let Some(answer) = context.answer() {
            let code = error.code()?;
            let fitting = answer.expected.iter().chain(&answer.accepted).chain(&answer.noted);
            let due = fitting.into_iter().any(|fitting| fitting == code);
            if !due {
                return None;
            }
        }
        let tool = context.exchange.tool()?;
        let listing = context.head.bindings.iter().find(|binding| {
            binding.tool == tool && matches!(binding.role, Role::MultiEdit | Role::MultiEditFiles)
        });
        let arguments = &context.exchange.call.arguments;
        Some(Self {
            context,
            form,
            data: error.data.as_ref()?,
            known: failure.editing.as_deref(),
            asked: listing.map(|binding| binding.edited(arguments)).unwrap_or_default(),
            several_files: listing.is_some_and(|binding| binding.role == Role::MultiEditFiles),
        })
    }

    /// The value at a place of the contract's form, if the form has the place.
    pub(super) fn at(&self, pointer: Option<&String>) -> Option<&'a Value> {
        self.data.pointer(pointer?)
    }

    /// Whether a text that was to be replaced was not found, or was found in several places.
    pub(super) fn is_match(&self) -> bool {
        self.context
            .condition()
            .is_some_and(|condition| condition::has(condition, ConditionTrait::SoughtText))
    }

    /// Whether the tool takes a list of edits and was sent one.
    pub(super) fn is_list(&self) -> bool {
        !self.asked.is_empty()
    }

    /// The index of the file that failed: known by the case, or the only one, or given by the reply.
    pub(super) fn file_index(&self) -> Option<usize> {
        let known = self.known.and_then(|known| known.file_index);
        let only = (self.asked.len() == 1).then_some(0);
        known.or(only).or_else(|| {
            let reported = self.at(self.form.file_index.as_ref()).and_then(Value::as_u64);
            reported.and_then(|reported| usize::try_from(reported).ok())
        })
    }

    /// The edits of the file that failed.
    pub(super) fn edited(&self) -> Option<&Edited> {
        self.asked.get(self.file_index()?)
    }

    /// The index of the edit that failed: known by the case, or the only one.
    pub(super) fn edit_index(&self) -> Option<usize> {
        let known = self.known.and_then(|known| known.edit);
        known.or_else(|| (self.is_match() && self.edited()?.old.len() == 1).then_some(0))
    }

    /// The text that was not found, or was found too often.
    pub(super) fn sought(&self) -> Option<&str> {
        let known = self.known.and_then(|known| known.sought.as_deref());
        known.or_else(|| self.edited()?.old.get(self.edit_index()?).map(String::as_str))
    }

    /// One diagnostic that lists all faults of one thing; empty if there are none. The requirement is that of
    /// the first fault, if the contract has it.
    pub(super) fn diagnostic(&self, faults: Vec<Fault>, help: &str) -> Vec<Diagnostic> {
        let Some(first) = faults.first() else { return Vec::new() };
        let known = self.context.contract.requirements.contains_key(first.requirement);
        let requirement = known.then(|| first.requirement.to_owned());
        let reported: Vec<String> = faults.into_iter().map(|fault| fault.what).collect();
        let mut diagnostic =
            Diagnostic::new(format!("`{}`: {}", self.context.called(), reported.join("; ")), help);
        diagnostic.requirement = requirement;
        diagnostic.evidence = self.context.reply();
        vec![diagnostic]
    }
}

/// One fault.
pub(super) struct Fault {
    requirement: &'static str,
    what: String,
}

impl Fault {
    pub(super) fn new(requirement: &'static str, what: impl Into<String>) -> Self {
        Self { requirement, what: what.into() }
    }
}
