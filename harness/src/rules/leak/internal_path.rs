//! `leak/internal-path`: a path of the server's own installation comes through.

use crate::finding::{Diagnostic, Level};
use crate::rules::{Context, Example, Rule, RuleCheck, Tier};

use super::{Confidence, Language, Pattern, Place};

/// How it shows.
pub(super) static PATTERNS: &[Pattern] = &[
    // Where packages of Node, Python, Go, Rust and Java lie.
    Pattern {
        language: Language::Any,
        tells: "a folder of installed packages",
        regex: r"/?(?:[\w.@+-]+/)*(?:node_modules|site-packages|dist-packages|\.cargo/registry|\.cargo/git|go/pkg/mod|\.m2/repository|\.pyenv/versions|\.nvm/versions|\.rustup/toolchains)/[\w.@+/-]+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["cannot find /srv/app/node_modules/zod/index.js"],
        misses: &["no folder node_modules here"],
    },
    // Where runtimes are built.
    Pattern {
        language: Language::Any,
        tells: "a folder of a runtime's own source",
        regex: r"/rustc/[0-9a-f]{8,40}/|/usr/(?:local/)?(?:lib|go/src)/(?:python\d|node|go/|runtime/)[\w./-]*|\bnode:internal/[\w/]+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["/rustc/59807616e1fa/library/std/src/io.rs"],
        misses: &["/usr/lib is outside the root"],
    },
    Pattern {
        language: Language::Any,
        tells: "a folder of installed packages",
        regex: r"/?(?:[\w.@+-]+/)+(?:\.venv|venv|virtualenvs|\.gem|gems|vendor/bundle|\.gradle/caches|\.nuget/packages|\.npm/_npx|\.cache/uv|\.local/share/(?:uv|pipx)|\.bun/install|\.deno|\.asdf/installs|nix/store)/[\w.@+/-]+|/nix/store/\w{32}-[\w.+-]+",
        place: Place::Anywhere,
        confidence: Confidence::High,
        hits: &["cannot find /srv/app/.venv/lib/reader.py"],
        misses: &["no folder .venv here"],
    },
    Pattern {
        language: Language::Any,
        tells: "the program's own build folder",
        regex: r"/(?:app|srv|opt|build|workspace_build|usr/src/app|home/runner/work)/(?:[\w.@+-]+/)*(?:dist|build|target|src|lib|out|bin|obj)/[\w.@+/-]+\.(?:m?js|cjs|ts|py|rs|go|java|class|jar|dll|so|rb|php)\b",
        place: Place::Anywhere,
        confidence: Confidence::Low,
        hits: &["cannot load /app/dist/tools/view.js"],
        misses: &["/app/data.txt does not exist"],
    },
];

/// The specification of every contract: no path of the server's own installation.
pub(crate) static RULE: Rule = Rule {
    id: "leak/internal-path",
    tier: Tier::Ungated,
    level: Level::Must,
    handling: super::HANDLING,
    requirements: &["BC-20", "A6"],
    summary: "an error reply shows a path of the server's installation",
    page: r#"The caller has no need to know where the server is installed: it shows an attacker what runs there, and a model may try
to open the path.

**Counts:** folders of installed packages and runtimes (`node_modules/`, `site-packages/`, `.cargo/registry/`), and any
path inside the folder of a program on the server's command line.

**Does not count:** the workspace; what the caller sent.

**How to fix it:** name the parameter or the setting, not the file where the server found it."#,
    check: RuleCheck::Exchange(check),
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

fn check(context: &Context<'_>) -> Vec<Diagnostic> {
    let help = "Name the parameter or the setting, and leave out where the server is installed.";
    super::judged(context, RULE.id, "a path of the server's installation", help)
}
