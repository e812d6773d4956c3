//! Merges the folders of several campaigns, or of several parts of a matrix, into one.
//!
//! The main type is [`Shards`]: what the folders hold. Joining two is the same in either order and however they are grouped,
//! and nothing changes by joining the same one twice. What was not written completely is left out, and is said.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::campaign::{CampaignId, CampaignRecord, merged_report};
use crate::conclusion::Conclusion;
use crate::finding::Finding;
use crate::judge::{Report, Strictness};
use crate::matrix::MatrixTable;

mod corpus;
mod finding;
mod read;
mod servers;
mod write;

pub use corpus::{Minimised, minimise};

use corpus::InputId;
use finding::{FindingId, MergedFinding};
use servers::{MergedServer, ServerId};

/// What folders hold, by the folder below them that it is in.
#[derive(Debug, Clone, Default)]
pub struct Shards {
    places: BTreeMap<PathBuf, Contents>,
    /// What was left out, and why.
    left_out: BTreeSet<String>,
}

/// What one folder holds.
#[derive(Debug, Clone, Default)]
struct Contents {
    findings: BTreeMap<FindingId, MergedFinding>,
    inputs: BTreeMap<InputId, crate::campaign::StoredInput>,
    /// By tool, the line with its successful call.
    valid: BTreeMap<String, String>,
    campaigns: BTreeMap<CampaignId, CampaignRecord>,
    servers: BTreeMap<ServerId, MergedServer>,
}

impl Shards {
    /// What both hold.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        for (place, contents) in other.places {
            let own = self.places.entry(place).or_default();
            own.join(contents);
        }
        self.left_out.extend(other.left_out);
        self
    }

    /// Writes everything to a folder; `working` is the folder in which a finding's server is started, relative to those of
    /// the findings.
    ///
    /// # Errors
    /// If a file cannot be written; with its path.
    pub fn write(&self, into: &Path, working: &dyn Fn(&Path) -> PathBuf) -> Result<(), (PathBuf, io::Error)> {
        for (place, contents) in &self.places {
            let folder = if place.as_os_str().is_empty() { into.to_owned() } else { into.join(place) };
            contents.write(&folder, working)?;
        }
        Ok(())
    }

    /// What was left out, which campaigns did not end, and which shards are missing.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks: Vec<String> = self.left_out.iter().cloned().collect();
        for contents in self.places.values() {
            for record in contents.campaigns.values().filter(|record| record.end.is_none()) {
                remarks.push(format!(
                    "shard {} did not end: what it had found after {} calls is merged",
                    record.id.shard, record.figures.calls
                ));
            }
            remarks.extend(missing(contents.campaigns.keys().map(|id| id.shard.as_str())));
        }
        remarks
    }

    /// How many findings, inputs and servers there are.
    pub fn counts(&self) -> [usize; 3] {
        let sum = |count: fn(&Contents) -> usize| self.places.values().map(count).sum();
        [
            sum(|contents| contents.findings.len()),
            sum(|contents| contents.inputs.len()),
            sum(|contents| contents.servers.len()),
        ]
    }

    /// The report of the campaigns; `None` if there is none.
    ///
    /// # Errors
    /// If they are about several servers, or none got as far as its first call.
    pub fn report(
        &self,
        folder: &Path,
        strictness: Strictness,
    ) -> Result<Option<(Report, Conclusion)>, String> {
        let records: Vec<&CampaignRecord> =
            self.places.values().flat_map(|contents| contents.campaigns.values()).collect();
        let servers: BTreeSet<String> = records.iter().map(|record| record.id.server.join(" ")).collect();
        let servers: Vec<String> = servers.into_iter().collect();
        match &servers[..] {
            [] => return Ok(None),
            [_] => {}
            [one, other, ..] => {
                return Err(format!(
                    "these are campaigns on several servers, such as `{one}` and `{other}`: merge those on each server on their own"
                ));
            }
        }
        let findings = self.places.iter().flat_map(|(place, contents)| {
            let folder = folder.join(place);
            contents.findings.values().map(move |found| found.finding(&folder))
        });
        let findings: Vec<Finding> = findings.collect();
        match merged_report(&records, findings, strictness) {
            Some(merged) => Ok(Some(merged)),
            None => Err("no campaign got as far as its first call: there is nothing to report".to_owned()),
        }
    }

    /// The table of the servers; `None` if there is none.
    pub fn table(&self, folder: &Path) -> Option<MatrixTable> {
        let rows = self.places.iter().flat_map(|(place, contents)| {
            let folder = folder.join(place);
            contents.servers.values().map(move |server| server.row(&folder))
        });
        let rows: Vec<_> = rows.collect();
        (!rows.is_empty()).then(|| MatrixTable::new(rows))
    }
}

impl Contents {
    fn join(&mut self, other: Self) {
        let shorter =
            |one: String, other: String| if (one.len(), &one) <= (other.len(), &other) { one } else { other };
        put(&mut self.findings, other.findings, MergedFinding::join);
        put(&mut self.inputs, other.inputs, corpus::smaller);
        put(&mut self.valid, other.valid, shorter);
        put(&mut self.campaigns, other.campaigns, CampaignRecord::further);
        put(&mut self.servers, other.servers, MergedServer::join);
    }
}

/// Adds entries to a map; of two with the same key `both` makes one.
fn put<K: Ord, V>(into: &mut BTreeMap<K, V>, entries: impl IntoIterator<Item = (K, V)>, both: fn(V, V) -> V) {
    for (key, value) in entries {
        let value = match into.remove(&key) {
            Some(own) => both(own, value),
            None => value,
        };
        into.insert(key, value);
    }
}

/// Which shards are missing, given the names of those that are there.
fn missing<'s>(shards: impl Iterator<Item = &'s str>) -> Option<String> {
    let numbers = shards.filter_map(|shard| shard.split_once('/'));
    let numbers: BTreeSet<(u64, u64)> =
        numbers.filter_map(|(number, count)| Some((count.parse().ok()?, number.parse().ok()?))).collect();
    let count = numbers.iter().map(|(count, _)| *count).max()?;
    let missing: Vec<u64> = (1..=count).filter(|number| !numbers.contains(&(count, *number))).collect();
    let ranges = missing.chunk_by(|one, next| one + 1 == *next).map(|range| match range {
        [one] => format!("{one}/{count}"),
        [first, .., last] => format!("{first}/{count} to {last}/{count}"),
        [] => String::new(),
    });
    let ranges: Vec<String> = ranges.collect();
    (!ranges.is_empty()).then(|| format!("these shards are missing: {}", ranges.join(", ")))
}

#[cfg(test)]
mod tests;
