//! The lines of the fixes, for the SDK of the server at hand. They are parts of the small servers in `book/fixes`, which
//! `.ci/fixes/run` runs; the book has those of every SDK.

use std::fs;
use std::path::Path;

use clap::ValueEnum;

/// An SDK whose lines this program has. Those for Rust are examples of another package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Sdk {
    Fastmcp,
    Python,
    Typescript,
    Go,
}

/// Between these two, each in a comment of its own line, stand the lines.
const MARKS: [&str; 2] = ["the fix:", "the end of the fix"];
/// At most this many files of Python are read to tell the SDK.
const READ: usize = 20;

/// The servers with the lines of each fix.
macro_rules! servers {
    ($($fix:literal $file:literal),+) => {
        &[$((
            $fix,
            [
                (Sdk::Python, include_str!(concat!("../../../book/fixes/python/", $file, ".py"))),
                (Sdk::Typescript, include_str!(concat!("../../../book/fixes/typescript/", $file, ".mjs"))),
                (Sdk::Go, include_str!(concat!("../../../book/fixes/go/", $file, ".go"))),
            ],
        )),+]
    };
}

static SERVERS: &[(&str, [(Sdk, &str); 3])] = servers!(
    "bound-the-text" "bound_the_text",
    "check-first" "check_first",
    "flag-the-failure" "flag_the_failure",
    "log-to-standard-error" "log_to_standard_error",
    "name-and-advise" "name_and_advise",
    "one-place-for-codes" "one_place_for_codes",
    "one-place-for-envelopes" "one_place_for_envelopes",
    "resolve-then-compare" "resolve_then_compare",
    "set-a-deadline" "set_a_deadline",
    "tell-the-exit-status" "tell_the_exit_status",
    "translate-the-exception" "translate_the_exception",
    "validate-yourself" "validate_yourself",
    "write-last" "write_last"
);

/// Where FastMCP differs from the Python SDK.
static OF_FASTMCP: &[(&str, &str)] = &[
    ("one-place-for-codes", include_str!("../../../book/fixes/fastmcp/one_place_for_codes.py")),
    ("one-place-for-envelopes", include_str!("../../../book/fixes/fastmcp/one_place_for_envelopes.py")),
    ("validate-yourself", include_str!("../../../book/fixes/fastmcp/validate_yourself.py")),
];

impl Sdk {
    /// The heading of its advice.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Fastmcp => "FastMCP",
            Self::Python => "Python",
            Self::Typescript => "TypeScript",
            Self::Go => "Go",
        }
    }

    /// The SDK of the server in a folder, by what stands there; `None` if that does not tell.
    pub(super) fn of_folder(folder: &Path) -> Option<Self> {
        let is_there = |name: &str| folder.join(name).is_file();
        if is_there("go.mod") {
            return Some(Self::Go);
        }
        if is_there("package.json") {
            return Some(Self::Typescript);
        }
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let is_python = |path: &std::path::PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name == "pyproject.toml" || name == "requirements.txt" || name.ends_with(".py")
        };
        let texts: Vec<String> =
            entries.filter(is_python).take(READ).filter_map(|path| fs::read_to_string(path).ok()).collect();
        let names_fastmcp = |line: &str| {
            let line = line.trim_start_matches([' ', '"', '\'']);
            ["fastmcp", "from fastmcp", "import fastmcp"].iter().any(|beginning| line.starts_with(beginning))
        };
        let is_fastmcp = texts.iter().any(|text| text.lines().any(names_fastmcp));
        (!texts.is_empty()).then_some(if is_fastmcp { Self::Fastmcp } else { Self::Python })
    }
}

/// The lines of a fix for an SDK, indented alike; `None` if this program has none.
pub(super) fn lines(fix: &str, sdk: Sdk) -> Option<String> {
    let own =
        OF_FASTMCP.iter().find(|(name, _)| sdk == Sdk::Fastmcp && *name == fix).map(|(_, server)| *server);
    let like = if sdk == Sdk::Fastmcp { Sdk::Python } else { sdk };
    let of_all = || {
        let (_, servers) = SERVERS.iter().find(|(name, _)| *name == fix)?;
        servers.iter().find(|(of, _)| *of == like).map(|(_, server)| *server)
    };
    let mut after = own.or_else(of_all)?.lines().skip_while(|line| !line.contains(MARKS[0]));
    let first = after.next()?;
    let indent = first.len() - first.trim_start().len();
    let shown = after.take_while(|line| !line.contains(MARKS[1])).map(|line| match line.get(indent..) {
        Some(line) if !line.is_empty() => format!("      {line}\n"),
        _ => "\n".to_owned(),
    });
    Some(shown.collect())
}

#[cfg(test)]
mod tests {
    use mcp_errconf::rules;

    use super::*;

    #[test]
    fn every_fix_with_a_proof_has_lines_for_each_sdk() {
        for fix in rules::fixes().iter().filter(|fix| !fix.proven.is_empty()) {
            for sdk in Sdk::value_variants() {
                let lines = lines(&fix.name, *sdk).unwrap_or_default();
                assert!(lines.lines().count() > 2, "{}: {sdk:?}", fix.name);
                assert!(!lines.contains(MARKS[1]), "{lines}");
            }
        }
        let middleware = lines("validate-yourself", Sdk::Fastmcp).unwrap();
        assert!(middleware.starts_with("      import json\n"), "{middleware}");
    }

    #[test]
    fn the_sdk_is_that_of_the_folder() {
        let check = |files: &[(&str, &str)], expected: Option<Sdk>| {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            for (name, text) in files {
                fs::write(folder.path().join(name), text).expect("a file can be written");
            }
            assert_eq!(Sdk::of_folder(folder.path()), expected, "{files:?}");
        };
        check(&[("package.json", "{}")], Some(Sdk::Typescript));
        check(&[("go.mod", "module x")], Some(Sdk::Go));
        check(&[("server.py", "from fastmcp import FastMCP\n")], Some(Sdk::Fastmcp));
        check(&[("pyproject.toml", "dependencies = [\n  \"fastmcp>=3\",\n]\n")], Some(Sdk::Fastmcp));
        check(&[("server.py", "from mcp.server.fastmcp import FastMCP\n")], Some(Sdk::Python));
        check(&[("Cargo.toml", "[package]")], None);
        check(&[], None);
    }
}
