//! No module uses one that stands above it: ARCHITECTURE.md lists the layers, top to bottom, and the sources keep to them.
//! No two public types share a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcp_errconf::rules;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The modules, layer by layer: the second cells of the table in the section "Layers".
fn layers() -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let (_, section) = page.split_once("\n## Layers\n").expect("it has the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let modules = |row: &str| {
        let cell = row.split('|').nth(2).unwrap_or_default();
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    };
    rows.map(modules).filter(|modules| !modules.is_empty()).collect()
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
    let source = root().join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    let read = files.into_iter().map(|file| {
        let path = file.strip_prefix(&source).expect("it lies there").with_extension("");
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
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a file uses, each from the root of the library.
fn used(module: &[String], code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for lead in ["crate::", "super::"] {
        for (at, _) in code.match_indices(lead) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':') {
                continue;
            }
            paths(&code[at..], &mut Vec::new(), &mut |path| found.extend(resolved(module, path)));
        }
    }
    found
}

/// A path, or each of those that braces hold.
fn paths(text: &str, before: &mut Vec<String>, tell: &mut dyn FnMut(&[String])) -> usize {
    let name: String = text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    if !name.is_empty() {
        before.push(name.clone());
        let rest = &text[name.len()..];
        let mut length = name.len();
        match rest.strip_prefix("::") {
            Some(rest) => length += 2 + paths(rest, before, tell),
            None => tell(before),
        }
        before.pop();
        return length;
    }
    let Some(inner) = text.strip_prefix('{') else {
        tell(before);
        return 0;
    };
    let mut at = 0;
    while let Some(letter) = inner[at..].chars().next() {
        match letter {
            '}' => return at + 2,
            letter if letter.is_alphanumeric() || letter == '_' => at += paths(&inner[at..], before, tell),
            letter => at += letter.len_utf8(),
        }
    }
    at
}

fn resolved(module: &[String], path: &[String]) -> Option<Vec<String>> {
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        _ => {
            let up = path.iter().take_while(|name| *name == "super").count();
            let base = module.len().checked_sub(up)?;
            Some(module[..base].iter().chain(&path[up..]).cloned().collect())
        }
    }
}

/// Who uses whom, with a word of it.
type Arrows = BTreeMap<String, BTreeMap<String, String>>;

/// Which modules, of those that the library declares, use which.
fn arrows() -> Arrows {
    let sources = sources();
    let modules: BTreeSet<String> = sources.keys().map(|names| names[0].clone()).collect();
    let mut arrows = Arrows::new();
    for (module, code) in &sources {
        for path in used(module, code) {
            // Items of the library's root, such as macros, are no modules.
            let Some(to) = path.first().filter(|to| **to != module[0] && modules.contains(*to)) else {
                continue;
            };
            let arrow = format!("{} uses {}", module.join("::"), path.join("::"));
            arrows.entry(module[0].clone()).or_default().entry(to.clone()).or_insert(arrow);
        }
    }
    arrows
}

#[test]
fn every_module_is_on_one_layer_and_the_library_lists_the_layers_in_that_order() {
    let layers: Vec<String> = layers().into_iter().flatten().collect();
    let listed: BTreeSet<&String> = layers.iter().collect();
    assert_eq!(listed.len(), layers.len(), "a module stands on two layers: {layers:?}");
    let modules: BTreeSet<String> = sources().into_keys().map(|names| names[0].clone()).collect();
    assert_eq!(listed.into_iter().cloned().collect::<BTreeSet<_>>(), modules);
    let library = fs::read_to_string(root().join("src/lib.rs")).expect("it is there");
    let library = library.split("#[cfg(test)]").next().unwrap_or_default();
    let declared = library.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
    });
    assert_eq!(declared.collect::<Vec<_>>(), layers, "`lib.rs` has another order than ARCHITECTURE.md");
}

#[test]
fn no_module_uses_one_on_a_layer_above() {
    let layers = layers();
    let layer = |module: &String| layers.iter().position(|listed| listed.contains(module));
    let arrows = arrows();
    let wrong = arrows.iter().flat_map(|(from, to)| {
        to.iter().filter(move |(to, _)| layer(to) < layer(from)).map(|(_, arrow)| arrow.as_str())
    });
    let wrong: Vec<&str> = wrong.collect();
    assert!(wrong.is_empty(), "these arrows point up:\n{}", wrong.join("\n"));
}

/// Which files use which, but for a file and those below it: a module and its parts may know each other.
fn arrows_of_files() -> Arrows {
    let sources = sources();
    let mut arrows = Arrows::new();
    for (module, code) in &sources {
        let from = arrows.entry(module.join("::")).or_default();
        for path in used(module, code) {
            let Some(to) =
                (1..=path.len()).rev().map(|end| &path[..end]).find(|to| sources.contains_key(*to))
            else {
                continue;
            };
            if !to.starts_with(module) && !module.starts_with(to) {
                let arrow = format!("{} uses {}", module.join("::"), path.join("::"));
                from.entry(to.join("::")).or_insert(arrow);
            }
        }
    }
    arrows
}

/// The arrows that make a circle, or lead into one.
fn circles(arrows: &Arrows) -> Vec<&str> {
    let mut left: BTreeSet<&String> = arrows.keys().collect();
    // Whoever uses nothing that is left is in no circle.
    loop {
        let is_free = |module: &&&String| !arrows[**module].keys().any(|to| left.contains(to));
        let free: Vec<&String> = left.iter().filter(is_free).copied().collect();
        if free.is_empty() {
            break;
        }
        free.into_iter().for_each(|module| {
            left.remove(module);
        });
    }
    let output = left.iter().flat_map(|from| {
        arrows[*from].iter().filter(|(to, _)| left.contains(to)).map(|(_, arrow)| arrow.as_str())
    });
    output.collect()
}

#[test]
fn no_modules_and_no_files_use_each_other_in_a_circle() {
    for arrows in [arrows(), arrows_of_files()] {
        let output = circles(&arrows);
        assert!(output.is_empty(), "these arrows make a circle, or lead into one:\n{}", output.join("\n"));
    }
}

/// The Rust files of every member of the workspace.
fn every_file() -> Vec<PathBuf> {
    let workspace = root().parent().expect("it is a member");
    let mut files = Vec::new();
    for member in ["harness", "harness/bench", "reference-server", "conformance-cases", "fuzz"] {
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

#[test]
fn the_paths_of_a_use_line_are_read_with_those_in_its_braces() {
    let module = ["rules".to_owned(), "leak".to_owned()];
    let code = "use crate::{judge, plan::{ProbeScope, probe::Known}};\nuse super::super::wire::DecodedLine;\nuse super::context;";
    let output: Vec<String> = used(&module, code).into_iter().map(|path| path.join("::")).collect();
    assert_eq!(
        output,
        ["judge", "plan::ProbeScope", "plan::probe::Known", "wire::DecodedLine", "rules::context"]
    );
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
    assert!(named.len() > 100, "the tables are read: {}", named.len());
    let missing: Vec<&&str> = named.iter().filter(|word| !is_there(word)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md sends its reader to what is not there: {missing:?}");
}
