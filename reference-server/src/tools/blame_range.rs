//! `blame_range`: which commit each line of a file comes from.

use serde_json::{Value, json};

use super::{Outcome, Session, lines};
use crate::file;
use crate::git::Repository;
use crate::parameter::Arguments;
use crate::success::Success;

/// Characters shown of a commit's id.
const SHORT: usize = 12;

pub(super) fn run(session: &Session, arguments: &Arguments) -> Outcome {
    let sent = arguments.required("path");
    let path = session.limits.scope.resolve(sent)?;
    let text = file::read(&path, sent, session.limits.file_size)?;
    let (first, last) = lines::range(arguments, text.lines().count(), sent)?;
    let repository = Repository::around(&path, sent, &session.limits.scope)?;
    if text.is_empty() {
        return Ok(Success::new("(the file is empty)"));
    }
    let options = ["--line-porcelain".to_owned(), format!("-L{first},{last}")];
    let blame = blamed(&repository.run("blame", &options, sent)?);
    let said = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let lines: Vec<_> = blame
        .iter()
        .map(|line| {
            format!(
                "{} {} {}: {}",
                line["line"],
                said(line, "commit"),
                said(line, "author"),
                said(line, "summary")
            )
        })
        .collect();
    Ok(Success::new(lines.join("\n")).with("blame", blame))
}

/// Reads what `git blame --line-porcelain` prints: a header and some labelled lines for each line of the file, and last
/// the line itself behind a tab.
fn blamed(printed: &str) -> Vec<Value> {
    let mut blame = Vec::new();
    let mut line = json!({});
    for printed_line in printed.lines() {
        if printed_line.starts_with('\t') {
            blame.push(std::mem::replace(&mut line, json!({})));
            continue;
        }
        let (label, rest) = printed_line.split_once(' ').unwrap_or((printed_line, ""));
        match label {
            "author" => line["author"] = rest.into(),
            "author-time" => line["time"] = rest.parse::<u64>().unwrap_or_default().into(),
            "summary" => line["summary"] = rest.into(),
            _ if line.get("commit").is_none() && label.len() >= 40 => {
                line["line"] = rest.split(' ').nth(1).and_then(|number| number.parse::<u64>().ok()).into();
                line["commit"] = label[..SHORT].into();
            }
            _ => {}
        }
    }
    blame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_porcelain_of_each_line_becomes_one_object() {
        let printed = "0123456789012345678901234567890123456789 1 2 1\nauthor Ada L\nauthor-time 7\nsummary Begin it\n\
                       filename a\n\tthe line\n";
        let expected =
            json!({"line": 2, "commit": "012345678901", "author": "Ada L", "time": 7, "summary": "Begin it"});
        assert_eq!(blamed(printed), [expected]);
    }
}
