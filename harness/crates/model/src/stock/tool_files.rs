//! The files that the harness makes for a tool, and which of them a parameter gets.

use super::contents;
use crate::catalog::Tool;
use crate::names::{is_path, name_words, plain_name};
use crate::words;

/// How much of a tool's description is kept, in bytes.
const READ: usize = 2_000;

/// The files that the harness made for a tool, used as values of path parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFiles {
    /// The absolute path of the folder. It contains `notes.txt` and the folder `sub`, and the git repository
    /// `repository` if a tool needs one.
    folder: String,
    /// The tool's name in lower case.
    tool: String,
    /// The plain names of its parameters, and the words of its name.
    around: Vec<String>,
    /// Its description in small letters.
    description: String,
    /// Whether an unspecific path parameter gets the folder first.
    folder_first: bool,
    /// Whether the tool works on git repositories.
    is_git: bool,
    /// Whether the tool passes its arguments on to a command, judged by its name.
    is_of_command: bool,
    /// The address of the harness's own HTTP stub, if there is one.
    upstream: Option<String>,
}

impl ToolFiles {
    /// The name of the file.
    pub const FILE: &str = "notes.txt";
    /// The content of the file.
    pub const TEXT: &str = "alpha\nbeta\ngamma\n";
    /// The name of a file that does not exist, unless a call has created it.
    pub const MISSING: &str = "no-such-file.txt";
    /// The name, without extension, of an empty file that exists when a call refers to it.
    pub const EMPTY: &str = "empty";
    /// The name, without extension, of a file whose content does not match its extension; it exists when a call
    /// refers to it.
    pub const BYTES: &str = "bytes";
    /// The name, without extension, of a text in UTF-16 that exists when a call refers to it.
    pub const UTF_16: &str = "utf-16";
    /// The name, without extension, of a text in Latin-1 that exists when a call refers to it.
    pub const LATIN_1: &str = "latin-1";
    /// The name, without extension, of a text of many lines that exists when a call refers to it.
    pub const LONG: &str = "long";
    /// The name, without extension, of a text of one long line that exists when a call refers to it.
    pub const LONG_LINE: &str = "long-line";
    /// How its line begins.
    pub const LINE_BEGINS: &str = "alpha beta gamma delta alpha beta gamma delta";
    /// How its line ends.
    pub const LINE_ENDS: &str = "omega-of-the-line";
    /// The name, without extension, of a pipe that nobody writes to; it exists while a call refers to it.
    pub const FIFO: &str = "pipe";
    /// The name of an empty folder that exists when a call refers to it.
    pub const VACANT: &str = "vacant";
    /// The path of a link to itself that exists when a call refers to it. It has its own folder, so that
    /// listing the others does not find it.
    pub const CIRCLE: &str = "circle/link";
    /// The path of a link to the folder beside the root that exists while a call refers to it.
    pub const DOOR: &str = "door/link";
    /// The name of the subfolder.
    pub const FOLDER: &str = "sub";

    /// The name of a folder with a small project, its configuration and sources; it exists when a call refers
    /// to it.
    pub const PROJECT: &str = "project";
    /// The name of the repository, whose last commit contains a file of the same name and content.
    pub const REPOSITORY: &str = "repository";
    /// The name of the repository's branch.
    pub(crate) const BRANCH: &str = "main";
    /// The name of a branch that conflicts with that one.
    pub const OTHER_BRANCH: &str = "other";
    /// The name of a tag of its first commit.
    pub const TAG: &str = "v1.0";
    /// The name of an uncommitted file in the repository.
    pub const DRAFT: &str = "draft.txt";

