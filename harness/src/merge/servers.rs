//! The result for one server of a matrix, with its own report.

use std::path::{Path, PathBuf};

use crate::matrix::{FOR_NOW, MatrixRow, RowRecord};

/// The server's place in the file of the matrix, and its name.
pub(super) type ServerId = (usize, String);

/// A result without the path of the report.
#[derive(Debug, Clone)]
pub(super) struct MergedServer {
    pub(super) record: RowRecord,
    /// The name of the file with its report, and what is in it.
    pub(super) report: Option<(String, String)>,
    /// The file with its page, which is copied.
    pub(super) page: Option<PathBuf>,
}

impl MergedServer {
    pub(super) fn id(&self) -> ServerId {
        (self.record.position, self.record.row.name.clone())
    }

    /// The order of results for the same server: final ones, and those with a report, come first.
    fn rank(&self) -> (bool, [bool; 2], String, Option<&(String, String)>) {
        let row = &self.record.row;
        let text = serde_json::to_string(&self.record).unwrap_or_default();
        let lacks = [self.report.is_none(), self.page.is_none()];
        (FOR_NOW.contains(&row.exit_code), lacks, text, self.report.as_ref())
    }

    pub(super) fn join(self, other: Self) -> Self {
        if self.rank() <= other.rank() { self } else { other }
    }

    /// The row; its report is in this folder.
    pub(super) fn row(&self, folder: &Path) -> MatrixRow {
        let report = self.report.as_ref().map(|(name, _)| folder.join(name).display().to_string());
        MatrixRow { report, ..self.record.row.clone() }
    }
}
