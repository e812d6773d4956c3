//! `envelope/edit-status`: the list of edits that were not made is missing or wrong.

use std::sync::LazyLock;

use crate::contract::{ReportedEdit, StatusForm};
use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Rule, RuleCheck, RulePage, Tier};

use super::edits::{Edits, Fault};

/// EE-10: failed and skipped edits, and no other; EE-11: a preview has 40 characters at most.
pub(crate) static RULE: Rule = Rule {
    id: "envelope/edit-status",
    tier: Tier::Gated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["EE-10", "EE-11"],
    page: LazyLock::new(|| RulePage::read(include_str!("edit_status.toml"))),
    check: RuleCheck::Exchange(check),
};

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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::rules::envelope::edits::tests::{failure, fixture};

    fn reported(status: &Value, known: bool) -> String {
        let editing = json!({"file": "/workspace/a.txt", "file_index": null, "edit": 2, "skipped": [3, 4], "sought": "c", "content": null});
        let expected = failure("match-not-found", known.then_some(editing));
        let fixture = fixture(&json!({"file_path": "/workspace/a.txt", "edit_status": status}), expected);
        check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    fn of(states: &[(u64, &str)]) -> Value {
        let of = |(index, state): &(u64, &str)| json!({"edit_index": index, "status": state});
        states.iter().map(of).collect()
    }

    #[test]
    fn the_failed_edit_and_those_behind_it_are_listed_and_no_other() {
        let right = of(&[(2, "failed"), (3, "skipped"), (4, "skipped")]);
        assert_eq!((reported(&right, true), reported(&right, false)), (String::new(), String::new()));
        for (states, words) in [
            (of(&[(2, "failed")]), "does not contain edit 3, which is `skipped`"),
            (
                of(&[(0, "applied"), (2, "failed"), (3, "skipped"), (4, "skipped")]),
                "contains edit 0, but edit 2",
            ),
            (of(&[(2, "failed"), (3, "failed"), (4, "skipped")]), "says `failed` for edit 3"),
            (
                of(&[(2, "failed"), (3, "skipped"), (4, "skipped"), (5, "skipped")]),
                "contains edit 5, but the file has 5",
            ),
            (of(&[]), "does not contain edit 2, which is `failed`"),
            (Value::Null, "`/edit_status` is missing"),
        ] {
            assert!(reported(&states, true).contains(words), "{}", reported(&states, true));
        }
        assert!(reported(&of(&[(3, "skipped")]), false).contains("no edit that is `failed`"));
    }

    #[test]
    fn a_preview_is_a_short_beginning_of_the_old_text() {
        let of = |preview: &str| {
            json!([
                {"edit_index": 2, "status": "failed", "old_string_preview": preview},
                {"edit_index": 3, "status": "skipped"}, {"edit_index": 4, "status": "skipped"},
            ])
        };
        assert_eq!(reported(&of("c"), true), "");
        assert_eq!(reported(&of("..."), true), "");
        assert!(reported(&of("d"), true).contains("is not the beginning of its old text"));
        assert!(reported(&of(&"c".repeat(41)), true).contains("has 41 characters, more than 40"));
    }

    #[test]
    fn a_preview_is_cut_anywhere_and_may_show_line_ends_in_another_way() {
        let reported = |old: &str, preview: &str| {
            let status = json!([
                {"edit_index": 2, "status": "failed", "old_string_preview": preview},
                {"edit_index": 3, "status": "skipped"}, {"edit_index": 4, "status": "skipped"},
            ]);
            let mut fixture = fixture(
                &json!({"file_path": "/workspace/a.txt", "edit_status": status}),
                failure("match-not-found", None),
            );
            fixture.exchange.call.arguments["edits"][2]["old_string"] = json!(old);
            check(&fixture.context()).into_iter().map(|diagnostic| diagnostic.message).collect::<String>()
        };
        let long = "x".repeat(60);
        for (old, preview) in [
            ("one two", "one..."),
            ("one two", "one\u{2026}"),
            ("wait... and go", "wait..."),
            ("one\n\ttwo\nthree", "one two"),
            ("one\ntwo", r"one\ntwo"),
            (r"say\nmore", r"say\..."),
            (&long, &long[..40]),
        ] {
            assert_eq!(reported(old, preview), "", "{old:?}: {preview:?}");
        }
        assert!(reported("one\ntwo", "one three").contains("is not the beginning of its old text"));
        assert!(reported(&long, &long[..41]).contains("has 41 characters, more than 40"));
    }

    #[test]
    fn a_list_is_due_only_where_one_of_several_edits_failed() {
        let missed = |condition: &str, code: &str, arguments: Value| {
            let mut fixture = fixture(&json!({"error_code": code}), failure(condition, None));
            fixture.exchange.call.arguments = arguments;
            check(&fixture.context()).len()
        };
        let listed =
            || json!({"file_path": "/workspace/a.txt", "edits": [{"old_string": "a", "new_string": "b"}]});
        let unlisted = json!({"file_path": "/workspace/a.txt", "edits": "a"});
        assert_eq!(missed("match-not-found", "MATCH_NOT_FOUND", listed()), 1);
        assert_eq!(missed("match-not-found", "MATCH_NOT_FOUND", unlisted), 0);
        assert_eq!(missed("missing-argument", "VALIDATION_FAILED", listed()), 0);
    }
}
