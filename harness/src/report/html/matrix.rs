//! A matrix of tools and conditions with the state of each. For a campaign, which has no cases: tools and
//! rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::condition;
use crate::finding::Finding;
use crate::judge::{Report, Status};

use super::PageContent;
use super::markup::{counted, text, text_within};

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

/// The state of a case or of findings; a cell shows its worst. Sorted by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CellState {
    Failed,
    Errored,
    /// There are findings, but none of them counts.
    Warned,
    NotJudged,
    Passed,
    Skipped,
}

impl CellState {
    const ALL: [Self; 6] =
        [Self::Failed, Self::Warned, Self::Passed, Self::NotJudged, Self::Errored, Self::Skipped];

    fn class(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::Warned => "warned",
            Self::NotJudged => "open",
            Self::Passed => "passed",
            Self::Skipped => "skipped",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Errored => "errored",
            Self::Warned => "passed, with findings",
            Self::NotJudged => "not judged",
            Self::Passed => "passed",
            Self::Skipped => "skipped",
        }
    }

    /// The sign that is shown if there is no number of findings.
    fn sign(self) -> &'static str {
        match self {
            Self::Failed | Self::Errored => "×",
            Self::Warned => "!",
            Self::NotJudged => "?",
            Self::Passed => "✓",
            Self::Skipped => "–",
        }
    }
}

/// Cells by the numbers of tool and column.
type Cells = BTreeMap<(usize, usize), Cell>;

