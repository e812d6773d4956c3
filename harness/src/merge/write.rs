//! Writes what was merged: first everything, each file completely or not at all, then what it replaces is deleted.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file;
use crate::campaign::{CampaignRecord, FindingFile, JOURNAL, StoredInput, VALID_CALLS, head_of_valid_calls};
use crate::matrix::{self, RowRecord};

use super::Contents;

impl Contents {
    pub(super) fn write(
        &self,
        folder: &Path,
        working: &dyn Fn(&Path) -> PathBuf,
    ) -> Result<(), (PathBuf, io::Error)> {
        fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
        atomic_file::remove_abandoned(folder);
        let mut written: BTreeSet<PathBuf> = BTreeSet::new();
        let mut write_bytes = |path: PathBuf, bytes: &[u8]| {
            let is_there = fs::read(&path).is_ok_and(|there| there == bytes);
            if !is_there {
                atomic_file::write(&path, bytes).map_err(|error| (path.clone(), error))?;
            }
            written.insert(path);
            Ok(())
        };
        for server in self.servers.values() {
            if let (Some((name, _)), Some(page)) = (&server.report, &server.page) {
                let text = fs::read(page).map_err(|error| (page.clone(), error))?;
                write_bytes(matrix::page_of(&folder.join(name)), &text)?;
            }
        }
        let mut write = |path: PathBuf, text: &str| write_bytes(path, text.as_bytes());
        let working = working(folder);
        for found in self.findings.values() {
            let (path, file) = found.file(folder, &working);
            write(path, &file.text())?;
        }
        for stored in self.inputs.values() {
            write(folder.join(stored.file_name()), &stored.text())?;
        }
        if !self.valid.is_empty() {
            let lines = self.valid.values().map(|line| format!("{line}\n"));
            write(folder.join(VALID_CALLS), &(head_of_valid_calls() + "\n" + &lines.collect::<String>()))?;
        }
        if !self.campaigns.is_empty() {
            let texts: String = self.campaigns.values().map(CampaignRecord::text).collect();
            write(folder.join(JOURNAL), &texts)?;
        }
        for (name, text) in self.servers.values().filter_map(|server| server.report.as_ref()) {
            write(folder.join(name), text)?;
        }
        if !self.servers.is_empty() {
            let path = folder.join(matrix::JOURNAL);
            let rows: Vec<RowRecord> = self
                .servers
                .values()
                .map(|server| RowRecord { row: server.row(folder), ..server.record.clone() })
                .collect();
            let text = matrix::rows_text(&rows).map_err(|error| (path.clone(), error))?;
            write(path, &text)?;
        }
        delete_replaced(folder, &written)
    }
}

/// Deletes the findings and inputs in a folder that others take the place of.
fn delete_replaced(folder: &Path, written: &BTreeSet<PathBuf>) -> Result<(), (PathBuf, io::Error)> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if written.contains(&path) || path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let is_ours = serde_json::from_str::<StoredInput>(&text).is_ok()
            || serde_json::from_str::<FindingFile>(&text).is_ok();
        if is_ours {
            fs::remove_file(&path).map_err(|error| (path, error))?;
        }
    }
    Ok(())
}
