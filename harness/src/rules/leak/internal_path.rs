//! `leak/internal-path`: a path of the server's own installation comes through.

use std::sync::LazyLock;

use crate::finding::{Breach, Level};
use crate::rules::{Check, Example, Rule, Scene, Tier};

use super::{Pattern, Patterns, Place};

pub(super) static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[LIST]));

static LIST: &[Pattern] = &[
    // Where packages of Node, Python, Go, Rust and Java lie.
    Pattern {
        tells: "a folder of installed packages",
        regex: r"/?(?:[\w.@+-]+/)*(?:node_modules|site-packages|dist-packages|\.cargo/registry|\.cargo/git|go/pkg/mod|\.m2/repository|\.pyenv/versions|\.nvm/versions|\.rustup/toolchains)/[\w.@+/-]+",
        place: Place::Anywhere,
        level: None,
        hit: "cannot find /srv/app/node_modules/zod/index.js",
        miss: "no folder node_modules here",
    },
    // Where runtimes are built.
    Pattern {
        tells: "a folder of a runtime's own source",
        regex: r"/rustc/[0-9a-f]{8,40}/|/usr/(?:local/)?(?:lib|go/src)/(?:python\d|node|go/|runtime/)[\w./-]*|\bnode:internal/[\w/]+",
        place: Place::Anywhere,
        level: None,
        hit: "/rustc/59807616e1fa/library/std/src/io.rs",
        miss: "/usr/lib is outside the root",
    },
];

/// The specification of every contract: no path of the server's own installation.
pub(crate) static RULE: Rule = Rule {
    id: "leak/internal-path",
    tier: Tier::Ungated,
    level: Level::Must,
    requirements: &["BC-20", "A6"],
    summary: "an error reply names a path of the server's own installation",
    page: r#"Where the server is installed is no business of the caller's: it tells an attacker what runs there, and a model may try to
open it.

**Counts:** folders of installed packages and runtimes (`node_modules/`, `site-packages/`, `.cargo/registry/`), and any path
below the folder of a program on the server's own command line.

**Does not count:** the workspace and what the caller sent.

**To mend it:** name the parameter or the setting, not the file where the server found it."#,
    check: Check::Exchange(check),
    bad: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: see /srv/app/node_modules/reader/index.js. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
    good: Example {
        call: r#"{"tool": "view", "arguments": {"path": "/workspace/a.txt"}}"#,
        reply: r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[IO_ERROR] Could not read /workspace/a.txt: permission denied. Choose another file."}],"isError":true}}"#,
        expected: r#""anything""#,
        beside: "{}",
    },
};

fn check(scene: &Scene<'_>) -> Vec<Breach> {
    let help = "Name the parameter or the setting, and leave out where the server itself lies.";
    let folders = folders(scene);
    let own = |text: &str, from: usize| {
        let start = folders.iter().find_map(|folder| text[from..].find(folder.as_str()))? + from;
        let rest = text[start..].find(|c: char| c.is_whitespace() || "'\"`,;)".contains(c));
        Some(("the folder of the server's own program", start..rest.map_or(text.len(), |rest| start + rest)))
    };
    super::judged_with(scene, &PATTERNS, &own, "a path of the server's installation", help)
}

/// The folders of the programs and scripts on the server's command line; not one in which the caller's files lie, nor one
/// so near to the root that any path would be below it.
fn folders(scene: &Scene<'_>) -> Vec<String> {
    let given = &scene.head.folders;
    let folder = |word: &String| {
        let (folder, name) = word.rsplit_once('/')?;
        let inside = [&given.workspace, &given.outside].iter().any(|path| path.starts_with(folder));
        let own = folder.starts_with('/') && folder.matches('/').count() >= 2 && !name.is_empty();
        let system = ["/usr/bin", "/usr/local/bin", "/usr/sbin", "/tmp"].contains(&folder);
        (own && !inside && !system).then(|| folder.to_owned())
    };
    // The program of the bundled server is this one, wherever it lies.
    let words = scene.head.command.iter().filter(|word| !word.contains(['{', '=']));
    words.filter_map(folder).collect()
}
