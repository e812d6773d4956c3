//! `envelope/edit-status`: the list of edits that were not made is missing or wrong.

use crate::contract::{ReportedEdit, StatusForm};
use crate::finding::Diagnostic;
use crate::rules::{Context, Rule};

use super::edits::{Edits, Fault};

/// EE-10: failed and skipped edits, and no other; EE-11: a preview has 40 characters at most.
pub(crate) static RULE: Rule =
    Rule::of_reply("envelope/edit-status", include_str!("edit_status.toml"), check);

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let Some(edits) = Edits::of(context) else { return Vec::new() };
    let Some(form) = &edits.form.status else { return Vec::new() };
    let reported = form.read(edits.data);
    let mut faults = Vec::new();
    if edits.is_match() && edits.is_list() {
        match &reported {
            Some(reported) => faults.extend(states(&edits, form, reported)),
            None => {
                let what = format!("`{}` is missing, although an edit failed", form.list);
                faults.push(Fault::new("EE-10", what));
            }
        }
    }
    faults.extend(reported.iter().flatten().filter_map(|reported| preview(&edits, form, reported)));
    let help = "List the edit that failed and each one after it as skipped, and no others; truncate each \
        preview by characters.";
    edits.diagnostic(faults, help)
}

/// The faults in the states of the edits.
fn states(edits: &Edits<'_>, form: &StatusForm, reported: &[ReportedEdit<'_>]) -> Vec<Fault> {
    let fault = |what: String| Fault::new("EE-10", format!("`{}` {what}", form.list));
    // If the case does not know which edit failed, the reported list decides.
    let of_list = || {
        let failed = reported.iter().find(|edit| edit.state == Some(form.failed.as_str()))?;
        usize::try_from(failed.index?).ok()
    };
    let Some(failed) = edits.edit_index().or_else(of_list) else {
        return vec![fault(format!("has no edit that is `{}`", form.failed))];
    };
    let mut faults = Vec::new();
    let mut listed = Vec::new();
    for edit in reported {
        let index = edit.index.and_then(|index| usize::try_from(index).ok());
        let Some(index) = index else {
            faults.push(fault("has an item without the index of an edit".to_owned()));
            continue;
        };
        listed.push(index);
        let due = if index == failed { &form.failed } else { &form.skipped };
        if index < failed {
            faults.push(fault(format!("contains edit {index}, but edit {failed} is the one that failed")));
        } else if edit.state != Some(due.as_str()) {
            let state = edit.state.unwrap_or("nothing");
            faults.push(fault(format!("says `{state}` for edit {index}, which is `{due}`")));
        }
    }
    let Some(edited) = edits.edited() else { return faults };
    faults.extend(listed.iter().filter(|index| **index >= edited.old.len()).map(|index| {
        fault(format!("contains edit {index}, but the file has {} (counted from 0)", edited.old.len()))
    }));
    faults.extend((failed..edited.old.len()).filter(|index| !listed.contains(index)).map(|index| {
        let due = if index == failed { &form.failed } else { &form.skipped };
        fault(format!("does not contain edit {index}, which is `{due}`"))
    }));
    faults
}

/// The fault of a preview, if any.
fn preview(edits: &Edits<'_>, form: &StatusForm, reported: &ReportedEdit<'_>) -> Option<Fault> {
    let preview = reported.preview?;
    let length = preview.chars().count();
    if length > form.longest_preview {
        let what = format!(
            "a preview in `{}` has {length} characters, more than {}",
            form.list, form.longest_preview
        );
        return Some(Fault::new("EE-11", what));
    }
    let index = usize::try_from(reported.index?).ok()?;
    let old = edits.edited()?.old.get(index)?;
    let cut = ["...", "\u{2026}"].iter().find_map(|end| preview.strip_suffix(end)).unwrap_or(preview);
    // Line ends may be shown in another form.
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace("\\n", " ");
    (!old.starts_with(cut) && !plain(old).starts_with(&plain(cut))).then(|| {
        Fault::new(
            "EE-10",
            format!("the preview of edit {index} in `{}` is not the beginning of its old text", form.list),
        )
    })
}
