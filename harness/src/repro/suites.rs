//! A reproduction as a test for each kind of test suite, and the file that starts the server for each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::literal::{self, TestLanguage, string};
use super::{ALLOWED, Check, Repro, ReproFile, ReproStart};
use crate::transcript::Lifecycle;
use crate::wire::{LEGACY_VERSIONS, with_meta};

/// The column at which comments are wrapped.
const COLUMNS: usize = 96;

/// The tests of a finding; empty for a call that no test can express.
pub(super) fn tests(repro: &Repro) -> Vec<ReproFile> {
    let calls = repro.calls.iter();
    calls.flat_map(|calls| SUITES.suite.iter().filter_map(|suite| suite.test(repro, calls))).collect()
}

/// The comment above a test: the finding, how to fix the server, how to run the test.
pub(super) fn comment(repro: &Repro, margin: &str, run: &str) -> String {
    let mut text = String::new();
    let after = format!(
        "Run: {run}. It fails while the server replies as it did. Whether another reply is better: \
         `mcp-errconf run --filter '{}'`.",
        repro.case
    );
    let help = format!("How to fix it: {}", repro.help);
    for paragraph in repro.words.iter().chain([&help, &after]) {
        for line in wrapped(paragraph) {
            text.push_str(format!("{margin} {line}").trim_end());
            text.push('\n');
        }
    }
    text
}

/// A text wrapped between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A kind of test suite, and how a test for it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestSuite {
    language: TestLanguage,
    path: String,
    comment: String,
    /// How the test is run.
    run: String,
    /// Before each statement, and after it.
    margin: String,
    end: String,
    call: String,
    /// What gives the last reply its name.
    reply: String,
    /// What is checked, by [`Check`].
    refused: String,
    absent: String,
    other: String,
    file: String,
}

