//! The journal of a matrix: the row of each server that was judged, so that a killed one goes on with the next.
//!
//! The main type is [`MatrixJournal`]. A line that was not written completely is the last one, and is left out.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cause;
use crate::shard::Shard;
use crate::signature::fingerprint;

use super::{MatrixEntry, MatrixRow};

/// The name of the file, beside the reports.
pub(crate) const JOURNAL: &str = "matrix.ndjson";
/// The version of the format.
const VERSION: u32 = 1;
/// Exit codes after which another try may give another result.
pub(crate) const FOR_NOW: [u8; 2] = [70, 130];

/// What makes two starts parts of one matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixId {
    version: u32,
    /// The fingerprint of the servers and their settings.
    plan: String,
    shard: String,
}

impl MatrixId {
    /// That of these servers, of which one shard is judged.
    pub fn new<'e>(entries: impl Iterator<Item = &'e MatrixEntry>, shard: Shard) -> Self {
        // The place in the file says nothing of the server.
        let text =
            |entry: &MatrixEntry| format!("{:?}", MatrixEntry { place: String::new(), ..entry.clone() });
        let entries: Vec<String> = entries.map(text).collect();
        let plan = fingerprint(&entries.iter().map(String::as_str).collect::<Vec<_>>());
        Self { version: VERSION, plan, shard: shard.to_string() }
    }
}

/// The row of a server, with its place in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowRecord {
    /// From 0.
    pub position: usize,
    /// What it came to.
    pub row: MatrixRow,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Matrix(MatrixId),
    Row(Box<RowRecord>),
    Ended(bool),
}

/// What a journal says.
#[derive(Default)]
struct Recorded {
    id: Option<MatrixId>,
    rows: BTreeMap<usize, RowRecord>,
    is_ended: bool,
    /// How many bytes of it are whole lines of this format.
    whole: usize,
}

fn read(text: &str) -> Recorded {
    let mut recorded = Recorded::default();
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n').map(serde_json::from_str) {
            Some(Ok(Line::Matrix(id))) => recorded.id = Some(id),
            Some(Ok(Line::Row(record))) => {
                recorded.rows.insert(record.position, *record);
            }
            Some(Ok(Line::Ended(is_ended))) => recorded.is_ended = is_ended,
            Some(Err(_)) | None => break,
        }
        recorded.whole += line.len();
    }
    recorded
}

/// The rows of a journal, and whether all of its lines are whole.
pub(crate) fn read_rows(text: &str) -> (Vec<RowRecord>, bool) {
    let recorded = read(text);
    (recorded.rows.into_values().collect(), recorded.whole == text.len())
}

/// The journal with these rows of several parts.
pub(crate) fn rows_text(rows: &[RowRecord]) -> io::Result<String> {
    let id = MatrixId { version: VERSION, plan: String::new(), shard: Shard::WHOLE.to_string() };
    let mut lines = vec![Line::Matrix(id)];
    lines.extend(rows.iter().map(|record| Line::Row(Box::new(record.clone()))));
    lines.push(Line::Ended(true));
    lines.iter().map(|line| Ok(serde_json::to_string(line)? + "\n")).collect()
}

/// Whether a matrix that did not end goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierMatrix {
    /// It goes on.
    Continue,
    /// It is forgotten.
    Forget,
}

/// The journal of a matrix that runs. Without a folder nothing is written.
#[derive(Debug)]
pub struct MatrixJournal(Option<File>);

impl MatrixJournal {
    /// Opens the journal in a folder; with the rows of the servers that were judged, if that matrix did not end.
    ///
    /// # Errors
    /// If another matrix is in that folder, or the file cannot be written.
    pub fn open(
        folder: Option<&Path>,
        id: &MatrixId,
        earlier: EarlierMatrix,
    ) -> Result<(Self, BTreeMap<usize, MatrixRow>), String> {
        let Some(folder) = folder else { return Ok((Self(None), BTreeMap::new())) };
        let (place, path) = (folder.display(), folder.join(JOURNAL));
        let unopened = |error: io::Error| {
            format!(
                "cannot write `{}`: {}; give another folder with `--keep`",
                path.display(),
                cause::describe(&error)
            )
        };
        let mut file = File::options().read(true).append(true).create(true).open(&path).map_err(unopened)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!(
                    "another matrix is writing to `{place}`: give each its own folder with `--keep`, and `mcp-errconf \
                     merge` them"
                ));
            }
            Err(TryLockError::Error(error)) => return Err(unopened(error)),
        }
        let mut text = String::new();
        // What is no text was not written by this program, and is replaced.
        let _ = file.read_to_string(&mut text);
        let recorded = read(&text);
        if let (EarlierMatrix::Continue, false, Some(before)) = (earlier, recorded.is_ended, &recorded.id) {
            if before != id {
                return Err(format!(
                    "`{place}` holds a matrix that did not end, of other servers, settings or another shard (`{}`, now `{}`); \
                     give another folder with `--keep`, or `--fresh` to start over there",
                    before.shard, id.shard
                ));
            }
            file.set_len(recorded.whole as u64).map_err(unopened)?;
            let rows = recorded.rows.into_values().map(|record| (record.position, record.row));
            let rows = rows.filter(|(_, row)| !FOR_NOW.contains(&row.exit_code)).collect();
            return Ok((Self(Some(file)), rows));
        }
        file.set_len(0).map_err(unopened)?;
        let mut journal = Self(Some(file));
        journal.write(&Line::Matrix(id.clone())).map_err(unopened)?;
        Ok((journal, BTreeMap::new()))
    }

    /// Notes that a server was judged.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn judged(&mut self, position: usize, row: &MatrixRow) -> io::Result<()> {
        self.write(&Line::Row(Box::new(RowRecord { position, row: row.clone() })))
    }

    /// Notes that all were judged.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn end(&mut self) -> io::Result<()> {
        self.write(&Line::Ended(true))
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        file.write_all((serde_json::to_string(line)? + "\n").as_bytes())?;
        file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(shard: (u64, u64)) -> MatrixId {
        let shard = Shard::new(shard.0, shard.1).unwrap();
        MatrixId::new([MatrixEntry::default()].iter(), shard)
    }

    fn open(folder: &Path, id: &MatrixId) -> Result<(MatrixJournal, BTreeMap<usize, MatrixRow>), String> {
        MatrixJournal::open(Some(folder), id, EarlierMatrix::Continue)
    }

    #[test]
    fn servers_that_were_judged_are_known_again_until_the_matrix_ends() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, rows) = open(folder.path(), &id((1, 2))).unwrap();
        assert!(rows.is_empty());
        assert!(open(folder.path(), &id((1, 2))).unwrap_err().contains("another matrix is writing"));
        for (position, exit_code) in [(0, 3), (2, 70), (4, 130)] {
            let row = MatrixRow::not_run("a", "b".to_owned(), exit_code);
            journal.judged(position, &row).unwrap();
        }
        drop(journal);
        // A line that was cut is left out.
        let path = folder.path().join(JOURNAL);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.clone() + "{\"row\":{\"posi").unwrap();
        let (mut journal, rows) = open(folder.path(), &id((1, 2))).unwrap();
        assert_eq!(rows.keys().copied().collect::<Vec<_>>(), [0], "others are worth another try");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        journal.end().unwrap();
        drop(journal);
        assert!(open(folder.path(), &id((2, 2))).unwrap().1.is_empty(), "an ended one is replaced");
        let other = open(folder.path(), &id((1, 2))).unwrap_err();
        assert!(other.contains("`2/2`, now `1/2`") && other.contains("--fresh"), "{other}");
    }
}
