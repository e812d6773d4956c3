//! Errors of git, passed through by servers that run it; seen by breaking repositories and calls of git 2.47.
//!
//! `fatal: ` alone proves nothing: an author may begin a sentence so. What counts is git's own phrase behind it, with
//! its own marks: a quoted name, an object's id, a colon. A sentence about the same fault has other ones.

use super::super::{Confidence, Language, Pattern, Place};

pub(in crate::rules::leak) static PATTERNS: &[Pattern] = &[
    Pattern {
        language: Language::Python,
        tells: "the error text of GitPython",
        regex: r"Cmd\('[^'\n]{1,200}'\) failed due to: exit code\(-?\d+\)[^\n]*|Ref '[^'\n]{0,300}' did not resolve to an object",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &[
            "Cmd('git') failed due to: exit code(128)\n  cmdline: git add -- absent",
            "Ref 'nope' did not resolve to an object",
        ],
        misses: &["the ref 'nope' leads to no object", "the command failed due to exit code 128"],
    },
    Pattern {
        language: Language::Shell,
        tells: "the error text of git",
        regex: concat!(
            r"(?:git: '[^'\n]{1,100}' is not a git command|fatal: (?:",
            // Repositories, and what git keeps in them.
            r"not a git repository|repository '|detected dubious ownership|your current branch '|The current branch \S+ has |",
            r"You are not currently on a branch|this operation must be run in a work tree|invalid gitfile format: |",
            r"Expected git repo version |No configured push destination|Unable to create '[^'\n]{1,300}\.lock'|",
            r"refusing to (?:merge unrelated|fetch into|update (?:ref|checked)|lose (?:dirty|untracked))|",
            r"(?:\S{1,300}: )?(?:index file smaller|index file corrupt|bad index file|bad signature 0x)|",
            r"'[^'\n]{0,300}' (?:is not a working tree|does not appear to be a git repository)|",
            r"(?:\S{1,300}: )?'[^'\n]{0,300}' is outside repository|",
            r"bad (?:config (?:file )?(?:line \d|variable ')|[a-z]+ config value ')|",
            // Revisions and objects.
            r"no such (?:ref: |commit [0-9a-f]{7})|bad (?:revision '|object [0-9a-zA-Z]|source, source=|tree object )|",
            r"[Nn]ot a (?:valid object name|tree object)|ambiguous argument '|invalid (?:object name '|reference: |upstream ')|",
            r"loose object [0-9a-f]{7}|unable to read tree [(0-9a-f]|[Nn]eeded a single revision|No commit to dig up from|",
            r"[Aa] branch named '|tag '[^'\n]{1,300}' already exists|log for '[^'\n]{1,300}' only has |",
            r"'[^'\n]{0,300}' (?:is not a valid (?:branch|tag) name|- not a valid ref)|no upstream configured for branch '|",
            r"No (?:names found, cannot|annotated tags can|tags can) describe|",
            // Paths and lines.
            r"no such path (?:'[^'\n]{0,300}' in |\S{0,300}[./~^:@]\S{0,300} in \S)|There is no path [^\n]{1,300} in the commit|",
            r"path '[^'\n]{0,300}' (?:does not exist in|exists(?:,| on disk))|pathspec '|Invalid pathspec magic '|",
            r"file [^\n]{1,300} has only \d+ lines?(?m:$)|-L (?:invalid |parameter '|argument )|[Cc]annot l?stat '|",
            // Options and remotes.
            r"unrecognized argument: -|Option '-|invalid --[a-z]+ |unknown date format \S{1,60}(?m:$)|",
            r"'[^'\n]{0,300}': not an integer|(?:command line|header), '[^\n]{0,300}': |couldn't find remote ref |",
            r"Could not read from remote repository|Authentication failed for '|could not read (?:Username|Password) for '|",
            r"unable to (?:access '|look up \S{1,200} \(port )|[Cc]annot (?:change to '|lock ref '|pull with rebase)|",
            r"the remote end hung up|early EOF))[^\n]*",
        ),
        place: Place::Start,
        confidence: Confidence::High,
        hits: &[
            "fatal: not a git repository (or any of the parent directories): .git",
            "fatal: no such path 'x' in HEAD",
            "fatal: no such path HEAD~9 in f",
            "fatal: no such ref: HEAD",
            "fatal: no such commit 7ec0f9acbfd22a77c44fe9c3b5529666d81a853e",
            "fatal: file src/a b.rs has only 3 lines",
            "fatal: file a.rs has only 1 line\nmore",
            "fatal: There is no path x in the commit",
            "fatal: path 'x' exists on disk, but not in 'HEAD'",
            "fatal: path 'x' does not exist in 'HEAD'",
            "fatal: bad object HEAD",
            "fatal: bad revision 'nope'",
            "fatal: bad boolean config value 'maybe' for 'core.bare'",
            "fatal: -L invalid line number: 0",
            "fatal: -L parameter 'zzz' starting at line 1: No match",
            "fatal: .git/index: index file smaller than expected",
            "fatal: ../a: '../a' is outside repository at '/srv/data'",
            "fatal: invalid object name 'nope'.",
            "fatal: not a valid object name: nope",
            "fatal: 'x': not an integer",
            "fatal: Cannot lstat 'f': No such file or directory",
            "fatal: command line, '[': Invalid regular expression",
            "git: 'frobnicate' is not a git command. See 'git --help'.",
        ],
        misses: &[
            "fatal: the workspace is no git repository",
            "fatal: no such path, ask list_paths for the ones there are",
            "fatal: no such path exists in the workspace",
            "fatal: the file has only 3 lines; ask for an end_line of 3 at most",
            "fatal: file a.txt has only 3 lines, so line 9 cannot be blamed",
            "fatal: there is no such commit; leave out `revision` for the latest one",
            "fatal: bad object: `item` must be a JSON object",
            "fatal: invalid reference to an unknown task",
            "fatal: the repository has no commit yet",
            "fatal: unable to connect to the database of items",
            "fatal: bad config file, see its line 3",
            "git is not installed on this machine",
        ],
    },
    Pattern {
        language: Language::Shell,
        tells: "the error text of git",
        regex: concat!(
            r"error: (?:pathspec '|src refspec |failed to push some refs|Your local changes to|unknown (?:option|switch) `|",
            r"switch `[^\n]{1,9}' requires|key does not contain a section: |object file \S{1,300} is empty|inflate: data stream|",
            r"(?:branch|tag) '[^'\n]{1,300}' not found|remote \S{1,100} already exists\.|No such remote: '|patch failed: \S|",
            r"no note found for object |cannot delete branch '|unable to (?:unpack|read sha1 file of) |unknown change class ')[^\n]*",
        ),
        place: Place::Start,
        confidence: Confidence::High,
        hits: &[
            "error: unknown option `--bogus'",
            "error: object file .git/objects/7e/c0f9acbfd22a77c44fe9c3b5529666d81a853e is empty",
            "error: pathspec 'nope' did not match any file(s) known to git",
        ],
        misses: &[
            "error: unknown option 'verbose' for `mode`",
            "error: the branch 'x' was not found",
            "error: an object file is empty",
        ],
    },
    Pattern {
        language: Language::Shell,
        tells: "an error in the form of git's",
        // The cause is the C library's, in its capitals, behind the bare name of what was tried.
        regex: r"fatal: (?:[Cc](?:ould not|an(?:not|'t))|[Uu]nable to|[Ff]ailed to) [^\n]{1,300}: (?:No such file|Permission denied|File exists|(?:Is|Not) a directory|No space left|Read-only file system|Too many)[^\n]*",
        place: Place::Start,
        confidence: Confidence::Low,
        hits: &[
            "fatal: could not open 'nope' for reading: No such file or directory",
            "fatal: cannot mkdir /srv/a: Permission denied",
        ],
        misses: &[
            "fatal: could not find the configuration of this server",
            "fatal: cannot read a.txt: it is a directory",
            "fatal: unable to start: no port is free",
        ],
    },
    Pattern {
        language: Language::Shell,
        tells: "the advice of git",
        regex: r"hint: (?:Updates were rejected|Disable this message with|See `man |You've added another|Use '--' to|If you (?:wanted|meant|are planning)|Waiting for your editor|Pulling without|Using '[^'\n]{1,60}' as the name)[^\n]*",
        place: Place::Start,
        confidence: Confidence::High,
        hits: &["hint: Updates were rejected because the remote contains work that you do not have locally."],
        misses: &["hint: use an absolute path", "hint: See list_paths for what there is."],
    },
];
