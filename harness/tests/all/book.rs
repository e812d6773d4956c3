//! The book, `harness/book`: the pages on rules, contracts, options and schemas are made here, links lead somewhere, and the
//! commands of the guides run. `.ci/book` runs these tests, and builds the book of what they wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

mod commands;
mod contracts;
mod fixes;
mod links;
mod reference;
mod rules;
mod summary;

/// Pages by their place below `src`.
type Pages = BTreeMap<String, String>;

/// Folders in which every page is generated.
const GENERATED: [&str; 3] = ["contracts", "reference", "rules"];

/// `harness/book`.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book")
}

fn source() -> PathBuf {
    root().join("src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every Markdown page in a folder and below, by its place below `src`.
fn pages(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut found: Vec<String> = paths
        .flat_map(|path| {
            if path.is_dir() {
                return pages(&path);
            }
            let below = path.strip_prefix(source()).expect("it lies there").to_string_lossy().into_owned();
            if below.ends_with(".md") { vec![below] } else { Vec::new() }
        })
        .collect();
    found.sort();
    found
}

fn generated() -> Pages {
    let mut made = Pages::new();
    made.extend(rules::pages());
    made.extend(contracts::pages());
    made.extend(reference::pages());
    made.insert("SUMMARY.md".to_owned(), summary::summary());
    made
}

/// The places of all pages, once the generated ones are written below `src`, where git ignores them.
fn whole() -> &'static [String] {
    static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let made = generated();
        for page in GENERATED.iter().flat_map(|folder| pages(&source().join(folder))) {
            if !made.contains_key(&page) {
                fs::remove_file(source().join(page)).expect("the page can be removed");
            }
        }
        for (page, text) in &made {
            let path = source().join(page);
            fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("the folder can be made");
            fs::write(path, text).expect("the page can be written");
        }
        pages(&source())
    });
    &PAGES
}

#[test]
fn every_page_is_in_the_summary_once() {
    let pages = whole();
    let summary = read(&source().join("SUMMARY.md"));
    for page in pages.iter().filter(|page| *page != "SUMMARY.md") {
        let shown = summary.matches(&format!("]({page})")).count();
        assert_eq!(shown, 1, "{page}");
    }
}
