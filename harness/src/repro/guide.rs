//! The page for the reproductions: what there is, how to run it, and what was left out.

use std::fmt::Write as _;

use super::{ALLOWED, Repro, ReproStart};

/// The page in Markdown; `left_out` has the reasons for missing tests, with the number of findings for each.
pub fn guide(repros: &[Repro], start: &ReproStart, left_out: &[(&str, usize)]) -> String {
    let mut text = format!(
        "# Findings as tests\n\nWritten by mcp-errconf {}. Each file makes the calls of one finding and looks at the reply: it fails \
         while the server\nreplies as it did, and passes once the reply is another one. Whether that one is good, `mcp-errconf run` says.\n\n\
         | for | run, from the folder in which mcp-errconf ran |\n|---|---|\n\
         | a shell | `sh {folder}/shell/NAME.sh` (exits with 1 while it fails) |\n\
         | pytest | `pytest {folder}/pytest` |\n\
         | vitest | `npx vitest run {folder}/vitest` |\n\
         | Go, within a module | `cd {folder}/go && go test .` |\n\
         | Rust | copy what is in `{folder}/rust` to `tests/`, `cargo add --dev serde_json`, `cargo test` |\n\n\
         A test for a suite consists of its own file and of the one beside it that starts the server; both can go to where your \
         tests are.\n",
        env!("CARGO_PKG_VERSION"),
        folder = start.folder
    );
    let secrets = start.secrets();
    if !secrets.is_empty() {
        let names: Vec<String> = secrets.values().map(|variable| format!("`{variable}`")).collect();
        // Writing to a string never fails.
        let _ = writeln!(text, "\nNo secret is in them. Set before you run them: {}.", names.join(", "));
    }
    let guarded = repros.iter().filter(|repro| repro.effects.why_guarded().is_some()).count();
    if guarded > 0 {
        let _ = writeln!(
            text,
            "\nNothing confines the server in a test. {guarded} of them make calls that may change something outside the folders of \
             the test:\nthey fail with these words, the script with exit code 2, unless `{ALLOWED}=1` is set, which is for places \
             where that does no harm."
        );
    }
    text.push_str("\n| finding | name |\n|---|---|\n");
    for repro in repros {
        let words = repro.words.first().map_or("", String::as_str).replace('|', "\\|").replace('<', "&lt;");
        let mark = if repro.effects.why_guarded().is_some() { ", guarded" } else { "" };
        let _ = writeln!(text, "| {words} | `{}`{mark} |", repro.name);
    }
    if !left_out.is_empty() {
        text.push_str("\n## Findings without a test\n\n");
    }
    for (why, count) in left_out {
        let _ = writeln!(text, "- {count}: {why}");
    }
    text
}
