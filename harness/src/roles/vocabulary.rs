//! The words by which servers name what the roles mean, collected from public servers. Data, and nothing else.
//!
//! Names of parameters are written in small letters and without what stands between their words.

use super::Role;

/// Names of the tools' parameters for one of a role's, the most telling first.
pub(super) fn parameter(role: Role, parameter: &str) -> &'static [&'static str] {
    match (role, parameter) {
        (_, "command") => &["command", "cmd", "commandline", "shellcommand", "script"],
        (_, "background") => &["runinbackground", "background", "isbackground", "detached", "detach"],
        (Role::Http, "url") => {
            &["url", "uri", "address", "href", "link", "endpoint", "path", "urlpath", "route"]
        }
        (Role::Reserve | Role::Release, "agent") => {
            &["agent", "agentid", "agentname", "owner", "ownerid", "holder", "heldby", "requester"]
        }
        (Role::Reserve | Role::Release, "pattern") => {
            &["pattern", "patterns", "path", "paths", "pathpattern", "file", "files", "glob", "globs"]
        }
        (Role::Shell | Role::Http, "timeout") => {
            &["timeout", "timeoutms", "timeoutmillis", "timeoutseconds", "timeoutsecs", "timelimit"]
        }
        (Role::Read | Role::Blame, "start") => &["startline", "linestart", "fromline", "firstline", "start"],
        (Role::Read | Role::Blame, "end") => &["endline", "lineend", "toline", "lastline", "end"],
        (_, "task") => {
            &["taskid", "processid", "pid", "sessionid", "jobid", "shellid", "bashid", "task", "id"]
        }
        (Role::Grep | Role::Glob, "path") => &[
            "path",
            "directory",
            "dir",
            "root",
            "rootpath",
            "searchpath",
            "basepath",
            "startpath",
            "folder",
            "paths",
            "directories",
        ],
        (_, "path") => &[
            "path",
            "filepath",
            "filename",
            "file",
            "targetfile",
            "fullpath",
            "absolutepath",
            "relativepath",
            "paths",
            "filepaths",
        ],
        (_, "content") => &["content", "contents", "filetext", "filecontent", "text", "newcontent", "data"],
        (_, "all") => {
            &["replaceall", "all", "replaceallmatches", "replacealloccurrences", "allowmultiple", "global"]
        }
        (Role::Glob, "pattern") => &[
            "pattern",
            "glob",
            "globpattern",
            "filepattern",
            "namepattern",
            "filenamepattern",
            "query",
            "includeglobs",
            "globs",
        ],
        (_, "pattern") => {
            &["pattern", "regex", "regexp", "query", "searchpattern", "searchterm", "searchtext", "text"]
        }
        (_, "edits") => &["edits", "replacements", "changes", "operations", "edit"],
        (_, "files") => &["files", "fileedits", "edits", "changes"],
        (_, "dry-run") => &["dryrun", "preview", "previewonly"],
        (_, "backup") => &["backup", "createbackup", "makebackup", "keepbackup"],
        (_, "mode") => &["outputmode", "mode"],
        (_, "type") => &["type", "filetype", "entrytype", "kind"],
        _ => &[],
    }
}

/// Names of a parameter that takes an address without the service's own part of it.
pub(super) const RELATIVE: [&str; 4] = ["path", "urlpath", "route", "endpoint"];

/// Pairs of names for an old and a new text.
pub(super) const PAIRS: [(&str, &str); 13] = [
    ("oldstr", "newstr"),
    ("oldstring", "newstring"),
    ("oldtext", "newtext"),
    ("old", "new"),
    ("oldcontent", "newcontent"),
    ("search", "replace"),
    ("find", "replace"),
    ("search", "replacement"),
    ("find", "replacement"),
    ("searchtext", "replacetext"),
    ("searchstring", "replacestring"),
    ("original", "replacement"),
    ("originaltext", "replacementtext"),
];

/// Names of an array with the first and the last line.
pub(super) const RANGES: [&str; 4] = ["viewrange", "linerange", "range", "lines"];

