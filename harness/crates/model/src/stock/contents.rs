//! Contents for small files of many kinds, such as tools work on.
//!
//! The main function is [`described`].

use std::fmt::Write as _;

use crate::suite::FileContent;
use crate::words;

/// Their endings, and what stands in them.
pub const STOCK: [(&str, &[u8]); 29] = [
    ("pdf", include_bytes!("data.pdf")),
    ("xlsx", include_bytes!("data.xlsx")),
    ("ods", include_bytes!("data.ods")),
    ("docx", include_bytes!("data.docx")),
    ("pptx", include_bytes!("data.pptx")),
    ("zip", include_bytes!("data.zip")),
    ("png", include_bytes!("data.png")),
    ("db", include_bytes!("data.db")),
    ("sqlite", include_bytes!("data.db")),
    ("csv", b"name,value\nalpha,1\nbeta,2\n"),
    ("tsv", b"name\tvalue\nalpha\t1\nbeta\t2\n"),
    ("json", b"{\"name\": \"alpha\", \"items\": [1, 2]}\n"),
    ("jsonl", b"{\"name\": \"alpha\"}\n{\"name\": \"beta\"}\n"),
    ("yaml", b"name: alpha\nitems: [1, 2]\n"),
    ("yml", b"name: alpha\nitems: [1, 2]\n"),
    ("toml", b"name = \"alpha\"\nitems = [1, 2]\n"),
    ("xml", b"<alpha><name>beta</name></alpha>\n"),
    ("html", b"<!doctype html><title>alpha</title><p>beta</p>\n"),
    ("md", b"# alpha\n\nbeta\n"),
    ("txt", b"alpha\nbeta\n"),
    ("ini", b"[alpha]\nname = beta\n"),
    ("log", b"2026-01-31T12:00:00Z INFO alpha\n2026-01-31T12:00:01Z ERROR beta\n"),
    ("ipynb", include_bytes!("data.ipynb")),
    ("svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"><rect width=\"4\" height=\"4\"/></svg>\n"),
    ("ics", include_bytes!("data.ics")),
    ("bib", b"@article{alpha, author = {Beta}, title = {Gamma}, journal = {Delta}, year = {2026}}\n"),
    ("py", b"def alpha():\n    return 1\n"),
    ("js", b"export const alpha = 1;\nconsole.log(alpha);\n"),
    ("rs", b"pub fn alpha() -> i32 {\n    1\n}\n"),
];

/// The files of a small project in several languages.
pub const PROJECT: [(&str, &str); 9] = [
    (
        "package.json",
        "{\"name\": \"alpha\", \"version\": \"1.0.0\", \"type\": \"module\", \"main\": \"index.js\"}\n",
    ),
    ("eslint.config.js", "export default [{ rules: { \"no-unused-vars\": \"warn\" } }];\n"),
    ("tsconfig.json", "{\"compilerOptions\": {\"strict\": true, \"noEmit\": true}}\n"),
    ("index.js", "export function alpha(beta) {\n  console.log(beta);\n  return beta;\n}\n"),
    ("index.ts", "export function alpha(beta: number): number {\n  console.log(beta);\n  return beta;\n}\n"),
    ("pyproject.toml", "[project]\nname = \"alpha\"\nversion = \"1.0.0\"\n"),
    ("main.py", "import os\n\n\ndef alpha(beta):\n    print(beta)\n    return os.sep\n"),
    ("lib.rs", "pub fn alpha(beta: i32) -> i32 {\n    beta\n}\n"),
    ("README.md", "# Alpha\n\nBeta.\n"),
];

/// What a description says of the file that it wants, in small letters, and the ending of one.
fn wanted() -> impl Iterator<Item = (&'static str, &'static str)> {
    words!("names/wanted-files").iter().filter_map(|pair| pair.split_once('='))
}

/// Endings of files for the same end: what works on one kind may meet another.
const RELATED: [&[&str]; 5] = [
    &["xlsx", "csv", "ods", "tsv"],
    &["docx", "pdf", "md", "html", "pptx"],
    &["json", "yaml", "toml", "xml"],
    &["png", "pdf"],
    &["db", "sqlite", "csv"],
];

/// The name of the file with this ending, where there is one.
pub fn named(ending: &str) -> Option<String> {
    STOCK.iter().any(|(known, _)| *known == ending).then(|| format!("data.{ending}"))
}

/// The name of the file that a description asks for, if it names a kind of file.
pub fn described(words: &str) -> Option<String> {
    wanted().find(|(known, _)| words.contains(known)).and_then(|(_, ending)| named(ending))
}

/// The endings of files that the words of a description name, as in "a table (.csv, .xlsx)".
pub fn endings(words: &str) -> impl Iterator<Item = &'static str> {
    let is_named = move |ending: &str| {
        let mut rest = words;
        while let Some((_, after)) = rest.split_once('.') {
            let end = after.strip_prefix(ending);
            if end.is_some_and(|end| !end.starts_with(|letter: char| letter.is_alphanumeric())) {
                return true;
            }
            rest = after;
        }
        false
    };
    STOCK.iter().map(|(ending, _)| *ending).filter(move |ending| is_named(ending))
}

/// The endings of files for the same end as those with this one.
pub fn relatives(ending: &str) -> impl Iterator<Item = &'static str> {
    let known = RELATED.iter().find(|endings| endings.contains(&ending));
    known.into_iter().flat_map(|endings| endings.iter().copied())
}

/// A file of these bytes.
pub fn content(bytes: &[u8]) -> FileContent {
    match std::str::from_utf8(bytes) {
        Ok(text) => FileContent::Text(text.to_owned()),
        Err(_) => FileContent::Hex(bytes.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_description_may_ask_for_is_there() {
        for (words, ending) in wanted() {
            assert!(named(ending).is_some() && described(words).is_some(), "{words}");
        }
        assert_eq!(described("path to the excel file (.xlsx)").as_deref(), Some("data.xlsx"));
        let told: Vec<&str> = endings("a table (.csv, .xlsx or .ods), not .csvx, e.g. data.json").collect();
        assert_eq!(told, ["xlsx", "ods", "csv", "json"]);
        assert!(RELATED.iter().all(|endings| endings.iter().all(|ending| named(ending).is_some())));
        assert_eq!(relatives("ods").next(), Some("xlsx"));
        assert_eq!(relatives("log").count(), 0);
        assert!(matches!(content(b"\xff"), FileContent::Hex(hex) if hex == "ff"));
    }
}
