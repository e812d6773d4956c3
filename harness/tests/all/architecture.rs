//! Every file says what it is, only the rules know their ids, and ARCHITECTURE.md names what is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcp_errconf::rules;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files in a folder and below; none if it is not there.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
}

/// Every source file, by the names of the modules that lead to it. The program's own files use the library as anybody does.
fn sources() -> BTreeMap<Vec<String>, String> {
    let crates = [
        "src",
        "crates/model/src",
        "crates/second-reader/src",
        "crates/reading/src",
        "crates/rules/src",
        "crates/report/src",
    ];
    let folders = crates.map(|folder| root().join(folder));
    let files = folders.iter().flat_map(|folder| {
        let mut files = Vec::new();
        collect(folder, &mut files);
        files.into_iter().map(move |file| (folder, file))
    });
    let read = files.map(|(folder, file)| {
        let path = file.strip_prefix(folder).expect("it lies there").with_extension("");
        let names: Vec<String> =
            path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        (names, fs::read_to_string(&file).expect("it can be read"))
    });
    let read: Vec<(Vec<String>, String)> = read.collect();
    let tests: Vec<Vec<String>> = read.iter().flat_map(|(names, text)| of_tests(names, text)).collect();
    let is_left_out = |names: &[String]| {
        ["main", "lib", "cli"].contains(&names[0].as_str())
            || tests.iter().any(|test| names.starts_with(test))
    };
    read.into_iter()
        .filter(|(names, _)| !is_left_out(names))
        .map(|(names, text)| (names, code(&text)))
        .collect()
}

/// The modules that are there for tests alone, by the file that declares them.
fn of_tests(names: &[String], text: &str) -> Vec<Vec<String>> {
    let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| {
        let line = rest.lines().next()?;
        let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let below: &[String] = if names == ["lib"] { &[] } else { names };
    declared.map(|name| below.iter().cloned().chain([name.to_owned()]).collect()).collect()
}

/// A file without its tests, which stand last and may use whatever they like, and without its comments.
fn code(text: &str) -> String {
    let tests = ["\n#[cfg(test)]\nmod tests {", "\n#[cfg(test)]\npub(super) mod tests {"];
    let text = tests.iter().fold(text, |text, tests| text.split(tests).next().unwrap_or_default());
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The Rust files of every member of the workspace.
fn every_file() -> Vec<PathBuf> {
    let workspace = root().parent().expect("it is a member");
    let mut files = Vec::new();
    let crates = [
        "harness/crates/model",
        "harness/crates/reading",
        "harness/crates/rules",
        "harness/crates/report",
        "harness/crates/second-reader",
    ];
    for member in ["harness", "harness/bench", "reference-server", "conformance-cases", "fuzz"]
        .into_iter()
        .chain(crates)
    {
        for folder in ["src", "tests", "benches", "examples", "fuzz_targets"] {
            collect(&workspace.join(member).join(folder), &mut files);
        }
    }
    assert!(files.len() > 300, "the sources are not read: {}", files.len());
    files
}

#[test]
fn every_file_says_at_its_head_what_it_is() {
    let mut files = every_file();
    // What was compiled once, for its recorded stack, is no part of the program.
    files.retain(|file| !file.ends_with("recorded/main.rs"));
    files.retain(|file| !fs::read_to_string(file).expect("it can be read").starts_with("//!"));
    assert!(files.is_empty(), "write a line of `//!` at the head of these: {files:#?}");
}

/// What is asked of a rule stands beside it, in `rules/handling`; one that is looked for by name is named by its module.
#[test]
fn no_module_tells_rules_apart_by_their_ids() {
    let ids: Vec<String> = rules::all().iter().map(|rule| format!("\"{}\"", rule.id)).collect();
    let mut found = Vec::new();
    for (module, code) in sources().iter().filter(|(module, _)| module[0] != "rules") {
        // The configuration that `init` writes shows one in a comment.
        let lines = code.lines().filter(|line| !line.starts_with('#'));
        let naming = lines.filter(|line| ids.iter().any(|id| line.contains(id.as_str())));
        found.extend(naming.map(|line| format!("{}: {}", module.join("::"), line.trim())));
    }
    assert!(found.is_empty(), "ask a field of the rule in place of its id: {found:#?}");
}

/// Every file and folder of the crates, without endings, from the repository's root on.
fn files(folder: &Path, into: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let below = path.strip_prefix(root().join("..")).unwrap_or(&path);
        into.extend([
            below.to_string_lossy().into_owned(),
            below.with_extension("").to_string_lossy().into_owned(),
        ]);
        if path.is_dir() && !path.ends_with("target") {
            files(&path, into);
        }
    }
}

#[test]
fn what_the_page_names_is_there() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let mut there = BTreeSet::new();
    for folder in [".ci", "harness", "conformance-cases", "reference-server", "fuzz"] {
        files(&root().join("..").join(folder), &mut there);
    }
    let is_path = |word: &&str| {
        word.contains('/')
            && word.chars().all(|c| c.is_ascii_lowercase() || "_/.".contains(c))
            && !word.starts_with('/')
    };
    let named =
        page.lines().filter(|line| line.starts_with("| ")).flat_map(|row| row.split('`').skip(1).step_by(2));
    let is_there = |word: &&str| {
        let end = format!("/{}", word.trim_end_matches('/'));
        there.iter().any(|path| format!("/{path}").ends_with(&end))
    };
    let named: Vec<&str> = named.filter(is_path).collect();
    assert!(named.len() > 50, "the tables are read: {}", named.len());
    let missing: Vec<&&str> = named.iter().filter(|word| !is_there(word)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md sends its reader to what is not there: {missing:?}");
}
