//! Small files of many kinds, laid out for a tool when a call refers to one.
//!
//! The main function is [`laid_out`]. Their contents are in `contents`.

use serde_json::Value;

use self::contents::{PROJECT, STOCK, content};
use self::tool_files::ToolFiles;
use crate::placeholder::OUTSIDE;
use crate::suite::{Commit, File, FileContent};

pub mod contents;
pub mod tool_files;

/// The name of a file without its ending, and what is in it.
type OddFile = (&'static str, fn() -> FileContent);

/// Files of any ending, by their names without it: what is in them is not what the ending says, not in UTF-8, or long.
const ODD: [OddFile; 7] = [
    (ToolFiles::EMPTY, || content(b"")),
    (ToolFiles::BYTES, || content(b"\xff\xfe\0\x80alpha\xc3\x28")),
    (ToolFiles::UTF_16, || content(b"\xff\xfea\0l\0p\0h\0a\0\n\0b\0e\0t\0a\0\n\0")),
    (ToolFiles::LATIN_1, || content(b"caf\xe9\nna\xefve\n")),
    (ToolFiles::LONG, || FileContent::Text(LINE.repeat(LINES))),
    (ToolFiles::LONG_LINE, || FileContent::Text(long_line())),
    (ToolFiles::FIFO, || FileContent::Fifo),
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
    let mut files = Vec::new();
    let mut lay_out = |way: &str, path: &str, content: &dyn Fn() -> FileContent| {
        if leads(way) && there.iter().all(|file| file.path != path) {
            files.push(File { path: path.to_owned(), content: content() });
        }
    };
    for (ending, bytes) in STOCK {
        let (file, folder) = (format!("data.{ending}"), format!("of-{ending}"));
        lay_out(&file, &file, &|| content(bytes));
        lay_out(&folder, &format!("{folder}/{file}"), &|| content(bytes));
    }
    for (name, content) in ODD.into_iter().filter(|(name, _)| leads(&format!("{name}."))) {
        for (ending, _) in STOCK {
            let path = format!("{name}.{ending}");
            lay_out(&path, &path, &content);
        }
    }
    lay_out(ToolFiles::VACANT, ToolFiles::VACANT, &|| FileContent::Directory);
    for (name, text) in PROJECT {
        let path = format!("{}/{name}", ToolFiles::PROJECT);
        lay_out(ToolFiles::PROJECT, &path, &|| FileContent::Text(text.to_owned()));
    }
    for file in repository() {
        lay_out(ToolFiles::REPOSITORY, &file.path, &|| file.content.clone());
    }
    lay_out(ToolFiles::CIRCLE, ToolFiles::CIRCLE, &|| FileContent::Link("link".to_owned()));
    lay_out(ToolFiles::DOOR, ToolFiles::DOOR, &|| FileContent::Link(format!("../../../{OUTSIDE}")));
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
        for (path, files) in [
            ("data.csv", &["data.csv"][..]),
            ("of-csv", &["of-csv/data.csv"]),
            ("repository", &["repository", "repository/draft.txt"]),
            ("circle/link/absent.txt", &["circle/link"]),
            ("door/link/canary.txt", &["door/link"]),
            ("empty.csv", &["empty.csv"]),
            ("utf-16.txt", &["utf-16.txt"]),
            ("long.md", &["long.md"]),
            ("pipe.md", &["pipe.md"]),
            ("long-line.md", &["long-line.md"]),
            ("vacant", &["vacant"]),
            ("notes.txt", &[]),
        ] {
            assert_eq!(paths(&json!({"paths": [format!("/w/c/{path}")]}), &[]), files, "{path}");
        }
        assert_eq!(paths(&json!({"repo": "/w/c/repository"}), &repository()), [""; 0]);
        assert!(is_long_line("/w/c/long-line.md") && !is_long_line("/w/c/long.md"));
        let line = long_line();
        assert!(
            line.len() > 1 << 16 && line.starts_with(ToolFiles::LINE_BEGINS) && line.lines().count() == 1
        );
        assert_eq!(text_at("/w/c/notes.txt"), Some(ToolFiles::TEXT));
        assert_eq!(text_at("/w/c/data.png"), None);
        let project = paths(&json!({"path": "/w/c/project/index.js"}), &[]);
        assert!(
            project.contains(&"project/index.js".to_owned())
                && project.contains(&"project/package.json".to_owned())
        );
    }
}
