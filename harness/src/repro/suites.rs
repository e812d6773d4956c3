//! A reproduction as a test for each kind of test suite, and the file that starts the server for each.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::literal::{self, TestLanguage, string};
use super::{ALLOWED, Check, Repro, ReproFile, ReproStart};
use crate::transcript::Lifecycle;
use crate::wire::{LEGACY_VERSIONS, with_meta};

/// The column at which comments are wrapped.
const COLUMNS: usize = 96;

/// The tests of a finding; empty for a call that no test can express.
pub(super) fn tests(repro: &Repro) -> Vec<ReproFile> {
    let Some(calls) = &repro.calls else { return Vec::new() };
    let tests =
        [pytest(repro, calls), vitest(repro, calls), Some(go(repro, calls)), Some(rust(repro, calls))];
    tests.into_iter().flatten().collect()
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

/// How a language writes the statements of a test.
struct Syntax {
    language: TestLanguage,
    margin: &'static str,
    /// What gives the last reply its name.
    reply: &'static str,
    call: &'static str,
    end: &'static str,
}

const PYTHON: Syntax = Syntax {
    language: TestLanguage::Python,
    margin: "        ",
    reply: "reply = ",
    call: "server.call",
    end: "",
};
const JAVASCRIPT: Syntax = Syntax {
    language: TestLanguage::JavaScript,
    margin: "    ",
    reply: "const reply = ",
    call: "await server.call",
    end: ";",
};
const GO: Syntax =
    Syntax { language: TestLanguage::Go, margin: "\t", reply: "reply := ", call: "server.call", end: "" };
const RUST: Syntax = Syntax {
    language: TestLanguage::Rust,
    margin: "    ",
    reply: "let reply = ",
    call: "server.call",
    end: ";",
};

impl Syntax {
    /// The statements that set up the case and make its calls; the last reply gets a name. `None` if the language cannot
    /// write the arguments of a call.
    fn steps(&self, repro: &Repro, calls: &[(String, Value)]) -> Option<String> {
        let Self { language, margin, reply, call, end } = *self;
        let mut text = String::new();
        if let Some(why) = repro.effects.why_guarded() {
            let _ = writeln!(text, "{margin}server.allowed({}){end}", string(why, language));
        }
        for folder in &repro.folders {
            let _ = writeln!(text, "{margin}server.folder({}){end}", string(folder, language));
        }
        for (path, content) in &repro.files {
            let given = format!("{}, {}", string(path, language), string(content, language));
            let _ = writeln!(text, "{margin}server.file({given}){end}");
        }
        for (index, (tool, arguments)) in calls.iter().enumerate() {
            let named = if index + 1 == calls.len() { reply } else { "" };
            let arguments = match language {
                TestLanguage::Python | TestLanguage::JavaScript => {
                    literal::value(arguments, language, margin.len())?
                }
                TestLanguage::Go | TestLanguage::Rust => literal::raw(arguments, language),
            };
            let _ = writeln!(text, "{margin}{named}{call}({}, {arguments}){end}", string(tool, language));
        }
        Some(text)
    }
}

fn pytest(repro: &Repro, calls: &[(String, Value)]) -> Option<ReproFile> {
    let file = format!("test_{}.py", repro.name);
    let steps = PYTHON.steps(repro, calls)?;
    let short = string(&repro.short, TestLanguage::Python);
    let looked_for = string(repro.check.text(), TestLanguage::Python);
    let check = match &repro.check {
        Check::Refused => format!("assert reply.is_error, {short}"),
        Check::Absent(_) => format!("assert {looked_for} not in reply.text, {short}"),
        Check::Other(_) => format!("assert reply.text != {looked_for}, {short}"),
    };
    let text = format!(
        "{}\nfrom mcp_server import Server\n\n\ndef test_{}():\n    with Server() as server:\n{steps}    {check}\n",
        comment(repro, "#", &format!("`pytest {}/pytest/{file}`", repro.start.folder)),
        repro.name
    );
    Some(ReproFile { path: format!("pytest/{file}"), text })
}

fn vitest(repro: &Repro, calls: &[(String, Value)]) -> Option<ReproFile> {
    let file = format!("{}.test.mjs", repro.name);
    let steps = JAVASCRIPT.steps(repro, calls)?;
    let short = string(&repro.short, TestLanguage::JavaScript);
    let looked_for = string(repro.check.text(), TestLanguage::JavaScript);
    let check = match &repro.check {
        Check::Refused => format!("expect(reply.isError, {short}).toBe(true);"),
        Check::Absent(_) => format!("expect(reply.text, {short}).not.toContain({looked_for});"),
        Check::Other(_) => format!("expect(reply.text, {short}).not.toBe({looked_for});"),
    };
    let text = format!(
        "{}\nimport {{ expect, test }} from \"vitest\";\nimport {{ Server }} from \"./mcp-server.mjs\";\n\n\
         test({short}, async () => {{\n  const server = new Server();\n  try {{\n{steps}    {check}\n  }} finally {{\n    \
         server.stop();\n  }}\n}}, 70_000);\n",
        comment(repro, "//", &format!("`npx vitest run {}/vitest/{file}`", repro.start.folder)),
    );
    Some(ReproFile { path: format!("vitest/{file}"), text })
}

fn go(repro: &Repro, calls: &[(String, Value)]) -> ReproFile {
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let name: String = repro.name.split('_').filter(|word| !word.is_empty()).map(capital).collect();
    let steps = GO.steps(repro, calls);
    let looked_for = string(repro.check.text(), TestLanguage::Go);
    let (import, condition) = match &repro.check {
        Check::Refused => ("import \"testing\"", "!reply.isError".to_owned()),
        Check::Absent(_) => (
            "import (\n\t\"strings\"\n\t\"testing\"\n)",
            format!("strings.Contains(reply.text, {looked_for})"),
        ),
        Check::Other(_) => ("import \"testing\"", format!("reply.text == {looked_for}")),
    };
    let text = format!(
        "package repro\n\n{import}\n\n{}func Test{name}(t *testing.T) {{\n\tserver := newServer(t)\n{}\tif {condition} {{\n\t\t\
         t.Error({})\n\t}}\n}}\n",
        comment(repro, "//", &format!("`go test -run Test{name} .` in this folder")),
        steps.unwrap_or_default(),
        string(&repro.short, TestLanguage::Go)
    );
    // Go would build a file whose name ends in a system's, such as `.._windows_test.go`, only on that system.
    ReproFile { path: format!("go/{}_repro_test.go", repro.name), text }
}

fn rust(repro: &Repro, calls: &[(String, Value)]) -> ReproFile {
    let steps = RUST.steps(repro, calls);
    let short = string(&repro.short, TestLanguage::Rust);
    let looked_for = string(repro.check.text(), TestLanguage::Rust);
    let check = match &repro.check {
        Check::Refused => format!("assert!(reply.is_error, \"{{}}\", {short});"),
        Check::Absent(_) => format!("assert!(!reply.text.contains({looked_for}), \"{{}}\", {short});"),
        Check::Other(_) => format!("assert_ne!(reply.text, {looked_for}, \"{{}}\", {short});"),
    };
    let run = format!(
        "copy this file and `mcp_server/` to `tests/`, `cargo add --dev serde_json`, `cargo test --test {}`",
        repro.name
    );
    let text = format!(
        "{}\nmod mcp_server;\n\n#[test]\nfn {}() {{\n    let mut server = mcp_server::Server::new();\n{}    {check}\n}}\n",
        comment(repro, "//", &run),
        repro.name,
        steps.unwrap_or_default()
    );
    ReproFile { path: format!("rust/{}.rs", repro.name), text }
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
    let pairs = |pairs: &mut dyn Iterator<Item = (&String, &String)>| {
        let pairs: Vec<(&String, &String)> = pairs.collect();
        match language {
            TestLanguage::Python | TestLanguage::JavaScript => {
                let value = pairs.iter().map(|(name, text)| ((*name).clone(), json!(text))).collect();
                literal::value(&Value::Object(value), language, 0).unwrap_or_default()
            }
            TestLanguage::Go | TestLanguage::Rust => {
                let between = if language == TestLanguage::Go { ": " } else { ", " };
                let pair = |(name, text): &(&String, &String)| {
                    let pair = format!("{}{between}{}", string(name, language), string(text, language));
                    if language == TestLanguage::Go { pair } else { format!("({pair})") }
                };
                let inner = pairs.iter().map(pair).collect::<Vec<_>>().join(", ");
                if language == TestLanguage::Go { format!("{{{inner}}}") } else { inner }
            }
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
        TestLanguage::Go | TestLanguage::Rust => literal::raw(meta, language),
        TestLanguage::Python | TestLanguage::JavaScript => {
            literal::value(meta, language, 0).unwrap_or_default()
        }
    };
    [
        ("@VERSION@", env!("CARGO_PKG_VERSION").to_owned()),
        ("@PROTOCOL@", LEGACY_VERSIONS[0].to_owned()),
        ("@COMMAND@", literal::strings(&start.command, language)),
        ("@CWD@", cwd),
        ("@ENV@", pairs(&mut start.env.iter())),
        ("@SECRETS@", pairs(&mut start.secrets().iter())),
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