    /// The files in this folder.
    pub fn at(folder: impl Into<String>) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }

    /// The files with the address of the harness's own HTTP stub.
    #[must_use]
    pub fn with_upstream(mut self, address: impl Into<String>) -> Self {
        self.upstream = Some(address.into());
        self
    }

    /// The tool's name in lower case; empty if the files belong to no tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The folder's absolute path.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The address of the harness's own HTTP stub, where there is one.
    pub fn upstream(&self) -> Option<&str> {
        self.upstream.as_deref()
    }

    /// The files for this tool.
    #[must_use]
    pub fn of_tool(self, tool: &Tool) -> Self {
        let description = tool.description[..tool.description.floor_char_boundary(READ)].to_lowercase();
        let parameters = tool.parameters().map(|(name, _)| plain_name(name));
        let around = parameters.chain(name_words(&tool.name)).collect();
        Self { around, description, ..self.called(&tool.name) }
    }

    /// The files for a tool of this name: one that lists or searches gets the folder first.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        let own_words = name_words(name);
        let tool = name.to_lowercase();
        let listing = ["list", "dir", "folder", "tree", "search", "find", "grep", "glob", "walk"];
        Self {
            folder_first: listing.iter().any(|word| tool.contains(word)),
            is_git: own_words.iter().any(|word| word == "git"),
            is_of_command: own_words
                .iter()
                .any(|word| words!("names/wrapped-commands").contains(&word.as_str())),
            tool,
            ..self
        }
    }

    /// The endings of files of another kind than this one: those that the description of a parameter or the tool's own names,
    /// then those of files for the same end.
    pub fn other_endings(&self, own: &str, description: &str) -> Vec<&'static str> {
        let described = description.to_lowercase();
        let named = contents::endings(&described).chain(contents::endings(&self.description));
        let mut found: Vec<&'static str> = Vec::new();
        for ending in named.chain(contents::relatives(own)) {
            if ending != own && !found.contains(&ending) {
                found.push(ending);
            }
        }
        found
    }

    /// What stands beside a parameter: the plain names of the tool's parameters, and the words of its own name.
    pub fn around(&self) -> &[String] {
        &self.around
    }

    /// The file's absolute path.
    pub fn file(&self) -> String {
        format!("{}/{}", self.folder, Self::FILE)
    }

    /// The absolute path of the subfolder.
    pub fn sub(&self) -> String {
        format!("{}/{}", self.folder, Self::FOLDER)
    }

    /// The repository's absolute path.
    pub fn repository(&self) -> String {
        format!("{}/{}", self.folder, Self::REPOSITORY)
    }

    /// Whether the tool passes its arguments on to a command, judged by its name.
    pub fn is_of_command(&self) -> bool {
        self.is_of_command
    }

    /// The value for a parameter of a git tool that takes a revision.
    pub fn revision(&self, name: &str) -> Option<&'static str> {
        let switches =
            || name_words(&self.tool).iter().any(|word| ["checkout", "switch"].contains(&word.as_str()));
        let is_of_commits = || self.tool.contains("commit") || self.description.contains("commit");
        match name {
            "sha" | "commitsha" | "commithash" if self.is_git || is_of_commits() => Some("HEAD"),
            _ if !self.is_git => None,
            "branch" | "branchname" if switches() => Some(Self::BRANCH),
            name => words!("names/revisions").contains(&name).then_some("HEAD"),
        }
    }

    /// Whether a parameter of a git tool takes the path of the repository, judged by its description.
    pub fn takes_repository(&self, name: &str, description: &str) -> bool {
        let is_folder = ["path", "cwd", "directory", "dir", "workingdirectory", "workdir"].contains(&name);
        self.is_git
            && is_folder
            && ["repository", "repo ", "git "].iter().any(|word| description.contains(word))
    }

    /// Whether a parameter takes a path: by its plain name and its description in small letters, or as one of the two ends of a
    /// tool that moves or copies files and says nothing of them.
    pub fn takes_path(&self, name: &str, description: &str) -> bool {
        let ends = ["source", "src", "destination", "dest", "from", "to"];
        let of_tool =
            |words: &[&str]| name_words(&self.tool).iter().any(|word| words.contains(&word.as_str()));
        let moves =
            || of_tool(&["move", "copy", "rename"]) && of_tool(&["file", "files", "directory", "folder"]);
        is_path(name, description) || description.is_empty() && ends.contains(&name) && moves()
    }

    /// A path for a parameter, chosen by its name and description; other turns give other paths.
    pub fn path(&self, name: &str, description: &str, turn: usize) -> String {
        if (asks_for_repository(name) || self.takes_repository(name, description)) && turn.is_multiple_of(2) {
            return self.repository();
        }
        if self.is_git && name.contains("file") {
            // Existing files are taken from the repository, and new ones to be added too.
            let adds = name_words(&self.tool).iter().any(|word| ["add", "stage"].contains(&word.as_str()));
            let file = if adds { Self::DRAFT } else { Self::FILE };
            return match turn % 2 {
                0 => format!("{}/{file}", self.repository()),
                _ => file.to_owned(),
            };
        }
        let says_project = ["project", "codebase", "source code", "sources of"];
        let is_project = |words: &str| says_project.iter().any(|word| words.contains(word));
        if turn % 4 < 2 && (is_project(name) || name == "path" && is_project(description)) {
            return match turn % 2 {
                0 => format!("{}/{}", self.folder, Self::PROJECT),
                _ => format!("{}/{}/index.js", self.folder, Self::PROJECT),
            };
        }
        let asks_for_folder =
            ["dir", "folder", "cwd", "root", "directory"].iter().any(|word| name.contains(word))
                || description.contains("directory") && !description.contains("file")
                || self.folder_first && name == "path";
        let words = format!("{description} {name} {}", self.tool);
        let is_around = ["cwd", "workdir", "workingdir", "workingdirectory"].contains(&name);
        if is_around
            && turn.is_multiple_of(2)
            && self.around.iter().any(|other| other != name && is_path(other, ""))
        {
            // What the call refers to must be in this folder.
            return self.folder.clone();
        }
        // In two of four turns a file, of the kind that is mentioned if there is one.
        let of_kind = contents::described(&words).or_else(|| contents::described(&self.description));
        let of_kind = of_kind.filter(|_| turn % 4 < 3);
        if name.ends_with("filename") && turn % 4 == 3 {
            // A tool that knows its folder takes only a name.
            return contents::described(&words).unwrap_or_else(|| Self::FILE.to_owned());
        }
        match asks_for_folder ^ (turn % 2 == 1) {
            true => self.sub(),
            false => of_kind.map_or_else(|| self.file(), |file| format!("{}/{file}", self.folder)),
        }
    }
}

/// Whether a parameter of this plain name takes the path of a repository.
pub fn asks_for_repository(name: &str) -> bool {
    name.contains("repo")
        && ["path", "dir", "directory", "folder", "root"].iter().any(|end| name.ends_with(end))
}