static SUITES: LazyLock<Suites> =
    LazyLock::new(|| toml::from_str(include_str!("suites.toml")).expect("a test reads this file"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suites {
    suite: Vec<TestSuite>,
}

impl TestSuite {
    /// The test of a finding; `None` if the language cannot write the arguments of a call.
    fn test(&self, repro: &Repro, calls: &[(String, Value)]) -> Option<ReproFile> {
        let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
        let words = repro.name.split('_').filter(|word| !word.is_empty());
        let (check, imports) = match &repro.check {
            Check::Refused => (&self.refused, "\"testing\""),
            Check::Absent(_) => (&self.absent, "(\n\t\"strings\"\n\t\"testing\"\n)"),
            Check::Other(_) => (&self.other, "\"testing\""),
        };
        let mut fields = vec![
            ("@NAME@", repro.name.clone()),
            ("@CAMEL@", words.map(capital).collect()),
            ("@FOLDER@", repro.start.folder.clone()),
            ("@SHORT@", string(&repro.short, self.language)),
            ("@TEXT@", string(repro.check.text(), self.language)),
            ("@IMPORTS@", imports.to_owned()),
            ("@STEPS@", self.steps(repro, calls)?),
        ];
        let [path, run, check] = [&self.path, &self.run, check].map(|template| filled(template, &fields));
        fields.extend([("@COMMENT@", comment(repro, &self.comment, &run)), ("@CHECK@", check)]);
        Some(ReproFile { path, text: filled(&self.file, &fields) })
    }

    /// The statements that set up the case and make its calls; the last reply gets a name.
    fn steps(&self, repro: &Repro, calls: &[(String, Value)]) -> Option<String> {
        let Self { language, margin, reply, call, end, .. } = self;
        let language = *language;
        let mut text = String::new();
        if let Some(why) = repro.effects.why_guarded() {
            let _ = writeln!(text, "{margin}server.allowed({}){end}", string(why, language));
        }
        for folder in &repro.layout.folders {
            let _ = writeln!(text, "{margin}server.folder({}){end}", string(folder, language));
        }
        for (path, content) in &repro.layout.files {
            let given = format!("{}, {}", string(path, language), string(content, language));
            let _ = writeln!(text, "{margin}server.file({given}){end}");
        }
        for (index, (tool, arguments)) in calls.iter().enumerate() {
            let named = if index + 1 == calls.len() { reply.as_str() } else { "" };
            let arguments = literal::arguments(arguments, language, margin.len())?;
            let _ = writeln!(text, "{margin}{named}{call}({}, {arguments}){end}", string(tool, language));
        }
        Some(text)
    }
}

/// The file that starts the server, for each kind of test suite.
pub fn support(start: &ReproStart, lifecycle: Lifecycle) -> Vec<ReproFile> {
    let meta = match lifecycle {
        Lifecycle::Legacy => Value::Null,
        Lifecycle::Modern => {
            let params = serde_json::from_str::<Value>(&with_meta("{}")).unwrap_or_default();
            params["_meta"].clone()
        }
    };
    let files = [
        ("pytest/mcp_server.py", include_str!("mcp_server.py.txt"), TestLanguage::Python),
        ("vitest/mcp-server.mjs", include_str!("mcp-server.mjs.txt"), TestLanguage::JavaScript),
        ("go/mcpserver_test.go", include_str!("mcpserver_test.go.txt"), TestLanguage::Go),
        ("rust/mcp_server/mod.rs", include_str!("mod.rs.txt"), TestLanguage::Rust),
    ];
    let file = |(path, template, language): (&str, &str, TestLanguage)| ReproFile {
        path: path.to_owned(),
        text: filled(template, &fields(start, &meta, language)),
    };
    files.map(file).into()
}

fn fields(start: &ReproStart, meta: &Value, language: TestLanguage) -> [(&'static str, String); 8] {
    let pairs = |pairs: &BTreeMap<String, String>| {
        let listed = |pair: fn(String, String) -> String| {
            let pairs = pairs.iter().map(|(name, text)| pair(string(name, language), string(text, language)));
            pairs.collect::<Vec<_>>().join(", ")
        };
        match language {
            TestLanguage::Python | TestLanguage::JavaScript => {
                literal::value(&json!(pairs), language, 0).unwrap_or_default()
            }
            TestLanguage::Go => format!("{{{}}}", listed(|name, text| format!("{name}: {text}"))),
            TestLanguage::Rust => listed(|name, text| format!("({name}, {text})")),
        }
    };
    let cwd = match (language, &start.cwd) {
        (TestLanguage::Go, _) => string(&start.cwd_of_go, language),
        (TestLanguage::Rust, cwd) => string(cwd.as_deref().unwrap_or_default(), language),
        (_, Some(cwd)) => string(cwd, language),
        (_, None) => literal::value(&Value::Null, language, 0).unwrap_or_default(),
    };
    let meta = match language {
        TestLanguage::Go if meta.is_null() => "``".to_owned(),
        _ => literal::arguments(meta, language, 0).unwrap_or_default(),
    };
    [
        ("@VERSION@", env!("CARGO_PKG_VERSION").to_owned()),
        ("@PROTOCOL@", LEGACY_VERSIONS[0].to_owned()),
        ("@COMMAND@", literal::strings(&start.command, language)),
        ("@CWD@", cwd),
        ("@ENV@", pairs(&start.env)),
        ("@SECRETS@", pairs(&start.secrets())),
        ("@META@", meta),
        ("@ALLOWED@", ALLOWED.to_owned()),
    ]
}

/// The template with its fields filled in; inserted text is not searched again.
fn filled(template: &str, fields: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((at, (name, value))) =
        fields.iter().filter_map(|field| rest.find(field.0).map(|at| (at, field))).min_by_key(|(at, _)| *at)
    {
        text.push_str(&rest[..at]);
        text.push_str(value);
        rest = &rest[at + name.len()..];
    }
    text + rest
}