/// Adds the matrix; nothing if no tool was called.
pub(super) fn show(page: &mut String, content: &PageContent<'_>) {
    let PageContent { report, index, .. } = content;
    let (by, columns, cells) = match report.cases.is_empty() {
        false => ("condition", &index.conditions.list, by_condition(content)),
        true => ("rule", &index.rules.list, by_rule(content)),
    };
    if cells.is_empty() {
        return;
    }
    let used = used(columns.len(), &cells);
    let rows: Vec<usize> = (0..index.tools.list.len())
        .filter(|row| cells.range((*row, 0)..=(*row, usize::MAX)).next().is_some())
        .collect();
    let _ = writeln!(
        page,
        "<section>\n<h2 id=\"matrix\">Tools by {by}s</h2>\n<p class=\"hint\" hidden>Choose a \
         cell, a tool or a {by} to filter what stands below; the arrow keys move between cells.</p>"
    );
    legend(page, report);
    let _ = writeln!(
        page,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"matrix\" tabindex=\"0\">\n<table class=\"matrix\" \
         data-by=\"{by}\">\n<thead><tr><th scope=\"col\">Tool</th>"
    );
    for column in &used {
        let name = text_within(columns[*column], 60);
        let _ = writeln!(
            page,
            "<th scope=\"col\" data-n=\"{column}\"><a href=\"#findings\"><span>{name}</span></a></th>"
        );
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in rows.iter().take(ROWS) {
        let name = text_within(index.tools.list[*row], 120);
        let _ = write!(page, "<tr data-n=\"{row}\"><th scope=\"row\"><a href=\"#findings\">{name}</a></th>");
        for column in &used {
            match cells.get(&(*row, *column)) {
                Some(shown) => cell(page, shown, content),
                None => page.push_str("<td></td>"),
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    if rows.len() > ROWS {
        let more = counted(rows.len() - ROWS, "tool more has", "tools more have");
        let _ = writeln!(page, "<p>{more} no row here; the cases below are of all.</p>");
    }
    if by == "condition" {
        conditions(page, &used, columns);
    }
    page.push_str("</section>\n");
}

/// The columns with any content: those with findings first, then those with the most tools.
fn used(columns: usize, cells: &Cells) -> Vec<usize> {
    let mut found = vec![(0_usize, 0_usize); columns];
    for ((_, column), cell) in cells {
        found[*column].0 += usize::from(!cell.findings.is_empty());
        found[*column].1 += 1;
    }
    let mut used: Vec<usize> = (0..columns).filter(|column| found[*column].1 > 0).collect();
    used.sort_by_key(|column| std::cmp::Reverse(found[*column]));
    used
}

/// The cells of a run: its cases, each with the findings of its tool and condition.
fn by_condition(content: &PageContent<'_>) -> Cells {
    let PageContent { report, index, .. } = content;
    let mut cells = Cells::new();
    let column = |name: &Option<String>| index.conditions.number(name.as_deref()?);
    for (number, case) in report.cases.iter().enumerate() {
        let Some(column) = column(&case.condition) else { continue };
        let state = match case.status {
            Status::Failed => CellState::Failed,
            Status::Errored => CellState::Errored,
            Status::Passed => CellState::Passed,
            Status::NotJudged => CellState::NotJudged,
            Status::Skipped => CellState::Skipped,
        };
        for row in case.tools.iter().filter_map(|tool| index.tools.number(tool)) {
            let cell = cells.entry((row, column)).or_default();
            *cell.cases.entry(state).or_default() += 1;
            cell.case.get_or_insert(number);
        }
    }
    for (number, finding) in report.findings.iter().enumerate() {
        for place in &finding.places {
            let tool = place.tool.as_ref().or(finding.tool.as_ref());
            let row = tool.and_then(|tool| index.tools.number(tool));
            let (Some(row), Some(column)) = (row, column(&place.condition)) else { continue };
            let cell = cells.entry((row, column)).or_default();
            if cell.findings.last() != Some(&number) {
                cell.findings.push(number);
            }
        }
    }
    cells
}

/// The cells of a campaign: its findings.
fn by_rule(content: &PageContent<'_>) -> Cells {
    let PageContent { report, index, .. } = content;
    let mut cells = Cells::new();
    for (number, finding) in report.findings.iter().enumerate() {
        let Some(column) = index.rules.number(&finding.rule) else { continue };
        for row in tools_of(finding).filter_map(|tool| index.tools.number(tool)) {
            let cell = cells.entry((row, column)).or_default();
            if cell.findings.last() != Some(&number) {
                cell.findings.push(number);
            }
        }
    }
    cells
}

fn tools_of(finding: &Finding) -> impl Iterator<Item = &str> {
    let places = finding.places.iter().filter_map(|place| place.tool.as_deref());
    finding.tool.as_deref().into_iter().chain(places)
}

/// Adds a cell: a link to its first finding, or else to its first case, so that it works without the script.
fn cell(page: &mut String, cell: &Cell, content: &PageContent<'_>) {
    let counts = |finding: &&usize| {
        crate::report::account::counts(&content.report.findings[**finding], content.strictness)
    };
    let of_findings = if cell.findings.iter().any(|finding| counts(&finding)) {
        Some(CellState::Failed)
    } else {
        (!cell.findings.is_empty()).then_some(CellState::Warned)
    };
    let of_cases = cell.cases.keys().next().copied();
    let state = of_cases.into_iter().chain(of_findings).min().unwrap_or(CellState::Passed);
    let count = cell.findings.len();
    let shown = if count > 0 { count.to_string() } else { state.sign().to_owned() };
    let target = match (cell.findings.first(), cell.case) {
        (Some(finding), _) => content.index.findings[*finding].clone(),
        (None, Some(case)) => format!("c{case}"),
        (None, None) => "findings".to_owned(),
    };
    let cases = cell.cases.values().sum::<usize>();
    let mut words = format!(" {}", state.words());
    if cases > 1 {
        let _ = write!(words, ", {cases} cases");
    }
    if count > 0 {
        words.push_str(if count == 1 { ", finding" } else { ", findings" });
    }
    let _ = write!(
        page,
        "<td class=\"{}\"><a href=\"#{target}\">{shown}<span class=\"vh\">{words}</span></a></td>",
        state.class()
    );
}

/// The meaning of the signs.
fn legend(page: &mut String, report: &Report) {
    page.push_str("<ul class=\"key\">\n");
    let shown = |state: &CellState| match state {
        CellState::Failed | CellState::Warned => true,
        CellState::Errored => report.summary.cases.errored > 0,
        CellState::NotJudged => report.summary.cases.not_judged > 0,
        CellState::Passed | CellState::Skipped => !report.cases.is_empty(),
    };
    for state in CellState::ALL.iter().filter(|state| shown(state)) {
        let (sign, words) = match (state, report.cases.is_empty()) {
            (CellState::Failed, _) => ("n", "findings that count"),
            (CellState::Warned, _) => ("n", "findings that do not count"),
            (state, _) => (state.sign(), state.words()),
        };
        let class = state.class();
        let _ = writeln!(page, "<li><span class=\"sign {class}\">{sign}</span> {words}</li>");
    }
    page.push_str("</ul>\n");
}

/// The meanings of the conditions, for those that have a description.
fn conditions(page: &mut String, used: &[usize], columns: &[&str]) {
    let known = used.iter().filter_map(|column| Some((columns[*column], condition::says(columns[*column])?)));
    let known: Vec<(&str, &str)> = known.collect();
    if known.is_empty() {
        return;
    }
    page.push_str(
        "<details class=\"beside\">\n<summary>What the conditions mean</summary>\n<dl class=\"words\">\n",
    );
    for (name, says) in known {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", text(name), text(says));
    }
    page.push_str("</dl>\n</details>\n");
}
