//! One finding of several campaigns: the smallest calls that show it, and how often each campaign saw it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::campaign::{FindingFile, finding_path, replay_command};
use crate::finding::{Finding, Level};

/// At most this many calls that show a finding are kept beside its input.
const EXAMPLES: usize = 9;

/// What identifies a finding: the rule, the tool, and what tells it from others of both.
pub(super) type FindingId = (String, Option<String>, String);

/// A finding without what depends on the folder it is in.
#[derive(Debug, Clone)]
pub(super) struct MergedFinding {
    file: FindingFile,
    seeds: BTreeMap<u64, usize>,
    /// By length and text.
    examples: BTreeSet<(usize, String)>,
}

impl MergedFinding {
    pub(super) fn new(mut file: FindingFile) -> Self {
        let count = file.finding.count;
        let mut seeds = std::mem::take(&mut file.seeds);
        if seeds.is_empty() {
            seeds.insert(file.seed, count);
        }
        let examples = std::mem::take(&mut file.finding.examples);
        let examples = examples.iter().map(ToString::to_string).map(|text| (text.len(), text)).collect();
        file.finding.count = 0;
        file.finding.replay = None;
        file.replay.clear();
        if let Some(server) = file.server.as_mut().filter(|server| server.folder.is_relative()) {
            server.folder = PathBuf::new();
        }
        Self { file, seeds, examples }
    }

    pub(super) fn id(&self) -> FindingId {
        let FindingFile { rule, finding, mark, .. } = &self.file;
        let mark = mark.clone().unwrap_or_else(|| finding.signature.clone());
        (rule.clone(), finding.tool.clone(), mark)
    }

    /// The order of files that show the same: confirmed before others, then the most severe, then the smallest.
    fn rank(&self) -> (bool, bool, Reverse<Level>, usize, String) {
        let FindingFile { finding, input, .. } = &self.file;
        let text = serde_json::to_string(&self.file).unwrap_or_default();
        let size = input.to_string().len();
        (finding.unconfirmed.is_some(), finding.stable != Some(true), Reverse(finding.level), size, text)
    }

    pub(super) fn join(self, other: Self) -> Self {
        let mut seeds = self.seeds.clone();
        for (seed, count) in &other.seeds {
            let own = seeds.entry(*seed).or_default();
            *own = (*own).max(*count);
        }
        let examples = self.examples.iter().chain(&other.examples).cloned();
        let examples = examples.collect::<BTreeSet<_>>().into_iter().take(EXAMPLES).collect();
        let file = if self.rank() <= other.rank() { self.file } else { other.file };
        Self { file, seeds, examples }
    }

    /// The finding as it is reported; its file is in this folder.
    pub(super) fn finding(&self, folder: &Path) -> Finding {
        let finding = &self.file.finding;
        let path = finding_path(folder, finding);
        let read = |(_, text): &(usize, String)| serde_json::from_str::<Value>(text).ok();
        Finding {
            count: self.seeds.values().sum(),
            examples: self.examples.iter().filter_map(read).collect(),
            replay: Some(replay_command(&path)),
            ..finding.clone()
        }
    }

    /// The file in this folder; its server is started in `working`, relative to that.
    pub(super) fn file(&self, folder: &Path, working: &Path) -> (PathBuf, FindingFile) {
        let mut file = self.file.clone();
        file.finding = self.finding(folder);
        file.replay = file.finding.replay.clone().unwrap_or_default();
        file.seeds.clone_from(&self.seeds);
        if let Some(server) = file.server.as_mut().filter(|server| server.folder.as_os_str().is_empty()) {
            server.folder = working.to_owned();
        }
        (finding_path(folder, &file.finding), file)
    }
}
