//! The source files of a server's project, and where a tool is defined in them. They are read as text alone.
//!
//! The main functions are [`collect`] and [`definition`].

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use mcp_errconf::report::SourceLine;
use regex::Regex;

/// At most this many source files are read.
const FILES: usize = 400;
/// A larger file is no source that somebody wrote.
const LARGEST: u64 = 512 * 1024;
/// How far below the project's folder sources are looked for.
pub(super) const DEPTH: usize = 5;

/// The endings of source files.
const ENDINGS: [&str; 22] = [
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "rs", "go", "rb", "php", "java", "kt", "cs",
    "ex", "lua", "pl", "swift", "sh", "bash",
];
/// Folders of a project with what others wrote, or what was built; hidden folders are left out too.
const FOREIGN: [&str; 9] =
    ["node_modules", "target", "vendor", "venv", "site-packages", "__pycache__", "dist", "build", "out"];

/// Adds the source files of a folder, and of those below it down to this depth.
pub(super) fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        // Links are not followed.
        let Ok(about) = entry.metadata() else { continue };
        let is_source =
            || path.extension().and_then(OsStr::to_str).is_some_and(|ending| ENDINGS.contains(&ending));
        if files.len() >= FILES {
            return;
        }
        if about.is_dir() && depth > 0 && !name.starts_with('.') && !FOREIGN.contains(&name.as_ref()) {
            collect(&path, depth - 1, files);
        } else if about.is_file() && about.len() <= LARGEST && is_source() && !files.contains(&path) {
            files.push(path);
        }
    }
}

/// The line in the working folder's sources that defines this tool, if there is one such line; its file is relative to the
/// repository that GitHub Actions has checked out, or else to the working folder.
pub(super) fn definition(tool: &str) -> Option<SourceLine> {
    static SOURCES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let Ok(here) = Path::new(".").canonicalize() else { return Vec::new() };
        let repository =
            std::env::var_os("GITHUB_WORKSPACE").and_then(|path| PathBuf::from(path).canonicalize().ok());
        let repository =
            repository.filter(|repository| here.starts_with(repository)).unwrap_or_else(|| here.clone());
        let mut files = Vec::new();
        collect(&here, DEPTH, &mut files);
        let is_test = |file: &PathBuf| {
            let below = file.strip_prefix(&here).unwrap_or(file).to_string_lossy().to_lowercase();
            below.split(|c: char| !c.is_alphanumeric()).any(|word| ["test", "tests", "spec"].contains(&word))
        };
        let named = |file: PathBuf| {
            let parts = file.strip_prefix(&repository).ok()?.components();
            let name = parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
            Some((name, std::fs::read_to_string(&file).ok()?))
        };
        files.into_iter().filter(|file| !is_test(file)).filter_map(named).collect()
    });
    defined(&SOURCES, tool)
}

/// The one line that defines the tool: where its name is given as such, else where its name is a text, else where a function has
/// its name.
fn defined(sources: &[(String, String)], tool: &str) -> Option<SourceLine> {
    let (text, name) = (format!("[\"'`]{0}[\"'`]", regex::escape(tool)), regex::escape(tool));
    let signs = [
        format!(r#"(?i)(?:\bname["']?\s*[:=]\s*|tool\w*\(\s*){text}"#),
        text,
        format!(r"\b(?:def|fn|func|function)\s+{name}\s*[(<]"),
    ];
    for sign in signs {
        let sign = Regex::new(&sign).ok()?;
        let lines = |(file, source): &(String, String)| {
            let lines = source.lines().enumerate().filter(|(_, line)| sign.is_match(line));
            lines.map(|(index, _)| SourceLine { file: file.clone(), line: index + 1 }).collect::<Vec<_>>()
        };
        let mut found = sources.iter().flat_map(lines);
        match (found.next(), found.next()) {
            (Some(line), None) => return Some(line),
            (Some(_), Some(_)) => return None,
            (None, _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_defined_where_one_line_says_so() {
        let check = |sources: &[&str], expected: Option<(&str, usize)>| {
            let sources: Vec<_> =
                sources.iter().enumerate().map(|(at, text)| (format!("{at}"), (*text).to_owned())).collect();
            let found = defined(&sources, "read_note");
            let found = found.as_ref().map(|line| (line.file.as_str(), line.line));
            assert_eq!(found, expected, "{sources:?}");
        };
        check(&["a", "server.registerTool(\n  \"read_note\",\n"], Some(("1", 2)));
        check(&["  { name: 'read_note', x },\n  case 'read_note':\n"], Some(("0", 1)));
        check(&["mcp.AddTool(mcp.NewTool(\"read_note\"), f)", "log(\"read_note\")"], Some(("0", 1)));
        check(&["@mcp.tool\ndef read_note(id):\n", "say(read_note(3))"], Some(("0", 2)));
        check(&["    async fn read_note(&self) {}\n    fn read_notes() {}"], Some(("0", 1)));
        check(&["\"read_note\"", "\"read_note\""], None);
        check(&["read_note; 'read_notes'"], None);
    }
}
