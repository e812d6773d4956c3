//! The grammars of harmless values: each text they can make is harmless because of the words it consists of.

use super::{Chooser, CodeLanguage, DrawReferences, ExecutableKind};

/// Arguments for `echo` and the like, in shell notation. The first is the plainest.
const SAID: [&str; 12] = [
    "alpha",
    "'alpha beta'",
    "\"alpha\"",
    "''",
    "'%s'",
    "'100%'",
    "alpha\\ beta",
    "'\u{e9}\u{1f600}'",
    "\"it's\"",
    "'a''b'",
    "'{\"a\": 1}'",
    // An unclosed quote, so that a shell refuses the whole line.
    "'alpha",
];

/// Programs and built-ins that change nothing, and one that does not exist.
const PROGRAMS: [&str; 5] = ["true", "false", "echo", "printf", "mcp-errconf-no-such-program"];

/// Separators of commands, without pipes and background jobs.
const BETWEEN: [&str; 4] = ["; ", " && ", " || ", "\n"];

/// What may follow the host in an address.
const BELOW: [&str; 9] =
    ["/", "", "/notes.txt", "/no-such-thing", "/?q=alpha", "/%20%C3%A9", "/%zz", "/#part", "/\u{1f600}"];

/// Addresses on this machine where nothing is likely to listen: ports below 1024 that are out of use.
const HOME: [&str; 4] = ["http://127.0.0.1:9", "http://localhost:1", "http://[::1]:9", "https://127.0.0.1:9"];

/// A text of this kind.
pub(super) fn text(kind: ExecutableKind, references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    match kind {
        ExecutableKind::Command => command(references, choose),
        ExecutableKind::Words => words(references, choose).join(" "),
        ExecutableKind::Flags => flag(references, choose),
        ExecutableKind::Program => pick(&PROGRAMS, choose),
        ExecutableKind::Code(language) => pick(code(language), choose),
        ExecutableKind::Sql => pick(&SQL, choose),
        ExecutableKind::Url => url(references, choose),
        ExecutableKind::Host => {
            pick(&["127.0.0.1", "localhost", "::1", "127.0.0.1:9", "localhost.", ""], choose)
        }
        ExecutableKind::Port => port(choose).to_string(),
        ExecutableKind::Mail => pick(&MAIL, choose),
        // Numbers that are reserved for fiction.
        ExecutableKind::Phone => {
            pick(&["+12025550100", "+1 202 555 0199", "2025550100", "+", "alpha"], choose)
        }
        ExecutableKind::Package => pick(
            &[
                "example.invalid/none:latest",
                "example.invalid/none",
                "example.invalid/@none",
                "example.invalid/none@0.0.0",
            ],
            choose,
        ),
        ExecutableKind::Template => pick(
            &["alpha", "{{ 1 + 1 }}", "${1 + 1}", "{{ alpha }}", "{{ 1 +", "{% if %}", "%s {} $x"],
            choose,
        ),
    }
}

/// A program and its arguments.
pub(super) fn words(references: &DrawReferences<'_>, choose: Chooser<'_>) -> Vec<String> {
    let plain = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    match choose(9) {
        0 => plain(&["echo", "alpha"]),
        1 => plain(&["true"]),
        2 => plain(&["false"]),
        3 => plain(&["printf", "%s", "alpha beta"]),
        4 => vec!["cat".to_owned(), file(references, choose)],
        5 => vec!["ls".to_owned(), file(references, choose)],
        6 => plain(&["mcp-errconf-no-such-program", "alpha"]),
        7 => Vec::new(),
        _ => plain(&[""]),
    }
}

/// A port on which nobody is likely to listen.
pub(super) fn port(choose: Chooser<'_>) -> u16 {
    [9, 1, 0][choose(3)]
}

fn pick(texts: &[&str], choose: Chooser<'_>) -> String {
    texts[choose(texts.len())].to_owned()
}

/// One or several commands.
fn command(references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    let mut line = simple(references, choose);
    for _ in 0..choose(3) {
        line.push_str(BETWEEN[choose(BETWEEN.len())]);
        line.push_str(&simple(references, choose));
    }
    match choose(8) {
        7 => format!("({line})"),
        _ => line,
    }
}

