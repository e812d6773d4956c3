//! Reads what folders hold; files that other programs wrote are passed over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::campaign::{self, CampaignRecord, FindingFile, JOURNAL, StoredInput, VALID_CALLS};
use crate::matrix;

use super::finding::MergedFinding;
use super::servers::MergedServer;
use super::{Contents, Shards, corpus, put};

/// How deep below a folder its folders are read.
const DEEPEST: usize = 3;

impl Shards {
    /// Reads a folder and those below it.
    ///
    /// # Errors
    /// If the folder itself cannot be read.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut shards = Self::default();
        fs::read_dir(folder)?;
        read_below(folder, Path::new(""), &mut shards);
        Ok(shards)
    }
}

fn read_below(folder: &Path, place: &Path, shards: &mut Shards) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let mut contents = Contents::default();
    let servers = read_servers(folder, shards).map(|server| (server.id(), server));
    put(&mut contents.servers, servers, MergedServer::join);
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(kind) = path.symlink_metadata() else { continue };
        if kind.is_dir() {
            if place.components().count() < DEEPEST && !name.starts_with('.') {
                read_below(&path, &place.join(&name), shards);
            }
        } else if kind.is_file() {
            let is_report = contents
                .servers
                .values()
                .any(|server| server.report.as_ref().is_some_and(|(report, _)| *report == name));
            if !is_report {
                read_file(&path, &name, &mut contents, shards);
            }
        }
    }
    shards.places.entry(place.to_owned()).or_default().join(contents);
}

fn read_file(path: &Path, name: &str, contents: &mut Contents, shards: &mut Shards) {
    let place = path.display();
    if name.ends_with(crate::server::PART) {
        shards.left_out.insert(format!("{place} was still being written: it is left out"));
        return;
    }
    let is_ours = name == JOURNAL || name == VALID_CALLS || name.ends_with(".json");
    let Some(bytes) = is_ours.then(|| fs::read(path).ok()).flatten() else { return };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match name {
        JOURNAL => {
            let (records, whole) = campaign::read_journal(&text);
            if whole < text.len() {
                shards.left_out.insert(format!("{place}: the last line is not whole: it is left out"));
            }
            let records = records.into_iter().map(|record| (record.id.clone(), record));
            put(&mut contents.campaigns, records, CampaignRecord::further);
        }
        VALID_CALLS => {
            let tool = |line: &str| {
                let call: Value = serde_json::from_str(line).ok()?;
                Some((call.get("tool")?.as_str()?.to_owned(), line.to_owned()))
            };
            let mut lines = text.lines();
            if lines.next().is_some_and(campaign::is_head_of_valid_calls) {
                contents.valid.extend(lines.filter_map(tool));
            }
        }
        _ => {
            if let Ok(stored) = serde_json::from_str::<StoredInput>(&text) {
                put(&mut contents.inputs, [(corpus::id(&stored), stored)], corpus::smaller);
            } else if let Ok(file) = serde_json::from_str::<FindingFile>(&text) {
                let found = MergedFinding::new(file);
                put(&mut contents.findings, [(found.id(), found)], MergedFinding::join);
            } else if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_err() {
                shards.left_out.insert(format!("{place} is not whole: it is left out"));
            }
        }
    }
}

/// The results of a matrix, with the reports that are there.
fn read_servers(folder: &Path, shards: &mut Shards) -> impl Iterator<Item = MergedServer> {
    let path = folder.join(matrix::JOURNAL);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let (records, is_whole) = matrix::read_rows(&text);
    if !is_whole {
        let place = path.display();
        shards.left_out.insert(format!("{place}: the last line is not whole: it is left out"));
    }
    records.into_iter().map(move |mut record| {
        let report = record.row.report.take().and_then(|report| {
            let name = Path::new(&report).file_name()?.to_str()?.to_owned();
            let text = fs::read_to_string(folder.join(&name)).ok()?;
            Some((name, text))
        });
        let page = report.as_ref().map(|(name, _)| matrix::page_of(&folder.join(name)));
        MergedServer { record, report, page: page.filter(|page| page.is_file()) }
    })
}
