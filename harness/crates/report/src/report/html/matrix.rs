//! A matrix of tools and groups of conditions with the state of each, and one of each group that can be opened.
//! For a campaign, which has no cases: tools and rules.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::condition;
use crate::escape;
use crate::finding::Finding;
use crate::judge::{Report, Status};
use crate::report::view::FindingView;
use crate::report::words::counted;

use super::PageContent;
use super::group;
use super::index::{ColumnKind, Index};
use super::words::words;

/// At most this many tools have a row: a server may list thousands, and the table of cases has them all.
const ROWS: usize = 200;

/// The cell of a tool and a column.
#[derive(Default)]
struct Cell {
    /// The number of cases by state.
    cases: BTreeMap<CellState, usize>,
    /// The number of its first case.
    case: Option<usize>,
    /// The numbers of its findings.
    findings: Vec<usize>,
}

impl Cell {
    /// Adds what another cell has.
    fn add(&mut self, other: &Self) {
        for (state, count) in &other.cases {
            *self.cases.entry(*state).or_default() += count;
        }
        self.case = self.case.into_iter().chain(other.case).min();
        self.findings.extend(&other.findings);
        self.findings.sort_unstable();
        self.findings.dedup();
    }
}

/// The state of a case or of findings; a cell shows its worst. Sorted by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CellState {
    Failed,
    Errored,
    /// There are findings, but none of them fails the run.
    Warned,
    NotJudged,
    Passed,
    Skipped,
}

impl CellState {
    const ALL: [Self; 6] =
        [Self::Failed, Self::Warned, Self::Passed, Self::NotJudged, Self::Errored, Self::Skipped];

    fn of(status: Status) -> Self {
        match status {
            Status::Failed => Self::Failed,
            Status::Errored => Self::Errored,
            Status::Passed => Self::Passed,
            Status::NotJudged => Self::NotJudged,
            Status::Skipped => Self::Skipped,
        }
    }

    /// Its class, its words, and the sign that is shown if there is no number of findings.
    fn look(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Failed => ("failed", "failed", "×"),
            Self::Errored => ("errored", "errored", "×"),
            Self::Warned => ("warned", "passed, with findings", "!"),
            Self::NotJudged => ("open", "not judged", "?"),
            Self::Passed => ("passed", "passed", "✓"),
            Self::Skipped => ("skipped", "skipped", "–"),
        }
    }
}

/// Cells by the numbers of tool and column.
type Cells = BTreeMap<(usize, usize), Cell>;

/// The cells of a report, by column and by group of columns.
pub(super) struct Matrix {
    cells: Cells,
    by_group: Cells,
}

impl Matrix {
    /// The matrix of a report; `None` if no tool was called.
    pub(super) fn new(report: &Report, index: &Index<'_>) -> Option<Self> {
        let cells = cells(report, index);
        let mut by_group = Cells::new();
        for ((row, column), cell) in &cells {
            by_group.entry((*row, index.group_of_column[*column])).or_default().add(cell);
        }
        (!cells.is_empty()).then_some(Self { cells, by_group })
    }
}

/// The cases of each tool and column, and its findings.
fn cells(report: &Report, index: &Index<'_>) -> Cells {
    let mut cells = Cells::new();
    for (number, case) in report.cases.iter().enumerate() {
        let Some(column) = case.condition.as_deref().and_then(|name| index.conditions.number(name)) else {
            continue;
        };
        for row in case.tools.iter().filter_map(|tool| index.tools.number(tool)) {
            let cell = cells.entry((row, column)).or_default();
            *cell.cases.entry(CellState::of(case.status)).or_default() += 1;
            cell.case.get_or_insert(number);
        }
    }
    for (number, finding) in report.findings.iter().enumerate() {
        for (tool, condition) in places(finding) {
            let row = tool.and_then(|tool| index.tools.number(tool));
            let (Some(row), Some(column)) = (row, index.column(&finding.rule, condition)) else { continue };
            let cell = cells.entry((row, column)).or_default();
            if cell.findings.last() != Some(&number) {
                cell.findings.push(number);
            }
        }
    }
    cells
}

/// The tool and condition of each place, and those of the finding itself.
fn places(finding: &Finding) -> impl Iterator<Item = (Option<&str>, Option<&str>)> {
    let own = finding.tool.as_deref();
    let places = finding.places.iter();
    places
        .map(move |place| (place.tool.as_deref().or(own), place.condition.as_deref()))
        .chain(std::iter::once((own, None)))
}

/// The matrix; nothing if no tool was called.
pub(super) fn show(content: &PageContent<'_>) -> Markup {
    let PageContent { index, .. } = content;
    let Some(matrix) = &content.matrix else { return Markup::default() };
    let by = index.column_kind.name();
    let groups: Vec<usize> = (0..index.groups.list.len()).collect();
    let all = Table { cells: &matrix.by_group, columns: &groups, names: &index.groups.list, by: "group" };
    html! {
        section.matrices aria-labelledby="matrix" {
            h2 #matrix { "Tools by " (by) }
            p.hint hidden {
                "Click a cell or a tool to filter the findings. Click a group to open its " (by) "s."
            }
            (legend(content.report))
            (all.show("Tools and groups", content))
            details.groups {
                summary { "Every " (by) ", group by group" }
                @for number in groups {
                    @let columns = columns(number, matrix, index);
                    @let table = Table { cells: &matrix.cells, columns: &columns, names: &index.columns().list, by };
                    (group(number, &table, content))
                }
            }
        }
    }
}

