//! Reports made by hand, for the tests of what is shown of them.

use std::collections::BTreeMap;

use mcp_errconf::conclusion::Conclusion;
use mcp_errconf::condition::CaseId;
use mcp_errconf::contract::{Contract, ReplyForm};
use mcp_errconf::finding::{Evidence, Finding, FindingPlace, Level, RunSession, State, Wording};
use mcp_errconf::judge::{
    BindingInfo, CaseVerdict, ContractInfo, HarnessInfo, Mendable, Messages, Report, ServerInfo, Status,
    Summary,
};
use mcp_errconf::roles::Role;
use mcp_errconf::transcript::{CaseKind, Chosen, Lifecycle};
use serde_json::{Value, json};

/// A run of some file server in which nothing was found.
pub(crate) fn report() -> Report {
    Report {
        schema_version: 1,
        harness: HarnessInfo { version: "0.1.0".into() },
        server: ServerInfo {
            command: ["file-server", "--root", "{workspace}"].map(str::to_owned).to_vec(),
            bundled: false,
            name: "file-server".into(),
            version: "2.1".into(),
            protocol_version: "2025-11-25".into(),
            confinement: Default::default(),
            second: None,
            lifecycle: Lifecycle::Legacy,
            root: None,
        },
        contract: ContractInfo { id: "bracket-code".into(), chosen: Chosen::Default, looks_like: None },
        seed: 0,
        summary: Summary {
            calls: 42,
            error_replies: 20,
            messages: Messages { judged: 16, fixable: 16 },
            mendable: Mendable { of: 16, held: 16 },
            duration_ms: 1234,
            ..Summary::default()
        },
        bindings: vec![BindingInfo {
            role: Role::Read,
            tool: "read_file".into(),
            parameters: json!({"path": "path"}),
            why: "its name says that it reads a file, and its only required parameter is a path".into(),
        }],
        withheld: Vec::new(),
        cases: Vec::new(),
        findings: Vec::new(),
        tools: Vec::new(),
        coverage: None,
        stopped_after_ms: None,
        slow: Vec::new(),
        learnt: None,
    }
}

/// The sample with a case.
pub(crate) fn with_case(mut report: Report, id: &str, status: Status, reason: Option<&str>) -> Report {
    let counts = &mut report.summary.cases;
    counts.total += 1;
    match status {
        Status::Passed => counts.passed += 1,
        Status::Failed => counts.failed += 1,
        Status::NotJudged => counts.not_judged += 1,
        Status::Skipped => counts.skipped += 1,
        Status::Errored => counts.errored += 1,
    }
    report.cases.push(CaseVerdict {
        id: CaseId(id.to_owned()),
        tried: None,
        title: format!("The title of {id}"),
        kind: CaseKind::Scenario,
        status,
        reason: reason.map(str::to_owned),
        requirements: vec!["BC-05".into()],
        tools: vec!["read_file".into()],
        condition: Some("path-not-found".into()),
        findings: Vec::new(),
    });
    report
}

/// The sample with a finding.
pub(crate) fn with_finding(mut report: Report, finding: Finding) -> Report {
    match finding.level {
        Level::Must => report.summary.findings.must += 1,
        Level::Should => report.summary.findings.should += 1,
        Level::Note => report.summary.findings.note += 1,
    }
    report.findings.push(finding);
    report
}

/// A reply without a code, with a part of it marked.
pub(crate) fn finding(text: &str, marked: &str) -> Finding {
    let start = text.find(marked).expect("the marked part stands in the text");
    Finding {
        rule: "code/missing".into(),
        level: Level::Must,
        case: Some(CaseId("read/missing".into())),
        tool: Some("read_file".into()),
        message: "the text of the error does not begin with a code".into(),
        evidence: Some(Evidence::marked(text, start..start + marked.len())),
        sent: json!({"name": "read_file", "arguments": {"path": "{workspace}/absent.txt"}}),
        requirement: "BC-01".into(),
        help: "begin the text with a documented code in square brackets and one space".into(),
        count: 1,
        signature: String::new(),
        layer: None,
        places: vec![place("read/missing", "read_file")],
        cause: None,
        wordings: Vec::new(),
        state: State::New,
        input: None,
        examples: Vec::new(),
        stable: None,
        unconfirmed: None,
        replay: None,
        texts: Vec::new(),
    }
}

