//! Compares two tables of servers, as of this night and the last one.
//!
//! The main type is [`TableDelta`]. Servers are told apart by their names in the file of the matrix.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::escape;
use crate::judge::{FindingCounts, Strictness};

use super::{MatrixRow, MatrixTable, gravity};

/// How many columns of a server's name are shown.
const NAME: usize = 60;

/// The differences between two tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableDelta {
    schema_version: u32,
    /// The servers that came to something else, or are in one table only; the worse ones first.
    pub(super) changed: Vec<RowChange>,
    /// How many servers came to the same.
    unchanged: usize,
}

/// A server that came to something else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct RowChange {
    pub(super) name: String,
    pub(super) direction: ChangeDirection,
    /// What it came to before; null if it is new.
    before: Option<RowSide>,
    /// What it came to after; null if it is gone.
    after: Option<RowSide>,
}

/// The direction of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChangeDirection {
    /// A graver verdict, or more findings.
    Worse,
    New,
    Gone,
    /// Another verdict that is as grave.
    Other,
    /// A less grave verdict, or fewer findings.
    Better,
}

/// What a server came to, in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct RowSide {
    verdict: String,
    /// Findings by level; null where it was not run.
    findings: Option<FindingCounts>,
    exit_code: u8,
}

impl RowSide {
    fn new(row: &MatrixRow) -> Self {
        Self { verdict: row.verdict.clone(), findings: row.findings, exit_code: row.exit_code }
    }

    fn rank(&self) -> (Option<usize>, [usize; 3]) {
        let counts = self.findings.map_or([0; 3], |counts| [counts.must, counts.should, counts.note]);
        (gravity(self.exit_code), counts)
    }
}

impl TableDelta {
    /// Compares two tables.
    pub fn between(before: &MatrixTable, after: &MatrixTable) -> Self {
        let mut servers: BTreeMap<&str, [Option<&MatrixRow>; 2]> = BTreeMap::new();
        for (side, table) in [before, after].into_iter().enumerate() {
            for row in &table.servers {
                servers.entry(&row.name).or_default()[side] = Some(row);
            }
        }
        let all = servers.len();
        let changed = servers.into_iter().filter_map(|(name, [before, after])| {
            let [before, after] = [before, after].map(|row| row.map(RowSide::new));
            let direction = direction(before.as_ref(), after.as_ref())?;
            Some(RowChange { name: name.to_owned(), direction, before, after })
        });
        let mut changed: Vec<RowChange> = changed.collect();
        changed.sort_by_key(|change| change.direction);
        Self { schema_version: 1, unchanged: all - changed.len(), changed }
    }

    /// Whether a server that both have has a graver verdict, or more findings that count.
    pub fn is_worse(&self, strictness: Strictness) -> bool {
        self.changed.iter().any(|change| match (&change.before, &change.after) {
            (Some(before), Some(after)) => {
                let ((was, [must, should, _]), (is, [musts, shoulds, _])) = (before.rank(), after.rank());
                is > was || musts > must || strictness == Strictness::Should && shoulds > should
            }
            _ => false,
        })
    }

    /// The differences for people, a line for each server.
    pub fn human(&self) -> String {
        self.lines(
            |change| format!("{:<7} {}: {}\n", change.direction.word(), shown(&change.name), change.said()),
            "",
        )
    }

    /// The differences as Markdown.
    pub fn markdown(&self) -> String {
        let line = |change: &RowChange| {
            let name = shown(&change.name).replace('`', "'");
            format!("- **{}** `{name}`: {}\n", change.direction.word(), change.said())
        };
        escape::no_workflow_command(&self.lines(line, "\n"))
    }

    fn lines(&self, line: impl Fn(&RowChange) -> String, between: &str) -> String {
        let lines: String = self.changed.iter().map(line).collect();
        format!("{lines}{between}{}\n", self.said_of_unchanged())
    }

    pub(super) fn said_of_unchanged(&self) -> String {
        let servers = if self.unchanged == 1 { "server is" } else { "servers are" };
        format!("{} {servers} as before", self.unchanged)
    }
}

impl RowChange {
    /// What changed, without the server's name.
    pub(super) fn said(&self) -> String {
        let verdict = |side: &RowSide| side.verdict.clone();
        let must = |side: &RowSide| format!("{} Must", side.findings.map_or(0, |counts| counts.must));
        let should = |side: &RowSide| format!("{} Should", side.findings.map_or(0, |counts| counts.should));
        let note = |side: &RowSide| format!("{} Note", side.findings.map_or(0, |counts| counts.note));
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            let side = self.before.as_ref().or(self.after.as_ref());
            return side.map(|side| format!("{}, {}", verdict(side), must(side))).unwrap_or_default();
        };
        let figures: [fn(&RowSide) -> String; 4] = [verdict, must, should, note];
        let pairs = figures.map(|figure| (figure(before), figure(after)));
        let changed = pairs.into_iter().filter(|(before, after)| before != after);
        changed.map(|(before, after)| format!("{before} -> {after}")).collect::<Vec<_>>().join(", ")
    }
}

fn direction(before: Option<&RowSide>, after: Option<&RowSide>) -> Option<ChangeDirection> {
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        (Some(_), None) => return Some(ChangeDirection::Gone),
        (None, _) => return Some(ChangeDirection::New),
    };
    match after.rank().cmp(&before.rank()) {
        Ordering::Greater => Some(ChangeDirection::Worse),
        Ordering::Less => Some(ChangeDirection::Better),
        Ordering::Equal => (before != after).then_some(ChangeDirection::Other),
    }
}

impl ChangeDirection {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Other => "changed",
            Self::Better => "better",
        }
    }
}

fn shown(name: &str) -> String {
    escape::line_within(name, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, exit_code: u8, must: usize, should: usize) -> MatrixRow {
        let verdict = if exit_code == 0 { "conformant" } else { "not conformant" };
        MatrixRow {
            verdict: verdict.to_owned(),
            findings: Some(FindingCounts { must, should, note: 0 }),
            ..MatrixRow::not_run(name, String::new(), exit_code)
        }
    }

    #[test]
    fn each_server_is_worse_better_new_gone_or_as_before() {
        let before = [row("a", 0, 0, 1), row("b", 1, 2, 0), row("c", 1, 1, 0), row("d", 0, 0, 0)];
        let after = [row("a", 1, 1, 1), row("b", 0, 0, 0), row("c", 1, 1, 0), row("e", 1, 1, 0)];
        let [before, after] = [before, after].map(|rows| MatrixTable::new(rows.to_vec()));
        let delta = TableDelta::between(&before, &after);
        assert_eq!(
            delta.human(),
            "worse   a: conformant -> not conformant, 0 Must -> 1 Must\n\
             new     e: not conformant, 1 Must\n\
             gone    d: conformant, 0 Must\n\
             better  b: not conformant -> conformant, 2 Must -> 0 Must\n\
             1 server is as before\n"
        );
        assert!(delta.is_worse(Strictness::Must));
        assert!(!TableDelta::between(&after, &after).is_worse(Strictness::Should));
        let more = MatrixTable::new(vec![row("a", 0, 0, 2)]);
        let should = TableDelta::between(&before, &more);
        assert!(should.is_worse(Strictness::Should) && !should.is_worse(Strictness::Must));
    }
}
