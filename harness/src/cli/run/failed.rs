//! `--failed`: which cases failed in the last run of a server in a folder.
//!
//! The main type is [`LastRun`]. Their ids are kept in a small file in the user's cache, as `cargo` and `npm` keep theirs, so
//! that no repository gets a file that nobody asked for. Without a place for it, or where it cannot be written, nothing is kept.

use std::collections::BTreeSet;
use std::path::PathBuf;

use mcp_errconf::judge::{Report, Status};
use sha2::{Digest as _, Sha256};

/// The file about the last run of a server in a folder.
pub(super) struct LastRun {
    file: Option<PathBuf>,
}

impl LastRun {
    /// The last run of the server with this command in the working folder.
    pub(super) fn of(command: &[String]) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        let mut hash = Sha256::new_with_prefix(folder.to_string_lossy().as_bytes());
        for word in command {
            hash.update([0]);
            hash.update(word);
        }
        let name: String = hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        Self {
            file: cache().map(|cache| cache.join("mcp-errconf").join("failed").join(format!("{name}.txt"))),
        }
    }

    /// The ids of the cases that failed.
    pub(super) fn failed(&self) -> Vec<String> {
        let text = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Keeps what failed now. What was not tried this time stays as it was, unless only what failed was asked for and it is
    /// no longer there.
    pub(super) fn keep(&self, report: &Report, only_failed: bool) {
        let Some(file) = &self.file else { return };
        let before = self.failed();
        let is_failed = |status| matches!(status, Status::Failed | Status::Errored);
        let tried = report.cases.iter().filter(|case| case.status != Status::Skipped);
        let tried: BTreeSet<&str> = tried.map(|case| case.id.0.as_str()).collect();
        let planned: BTreeSet<&str> = report.cases.iter().map(|case| case.id.0.as_str()).collect();
        let is_open = |id: &&str| !tried.contains(id) && (!only_failed || planned.contains(id));
        let failed = report.cases.iter().filter(|case| is_failed(case.status)).map(|case| case.id.0.as_str());
        let kept: BTreeSet<&str> = before.iter().map(String::as_str).filter(is_open).chain(failed).collect();
        if kept.iter().copied().eq(before.iter().map(String::as_str)) {
            return;
        }
        let lines: String = kept.iter().map(|id| format!("{id}\n")).collect();
        // A cache that cannot be written costs a later run no more than this option.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(file, lines);
    }
}

/// The folder in which programs keep what they can do without, by the conventions of the system.
fn cache() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    match () {
        () if cfg!(windows) => folder("LOCALAPPDATA"),
        () if cfg!(target_os = "macos") => Some(folder("HOME")?.join("Library").join("Caches")),
        () => folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache"))),
    }
}

/// A glob that matches these ids and no other.
pub(super) fn glob_of(ids: impl AsRef<[String]>) -> String {
    let ids = ids.as_ref().iter().map(|id| globset::escape(id).replace(',', "[,]"));
    format!("{{{}}}", ids.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use mcp_errconf::suite::filter;

    use super::*;

    #[test]
    fn the_glob_of_failed_cases_matches_these_alone() {
        let ids = ["read/missing-file", "probe/a,b/[x]/{y}*"].map(str::to_owned);
        let matcher = filter(&glob_of(&ids)).expect("it is a glob");
        assert!(ids.iter().all(|id| matcher.is_match(id)));
        for other in ["read/missing-files", "read", "probe/a", "probe/a,b/x/y", "probe/a,b/[x]/{y}z"] {
            assert!(!matcher.is_match(other), "{other}");
        }
    }
}
