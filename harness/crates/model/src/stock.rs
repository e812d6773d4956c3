//! Small files of many kinds, laid out for a tool when a call refers to one.
//!
//! The main function is [`laid_out`]. Their contents are in `contents`.

use serde_json::Value;

use self::contents::{PROJECT, STOCK, content};
use self::tool_files::ToolFiles;
use crate::suite::{Commit, File, FileContent};

pub mod contents;
pub mod tool_files;

/// Files whose contents are not what their endings say, or not in UTF-8, by their names without extension.
const ODD: [(&str, &[u8]); 4] = [
    (ToolFiles::EMPTY, b""),
    (ToolFiles::BYTES, b"\xff\xfe\0\x80alpha\xc3\x28"),
    (ToolFiles::UTF_16, b"\xff\xfea\0l\0p\0h\0a\0\n\0b\0e\0t\0a\0\n\0"),
    (ToolFiles::LATIN_1, b"caf\xe9\nna\xefve\n"),
];
/// A line of the long file, and how many it has.
const LINE: &str = "alpha beta gamma delta\n";
const LINES: usize = 20_000;

/// The stock files that arguments refer to, except those that exist already.
pub fn laid_out(arguments: &Value, tool_files: &ToolFiles, there: &[File]) -> Vec<File> {
    let text = arguments.to_string();
    let leads = |path: &str| {
        text.contains(&format!("{}/{path}", tool_files.folder())) || text.contains(&format!("\"{path}"))
    };
    let is_new = |path: &str| !there.iter().any(|file| file.path == path);
    let mut files = Vec::new();
    for (ending, bytes) in STOCK {
        for path in [format!("data.{ending}"), format!("of-{ending}/data.{ending}")] {
            let way = path.split('/').next().unwrap_or_default();
            if leads(way) && is_new(&path) {
                files.push(File { path, content: content(bytes) });
            }
        }
    }
    for (name, bytes) in ODD {
        if leads(&format!("{name}.")) {
            let paths = STOCK.iter().map(|(ending, _)| format!("{name}.{ending}"));
            let led = paths.filter(|path| leads(path) && is_new(path));
            files.extend(led.map(|path| File { path, content: content(bytes) }));
        }
    }
    if leads(&format!("{}.", ToolFiles::LONG)) {
        let paths = STOCK.iter().map(|(ending, _)| format!("{}.{ending}", ToolFiles::LONG));
        let text = || FileContent::Text(LINE.repeat(LINES));
        files.extend(
            paths.filter(|path| leads(path) && is_new(path)).map(|path| File { path, content: text() }),
        );
    }
    let long_line = || FileContent::Text(long_line());
    for (name, content) in
        [(ToolFiles::LONG_LINE, &long_line as &dyn Fn() -> _), (ToolFiles::FIFO, &|| FileContent::Fifo)]
    {
        if leads(&format!("{name}.")) {
            let paths = STOCK.iter().map(|(ending, _)| format!("{name}.{ending}"));
            let led = paths.filter(|path| leads(path) && is_new(path));
            files.extend(led.map(|path| File { path, content: content() }));
        }
    }
    if leads(ToolFiles::VACANT) && is_new(ToolFiles::VACANT) {
        files.push(File { path: ToolFiles::VACANT.to_owned(), content: FileContent::Directory });
    }
    if leads(ToolFiles::PROJECT) {
        let of_project = PROJECT.map(|(name, text)| (format!("{}/{name}", ToolFiles::PROJECT), text));
        let new = of_project.into_iter().filter(|(path, _)| is_new(path));
        files.extend(new.map(|(path, text)| File { path, content: FileContent::Text(text.to_owned()) }));
    }
    if leads(ToolFiles::REPOSITORY) {
        files.extend(repository().into_iter().filter(|file| is_new(&file.path)));
    }
    if leads(ToolFiles::CIRCLE) && is_new(ToolFiles::CIRCLE) {
        let content = FileContent::Link("link".to_owned());
        files.push(File { path: ToolFiles::CIRCLE.to_owned(), content });
    }
    files
}

/// A line that is longer than what is mostly read at once.
fn long_line() -> String {
    const BYTES: usize = 70_000;
    let words = LINE.replace('\n', " ").repeat(BYTES / LINE.len());
    format!("{words}{}\n", ToolFiles::LINE_ENDS)
}

/// The text of the harness's own file at a path, if that is one.
pub fn text_at(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    if name == ToolFiles::FILE {
        return Some(ToolFiles::TEXT);
    }
    let (_, bytes) = STOCK.iter().find(|(ending, _)| name.strip_prefix("data.") == Some(ending))?;
    std::str::from_utf8(bytes).ok()
}

/// Whether a path is that of the text of one long line.
pub fn is_long_line(path: &str) -> bool {
    has_name(path, ToolFiles::LONG_LINE)
}

/// Whether a path is that of the pipe that nobody writes to.
pub fn is_pipe(path: &str) -> bool {
    has_name(path, ToolFiles::FIFO)
}

