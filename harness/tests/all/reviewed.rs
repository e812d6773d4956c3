//! Files that hold what the program says today, as it was reviewed. With `UPDATE=1` they are written.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// So many lines that differ are shown of a file.
const SHOWN: usize = 20;
/// What writes all of them.
const HOW: &str = "UPDATE=1 cargo test -p mcp-errconf --test all was_reviewed";

/// Compares files with what the program says.
pub(crate) fn check(files: impl IntoIterator<Item = (PathBuf, String)>) {
    let mut differing = String::new();
    for (file, today) in files {
        let reviewed = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
        if reviewed == today {
            continue;
        }
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, today).expect("it can be written");
            continue;
        }
        writeln!(differing, "{}", file.display()).expect("a string takes everything");
        let (before, after): (HashSet<&str>, HashSet<&str>) =
            (reviewed.lines().collect(), today.lines().collect());
        let gone = reviewed.lines().filter(|line| !after.contains(line)).map(|line| format!("- {line}"));
        let new = today.lines().filter(|line| !before.contains(line)).map(|line| format!("+ {line}"));
        for line in gone.chain(new).take(SHOWN) {
            writeln!(differing, "{line}").expect("a string takes everything");
        }
    }
    assert!(differing.is_empty(), "look at each verdict that changed, then write them: {HOW}\n{differing}");
}
