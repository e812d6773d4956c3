//! The ids by which parts of the page refer to each other: numbers of tools, conditions, rules and groups, and
//! names of findings.

use std::collections::{BTreeSet, HashMap};

use crate::condition::CaseId;
use crate::finding::Finding;
use crate::report::ReportView;
use crate::report::view::FindingView;

use super::group::{self, Group};

/// Names in the order in which they were added; elements refer to them by their number.
#[derive(Default)]
pub(super) struct NameIndex<'a> {
    pub(super) list: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> NameIndex<'a> {
    fn add(&mut self, name: &'a str) -> usize {
        let next = self.list.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.list.push(name);
        }
        number
    }

    /// The number of a name; `None` if it was not added.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

/// The columns of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Condition,
    /// In a campaign, which has no cases.
    Rule,
}

impl ColumnKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Rule => "rule",
        }
    }
}

/// The ids used on one page.
pub(super) struct Index<'a> {
    pub(super) tools: NameIndex<'a>,
    pub(super) conditions: NameIndex<'a>,
    pub(super) rules: NameIndex<'a>,
    pub(super) column_kind: ColumnKind,
    /// Groups of columns.
    pub(super) groups: NameIndex<'a>,
    /// The number of the group of each column.
    pub(super) group_of_column: Vec<usize>,
    /// The element id of each finding.
    pub(super) findings: Vec<String>,
    cases: HashMap<&'a CaseId, usize>,
}

impl<'a> Index<'a> {
    /// The index of a report: tools in the server's order, then others; conditions in the order of the cases.
    pub(super) fn new(view: ReportView<'a>) -> Self {
        let report = view.report;
        let (mut tools, mut conditions, mut rules) =
            (NameIndex::default(), NameIndex::default(), NameIndex::default());
        report.tools.iter().for_each(|tool| _ = tools.add(&tool.name));
        for case in &report.cases {
            case.tools.iter().for_each(|tool| _ = tools.add(tool));
            case.condition
                .iter()
                .filter(|_| !case.tools.is_empty())
                .for_each(|name| _ = conditions.add(name));
        }
        for finding in &report.findings {
            rules.add(&finding.rule);
            finding.tool.iter().for_each(|tool| _ = tools.add(tool));
            for place in &finding.places {
                place.tool.iter().for_each(|tool| _ = tools.add(tool));
                place.condition.iter().for_each(|name| _ = conditions.add(name));
            }
        }
        rules.list.sort_unstable();
        rules.numbers = rules.list.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        let column_kind = if report.cases.is_empty() { ColumnKind::Rule } else { ColumnKind::Condition };
        let mut groups = NameIndex::default();
        let group_of_column = match column_kind {
            ColumnKind::Condition => {
                let present: Vec<&Group> =
                    conditions.list.iter().map(|name| group::of_condition(name)).collect();
                let is_present = |group: &&Group| present.iter().any(|other| other.name == group.name);
                group::all().iter().filter(is_present).for_each(|group| _ = groups.add(&group.name));
                present.iter().map(|group| groups.add(&group.name)).collect()
            }
            ColumnKind::Rule => rules.list.iter().map(|rule| groups.add(group::of_rule(rule))).collect(),
        };
        let cases = report.cases.iter().enumerate().map(|(number, case)| (&case.id, number)).collect();
        let findings = names(view);
        Self { tools, conditions, rules, column_kind, groups, group_of_column, findings, cases }
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> &NameIndex<'a> {
        match self.column_kind {
            ColumnKind::Condition => &self.conditions,
            ColumnKind::Rule => &self.rules,
        }
    }

    /// The number of the column of a rule and a condition; `None` if it has none.
    pub(super) fn column(&self, rule: &str, condition: Option<&str>) -> Option<usize> {
        match self.column_kind {
            ColumnKind::Condition => self.conditions.number(condition?),
            ColumnKind::Rule => self.rules.number(rule),
        }
    }

    /// The element id of a case.
    pub(super) fn case(&self, id: &CaseId) -> Option<String> {
        self.cases.get(id).map(|number| format!("c{number}"))
    }

    /// The numbers of each tool, condition and group in which a finding shows: `2.0.1 2.5.3`; missing parts are
    /// left out.
    pub(super) fn places(&self, finding: &Finding) -> String {
        let shown = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
        let place = |tool: Option<&str>, condition: Option<&str>| {
            let tool = tool.or(finding.tool.as_deref()).and_then(|tool| self.tools.number(tool));
            let group = self.column(&finding.rule, condition).map(|column| self.group_of_column[column]);
            let condition = condition.and_then(|name| self.conditions.number(name));
            format!("{}.{}.{}", shown(tool), shown(condition), shown(group))
        };
        let places = finding.places.iter();
        let mut places: BTreeSet<String> =
            places.map(|shown| place(shown.tool.as_deref(), shown.condition.as_deref())).collect();
        if places.is_empty() {
            places.insert(place(None, None));
        }
        places.into_iter().collect::<Vec<_>>().join(" ")
    }
}

/// The names of findings in links. They stay the same across runs, like the ids for code hosts.
fn names(view: ReportView<'_>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let name = |shown: FindingView<'_>| {
        let name = format!("f-{}", shown.identity());
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name}-{count}") }
    };
    view.findings().map(name).collect()
}

/// The element id of a rule's page.
pub(super) fn rule(id: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("r-{}", id.chars().map(plain).collect::<String>())
}
