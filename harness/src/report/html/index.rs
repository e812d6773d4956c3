//! The ids by which parts of the page refer to each other: numbers of tools, conditions and rules, and names of
//! findings.

use std::collections::{BTreeSet, HashMap};

use crate::condition::CaseId;
use crate::finding::Finding;
use crate::judge::Report;
use crate::report::account;

/// Names in the order in which they were added; elements refer to them by their number.
#[derive(Default)]
pub(super) struct NameIndex<'a> {
    pub(super) list: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> NameIndex<'a> {
    fn add(&mut self, name: &'a str) {
        let next = self.list.len();
        if *self.numbers.entry(name).or_insert(next) == next {
            self.list.push(name);
        }
    }

    /// The number of a name; `None` if it was not added.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

/// The ids used on one page.
pub(super) struct Index<'a> {
    pub(super) tools: NameIndex<'a>,
    pub(super) conditions: NameIndex<'a>,
    pub(super) rules: NameIndex<'a>,
    /// The element id of each finding.
    pub(super) findings: Vec<String>,
    cases: HashMap<&'a CaseId, usize>,
}

impl<'a> Index<'a> {
    /// The index of a report: tools in the server's order, then others; conditions in the order of the cases.
    pub(super) fn new(report: &'a Report) -> Self {
        let (mut tools, mut conditions, mut rules) =
            (NameIndex::default(), NameIndex::default(), NameIndex::default());
        report.tools.iter().for_each(|tool| tools.add(&tool.name));
        for case in &report.cases {
            case.tools.iter().for_each(|tool| tools.add(tool));
            case.condition.iter().filter(|_| !case.tools.is_empty()).for_each(|name| conditions.add(name));
        }
        for finding in &report.findings {
            rules.add(&finding.rule);
            finding.tool.iter().for_each(|tool| tools.add(tool));
            for place in &finding.places {
                place.tool.iter().for_each(|tool| tools.add(tool));
                place.condition.iter().for_each(|name| conditions.add(name));
            }
        }
        rules.list.sort_unstable();
        rules.numbers = rules.list.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        let cases = report.cases.iter().enumerate().map(|(number, case)| (&case.id, number)).collect();
        Self { tools, conditions, rules, findings: names(&report.findings), cases }
    }

    /// The element id of a case.
    pub(super) fn case(&self, id: &CaseId) -> Option<String> {
        self.cases.get(id).map(|number| format!("c{number}"))
    }

    /// The numbers of each tool and condition that show a finding: `2.0 2.5`; missing parts are left out.
    pub(super) fn pairs(&self, finding: &Finding) -> String {
        let number = |names: &NameIndex<'_>, name: Option<&str>| {
            name.and_then(|name| names.number(name)).map(|number| number.to_string()).unwrap_or_default()
        };
        let tool = |tool: &Option<String>| number(&self.tools, tool.as_deref().or(finding.tool.as_deref()));
        let pairs = finding.places.iter().map(|place| {
            format!("{}.{}", tool(&place.tool), number(&self.conditions, place.condition.as_deref()))
        });
        let mut pairs: BTreeSet<String> = pairs.collect();
        if pairs.is_empty() {
            pairs.insert(format!("{}.", tool(&None)));
        }
        pairs.into_iter().collect::<Vec<_>>().join(" ")
    }
}

/// The names of findings in links. They stay the same across runs, like the ids for code hosts.
fn names(findings: &[Finding]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let name = |finding: &Finding| {
        let name = format!("f-{}", account::identity(finding));
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name}-{count}") }
    };
    findings.iter().map(name).collect()
}

/// The element id of a rule's page.
pub(super) fn rule(id: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("r-{}", id.chars().map(plain).collect::<String>())
}
