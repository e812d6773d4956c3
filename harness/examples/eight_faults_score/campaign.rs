//! One campaign against one server, and what is planted in that server.
//!
//! The main types are [`Campaign`] and [`Planted`]. Both programs stand where cargo puts them beside this one.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A campaign, as it is started.
pub(crate) struct Campaign<'a> {
    pub(crate) seed: u64,
    pub(crate) server: u64,
    pub(crate) duration: &'a str,
    /// Further options of `mcp-errconf fuzz`.
    pub(crate) options: &'a [String],
}

/// A fault that is there to be found.
#[derive(Debug)]
pub(crate) struct Planted {
    pub(crate) kind: String,
    /// The rule that it breaks, or the group of the rule.
    pub(crate) rule: String,
    pub(crate) tool: String,
    /// The smallest calls that bring it about.
    pub(crate) calls: Vec<Value>,
}

/// What was found: a finding of the JSON report.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) rule: String,
    pub(crate) tool: String,
    pub(crate) message: String,
    /// The shrunk calls.
    pub(crate) calls: Vec<Value>,
}

impl Campaign<'_> {
    /// Runs it to its end.
    pub(crate) fn findings(&self) -> Result<Vec<Found>, String> {
        let folder = tempfile::TempDir::new().map_err(|error| error.to_string())?;
        let report = folder.path().join("report.json");
        let program = beside("../mcp-errconf")?;
        let mut fuzz = Command::new(&program);
        fuzz.args(["fuzz", "--contract", "bracket-code", "--duration", self.duration, "-q"])
            .args(["--seed", &self.seed.to_string()])
            .arg(format!("--report=json={}", report.display()))
            .arg("--findings")
            .arg(folder.path().join("findings"))
            .args(self.options)
            .arg("--")
            .arg(beside("eight_faults")?)
            .args(["--seed", &self.server.to_string()])
            .current_dir(folder.path())
            .stdin(Stdio::null());
        let ended = fuzz.output().map_err(|error| format!("{}: {error}", program.display()))?;
        let text = std::fs::read_to_string(&report).map_err(|_| {
            format!("no report, {}: {}", ended.status, String::from_utf8_lossy(&ended.stderr).trim())
        })?;
        let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let findings = report["findings"].as_array().ok_or("the report has no findings")?;
        Ok(findings.iter().map(Found::of).collect())
    }
}

impl Planted {
    /// All of a server, as it lists them itself.
    pub(crate) fn of(server: u64) -> Result<Vec<Self>, String> {
        let program = beside("eight_faults")?;
        let listed = Command::new(program).args(["--list", "--seed", &server.to_string()]).output();
        let listed = String::from_utf8(listed.map_err(|error| error.to_string())?.stdout);
        let listed = listed.map_err(|error| error.to_string())?;
        let faults = listed.lines().map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
            [kind, rule, tool, _, calls] => Ok(Self {
                kind: kind.to_owned(),
                rule: rule.to_owned(),
                tool: tool.to_owned(),
                calls: serde_json::from_str(calls).map_err(|error| error.to_string())?,
            }),
            _ => Err(format!("a line of five fields was expected: {line}")),
        });
        faults.collect()
    }
}

impl Found {
    fn of(finding: &Value) -> Self {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let calls = match &finding["input"] {
            Value::Array(calls) => calls.clone(),
            Value::Null => Vec::new(),
            call => vec![call.clone()],
        };
        Self { rule: text("rule"), tool: text("tool"), message: text("message"), calls }
    }
}

/// A program that cargo puts beside this one.
fn beside(name: &str) -> Result<PathBuf, String> {
    let ours = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = ours.with_file_name(name);
    match program.exists() {
        true => Ok(program),
        false => Err(format!(
            "{} is not there: build it first, as the head of this example says",
            program.display()
        )),
    }
}