/// One group, folded.
fn group(number: usize, table: &Table<'_>, content: &PageContent<'_>) -> Markup {
    let name = content.index.groups.list[number];
    let is_condition = content.index.column_kind == ColumnKind::Condition;
    let says = group::all().iter().find(|group| is_condition && group.name == name);
    let known: Vec<(&str, &str)> = table
        .columns
        .iter()
        .filter_map(|column| Some((table.names[*column], condition::says(table.names[*column])?)))
        .filter(|_| is_condition)
        .collect();
    let (one, many) = if is_condition { ("condition", "conditions") } else { ("rule", "rules") };
    html! {
        @if !table.columns.is_empty() {
            details.group {
                summary {
                    strong { (name) }
                    @if let Some(group) = says { ": " (group.says) }
                    span.soft { " (" (counted(table.columns.len(), one, many)) ")" }
                }
                div id={ "g" (number) } {
                    (table.show(name, content))
                    @if !known.is_empty() {
                        dl.words { @for (name, says) in known { dt { (name) } dd { (words(says)) } } }
                    }
                }
            }
        }
    }
}

/// The columns of a group: those with findings first, then those with the most tools.
fn columns(group: usize, matrix: &Matrix, index: &Index<'_>) -> Vec<usize> {
    let mut found: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for ((_, column), cell) in &matrix.cells {
        if index.group_of_column[*column] == group {
            let counts = found.entry(*column).or_default();
            counts.0 += usize::from(!cell.findings.is_empty());
            counts.1 += 1;
        }
    }
    let mut columns: Vec<usize> = found.keys().copied().collect();
    columns.sort_by_key(|column| std::cmp::Reverse(found[column]));
    columns
}

/// A table of tools by some columns.
struct Table<'a> {
    cells: &'a Cells,
    columns: &'a [usize],
    names: &'a [&'a str],
    /// What its columns are.
    by: &'static str,
}

impl Table<'_> {
    fn show(&self, label: &str, content: &PageContent<'_>) -> Markup {
        let Self { cells, columns, names, by } = *self;
        let has_cell = |row: &usize| columns.iter().any(|column| cells.contains_key(&(*row, *column)));
        let rows: Vec<usize> = (0..content.index.tools.list.len()).filter(has_cell).collect();
        html! {
            div.scroll role="region" aria-label=(label) tabindex="0" {
                table.matrix data-by=(by) {
                    thead {
                        tr {
                            th scope="col" { "Tool" }
                            @for column in columns {
                                @let target = if by == "group" { format!("#g{column}") } else { "#findings".to_owned() };
                                th scope="col" data-n=(column) {
                                    a href=(target) { span { (escape::line_within(names[*column], 60)) } }
                                }
                            }
                        }
                    }
                    tbody {
                        @for row in rows.iter().take(ROWS) {
                            tr data-n=(row) {
                                th scope="row" {
                                    a href="#findings" { (escape::line_within(content.index.tools.list[*row], 120)) }
                                }
                                @for column in columns { (self.cell(*row, *column, content)) }
                            }
                            "\n"
                        }
                    }
                }
            }
            @if rows.len() > ROWS {
                p { (counted(rows.len() - ROWS, "more tool has", "more tools have")) " no row here; the table of cases has all." }
            }
        }
    }

    /// A cell: a link to its first finding, or else to its first case, so that it works without the script.
    fn cell(&self, row: usize, column: usize, content: &PageContent<'_>) -> Markup {
        let Some(cell) = self.cells.get(&(row, column)) else { return html! { td {} } };
        let fails = |finding: &usize| {
            let finding = &content.report.findings[*finding];
            FindingView { view: content.view, finding }.counts()
        };
        let of_findings = match cell.findings.iter().any(fails) {
            true => Some(CellState::Failed),
            false => (!cell.findings.is_empty()).then_some(CellState::Warned),
        };
        let of_cases = cell.cases.keys().next().copied();
        let state = of_cases.into_iter().chain(of_findings).min().unwrap_or(CellState::Passed);
        let target = match (cell.findings.first(), cell.case) {
            (Some(finding), _) => content.index.findings[*finding].clone(),
            (None, Some(case)) => format!("c{case}"),
            (None, None) => "findings".to_owned(),
        };
        let (class, words, sign) = state.look();
        let (found, cases) = (cell.findings.len(), cell.cases.values().sum::<usize>());
        html! {
            td.(class) {
                a href={ "#" (target) } {
                    @if found > 0 { (found) } @else { (sign) }
                    span.vh {
                        @if found > 0 { @if found == 1 { " finding," } @else { " findings," } }
                        " " (words)
                        @if cases > 1 { ", " (cases) " cases" }
                    }
                }
            }
        }
    }
}

/// The meaning of the signs.
fn legend(report: &Report) -> Markup {
    let is_campaign = report.cases.is_empty();
    let shown = |state: &CellState| match state {
        CellState::Failed | CellState::Warned => true,
        CellState::Errored => report.summary.cases.errored > 0,
        CellState::NotJudged => report.summary.cases.not_judged > 0,
        CellState::Passed | CellState::Skipped => !is_campaign,
    };
    html! {
        ul.key {
            @for state in CellState::ALL.into_iter().filter(shown) {
                @let (class, words, sign) = state.look();
                @let (words, sign) = match state {
                    CellState::Failed => ("failing findings", "n"),
                    CellState::Warned => ("other findings", "n"),
                    _ => (words, sign),
                };
                li { span.sign.(class) { (sign) } " " (words) }
            }
        }
    }
}
