//! The successful calls that a corpus keeps from one campaign to the next: a file with one call in each line.
//!
//! The main functions are [`read`] and [`write()`]. Paths of the harness's own folders are written as
//! `{workspace}` and `{outside}`, the address of its service as `{upstream}`. Calls that are read are only
//! proposals, which the next campaign tries first.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::drive::{ValidCall, ValidCalls};
use crate::placeholder::{Collapser, Folders};

use super::corpus::expanded;
use super::unwritten::{Purpose, Unwritten};

/// The name of the file in the corpus.
pub(crate) const FILE: &str = "valid-calls.jsonl";
/// The version of the file format.
const VERSION: u64 = 1;
/// A larger file was not written by this program.
const MOST_BYTES: u64 = 16 << 20;
/// At most this many calls are read.
const MOST: usize = 10_000;

/// The first line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct FileHead {
    valid_calls: u64,
}

/// The first line of the file.
pub(crate) fn head() -> String {
    serde_json::to_string(&FileHead { valid_calls: VERSION }).unwrap_or_default()
}

/// Whether this is the first line of a file of this version.
pub(crate) fn is_head(line: &str) -> bool {
    serde_json::from_str::<FileHead>(line).is_ok_and(|head| head.valid_calls == VERSION)
}

/// The calls of a corpus; empty if it has no such file. Lines that are not calls are skipped.
///
/// # Errors
/// If the file exists and cannot be read, or is of another version; with what to do.
pub(super) fn read(folder: &Path, folders: &Folders) -> io::Result<Vec<ValidCall>> {
    let path = folder.join(FILE);
    let Ok(found) = std::fs::metadata(&path) else { return Ok(Vec::new()) };
    let refused = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    if found.len() > MOST_BYTES {
        return Err(refused(format!("{FILE} is larger than {MOST_BYTES} bytes; delete it")));
    }
    let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
    let mut lines = text.lines();
    let Some(first) = lines.next() else { return Ok(Vec::new()) };
    match serde_json::from_str::<FileHead>(first) {
        Ok(FileHead { valid_calls: VERSION }) => {}
        Ok(FileHead { valid_calls }) => {
            return Err(refused(format!(
                "{FILE} is of version {valid_calls}, and this program reads version {VERSION}; delete it, or \
                 use another folder"
            )));
        }
        Err(_) => {
            return Err(refused(format!(
                "the first line of {FILE} does not say its version; delete it, or use another folder"
            )));
        }
    }
    let expanded = |line: &str| {
        let line = expanded(line, folders).replace("{upstream}", &folders.upstream);
        serde_json::from_str(&line).ok()
    };
    Ok(lines.filter_map(expanded).take(MOST).collect())
}

/// Writes the calls that were learnt, and those of the `kept` ones whose tools were not tried this time.
pub(super) fn write(
    folder: &Path,
    folders: &Folders,
    kept: &[ValidCall],
    learnt: &ValidCalls,
    unwritten: &Unwritten,
) {
    let is_settled =
        |tool: &String| learnt.valid.iter().any(|call| call.tool == *tool) || learnt.unknown.contains(tool);
    let others = kept.iter().filter(|call| !is_settled(&call.tool));
    let mut calls: Vec<&ValidCall> = learnt.valid.iter().chain(others).collect();
    calls.sort_by(|one, other| one.tool.cmp(&other.tool));
    if calls.is_empty() && kept.is_empty() {
        return;
    }
    let collapser = Collapser::new(folders);
    let collapsed = |call: &&ValidCall| {
        let mut call = (*call).clone();
        for arguments in std::iter::once(&mut call.arguments)
            .chain(call.first.iter_mut().map(|first| &mut first.arguments))
        {
            *arguments = collapser.value(arguments);
        }
        serde_json::to_string(&call).ok()
    };
    let lines: Vec<String> = std::iter::once(head()).chain(calls.iter().filter_map(collapsed)).collect();
    unwritten.write(&folder.join(FILE), Purpose::Corpus, lines.join("\n") + "\n");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::drive::FirstCall;
    use crate::judge::FoundBy;

    use super::super::corpus::tests::folders;
    use super::*;

    fn call(tool: &str, of: &str) -> ValidCall {
        let arguments = json!({"path": format!("{}/fuzz/x", folders(of).workspace), "n": 1});
        ValidCall {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            source: FoundBy::Refusals,
            words: Some("say \"x\"".to_owned()),
            once: tool == "create",
            first: vec![FirstCall { tool: "open".to_owned(), arguments }],
            new: None,
        }
    }

    fn learnt(valid: Vec<ValidCall>, unknown: &[&str]) -> ValidCalls {
        let unknown = unknown.iter().map(|tool| (*tool).to_owned()).collect();
        ValidCalls { valid, unknown, ..ValidCalls::default() }
    }

    #[test]
    fn what_was_learnt_is_there_in_the_next_campaign_with_its_own_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path(), &folders("a")).unwrap(), []);
        let (kept, unwritten) =
            ([call("gone", "a"), call("other", "a"), call("read", "b")], Unwritten::default());
        let now = learnt(vec![call("read", "a"), call("create", "a")], &["gone"]);
        write(folder.path(), &folders("a"), &kept, &now, &unwritten);
        let found = read(folder.path(), &folders("b")).unwrap();
        assert_eq!(found, [call("create", "b"), call("other", "b"), call("read", "b")]);
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(text.starts_with("{\"valid_calls\":1}\n") && !text.contains("/tmp/"), "{text}");
        assert!(unwritten.take().is_none());
    }

    #[test]
    fn another_version_is_refused_and_a_broken_line_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let whole = serde_json::to_string(&call("read", "a")).unwrap();
        std::fs::write(folder.path().join(FILE), format!("{{\"valid_calls\":1}}\nbroken\n{whole}\n"))
            .unwrap();
        assert_eq!(read(folder.path(), &folders("a")).unwrap(), [call("read", "a")]);
        for (text, cause) in [("{\"valid_calls\":2}\n", "version 2"), ("{}\n", "does not say its version")] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            let message = read(folder.path(), &folders("a")).unwrap_err().to_string();
            assert!(message.contains(cause) && message.contains("delete it"), "{message}");
        }
    }
}