/// Names of a flag that makes a pattern a regular expression.
pub(super) const REGEX_FLAGS: [&str; 4] = ["isregex", "useregex", "regex", "regexp"];

/// Names of a parameter that chooses what a tool does.
pub(super) const SELECTORS: [&str; 8] =
    ["command", "action", "operation", "subcommand", "searchtype", "searchin", "target", "method"];

/// Values of such a parameter, in the same form as names.
pub(super) fn selected(role: Role) -> &'static [&'static str] {
    match role {
        Role::Read => &["view", "read", "readfile", "open", "cat"],
        Role::Write => &["create", "write", "writefile", "createfile"],
        Role::Replace => &["strreplace", "replace", "edit", "editfile"],
        Role::Grep => &["content", "contents", "grep", "searchcontent", "text"],
        Role::Glob => &["files", "filenames", "names", "glob", "findfiles", "name"],
        Role::Blame => &["blame"],
        Role::History => &["history", "filehistory"],
        Role::Shell | Role::TaskOutput | Role::MultiEdit | Role::MultiEditFiles => &[],
        Role::Http | Role::Reserve | Role::Release | Role::Absent => &[],
    }
}

/// The words of a tool's name that speak for a role and those that speak against it.
pub(super) struct Words {
    /// One of these, or one of each of `verbs` and `nouns`.
    pub(super) telling: &'static [&'static str],
    pub(super) verbs: &'static [&'static str],
    pub(super) nouns: &'static [&'static str],
    /// None of these.
    pub(super) foreign: &'static [&'static str],
    /// None of these in the first sentence of the description either.
    pub(super) foreign_sentence: &'static [&'static str],
}

const ELSEWHERE: &[&str] = &[
    "browser",
    "web page",
    "webpage",
    "website",
    "internet",
    "the web",
    "google",
    "chrome",
    "github",
    "gitlab",
    "database",
    "sql",
    "redis",
    "remote host",
    "over ssh",
    "via ssh",
    "container",
    "kubernetes",
    "memory bank",
    "knowledge graph",
];