fn simple(references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    match choose(12) {
        0 | 1 => format!("echo {}", pick(&SAID, choose)),
        2 => "true".to_owned(),
        3 => "false".to_owned(),
        4 => format!("printf '%s\\n' {}", pick(&SAID, choose)),
        5 => format!("exit {}", [0, 1, 3, 127, 255][choose(5)]),
        6 => format!("cat {}", quoted(&file(references, choose))),
        7 => format!("ls {}", quoted(&file(references, choose))),
        8 => format!("ls -la {}", quoted(&file(references, choose))),
        // More than the buffer of a pipe holds.
        9 => "printf '%0100000d' 1".to_owned(),
        10 => "mcp-errconf-no-such-program alpha".to_owned(),
        _ => pick(&["", " ", "#", "echo \"alpha", "if", ")", "echo alpha;;"], choose),
    }
}

/// An argument for a program that may be unknown.
fn flag(references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    match choose(5) {
        0 => "alpha".to_owned(),
        1 => "--version".to_owned(),
        2 => "--no-such-flag".to_owned(),
        3 => String::new(),
        _ => file(references, choose),
    }
}

/// One of the workspace's own files, or a name that does not exist.
fn file(references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    let at = choose(references.files.len() + 1);
    match (references.files.get(at), references.files.first()) {
        (Some(file), _) => file.clone(),
        (None, Some(first)) => format!("{first}.no-such-file"),
        (None, None) => "no-such-file".to_owned(),
    }
}

/// A text quoted as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn url(references: &DrawReferences<'_>, choose: Chooser<'_>) -> String {
    let home = || HOME.iter().copied().chain(references.upstream).chain(references.upstream);
    let place = |choose: Chooser<'_>| {
        let at = choose(home().count());
        home().nth(at).unwrap_or(HOME[0])
    };
    match choose(8) {
        7 => pick(
            &[
                "",
                "http://",
                "127.0.0.1:9",
                "://127.0.0.1:9",
                "ht!tp://127.0.0.1:9/",
                "http://127.0.0.1:99999/",
            ],
            choose,
        ),
        6 => format!("http://alpha:beta@127.0.0.1:9{}", pick(&BELOW, choose)),
        _ => format!("{}{}", place(choose), pick(&BELOW, choose)),
    }
}

/// Statements about constants, and about tables that do not exist.
const SQL: [&str; 16] = [
    "SELECT 1",
    "SELECT 1 + 1 AS two",
    "SELECT 'alpha' AS name",
    "SELECT NULL",
    "SELECT 1 WHERE 1 = 0",
    "SELECT 1; SELECT 2",
    "SELECT no_such_column",
    "SELECT * FROM no_such_table_alpha",
    "SELECT 'alpha",
    "SELECT 1 / 0",
    "SELECT",
    "SELEC 1",
    "EXPLAIN SELECT 1",
    "-- alpha",
    "SELECT '\u{1f600}'",
    "",
];

/// Addresses in a reserved domain, to which no mail is delivered.
const MAIL: [&str; 8] = [
    "someone@example.invalid",
    "some.one+tag@sub.example.invalid",
    "Some One <someone@example.invalid>",
    "\"some one\"@example.invalid",
    "\u{e9}@example.invalid",
    "@example.invalid",
    "someone@",
    "",
];

/// Constant expressions; the first of each list is the plainest.
fn code(language: CodeLanguage) -> &'static [&'static str] {
    match language {
        CodeLanguage::Python => &[
            "1 + 1",
            "'alpha'.upper()",
            "print('alpha')",
            "len('alpha')",
            "[1, 2][5]",
            "{'a': 1}['b']",
            "1 / 0",
            "raise ValueError('alpha')",
            "no_such_name",
            "'\u{1f600}'",
            "1 +",
            "if",
            "",
        ],
        CodeLanguage::JavaScript => &[
            "1 + 1",
            "'alpha'.toUpperCase()",
            "console.log('alpha')",
            "[1, 2][5]",
            "({a: 1}).b.c",
            "throw new Error('alpha')",
            "undefined",
            "noSuchName",
            "'\u{1f600}'",
            "1 +",
            "}",
            "",
        ],
        CodeLanguage::GraphQl => {
            &["{ __typename }", "query { __typename }", "{ noSuchField }", "{ __typename", "{", ""]
        }
        CodeLanguage::Cypher => {
            &["RETURN 1", "RETURN 'alpha' AS name", "RETURN noSuchName", "RETURN", "RETUR 1", ""]
        }
        CodeLanguage::Other => &["1 + 1", "2 * 3", "'alpha'", "\"alpha\"", "(1", "1 +", "1 / 0", "alpha", ""],
    }
}