/// The finding as it shows on another tool.
pub(crate) fn on(tool: &str, case: &str, text: &str) -> Finding {
    Finding {
        case: Some(CaseId(case.to_owned())),
        tool: Some(tool.to_owned()),
        sent: json!({"name": tool, "arguments": {}}),
        places: vec![place(case, tool)],
        ..finding(text, text)
    }
}

/// How a finding shows, as another wording of one that has its cause.
pub(crate) fn worded(finding: &Finding) -> Wording {
    Wording {
        message: finding.message.clone(),
        evidence: finding.evidence.clone(),
        sent: finding.sent.clone(),
        help: finding.help.clone(),
        input: finding.input.clone(),
        stable: finding.stable,
        unconfirmed: finding.unconfirmed.clone(),
        replay: finding.replay.clone(),
    }
}

/// A place of a finding.
pub(crate) fn place(case: &str, tool: &str) -> FindingPlace {
    FindingPlace {
        case: Some(CaseId(case.to_owned())),
        tool: Some(tool.to_owned()),
        condition: Some("path-not-found".into()),
        state: State::New,
        session: RunSession::First,
        wording: 0,
        level: None,
    }
}

/// What the report comes to when nobody interrupted it.
pub(crate) fn conclusion(report: &Report) -> Conclusion {
    match report.summary.findings.must {
        0 => Conclusion::Conformant,
        findings => Conclusion::Findings(findings),
    }
}

/// A contract that promises what the findings say is broken.
pub(crate) fn contract() -> Contract {
    let sentence = "The text of every error reply is `[CODE] message`: the code first, in square brackets, then one \
                    space, then a message";
    Contract {
        id: "bracket-code".into(),
        title: "`isError: true`, and the text is `[CODE] message`".into(),
        form: ReplyForm::Bracket,
        envelope: None,
        server: mcp_errconf::contract::ServerTraits::default(),
        messages: mcp_errconf::contract::MessageTraits::default(),
        codes: Vec::new(),
        conditions: BTreeMap::new(),
        requirements: BTreeMap::from([("BC-01".to_owned(), sentence.to_owned())]),
    }
}

/// A text that tries everything that a terminal may act upon.
pub(crate) const HOSTILE: &str = "\u{1b}[31mred\u{1b}]0;title\u{7} \u{9b}2J back\u{8}space\rover \u{202e}turned\u{2066} \
                                  \u{7f}\n::error::from the server\n##[command]x\u{2028}";

/// The hostile text wherever a server's words may stand.
pub(crate) fn hostile() -> Report {
    let mut finding = finding(HOSTILE, "red");
    finding.tool = Some(HOSTILE.to_owned());
    finding.message = HOSTILE.to_owned();
    finding.help = HOSTILE.to_owned();
    finding.requirement = HOSTILE.to_owned();
    finding.sent = json!({"name": HOSTILE, "arguments": {HOSTILE: HOSTILE}});
    finding.places.push(place(HOSTILE, HOSTILE));
    finding.wordings.push(worded(&on(HOSTILE, HOSTILE, HOSTILE)));
    finding.places.push(FindingPlace { wording: 1, ..place("read/missing", HOSTILE) });
    let mut other = finding.clone();
    other.sent = Value::String(HOSTILE.to_owned());
    let mut report = with_finding(with_finding(report(), finding), other);
    report = with_case(report, HOSTILE, Status::Skipped, Some(HOSTILE));
    report.server.command.push(HOSTILE.to_owned());
    report.server.name = HOSTILE.to_owned();
    report.server.version = HOSTILE.to_owned();
    report.server.protocol_version = HOSTILE.to_owned();
    report.bindings[0].tool = HOSTILE.to_owned();
    report.bindings[0].parameters = json!({"path": HOSTILE});
    report.bindings[0].why = HOSTILE.to_owned();
    report
}