/// See [`Words`].
pub(super) fn words(role: Role) -> Words {
    match role {
        Role::Shell => Words {
            telling: &["bash", "shell", "terminal", "zsh", "sh"],
            verbs: &["run", "exec", "execute", "start", "spawn", "launch", "invoke"],
            nouns: &["command", "commands", "cmd", "process", "program", "script", "cli"],
            foreign: &[
                "browser",
                "page",
                "tab",
                "dom",
                "editor",
                "git",
                "sql",
                "redis",
                "docker",
                "ssh",
                "remote",
                "kill",
                "stop",
                "send",
                "interact",
                "input",
                "read",
                "write",
                "list",
                "get",
                "check",
                "output",
                "slash",
                "tool",
                "query",
                "create",
                // What only looks at a command.
                "vet",
                "validate",
                "verify",
                "lint",
                "analyze",
                "analyse",
                "explain",
                "assess",
                "audit",
                "inspect",
                "review",
                "classify",
                "parse",
                "scan",
                "suggest",
                "translate",
                "format",
                "history",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::TaskOutput => Words {
            telling: &["taskoutput", "bashoutput"],
            verbs: &[
                "task",
                "process",
                "job",
                "background",
                "bash",
                "shell",
                "command",
                "session",
                "terminal",
                "console",
                "check",
            ],
            nouns: &["output", "logs", "log", "console", "result"],
            foreign: &[
                "kill",
                "stop",
                "terminate",
                "cancel",
                "send",
                "input",
                "interact",
                "write",
                "search",
                "start",
                "run",
                "page",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Read => Words {
            telling: &["view", "cat"],
            verbs: &["read", "view", "open", "cat", "get", "show"],
            nouns: &["file", "files", "text", "content", "contents", "fs"],
            foreign: &[
                "media",
                "image",
                "audio",
                "video",
                "pdf",
                "binary",
                "base64",
                "directory",
                "directories",
                "dir",
                "folder",
                "list",
                "tree",
                "info",
                "metadata",
                "stat",
                "status",
                "hash",
                "write",
                "edit",
                "create",
                "search",
                "find",
                "diff",
                "resource",
                "symbol",
                "symbols",
                "issue",
                "page",
                "head",
                "tail",
                "history",
                "output",
                "structure",
                "outline",
                "size",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Write => Words {
            telling: &["write"],
            verbs: &["write", "create", "save", "put", "overwrite", "new"],
            nouns: &["file", "files", "fs"],
            foreign: &[
                "append",
                "insert",
                "directory",
                "directories",
                "dir",
                "folder",
                "pdf",
                "image",
                "issue",
                "branch",
                "pull",
                "repository",
                "page",
                "memory",
                "note",
                "read",
                "delete",
                "move",
                "copy",
                "diff",
                "patch",
                "multiple",
                "temp",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Replace | Role::MultiEdit | Role::MultiEditFiles => Words {
            telling: &["edit", "replace", "str", "patch", "modify", "update", "substitute"],
            verbs: &[],
            nouns: &[],
            foreign: &[
                "rename", "move", "symbol", "sql", "memory", "cell", "page", "issue", "line", "lines",
                "range", "regex",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Grep | Role::Glob => Words {
            telling: &["grep", "rg", "ripgrep", "glob"],
            verbs: &["search", "find", "locate", "match"],
            nouns: &[],
            foreign: &[
                "web",
                "url",
                "replace",
                "issues",
                "repositories",
                "docs",
                "memory",
                "nodes",
                "symbol",
                "symbols",
                "semantic",
                "history",
                "tool",
                "tools",
                "duplicate",
                "duplicates",
                "large",
                "empty",
                "recent",
                "more",
                "stop",
                "results",
                "users",
                "references",
                "definition",
                "similar",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Blame => Words {
            telling: &["blame", "annotate"],
            verbs: &[],
            nouns: &[],
            foreign: &["pull", "issue", "image", "page"],
            foreign_sentence: ELSEWHERE,
        },
        Role::History => Words {
            telling: &[],
            verbs: &["history"],
            nouns: &["file", "git", "path"],
            foreign: &[
                "search", "clear", "delete", "restore", "undo", "revert", "chat", "command", "shell",
                "browser", "page", "edit", "read", "write",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Http => Words {
            telling: &["fetch", "curl", "httpget", "wget"],
            verbs: &["get", "fetch", "request", "call", "read", "download"],
            nouns: &["http", "https", "url", "api", "endpoint", "rest"],
            foreign: &[
                "post",
                "put",
                "patch",
                "delete",
                "send",
                "create",
                "update",
                "browser",
                "image",
                "video",
                "search",
                "list",
                "file",
                "files",
                "screenshot",
                "schema",
                "key",
                "docs",
            ],
            foreign_sentence: &["browser", "screenshot", "javascript", "ssh"],
        },
        Role::Reserve => Words {
            telling: &["reserve", "reservefiles"],
            verbs: &["reserve", "reservation", "claim", "lock", "lease", "acquire"],
            nouns: &["file", "files", "path", "paths", "resource", "resources", "create"],
            foreign: &[
                "release",
                "unlock",
                "check",
                "list",
                "negotiate",
                "renew",
                "extend",
                "room",
                "table",
                "my",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Release => Words {
            telling: &["release", "releasefiles"],
            verbs: &["release", "unlock", "unreserve", "unclaim"],
            nouns: &[
                "file",
                "files",
                "path",
                "paths",
                "resource",
                "resources",
                "reservation",
                "reservations",
            ],
            foreign: &[
                "notes",
                "check",
                "list",
                "negotiate",
                "publish",
                "create",
                "get",
                "version",
                "all",
                "force",
            ],
            foreign_sentence: ELSEWHERE,
        },
        Role::Absent => Words { telling: &[], verbs: &[], nouns: &[], foreign: &[], foreign_sentence: &[] },
    }
}
