//! The expectation for an error about edits, with the file's content and the searched text of one run.

use crate::expectation::ExpectedEditing;
use crate::placeholder::Tokens;
use crate::suite::Script;

/// The case's expectation for such an error, with all tokens replaced.
pub(super) fn expected(script: &Script, tokens: &Tokens<'_>) -> Option<Box<ExpectedEditing>> {
    let editing = script.expect.editing.as_ref()?;
    let sought = editing.old_text(script.call.role, &script.call.arguments);
    let content = editing.occurs.and_then(|_| editing.content(script));
    Some(Box::new(ExpectedEditing {
        file: tokens.replace(&editing.file),
        file_index: editing.file_index,
        edit: editing.edit,
        skipped: editing.skipped.clone(),
        sought: sought.map(|text| tokens.replace(text)),
        content: content.map(|text| tokens.replace(&text)),
    }))
}