/// Whether a file has this name, with whatever extension.
fn has_name(path: &str, name: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.strip_prefix(name).is_some_and(|ending| ending.starts_with('.'))
}

/// The harness's files and folders that a call in this workspace refers to, by their names in the tool's
/// folder.
pub fn led_to(arguments: &Value, workspace: &str) -> Vec<String> {
    let text = arguments.to_string();
    let begins = format!("{workspace}/");
    let Some((_, rest)) = text.split_once(&begins) else { return Vec::new() };
    let folder = rest.split(['/', '"', '\\']).next().unwrap_or_default();
    let place = format!("{begins}{folder}");
    let files = laid_out(arguments, &ToolFiles::at(place.as_str()), &[]).into_iter().map(|file| file.path);
    let always = [ToolFiles::FILE, ToolFiles::FOLDER].map(str::to_owned).into_iter();
    let is_led = |path: &String| text.contains(&format!("{place}/{path}"));
    always.filter(is_led).chain(files).collect()
}

/// A repository with a commit that has a tag, a branch from there on which the file is another, and a later commit on
/// the branch that is checked out, which conflicts with it; and an uncommitted file.
pub fn repository() -> [File; 2] {
    let commit = |message: &str, text: &str| Commit {
        message: message.to_owned(),
        files: [(ToolFiles::FILE.to_owned(), text.to_owned())].into(),
        branch: None,
        tag: None,
    };
    let commits = vec![
        Commit { tag: Some(ToolFiles::TAG.to_owned()), ..commit("Add a file", "alpha\n") },
        Commit { branch: Some(ToolFiles::OTHER_BRANCH.to_owned()), ..commit("Change it", "alpha\ndelta\n") },
        commit("Continue it", ToolFiles::TEXT),
    ];
    let draft = format!("{}/{}", ToolFiles::REPOSITORY, ToolFiles::DRAFT);
    [
        File { path: ToolFiles::REPOSITORY.to_owned(), content: FileContent::Git(commits) },
        File { path: draft, content: FileContent::Text("delta\n".to_owned()) },
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_call_leads_to_is_named() {
        let led = |arguments: Value| led_to(&arguments, "{workspace}");
        assert_eq!(led(json!({"path": "{workspace}/probe-a/data.csv"})), ["data.csv"]);
        assert_eq!(
            led(json!({"repo": "{workspace}/probe-a/repository", "file": "{workspace}/probe-a/notes.txt"})),
            ["notes.txt", "repository", "repository/draft.txt"]
        );
        assert_eq!(led(json!({"path": "{workspace}/probe-a/other.txt", "of": "notes.txt"})), [""; 0]);
        assert_eq!(led(json!({"name": "alpha"})), [""; 0]);
    }

    #[test]
    fn a_file_is_laid_out_when_a_call_leads_to_it() {
        let tool_files = ToolFiles::at("/w/c");
        let paths = |arguments: &Value, there: &[File]| {
            let files = laid_out(arguments, &tool_files, there);
            files.into_iter().map(|file| file.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(&json!({"path": "/w/c/data.csv"}), &[]), ["data.csv"]);
        assert_eq!(paths(&json!({"folder": "/w/c/of-csv"}), &[]), ["of-csv/data.csv"]);
        assert_eq!(paths(&json!({"repo": ["/w/c/repository"]}), &[]), ["repository", "repository/draft.txt"]);
        assert_eq!(paths(&json!({"repo": "/w/c/repository"}), &repository()), [""; 0]);
        assert_eq!(paths(&json!({"path": "/w/c/circle/link/absent.txt"}), &[]), ["circle/link"]);
        assert_eq!(paths(&json!({"path": "/w/c/empty.csv"}), &[]), ["empty.csv"]);
        assert_eq!(paths(&json!({"path": "/w/c/utf-16.txt"}), &[]), ["utf-16.txt"]);
        assert_eq!(paths(&json!({"path": "/w/c/long.md"}), &[]), ["long.md"]);
        assert_eq!(paths(&json!({"path": "/w/c/pipe.md"}), &[]), ["pipe.md"]);
        assert_eq!(paths(&json!({"path": "/w/c/long-line.md"}), &[]), ["long-line.md"]);
        assert!(is_long_line("/w/c/long-line.md") && !is_long_line("/w/c/long.md"));
        let line = long_line();
        assert!(
            line.len() > 1 << 16 && line.starts_with(ToolFiles::LINE_BEGINS) && line.lines().count() == 1
        );
        assert_eq!(text_at("/w/c/notes.txt"), Some(ToolFiles::TEXT));
        assert_eq!(text_at("/w/c/data.png"), None);
        assert_eq!(paths(&json!({"folder": "/w/c/vacant"}), &[]), ["vacant"]);
        assert_eq!(paths(&json!({"path": "/w/c/notes.txt"}), &[]), [""; 0]);
        let project = paths(&json!({"path": "/w/c/project/index.js"}), &[]);
        assert!(
            project.contains(&"project/index.js".to_owned())
                && project.contains(&"project/package.json".to_owned())
        );
    }
}
