//! What a message says about a path: that it leads to the wrong kind of thing, to nothing, or starts in the
//! wrong place.

use std::ops::Range;

use super::requested::{RequestedChange, RequestedPath, StatedChange};
use super::slot::ArgumentSlot;
use crate::generate::{named, plain_name};
use crate::{pattern, words};

/// What a message asks for regarding the path that was sent.
pub(super) fn stated_change(text: &str, slot: &ArgumentSlot) -> Option<StatedChange> {
    let is_text = slot.takes("string") && slot.sent.as_ref().is_none_or(serde_json::Value::is_string);
    if !is_text {
        return None;
    }
    let sent = slot.sent_text().unwrap_or_default();
    let may_be_path = slot.is_path() || sent.contains('/');
    if let Some(found) = pattern!("kind/root")
        .captures(text)
        .filter(|_| may_be_path)
        .and_then(|found| found.name("root").or_else(|| found.name("in")))
    {
        let root = found.as_str().trim_end_matches(['.', '/', ',', ':']);
        if !sent.starts_with(root) {
            return Some((RequestedChange::Path(RequestedPath::Below(root.to_owned())), found.range()));
        }
    }
    if let Some((endings, at)) = endings(text).filter(|_| slot.is_path() || sent.contains('.')) {
        return Some((RequestedChange::Path(RequestedPath::Ending(endings)), at));
    }
    if let Some(found) = pattern!("value/no-such-files").captures(text) {
        let ending = found["ending"].to_ascii_lowercase();
        let is_stocked = named(&ending).is_some() && !sent.ends_with(&format!("/of-{ending}"));
        if is_stocked {
            return Some((RequestedChange::Path(RequestedPath::FolderOf(ending)), found.get_match().range()));
        }
    }
    if let Some(found) = pattern!("kind/configuration").find(text).filter(|_| !sent.contains("/project")) {
        return Some((RequestedChange::Path(RequestedPath::Project), found.range()));
    }
    let requested = if pattern!("kind/repository").is_match(text) {
        may_be_repository(slot).then_some(RequestedPath::Repository)?
    } else if sent.starts_with('/') && asks_for_relative(text) {
        RequestedPath::Relative
    } else if pattern!("kind/absolute").is_match(text) {
        (!sent.starts_with('/')).then_some(RequestedPath::Absolute)?
    } else if asks_for_relative(text) {
        return None;
    } else if pattern!("kind/not-a-folder").is_match(text) {
        match pattern!("kind/folder").is_match(text) {
            true => RequestedPath::FolderNotFile,
            false => RequestedPath::Folder,
        }
    } else if pattern!("kind/not-a-file").is_match(text) {
        let is_of_type = text.to_ascii_lowercase().contains("file type") && !slot.is_path();
        (!is_of_type).then_some(RequestedPath::FileNotFolder)?
    } else if pattern!("kind/no-such-file").is_match(text) {
        RequestedPath::File
    } else {
        let endings = named_kinds(text, &sent);
        (slot.is_path() && !endings.is_empty()).then_some(RequestedPath::Ending(endings))?
    };
    Some((RequestedChange::Path(requested), 0..text.len()))
}

/// The extensions of the kinds of files that a text names besides the one that was sent: "File is not a PDF", "Expected .pptx".
fn named_kinds(text: &str, sent: &str) -> Vec<String> {
    let kind = |word: &str| {
        let word = word.trim_matches(|letter: char| ",;:'\"`()!".contains(letter)).trim_end_matches('.');
        let is_kind =
            word.starts_with('.') || word.len() > 2 && word.bytes().all(|letter| letter.is_ascii_uppercase());
        let ending = word.trim_start_matches('.').to_ascii_lowercase();
        let is_other = named(&ending).is_some() && !sent.ends_with(&format!(".{ending}"));
        (is_kind && is_other).then_some(ending)
    };
    text.split_whitespace().filter_map(kind).collect()
}

/// Whether a text asks for a path that is not absolute, or for the bare name of a file.
pub(crate) fn asks_for_relative(text: &str) -> bool {
    let lower = text.to_lowercase();
    pattern!("kind/relative").is_match(text)
        || words!("messages/bare-name").iter().any(|words| lower.contains(words))
}

/// Whether a parameter may take a repository: it takes a folder, whether or not one was sent.
pub(super) fn may_be_repository(slot: &ArgumentSlot) -> bool {
    let name = plain_name(&slot.name);
    let is_of_file = name.contains("file") || slot.is_item();
    let names_one =
        ["repo", "repository", "repopath", "project", "workingdirectory"].contains(&name.as_str());
    slot.takes("string") && !is_of_file && (slot.is_path() || names_one)
}

/// The file extensions that a message asks for: "Supported formats: json, yaml", "must end with .csv", "No CSV
/// files".
fn endings(text: &str) -> Option<(Vec<String>, Range<usize>)> {
    let unread =
        pattern!("value/unread").captures(text).and_then(|found| found.name("a").or_else(|| found.name("b")));
    if let Some(ending) = unread.filter(|ending| named(&ending.as_str().to_ascii_lowercase()).is_some()) {
        return Some((vec![ending.as_str().to_ascii_lowercase()], ending.range()));
    }
    let dotted = pattern!("value/endings-in-brackets").captures(text).and_then(|found| found.name("list"));
    let listed = dotted.or_else(|| {
        let found = pattern!("value/ending").find(text)?;
        pattern!("value/endings")
            .compiled()
            .captures_at(text, found.start())
            .and_then(|found| found.name("list"))
    })?;
    let endings: Vec<String> = listed
        .as_str()
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|ending| ending.len() > 1 && !["or", "and"].contains(ending))
        .map(str::to_ascii_lowercase)
        .collect();
    (!endings.is_empty()).then(|| (endings, listed.range()))
}
