//! Files that can be laid out for a tool whose message asks for one: small, of kinds that tools work on.
//!
//! The main functions are [`named`] and [`laid_out`].

use serde_json::Value;

use crate::generate::ToolFiles;
use crate::suite::{Commit, Content, File};

/// Their endings, and what stands in them.
const STOCK: [(&str, &str); 14] = [
    ("pdf", include_str!("stock/data.pdf")),
    ("csv", "name,value\nalpha,1\nbeta,2\n"),
    ("tsv", "name\tvalue\nalpha\t1\nbeta\t2\n"),
    ("json", "{\"name\": \"alpha\", \"items\": [1, 2]}\n"),
    ("jsonl", "{\"name\": \"alpha\"}\n{\"name\": \"beta\"}\n"),
    ("yaml", "name: alpha\nitems: [1, 2]\n"),
    ("yml", "name: alpha\nitems: [1, 2]\n"),
    ("toml", "name = \"alpha\"\nitems = [1, 2]\n"),
    ("xml", "<alpha><name>beta</name></alpha>\n"),
    ("html", "<!doctype html><title>alpha</title><p>beta</p>\n"),
    ("md", "# alpha\n\nbeta\n"),
    ("ini", "[alpha]\nname = beta\n"),
    ("py", "def alpha():\n    return 1\n"),
    ("js", "export const alpha = 1;\n"),
];

/// The name of the file with this ending, where there is one.
pub(super) fn named(ending: &str) -> Option<String> {
    STOCK.iter().any(|(known, _)| *known == ending).then(|| format!("data.{ending}"))
}

/// The files of the stock to which arguments lead; those that are there already are not among them.
pub fn laid_out(arguments: &Value, tool_files: &ToolFiles, there: &[File]) -> Vec<File> {
    let text = arguments.to_string();
    let leads = |path: &str| {
        text.contains(&format!("{}/{path}", tool_files.folder())) || text.contains(&format!("\"{path}"))
    };
    let is_new = |path: &str| !there.iter().any(|file| file.path == path);
    let mut files = Vec::new();
    for (ending, content) in STOCK {
        for path in [format!("data.{ending}"), format!("of-{ending}/data.{ending}")] {
            let way = path.split('/').next().unwrap_or_default();
            if leads(way) && is_new(&path) {
                files.push(File { path, content: Content::Text(content.to_owned()) });
            }
        }
    }
    if leads(ToolFiles::REPOSITORY) && is_new(ToolFiles::REPOSITORY) {
        files.push(repository());
    }
    files
}

/// A repository with one commit.
pub(crate) fn repository() -> File {
    let commit = Commit {
        message: "Add a file".to_owned(),
        files: [(ToolFiles::FILE.to_owned(), ToolFiles::TEXT.to_owned())].into(),
    };
    File { path: ToolFiles::REPOSITORY.to_owned(), content: Content::Git(vec![commit]) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_file_is_laid_out_when_a_call_leads_to_it() {
        let tool_files = ToolFiles::at("/w/c");
        let paths = |arguments: &Value, there: &[File]| {
            let files = laid_out(arguments, &tool_files, there);
            files.into_iter().map(|file| file.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(&json!({"path": "/w/c/data.csv"}), &[]), ["data.csv"]);
        assert_eq!(paths(&json!({"folder": "/w/c/of-csv"}), &[]), ["of-csv/data.csv"]);
        assert_eq!(paths(&json!({"repo": ["/w/c/repository"]}), &[]), ["repository"]);
        assert_eq!(paths(&json!({"repo": "/w/c/repository"}), &[repository()]), [""; 0]);
        assert_eq!(paths(&json!({"path": "/w/c/notes.txt"}), &[]), [""; 0]);
    }
}
